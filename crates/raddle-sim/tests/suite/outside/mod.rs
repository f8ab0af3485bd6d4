//! Schemes that are in no list, one file for each place in which a scheme may be added: what
//! another crate would write. Random plans draw them, too.

pub(crate) mod echo;
pub(crate) mod juggler;
pub(crate) mod moody;
pub(crate) mod sleeper;
