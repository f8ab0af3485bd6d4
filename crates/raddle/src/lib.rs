//! later

pub mod import;
