//! `raddle throughput` of several demands and designs: all combinations, kept as they come, so that
//! an interrupted grid goes on where it stopped.

use super::output::{note_line, print_line};
use super::throughput::Arguments;
use super::{End, input};
use raddle::study::progress::Bar;
use raddle::throughput::Grid;
use std::sync::atomic::Ordering;

pub(super) fn grid(arguments: &Arguments) -> End {
    let demands: Vec<&str> = arguments.all_demands().collect();
    let designs: Vec<&str> = arguments.all_designs().collect();
    let made = Grid::new(arguments.question(), &demands, &designs)
        .and_then(|grid| grid.recall(arguments.out.as_deref()).map(|kept| (grid, kept)));
    let (grid, mut kept) = match made {
        Ok(made) => made,
        Err(why) => return input::refuse_text(&why),
    };
    let there = kept.count();
    if there > 0 {
        note_line!("{} combinations, {there} of them there already", grid.len());
    }
    let stop = input::interruption();
    let bar = (!arguments.json).then(|| Bar::on_stderr(grid.len() - there));
    let threads = input::parallel(arguments.parallel, 1);
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
        let goes_on = arguments.out.as_ref().map_or("", |_| "; the same command goes on");
        note_line!("error: interrupted{goes_on}");
        return End::Failed;
    }
    if arguments.json {
        print_line!("{}", kept.to_json());
    } else {
        print_line!("{}", kept.text());
    }
    if failed.is_empty() { End::Done } else { End::Failed }
}
