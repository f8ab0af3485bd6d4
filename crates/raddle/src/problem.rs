//! What is wrong with a user's input: where, why, and what would be right.
//!
//! Problems are collected, never thrown one at a time: a user sees all of them in one go, each with
//! its file, line and column, and the nearest valid word.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One mistake.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Problem {
    /// What is wrong, in one line.
    pub message: String,
    /// The file it is in; `None` where no file is to blame.
    pub file: Option<PathBuf>,
    /// The bytes of the file's text that are to blame.
    pub span: Option<Range<usize>>,
    /// What stands under the marked text: usually what would be right.
    pub label: Option<String>,
    /// Further lines: accepted values, where to read more.
    pub help: Vec<String>,
}

/// A text that problems point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that problems use for it.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
}

/// All mistakes of one input, with the texts they point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The mistakes, in the order of the input.
    pub list: Vec<Problem>,
    /// The texts; the first is the input itself.
    pub sources: Vec<Source>,
}

/// So many problems of one kind are shown one by one; more of them are one message.
const MOST_ALIKE: usize = 6;
/// So many messages are shown; the others are counted.
const MOST_KINDS: usize = 20;
/// Lines named of the problems that are one message.
const LINES_SHOWN: usize = 8;

/// A message without what stands in quotes, and without numbers.
fn kind(message: &str) -> String {
    let unquoted: String = message.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let mut kind = String::new();
    for c in unquoted.chars() {
        match c {
            '0'..='9' if kind.ends_with('0') => {}
            '0'..='9' => kind.push('0'),
            c => kind.push(c),
        }
    }
    kind
}

/// Where the lines of a text begin, found once for all the mistakes in it.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The number of characters in a line, counted from 1.
    pub(crate) fn length(&self, line: usize) -> usize {
        self.line(line).1.chars().count()
    }

    /// Where a line begins, and the line without its end.
    fn line(&self, line: usize) -> (usize, &'a str) {
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        (start, self.text[start..].lines().next().unwrap_or(""))
    }

    /// A mistake at a place, as line-based parsers report it: `line` and `column` count from 1, the
    /// column and `length` in characters. A place outside the text marks its end.
    pub(crate) fn problem(
        &self,
        file: &Path,
        (line, column, length): (usize, usize, usize),
        message: impl Into<String>,
    ) -> Problem {
        let (start, rest) = self.line(line);
        let offset = |chars: usize| rest.char_indices().nth(chars).map_or(rest.len(), |(i, _)| i);
        let from = column.saturating_sub(1);
        Problem {
            file: Some(file.to_path_buf()),
            span: Some(start + offset(from)..start + offset(from + length)),
            ..Problem::new(message)
        }
    }
}

impl Problem {
    /// A mistake that no text is to blame for.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// A mistake at a place of a text, as line-based parsers report it: `line` and `column` count
    /// from 1, the column and `length` in characters. A place outside the text marks its end.
    pub fn at_line(
        file: &Path,
        text: &str,
        (line, column, length): (usize, usize, usize),
        message: impl Into<String>,
    ) -> Self {
        Lines::new(text).problem(file, (line, column, length), message)
    }

    /// The problem with a label under its marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The problem with one more line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

impl Problems {
    /// One problem whose text is `source`.
    pub fn one(problem: Problem, source: Option<Source>) -> Self {
        Self { list: vec![problem], sources: source.into_iter().collect() }
    }

    /// The report for people: every problem with its line, those of one kind as one if they are many,
    /// then one line that counts them.
    ///
    /// `coloured` adds terminal escape codes.
    pub fn render(&self, coloured: bool) -> String {
        let mut out = String::new();
        let kinds = self.kinds();
        for kind in kinds.iter().take(MOST_KINDS) {
            match &kind[..] {
                [first, others @ ..] if kind.len() > MOST_ALIKE => {
                    let problem = (*first).clone().help(self.more(others));
                    out.push_str(&self.render_one(&problem, coloured));
                    out.push_str("\n\n");
                }
                all => {
                    for problem in all {
                        out.push_str(&self.render_one(problem, coloured));
                        out.push_str("\n\n");
                    }
                }
            }
        }
        let hidden: usize = kinds.iter().skip(MOST_KINDS).map(Vec::len).sum();
        if hidden > 0 {
            out.push_str(&format!("and {hidden} more problems\n\n"));
        }
        out.push_str(&self.summary());
        out.push('\n');
        out
    }

