//! Text files that users name, which may be anything: a device or a pipe has no end.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read};
use std::path::Path;

/// The most that is read of a file.
const MOST: u64 = 1 << 30;

/// Bytes that are read before they are looked at.
const BLOCK: u64 = 1 << 16;

/// Reads a text.
///
/// # Errors
/// What the system said, or that the file is no text or too long to be one.
pub fn read(path: &Path) -> io::Result<String> {
    text(File::open(path)?, MOST)
}

fn text(mut file: impl Read, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        if file.by_ref().take(BLOCK).read_to_end(&mut bytes)? == 0 {
            break;
        }
        // What a device gives is seen to be no text long before it is too much.
        if bytes[before..].contains(&0) {
            return Err(Error::new(ErrorKind::InvalidData, "it is no text: it has zero bytes"));
        }
        if bytes.len() as u64 > most {
            let why = format!("it is longer than {} MiB, and may have no end", most >> 20);
            return Err(Error::new(ErrorKind::InvalidData, why));
        }
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_to_its_end_in_blocks() {
        let long = "é".repeat(BLOCK as usize);
        assert_eq!(text(long.as_bytes(), MOST).unwrap(), long);
        assert_eq!(text(&b""[..], MOST).unwrap(), "");
    }

    #[test]
    fn what_has_no_end_or_is_no_text_is_refused() {
        let why = |file: &mut dyn Read| text(file, 1 << 20).unwrap_err().to_string();
        assert_eq!(why(&mut io::repeat(0)), "it is no text: it has zero bytes");
        assert_eq!(why(&mut io::repeat(b'y')), "it is longer than 1 MiB, and may have no end");
        assert_eq!(why(&mut &b"\xff"[..]), "it is no text in UTF-8");
    }
}
