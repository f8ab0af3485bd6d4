//! Rows of a study that would be called by what did not run.

use super::{FABRIC, TRAFFIC, more};
use raddle::scenario::parse;
use std::path::Path;

const SWEEP: &str = "[sweep]\n\"transport.load_balance.scheme\" = [\"ops\", \"reps\"]\n";

fn condition(axis: &str, name: &str, more: &str) -> String {
    format!("[[condition]]\naxis = \"{axis}\"\nname = \"{name}\"\n{more}\n")
}

#[test]
fn a_key_is_set_on_one_axis() {
    let scheme = |set: &str| format!("{SWEEP}{}", condition("fabrics", "hashed", set));
    let marked = "\"transport.load_balance.scheme\" | `transport.load_balance.scheme` is set twice";
    more(
        &scheme("set = { \"transport.load_balance.scheme\" = \"ecmp\" }"),
        &format!(
            "{marked} | expected each key once: `ops` of `transport.load_balance.scheme` sets \
             `transport.load_balance.scheme`, too"
        ),
    );
    more(
        &scheme("set = { \"transport.load_balance\" = { scheme = \"ecmp\" } }"),
        "\"transport.load_balance\" | `transport.load_balance` is set twice | expected each key \
         once: `ops` of `transport.load_balance.scheme` sets `transport.load_balance.scheme`, too",
    );
    let whole =
        "[sweep]\n\"transport.load_balance\" = [{ scheme = \"ops\" }, { scheme = \"plb\" }]\n";
    let hashed = "set = { \"transport.load_balance.scheme\" = \"ecmp\" }";
    more(
        &format!("{whole}{}", condition("fabrics", "hashed", hashed)),
        &format!(
            "{marked} | expected each key once: `{{ scheme = \"ops\" }}` of \
             `transport.load_balance` sets `transport.load_balance.scheme`, too"
        ),
    );
    // What is swept goes with the table that held it.
    more(
        &format!(
            "[sweep]\n\"transport.load_balance.buffer\" = [4, 8]\n{}",
            condition("a", "x", "set = { \"transport.load_balance\" = { scheme = \"reps\" } }")
        ),
        "\"transport.load_balance\" | `transport.load_balance` is set twice | expected each key \
         once: `4` of `transport.load_balance.buffer` sets `transport.load_balance.buffer`, too",
    );
    let both = condition("a", "x", hashed) + &condition("b", "y", hashed);
    more(
        &both,
        &format!(
            "{marked} | expected each key once: `x` of `a` sets `transport.load_balance.scheme`, too"
        ),
    );
    let in_one = "set = { \"transport.payload\" = \"1 KiB\", transport = { payload = \"2 KiB\" } }";
    more(
        &condition("a", "x", in_one),
        "payload | `transport.payload` is set twice | `x` of `a` sets `transport.payload`, too",
    );
}

#[test]
fn faults_of_one_axis_are_not_replaced_by_another() {
    let fault = "fault = [{ link = \"tor0.up1\", down = \"1 us..\" }]";
    let none = "set = { fault = [] }";
    more(
        &(condition("a", "cut", fault) + &condition("b", "calm", none)),
        "fault | `fault` is set twice | expected each key once: `cut` of `a` sets `fault`, too",
    );
}

#[test]
fn keys_beside_each_other_and_values_of_one_axis_are_accepted() {
    let tuned = "set = { \"transport.congestion.increase\" = 2.0 }";
    let sections = [
        // A condition that only tunes what another one replaces.
        condition("workload", "quick", tuned)
            + &condition("stack", "own", "")
            + &condition("stack", "other", "set = { \"transport.congestion\" = { scheme = \"swift\" } }"),
        format!(
            "{SWEEP}{}{}",
            condition("payload", "small", "set = { \"transport.payload\" = \"1 KiB\" }"),
            condition("payload", "large", "set = { \"transport.payload\" = \"8 KiB\" }"),
        ),
        // The table first, then what it leaves open.
        "[sweep]\n\"transport.load_balance\" = [{ scheme = \"reps\" }, { scheme = \"reps\", explore = 9 }]\n\
         \"transport.load_balance.freeze_rtt\" = [2.0]\n"
            .to_owned(),
        condition("a", "x", "fault = [{ link = \"tor0.up1\", down = \"1 us..\" }]")
            + &condition("b", "y", "fault = [{ link = \"tor0.up2\", down = \"1 us..\" }]"),
    ];
    for section in sections {
        let text = format!("{FABRIC}{TRAFFIC}{section}");
        let read = parse("demo.toml", &text, Path::new("."), &[]);
        read.unwrap_or_else(|problems| panic!("{problems}"));
    }
}
