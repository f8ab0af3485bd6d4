//! Texts that are no TOML, keys that are missing, misspelt or of another kind.

use super::{check, fabric, more};

#[test]
fn toml_syntax_errors_are_shown_where_they_are() {
    check(
        r#"[fabric
topology = 1
[traffic]
kind = "permutation"
"#,
        r#" | unclosed table, expected `]` | -"#,
    );
    fabric(
        r#"[fabric]
topology = { kind = "fat_tree", hosts = 128 }
"#,
        r#"fabric | duplicate key | -
topology | duplicate key | -"#,
    );
}

#[test]
fn missing_and_misspelt_keys_are_named() {
    check(
        r#""#,
        r#" | the scenario lacks [traffic] | add [traffic] with a `kind`, as in `kind = "permutation"`
 | [fabric] lacks `topology` | add `topology = { kind = "fat_tree", hosts = 128 }`"#,
    );
    check(
        r#"[fabric]
topology = { kind = "fat_tree", hosts = 128 }
"#,
        r#" | the scenario lacks [traffic] | add [traffic] with a `kind`, as in `kind = "permutation"`"#,
    );
    more(
        r#"[trafic]
x = 1
"#,
        r#"trafic | unknown key `trafic` in the scenario | nearest: `traffic`"#,
    );
    check(
        r#"fabric = 3
[traffic]
kind = "permutation"
"#,
        r#"3 | wrong value for `[fabric]` | expected a table, as in `{ key = value }`"#,
    );
    check(
        r#"[fabric]
gap = "20 B"
[traffic]
kind = "permutation"
"#,
        r#"[fabric] | [fabric] lacks `topology` | add `topology = { kind = "fat_tree", hosts = 128 }`"#,
    );
    fabric(
        r#"gap = 20
"#,
        r#"20 | wrong value for `gap` | expected a text with a unit, as in "4096 B""#,
    );
    fabric(
        r#"gapp = "20 B"
"#,
        r#"gapp | unknown key `gapp` in [fabric] | nearest: `gap`"#,
    );
}
