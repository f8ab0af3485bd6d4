//! `kind = "rail"`: servers of several GPUs, whose NICs of one number are at one leaf.

use super::kind::{Kind, Made};
use super::{COMMON, LINK_DELAY, RATE, SWITCH_DELAY, UPLINK_DELAY, UPLINK_RATE, pair};
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::rail::{self, Rail};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: RailKeys = Section::kind(rail::KIND.name, rail::KIND.summary).with(COMMON) => {
        servers: Whole, (required 4) [>= 1],
            "servers";
        gpus: Whole, (= 8) [>= 1],
            "GPUs of each, with a NIC each. Host number is server x `gpus` + GPU, and NIC i is at the switch `rail<i>`";
        spines: Whole, (required 4),
            "switches above the rails, each with a cable to each of them. With 0 rails are apart, and a message between them is an error before the run";
        rate => RATE;
        uplink_rate => UPLINK_RATE;
        uplink_delay => UPLINK_DELAY;
        link_delay => LINK_DELAY;
        switch_delay => SWITCH_DELAY;
    }
}

pub(super) const KIND: Kind = Kind { section: RailKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, _: &Files) -> Option<Made> {
    let [servers, gpus] = [&KEYS.servers, &KEYS.gpus].map(|key| reader.at_least(key));
    let spines: Option<u32> = reader.need(&KEYS.spines);
    let (rate, link_delay) = (reader.or(&KEYS.rate), reader.or(&KEYS.link_delay));
    let switch_delay = reader.or(&KEYS.switch_delay);
    let uplink_rate = reader.get(&KEYS.uplink_rate).unwrap_or(rate);
    let uplink_delay = reader.get(&KEYS.uplink_delay).unwrap_or(link_delay);
    let (servers, gpus, spines) = (servers?, gpus?, spines?);
    let rails = if gpus == 1 { "1 rail".to_owned() } else { format!("{gpus} rails") };
    let above = match spines {
        0 => "apart".to_owned(),
        1 => "under a spine".to_owned(),
        spines => format!("under {spines} spines"),
    };
    Some(Made {
        lines: vec![
            pair("servers", &servers),
            pair("gpus", &gpus),
            pair("spines", &spines),
            pair("rate", &rate),
            pair("uplink_rate", &uplink_rate),
            pair("uplink_delay", &uplink_delay),
            pair("link_delay", &link_delay),
            pair("switch_delay", &switch_delay),
        ],
        title: format!("{servers} servers on {rails} {above}"),
        rate: Some(rate),
        file: None,
        shape: Arc::new(Rail {
            servers,
            gpus,
            spines,
            rate,
            link_delay,
            uplink_rate,
            uplink_delay,
            switch_delay,
        }),
    })
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Study, parse};
    use std::path::Path;

    fn study(spines: u32, flow: &str) -> Study {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"rail\", servers = 4, gpus = 4, spines = {spines} }}\n\
             [[traffic]]\nname = \"step\"\nkind = \"flows\"\nflow = [{flow}]\n"
        );
        let problems = |problems: crate::problem::Problems| problems.render(false);
        parse("t.toml", &text, Path::new("."), &[]).map_err(problems).unwrap()
    }

    const ON_A_RAIL: &str = "{ from = 1, to = 5, bytes = \"1 MiB\" }";
    const ACROSS: &str = "{ from = 1, to = 6, bytes = \"1 MiB\" }";

    #[test]
    fn rails_alone_carry_what_stays_on_them() {
        let scenario = &study(0, ON_A_RAIL).cells[0].scenario;
        assert!(scenario.resolve(1).is_ok());
        let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
        let refused = study(0, ACROSS).cells[0].scenario.resolve(1).unwrap_err();
        assert_eq!(refused.message, "no way leads from `host1` to `host6`, for `step`");
        assert!(study(1, ACROSS).cells[0].scenario.resolve(1).is_ok());
    }
}
