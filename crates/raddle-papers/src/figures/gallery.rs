//! The gallery: Markdown pages of what the last full runs of all figures gave, with pictures.

use super::FigureResult;
use super::cells::FigureCell;
use super::chart::chart;
use super::curves::FigureCurves;
use super::expected::Kind;
use super::file::File;
use super::filled::pages;
use super::metric::Metric;
use super::number::Number;
use super::plot::plot;
use super::result::{ClaimResult, Verdict, totals, totals_text};
use raddle::study::compare::{column_of, distinct, row_of};
use raddle::study::text::{digits, percent};
use std::fmt::Write;

/// How papers are called.
const PAPERS: [(&str, &str); 21] = [
    ("reps", "REPS"),
    ("lb_study", "The load-balancing study, with OFAN"),
    ("themis", "Themis"),
    ("conweave", "ConWeave"),
    ("powertcp", "PowerTCP"),
    ("abm", "ABM"),
    ("reverie", "Reverie"),
    ("credence", "Credence"),
    ("memory", "Which policy for which memory"),
    ("composition", "Any congestion control with any load balancer"),
    ("ethereal", "Ethereal"),
    ("verdict", "The verdict on today's NICs"),
    ("mrc", "MRC"),
    ("fabric", "One port or several"),
    ("link_layer", "Link-level retry and credits"),
    ("reality", "Held against measurements"),
    ("opera", "Opera"),
    ("mars", "Mars"),
    ("vermilion", "Vermilion"),
    ("vermilion_predictions", "Vermilion with predictions"),
    ("circuits", "Circuits or packet switches"),
];

const NOTE: &str = "Made by `raddle figures --pages` from `figures/`; not edited by hand.";

/// All pages and pictures: `figures.md`, a page for each paper, a picture for each figure and
/// metric; and the pages in words that have their numbers.
pub fn gallery(results: &[FigureResult]) -> Vec<File> {
    let papers = distinct(results.iter().map(|result| result.figure.paper()));
    let mut files = vec![File { path: "figures.md".into(), text: index(results, &papers) }];
    for paper in papers {
        let mut page = format!(
            "# {}, figure by figure\n\n{NOTE} [All figures](../figures.md)\n\n",
            title_of(paper)
        );
        for result in of_paper(results, paper) {
            let pictures = pictures(result);
            section(&mut page, result, &pictures);
            files.extend(pictures.into_iter().map(|(_, file)| file));
        }
        files.push(File { path: format!("figures/{paper}.md"), text: page });
    }
    files.extend(pages(results));
    files
}

fn title_of(paper: &str) -> &str {
    PAPERS.iter().find(|(word, _)| *word == paper).map_or(paper, |(_, title)| title)
}

fn of_paper<'r>(
    results: &'r [FigureResult],
    paper: &str,
) -> impl Iterator<Item = &'r FigureResult> {
    results.iter().filter(move |result| result.figure.paper() == paper)
}

/// What is said of a figure whose last full run was of another scenario or with older results.
const STALE: &str =
    " **Run before the engine or the scenario last changed its results**: run it again.";

fn index(results: &[FigureResult], papers: &[&str]) -> String {
    let mut page = format!(
        "# Published figures, run again\n\n{NOTE}\n\nEach figure's claims, with the band in which \
         a measured value agrees, are in `figures/PAPER/FIGURE/claims.toml`, its scenario beside \
         it. `raddle reproduce PAPER/FIGURE` runs it again; what follows is the last full run. A \
         claim that differs says what was tested to find out why, and where that is open. \
         A claim is held against one of three things, counted apart: `published`, what a paper \
         prints; `reference`, what its authors' simulator, data or scripts give; `model`, what \
         our own models and readings say where the paper has neither number nor sentence. \
         A band with one end is an order (which is ahead, not by how much), a bound that the source \
         itself gives, or words without a number. Behind a verdict stand ranges that a claim's value \
         has over constants that its paper does not print. In pictures a diamond is what was \
         published for a bar or a point, a square what the authors' programs gave. \
         Sources are sections and figures of the paper; `spec` is the reading of it that Raddle \
         was built to, with what it has to reproduce and how closely (`acceptance`).\n\n"
    );
    for paper in papers {
        let all: Vec<&ClaimResult> =
            of_paper(results, paper).flat_map(|result| &result.claims).collect();
        let _ = writeln!(
            page,
            "## {}\n\nClaims that hold: {}. `raddle reproduce {paper}` runs all.\n\n\
             | figure | what it shows | {} |\n|---|---|{}",
            title_of(paper),
            totals_text(all.iter().copied()),
            Kind::WORDS.join(" | "),
            "---|".repeat(Kind::ALL.len()),
        );
        for result in of_paper(results, paper) {
            let word = result.figure.word();
            let totals = totals(result.claims.iter());
            let of = |kind: Kind| totals.iter().find(|total| total.kind == kind);
            let holds: Vec<String> = Kind::ALL
                .iter()
                .map(|&kind| match of(kind) {
                    None if kind == Kind::Published && totals.is_empty() => {
                        "recorded only".to_owned()
                    }
                    None => "-".to_owned(),
                    Some(total) if total.hold == total.claims => format!("all {}", total.claims),
                    Some(total) => format!("**{} of {}**", total.hold, total.claims),
                })
                .collect();
            let holds = holds.join(" | ");
            let _ = writeln!(
                page,
                "| [{word}](figures/{paper}.md#{word}) | {} | {holds} |",
                cell(&result.title)
            );
        }
        page.push('\n');
    }
    page
}

