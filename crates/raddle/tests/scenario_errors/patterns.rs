//! Traffic that the fabric has no hosts for, or that its kind does not know.

use super::traffic;

#[test]
fn traffic_is_checked_against_the_fabric() {
    traffic(
        r#"[traffic]
kind = "permutations"
"#,
        r#""permutations" | unknown word `permutations` for `kind` | nearest: `permutation`"#,
    );
    traffic(
        r#"[traffic]
kind = "incast", senders = 8
"#,
        r#" | unexpected key or value, expected newline, `#` | -"#,
    );
    traffic(
        r#"[traffic]
kind = "incast"
senders = 200
receiver = 3
"#,
        r#"200 | `senders` is 200 | expected 1 to 127: all hosts but the receiver"#,
    );
    traffic(
        r#"[traffic]
kind = "poisson"
law = "websearc"
load = 0.6
until = "1 ms"
"#,
        r#""websearc" | unknown flow-size law `websearc` | nearest: `websearch`"#,
    );
    traffic(
        r#"[traffic]
kind = "poisson"
law = "websearch"
load = 60
until = "1 ms"
"#,
        r#"60 | wrong value for `load` | expected more than 0 and at most 1"#,
    );
    traffic(
        r#"[traffic]
kind = "flows"
flow = [{ from = 0, to = 0, bytes = "1 MiB" }, { from = 1, to = 128, bytes = "0 B" }, { from = 300, to = 1, bytes = "1 MiB" }]
"#,
        r#"0 | `to` is 0 | expected a host other than the source
"0 B" | `bytes` is too small | expected at least "1 B"
300 | `from` is 300 | expected a host below 128"#,
    );
    traffic(
        r#"[traffic]
kind = "flows"
"#,
        r#"[traffic] | [traffic] lacks `flow` | add `flow = [{ from = 0, to = 1, bytes = "1 MiB" }]`"#,
    );
}
