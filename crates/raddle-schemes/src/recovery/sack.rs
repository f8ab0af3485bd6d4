//! Selective acknowledgement.

crate::parameters! {
    /// Parameters of `sack`.
    pub struct Config {
        /// Retransmission timeout; `auto` is the longest unloaded round trip plus 4 full queues.
        pub rto: Option<crate::units::Span> = None;
    }
}
