//! Recovery: which packets count as lost, what is sent again, and when the receiver answers.

pub mod sack;

crate::words! {
    /// What an ACK for several packets tells REPS about their entropies.
    pub enum AckEntropies {
        /// The entropy and mark of the packet that triggered it.
        Trigger = "trigger",
        /// The entropies of all unmarked packets since the previous ACK ("carry").
        Carry = "carry",
    }
}

/// The parameters of the selected recovery: what a scenario selects.
#[derive(Clone, Debug, PartialEq)]
pub enum Config {
    /// Parameters of `sack`.
    Sack(sack::Config),
}
