//! Training what predicts drops for Credence (spec, 2.8 and 2.9): rows of runs under the policy that
//! the oracle is to imitate, a random forest, scores on rows that it has not seen.
//!
//! The same rows, settings and seed give the same model to the bit.

mod forest;
mod scores;

pub use scores::Scores;

use raddle_schemes::buffer::credence;
use raddle_schemes::buffer::forest::{Forest, Forests};
use raddle_schemes::rng::Rng;
use raddle_sim::plan::Plan;
use raddle_sim::record::{Outcome, TrainingRow};
use serde_json::{Value, json};

/// Whose oracles can be trained.
pub const SCHEMES: [&str; 1] = [credence::CARD.name];

/// The key that has a run keep its rows.
pub const RECORD: &str = "record.training";

/// The most trees, and levels of one.
pub const MOST: (u16, u16) = (128, 16);

/// How a model is fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Trees of a forest.
    pub trees: u16,
    /// Levels of splits of a tree.
    pub depth: u16,
    /// Share of the rows that forests are fitted to; the rest scores them.
    pub share: f64,
    /// Whether each switch has a forest of its own.
    pub per_switch: bool,
    /// Of the split and of the trees.
    pub seed: u64,
}

impl Default for Settings {
    /// The released trainer's: `test_size` 0.6.
    fn default() -> Self {
        Self { trees: 4, depth: 4, share: 0.4, per_switch: false, seed: 1 }
    }
}

impl Settings {
    /// Whether they can be had.
    ///
    /// # Errors
    /// Which cannot, and what would do.
    pub fn check(&self) -> Result<(), String> {
        let (trees, depth) = MOST;
        if !(1..=trees).contains(&self.trees) {
            return Err(format!("{} trees: expected 1 to {trees}", self.trees));
        }
        if !(1..=depth).contains(&self.depth) {
            return Err(format!("trees of {} levels: expected 1 to {depth}", self.depth));
        }
        if !(self.share > 0.0 && self.share < 1.0) {
            return Err(format!("a share of {}: expected one between 0 and 1", self.share));
        }
        Ok(())
    }
}

/// Rows of a fabric's switches, of one or several runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lessons {
    switches: Vec<Lesson>,
}

/// Those of a switch.
#[derive(Clone, Debug, PartialEq)]
struct Lesson {
    name: String,
    /// Its queues of data.
    queues: u64,
    rows: Vec<TrainingRow>,
}

