//! Several demands and designs: all combinations, kept as they come, so that an interrupted grid
//! goes on where it stopped.

use super::{LONGEST_MATCHING, Question, design, load};
use crate::study::BUILD;
use crate::study::place::at;
use crate::study::run::Meter;
use crate::study::text::{left, right, width};
use crate::text_file;
use raddle_schemes::rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// What came of a combination, and its place in the grid.
type Found = (usize, Result<Value, String>);

/// All combinations of demands and designs.
#[derive(Debug)]
pub struct Grid {
    question: Question,
    /// The demand and the design of each combination.
    cells: Vec<(String, String)>,
    keys: Vec<String>,
}

/// Rows of a grid, and the file that keeps them.
#[derive(Debug)]
pub struct Kept {
    file: Option<PathBuf>,
    rows: Vec<Option<Value>>,
}

impl Grid {
    /// The grid; what is wrong with a name is told before anything runs.
    ///
    /// # Errors
    /// A name of a demand or of a design is none.
    pub fn new(question: Question, demands: &[&str], designs: &[&str]) -> Result<Self, String> {
        let of = |demand: &str| {
            let demand = demand.to_owned();
            designs.iter().map(move |&design| (demand.clone(), design.to_owned()))
        };
        let cells: Vec<_> = demands.iter().flat_map(|demand| of(demand)).collect();
        let keys = keys(&question, &cells, demands)?;
        Ok(Self { question, cells, keys })
    }

    /// Number of combinations.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The rows that a file holds already.
    ///
    /// # Errors
    /// The file, and what is wrong with it.
    pub fn recall(&self, file: Option<&Path>) -> Result<Kept, String> {
        let kept = file.map_or(Ok(BTreeMap::new()), read)?;
        let rows = self.keys.iter().map(|key| kept.get(key).cloned()).collect();
        Ok(Kept { file: file.map(Path::to_owned), rows })
    }

    /// Evaluates what is open, `threads` combinations at a time. Returns why some came to nothing.
    ///
    /// # Errors
    /// The file cannot be written, and why. Where `stop` became true, some rows stay open.
    pub fn run(
        &self,
        kept: &mut Kept,
        threads: usize,
        stop: &AtomicBool,
        meter: &dyn Meter,
    ) -> Result<Vec<String>, String> {
        let open = kept.open();
        let mut file = kept.file.as_deref().map(append).transpose()?;
        let next = AtomicUsize::new(0);
        let mut failed = Vec::new();
        let (send, receive) = channel::<Found>();
        std::thread::scope(|scope| {
            for _ in 0..threads.min(open.len()) {
                let (send, next, open) = (send.clone(), &next, open.as_slice());
                scope.spawn(move || self.work((open, next), stop, (meter, &send)));
            }
            drop(send);
            for (place, found) in receive {
                match found {
                    Ok(mut row) => {
                        row["key"] = json!(self.keys[place]);
                        if let (Some(file), Some(path)) = (&mut file, &kept.file) {
                            // A line at once, whole or cut: what is cut is not read again.
                            let line = format!("{row}\n");
                            file.write_all(line.as_bytes()).map_err(|error| at(path, error))?;
                        }
                        kept.rows[place] = Some(row);
                    }
                    Err(why) => {
                        let (demand, design) = &self.cells[place];
                        failed.push(format!("{demand}, {design}: {why}"));
                    }
                }
            }
            Ok(failed)
        })
    }

    fn work(
        &self,
        (open, next): (&[usize], &AtomicUsize),
        stop: &AtomicBool,
        (meter, send): (&dyn Meter, &Sender<Found>),
    ) {
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&place) = open.get(number) else { return };
            meter.begin(number, 1);
            let (demand, design) = &self.cells[place];
            let question = &self.question;
            let found = question
                .prepare(demand, design, &mut |_| ())
                .and_then(|prepared| question.answer(&prepared))
                .map(|answer| question.object(demand, design, &answer));
            meter.end(number);
            if send.send((place, found)).is_err() {
                return;
            }
        }
    }
}

