//! `raddle throughput` of several demands and designs: all combinations, kept as they come, so that
//! an interrupted grid goes on where it stopped.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::study::progress::Bar;
use raddle::throughput::{Grid, Question};
use std::path::Path;
use std::sync::atomic::Ordering;

/// What is evaluated, where it is kept, and how it is shown.
pub(super) struct Asked<'a> {
    pub(super) question: Question,
    pub(super) demands: Vec<&'a str>,
    pub(super) designs: Vec<&'a str>,
    pub(super) out: Option<&'a Path>,
    pub(super) parallel: Option<usize>,
    pub(super) json: bool,
}

pub(super) fn grid(asked: Asked<'_>) -> End {
    let made = Grid::new(asked.question, &asked.demands, &asked.designs)
        .and_then(|grid| grid.recall(asked.out).map(|kept| (grid, kept)));
    let (grid, mut kept) = match made {
        Ok(made) => made,
        Err(why) => return input::refuse_text(&why),
    };
    let there = kept.count();
    if there > 0 {
        note_line!("{} combinations, {there} of them there already", grid.len());
    }
    let stop = input::interruption();
    let bar = (!asked.json).then(|| Bar::on_stderr(grid.len() - there));
    let threads = input::parallel(asked.parallel, 1);
    let run = grid.run(&mut kept, threads, &stop, bar.as_ref().map_or(&(), |bar| bar));
    if let Some(bar) = bar {
        bar.clear();
    }
    let failed = match run {
        Ok(failed) => failed,
        Err(why) => {
            note_line!("error: {why}");
            return End::Failed;
        }
    };
    failed.iter().for_each(|why| note_line!("error: {why}"));
    if stop.load(Ordering::Relaxed) {
        let goes_on = asked.out.map_or("", |_| "; the same command goes on");
        note_line!("error: interrupted{goes_on}");
        return End::Failed;
    }
    if asked.json {
        print_line!("{}", kept.to_json());
    } else {
        print_line!("{}", kept.text());
    }
    if failed.is_empty() { End::Done } else { End::Failed }
}
