//! The same for people.

use super::{Alike, Cause, Ends, Exposed, Shares, StepSummary};
use crate::study::text::{count, digits, list, plural, time};

/// Lines of collectives at most.
const ALIKE: usize = 6;
/// Ranks that are named at most.
const RANKS: usize = 3;

impl StepSummary {
    /// The lines for people, names apart.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("step", self.time()), ("", self.ranks())];
        lines.push(("a rank's time", self.spent_text()));
        for (number, own) in self.collectives.iter().take(ALIKE).enumerate() {
            lines.push((if number == 0 { "collectives" } else { "" }, own.text()));
        }
        let more = self.collectives.len().saturating_sub(ALIKE);
        if more > 0 {
            lines.push((
                "",
                format!("and {} more kinds: the table `collectives`", count(more as u64)),
            ));
        }
        lines.push(("critical path", self.critical.text()));
        lines.extend(self.critical.longest_text().map(|text| ("", text)));
        lines.extend(self.waited_text().map(|text| ("waited for", text)));
        lines
    }

    fn time(&self) -> String {
        let Ends { min, median, max } = self.time_us;
        let last = format!("rank {} was last", count(self.last_rank));
        match self.steps {
            1 => format!("{}; {last}", time(max)),
            steps => format!(
                "{}: min {}, median {}, max {}; {last} in the longest",
                plural(steps, "step"),
                time(min),
                time(median),
                time(max)
            ),
        }
    }

    fn ranks(&self) -> String {
        let Ends { min, median, max } = self.rank_us;
        let ranks = plural(self.ranks, "rank");
        format!("{ranks} done after min {}, median {}, max {}", time(min), time(median), time(max))
    }

    fn spent_text(&self) -> String {
        let exposed = self.spent.exposed.iter();
        let all: f64 = exposed.clone().map(|own| own.peers_us + own.transfer_us).sum();
        let all = all + self.spent.compute_us + self.spent.idle_us;
        let share = |us: f64| format!("{:.1}%", 100.0 * us / all.max(f64::MIN_POSITIVE));
        let exposed = exposed.map(|Exposed { kind, peers_us, transfer_us }| {
            let whole = share(peers_us + transfer_us);
            if *peers_us == 0.0 {
                return format!("{kind} {whole}");
            }
            format!("{kind} {whole} (peers {}, transfer {})", share(*peers_us), share(*transfer_us))
        });
        let mut parts = vec![format!("compute {}", share(self.spent.compute_us))];
        parts.extend(exposed);
        parts.push(format!("idle {}", share(self.spent.idle_us)));
        parts.join(", ")
    }

    fn waited_text(&self) -> Option<String> {
        let named = self.waited_for.iter().take(RANKS);
        let named: Vec<String> =
            named.map(|own| format!("rank {} {}", count(own.rank), time(own.time_us))).collect();
        (!named.is_empty()).then(|| format!("{}, by the others in collectives", list(&named)))
    }
}

impl Alike {
    /// `4 x all_reduce of 1 048 576 B, dp, 8 ranks, ring: 61.2 us from the last entry, ..`.
    fn text(&self) -> String {
        let Self { op, kind, ranks, size_bytes, count: all, algorithm, .. } = self;
        let mut text = format!(
            "{} x {op} of {} B, {kind}, {}, {algorithm}: median {} from the last entry, skew {}",
            count(*all),
            count(*size_bytes),
            plural(*ranks, "rank"),
            time(self.time_us.median),
            time(self.skew_us.median),
        );
        if let Some(Ends { min, median, max }) = self.busbw_gb_s {
            let [min, median, max] = [min, median, max].map(|own| digits(own, 3));
            text += &format!("; busbw min {min}, median {median}, max {max} GB/s");
        }
        text
    }
}

impl Shares {
    /// `97 edges, 1.240 ms: calc 61 %, own bytes 20 %, ..`.
    fn text(&self) -> String {
        let share = |us: f64| format!("{:.1}%", 100.0 * us / self.time_us.max(f64::MIN_POSITIVE));
        let causes = self.causes.iter();
        let causes: Vec<String> = causes
            .map(|own| format!("{} {}", own.of.replace('_', " "), share(own.time_us)))
            .collect();
        let mut text =
            format!("{}, {}: {}", plural(self.edges, "edge"), time(self.time_us), list(&causes));
        if let Some(port) = self.ports.first() {
            text += &format!("; longest queue {} at {}", time(port.time_us), port.of);
        }
        if self.causes.iter().any(|own| own.of == Cause::Message.word()) {
            text += "; `flows = \"critical\"` in [record] tells what messages took it for";
        }
        text
    }

    /// The longest edge.
    fn longest_text(&self) -> Option<String> {
        let own = self.longest.first()?;
        let mut text = match (own.flow, own.to) {
            (Some(flow), Some(to)) => {
                format!("longest flow {}, rank {} to rank {}", count(flow), own.rank, to)
            }
            _ => format!("longest computation of rank {}", own.rank),
        };
        text += &format!(", {} from {} on", time(own.time_us), time(own.start_us));
        if let (Some(port), Some(flow)) = (&own.port, own.behind) {
            let packets = plural(own.behind_packets, "packet");
            text += &format!(", behind {packets} of flow {} at {port}", count(flow));
        }
        Some(text)
    }
}
