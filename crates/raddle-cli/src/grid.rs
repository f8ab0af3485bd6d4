//! `raddle throughput` of several demands and designs: all combinations, kept as they come, so that
//! an interrupted grid goes on where it stopped.

use super::output::{note_line, print_line};
use super::throughput::{Arguments, LONGEST_MATCHING, answer, design, load, object, prepare};
use super::{End, input};
use raddle::study::progress::Bar;
use raddle::study::run::Meter;
use raddle::study::store::at;
use raddle::study::text::{left, right, width};
use raddle_schemes::rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// A combination: its demand and its design.
type Cell<'a> = (&'a str, &'a str);

/// What came of a combination, and its place in the grid.
type Found = (usize, Result<Value, String>);

pub(super) fn grid(arguments: &Arguments) -> End {
    let cells = cells(arguments);
    // What is wrong with a name is told before anything runs.
    let keys = match keys(arguments, &cells) {
        Ok(keys) => keys,
        Err(why) => return input::refuse_text(&why),
    };
    let kept = match arguments.out.as_deref().map_or(Ok(BTreeMap::new()), read) {
        Ok(kept) => kept,
        Err(why) => return input::refuse_text(&why),
    };
    let mut rows: Vec<Option<Value>> = keys.iter().map(|key| kept.get(key).cloned()).collect();
    let there = rows.iter().flatten().count();
    if there > 0 {
        note_line!("{} combinations, {there} of them there already", cells.len());
    }
    let stop = input::interruption();
    match run(arguments, (&cells, &keys), &mut rows, &stop) {
        Ok(failed) => {
            show(arguments, &rows);
            if failed { End::Failed } else { End::Done }
        }
        Err(why) => {
            note_line!("error: {why}");
            End::Failed
        }
    }
}

fn cells(arguments: &Arguments) -> Vec<Cell<'_>> {
    let demands: Vec<&str> = arguments.all_demands().collect();
    let designs = || arguments.all_designs();
    demands.iter().flat_map(|&demand| designs().map(move |design| (demand, design))).collect()
}

/// Evaluates what is open; whether some combination came to nothing.
fn run(
    arguments: &Arguments,
    (cells, keys): (&[Cell<'_>], &[String]),
    rows: &mut [Option<Value>],
    stop: &AtomicBool,
) -> Result<bool, String> {
    let open: Vec<usize> = (0..cells.len()).filter(|&place| rows[place].is_none()).collect();
    let mut file = arguments.out.as_deref().map(append).transpose()?;
    let threads = input::parallel(arguments.parallel, 1).min(open.len());
    let (next, mut failed) = (AtomicUsize::new(0), false);
    let bar = (!arguments.json).then(|| Bar::on_stderr(open.len()));
    let meter: &dyn Meter = bar.as_ref().map_or(&(), |bar| bar);
    let (send, receive) = channel::<Found>();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, next, open) = (send.clone(), &next, open.as_slice());
            scope.spawn(move || work(arguments, cells, (open, next), stop, (meter, &send)));
        }
        drop(send);
        for (place, found) in receive {
            match found {
                Ok(mut row) => {
                    row["key"] = json!(keys[place]);
                    if let (Some(file), Some(path)) = (&mut file, &arguments.out) {
                        // A line at once, whole or cut: what is cut is not read again.
                        let line = format!("{row}\n");
                        file.write_all(line.as_bytes()).map_err(|error| at(path, error))?;
                    }
                    rows[place] = Some(row);
                }
                Err(why) => {
                    note_line!("error: {}, {}: {why}", cells[place].0, cells[place].1);
                    failed = true;
                }
            }
        }
        Ok::<(), String>(())
    })?;
    if let Some(bar) = bar {
        bar.clear();
    }
    match stop.load(Ordering::Relaxed) {
        true if arguments.out.is_some() => Err("interrupted; the same command goes on".to_owned()),
        true => Err("interrupted".to_owned()),
        false => Ok(failed),
    }
}

fn work(
    arguments: &Arguments,
    cells: &[Cell<'_>],
    (open, next): (&[usize], &AtomicUsize),
    stop: &AtomicBool,
    (meter, send): (&dyn Meter, &Sender<Found>),
) {
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(&place) = open.get(number) else { return };
        meter.begin(number, 1);
        let cell = cells[place];
        let found = prepare(arguments, cell.0, cell.1, &mut |_| ());
        let found = found
            .and_then(|prepared| answer(arguments, &prepared))
            .map(|answer| object(arguments, cell.0, cell.1, &answer));
        meter.end(number);
        if send.send((place, found)).is_err() {
            return;
        }
    }
}

/// What tells each combination of one build, and its settings, from any other: of a demand its
/// name and its rates, which a file may change.
///
/// # Errors
/// A name of a demand or of a design is none.
fn keys(arguments: &Arguments, cells: &[Cell<'_>]) -> Result<Vec<String>, String> {
    let Arguments { nodes, seed, single_hop, predicted, .. } = arguments;
    // That demand follows from the design and the prediction, which the key has.
    let mut numbers: BTreeMap<&str, u64> = BTreeMap::from([(LONGEST_MATCHING, 0)]);
    let given = arguments.all_demands().filter(|text| *text != LONGEST_MATCHING);
    for text in given.chain(predicted.as_deref()) {
        let demand = load(text, *nodes, *seed)?.demand;
        let rates = demand.pairs().map(|(_, _, rate)| rate.to_bits());
        numbers.insert(text, rates.fold(demand.nodes() as u64, |sum, rate| rng::mix(sum ^ rate)));
    }
    let named = |text: &str| format!("{text}#{:016x}", numbers[text]);
    let predicted = predicted.as_deref().map(named).unwrap_or_default();
    let build = raddle::study::BUILD;
    let key = |&(demand, name): &Cell<'_>| {
        design(name)?;
        let demand = named(demand);
        Ok(format!("{build}|{demand}|{name}|{predicted}|{nodes}|{seed}|{single_hop}"))
    };
    cells.iter().map(key).collect()
}

/// The rows of a file by their keys; none if there is no file.
fn read(path: &Path) -> Result<BTreeMap<String, Value>, String> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(path).map_err(|error| at(path, error))?;
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

fn show(arguments: &Arguments, rows: &[Option<Value>]) {
    let rows = || rows.iter().flatten();
    if arguments.json {
        let rows: Vec<Value> = rows().cloned().collect();
        print_line!("{}", json!({ "schema": "raddle.throughput_grid/1", "rows": rows }));
        return;
    }
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let number = |row: &Value, key: &str| {
        row[key].as_f64().map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
    };
    let demands = rows().map(|row| width(&word(row, "demand"))).max().unwrap_or(0);
    let designs = rows().map(|row| width(&word(row, "design"))).max().unwrap_or(0);
    let keys = ["single_hop", "multi_hop", "bound", "duty"];
    let heads: Vec<String> = keys.iter().map(|key| right(key, 10)).collect();
    print_line!("{}  {}  {}", left("demand", demands), left("design", designs), heads.join("  "));
    for row in rows() {
        let numbers: Vec<String> = keys.iter().map(|key| right(&number(row, key), 10)).collect();
        let (demand, design) = (word(row, "demand"), word(row, "design"));
        print_line!(
            "{}  {}  {}",
            left(&demand, demands),
            left(&design, designs),
            numbers.join("  ")
        );
    }
}
