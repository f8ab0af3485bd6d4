//! What the hosts of a collective do between messages.

use super::line;
use crate::scenario::key::{Key, Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::limits::LATEST;
use crate::scenario::scheme::shown;
use crate::scenario::share::share;
use raddle_schemes::units::Span;
use raddle_sim::workload::collective::compute::{Compute, Extra, Per, Straggler};

/// The largest deviation of a logarithm: from the first to the last of a million draws, times are
/// then 17 orders of magnitude apart.
const MOST_SIGMA: f64 = 4.0;

keys! {
    /// `straggler`.
    STRAGGLER: StragglerKeys = Section::new("straggler", "### straggler", "ranks that compute more slowly") => {
        per: Word(Per::WORDS), (required "host"),
            "`host`: what is drawn for a host it takes longer in all steps; `step`: drawn for each step of each host";
        share: Share, (= "100%"),
            "so many of the ranks, rounded to whole ones, drawn; per step, the chance of each; `\"0%\"` of them is as if there were no `straggler`, the baseline of a sweep";
        distribution: Word(&["constant", "exponential", "lognormal"]), (required "constant"),
            "of the extra time: `constant`, `exponential` or `lognormal`";
        time: Time, (required "1 ps") [>= "1 ps"],
            "the constant, the mean, or the median of the lognormal";
        sigma: Number, (some 0.5, "required with `lognormal`") [> 0 to 4],
            "standard deviation of the logarithm, over 0 and up to 4";
    }
}

/// Reads how long hosts compute before each step, and gives the lines that say it where it is not
/// nothing.
pub(super) fn compute(
    reader: &mut Reader<'_>,
    [time, straggler]: [&'static Key; 2],
) -> Option<(Compute, Vec<String>)> {
    let key = time;
    let time = reader.or(key);
    let given = reader.take(straggler).is_some();
    let straggler = given.then(|| reader.table(straggler).and_then(read));
    if time > LATEST {
        let problem = reader.take(key)?.place.problem("`compute` is too long");
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

fn read(mut reader: Reader<'_>) -> Option<Straggler> {
    let per: Option<Per> = reader.need(&STRAGGLER.per);
    let given = reader.take(&STRAGGLER.share).is_some();
    let share = if given { share(&mut reader, &STRAGGLER.share) } else { Some(100.0) };
    let distribution = reader.choice(&STRAGGLER.distribution);
    let time = reader.at_least(&STRAGGLER.time);
    let sigma = match distribution {
        Some("lognormal") | None => {
            let sigma: Option<f64> = match distribution {
                Some(_) => reader.need(&STRAGGLER.sigma),
                None => reader.get(&STRAGGLER.sigma),
            };
            let wrong = sigma.filter(|sigma| !(*sigma > 0.0 && *sigma <= MOST_SIGMA));
            if let (Some(_), Some(item)) = (wrong, reader.take(&STRAGGLER.sigma)) {
                let problem = item.place.problem("wrong value for `sigma`");
                let label = format!("expected more than 0 and at most {MOST_SIGMA}");
                reader.log().add(problem.label(label));
            }
            sigma.filter(|_| wrong.is_none())
        }
        Some(word) => {
            let with = format!("with `distribution = \"{word}\"`");
            reader.misplaced(&STRAGGLER.sigma, &with, "`distribution = \"lognormal\"`");
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
