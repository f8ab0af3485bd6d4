//! Words of text formats, with their places.

use super::mistakes::{At, Mistakes};
pub(super) use crate::import::words::{nearest, suggest};

/// A word, or the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl<'a> Word<'a> {
    /// The end of a line.
    pub(super) fn end_of(line: usize) -> Self {
        Self { text: "\n", line, column: 1 }
    }

    pub(super) fn ends_line(&self) -> bool {
        self.text == "\n"
    }

    pub(super) fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    pub(super) fn at(&self) -> At {
        At::Line(self.line, self.column, self.text.chars().count())
    }

    /// As a message shows it.
    pub(super) fn shown(&self) -> String {
        let mut shown: String = self.text.chars().take(40).flat_map(char::escape_debug).collect();
        if self.text.chars().nth(40).is_some() {
            shown.push_str("..");
        }
        shown
    }
}

/// The words of a text with C's comments, each line's end among them. `{`, `}` and `:` are words.
pub(super) fn words<'a>(text: &'a str, mistakes: &mut Mistakes) -> Vec<Word<'a>> {
    let mut words = Vec::new();
    let mut comment: Option<(usize, usize)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let mut column = 1;
        let mut rest = line;
        while !rest.is_empty() {
            let length = if comment.is_some() {
                let end = rest.find("*/");
                comment = comment.filter(|_| end.is_none());
                end.map_or(rest.len(), |end| end + 2)
            } else if rest.starts_with("//") {
                rest.len()
            } else if rest.starts_with("/*") {
                comment = Some((number, column));
                2
            } else if rest.starts_with(char::is_whitespace) {
                rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
            } else {
                let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ':' | '/');
                let first = rest.chars().next().map_or(1, char::len_utf8);
                let own = rest[first..].find(ends).map_or(rest.len(), |end| first + end);
                let length = if rest.starts_with(['{', '}', ':']) { first } else { own };
                words.push(Word { text: &rest[..length], line: number, column });
                length
            };
            column += rest[..length].chars().count();
            rest = &rest[length..];
        }
        words.push(Word::end_of(number));
    }
    if let Some((line, column)) = comment {
        mistakes.error(At::Line(line, column, 2), "a comment that does not end", "add `*/`");
    }
    words
}