impl Lessons {
    /// Adds the rows of a run.
    pub fn add(&mut self, plan: &Plan, outcome: &Outcome) {
        if self.switches.is_empty() {
            let of = |switch: &raddle_sim::topology::Switch| Lesson {
                name: switch.name.clone(),
                queues: switch.ports.len() as u64 * u64::from(plan.queue.classes),
                rows: Vec::new(),
            };
            self.switches = plan.fabric.switches.iter().map(of).collect();
        }
        for (lesson, rows) in self.switches.iter_mut().zip(&outcome.training) {
            lesson.rows.extend(rows);
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.switches.iter().map(|lesson| lesson.rows.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many are of packets that were dropped.
    pub fn dropped(&self) -> usize {
        let rows = self.switches.iter().flat_map(|lesson| &lesson.rows);
        rows.filter(|row| row.dropped).count()
    }
}

/// A trained oracle.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How it was fitted.
    pub settings: Settings,
    /// What predicts.
    pub forests: Forests,
    /// On all rows that forests were not fitted to.
    pub scores: Scores,
    /// The same switch by switch.
    pub of_switches: Vec<(String, Scores)>,
    /// Rows, and how many of them are drops.
    pub rows: (usize, usize),
}

/// Fits forests to a part of the rows, and scores them on the rest.
///
/// # Errors
/// Why there is nothing to learn.
pub fn train(lessons: &Lessons, settings: &Settings) -> Result<Model, String> {
    settings.check()?;
    if lessons.dropped() == 0 {
        return Err(format!(
            "nothing was dropped in {} rows, so that there is nothing to learn: expected more load, \
             larger bursts or less memory",
            lessons.len()
        ));
    }
    let parts: Vec<_> =
        (0..).zip(&lessons.switches).map(|(i, own)| split(own, i, settings)).collect();
    let fit = |rows: &[TrainingRow], switch: u64| {
        forest::fit(rows, settings, Rng::new(settings.seed, "oracle trees", switch).next_u64())
    };
    let forests: Vec<Forest> = if settings.per_switch {
        (1..).zip(&parts).map(|(i, (rows, _))| fit(rows, i)).collect()
    } else {
        let rows: Vec<TrainingRow> = parts.iter().flat_map(|(rows, _)| rows).copied().collect();
        vec![fit(&rows, 0)]
    };
    let forests = Forests::new(forests);
    let of_switches: Vec<(String, Scores)> = (0..)
        .zip(lessons.switches.iter().zip(&parts))
        .map(|(i, (own, (_, rest)))| {
            (own.name.clone(), Scores::of(forests.of(i), rest, own.queues))
        })
        .collect();
    let scores = of_switches.iter().map(|(_, scores)| scores).sum();
    let rows = (lessons.len(), lessons.dropped());
    Ok(Model { settings: settings.clone(), forests, scores, of_switches, rows })
}

/// The scores of one forest's first trees, as many as each of `counts` says: a forest's trees do not
/// depend on how many follow.
///
/// # Errors
/// As [`train`], and where each switch has a forest of its own.
pub fn by_trees(
    lessons: &Lessons,
    settings: &Settings,
    counts: &[u16],
) -> Result<Vec<Scores>, String> {
    if settings.per_switch {
        return Err("scores by trees are those of one forest for all switches".to_owned());
    }
    let trees = counts.iter().copied().max().unwrap_or(settings.trees);
    let model = train(lessons, &Settings { trees, ..settings.clone() })?;
    let parts: Vec<_> = (0..)
        .zip(&lessons.switches)
        .map(|(i, own)| (own.queues, split(own, i, settings).1))
        .collect();
    let scores = |&count: &u16| {
        let forest = model.forests.of(0).first(count.into());
        let own = parts.iter().map(|(queues, rest)| Scores::of(&forest, rest, *queues));
        own.collect::<Vec<_>>().iter().sum()
    };
    Ok(counts.iter().map(scores).collect())
}

/// A switch's rows: those to fit to, and the rest, drawn.
fn split(own: &Lesson, switch: u64, settings: &Settings) -> (Vec<TrainingRow>, Vec<TrainingRow>) {
    let mut rows = own.rows.clone();
    Rng::new(settings.seed, "oracle split", switch).shuffle(&mut rows);
    let rest = rows.split_off((rows.len() as f64 * settings.share).round() as usize);
    (rows, rest)
}

impl Model {
    /// The file that `oracle_file` takes: what it is in comments, then the forests. `origin` says what
    /// made it, a line each.
    pub fn text(&self, origin: &[String]) -> String {
        let (rows, dropped) = self.rows;
        let mut text = String::from("# What predicts drops for `credence` (`oracle_file`).\n");
        origin.iter().for_each(|line| text.push_str(&format!("# {line}\n")));
        text.push_str(&format!("# {rows} packets, {dropped} of them dropped\n"));
        self.scores.lines().iter().for_each(|line| text.push_str(&format!("# {line}\n")));
        let forests = self.forests.to_string().replace("; ", ";\n").replace(" | ", " |\n");
        text + &forests + "\n"
    }

    /// The JSON object `raddle.train/1`.
    pub fn json(&self) -> Value {
        let Settings { trees, depth, share, per_switch, seed } = &self.settings;
        let of_switch = |(name, scores): &(String, Scores)| {
            let mut own = scores.json();
            own["switch"] = json!(name);
            own
        };
        json!({
            "schema": "raddle.train/1", "scheme": SCHEMES[0],
            "trees": trees, "depth": depth, "share": share, "per_switch": per_switch, "seed": seed,
            "rows": self.rows.0, "dropped": self.rows.1, "scores": self.scores.json(),
            "switches": self.of_switches.iter().map(of_switch).collect::<Vec<_>>(),
            "oracle": self.forests.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use raddle_schemes::buffer::forest::Features;
    use raddle_sim::engine;
    use std::path::Path;

    /// Packets that find a long queue in a full memory are dropped.
    fn lessons(switches: u64, rows: u64) -> Lessons {
        let mut rng = Rng::new(7, "lessons", 0);
        let mut of = |switch: u64| {
            let row = |rng: &mut Rng| {
                let (queue, occupancy) = (rng.below(100_000), rng.below(1_000_000));
                let (queue_average, occupancy_average) = (queue, occupancy);
                let found = Features { queue, queue_average, occupancy, occupancy_average };
                // The longest queue that survives differs from switch to switch.
                let dropped = queue > 80_000 - 40_000 * switch && occupancy > 900_000;
                TrainingRow { found, dropped }
            };
            let rows = (0..rows).map(|_| row(&mut rng)).collect();
            Lesson { name: format!("tor{switch}"), queues: 20, rows }
        };
        Lessons { switches: (0..switches).map(&mut of).collect() }
    }

    #[test]
    fn a_rule_of_two_features_is_found_again_to_the_bit() {
        let lessons = lessons(1, 20_000);
        let settings = Settings::default();
        let model = train(&lessons, &settings).unwrap();
        assert!(model.scores.accuracy() > 0.995, "{:?}", model.scores);
        assert!(model.scores.precision().unwrap() > 0.9 && model.scores.recall().unwrap() > 0.9);
        assert_eq!(model.scores.all(), 12_000);
        assert_eq!(train(&lessons, &settings).unwrap(), model);
        let other = train(&lessons, &Settings { seed: 2, ..settings }).unwrap();
        assert_ne!(other.forests, model.forests);
        // What is written is read again.
        let text = model.text(&["raddle train credence x".to_owned()]);
        assert_eq!(text.parse::<Forests>().unwrap(), model.forests);
        assert!(text.starts_with("# What predicts drops"), "{text}");
        assert_eq!(model.forests.to_string().matches(';').count(), 3);
    }

    #[test]
    fn a_forest_for_each_switch_knows_its_switch() {
        let lessons = lessons(2, 20_000);
        let accuracy = |per_switch| {
            let settings = Settings { per_switch, ..Settings::default() };
            train(&lessons, &settings).unwrap().scores.accuracy()
        };
        let (own, one) = (accuracy(true), accuracy(false));
        assert!(own > 0.99 && one < own - 0.005, "{own}, {one}");
    }

    const FABRIC: &str = "[fabric]\ntopology = { kind = \"leaf_spine\", leaves = 2, \
         hosts_per_leaf = 4, spines = 2, rate = \"10 Gbps\", uplink_rate = \"10 Gbps\" }\n\
         queue = { size = \"unlimited\", marking = { scheme = \"none\" } }\n";
    const TRAFFIC: &str = "[transport]\ncongestion = { scheme = \"cubic\" }\n[traffic]\nkind = \"incast\"\nsenders = 6\nmessage = \"1 MB\"\n";

    /// What is wrong with a scenario that records what its memory does.
    #[test]
    fn trees_do_not_depend_on_how_many_follow() {
        let lessons = lessons(2, 3_000);
        let settings = Settings::default();
        let counts = [1, 2, 4, 8];
        let scores = by_trees(&lessons, &settings, &counts).unwrap();
        for (trees, own) in counts.into_iter().zip(scores) {
            let alone = train(&lessons, &Settings { trees, ..settings.clone() }).unwrap();
            assert_eq!(own, alone.scores, "{trees} trees");
        }
        let per_switch = Settings { per_switch: true, ..settings };
        assert!(by_trees(&lessons, &per_switch, &counts).unwrap_err().contains("one forest"));
    }

    fn told(buffer: &str) -> String {
        let text = format!("{FABRIC}{buffer}{TRAFFIC}");
        let set = [(RECORD.to_owned(), "true".to_owned())];
        let read = scenario::parse("s.toml", &text, Path::new("."), &set);
        read.map_or_else(|problems| problems.render(false), |_| String::new())
    }

    #[test]
    fn only_the_policy_that_is_imitated_is_recorded() {
        let buffer =
            |scheme: &str| format!("buffer = {{ scheme = \"{scheme}\", size = \"200 kB\" }}\n");
        assert_eq!(told(&buffer("longest_queue_drop")), "");
        for (buffer, has) in
            [(buffer("credence"), "[fabric] buffer has `credence`"), (String::new(), "no `buffer`")]
        {
            let told = told(&buffer);
            assert!(told.contains(has), "{told}");
            assert!(
                told.contains("expected `buffer = { scheme = \"longest_queue_drop\""),
                "{told}"
            );
        }
    }

    #[test]
    fn a_run_is_learnt_from_and_its_oracle_runs() {
        let buffer = "buffer = { scheme = \"longest_queue_drop\", size = \"60 kB\" }\n";
        let text = format!("{FABRIC}{buffer}{TRAFFIC}[record]\ntraining = true\n");
        let study = scenario::parse("s.toml", &text, Path::new("."), &[]).unwrap();
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        let outcome = engine::run(&plan, &mut ());
        let mut lessons = Lessons::default();
        lessons.add(&plan, &outcome);
        assert!(lessons.dropped() > 10, "{}", lessons.dropped());
        for per_switch in [false, true] {
            let settings = Settings { per_switch, ..Settings::default() };
            let model = train(&lessons, &settings).unwrap();
            let sent = lessons.len() - lessons.dropped();
            assert_eq!(model.rows, (lessons.len(), lessons.dropped()));
            assert!(model.scores.all() < lessons.len() as u64 && sent > 0);
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("oracle.txt"), model.text(&[])).unwrap();
            let buffer = "buffer = { scheme = \"credence\", size = \"60 kB\", oracle_file = \
                          \"oracle.txt\" }\n";
            let text = format!("{FABRIC}{buffer}{TRAFFIC}");
            let study = scenario::parse("s.toml", &text, folder.path(), &[]).unwrap();
            let plan = study.cells[0].scenario.resolve(1).unwrap();
            assert!(engine::run(&plan, &mut ()).flows.iter().all(|flow| flow.acked.is_some()));
        }
        // A forest for each of four switches does not go with one of two.
        let two = "\"0 | 1\"";
        let why = told(&format!(
            "buffer = {{ scheme = \"credence\", size = \"60 kB\", oracle = {two} }}\n"
        ));
        assert!(why.contains("expected one forest, or one for each of 4 switches"), "{why}");
    }

    #[test]
    fn the_kept_oracles_have_words_and_say_how_they_were_made() {
        // The fabric of 6 switches on which they were trained.
        let fabric = "[fabric]\ntopology = { kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 16, spines = 4 }\n";
        let buffer = |oracle: &str| {
            let more = format!("oracle_file = \"{oracle}\"");
            let buffer =
                format!("buffer = {{ scheme = \"credence\", size = \"10 MB\", {more} }}\n");
            format!("{fabric}{buffer}{TRAFFIC}")
        };
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let parse = |oracle: &str| scenario::parse("s.toml", &buffer(oracle), root, &[]);
        let of = |oracle: &str| parse(oracle).unwrap().cells[0].scenario.resolved_toml().to_owned();
        for (word, file) in [("websearch_dctcp", "oracle"), ("websearch_dctcp_each", "each")] {
            let file = format!("figures/credence/oracle/{file}.txt");
            assert_eq!(of(word), of(&file));
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            let made = "\n# raddle train credence figures/credence/oracle/scenario.toml ";
            assert!(text.contains(made));
            let scenario = scenario::load(
                &root.join("figures/credence/oracle/scenario.toml"),
                &[(RECORD.to_owned(), "true".to_owned())],
            );
            let hash = scenario.unwrap().cells[0].scenario.hash();
            assert!(text.contains(&format!("\n# scenario {hash}\n")), "{hash}");
        }
    }

    #[test]
    fn nothing_to_learn_and_wrong_settings_are_refused() {
        let mut none = lessons(1, 100);
        none.switches[0].rows.iter_mut().for_each(|row| row.dropped = false);
        let why = train(&none, &Settings::default()).unwrap_err();
        assert!(why.contains("nothing was dropped in 100 rows"), "{why}");
        for (settings, told) in [
            (Settings { trees: 0, ..Settings::default() }, "expected 1 to 128"),
            (Settings { depth: 17, ..Settings::default() }, "expected 1 to 16"),
            (Settings { share: 1.0, ..Settings::default() }, "between 0 and 1"),
        ] {
            assert!(train(&lessons(1, 100), &settings).unwrap_err().contains(told), "{told}");
        }
    }
}
