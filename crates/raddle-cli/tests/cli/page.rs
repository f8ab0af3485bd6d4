//! A page of the book, followed to the letter: its files are written, its commands run, and what they
//! print is what the page shows.
//!
//! - A block whose first line is a comment with a file's name, `# a.toml`, is that file; with
//!   `# a.toml, at its end` it is added to it. A path from the root of the repository,
//!   `// examples/plugins/src/fickle.rs`, is a file that is there, and has these lines.
//! - In a block `console`, lines that begin with `$ ` are commands, and below each is what it prints.
//!   `...` stands for any characters, on a line of its own for any lines. All commands end well.
//!
//! Commands run in a folder `mine` beside `data`, `examples` and `scenarios`, as in a clone.
//! `UPDATE=1` writes what was printed into the page.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What a command begins with, and what runs in its place.
pub(crate) type Program<'a> = (&'a str, &'a str);

/// Programs that are there wherever the tests are.
const COMMON: [&str; 9] = ["cat ", "cc ", "cp ", "cut ", "grep ", "head ", "printf ", "sed ", "./"];

/// Follows a page of `docs`; the commands that begin otherwise than `programs` and common ones are
/// another test's.
///
/// # Errors
/// Where the page does not say what happens.
pub(crate) fn follow(root: &Path, page: &str, programs: &[Program<'_>]) -> Result<(), String> {
    let path = root.join("docs").join(page);
    let text = fs::read_to_string(&path).map_err(|error| format!("{page}: {error}"))?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mine = scratch.path().join("mine");
    fs::create_dir(&mine).map_err(|error| error.to_string())?;
    for folder in ["data", "examples", "scenarios"] {
        let link = std::os::unix::fs::symlink(root.join(folder), scratch.path().join(folder));
        link.map_err(|error| error.to_string())?;
    }
    let mut reader =
        Reader { root, mine: &mine, programs, shown: String::new(), wrong: Vec::new() };
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        reader.show(line);
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut body = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("```")) {
            body.push(line);
        }
        reader.block(&format!("docs/{page}:{}", number + 1), info, &body);
        let (_, end) = lines.next().ok_or_else(|| format!("{page}: a block is not closed"))?;
        reader.show(end);
    }
    if reader.wrong.is_empty() {
        return Ok(());
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &reader.shown).map_err(|error| format!("{page}: {error}"))?;
    }
    Err(reader.wrong.join("\n"))
}

struct Reader<'a> {
    root: &'a Path,
    mine: &'a Path,
    programs: &'a [Program<'a>],
    /// The page as it would be right.
    shown: String,
    wrong: Vec<String>,
}

impl Reader<'_> {
    fn show(&mut self, line: &str) {
        self.shown.push_str(line);
        self.shown.push('\n');
    }

    fn block(&mut self, place: &str, info: &str, body: &[&str]) {
        if info == "console" {
            return self.session(place, body);
        }
        body.iter().for_each(|line| self.show(line));
        if let Some((name, added)) = body.first().and_then(|line| file_name(line)) {
            let done = self.file(name, added, &format!("{}\n", body.join("\n")));
            self.wrong.extend(done.err().map(|error| format!("{place}: {name}: {error}")));
        }
    }

    fn file(&self, name: &str, added: bool, text: &str) -> Result<(), String> {
        if name.contains('/') {
            let there = self.root.join(name);
            let there = fs::read_to_string(there).map_err(|error| error.to_string())?;
            let (_, lines) = text.split_once('\n').unwrap_or_default();
            return match there.contains(lines.trim_start()) {
                true => Ok(()),
                false => Err("the repository's has other lines".to_owned()),
            };
        }
        let path = self.mine.join(name);
        let before = if added { fs::read_to_string(&path) } else { Ok(String::new()) };
        let before = before.map_err(|error| error.to_string())?;
        fs::write(path, before + text).map_err(|error| error.to_string())
    }

    fn session(&mut self, place: &str, body: &[&str]) {
        let mut lines = body.iter().peekable();
        while let Some(line) = lines.next() {
            self.show(line);
            let Some(command) = line.strip_prefix("$ ") else {
                self.wrong.push(format!("{place}: `{line}` is below no command"));
                continue;
            };
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                let more = lines.next().copied().unwrap_or_default();
                self.show(more);
                command.push('\n');
                command.push_str(more);
            }
            let mut expected = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                expected.push(*line);
            }
            let Some(command) = self.runnable(&command) else {
                expected.iter().for_each(|line| self.show(line));
                continue;
            };
            let (ok, said) = run(&command, self.mine);
            if !ok {
                self.wrong.push(format!("{place}: `{command}` fails:\n{said}"));
            }
            let said = said.lines().map(str::trim_end).filter(|line| !is_progress(line));
            let said: Vec<&str> = said.collect();
            if alike(&expected, &said) {
                expected.iter().for_each(|line| self.show(line));
            } else {
                let said_text = said.join("\n");
                self.wrong.push(format!("{place}: `{command}` prints\n{said_text}"));
                said.iter().for_each(|line| self.show(&steady(line)));
            }
        }
    }

    /// The command with what runs in its program's place, if it is this test's.
    fn runnable(&self, command: &str) -> Option<String> {
        if COMMON.iter().any(|common| command.starts_with(common)) {
            return Some(command.to_owned());
        }
        self.programs.iter().find_map(|(program, own)| {
            command.strip_prefix(program).map(|rest| format!("'{own}'{rest}"))
        })
    }
}

