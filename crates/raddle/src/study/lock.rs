//! Who may write into a folder: one process at a time.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

/// A folder that is written into; ends with the last copy of it, or with the process.
#[derive(Clone, Debug)]
pub struct Held {
    folder: Option<Arc<File>>,
}

impl Held {
    /// Whether others are kept out. Some file systems have no locks, and some systems none of
    /// folders: there nobody is.
    pub fn alone(&self) -> bool {
        self.folder.is_some()
    }
}

/// Keeps other processes from holding `folder`, which is there. The folder itself is locked, so
/// that no file is left behind.
///
/// # Errors
/// Another process holds it.
pub fn hold(folder: &Path) -> Result<Held, String> {
    let Ok(file) = File::open(folder) else { return Ok(Held { folder: None }) };
    match file.try_lock() {
        Ok(()) => Ok(Held { folder: Some(Arc::new(file)) }),
        Err(TryLockError::Error(_)) => Ok(Held { folder: None }),
        Err(TryLockError::WouldBlock) => Err(format!(
            "{}: another raddle is writing into this folder: wait until it has ended, or choose \
             another folder",
            folder.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_once_until_all_copies_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let first = hold(folder.path()).unwrap();
        if !first.alone() {
            return;
        }
        let copy = first.clone();
        drop(first);
        let message = hold(folder.path()).unwrap_err();
        assert!(message.starts_with(&folder.path().display().to_string()), "{message}");
        assert!(message.contains("another raddle is writing into this folder"), "{message}");
        drop(copy);
        assert!(hold(folder.path()).unwrap().alone());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
