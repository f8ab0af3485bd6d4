//! Schemes of other crates, which scenarios then name like listed ones.
//!
//! A program installs them once, before it reads a scenario. `raddle_cli::main_with` does, and gives
//! such a program the whole command line.

pub use crate::families::{AnyPlugin, Plugins};

use crate::families::FAMILIES;
use crate::scenario;
use std::fs;
use std::process;
use std::sync::LazyLock;

/// Has scenarios know these schemes, too: their words, parameters, needs and errors are as of listed
/// ones.
///
/// # Errors
/// What is wrong, a sentence each, and nothing changes: names and parameters that are taken or no
/// words, or that plugins are installed already. What a scenario means must not change while a
/// program runs.
pub fn install(plugins: Plugins) -> Result<(), Vec<String>> {
    let mut wrong = plugins.wrong().to_vec();
    for family in FAMILIES {
        let sections = scenario::sections();
        let beside =
            sections.iter().find(|own| own.family.is_some_and(|(key, _)| key == family.key));
        let keys = beside.into_iter().flat_map(|section| section.keys).map(|key| key.word);
        let taken: Vec<&str> = keys.chain(["scheme"]).collect();
        for scheme in plugins.of(family) {
            for parameter in scheme.parameters.iter().filter(|own| taken.contains(&own.name)) {
                let (name, parameter, place) = (scheme.card.name, parameter.name, family.place);
                wrong.push(format!(
                    "`{name}` has a parameter `{parameter}`, which is a key of {place}: choose \
                     another name"
                ));
            }
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let first = plugins.install();
    first.then_some(()).ok_or_else(|| vec!["plugins are installed once".to_owned()])
}

/// What tells one program with plugins from another, behind the build of Raddle: runs that are kept
/// are not taken for those of other code. Empty without plugins.
pub(crate) fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        if !Plugins::are_installed() {
            return String::new();
        }
        let code = std::env::current_exe().and_then(fs::read);
        // One that cannot be read is like no other.
        code.map_or_else(|_| format!("-p{}", process::id()), |code| format!("-{:08x}", hash(&code)))
    });
    &PROGRAM
}

/// FNV-1a, eight bytes a step.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: &[u8]| {
        let word = word.iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3)
    };
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, step) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::buffer::{BufferContext, BufferPolicy};
    use raddle_schemes::family::{Card, Plugin};
    use raddle_schemes::ids::Entropy;
    use raddle_schemes::load_balance::host::{Outgoing, PathSelector};
    use raddle_schemes::{Cx, FlowContext};

    struct Zero;

    impl PathSelector for Zero {
        fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
            Entropy(0)
        }
    }

    impl BufferPolicy for Zero {}

    raddle_schemes::parameters! {
        /// One that the section has already.
        pub struct Sized {
            /// A size.
            pub size: u32 = 1;
        }
    }

    const fn card(name: &'static str) -> Card {
        Card { name, title: "Zero", paper: "-", needs: &[], summary: "Always the same path." }
    }

    static ZERO: Card = card("zero");
    static TAKEN: Card = card("swift");
    static NO_WORD: Card = card("No word");

    fn paths(card: &'static Card) -> Plugin<FlowContext, dyn PathSelector + Send> {
        Plugin::new(card, |_| Box::new(Zero))
    }

    fn policy() -> Plugin<BufferContext, dyn BufferPolicy + Send> {
        Plugin::with(&ZERO, |_: &Sized, _| Box::new(Zero))
    }

    #[test]
    fn what_cannot_be_named_in_a_scenario_is_told_before_one_is_read() {
        let plugins = Plugins::new().with(paths(&TAKEN)).with(paths(&NO_WORD)).with(paths(&ZERO));
        let wrong = install(plugins.with(paths(&ZERO)).with(policy())).unwrap_err();
        let expected = [
            "Raddle has a scheme `swift` ([transport] congestion): choose another name",
            "`No word` cannot be the name of a scheme: a lower-case letter, then lower-case letters, \
             digits and `_`",
            "two plugins are called `zero` in [transport] load_balance",
            "`zero` has a parameter `size`, which is a key of [fabric] buffer: choose another name",
        ];
        assert_eq!(wrong, expected);
    }
}
