//! A file of the gallery.

/// A file of the gallery.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its path below the folder of the gallery.
    pub path: String,
    /// What it holds.
    pub text: String,
}
