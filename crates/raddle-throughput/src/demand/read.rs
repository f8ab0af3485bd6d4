//! Demand from a file or from a pattern's name.

use super::{Demand, DemandError, npy};
use std::fmt;

/// Entries below this share of the largest one are dust of whatever made the file, and count as 0.
const DUST: f64 = 1e-5;

/// A demand, and what was changed on the way, as sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The demand.
    pub demand: Demand,
    /// What a reader of the results has to know.
    pub warnings: Vec<String>,
}

/// Why there is no demand.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadError {
    /// A word that is no number; lines and columns count from 1 here, as editors do.
    Word {
        /// The line.
        line: u64,
        /// Which entry of the line.
        column: usize,
        /// What stands there.
        word: String,
    },
    /// The file is no comma-separated or NumPy file; says why.
    Format(String),
    /// The matrix is no demand.
    Demand(DemandError),
    /// The pattern's argument is no number from 0 to 1.
    Argument(&'static str),
    /// There is no such pattern; the names that there are.
    Unknown(Vec<&'static str>),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word { line, column, word } => {
                write!(f, "line {line}, entry {column}: `{word}` is no number")
            }
            Self::Format(why) => f.write_str(why),
            Self::Demand(error) => error.fmt(f),
            Self::Argument(name) => write!(f, "expected a number from 0 to 1, as in `{name}:0.5`"),
            Self::Unknown(names) => {
                write!(f, "no file and no pattern; patterns: {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl From<DemandError> for ReadError {
    fn from(error: DemandError) -> Self {
        Self::Demand(error)
    }
}

/// The demand of rows in a text, divided by `;`.
pub(super) fn rows(text: &str) -> Result<Demand, ReadError> {
    Ok(clean(blanks(text.replace(';', "\n").as_bytes())?)?.demand)
}

/// The demand in a file's bytes: NumPy's format by its magic, comma-separated if its name says so,
/// else numbers with blanks between; `#` begins a comment.
///
/// # Errors
/// [`ReadError`], with line or row and column.
pub fn read(name: &str, bytes: &[u8]) -> Result<Loaded, ReadError> {
    let rows = if bytes.starts_with(b"\x93NUMPY") {
        npy::rows(bytes).map_err(ReadError::Format)?
    } else if name.to_ascii_lowercase().ends_with(".csv") {
        comma_separated(bytes)?
    } else {
        blanks(bytes)?
    };
    Ok(clean(rows)?)
}

fn number(word: &str, line: u64, column: usize) -> Result<f64, ReadError> {
    let wrong = |_| ReadError::Word { line, column, word: word.to_owned() };
    word.trim().parse().map_err(wrong)
}

fn comma_separated(bytes: &[u8]) -> Result<Vec<Vec<f64>>, ReadError> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).comment(Some(b'#'));
    let mut rows = Vec::new();
    for record in reader.from_reader(bytes).records() {
        let record = record.map_err(|error| ReadError::Format(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells = record.iter().enumerate();
        rows.push(cells.map(|(at, word)| number(word, line, at + 1)).collect::<Result<_, _>>()?);
    }
    Ok(rows)
}

fn blanks(bytes: &[u8]) -> Result<Vec<Vec<f64>>, ReadError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ReadError::Format("the file is neither text nor NumPy's format".to_owned()))?;
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        let words = text.split_whitespace().enumerate();
        let row = words.map(|(at, word)| number(word, line, at + 1));
        let row: Vec<f64> = row.collect::<Result<_, _>>()?;
        if !row.is_empty() {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A demand without dust and without what nodes send to themselves.
fn clean(mut rows: Vec<Vec<f64>>) -> Result<Loaded, DemandError> {
    let mut warnings = Vec::new();
    let largest = rows.iter().flatten().copied().fold(0.0, f64::max);
    let is_dust = |rate: &f64| *rate > 0.0 && *rate < DUST * largest;
    let dust = rows.iter().flatten().filter(|rate| is_dust(rate)).count();
    if dust > 0 {
        warnings.push(format!("{dust} entries below {DUST:e} of the largest count as 0"));
        rows.iter_mut().flatten().filter(|rate| is_dust(rate)).for_each(|rate| *rate = 0.0);
    }
    let own = rows.iter().enumerate().filter_map(|(node, row)| row.get(node));
    let own: Vec<f64> = own.copied().filter(|rate| *rate > 0.0).collect();
    let demand = Demand::new(&rows)?;
    if !own.is_empty() {
        let most = own.iter().copied().fold(0.0, f64::max);
        let nodes = own.len();
        warnings
            .push(format!("{nodes} nodes send to themselves, up to {most:.3e}; this is left out"));
    }
    Ok(Loaded { demand, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_divided_by_blanks_or_commas() {
        let blanks = read("a.mat", b"# two nodes\n0 1\n\n2 0 # back\n").unwrap();
        let commas = read("a.csv", b"0,1\n2,0\n").unwrap();
        assert_eq!(blanks, commas);
        assert_eq!((blanks.demand.rate(1, 0), blanks.warnings.len()), (2.0, 0));
    }

    #[test]
    fn a_word_that_is_no_number_is_named_with_its_place() {
        let message = |name, text: &str| read(name, text.as_bytes()).unwrap_err().to_string();
        assert_eq!(message("a.mat", "0 1\n\nx 0\n"), "line 3, entry 1: `x` is no number");
        assert_eq!(message("a.csv", "0,1\n0,y\n"), "line 2, entry 2: `y` is no number");
        assert_eq!(
            message("a.mat", "0 1\n2 0 3\n"),
            DemandError::Row { row: 1, entries: 3, rows: 2 }.to_string()
        );
        assert!(message("a.mat", "0 nan\n1 0\n").starts_with("row 0, column 1 is NaN"));
    }

    #[test]
    fn dust_and_what_nodes_send_to_themselves_are_dropped_with_a_warning() {
        let loaded = read("a.mat", b"0.5 1 1e-6\n1 0 1\n1 1 0\n").unwrap();
        assert_eq!((loaded.demand.rate(0, 0), loaded.demand.rate(0, 2)), (0.0, 0.0));
        assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
    }
}
