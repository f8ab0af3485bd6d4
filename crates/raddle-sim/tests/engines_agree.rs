//! Both engines give the same outcomes, bit for bit, whatever the width of the windows.

mod common;
mod random;

use common::agree::trouble;
use proptest::prelude::*;

/// How many plans, unless `PROPTEST_CASES` says otherwise: about a minute on one core.
const CASES: u32 = 25_000;
/// Most decisions a plan takes from its list; more of them take the first option.
const NUMBERS: usize = 160;

#[expect(clippy::disallowed_methods, reason = "the number of cases is a setting of the test run")]
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: cases.unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// A failure prints the shortest list of numbers that fails; `random::plan` makes its plan again.
    #[test]
    fn engines_agree_on_random_plans(numbers in prop::collection::vec(any::<u32>(), 0..NUMBERS)) {
        let plan = random::plan(&numbers);
        if let Some(trouble) = trouble(&plan) {
            prop_assert!(false, "replay with\n    &{numbers:?},\n{trouble}\n{plan:?}");
        }
    }
}
