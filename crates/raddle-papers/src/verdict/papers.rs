//! The page's claims: in short, which hold and the cause where one does not; further down in full,
//! where each holds, by how much, and what was tested.

use super::claims::{Claim, Judged};
use std::fmt::Write;

/// The most decimals that a ratio has.
const DECIMALS: usize = 4;

/// The table of the first page: a line a claim.
pub(super) fn in_short(page: &mut String, claims: &[(&Claim, Judged)]) {
    page.push_str(
        "## What of the papers holds\n\n| paper | claim | holds | where not, because |\n\
         |---|---|---|---|\n",
    );
    for (number, (claim, judged)) in claims.iter().enumerate() {
        let word = match judged {
            Judged { columns: 0, .. } => "not run".to_owned(),
            Judged { columns, holds, .. } if holds == columns => "**yes**".to_owned(),
            Judged { holds: 0, .. } => "**no**".to_owned(),
            Judged { columns, holds, .. } => format!("in {holds} of {columns}"),
        };
        let cause = reason(claim, judged)
            .map(|(cause, _)| format!("{cause} ([more](#why-{number}))"))
            .unwrap_or_default();
        let _ = writeln!(page, "| {} | {} | {word} | {cause} |", claim.paper, claim.text);
    }
    page.push('\n');
}

/// Why a claim does not hold everywhere: the cause in a sentence, and what was tested.
fn reason<'c>(claim: &'c Claim, judged: &Judged) -> Option<(&'c str, &'c str)> {
    let reason = claim.reason.as_deref().filter(|_| judged.holds < judged.columns)?;
    let (cause, tested) = reason.split_once("** ").unwrap_or((reason, ""));
    Some((cause.trim_start_matches("**"), tested))
}

/// All claims with ratios and columns, and what was tested where one does not hold.
pub(super) fn in_full(page: &mut String, claims: &[(&Claim, Judged)]) {
    page.push_str(
        "## The claims in full\n\nEach claim says that the best of some schemes takes at most so \
         many times as long as the best of others; where some are equal, the worst of them as the \
         best; where each is ahead, the worst of them as the best of the others. Ratios: least and \
         greatest of the columns it is about. It holds where the ratio of means is at most what is \
         asked. Close: the columns where the seeds do not tell the ratio from what is asked, by the \
         [same test](#how-it-was-run), so that other seeds may turn them.\n\n\
         | paper | claim | columns | ratio | asked | holds | close |\n|---|---|---|---|---|---|---|\n",
    );
    let mut reasons = Vec::new();
    for (number, (claim, judged)) in claims.iter().enumerate() {
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
        reasons.extend(reason(claim, judged).map(|reason| (number, claim.text.as_str(), reason)));
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
        page.push_str("\n### Where a claim does not hold, and why\n\n");
    }
    // Claims that do not hold for one reason share it.
    for group in reasons.chunk_by(|a, b| a.2 == b.2) {
        let claim =
            |(number, text, _): &(usize, &str, _)| format!("<a id=\"why-{number}\"></a>*{text}:*");
        let texts: Vec<String> = group.iter().map(claim).collect();
        let (cause, tested) = group[0].2;
        let _ = writeln!(page, "- {} **{cause}** {tested}.", texts.join(" "));
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
