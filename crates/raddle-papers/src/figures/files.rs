//! Files of figures in a clone: they count before those that the program was built with.

use super::Figure;
use raddle::study::place::at;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A figure as a folder of figures has it.
#[derive(Debug)]
pub struct Read {
    /// The figure.
    pub figure: Figure,
    /// Its files that are not those that the program was built with.
    pub changed: Vec<PathBuf>,
}

impl Figure {
    /// The figure with the files that `folder` has of it, the program's own where it has none.
    /// Texts that are others are kept for as long as the program runs.
    ///
    /// # Errors
    /// A file that is there and cannot be read, and why.
    pub fn read_from(&self, folder: &Path) -> Result<Read, String> {
        let (mut figure, mut changed) = (*self, Vec::new());
        let mut read = |name: &str, own: &'static str| {
            let path = folder.join(self.name).join(name);
            Ok::<_, String>(match other(&path, own)? {
                None => own,
                Some(text) => {
                    changed.push(path);
                    text.leak()
                }
            })
        };
        if let Some(own) = self.scenario {
            figure.scenario = Some(read("scenario.toml", own)?);
        }
        figure.claims = read("claims.toml", self.claims)?;
        figure.result = read("result.json", self.result)?;
        Ok(Read { figure, changed })
    }
}

/// The text of a file that is there and not `own`.
///
/// # Errors
/// The file and why it cannot be read.
pub(crate) fn other(path: &Path, own: &str) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) if text == own => Ok(None),
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(at(path, error)),
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::find;
    use std::fs;

    #[test]
    fn a_changed_file_of_a_clone_counts_and_is_named() {
        let figure = find("reps/fig14")[0];
        let folder = tempfile::tempdir().unwrap();
        let read = figure.read_from(folder.path()).unwrap();
        assert!(read.changed.is_empty() && read.figure.claims == figure.claims);
        let own = folder.path().join("reps/fig14");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("claims.toml"), figure.claims).unwrap();
        fs::write(own.join("result.json"), "{}\n").unwrap();
        let read = figure.read_from(folder.path()).unwrap();
        assert_eq!(read.changed, [own.join("result.json")]);
        assert_eq!((read.figure.result, read.figure.claims), ("{}\n", figure.claims));
        fs::remove_file(own.join("result.json")).unwrap();
        fs::create_dir(own.join("result.json")).unwrap();
        assert!(figure.read_from(folder.path()).unwrap_err().contains("result.json: "));
    }
}
