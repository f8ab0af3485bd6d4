//! Under construction.

/// Under construction.
pub fn violations(_plan: &crate::plan::Plan, _outcome: &crate::record::Outcome) -> Vec<String> {
    Vec::new()
}
