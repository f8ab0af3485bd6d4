//! A scenario as a run keeps it: whole, with its seed, and the files it names beside it.

use super::Scenario;
use super::files::NamedFile;
use super::spec::quoted;
use std::sync::Arc;

/// What gives one run again, wherever it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The resolved scenario with its seed; files are named relative to it.
    pub toml: String,
    /// The files that it names.
    pub files: Vec<KeptFile>,
}

/// A file that a kept scenario names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Its path from the scenario's folder, with `/` between folders.
    pub name: String,
    /// Its contents.
    pub text: Arc<str>,
}

/// The folder of the files, apart from the run's own: a law may be called `flows.csv`.
const FOLDER: &str = "files";

impl Scenario {
    /// The run of this scenario with `seed`, as it is kept.
    pub fn kept(&self, seed: u64) -> Kept {
        let mut toml = self.resolved_toml().to_owned();
        let mut files: Vec<KeptFile> = Vec::new();
        let mut seen: Vec<&NamedFile> = Vec::new();
        for file in self.files() {
            if seen.iter().any(|other| other.path == file.path) {
                continue;
            }
            seen.push(file);
            let name = free_name(&file.name(), &files);
            toml = toml.replace(&quoted(&file.path.display().to_string()), &quoted(&name));
            files.push(KeptFile { name, text: file.text.clone() });
        }
        // The resolved scenario ends with [run].
        toml += &format!("seed = {seed}\n");
        Kept { toml, files }
    }
}

/// A place that none of `files` has; files of one name from several folders get folders of their
/// own. Case counts for nothing, as on some disks.
fn free_name(name: &str, files: &[KeptFile]) -> String {
    let taken = |path: &String| files.iter().any(|file| file.name.eq_ignore_ascii_case(path));
    let own = (2..).map(|n| format!("{FOLDER}/{n}/{name}"));
    let mut names = std::iter::once(format!("{FOLDER}/{name}")).chain(own);
    names.find(|path| !taken(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{load, parse};
    use std::path::Path;

    const LAW: &str = "size_bytes,cdf\n1000,0.5\n20000,1\n";

    #[test]
    fn a_kept_scenario_ends_with_its_seed() {
        let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
                    [traffic]\nkind = \"permutation\"\n[run]\nseed = 4\n";
        let study = parse("test", text, Path::new("."), &[]).unwrap();
        let kept = study.cells[0].scenario.kept(7);
        assert!(kept.toml.contains("\n[run]\n") && kept.toml.ends_with("\nseed = 7\n"));
        assert_eq!(kept.files, []);
        let again = parse("kept", &kept.toml, Path::new("."), &[]).unwrap();
        assert_eq!(again.seeds, [7]);
        assert_eq!(again.cells[0].scenario.hash(), study.cells[0].scenario.hash());
    }

    #[test]
    fn files_of_one_name_are_kept_apart() {
        let from = tempfile::tempdir().unwrap();
        for folder in ["a", "b"] {
            std::fs::create_dir(from.path().join(folder)).unwrap();
        }
        std::fs::write(from.path().join("a/law.csv"), LAW).unwrap();
        std::fs::write(from.path().join("b/law.csv"), LAW.replace("20000", "30000")).unwrap();
        let job = |name: &str, law: &str| {
            format!(
                "[[traffic]]\nname = \"{name}\"\nkind = \"poisson\"\nlaw = \"{law}\"\n\
                 load = 0.1\nuntil = \"10 us\"\n"
            )
        };
        let jobs = [job("one", "a/law.csv"), job("two", "b/law.csv"), job("three", "a/law.csv")];
        let fabric = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n";
        let file = from.path().join("scenario.toml");
        std::fs::write(&file, format!("{fabric}{}", jobs.concat())).unwrap();
        let scenario = load(&file, &[]).unwrap().cells.remove(0).scenario;
        let kept = scenario.kept(1);
        let names: Vec<&str> = kept.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["files/law.csv", "files/2/law.csv"]);
        assert!(!kept.toml.contains(&from.path().display().to_string()), "{}", kept.toml);
        let to = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(to.path().join("files/2")).unwrap();
        for file in &kept.files {
            std::fs::write(to.path().join(&file.name), &*file.text).unwrap();
        }
        drop(from);
        let again = parse("kept", &kept.toml, to.path(), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    }

    #[test]
    fn a_name_is_free_whatever_its_case() {
        let file = |name: &str| KeptFile { name: name.to_owned(), text: LAW.into() };
        let files = [file("files/A.csv"), file("files/2/a.csv")];
        assert_eq!(free_name("a.csv", &files), "files/3/a.csv");
        assert_eq!(free_name("b.csv", &files), "files/b.csv");
    }
}
