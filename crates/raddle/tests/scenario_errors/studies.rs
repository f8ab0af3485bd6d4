//! Records, runs, sweeps and conditions.

use super::more;

#[test]
fn records_and_runs_are_checked() {
    more(
        r#"[record]
ports = ["tor0.upp*"]
"#,
        r#""tor0.upp*" | no port is called `tor0.upp*` | nearest: `tor0.up0`"#,
    );
    more(
        r#"[run]
seed = -1
end = "0 ns"
"#,
        r#"-1 | wrong value for `seed` | expected a whole number that is not negative and fits
"0 ns" | the run would end before it starts | expected a time, as in "1 ms", or "never""#,
    );
}

#[test]
fn sweeps_and_conditions_are_checked_cell_by_cell() {
    more(
        r#"[sweep]
"transport.load_balance.scheme" = ["ops", "resp"]
"#,
        r#""resp" | unknown scheme `resp` | nearest: `reps`"#,
    );
    more(
        r#"[sweep]
"transport.load_balanc.scheme" = ["ops", "reps"]
"#,
        r#""transport.load_balanc.scheme" | unknown key `load_balanc` in [transport] | nearest: `load_balance`"#,
    );
    more(
        r#"[sweep]
"trnsport.payload" = ["1 KiB"]
seed = "5..1"
"#,
        r#""trnsport.payload" | no scenario has a value at `trnsport.payload` | nearest: `transport`
"5..1" | wrong value for `seed` | expected seeds, each once, as in "1..5" (both included) or [1, 7]"#,
    );
    more(
        r#"[sweep]
"transport.payload" = "1 KiB"
"#,
        r#""1 KiB" | `transport.payload` is swept over nothing | expected a list of values, as in [1, 2]"#,
    );
    more(
        r#"[sweep]
"transport.payload" = ["1 KiB", "1 KiB"]
"#,
        r#""1 KiB" | `1 KiB` occurs twice | expected each value of `transport.payload` once"#,
    );
    more(
        r#"[sweep]
"transport.payload" = ["1 KiB", "2 KiB"]
transport.payload = ["4 KiB"]
"#,
        r#"payload | `transport.payload` is swept twice | expected each path once"#,
    );
    more(
        r#"[[condition]]
name = "healthy"
[[condition]]
fault = [{ link = "tor9.up9", down = ".." }]
"#,
        r#"[[condition]] | [[condition]] lacks `name` | add `name = "healthy"`"#,
    );
    more(
        r#"[[condition]]
name = "slow"
fault = [{ link = "tor9.up9", rate = "50%" }]
set = { "transport.paylod" = "1 KiB" }
"#,
        r#""tor9.up9" | no link is called `tor9.up9` | nearest: `tor9.up0`, `tor9.up1`, `tor9.up2`
"transport.paylod" | unknown key `paylod` in [transport] | nearest: `payload`"#,
    );
}
