//! The same for people.

use super::{FAULT, LINK, NIC, Parts, RECEIVER, Why, WhyLink};
use crate::study::text::{plural, time};

/// Less of a life than this is not told, beside longer parts.
const WORTH_TELLING: f64 = 0.03;

impl Why {
    /// `384 us a link of its path was full (core10.down2 with 3 other flows, 53% of its waiting); ..`
    pub fn sentence(&self) -> String {
        let own = &self.parts;
        let all = own.all_us() + self.waiting_us;
        let losses = match self.lost_packets {
            0 => String::new(),
            lost if self.lost_at.is_empty() => format!(" after {}", plural(lost, "loss")),
            lost => format!(" after {}, most at {}", losses(lost), self.lost_at),
        };
        let links = |held_by| self.links(held_by);
        // Told once: where it waited for timeouts, these were after the losses.
        let waited = own.timeout_us > WORTH_TELLING * all;
        let after = if waited { String::new() } else { comma(&losses) };
        let mut parts = vec![
            (self.waiting_us, self.waited()),
            (own.fault_us, format!("a link of its only path was down{}", links(FAULT))),
            (own.timeout_us, format!("it waited for {}{losses}", timeouts(self.timeouts))),
            (own.link_us, format!("a link of its path was full{}", links(LINK))),
            (own.receiver_us, format!("the link to its receiver was full{}", links(RECEIVER))),
            (own.nic_us, format!("its host's own link was full{}", links(NIC))),
            (own.window_us, format!("no link was full: its window or pace{after} held it back")),
            (own.at_speed_us, "it was at speed".to_owned()),
        ];
        parts.retain(|(us, _)| *us > WORTH_TELLING * all);
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let told = parts.into_iter().map(|(us, what)| format!("{} {what}", time(us)));
        told.collect::<Vec<_>>().join("; ")
    }

    /// What it waited for before it began.
    fn waited(&self) -> String {
        let sends = plural(self.path.len() as u64, "send");
        let mut longest = self.before.named();
        longest.sort_by(|a, b| b.1.total_cmp(&a.1));
        let told = longest.iter().filter(|(_, us)| *us > WORTH_TELLING * self.before.all_us());
        let told: Vec<String> =
            told.take(3).map(|(what, us)| format!("{} {what}", time(*us))).collect();
        format!("it waited for {sends} before it ({})", told.join(", "))
    }

    /// The links that held it back so, in brackets.
    fn links(&self, held_by: &str) -> String {
        let own = self.links.iter().filter(|link| link.held_by == held_by);
        let told: Vec<String> = own.map(WhyLink::text).collect();
        if told.is_empty() { String::new() } else { format!(" ({})", told.join("; ")) }
    }
}

impl WhyLink {
    fn text(&self) -> String {
        let others = match self.others {
            0 => "alone".to_owned(),
            others => format!("with {}", plural(others, "other flow")),
        };
        let waiting = 100.0 * self.waiting;
        let waiting =
            if waiting < 1.0 { String::new() } else { format!(", {waiting:.0}% of its waiting") };
        format!("{} {others}{waiting}", self.name)
    }
}

impl Parts {
    /// All of it.
    pub fn all_us(&self) -> f64 {
        self.named().iter().map(|(_, us)| us).sum()
    }

    fn named(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("a link was down", self.fault_us),
            ("timeouts", self.timeout_us),
            ("links full", self.link_us),
            ("receivers full", self.receiver_us),
            ("hosts' own links full", self.nic_us),
            ("windows or paces", self.window_us),
            ("at speed", self.at_speed_us),
        ]
    }
}

fn timeouts(count: u64) -> String {
    if count == 1 { "a timeout".to_owned() } else { plural(count, "timeout") }
}

fn losses(count: u64) -> String {
    if count == 1 { "a loss".to_owned() } else { format!("{count} losses") }
}

/// Between commas, if there is something.
fn comma(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(",{text},") }
}
