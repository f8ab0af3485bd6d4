//! What htsim's text formats share: words between single spaces, numbers as C++ reads them, and a
//! place to collect mistakes.

use super::{InputError, Place};
use std::collections::BTreeMap;

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) at: Place,
    pub(super) text: &'a str,
}

/// Collects the mistakes and notes of one file, and reads words and numbers in its mode.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Whether to read as htsim does, whatever comes of it.
    pub(super) compat: bool,
    /// Whether the format has a compat mode to point at.
    offers_compat: bool,
    errors: Vec<InputError>,
    notes: BTreeMap<&'static str, (InputError, usize)>,
    crlf_reported: bool,
}

/// What `std::stoi` makes of a text.
enum Stoi {
    Value(i32),
    NotANumber,
    OutOfRange,
}

impl Reader {
    /// A reader of a format with a compat mode.
    pub(super) fn with_compat(compat: bool) -> Self {
        Self { compat, offers_compat: true, ..Self::default() }
    }

    /// A reader of a format that is always read strictly.
    pub(super) fn strict() -> Self {
        Self::default()
    }

    pub(super) fn error(&mut self, at: Place, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(at.error(message, help));
    }

    /// An error in strict mode; in compat mode what htsim does is what is wanted, and a note.
    pub(super) fn strict_error(
        &mut self,
        kind: &'static str,
        at: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.compat {
            self.note(kind, at, message);
        } else {
            let mut help = help.into();
            if self.offers_compat {
                help.push_str(", or set `compat = true` for what htsim does");
            }
            self.error(at, message, help);
        }
    }

    /// A note. Of each kind the first is kept and the rest are counted.
    pub(super) fn note(&mut self, kind: &'static str, at: Place, message: impl Into<String>) {
        self.notes.entry(kind).or_insert_with(|| (at.note(message), 0)).1 += 1;
    }

    pub(super) fn failed(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The notes, or the errors if there are any; both in the order of the file.
    pub(super) fn finish(self) -> Result<Vec<InputError>, Vec<InputError>> {
        let place = |e: &InputError| (e.line, e.column, e.length);
        let mut errors = self.errors;
        if !errors.is_empty() {
            errors.sort_by_key(place);
            return Err(errors);
        }
        let mut notes: Vec<_> = self
            .notes
            .into_values()
            .map(|(mut note, count)| {
                if count > 1 {
                    note.message.push_str(&format!(" ({} more like this)", count - 1));
                }
                note
            })
            .collect();
        notes.sort_by_key(place);
        Ok(notes)
    }

    /// The words of a line. Strict mode reports any spacing that htsim would trip over and reads
    /// on as if it were right; compat mode splits as htsim does, so words may be empty.
    pub(super) fn words<'a>(&mut self, line: usize, text: &'a str) -> Vec<Word<'a>> {
        if self.compat {
            let mut words = split(line, text, |c| c == ' ');
            if words.last().is_some_and(|word| word.text.is_empty()) {
                words.pop();
            }
            return words;
        }
        self.check_spacing(line, text);
        let mut words = split(line, text, |c| matches!(c, ' ' | '\t' | '\r'));
        words.retain(|word| !word.text.is_empty());
        words
    }

    fn check_spacing(&mut self, line: usize, text: &str) {
        let content = text.strip_suffix('\r').unwrap_or(text);
        let column_of = |byte: usize| content[..byte].chars().count() + 1;
        if content.len() < text.len() && !self.crlf_reported {
            self.crlf_reported = true;
            self.error(
                Place { line, column: column_of(content.len()), length: 1 },
                "lines end in CRLF: htsim accepts that after a number, and stops at it after a \
                 word or on an empty line",
                "convert the file to LF line ends, for example with `dos2unix`",
            );
        }
        if let Some(byte) = content.find('\t') {
            self.error(
                Place { line, column: column_of(byte), length: 1 },
                "a tab between words: htsim separates words by single spaces only",
                "write one space",
            );
        }
        if content.starts_with(' ') {
            let length = content.len() - content.trim_start_matches(' ').len();
            self.error(
                Place { line, column: 1, length },
                "the line starts with a space: htsim ignores such a line in the header and stops \
                 at it elsewhere",
                "remove the space",
            );
        }
        let words = content.trim_start_matches(' ');
        if let Some(byte) = words.find("  ") {
            let length = words[byte..].len() - words[byte..].trim_start_matches(' ').len();
            self.error(
                Place { line, column: column_of(content.len() - words.len() + byte), length },
                "more than one space between words: htsim takes the second for an empty word and \
                 stops",
                "write one space",
            );
        }
    }

    /// A whole number from 0 to 2 147 483 647; in compat mode whatever `std::stoi` returns, so
    /// perhaps a negative one.
    pub(super) fn integer(&mut self, word: Word<'_>, name: &str) -> Option<i32> {
        let text = word.text.escape_debug();
        match stoi(word.text) {
            Stoi::NotANumber => {
                self.error(
                    word.at,
                    format!("`{text}` is not a number"),
                    format!("give `{name}` a whole number"),
                );
                None
            }
            Stoi::OutOfRange => {
                self.error(
                    word.at,
                    format!(
                        "`{name}` is {text}, but htsim reads numbers up to 2147483647 and stops at \
                         larger ones"
                    ),
                    "give a number up to 2147483647",
                );
                None
            }
            Stoi::Value(value) => {
                // A carriage return after a number is a line end, not part of the number.
                if word.text.trim_end_matches('\r').bytes().all(|b| b.is_ascii_digit()) {
                    return Some(value);
                }
                self.strict_error(
                    "number",
                    word.at,
                    format!("`{text}` is not a plain whole number: htsim reads it as {value}"),
                    "write digits only",
                );
                self.compat.then_some(value)
            }
        }
    }
}