/// The file that a first line names, and whether the block is added to it.
fn file_name(line: &str) -> Option<(&str, bool)> {
    let comment = ["# ", "// "].iter().find_map(|mark| line.strip_prefix(mark))?;
    let (name, added) = match comment.strip_suffix(", at its end") {
        Some(name) => (name, true),
        None => (comment, false),
    };
    let is_name = !name.contains(' ') && name.rsplit('.').next().is_some_and(|end| end.len() < 5);
    (is_name && name.contains('.')).then_some((name, added))
}

/// Whether it ends well, and what it prints.
fn run(command: &str, folder: &Path) -> (bool, String) {
    let whole = format!("{{\n{command}\n}} 2>&1");
    let output = Command::new("sh").args(["-c", &whole]).current_dir(folder).output();
    match output {
        Ok(output) => {
            (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(error) => (false, error.to_string()),
    }
}

/// Whether a line tells how far a long command is, as some do on slow machines.
fn is_progress(line: &str) -> bool {
    line.split_once(" %  ").is_some_and(|(done, _)| done.trim().parse::<u32>().is_ok())
}

/// What differs by machine, build and hour: what stands between these, or behind the first of them.
const UNSTEADY: [(&str, &str); 7] = [
    ("packet-hops: ", " MB"),
    (" in ", " elapsed"),
    ("peak memory      ", " MB"),
    (".toml   ", ", "),
    (" rows, ", " kB"),
    (".html (", " kB"),
    ("-v0", ""),
];

/// The line with `...` in place of that.
fn steady(line: &str) -> String {
    UNSTEADY.iter().fold(line.to_owned(), |line, (before, behind)| {
        let cut = line.split_once(before).and_then(|(head, rest)| {
            let tail = if behind.is_empty() { "" } else { &rest[rest.find(behind)?..] };
            Some(format!("{head}{before}...{tail}"))
        });
        cut.unwrap_or(line)
    })
}

/// Whether lines are as expected, where `...` stands for anything.
fn alike(expected: &[&str], said: &[&str]) -> bool {
    match expected.split_first() {
        None => said.is_empty(),
        Some((&"...", rest)) => (0..=said.len()).any(|from| alike(rest, &said[from..])),
        Some((line, rest)) => {
            said.first().is_some_and(|own| matches(line, own)) && alike(rest, &said[1..])
        }
    }
}

/// Whether a line is as expected, where `...` stands for any characters.
fn matches(expected: &str, line: &str) -> bool {
    match expected.split_once("...") {
        None => expected == line,
        Some((before, rest)) => line.strip_prefix(before).is_some_and(|line| {
            line.char_indices()
                .map(|(at, _)| at)
                .chain([line.len()])
                .any(|at| matches(rest, &line[at..]))
        }),
    }
}