    /// Problems of one kind together if they are many: in one file, and alike but for what stands in
    /// quotes and for numbers. In the order of each kind's first.
    fn kinds(&self) -> Vec<Vec<&Problem>> {
        let mut places: HashMap<(Option<&Path>, String), usize> = HashMap::new();
        let mut kinds: Vec<Vec<&Problem>> = Vec::new();
        for problem in &self.list {
            let key = (problem.file.as_deref(), kind(&problem.message));
            let place = *places.entry(key).or_insert(kinds.len());
            match kinds.get_mut(place) {
                Some(kind) => kind.push(problem),
                None => kinds.push(vec![problem]),
            }
        }
        // Few of a kind stay where they are in the text.
        let apart = |kind: Vec<_>| -> Vec<Vec<_>> {
            if kind.len() > MOST_ALIKE {
                vec![kind]
            } else {
                kind.into_iter().map(|problem| vec![problem]).collect()
            }
        };
        let mut kinds: Vec<Vec<&Problem>> = kinds.into_iter().flat_map(apart).collect();
        let file = |problem: &Problem| {
            self.sources.iter().position(|source| Some(&source.path) == problem.file.as_ref())
        };
        let start = |problem: &Problem| problem.span.as_ref().map(|span| span.start);
        kinds.sort_by_key(|kind| kind.first().map(|first| (file(first), start(first))));
        kinds
    }

    /// How many `others` of a kind there are, and where the first of them are.
    fn more(&self, others: &[&Problem]) -> String {
        let line = |problem: &&Problem| {
            let source = self.sources.iter().find(|s| Some(&s.path) == problem.file.as_ref())?;
            let start = within(problem.span.as_ref()?, &source.text).start;
            Some((source.text[..start].matches('\n').count() + 1).to_string())
        };
        let lines: Vec<String> = others.iter().take(LINES_SHOWN).filter_map(line).collect();
        let more = format!("{} more like this", others.len());
        if lines.is_empty() {
            return more;
        }
        let dots = if others.len() > LINES_SHOWN { ", .." } else { "" };
        format!("{more}, in lines {}{dots}", lines.join(", "))
    }

    /// The last line of the report: `4 problems in demo.toml; nothing was run`.
    pub fn summary(&self) -> String {
        let count = self.list.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        let input = self.sources.first().map(|source| source.path.as_path());
        let file = input.or_else(|| self.list.iter().find_map(|problem| problem.file.as_deref()));
        let place = file.map_or_else(String::new, |file| format!(" in {}", file.display()));
        format!("{count} {noun}{place}; nothing was run")
    }

    fn render_one(&self, problem: &Problem, coloured: bool) -> String {
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        let mut group = Group::with_title(Level::ERROR.primary_title(problem.message.as_str()));
        let mut gutter = 0;
        let source = problem
            .file
            .as_ref()
            .and_then(|file| self.sources.iter().find(|source| &source.path == file));
        if let (Some(source), Some(span)) = (source, &problem.span) {
            let span = within(span, &source.text);
            let annotation =
                AnnotationKind::Primary.span(span.clone()).label(problem.label.as_deref());
            let path = source.path.display().to_string();
            group = group.element(Snippet::source(&*source.text).path(path).annotation(annotation));
            gutter = gutter_padding(&source.text, &span);
        } else if let Some(file) = &problem.file {
            group = group.element(annotate_snippets::Origin::path(file.display().to_string()));
        }
        for help in &problem.help {
            group = group.element(Level::NOTE.no_name().message(help.as_str()));
        }
        tidy(&renderer.render(&[group]), gutter)
    }
}

/// `span` cut to the text and to character boundaries, as the renderer demands.
fn within(span: &Range<usize>, text: &str) -> Range<usize> {
    let floor = |mut i: usize| {
        i = i.min(text.len());
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let start = floor(span.start);
    start..floor(span.end).max(start)
}

/// Spaces to add before each line so that the line numbers of one file line up.
fn gutter_padding(text: &str, span: &Range<usize>) -> usize {
    let digits = |n: usize| n.max(1).ilog10() as usize + 1;
    let last_marked = text[..span.end].lines().count();
    digits(text.lines().count()).max(2).saturating_sub(digits(last_marked))
}

/// Indents all lines but the title, and leaves out the empty gutter line before notes.
fn tidy(rendered: &str, gutter: usize) -> String {
    let lines: Vec<&str> = rendered.lines().collect();
    let bare = |line: &str| anstream::adapter::strip_str(line).to_string();
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let note_next = lines.get(i + 1).is_some_and(|next| bare(next).trim().starts_with("= "));
        if note_next && bare(line).trim() == "|" {
            continue;
        }
        if i > 0 {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', gutter));
        }
        out.push_str(line.trim_end());
    }
    out
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn demo(text: &str, problem: Problem) -> Problems {
        let path = PathBuf::from("demo.toml");
        Problems::one(
            Problem { file: Some(path.clone()), ..problem },
            Some(Source { path, text: text.to_owned() }),
        )
    }

    #[test]
    fn a_problem_shows_its_line_its_label_and_its_help() {
        let text = "[transport]\nload_balance = { scheme = \"repss\" }\n";
        let problem = Problem { span: Some(38..45), ..Problem::new("unknown scheme `repss`") }
            .label("nearest: `reps`")
            .help("host load balancers: ecmp, ops, reps (`raddle schemes`)");
        let expected = "\
error: unknown scheme `repss`
  --> demo.toml:2:27
   |
 2 | load_balance = { scheme = \"repss\" }
   |                           ^^^^^^^ nearest: `reps`
   = host load balancers: ecmp, ops, reps (`raddle schemes`)

1 problem in demo.toml; nothing was run
";
        assert_eq!(demo(text, problem.clone()).render(false), expected);
        let coloured = demo(text, problem).render(true);
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), expected);
        assert!(coloured.contains("\u{1b}["));
    }

