//! A scheme's answers depend on its events and its own random stream, and on nothing else.

mod driver;

use driver::{Answers, Paths, Queue, Window};
use raddle_schemes::congestion::powertcp;
use raddle_schemes::units::{Span, Time};
use raddle_schemes::{congestion, load_balance::host, marking};

/// Of each variant of a scheme.
const STEPS: u32 = 5_000;
/// Of each scheme whose answers are pinned.
const PINNED_STEPS: u32 = 20_000;

fn paths(config: &host::Config, seed: u64, start: Time, steps: u32) -> Answers {
    let mut scheme = config.build(&driver::flow_context(false));
    Paths::new(seed, start).run(&mut scheme, steps)
}

fn windows(config: &congestion::Config, seed: u64, start: Time, steps: u32) -> Answers {
    let mut scheme = config.build(&driver::flow_context(false));
    Window::new(seed, start).run(&mut scheme, steps)
}

fn marks(config: &marking::Config, seed: u64, start: Time, steps: u32) -> Answers {
    let scheme = config.build(&driver::queue_base());
    Queue::new(seed, start).run(&scheme, steps)
}

#[test]
fn the_same_events_and_seed_give_the_same_answers_at_any_hour() {
    let later = Time::ZERO + Span::ms(777) + Span(1);
    for config in driver::path_configs() {
        assert_eq!(
            paths(&config, 5, Time::ZERO, STEPS),
            paths(&config, 5, later, STEPS),
            "{config:?}"
        );
    }
    for config in driver::congestion_configs().into_iter().filter(|own| !reads_the_clock(own)) {
        assert_eq!(
            windows(&config, 5, Time::ZERO, STEPS),
            windows(&config, 5, later, STEPS),
            "{config:?}"
        );
    }
    for config in driver::marking_configs() {
        assert_eq!(
            marks(&config, 5, Time::ZERO, STEPS),
            marks(&config, 5, later, STEPS),
            "{config:?}"
        );
    }
}

/// Whether a flow's answers depend on when it starts, as they do in the code that it follows: its
/// first ACK is compared with a record of nothing, at time zero.
fn reads_the_clock(config: &congestion::Config) -> bool {
    let congestion::Config::Powertcp(powertcp::Config { profile, first_ack, .. }) = config else {
        return false;
    };
    first_ack.map_or(*profile == powertcp::Profile::Ns3, |own| own == powertcp::FirstAck::Counted)
}

#[test]
fn flows_do_not_hear_of_each_other() {
    let context = driver::flow_context(false);
    for config in driver::path_configs() {
        let mut flows = [6, 7].map(|seed| (config.build(&context), Paths::new(seed, Time::ZERO)));
        for _ in 1..STEPS {
            flows.iter_mut().for_each(|(scheme, course)| _ = course.step(scheme));
        }
        let together = flows.map(|(mut scheme, mut course)| course.run(&mut scheme, 1));
        assert_eq!(
            together,
            [6, 7].map(|seed| paths(&config, seed, Time::ZERO, STEPS)),
            "{config:?}"
        );
    }
    for config in driver::congestion_configs() {
        let mut flows = [6, 7].map(|seed| (config.build(&context), Window::new(seed, Time::ZERO)));
        for _ in 1..STEPS {
            flows.iter_mut().for_each(|(scheme, course)| _ = course.step(scheme));
        }
        let together = flows.map(|(mut scheme, mut course)| course.run(&mut scheme, 1));
        assert_eq!(
            together,
            [6, 7].map(|seed| windows(&config, seed, Time::ZERO, STEPS)),
            "{config:?}"
        );
    }
}

/// Answers that no change of compiler, platform or code may move unless the scheme is meant to
/// change; then this table tells the reviewer so.
const PINNED: &[(&str, u64)] = &[
    ("ecmp", 0x863a_771a_60ad_1967),
    ("ops", 0x8e28_e354_c943_e3a9),
    ("reps", 0x27a4_ba03_caed_51dd),
    ("bitmap", 0xdafd_0387_1173_d78b),
    ("subflow", 0xb577_67d7_72cf_5f06),
    ("plb", 0x2132_510e_0c74_df9b),
    ("flowlet", 0xdf28_cd73_a5b2_f4c5),
    ("mprdma", 0x6f72_4719_83d9_5eea),
    ("reps_legacy", 0x9b6f_e4f1_cdb4_25f6),
    ("host_dr", 0x70de_0e9e_f5d8_556e),
    ("planned", 0x70de_0e9e_f5d8_556e),
    ("mrc", 0x5e91_be9b_23e9_006e),
    ("mprdma_dctcp", 0x49e8_dd56_e881_2c6b),
    ("dctcp", 0x600a_395f_5153_5ee7),
    ("fixed_rate", 0xb5e2_b783_1eac_439e),
    ("swift", 0x94c4_4ce5_1cc3_66f1),
    ("mswift", 0x102d_8d95_8942_8594),
    ("nscc", 0x951e_bbd9_9166_55c6),
    ("eqds", 0xfe9f_4102_18b6_dd57),
    ("ndp", 0xa1ef_39b8_5502_8cd5),
    ("dcqcn", 0xc5f2_bab4_7efb_e784),
    ("hpcc", 0x929a_f76e_a2e2_2888),
    ("powertcp", 0x2d29_1b80_1ae4_1961),
    ("theta_powertcp", 0x37c1_e472_f530_e471),
    ("timely", 0x63a0_eec4_f7a5_c2a7),
    ("cubic", 0xcc7c_99e7_75d4_f35f),
    ("reno", 0x3bbd_5d49_fd80_dc95),
    ("retcp", 0x1318_78dc_8589_8ae6),
    ("homa", 0xca04_0535_9a16_0c06),
    ("red", 0x020b_e6af_bbfd_aca8),
    ("none", 0xbd6d_9e8e_0362_e607),
    ("step", 0x8d5a_5c20_3ce8_7e3d),
];

/// The lines of the table, sorted.
fn lines(answers: impl IntoIterator<Item = (&'static str, u64)>) -> Vec<String> {
    let line = |(name, answer): (&str, u64)| {
        let digits = format!("{answer:016x}");
        let groups = [&digits[..4], &digits[4..8], &digits[8..12], &digits[12..]].join("_");
        format!("    (\"{name}\", 0x{groups}),\n")
    };
    let mut lines: Vec<String> = answers.into_iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn answers_of_every_listed_scheme_are_the_same_on_every_machine() {
    let start = Time::ZERO;
    let hosts = host::SCHEMES.iter().filter_map(|scheme| {
        let name = scheme.card.name;
        Some((name, paths(&host::Config::named(name)?, 1, start, PINNED_STEPS).0))
    });
    let controls = congestion::SCHEMES.iter().filter_map(|scheme| {
        let name = scheme.card.name;
        Some((name, windows(&congestion::Config::named(name)?, 1, start, PINNED_STEPS).0))
    });
    let markers = marking::SCHEMES.iter().filter_map(|scheme| {
        let name = scheme.card.name;
        Some((name, marks(&marking::Config::named(name)?, 1, start, PINNED_STEPS).0))
    });
    let found = lines(hosts.chain(controls).chain(markers));
    let pinned = lines(PINNED.iter().copied());
    let only = |ours: &[String], theirs: &[String]| -> String {
        ours.iter().filter(|line| !theirs.contains(line)).map(String::as_str).collect()
    };
    assert!(
        found == pinned,
        "these lines are missing from PINNED:\n{}and these do not belong there:\n{}",
        only(&found, &pinned),
        only(&pinned, &found)
    );
}