/// The pictures of a figure, each with its title: that of models first, which has no cells.
fn pictures(result: &FigureResult) -> Vec<(String, File)> {
    let name = result.figure.name;
    let file = |more: &str, text| File { path: format!("figures/{name}{more}.svg"), text };
    let curves = result.curves.iter().map(|curves| (curves.title.clone(), plot(curves)));
    let mut files: Vec<(String, File)> =
        curves.map(|(title, text)| (title, file("", text))).collect();
    for picture in &result.chart {
        let marks = |number: Number, cell: &FigureCell| result.marks(number, cell);
        let lines = result.lines.iter().find(|lines| picture[..] == [lines.number]);
        let drawn = match lines {
            Some(lines) => Some((lines.title.clone(), lines.draw(&result.cells))),
            None => chart(&result.cells, picture, &marks).map(|text| (title(picture), text)),
        };
        let first = picture.first().filter(|_| !files.is_empty());
        let more = first.map_or_else(String::new, |number| format!(".{}", number.word()));
        files.extend(drawn.map(|(title, text)| (title, file(&more, text))));
    }
    let traces = result.traces.iter();
    files.extend(traces.map(|(trace, drawn)| {
        (drawn.title.clone(), file(&format!(".{}", trace.name), plot(drawn)))
    }));
    files
}

/// What a picture of cells shows.
fn title(picture: &[Number]) -> String {
    match picture {
        [number] => number.title(),
        layers => layers.first().map(|number| number.row_title().1).unwrap_or_default(),
    }
}

fn section(page: &mut String, result: &FigureResult, pictures: &[(String, File)]) {
    let (name, word) = (result.figure.name, result.figure.word());
    let _ = writeln!(page, "<a id=\"{word}\"></a>\n\n## {word}: {}\n", cell(&result.title));
    let seeds: Vec<String> = result.seeds().iter().map(u64::to_string).collect();
    let seeds = match seeds[..] {
        [] if result.claims.is_empty() => "Recorded only.".to_owned(),
        [] => "A model, without a simulation.".to_owned(),
        [_] => format!("Seed {}.", seeds.join(", ")),
        _ => format!("Seeds {}.", seeds.join(", ")),
    };
    let _ = write!(page, "`raddle reproduce {name}`; [its files](../../figures/{name}). {seeds}");
    if let Some(reduced) = &result.reduced {
        let _ = write!(page, " Reduced: {}.", cell(reduced.trim_end_matches('.')));
    }
    if result.is_stale() {
        page.push_str(STALE);
        if let Some(why) = &result.stale {
            let _ = write!(page, " {}.", cell(why.trim_end_matches('.')));
        }
    }
    page.push_str("\n\n");
    for (title, file) in pictures {
        let source = file.path.trim_start_matches("figures/");
        let _ = writeln!(page, "![{word}: {}]({source})\n", cell(title));
    }
    if let Some(table) = &result.table {
        page.push_str(&table.markdown(&result.cells));
    }
    if !result.claims.is_empty() {
        claims(page, result);
    }
    if let Some(curves) = &result.curves {
        points(page, curves);
    }
    if !result.chart.is_empty() && !result.cells.is_empty() {
        numbers(page, result);
    }
}

fn claims(page: &mut String, result: &FigureResult) {
    page.push_str("| claim | held against | expected | measured | band | verdict |\n|---|---|---|---|---|---|\n");
    for claim in &result.claims {
        let verdict = match claim.verdict {
            Verdict::Differs => "**differs**",
            other => other.word(),
        };
        let bounds = match claim.bounds_text() {
            none if none.is_empty() => none,
            bounds => format!(" Bound: {bounds}."),
        };
        let _ = writeln!(
            page,
            "| {} ({}){bounds} | {} | {} | {} | {} | {verdict}{} |",
            cell(&claim.claim.text),
            cell(&claim.claim.source),
            claim.claim.kind.word(),
            cell(&claim.expected_text()),
            claim.measured_text(),
            cell(&claim.band_text()),
            claim.free_note(),
        );
    }
    page.push('\n');
    explained(page, result, "Why it differs", |claim| claim.reason().map(str::to_owned));
    explained(page, result, "Constants that the paper does not print", |claim| {
        Some(claim.free_texts().join(" ")).filter(|text| !text.is_empty())
    });
    explained(page, result, "What turns a verdict", |claim| claim.claim.turns.clone());
}

