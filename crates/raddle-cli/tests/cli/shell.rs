//! What the program tells shells, `man` and whoever asks which build it is.

use super::{Scratch, raddle};
use std::fs;

#[test]
fn shells_complete_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = raddle(&["completions", shell]);
        assert_eq!(said.status, 0, "{}", said.err);
        for word in ["compare", "reproduce", "metric"] {
            assert!(said.out.contains(word), "{word} for {shell}");
        }
    }
    raddle(&["completions", "bsh"]).refused(&["bash"]);
}

#[test]
fn man_has_a_page_for_each_command() {
    let said = raddle(&["man"]);
    assert!(said.status == 0 && said.out.contains(".TH raddle 1"), "{}", said.out);
    let scratch = Scratch::new("");
    let folder = scratch.text("man");
    assert_eq!(raddle(&["man", "--out", &folder]).status, 0);
    for (page, word) in [("raddle.1", "raddle\\-run(1)"), ("raddle-run.1", "\\-\\-threads")] {
        let text = fs::read_to_string(format!("{folder}/{page}")).expect("the page");
        assert!(text.contains(word), "{word} in {page}: {text}");
    }
}

#[test]
fn the_build_is_told_in_short_and_at_length() {
    let short = raddle(&["-V"]).out;
    assert!(short.starts_with("raddle 0.") && short.contains('+'), "{short}");
    let long = raddle(&["--version"]).out;
    assert!(long.starts_with(short.trim_end()), "{long}");
    for line in ["commit ", "profile ", "target ", "features "] {
        assert!(long.lines().any(|own| own.starts_with(line)), "{line} in {long}");
    }
}

#[test]
fn a_figure_gives_its_scenario() {
    let said = raddle(&["figures", "reps/fig4", "--scenario"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../figures/reps/fig4/scenario.toml");
    assert_eq!(said.out, fs::read_to_string(file).expect("the scenario"));
    raddle(&["figures", "reps/fig14", "--scenario"]).refused(&["is of a model"]);
    raddle(&["figures", "reps", "--scenario"]).refused(&["of one figure: reps/", "reps/fig4"]);
    raddle(&["figures", "--scenario"]).refused(&["<NAME>"]);
}
