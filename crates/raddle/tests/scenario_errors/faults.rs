//! Faults: what breaks, how and when.

use super::more;

#[test]
fn faults_have_one_target_one_effect_and_a_time() {
    more(
        r#"[[fault]]
link = "tor0.up1"
switch = "tor0"
down = ".."
"#,
        r#""tor0" | the fault has both `link` and `switch` | make it a second fault"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
"#,
        r#"[[fault]] | the fault has no effect | add one, as in `down = "100 us..200 us"`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.upp1"
down = ".."
"#,
        r#""tor0.upp1" | no link is called `tor0.upp1` | nearest: `tor0.up1`, `tor0.up0`, `tor0.up2`"#,
    );
    more(
        r#"[[fault]]
switch = "tor99"
down = ".."
"#,
        r#""tor99" | no switch is called `tor99` | nearest: `tor9`, `tor19`, `tor29`"#,
    );
    more(
        r#"[[fault]]
host = 128
down = ".."
"#,
        r#"128 | there is no host 128 | hosts are 0 to 127"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
down = "100..200 us"
"#,
        r#""100..200 us" | wrong value for `down` | expected a number and one of the units ps, ns, us, ms, s, as in "100 us..200 us""#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
down = ["100 us..200 us", "150 us.."]
"#,
        r#""150 us.." | the times of `down` overlap or are not in order | expected a time after the one before it"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
loss = 1.5
during = "5 us..1 us"
"#,
        r#"1.5 | wrong value for `loss` | expected a probability from 0 to 1
"5 us..1 us" | wrong value for `during` | expected an end after the start"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
rate = "800 Gbps"
"#,
        r#""800 Gbps" | the rate of `tor0.up1` must be above 0 and at most its own, 400 Gbps | -"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
direction = "up"
rate = "0%"
"#,
        r#""up" | unknown word `up` for `direction` | -
"0%" | wrong value for `rate` | expected more than 0: a link without rate is `down`"#,
    );
    more(
        r#"[[fault]]
random = { share = 3, layer = "tor-agg" }
down = ".."
"#,
        r#"3 | wrong value for `share` | expected a share from 0% to 100%, as in "1%"
"tor-agg" | unknown word `tor-agg` for `layer` | nearest: `tor_agg`"#,
    );
    more(
        r#"[[fault]]
random = { share = "1%", probability = 0.01 }
down = ".."
[[fault]]
random = { probability = 1.5 }
loss = 0.1
[[fault]]
random = { probability = 1e-11 }
down = ".."
"#,
        r#"0.01 | `random` has both `share` and `probability` | a number of them, or a chance for each
1.5 | wrong value for `probability` | expected a probability from 0 to 1
{ probability = 1e-11 } | 0.00000000001 is no probability of a cable's failure; use 0, or from 2.4e-10 to 1 | -"#,
    );
    more(
        r#"[[fault]]
random = { share = "50%", of = "switch" }
down = ".."
[[fault]]
random = { share = "50%", of = "switches", layer = "tor_agg", two_way = false }
down = ".."
"#,
        r#""switch" | unknown word `switch` for `of` | nearest: `switches`
"tor_agg" | unknown word `tor_agg` for `layer` | -
two_way | `two_way` has no effect on `switches` | it goes with `cables`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
flap = { period = "10 us", down = "20 us", until = "1 ms" }
"#,
        r#"{ period = "10 us", down = "20 us", until = "1 ms" } | flapping needs a time down above 0 and below the period, and an end after the first time down | -"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
rate = "50%"
during = "1 us..9 us"
[[fault]]
link = "tor0.up1"
rate = "25%"
during = "5 us.."
"#,
        r#""25%" | faults 1 and 2 both set the rate of `tor0.up1` at 5 us | -"#,
    );
}
