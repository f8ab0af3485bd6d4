//! The files of a trace: one, or one for each rank.

use flate2::read::MultiGzDecoder;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file that was read, unpacked if it was packed.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
}

/// A trace's files.
#[derive(Debug)]
pub struct Opened {
    /// Their paths, in the order of ranks.
    pub paths: Vec<PathBuf>,
    pub(super) contents: Vec<Content>,
    /// What they are, as far as results depend on it.
    pub digest: u64,
}

impl Opened {
    /// The text, of a trace that is one file of text.
    pub fn text(&self) -> Option<&str> {
        match &self.contents[..] {
            [only] => only.text().filter(|text| !text.contains('\0')),
            _ => None,
        }
    }
}

impl Content {
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

/// The files of a trace may unpack to so many bytes together: small ones are not to fill the memory.
const MOST_UNPACKED: u64 = 8 << 30;

/// Reads the file at `path`, and those of the other ranks where its name is that of one rank:
/// `name.0.et` and so on. `name` alone stands for them, too.
///
/// # Errors
/// The path that cannot be read, and why.
pub fn open(path: &Path) -> Result<Opened, (PathBuf, io::Error)> {
    let paths = paths(path)?;
    let mut contents = Vec::new();
    let mut digest = Fnv::default();
    let mut room = MOST_UNPACKED;
    for path in &paths {
        let bytes = unpacked(path, room).map_err(|error| (path.clone(), error))?;
        room -= room.min(bytes.len() as u64);
        digest.add(&bytes);
        contents.push(Content { bytes });
    }
    Ok(Opened { paths, contents, digest: digest.0 })
}

fn unpacked(path: &Path, room: u64) -> io::Result<Vec<u8>> {
    let bytes = std::fs::read(path)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(&bytes[..]).take(room + 1).read_to_end(&mut unpacked)?;
    if unpacked.len() as u64 > room {
        let most = format!("the trace unpacks to more than {} GiB", MOST_UNPACKED >> 30);
        return Err(io::Error::new(io::ErrorKind::InvalidData, most));
    }
    Ok(unpacked)
}

/// The ranks of which a folder has a file.
fn ranks_of(folder: &Path, stem: &str, end: &str) -> BTreeSet<u32> {
    let rank = |entry: io::Result<std::fs::DirEntry>| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(end)?.parse().ok()
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::fs::read_dir(folder).into_iter().flatten().filter_map(rank).collect()
}

fn paths(path: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(vec![path.to_path_buf()]);
    };
    let named =
        |stem: &str, rank: u32, end: &str| path.with_file_name(format!("{stem}.{rank}{end}"));
    let series = |stem: &str, end: &str| {
        let ranks = ranks_of(path.parent().unwrap_or(Path::new("")), stem, end);
        let missing = (0..).zip(&ranks).find(|(rank, found)| rank != *found);
        match missing {
            Some((rank, _)) => {
                let message = format!("rank {rank} has no file, and later ranks have");
                let error = io::Error::new(io::ErrorKind::NotFound, message);
                Err((named(stem, rank, end), error))
            }
            None => Ok(ranks.into_iter().map(|rank| named(stem, rank, end)).collect()),
        }
    };
    for end in [".et", ".et.gz"] {
        if let Some((stem, rank)) = name.strip_suffix(end).and_then(|name| name.rsplit_once('.'))
            && rank.parse::<u32>().is_ok()
        {
            let all: Vec<PathBuf> = series(stem, end)?;
            return Ok(if all.is_empty() { vec![path.to_path_buf()] } else { all });
        }
        if !path.is_file() && named(name, 0, end).is_file() {
            return series(name, end);
        }
    }
    Ok(vec![path.to_path_buf()])
}

/// The hash of Fowler, Noll and Vo, with 64 bits.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