/// The words between separators; empty ones where separators meet. A column counts characters.
fn split(line: usize, text: &str, separator: fn(char) -> bool) -> Vec<Word<'_>> {
    let mut column = 1;
    text.split(separator)
        .map(|word| {
            let length = word.chars().count();
            let at = Place { line, column, length };
            column += length + 1;
            Word { at, text: word }
        })
        .collect()
}

/// Whether C++ `isspace` in the C locale holds.
pub(super) fn is_c_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

fn stoi(text: &str) -> Stoi {
    let trimmed = text.trim_start_matches(is_c_space);
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Stoi::NotANumber;
    }
    let end = trimmed.len() - unsigned.len() + digits;
    match trimmed[..end].parse() {
        Ok(value) => Stoi::Value(value),
        Err(_) => Stoi::OutOfRange,
    }
}

/// Reports an unknown attribute, and skips what looks like its value.
pub(super) fn unknown_attribute<'a>(
    reader: &mut Reader,
    kind: &str,
    word: Word<'a>,
    known: &[&str],
    rest: &mut std::iter::Peekable<impl Iterator<Item = Word<'a>>>,
) {
    reader.error(
        word.at,
        format!("htsim knows no {kind} attribute `{}`", word.text.escape_debug()),
        suggest(word.text, known),
    );
    rest.next_if(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
}

/// The known word a misspelt one most likely means.
pub(super) fn nearest<'k>(text: &str, known: &[&'k str]) -> Option<&'k str> {
    let text = text.to_ascii_lowercase();
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(&text, &word.to_ascii_lowercase()), *word))
        .filter(|(distance, word)| *distance <= 2 && *distance < word.len())
        .min()
        .map(|(_, word)| word)
}

/// `did you mean ..?` where a known word is near, else the words there are.
pub(super) fn suggest(text: &str, known: &[&str]) -> String {
    match nearest(text, known) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("known words: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(compat: bool, line: &str) -> Vec<&str> {
        Reader::with_compat(compat).words(1, line).iter().map(|word| word.text).collect()
    }

    #[test]
    fn compat_splits_as_getline_does() {
        assert_eq!(texts(true, ""), [""; 0]);
        assert_eq!(texts(true, "a b "), ["a", "b"]);
        assert_eq!(texts(true, " a  b"), ["", "a", "", "b"]);
        assert_eq!(texts(true, "a  "), ["a", ""]);
        assert_eq!(texts(true, "a\tb\r"), ["a\tb\r"]);
        assert_eq!(texts(false, " a  b\tc\r"), ["a", "b", "c"]);
    }

    #[test]
    fn compat_reads_numbers_as_stoi_does() {
        let read = |text| {
            let at = Place { line: 1, column: 1, length: 1 };
            Reader::with_compat(true).integer(Word { at, text }, "size")
        };
        for (text, value) in [("7", 7), ("\t +7x", 7), ("-3", -3), ("0x10", 0), ("5\r", 5)] {
            assert_eq!(read(text), Some(value), "{text}");
        }
        assert_eq!(read("2147483647"), Some(i32::MAX));
        for text in ["", "x", "2147483648", "+ 7", "--7", "\u{a0}7"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn misspelt_words_find_their_neighbours() {
        let known = ["start", "size", "id"];
        assert_eq!(nearest("strat", &known), Some("start"));
        assert_eq!(nearest("SIZE", &known), Some("size"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("7", &known), None);
    }
}
