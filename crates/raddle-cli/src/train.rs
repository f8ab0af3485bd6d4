//! `raddle train`: fits what predicts drops for Credence to what longest queue drop does.

use super::output::{note_line, print_line};
use super::{End, ScenarioArguments, input};
use raddle::study::jobs;
use raddle::study::run::Keep;
use raddle::study::tables::{Format, of_run, write_parts};
use raddle::train::{self, Lessons, RECORD, SCHEMES, Settings};
use std::path::PathBuf;

/// Arguments of `raddle train`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Whose oracle.
    #[arg(value_parser = SCHEMES)]
    scheme: String,
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Write the oracle into this file, for `oracle_file` in [fabric] buffer.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write the rows of each seed into this folder, as `seed-N/training.parquet`.
    #[arg(long, value_name = "DIR")]
    rows: Option<PathBuf>,
    /// Trees of a forest.
    #[arg(long, value_name = "N", default_value_t = Settings::default().trees)]
    trees: u16,
    /// Levels of splits of a tree.
    #[arg(long, value_name = "N", default_value_t = Settings::default().depth)]
    depth: u16,
    /// Share of the rows that forests are fitted to; the rest scores them.
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().share)]
    share: f64,
    /// A forest for each switch, not one for all.
    #[arg(long)]
    per_switch: bool,
    /// Seed of the split and of the trees; that of runs is the scenario's.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed())]
    seed: u64,
    /// Seeds of the runs, as 1..5 (both included) or 1,4,9; else the scenario's.
    #[arg(long, value_name = "SEEDS", value_parser = input::seeds)]
    seeds: Option<String>,
    /// Print one JSON object (`raddle.train/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn settings(&self) -> Settings {
        let Self { trees, depth, share, per_switch, seed, .. } = *self;
        Settings { trees, depth, share, per_switch, seed }
    }

    /// What makes the same model, but for the file that it goes to.
    fn command(&self) -> String {
        let set = self.scenario.set.iter().map(|(key, value)| format!(" --set '{key}={value}'"));
        let typed = |own: &String| own.replace(['[', ']', '"', ' '], "");
        let seeds =
            self.seeds.as_ref().map_or(String::new(), |own| format!(" --seeds {}", typed(own)));
        let per_switch = if self.per_switch { " --per-switch" } else { "" };
        format!(
            "raddle train {} {}{}{seeds} --trees {} --depth {} --share {}{per_switch} --seed {}",
            self.scheme,
            self.scenario.file.display(),
            set.collect::<String>(),
            self.trees,
            self.depth,
            self.share,
            self.seed
        )
    }
}

pub(super) fn train(arguments: &Arguments) -> End {
    let settings = arguments.settings();
    if let Err(why) = settings.check() {
        return input::refuse_text(&why);
    }
    let mut set = input::with_seeds(&arguments.scenario.set, arguments.seeds.as_ref());
    set.push((RECORD.to_owned(), "true".to_owned()));
    let study = match input::load_file(&arguments.scenario.file, &set) {
        Ok(study) => study,
        Err(end) => return end,
    };
    if study.cells.len() > 1 {
        let cells = study.cells.len();
        return input::refuse_text(&format!(
            "{} is a sweep of {cells} scenarios; `--set PATH=VALUE` chooses one",
            study.name
        ));
    }
    let jobs = jobs::jobs(&study, None);
    if let Err(end) = input::fit(&jobs, jobs.len()) {
        return end;
    }
    let stop = input::interruption();
    let results = input::with_runner(jobs.len(), (1, 1), &stop, arguments.json, |runner| {
        runner.run(&jobs, &Keep)
    });
    let end = input::report_failures(&jobs, &results);
    if !matches!(end, End::Done) {
        return end;
    }
    let mut lessons = Lessons::default();
    for (job, run) in jobs.iter().zip(results.into_iter().flatten()) {
        lessons.add(&run.plan, &run.outcome);
        let Some(folder) = &arguments.rows else { continue };
        let folder = folder.join(format!("seed-{}", job.seed));
        let made = std::fs::create_dir_all(&folder);
        if let Err(why) = made {
            note_line!("error: {}: {why}", folder.display());
            return End::Failed;
        }
        let tables = of_run(&job.scenario, &run.plan, &run.outcome, &run.ideals);
        for table in tables.iter().filter(|table| table.name() == "training") {
            if let Err(why) = write_parts(&folder, table, Format::Parquet) {
                note_line!("error: {why}");
                return End::Failed;
            }
        }
    }
    let model = match train::train(&lessons, &settings) {
        Ok(model) => model,
        Err(why) => return input::refuse_text(&format!("{}: {why}", study.name)),
    };
    let origin = [arguments.command(), format!("scenario {}", study.cells[0].scenario.hash())];
    if let Err(why) = std::fs::write(&arguments.out, model.text(&origin)) {
        note_line!("error: {}: {why}", arguments.out.display());
        return End::Failed;
    }
    if arguments.json {
        print_line!("{}", model.json());
        return End::Done;
    }
    let (rows, dropped) = model.rows;
    print_line!("{rows} packets, {dropped} of them dropped");
    model.scores.lines().iter().for_each(|line| print_line!("{line}"));
    if settings.per_switch {
        for (name, scores) in &model.of_switches {
            print_line!("{name}: {}", scores.lines().join("; "));
        }
    }
    note_line!("wrote {}", arguments.out.display());
    End::Done
}
