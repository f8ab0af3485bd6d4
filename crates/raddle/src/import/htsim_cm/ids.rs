//! The ids of a connection matrix.

use super::super::Place;
use std::collections::BTreeMap;

/// The ids that lines declare and use, kept even where the line has mistakes.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// Flow ids with the line that has them.
    pub(super) flows: BTreeMap<u32, usize>,
    /// Declared triggers.
    pub(super) triggers: BTreeMap<u32, Place>,
    /// Triggers that connections wait for.
    pub(super) waits: Vec<(u32, Place)>,
    /// Triggers that connections fire.
    pub(super) fires: Vec<(u32, Place)>,
    /// A trigger line whose id could not be read: it may declare anything.
    pub(super) unreadable_trigger: bool,
}
