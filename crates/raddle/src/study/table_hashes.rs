//! Hashes of a run's tables, in its `run.json`: so that a table of another run in its folder is found.

use super::place::{SUMMARY_FILE, at};
use raddle_schemes::rng::{GOLDEN, mix};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The key of `run.json`.
const KEY: &str = "tables";

/// Bytes that are read at once; a multiple of 8.
const BLOCK: usize = 1 << 16;

/// The hash of each table, by the name of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableHashes(BTreeMap<String, String>);

impl TableHashes {
    /// Those that the `run.json` in `folder` names; none where it was written without tables.
    ///
    /// # Errors
    /// The file and what is wrong with it.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(SUMMARY_FILE);
        let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| at(&path, error))?;
        let Some(tables) = value.get(KEY) else { return Ok(Self::default()) };
        let wrong = || at(&path, format!("`{KEY}` is of the wrong type"));
        let hash = |(name, hash): (&String, &Value)| Some((name.clone(), hash.as_str()?.into()));
        let hashes = tables.as_object().ok_or_else(wrong)?.iter().map(hash);
        hashes.collect::<Option<_>>().map(Self).ok_or_else(wrong)
    }

    /// Adds the table in this file.
    ///
    /// # Errors
    /// The file and what the system said.
    pub(super) fn add(&mut self, path: &Path) -> Result<(), String> {
        self.0.insert(name(path), of(path)?);
        Ok(())
    }

    /// Whether the table in this file is the one that the run wrote.
    ///
    /// # Errors
    /// The file and why it is not.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        match self.0.get(&name(path)) {
            Some(hash) if *hash == of(path)? => Ok(()),
            Some(_) => Err(at(path, format!("not the table that its {SUMMARY_FILE} tells of"))),
            None => Err(at(path, format!("its {SUMMARY_FILE} tells of no such table"))),
        }
    }

    /// `run.json` with these behind the numbers of `summary`.
    pub(super) fn beside(&self, mut summary: Value) -> String {
        let hash = |(name, hash): (&String, &String)| (name.clone(), Value::from(hash.as_str()));
        let tables: Map<String, Value> = self.0.iter().map(hash).collect();
        if let (Some(object), false) = (summary.as_object_mut(), tables.is_empty()) {
            object.insert(KEY.to_owned(), tables.into());
        }
        format!("{summary:#}\n")
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

/// The hash of a file, as 16 hexadecimal digits: two files that differ by accident have the same with
/// a chance of 2^-64.
fn of(path: &Path) -> Result<String, String> {
    let error = |error| at(path, error);
    let mut file = File::open(path).map_err(error)?;
    let (mut hash, mut bytes) = (0u64, 0u64);
    let mut block = vec![0; BLOCK];
    loop {
        let read = fill(&mut file, &mut block).map_err(error)?;
        bytes += read as u64;
        for word in block[..read].chunks(8) {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            hash = mix(hash.wrapping_add(GOLDEN) ^ u64::from_le_bytes(whole));
        }
        if read < block.len() {
            return Ok(format!("{:016x}", mix(hash.wrapping_add(GOLDEN) ^ bytes)));
        }
    }
}

/// Reads as much as there is room for or there is to read.
fn fill(file: &mut File, block: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match file.read(&mut block[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_every_byte_and_on_how_many_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let hash = |bytes: &[u8]| {
            let path = folder.path().join("flows.csv");
            fs::write(&path, bytes).unwrap();
            of(&path).unwrap()
        };
        let long = vec![7; BLOCK + 3];
        let mut other = long.clone();
        other[BLOCK + 2] = 8;
        let texts: [&[u8]; 7] = [b"", b"\0", b"\0\0", b"a", b"12345678", &long, &other];
        let hashes: Vec<String> = texts.into_iter().map(hash).collect();
        for (i, one) in hashes.iter().enumerate() {
            assert!(!hashes[..i].contains(one), "{i}");
        }
        assert_eq!(hash(&long), hashes[5]);
    }
}
