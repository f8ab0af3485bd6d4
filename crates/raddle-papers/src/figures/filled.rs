//! A page in words whose numbers are measured: `{depth.abm}` is what the claim `abm` of the figure
//! `depth` measured, `{depth.abm %}` the same in per cent, and `{depth: dropped; DT; 2}` a number of
//! the cell that has these settings, the mean over its seeds. `{row themis/fig2.all_nacks}` are cells
//! of a table: what the claim of that figure is held against, what it measured, by how much that is
//! off, and its verdict, whatever it is.

use super::FigureResult;
use super::cells::FigureCell;
use super::expected::Expected;
use super::file::File;
use super::number::Number;
use super::result::{ClaimResult, Verdict};
use raddle::study::text::digits;

/// A page, the paper whose figures it speaks of, its text with gaps.
struct Page {
    path: &'static str,
    paper: &'static str,
    text: &'static str,
}

const PAGES: [Page; 5] = [
    Page { path: "memory.md", paper: "memory", text: include_str!("../../figures/memory/page.md") },
    Page {
        path: "circuits_or_packets.md",
        paper: "circuits",
        text: include_str!("../../figures/circuits/page.md"),
    },
    Page {
        path: "fabrics.md",
        paper: "fabric",
        text: include_str!("../../figures/fabric/page.md"),
    },
    Page {
        path: "link_layer.md",
        paper: "link_layer",
        text: include_str!("../../figures/link_layer/page.md"),
    },
    Page {
        path: "reality.md",
        paper: "reality",
        text: include_str!("../../figures/reality/page.md"),
    },
];

/// All pages whose figures are among the results.
pub(super) fn pages(results: &[FigureResult]) -> Vec<File> {
    let told = |page: &&Page| results.iter().any(|result| result.figure.paper() == page.paper);
    let file = |page: &Page| File {
        path: page.path.to_owned(),
        text: filled(page.text, &|gap| number(results, page.paper, gap)),
    };
    PAGES.iter().filter(told).map(file).collect()
}

/// The text with each gap filled; one that nothing fills stays.
fn filled(text: &str, number: &dyn Fn(&str) -> Option<String>) -> String {
    let mut page = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        page.push_str(before);
        match behind.split_once('}').and_then(|(gap, more)| Some((number(gap)?, more))) {
            Some((number, more)) => {
                page.push_str(&number);
                rest = more;
            }
            None => {
                page.push('{');
                rest = behind;
            }
        }
    }
    page.push_str(rest);
    page
}

/// What fills a gap. A page says what its claims say: none that differs fills one.
fn number(results: &[FigureResult], paper: &str, gap: &str) -> Option<String> {
    if let Some(name) = gap.strip_prefix("row ") {
        return row(results, name);
    }
    if let Some((figure, number)) = gap.split_once(": ") {
        return of_cell(figure_of(results, paper, figure)?, number).map(text);
    }
    let (name, is_share) = match gap.strip_suffix(" %") {
        Some(name) => (name, true),
        None => (gap, false),
    };
    let (figure, id) = name.split_once('.')?;
    let claims = &figure_of(results, paper, figure)?.claims;
    let claim: &ClaimResult = claims.iter().find(|own| own.claim.id == id)?;
    let measured = claim.measured.filter(|_| claim.verdict == Verdict::Holds)?;
    Some(if is_share { format!("{} %", text(measured * 100.0)) } else { text(measured) })
}

/// A claim of any figure as cells of a table.
fn row(results: &[FigureResult], name: &str) -> Option<String> {
    let (figure, id) = name.split_once('.')?;
    let figure = results.iter().find(|result| result.figure.name == figure)?;
    let claim = figure.claims.iter().find(|own| own.claim.id == id)?;
    let measured = claim.measured?;
    let said = match &claim.claim.expected {
        Expected::Number(number) => text(*number),
        Expected::Text(words) => words.replace('|', "\\|"),
    };
    let off = claim.claim.expected.middle().filter(|&middle| middle != 0.0).map_or_else(
        String::new,
        |middle| {
            let off = (measured / middle - 1.0) * 100.0;
            let sign = if off < 0.0 { "-" } else { "+" };
            format!("{sign}{} %", digits(off.abs(), 2))
        },
    );
    Some(format!("{said} | {} | {off} | {}", text(measured), claim.verdict.word()))
}

fn figure_of<'r>(results: &'r [FigureResult], paper: &str, word: &str) -> Option<&'r FigureResult> {
    let mut own = results.iter().filter(|result| result.figure.paper() == paper);
    own.find(|result| result.figure.word() == word)
}

/// The mean of a number over the seeds of the cell whose settings have these values, in their order.
fn of_cell(result: &FigureResult, gap: &str) -> Option<f64> {
    let (number, values) = gap.split_once("; ")?;
    let values: Vec<&str> = values.split("; ").collect();
    let own = |cell: &&FigureCell| {
        cell.settings.iter().map(|(_, value)| value.as_str()).eq(values.iter().copied())
    };
    let cell = result.cells.iter().find(own)?;
    Some(cell.number(Number::find(number)?)?.mean)
}

fn text(value: f64) -> String {
    digits(value, 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::FIGURES;

    #[test]
    fn gaps_are_filled_and_others_stay() {
        let number = |gap: &str| (gap == "a.b").then(|| "3".to_owned());
        assert_eq!(filled("x {a.b} {a.c} {", &number), "x 3 {a.c} {");
    }

    #[test]
    fn every_gap_of_every_page_is_filled_by_a_claim_that_holds() {
        let results: Vec<FigureResult> =
            FIGURES.iter().map(|figure| figure.recorded().unwrap()).collect();
        for file in pages(&results) {
            let open = file.text.lines().find(|line| line.contains('{'));
            assert_eq!(open, None, "{}: a claim is not there, or differs", file.path);
        }
    }
}