/// A list of claims with what is said of each; neighbours of which the same is said share it.
fn explained(
    page: &mut String,
    result: &FigureResult,
    title: &str,
    said: impl Fn(&ClaimResult) -> Option<String>,
) {
    let all: Vec<_> =
        result.claims.iter().filter_map(|claim| Some((claim, said(claim)?))).collect();
    if all.is_empty() {
        return;
    }
    let _ = writeln!(page, "{title}:\n");
    for group in all.chunk_by(|a, b| a.1 == b.1) {
        let texts: Vec<String> =
            group.iter().map(|(claim, _)| format!("*{}*", cell(&claim.claim.text))).collect();
        let _ = writeln!(page, "- {}<br>{}", texts.join(" "), cell(&group[0].1));
    }
    page.push('\n');
}

/// A folded table of all curves.
fn points(page: &mut String, curves: &FigureCurves) {
    let mut along: Vec<f64> =
        curves.lines.iter().flat_map(|line| &line.points).map(|point| point.0).collect();
    along.sort_unstable_by(f64::total_cmp);
    along.dedup();
    let head: Vec<String> = along.iter().map(|x| format!(" {x} |")).collect();
    let _ = writeln!(
        page,
        "<details><summary>All numbers of the curves</summary>\n\n| {} |{}\n|---|{}",
        cell(&curves.axis),
        head.concat(),
        "---|".repeat(along.len())
    );
    for line in &curves.lines {
        let value = |x: &f64| {
            let y = line.points.iter().find(|point| point.0 == *x);
            y.map_or_else(|| " - |".to_owned(), |(_, y)| format!(" {} |", digits(*y, 4)))
        };
        let values: Vec<String> = along.iter().map(value).collect();
        let _ = writeln!(page, "| {} |{}", cell(&line.name), values.concat());
    }
    page.push_str("\n</details>\n\n");
}

/// A folded table of all cells.
fn numbers(page: &mut String, result: &FigureResult) {
    let drawn = result.chart.concat();
    let bounded = drawn.contains(&Number::Run(Metric::COMPLETION));
    let mut head = String::from("| condition | scheme |");
    for number in &drawn {
        let _ = write!(head, " `{}`{} |", number.word(), number.unit());
    }
    let _ = writeln!(
        page,
        "<details><summary>All numbers: mean over the seeds, and in brackets least to \
         greatest</summary>\n\n{head}{}\n|---|---|{}",
        if bounded { " bound, us; mean over it |" } else { "" },
        "---|".repeat(drawn.len() + usize::from(bounded))
    );
    for cell in &result.cells {
        let values: Vec<String> = drawn.iter().map(|&number| value(cell, number)).collect();
        let bound = cell.bound.as_ref().map_or_else(
            || "-".to_owned(),
            |(name, us)| {
                let over = cell.number(Number::Run(Metric::COMPLETION)).filter(|_| cell.never == 0);
                let over = over.map(|number| percent((number.mean / us - 1.0) * 100.0));
                let over = over.map_or_else(String::new, |over| format!(", {over}"));
                format!("{} ({name}){over}", digits(*us, 5))
            },
        );
        let _ = writeln!(
            page,
            "| {} | {} | {} |{}",
            self::cell(&column_of(&cell.settings)),
            self::cell(&row_of(&cell.settings)),
            values.join(" | "),
            if bounded { format!(" {bound} |") } else { String::new() },
        );
    }
    page.push_str("\n</details>\n\n");
}

fn value(cell: &FigureCell, number: Number) -> String {
    match cell.number(number) {
        _ if cell.never(number) => cell.never_words(),
        Some(number) if cell.seeds > 1 => {
            let [mean, min, max] = [number.mean, number.min, number.max].map(|x| digits(x, 5));
            format!("{mean} ({min} to {max})")
        }
        Some(number) => digits(number.mean, 5),
        None => "-".to_owned(),
    }
}

/// Words as a cell of a table holds them.
fn cell(words: &str) -> String {
    words.replace('|', "\\|").replace('<', "&lt;").replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::find;

    #[test]
    fn words_cannot_break_a_table() {
        assert_eq!(cell("a|b <c>\nd"), "a\\|b &lt;c> d");
    }

    #[test]
    fn claims_that_differ_for_one_reason_share_it() {
        let result = find("reps/reference_adaptive")[0].recorded().unwrap();
        let files = gallery(&[result]);
        let page = &files.iter().find(|file| file.path == "figures/reps.md").unwrap().text;
        assert_eq!(page.matches("<br>").count(), 1, "{page}");
        assert!(page.contains("## reference_adaptive: ") && page.contains("**differs**"));
    }
}
