//! The answer in words.

use super::answer::{ASKED, Answer};
use super::crossing::{Crossing, Knob};
use super::measured::{Ended, Left};
use super::rank::Standing;
use crate::study::text::{
    count, digits, left, list, percent, plural, probability, right, time, wrap,
};

/// A row of a table: its first two cells stand left, the others right.
type Row = Vec<String>;

fn table(rows: &[Row]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| crate::study::text::width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Row| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < 2 || column + 1 == columns {
                left(cell, *width)
            } else {
                right(cell, *width)
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        line.trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A share of the time, in percent.
fn share(share: f64) -> String {
    format!("{} %", digits(share * 100.0, if share < 0.1 { 2 } else { 3 }))
}

/// A time in the unit of a question.
pub(super) fn span(seconds: f64) -> String {
    match seconds {
        s if s >= 3600.0 * 1000.0 => format!("{} h", crate::study::text::short(s / 3600.0)),
        s if s >= 86_400.0 => format!("{} d", whole(s / 86_400.0)),
        s if s >= 3600.0 => format!("{} h", whole(s / 3600.0)),
        s => time(s * 1e6),
    }
}

/// Three digits, fewer where the others are zeros.
fn whole(value: f64) -> String {
    let text = digits(value, 3);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl Answer {
    /// The answer for a terminal of so many columns.
    pub fn text(&self, columns: usize) -> String {
        let mut out = self.heading() + "\n\n" + &self.ranking();
        let mut part = |title: &str, sentences: Vec<String>| {
            if sentences.is_empty() {
                return;
            }
            out += &format!("\n{title}\n");
            for sentence in sentences {
                for (index, line) in wrap(&sentence, columns.saturating_sub(4)).iter().enumerate() {
                    out += &format!("  {}{line}\n", if index == 0 { "" } else { "  " });
                }
            }
        };
        part("Where work is lost", self.why());
        part("What would change the answer", self.changes());
        part("What was reduced", self.reduced());
        part("Published rates", self.published.clone());
        out
    }

    fn heading(&self) -> String {
        let hosts = self.measured.candidates.iter().map(|own| own.counts.hosts);
        let hosts: Vec<u32> = hosts.collect();
        let (least, most) = (hosts.iter().min(), hosts.iter().max());
        let hosts = match (least, most) {
            (Some(a), Some(b)) if a == b => plural(u64::from(*a), "host"),
            (Some(a), Some(b)) => format!("{a} to {b} hosts"),
            _ => String::new(),
        };
        let own = &self.measured;
        let again = if self.is_again { ", weighed anew" } else { "" };
        format!(
            "{hosts}, {}, {}, by {}; {}{again}",
            plural(own.candidates.len() as u64, "candidate"),
            plural(own.works.len() as u64, "work"),
            self.objective().word(),
            plural(own.runs as u64, "run"),
        )
    }

    fn ranking(&self) -> String {
        let stops = format!("stops in {}", span(self.horizon_s));
        let heads = ["", "candidate", "goodput", "step", "over bound", "p99"];
        let heads = heads.into_iter().chain(["switches", "optics", "kW"]);
        let cost = self.has_costs().then_some("cost");
        let heads = heads.chain(cost).chain([stops.as_str(), ""]);
        let mut rows: Vec<Row> = vec![heads.map(str::to_owned).collect()];
        for (index, own) in self.standings.iter().enumerate() {
            rows.push(self.row(index, own));
        }
        for (candidate, own) in self.measured.candidates.iter().enumerate() {
            let why = match &own.left {
                Some(Left::Constraint { text, has }) => {
                    format!("breaks `{text}`: {}", digits(*has, 4))
                }
                Some(Left::Unfinished { work }) => {
                    format!("`{work}` does not finish, though nothing is broken")
                }
                _ => continue,
            };
            let mut row = vec!["-".to_owned(), own.name.clone()];
            row.extend(["", "", "", ""].map(str::to_owned));
            row.extend(self.built_of(candidate));
            row.extend([String::new(), why]);
            rows.push(row);
        }
        table(&rows)
    }

    fn has_costs(&self) -> bool {
        self.order.costs.iter().any(Option::is_some)
    }

    /// Cells of what a candidate is built of.
    fn built_of(&self, candidate: usize) -> Vec<String> {
        let counts = &self.measured.candidates[candidate].counts;
        let mut cells =
            vec![count(counts.switches.into()), count(counts.optics.into()), kw(counts)];
        if self.has_costs() {
            let cost = self.order.costs.get(candidate).copied().flatten();
            cells.push(cost.map_or_else(String::new, |cost| count(cost.round() as u64)));
        }
        cells
    }

    fn row(&self, index: usize, own: &Standing) -> Row {
        let steps = |value: &dyn Fn(&super::estimate::Estimate) -> f64| {
            let each: Vec<String> = own.works.iter().map(|work| span(value(work))).collect();
            each.join(" / ")
        };
        let over = own.works.iter().map(|work| {
            let lost = work.lost.healthy?;
            Some(percent((1.0 / (1.0 - lost).max(1e-9) - 1.0) * 100.0))
        });
        let over: Vec<String> = over.map(|own| own.unwrap_or_else(|| "-".to_owned())).collect();
        let half = self.goodput_half(own);
        let goodput = match own.blocks.len() {
            0 | 1 => digits(own.goodput, 4),
            _ => format!("{:.4} ±{:.4}", own.goodput, half),
        };
        let mut row = vec![
            self.place(index).to_string(),
            self.name(own.candidate).to_owned(),
            goodput,
            steps(&|work| work.healthy_s / work.goodput.max(1e-12)),
            over.join(" / "),
            steps(&|work| work.p99_s),
        ];
        row.extend(self.built_of(own.candidate));
        row.extend([digits(self.stops(own), 2), self.remark(index, own)]);
        row
    }

    fn remark(&self, index: usize, own: &Standing) -> String {
        if let Some(other) = self.standings[..index]
            .iter()
            .find(|other| self.is_same(own.candidate, other.candidate))
        {
            return format!("the same runs as {}", self.name(other.candidate));
        }
        if index == 0 {
            return String::new();
        }
        let p = own.behind.and_then(|behind| behind.p).map(probability);
        let Some([low, by, high]) = self.behind(own).filter(|_| self.is_told(own)) else {
            return match p {
                Some(p) => format!("not told from the first ({p})"),
                None if self.is_told(own) => "behind the first; not tested".to_owned(),
                None => "not tested against the first".to_owned(),
            };
        };
        let ends = [low.max(0.0), high].map(|end| digits(end * 100.0, 2));
        format!("{} behind ({} to {})", share(by), ends[0], ends[1])
    }

    /// Where the work goes that is not done, for each candidate.
    pub(super) fn why(&self) -> Vec<String> {
        let mut found = Vec::new();
        for own in &self.standings {
            let measured = &self.measured.candidates[own.candidate];
            for ((counted, work), of_runs) in
                self.order.works.iter().zip(&own.works).zip(&measured.works)
            {
                let mut parts: Vec<(f64, String)> = Vec::new();
                let nouns: Vec<&str> = self.measured.classes.iter().map(String::as_str).collect();
                for (own, lost) in of_runs.strata.iter().zip(&work.lost.strata) {
                    let stuck = own.draws.iter().filter(|draw| draw.step_s.is_none()).count();
                    let stuck = match stuck {
                        0 => String::new(),
                        _ => format!(", in {stuck} of {} states for ever", own.draws.len()),
                    };
                    let words = own.stratum.text(&nouns);
                    parts.push((*lost, format!("slower with {words} broken{stuck}")));
                }
                for (noun, lost) in nouns.iter().zip(&work.lost.events) {
                    parts.push((*lost, format!("while something changes ({noun})")));
                }
                parts.push((work.lost.stopped, "standing still, hosts cut off".to_owned()));
                parts.push((work.lost.restarts, "starting again".to_owned()));
                parts.retain(|(lost, _)| *lost > 5e-5);
                parts.sort_by(|a, b| b.0.total_cmp(&a.0));
                let parts: Vec<String> =
                    parts.iter().map(|(lost, words)| format!("{} {words}", share(*lost))).collect();
                let lost =
                    if parts.is_empty() { "nothing to speak of".to_owned() } else { list(&parts) };
                let of = match self.order.works.len() {
                    1 => String::new(),
                    _ => format!(", {}", counted.name),
                };
                found.push(format!("{}{of}: {lost}.", self.name(own.candidate)));
            }
        }
        found
    }

    /// Rates at which another would be first.
    pub(super) fn changes(&self) -> Vec<String> {
        let mut found: Vec<String> = self.crossings.iter().map(|own| self.crossing(own)).collect();
        if found.is_empty() && self.standings.len() > 1 && !self.order.weighing.rates.is_empty() {
            let of = match self.standings.len() - 1 {
                others if others > ASKED => format!("None of the {ASKED} candidates behind it"),
                _ => "No candidate".to_owned(),
            };
            found.push(format!(
                "{of} overtakes the first by one rate alone, as far as the states that were looked at \
                 tell."
            ));
        }
        found
    }

    fn crossing(&self, own: &Crossing) -> String {
        let rates = &self.order.weighing.rates[own.class];
        let (value, unit): (fn(f64) -> String, f64) = match own.knob {
            Knob::Mtbf => (span, rates.mtbf_s),
            Knob::Flaps => (|own| digits(own, 3), rates.flaps_per_s * 3600.0),
        };
        let when = match own.factor < 1.0 {
            true => "below",
            false => "above",
        };
        let ends = match (own.low, own.high) {
            (Some(low), Some(high)) => format!("{} to {}", value(low * unit), value(high * unit)),
            (Some(low), None) => format!("{} or more", value(low * unit)),
            (None, Some(high)) => format!("{} or less", value(high * unit)),
            (None, None) => "anywhere".to_owned(),
        };
        format!(
            "{} is ahead of {} where `{}` of a {} is {when} {} ({ends}; now {}): extrapolated, not run.",
            self.name(own.other),
            self.name(own.first),
            own.knob.word(),
            self.measured.classes[own.class],
            value(own.factor * unit),
            value(unit),
        )
    }

    /// What was left out, each with the error that it makes at most.
    pub(super) fn reduced(&self) -> Vec<String> {
        let mut found = Vec::new();
        let works = || self.standings.iter().flat_map(|own| &own.works);
        let left_out = works().map(|work| work.left_out).fold(0.0, f64::max);
        if left_out > 0.0 {
            found.push(format!(
                "States with more broken parts have {} of the time at most, and were not run.",
                share(left_out)
            ));
        }
        let of_works = self.standings.iter().flat_map(|own| &own.works);
        let not_run = of_works.map(|work| work.not_run).fold(0.0, f64::max);
        if not_run > 0.0 {
            found.push(format!(
                "What changes cost was not run where it is {} at most of the time.",
                share(not_run)
            ));
        }
        for own in &self.standings {
            for (counted, work) in self.order.works.iter().zip(&own.works) {
                let events: f64 = work.lost.events.iter().sum();
                if events > super::estimate::FIRST_ORDER {
                    found.push(format!(
                        "{}, {}: changes cost {}: more than one at a time may go on, which is not \
                         looked at.",
                        self.name(own.candidate),
                        counted.name,
                        share(events)
                    ));
                }
                if work.lost.restarts > super::estimate::FIRST_ORDER {
                    found.push(format!(
                        "{}, {}: starting again takes {}: so often that stops meet each other, which is \
                         not looked at.",
                        self.name(own.candidate),
                        counted.name,
                        share(work.lost.restarts.min(1.0))
                    ));
                }
                if let Some(effective) =
                    work.effective.filter(|own| *own < super::estimate::RESOLVES)
                {
                    found.push(format!(
                        "{}, {}: {} states are what these rates go by: not resolved.",
                        self.name(own.candidate),
                        counted.name,
                        digits(effective, 2)
                    ));
                }
            }
        }
        match self.measured.ended {
            Ended::Told | Ended::WithinMargin => {}
            Ended::Looks => found.push(format!(
                "Those that are left were not told apart after {} blocks.",
                super::race::LOOKS.last().copied().unwrap_or(0)
            )),
            Ended::Budget => found.push("The budget ended the runs.".to_owned()),
        }
        found
    }
}

fn kw(counts: &super::counts::Counts) -> String {
    format!("{} to {}", digits(counts.power_kw_min, 3), digits(counts.power_kw_max, 3))
}