    #[test]
    fn a_line_and_column_become_a_span() {
        let text = "nodes 4\nübel x\nlast";
        let span = |place| Problem::at_line(Path::new("f"), text, place, "m").span.unwrap();
        assert_eq!(&text[span((2, 1, 4))], "übel");
        assert_eq!(&text[span((2, 6, 1))], "x");
        assert_eq!(span((9, 1, 3)), text.len()..text.len());
        assert_eq!(&text[span((3, 2, 99))], "ast");
    }

    #[test]
    fn twenty_thousand_mistakes_of_one_kind_are_one_message_with_a_count() {
        let text: String = (0..20_000).map(|i| format!("lnk a{i}\n")).collect();
        let path = PathBuf::from("graph.txt");
        let lines = Lines::new(&text);
        let mistake = |i: usize| {
            let problem = lines.problem(&path, (i + 1, 1, 3), format!("no statement `lnk{i}`"));
            problem.help("statements: host, switch, link")
        };
        let list: Vec<Problem> = (0..20_000).map(mistake).collect();
        let problems =
            Problems { list, sources: vec![Source { path: path.clone(), text: text.clone() }] };
        let rendered = problems.render(false);
        assert!(rendered.lines().count() < 12, "{rendered}");
        let more = "= 19999 more like this, in lines 2, 3, 4, 5, 6, 7, 8, 9, ..";
        assert!(rendered.contains("lnk0") && rendered.contains(more), "{rendered}");
        assert!(rendered.ends_with("20000 problems in graph.txt; nothing was run\n"), "{rendered}");
    }

    #[test]
    fn few_mistakes_of_one_kind_are_shown_one_by_one() {
        let list = (0..6).map(|i| Problem::new(format!("unknown key `k{i}`"))).collect();
        let rendered = Problems { list, sources: Vec::new() }.render(false);
        assert!((0..6).all(|i| rendered.contains(&format!("`k{i}`"))), "{rendered}");
    }

    #[test]
    fn a_span_outside_the_text_is_cut() {
        let rendered =
            demo("ü", Problem { span: Some(1..99), ..Problem::new("cut") }).render(false);
        assert!(rendered.starts_with("error: cut\n  --> demo.toml:1:1"), "{rendered}");
    }

    #[test]
    fn a_problem_without_a_place_is_just_its_message() {
        let problems = Problems::one(Problem::new("cannot read it").help("check the path"), None);
        let rendered = problems.render(false);
        assert!(rendered.starts_with("error: cannot read it\n"), "{rendered}");
        assert!(rendered.contains("= check the path"), "{rendered}");
        assert!(rendered.ends_with("1 problem; nothing was run\n"), "{rendered}");
    }
}
