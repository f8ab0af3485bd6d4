//! The page's table of claims: which hold where, by how much, and why some do not.

use super::claims::{Claim, Judged};
use std::fmt::Write;

/// The most decimals that a ratio has.
const DECIMALS: usize = 4;

pub(super) fn papers(page: &mut String, claims: &[(&Claim, Judged)]) {
    page.push_str(
        "## What the papers claim\n\nEach claim says that the best of some schemes takes at most so \
         many times as long as the best of others; where some are equal, the worst of them as the \
         best; where each is ahead, the worst of them as the best of the others. Ratios: least and \
         greatest of the columns it is about. It holds where the ratio of means is at most what is \
         asked. Close: the columns where the seeds do not tell the ratio from what is asked, by the \
         [same test](#how-it-was-run), so that other seeds may turn them.\n\n\
         | paper | claim | columns | ratio | asked | holds | close |\n|---|---|---|---|---|---|---|\n",
    );
    let mut reasons = Vec::new();
    for (claim, judged) in claims {
        let &Judged { columns, holds, ratios, ref fails, ref untold } = judged;
        let about: Vec<&str> = claim.columns.iter().map(|(_, value)| value.as_str()).collect();
        let about = if about.is_empty() { "all".to_owned() } else { about.join(", ") };
        let word = match holds {
            _ if columns == 0 => "not run".to_owned(),
            _ if holds == columns => "**yes**".to_owned(),
            0 => "**no**".to_owned(),
            _ => {
                let fail = |(column, ratio): &(String, Option<f64>)| match ratio {
                    Some(ratio) => format!("{column} ({})", over(*ratio, claim.at_most)),
                    None => format!("{column} (not finished)"),
                };
                let fails: Vec<String> = fails.iter().map(fail).collect();
                format!("in {holds} of {columns}, not in {}", fails.join("; "))
            }
        };
        let reason = claim.reason.as_deref().filter(|_| holds < columns);
        reasons.extend(reason.map(|reason| format!("- *{}:* {reason}.", claim.text)));
        let ratios = ratios.map_or("-".to_owned(), |(low, high)| match columns {
            1 => over(low, claim.at_most),
            _ => format!("{} to {}", over(low, claim.at_most), over(high, claim.at_most)),
        });
        let close = match columns {
            _ if untold.is_empty() => "-".to_owned(),
            1 => "it is".to_owned(),
            _ => untold.join("; "),
        };
        let _ = writeln!(
            page,
            "| {} | {} ({}) | {about} | {ratios} | at most {} | {word} | {close} |",
            claim.paper, claim.text, claim.source, claim.at_most
        );
    }
    if !reasons.is_empty() {
        let _ =
            writeln!(page, "\n### Where a claim does not hold, and why\n\n{}", reasons.join("\n"));
    }
    page.push('\n');
}

/// A ratio with as many decimals as tell it from the most that is asked; two, if that will do.
fn over(ratio: f64, at_most: f64) -> String {
    let shown = |decimals: usize| format!("{ratio:.decimals$}");
    let told = |text: &String| {
        let read: f64 = text.parse().unwrap_or(ratio);
        ratio == at_most || (read > at_most) == (ratio > at_most)
    };
    (2..DECIMALS).map(shown).find(told).unwrap_or_else(|| shown(DECIMALS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_told_from_what_is_asked() {
        for (ratio, at_most, text) in [
            (1.0225, 1.02, "1.022"),
            (1.0225, 1.05, "1.02"),
            (1.0203, 1.02, "1.0203"),
            (1.02, 1.02, "1.02"),
            (1.0199, 1.02, "1.02"),
            (0.9837, 0.98, "0.984"),
            (0.978, 0.98, "0.98"),
            (1.234, 1.02, "1.23"),
        ] {
            assert_eq!(over(ratio, at_most), text);
        }
    }
}
