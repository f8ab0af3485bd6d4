//! The comparison as one screen of plain text.

use super::{Cell, Comparison, Standing};
use crate::study::metric::COMPLETION;
use crate::study::stats::{SIGNIFICANCE, Spread};
use crate::study::text::{left, percent, plural, right, width, wrap};
use std::fmt::Write;

/// Between columns.
const GAP: usize = 3;
/// Before every line but the title.
const INDENT: usize = 2;

impl Comparison {
    /// The whole screen: title, table, answer, and what the signs mean. Plain text; columns that do
    /// not fit into `cells` terminal cells go below the others.
    pub fn screen(&self, cells: usize) -> String {
        let mut text = String::new();
        for line in self.head(cells) {
            let _ = writeln!(text, "{line}");
        }
        for line in self.table(cells) {
            let _ = writeln!(text, "{line}");
        }
        let answer = self.answer();
        if !answer.is_empty() {
            text.push('\n');
        }
        for sentence in answer {
            for line in wrap(&sentence, cells.saturating_sub(INDENT)) {
                let _ = writeln!(text, "  {line}");
            }
        }
        let legend = self.legend(cells.saturating_sub(INDENT));
        if !legend.is_empty() {
            text.push('\n');
        }
        for line in legend {
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    /// Title and seeds, and the bound if all columns share it.
    fn head(&self, cells: usize) -> Vec<String> {
        let seeds = plural(self.input.seeds.len() as u64, "seed");
        let title = format!("{}, {seeds}{}", self.input.title, self.asked_text());
        let bound = self.shared_bound().unwrap_or_default();
        let line = format!("{title}        {bound}");
        if width(line.trim_end()) <= cells {
            return vec![line.trim_end().to_string()];
        }
        let mut lines = wrap(&title, cells);
        lines.extend((!bound.is_empty()).then_some(bound));
        lines
    }

    /// What is asked, where it is not the completion of the run.
    fn asked_text(&self) -> String {
        let metric = self.input.metric;
        let job = self.input.job.as_ref().map(|job| format!(" of {job}")).unwrap_or_default();
        if *metric == COMPLETION && job.is_empty() {
            return String::new();
        }
        format!(": {}{job}, {} is better", metric.title, metric.better.word())
    }

    fn shared_bound(&self) -> Option<String> {
        let bounds: Vec<Option<String>> =
            (0..self.input.columns.len()).map(|column| self.bound_text(column)).collect();
        let first = bounds.first()?.clone()?;
        bounds.iter().all(|bound| bound.as_ref() == Some(&first)).then_some(first)
    }

    fn bound_text(&self, column: usize) -> Option<String> {
        let column = &self.input.columns[column];
        let bounds: Vec<f64> = column.bounds.iter().copied().flatten().collect();
        let mean = Spread::of(&bounds)?.mean;
        let name = column.bound.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
        Some(format!("bound {}{name}", self.input.metric.text(mean)))
    }

    fn table(&self, cells: usize) -> Vec<String> {
        let labels = self.input.rows.iter().map(|row| width(row)).max().unwrap_or(0);
        let blocks: Vec<Block> =
            (0..self.input.columns.len()).map(|column| self.block(column)).collect();
        let mut lines = Vec::new();
        let mut start = 0;
        while start < blocks.len() {
            let mut used = INDENT + labels;
            let fits = blocks[start..]
                .iter()
                .take_while(|block| {
                    used += GAP + block.width;
                    used <= cells
                })
                .count();
            let end = start + fits.max(1);
            lines.push(String::new());
            let count = blocks[start].lines.len();
            for i in 0..count {
                // Header lines come first; the last lines are the rows.
                let row = (i + self.input.rows.len()).checked_sub(count);
                let label = row.map_or("", |row| &self.input.rows[row]);
                let mut line = format!("{}{}", " ".repeat(INDENT), left(label, labels));
                for block in &blocks[start..end] {
                    line.push_str(&" ".repeat(GAP));
                    line.push_str(&left(&block.lines[i], block.width));
                }
                lines.push(line.trim_end().to_string());
            }
            start = end;
        }
        lines
    }

    /// Name, bound if the columns' bounds differ, and one line per row.
    fn block(&self, column: usize) -> Block {
        let mut lines = Vec::new();
        if self.input.columns.iter().any(|column| !column.name.is_empty()) {
            lines.push(format!("  {}", self.input.columns[column].name));
        }
        let any_bound = self.input.columns.iter().any(|c| c.bounds.iter().any(Option::is_some));
        if any_bound && self.shared_bound().is_none() {
            let bound = self.bound_text(column).unwrap_or_else(|| "no known bound".to_string());
            lines.push(format!("  {bound}"));
        }
        let layout = Layout::of(self, column);
        lines.extend(self.cells.iter().map(|row| layout.cell(&row[column])));
        let width = lines.iter().map(|line| width(line)).max().unwrap_or(0);
        Block { lines, width }
    }

    /// What the signs mean, in as few lines as fit.
    fn legend(&self, cells: usize) -> Vec<String> {
        let compared = self.input.rows.len() > 1;
        let same = self.cells.iter().flatten().any(|cell| cell.standing == Standing::Same);
        let same = same.then(|| "= the same runs, bit for bit".to_string());
        let Some(test) = self.test() else {
            if !compared {
                return Vec::new();
            }
            let one = "* first   ~ level with it   one seed says nothing about chance".to_string();
            return std::iter::once(one).chain(same).collect();
        };
        let seeds = plural(self.input.seeds.len() as u64, "seed");
        let test = test.text();
        let items = vec![
            "* first".to_string(),
            format!("~ {seeds} do not tell it from the first ({test}, p >= {SIGNIFICANCE})"),
            "± 95 % confidence interval of the mean".to_string(),
        ];
        let mut lines: Vec<String> = Vec::new();
        // Signs tell rows apart; one row has none but its interval.
        for item in items.into_iter().skip(if compared { 0 } else { 2 }).chain(same) {
            match lines.last_mut() {
                Some(line) if width(line) + GAP + width(&item) <= cells => {
                    line.push_str(&" ".repeat(GAP));
                    line.push_str(&item);
                }
                _ => lines.push(item),
            }
        }
        lines.iter().flat_map(|line| wrap(line, cells)).collect()
    }
}

struct Block {
    lines: Vec<String>,
    width: usize,
}

/// How the numbers of a column are written so that they line up.
struct Layout {
    unit: &'static str,
    scale: f64,
    decimals: usize,
    seeds: usize,
    /// Whether there is no other row.
    alone: bool,
    mean: usize,
    half: usize,
    increase: usize,
}

impl Layout {
    fn of(comparison: &Comparison, column: usize) -> Self {
        let all = comparison.cells.iter().flatten().filter_map(|cell| cell.spread);
        let most = all.map(|spread| spread.mean).fold(0.0, f64::max);
        let (unit, scale) = comparison.input.metric.unit.scale(most);
        let cells = || comparison.cells.iter().map(|row| &row[column]);
        let spreads = || cells().filter_map(|cell| cell.spread);
        let decimals = spreads().map(|spread| decimals(&spread, scale)).max().unwrap_or(0);
        let seeds = comparison.input.seeds.len();
        let alone = comparison.cells.len() == 1;
        let mut layout =
            Self { unit, scale, decimals, seeds, alone, mean: 0, half: 0, increase: 0 };
        let widest = |of: &dyn Fn(&Cell) -> String| cells().map(|c| width(&of(c))).max();
        let mean = widest(&|cell| layout.mean_text(cell)).unwrap_or(0);
        let half = widest(&|cell| layout.half_text(cell)).unwrap_or(0);
        let increase = widest(&|cell| increase_text(cell)).unwrap_or(0);
        (layout.mean, layout.half, layout.increase) = (mean, half, increase);
        layout
    }

    fn mean_text(&self, cell: &Cell) -> String {
        let Some(spread) = cell.spread else { return String::new() };
        format!("{:.*}", self.decimals, spread.mean / self.scale)
    }

    fn half_text(&self, cell: &Cell) -> String {
        let half = cell.spread.and_then(|spread| spread.ci95_half);
        half.map_or(String::new(), |half| format!(" ±{:.*}", self.decimals, half / self.scale))
    }

    fn cell(&self, cell: &Cell) -> String {
        let sign = match cell.standing {
            Standing::First if self.alone => ' ',
            Standing::First => '*',
            Standing::Level => '~',
            Standing::Same => '=',
            Standing::Behind => ' ',
            Standing::Out => return format!("  {}", self.out_text(cell)),
        };
        format!(
            "{sign} {}{}{}{}  {}",
            right(&self.mean_text(cell), self.mean),
            left(&self.half_text(cell), self.half),
            if self.unit.is_empty() { "" } else { " " },
            self.unit,
            right(&increase_text(cell), self.increase)
        )
    }

    fn out_text(&self, cell: &Cell) -> String {
        let seeds = |n: usize| {
            if n == self.seeds { String::new() } else { format!(" in {n}/{} seeds", self.seeds) }
        };
        let mut parts = Vec::new();
        if cell.never > 0 {
            let stuck = plural(cell.stuck, "flow");
            parts.push(format!("never{} ({stuck} stuck)", seeds(cell.never)));
        }
        if cell.missing > 0 {
            parts.push(format!("failed{}", seeds(cell.missing)));
        }
        if cell.unmeasured > 0 {
            parts.push(format!("not resolved{}", seeds(cell.unmeasured)));
        }
        parts.join(", ")
    }
}

fn increase_text(cell: &Cell) -> String {
    cell.increase_pct.map_or(String::new(), percent)
}

/// Decimals that give the mean three digits, and the interval one, but the mean no more than five.
fn decimals(spread: &Spread, scale: f64) -> usize {
    let digits_before = |value: f64| value.abs().log10().floor() as i32 + 1;
    let mean = spread.mean / scale;
    if mean <= 0.0 {
        return 0;
    }
    let before = digits_before(mean);
    let half = spread.ci95_half.filter(|half| *half > 0.0);
    let wanted = half.map_or(0, |half| 1 - digits_before(half / scale)).max(3 - before);
    wanted.clamp(0, (5 - before).max(0)) as usize
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn a_comparison_reads_as_this() {
        assert_eq!(Comparison::new(example()).screen(100), WIDE);
    }

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let screen = Comparison::new(example()).screen(60);
        assert!(screen.lines().all(|line| width(line) <= 60), "{screen}");
        assert_eq!(screen.matches("\n  reps   *").count(), 2, "{screen}");
    }

    #[test]
    fn names_in_any_alphabet_line_up() {
        let mut input = example();
        input.rows[1] = "喷洒".into();
        input.columns[0].name = "größte Störung".into();
        let screen = Comparison::new(input).screen(100);
        let at = |row: &str| {
            let line = screen.lines().find(|line| line.contains(row)).unwrap();
            width(line.split('±').next().unwrap())
        };
        assert_eq!(at("喷洒"), at("* 185"), "{screen}");
    }

    #[test]
    fn a_bound_that_all_share_stands_in_the_title() {
        let mut input = example();
        input.columns[1].bounds = vec![Some(176.0); 5];
        let screen = Comparison::new(input.clone()).screen(110);
        assert!(
            screen.lines().next().unwrap().ends_with("5 seeds        bound 176.0 us (permutation)")
        );
        assert_eq!(screen.matches("bound").count(), 1);
        for column in &mut input.columns {
            column.bounds = vec![None; 5];
        }
        let screen = Comparison::new(input).screen(110);
        assert!(!screen.contains("bound") && !screen.contains("+5.1 %"), "{screen}");
    }

    #[test]
    fn seeds_that_do_not_finish_or_have_no_run_are_counted() {
        let mut input = example();
        input.values[1][0][2] = None;
        input.unfinished[1][0][2] = Some(1);
        input.values[1][1][0] = None;
        input.unfinished[1][1][0] = None;
        let screen = Comparison::new(input).screen(110);
        assert!(screen.contains("ops      never in 1/5 seeds (1 flow stuck)"), "{screen}");
        assert!(screen.contains("failed in 1/5 seeds"), "{screen}");
    }

    proptest::proptest! {
        #[test]
        fn any_comparison_fits_and_lines_up(
            values in proptest::collection::vec(
                proptest::option::weighted(0.95, 1e-3..1e5f64), 3 * 2 * 5),
            cells in 70..160usize,
        ) {
            let mut input = example();
            for (i, value) in values.into_iter().enumerate() {
                let (row, column, seed) = (i / 10, i / 5 % 2, i % 5);
                input.values[row][column][seed] = value;
                input.unfinished[row][column][seed] = Some(u64::from(value.is_none()));
            }
            let screen = Comparison::new(input.clone()).screen(cells);
            proptest::prop_assert!(screen.lines().all(|line| width(line) <= cells), "{}", screen);
            input.columns.truncate(1);
            let screen = Comparison::new(input).screen(cells);
            let rows = screen.lines().filter(|line| line.contains(" ±") && !line.contains("± 95 %"));
            let signs: Vec<usize> =
                rows.map(|line| width(line.split(" ±").next().unwrap_or(line))).collect();
            proptest::prop_assert!(signs.windows(2).all(|w| w[0] == w[1]), "{}", screen);
        }
    }

    const WIDE: &str = "\
128 GPUs, 3-tier fat tree, 400 Gbps, 8 MiB permutation, 5 seeds

           healthy                          one uplink dead
           bound 176.0 us (permutation)     bound 200.0 us (permutation)
  ecmp     742.0 ±5.3 us  +322 %            never (4 flows stuck)
  ops      196.0 ±1.0 us   +11 %          ~ 250 ±7 us  +25 %
  reps   * 185.0 ±0.2 us  +5.1 %          * 249 ±2 us  +25 %

  reps finishes first (healthy).
  reps has the lowest mean (one uplink dead), but 5 seeds do not support a difference between reps
  and ops.
  Against reps, ops takes 5.9 % longer (healthy, p < 0.001); takes as long, as far as 5 seeds can
  tell (one uplink dead, p = 0.63).
  Against healthy, one uplink dead takes 35 % longer (with reps, p < 0.001); takes 28 % longer (with
  ops, p < 0.001).

  * first   ~ 5 seeds do not tell it from the first (paired t-test, p >= 0.05)
  ± 95 % confidence interval of the mean
";
}
