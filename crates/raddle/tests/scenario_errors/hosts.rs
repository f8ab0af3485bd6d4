//! Hosts: schemes that there are not, and planners that nothing follows.

use super::{FABRIC, TRAFFIC, check, more};

#[test]
fn hosts_refuse_what_no_scheme_offers() {
    more(
        r#"[transport]
load_balance = "reps"
"#,
        r#""reps" | wrong value for `load_balance` | write `{ scheme = "reps" }`"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "repss" }
"#,
        r#""repss" | unknown scheme `repss` | nearest: `reps`"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "red" }
"#,
        r#""red" | unknown scheme `red` | not one of the host load balancers"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "ops", entropies = 0 }
"#,
        r#"0 | wrong value for `entropies` | expected at least 1 and at most 65536"#,
    );
    more(
        r#"[transport]
payload = "80 KiB"
"#,
        r#""80 KiB" | `payload` is too large | expected at most 65535 B"#,
    );
    more(
        r#"[transport]
payload = "0 B"
"#,
        r#""0 B" | `payload` is too small | expected at least "1 B""#,
    );
}

#[test]
fn a_planner_needs_switches_that_follow_routes_and_flows_that_follow_it() {
    more(
        "[transport]\nplanner = { scheme = \"ethereal\" }\n",
        "\"ethereal\" | `ethereal` in [transport] planner needs source routing, which `ecmp` in \
         [fabric] load_balance does not offer | -",
    );
    let follows = "load_balance = { scheme = \"source_route\" }\n";
    check(
        &format!(
            "{}{follows}[transport]\nload_balance = {{ scheme = \"planned\" }}\n{}",
            FABRIC, TRAFFIC
        ),
        "\"planned\" | `planned` in [transport] load_balance needs a planner of paths, which \
         [transport] does not offer | -",
    );
    check(
        &format!(
            "{}{follows}[transport]\nplanner = {{ scheme = \"ethereal\" }}\n\
             load_balance = {{ scheme = \"ops\" }}\n{}",
            FABRIC, TRAFFIC
        ),
        "\"ethereal\" | `ethereal` in [transport] planner has no effect: no flow follows it | \
         [transport] load_balance is `ops`",
    );
    more(
        "[transport]\nplanner = { scheme = \"etherial\" }\n",
        "\"etherial\" | unknown scheme `etherial` | nearest: `ethereal`",
    );
    more(
        "[transport]\nturns = \"randomly\"\n",
        "\"randomly\" | unknown word `randomly` for `turns` | nearest: `random`",
    );
    more(
        "[transport]\nhost_queue = \"4 kB\"\n",
        "\"4 kB\" | `host_queue` is too small | expected at least 4160 B, a full packet",
    );
    more(
        "[transport]\nhost_queue = \"1 MB\"\nturns = \"random\"\n",
        "\"1 MB\" | `host_queue` needs flows that take turns | leave out `turns`: packets go as \
         they have come into the queue",
    );
}