impl Kept {
    /// How many combinations are there.
    pub fn count(&self) -> usize {
        self.rows.iter().flatten().count()
    }

    /// Those that are not.
    fn open(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&place| self.rows[place].is_none()).collect()
    }

    /// The object of `raddle.throughput_grid/1`.
    pub fn to_json(&self) -> Value {
        let rows: Vec<&Value> = self.rows.iter().flatten().collect();
        json!({ "schema": "raddle.throughput_grid/1", "rows": rows })
    }

    /// In words, a line for each combination.
    pub fn text(&self) -> String {
        let rows = || self.rows.iter().flatten();
        let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let number = |row: &Value, key: &str| {
            row[key].as_f64().map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
        };
        let demands = rows().map(|row| width(&word(row, "demand"))).max().unwrap_or(0);
        let designs = rows().map(|row| width(&word(row, "design"))).max().unwrap_or(0);
        let bounded = rows().any(|row| row["multi_hop_found"].is_number());
        let keys = ["single_hop", "multi_hop", "multi_hop_found", "bound", "duty"];
        let keys = keys.iter().filter(|key| bounded || **key != "multi_hop_found");
        let keys: Vec<&str> = keys.copied().collect();
        let line = |demand: &str, design: &str, cells: Vec<String>| {
            format!("{}  {}  {}", left(demand, demands), left(design, designs), cells.join("  "))
        };
        let heads = keys.iter().map(|key| right(key, 10.max(key.len()))).collect();
        let mut lines = vec![line("demand", "design", heads)];
        lines.extend(rows().map(|row| {
            let numbers =
                keys.iter().map(|key| right(&number(row, key), 10.max(key.len()))).collect();
            line(&word(row, "demand"), &word(row, "design"), numbers)
        }));
        lines.join("\n")
    }
}

/// What tells each combination of one build, and its settings, from any other: of a demand its
/// name and its rates, which a file may change.
fn keys(
    question: &Question,
    cells: &[(String, String)],
    demands: &[&str],
) -> Result<Vec<String>, String> {
    let Question { nodes, seed, single_hop, within, predicted } = question;
    let within = within.map_or_else(String::new, |gap| format!("|within {gap}"));
    // That demand follows from the design and the prediction, which the key has.
    let mut numbers: BTreeMap<&str, u64> = BTreeMap::from([(LONGEST_MATCHING, 0)]);
    let given = demands.iter().copied().filter(|text| *text != LONGEST_MATCHING);
    for text in given.chain(predicted.as_deref()) {
        let demand = load(text, *nodes, *seed)?.demand;
        let rates = demand.pairs().map(|(_, _, rate)| rate.to_bits());
        numbers.insert(text, rates.fold(demand.nodes() as u64, |sum, rate| rng::mix(sum ^ rate)));
    }
    let named = |text: &str| format!("{text}#{:016x}", numbers[text]);
    let predicted = predicted.as_deref().map(named).unwrap_or_default();
    let key = |(demand, name): &(String, String)| {
        design(name)?;
        let demand = named(demand);
        Ok(format!("{BUILD}|{demand}|{name}|{predicted}|{nodes}|{seed}|{single_hop}{within}"))
    };
    cells.iter().map(key).collect()
}

/// The rows of a file by their keys; none if there is no file.
fn read(path: &Path) -> Result<BTreeMap<String, Value>, String> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = text_file::read(path).map_err(|error| at(path, error))?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut rows = BTreeMap::new();
    for (number, line) in (1..).zip(text[..whole].lines()) {
        let row: Value = serde_json::from_str(line)
            .map_err(|error| format!("{}: line {number}: {error}", path.display()))?;
        if let Some(key) = row["key"].as_str() {
            rows.insert(key.to_owned(), row);
        }
    }
    Ok(rows)
}

/// The file for more rows, without a last line that was cut.
fn append(path: &Path) -> Result<File, String> {
    let failed = |error| at(path, error);
    if let Ok(text) = std::fs::read_to_string(path) {
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            std::fs::write(path, &text[..whole]).map_err(failed)?;
        }
    }
    OpenOptions::new().create(true).append(true).open(path).map_err(failed)
}
