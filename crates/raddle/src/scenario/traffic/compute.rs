//! What the hosts of a collective do between messages.

use super::line;
use crate::scenario::limits::LATEST;
use crate::scenario::reader::Reader;
use crate::scenario::scheme::shown;
use crate::scenario::share::share;
use raddle_schemes::units::Span;
use raddle_sim::workload::collective::compute::{Compute, Extra, Per, Straggler};

/// The largest deviation of a logarithm: from the first to the last of a million draws, times are
/// then 17 orders of magnitude apart.
const MOST_SIGMA: f64 = 4.0;

/// Reads how long hosts compute before each step, and gives the lines that say it where it is not
/// nothing.
pub(super) fn compute(reader: &mut Reader<'_>) -> Option<(Compute, Vec<String>)> {
    let time = reader.or("compute", Span::ZERO);
    let given = reader.take("straggler").is_some();
    let straggler = given.then(|| reader.table("straggler").and_then(straggler));
    if time > LATEST {
        let problem = reader.take("compute")?.place.problem("`compute` is too long");
        reader.log().add(problem.label(format!("expected at most {LATEST}")));
        return None;
    }
    // A share of 0 is as if there were none.
    let straggler = straggler.map_or(Some(None), |read| read.map(Some))?;
    let straggler = straggler.filter(|straggler| straggler.percent > 0.0);
    let time_line = (time > Span::ZERO).then(|| line("compute", &time));
    let straggler_line = straggler.as_ref().map(|straggler| {
        let Straggler { per, percent, extra } = straggler;
        let rest = match extra {
            Extra::Constant(time) => format!("\"constant\", time = {}", shown(time)),
            Extra::Exponential(time) => format!("\"exponential\", time = {}", shown(time)),
            Extra::Lognormal { median, sigma } => {
                format!("\"lognormal\", time = {}, sigma = {}", shown(median), shown(sigma))
            }
        };
        let per = per.word();
        format!("straggler = {{ per = \"{per}\", share = \"{percent}%\", distribution = {rest} }}")
    });
    let lines = [time_line, straggler_line].into_iter().flatten().collect();
    Some((Compute { time, straggler }, lines))
}

fn straggler(mut reader: Reader<'_>) -> Option<Straggler> {
    let per: Option<Per> = reader.need("per", "\"host\"");
    let given = reader.take("share").is_some();
    let share = if given { share(&mut reader) } else { Some(100.0) };
    let words = ["constant", "exponential", "lognormal"];
    let distribution = reader.choice("distribution", &words);
    let time = reader.at_least("time", Span(1), None);
    let sigma = match distribution {
        Some("lognormal") | None => {
            let sigma: Option<f64> = match distribution {
                Some(_) => reader.need("sigma", "0.5"),
                None => reader.get("sigma"),
            };
            let wrong = sigma.filter(|sigma| !(*sigma > 0.0 && *sigma <= MOST_SIGMA));
            if let (Some(_), Some(item)) = (wrong, reader.take("sigma")) {
                let problem = item.place.problem("wrong value for `sigma`");
                let label = format!("expected more than 0 and at most {MOST_SIGMA}");
                reader.log().add(problem.label(label));
            }
            sigma.filter(|_| wrong.is_none())
        }
        Some(word) => {
            let with = format!("with `distribution = \"{word}\"`");
            reader.misplaced("sigma", &with, "`distribution = \"lognormal\"`");
            None
        }
    };
    reader.finish();
    let (per, percent, time) = (per?, share?, time?);
    let extra = match distribution? {
        "constant" => Extra::Constant(time),
        "exponential" => Extra::Exponential(time),
        _ => Extra::Lognormal { median: time, sigma: sigma? },
    };
    Some(Straggler { per, percent, extra })
}
