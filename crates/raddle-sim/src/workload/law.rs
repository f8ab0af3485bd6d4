//! Flow sizes drawn from a law: a cumulative distribution given by points.

use raddle_schemes::rng::Rng;
use raddle_schemes::units::Bytes;
use std::fmt;

/// A flow-size law: points (size, probability of at most this size), both non-decreasing.
///
/// Equal probabilities on two points are a gap: no flow has a size between them. Equal sizes are an
/// atom: the rise is the probability of exactly this size. A first point above probability 0 is
/// an atom, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    size: u64,
    cdf: f64,
}

raddle_schemes::words! {
    /// What lies between the points of a law. A load means different traffic in each: the means
    /// differ, by 42 % for `websearch`.
    pub enum Sampling {
        /// Sizes between two points are equally likely (HPCC and its descendants).
        Linear = "linear",
        /// Only the points' sizes occur: the upper one of the two (Opera).
        Step = "step",
    }
}

/// Why a text is not a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawError {
    /// The line of the text, from 1.
    pub line: usize,
    /// What is wrong there and what would be right.
    pub problem: String,
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for LawError {}

const HEADER: &str = "size_bytes,cdf";

impl Law {
    /// Reads a law: the line `size_bytes,cdf`, then one point a line, the last with cdf 1. Empty
    /// lines are skipped.
    ///
    /// # Errors
    /// A [`LawError`] for every line that is wrong; for the header alone if that is.
    pub fn from_csv(text: &str) -> Result<Self, Vec<LawError>> {
        let fail = |line, problem: String| LawError { line, problem };
        let mut lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty());
        match lines.next() {
            Some((HEADER, _)) => {}
            other => {
                let (found, line) = other.unwrap_or(("nothing", 1));
                let problem = format!("expected the header `{HEADER}`, found `{found}`");
                return Err(vec![fail(line, problem)]);
            }
        }
        Self::of(lines.map(|(text, line)| (Point::parse(text), line)))
    }

    /// A law of points in their order: size in bytes, probability of at most this size (0 to 1), and
    /// the line that a mistake is told with.
    ///
    /// # Errors
    /// A [`LawError`] for every point that is wrong.
    pub fn from_points(
        points: impl IntoIterator<Item = (u64, f64, usize)>,
    ) -> Result<Self, Vec<LawError>> {
        Self::of(points.into_iter().map(|(size, cdf, line)| (Ok(Point { size, cdf }), line)))
    }

    fn of(
        read: impl Iterator<Item = (Result<Point, String>, usize)>,
    ) -> Result<Self, Vec<LawError>> {
        let fail = |line, problem: String| LawError { line, problem };
        let (mut points, mut errors): (Vec<Point>, Vec<LawError>) = (Vec::new(), Vec::new());
        let mut last_line = 1;
        for (point, line) in read {
            last_line = line;
            let point = match point {
                Ok(point) => point,
                Err(problem) => {
                    errors.push(fail(line, problem));
                    continue;
                }
            };
            if let Some(previous) = points.last() {
                errors.extend(previous.check_next(point).err().map(|problem| fail(line, problem)));
            } else if point.size == 0 && point.cdf > 0.0 {
                let problem = "flows of 0 bytes have a probability; expected cdf 0";
                errors.push(fail(line, problem.into()));
            }
            points.push(point);
        }
        // What the last point should be is told of a text that is right so far.
        let end = match points.last() {
            _ if !errors.is_empty() => None,
            None => Some("expected at least one point after the header".into()),
            Some(point) if point.cdf != 1.0 => {
                Some(format!("the last cdf is {}; expected 1", point.cdf))
            }
            Some(point) if point.size == 0 => {
                Some("every flow has 0 bytes; expected a larger size".into())
            }
            Some(_) => None,
        };
        errors.extend(end.map(|problem| fail(last_line, problem)));
        if errors.is_empty() { Ok(Self { points }) } else { Err(errors) }
    }

    /// The bundled law called `name`, see [`BUNDLED`].
    pub fn named(name: &str) -> Option<Self> {
        let bundled = BUNDLED.iter().find(|bundled| bundled.name == name)?;
        Self::from_csv(bundled.csv).ok()
    }

    /// The mean size in bytes, before sizes are rounded to whole bytes.
    pub fn mean(&self, sampling: Sampling) -> f64 {
        let first = self.points[0];
        let segments = self.points.windows(2).map(|pair| {
            let (low, high) = (pair[0], pair[1]);
            let size = match sampling {
                Sampling::Linear => (low.size as f64 + high.size as f64) / 2.0,
                Sampling::Step => high.size as f64,
            };
            (high.cdf - low.cdf) * size
        });
        first.cdf * first.size as f64 + segments.sum::<f64>()
    }

    /// The mean of sizes from `least` on and below `most`, all others counting as 0.
    pub fn mean_within(&self, sampling: Sampling, least: Bytes, most: Option<Bytes>) -> f64 {
        let (least, most) = (least.0 as f64, most.map_or(f64::INFINITY, |most| most.0 as f64));
        let is_within = |size: f64| least <= size && size < most;
        let atom = |share: f64, size: f64| if is_within(size) { share * size } else { 0.0 };
        let first = self.points[0];
        let segments = self.points.windows(2).map(|pair| {
            let (low, high) = (pair[0].size as f64, pair[1].size as f64);
            let share = pair[1].cdf - pair[0].cdf;
            if sampling == Sampling::Step || low == high {
                return atom(share, high);
            }
            let (from, to) = (low.max(least), high.min(most));
            let width = (to - from).max(0.0);
            share * width / (high - low) * (from + to) / 2.0
        });
        atom(first.cdf, first.size as f64) + segments.sum::<f64>()
    }

    /// Draws a size with one number from `rng`, to the nearest byte and at least 1.
    pub fn sample(&self, sampling: Sampling, rng: &mut Rng) -> Bytes {
        self.quantile(sampling, rng.unit())
    }

    /// The size below which a fraction `u` of [0, 1) of the flows lies, to the nearest byte and at
    /// least 1.
    pub fn quantile(&self, sampling: Sampling, u: f64) -> Bytes {
        let above = self.points.partition_point(|point| point.cdf <= u);
        let high = self.points[above.min(self.points.len() - 1)];
        let size = match (sampling, above.checked_sub(1)) {
            (Sampling::Linear, Some(below)) if high.cdf > u => {
                let low = self.points[below];
                let fraction = (u - low.cdf) / (high.cdf - low.cdf);
                low.size as f64 + fraction * (high.size - low.size) as f64
            }
            _ => high.size as f64,
        };
        Bytes((size.round() as u64).max(1))
    }
}

impl Point {
    fn parse(text: &str) -> Result<Self, String> {
        let (size, cdf) = text
            .split_once(',')
            .ok_or_else(|| format!("expected a size and a probability, found `{text}`"))?;
        let size = size.trim();
        let cdf = cdf.trim();
        Ok(Self {
            size: size.parse().map_err(|_| format!("`{size}` is no size; expected whole bytes"))?,
            cdf: cdf
                .parse()
                .ok()
                .filter(|cdf| (0.0..=1.0).contains(cdf))
                .ok_or_else(|| format!("`{cdf}` is no probability; expected 0 to 1"))?,
        })
    }

    fn check_next(self, next: Self) -> Result<(), String> {
        if next.size < self.size {
            return Err(format!("size {} follows {}; expected no less", next.size, self.size));
        }
        if next.cdf < self.cdf {
            return Err(format!("cdf {} follows {}; expected no less", next.cdf, self.cdf));
        }
        Ok(())
    }
}

/// A law that comes with the simulator.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// The scenario's word for it.
    pub name: &'static str,
    /// Its points; origins stand in `data/laws/README.md`.
    pub csv: &'static str,
}

macro_rules! bundled {
    ($($name:literal,)*) => {
        /// The laws that come with the simulator, by name.
        pub const BUNDLED: &[Bundled] = &[$(Bundled {
            name: $name,
            csv: include_str!(concat!("../../data/laws/", $name, ".csv")),
        }),*];
    };
}

bundled! {
    "alistorage2019",
    "datamining",
    "datamining_vl2_tg",
    "fb_cache_tg",
    "fb_cachefollower_pe",
    "fb_hadoop_2015",
    "fb_hadoop_all_pe",
    "fb_hadoop_hpcc",
    "fb_hadoop_interrack",
    "fb_webserver_pe",
    "googlerpc2008",
    "homa_w1_fb_keyvalue",
    "homa_w2_google_search",
    "homa_w3_google_all",
    "homa_w4_fb_hadoop",
    "homa_w5_dctcp",
    "websearch",
    "websearch_ns3dc",
    "websearch_opera",
    "websearch_reps",
}

#[cfg(test)]
mod tests {
    use super::Sampling::{Linear, Step};
    use super::*;

    /// Name, mean in linear and in step mode, median and 99th percentile of the linear law, from
    /// the table in `data/laws/README.md`.
    const TABLE: &[(&str, u64, u64, u64, u64)] = &[
        ("alistorage2019", 40_870, 67_050, 6_340, 1_293_927),
        ("datamining", 5_036_535, 7_861_995, 975, 100_000_000),
        ("datamining_vl2_tg", 12_658_199, 23_199_799, 1_100, 550_000_000),
        ("fb_cache_tg", 342, 457, 75, 6_326),
        ("fb_cachefollower_pe", 609_883, 698_171, 23_169, 3_953_884),
        ("fb_hadoop_2015", 121_849, 127_797, 655, 3_094_208),
        ("fb_hadoop_all_pe", 568_755, 977_600, 684, 7_785_524),
        ("fb_hadoop_hpcc", 120_421, 183_897, 700, 2_000_000),
        ("fb_hadoop_interrack", 3_423_728, 4_865_996, 72_853, 146_000_023),
        ("fb_webserver_pe", 91_343, 152_824, 1_462, 632_413),
        ("googlerpc2008", 2_892, 2_929, 257, 30_614),
        ("homa_w1_fb_keyvalue", 185, 188, 27, 1_853),
        ("homa_w2_google_search", 423, 441, 267, 2_989),
        ("homa_w3_google_all", 2_890, 2_927, 257, 30_614),
        ("homa_w4_fb_hadoop", 121_849, 127_797, 655, 3_094_208),
        ("homa_w5_dctcp", 2_510_778, 2_547_268, 70_642, 27_253_431),
        ("websearch", 1_711_250, 2_434_900, 73_077, 23_333_333),
        ("websearch_ns3dc", 1_711_222, 2_434_317, 73_077, 23_333_333),
        ("websearch_opera", 1_490_033, 1_875_928, 67_037, 19_893_234),
        ("websearch_reps", 2_786_250, 3_934_900, 73_077, 33_333_333),
    ];

    #[test]
    fn every_bundled_law_has_the_tabulated_means_and_quantiles() {
        assert_eq!(TABLE.len(), BUNDLED.len());
        for &(name, linear, step, median, p99) in TABLE {
            let law = Law::named(name).unwrap();
            assert!((law.mean(Linear) - linear as f64).abs() < 0.501, "{name}");
            assert!((law.mean(Step) - step as f64).abs() < 0.501, "{name}");
            assert!(law.quantile(Linear, 0.5).0.abs_diff(median) <= 1, "{name}");
            assert!(law.quantile(Linear, 0.99).0.abs_diff(p99) <= 1, "{name}");
        }
    }

    #[test]
    fn names_are_files() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/laws");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|file| {
                Some(file.unwrap().path().to_str()?.strip_suffix(".csv")?.to_owned())
            })
            .map(|path| path.rsplit('/').next().unwrap().to_owned())
            .collect();
        files.sort();
        assert_eq!(files, BUNDLED.iter().map(|law| law.name).collect::<Vec<_>>());
    }

    #[test]
    fn samples_have_the_mean_of_the_mode_they_are_drawn_in() {
        for (sampling, mean) in [(Linear, 1_711_250.0), (Step, 2_434_900.0)] {
            let law = Law::named("websearch").unwrap();
            let mut rng = Rng::new(1, "test", 0);
            let sum: f64 = (0..400_000).map(|_| law.sample(sampling, &mut rng).0 as f64).sum();
            let measured = sum / 4e5;
            assert!((measured / mean - 1.0).abs() < 0.01, "{measured}");
        }
    }

    #[test]
    fn gaps_and_atoms_are_kept() {
        let law =
            Law::from_csv("size_bytes,cdf\n10,0.25\n20,0.5\n40,0.5\n60,0.75\n60,1\n").unwrap();
        let linear = |u| law.quantile(Linear, u).0;
        assert_eq!([linear(0.0), linear(0.2), linear(0.25), linear(0.375)], [10, 10, 10, 15]);
        assert_eq!([linear(0.5), linear(0.625), linear(0.75), linear(0.99)], [40, 50, 60, 60]);
        let step = |u| law.quantile(Step, u).0;
        assert_eq!([step(0.2), step(0.25), step(0.5), step(0.75)], [10, 20, 60, 60]);
        assert_eq!(law.mean(Linear), 2.5 + 3.75 + 12.5 + 15.0);
        assert_eq!(law.mean(Step), 2.5 + 5.0 + 15.0 + 15.0);
        let one = Law::from_csv("size_bytes,cdf\n1000,1\n").unwrap();
        assert_eq!(one.quantile(Linear, 0.3), Bytes(1000));
        assert_eq!(one.mean(Step), 1000.0);
    }

    #[test]
    fn errors_name_the_line() {
        let refuse = |text: &str| {
            let errors = Law::from_csv(text).unwrap_err();
            errors.iter().map(LawError::to_string).collect::<Vec<_>>().join("; ")
        };
        let rows = |rows: &str| refuse(&format!("size_bytes,cdf\n{rows}"));
        assert_eq!(refuse("0,0\n"), "line 1: expected the header `size_bytes,cdf`, found `0,0`");
        assert_eq!(refuse(""), "line 1: expected the header `size_bytes,cdf`, found `nothing`");
        assert_eq!(rows(""), "line 1: expected at least one point after the header");
        assert_eq!(rows("5 0"), "line 2: expected a size and a probability, found `5 0`");
        assert_eq!(rows("1.5,0"), "line 2: `1.5` is no size; expected whole bytes");
        assert_eq!(rows("5,0\n6,15"), "line 3: `15` is no probability; expected 0 to 1");
        assert_eq!(rows("5,0\n\n6,NaN"), "line 4: `NaN` is no probability; expected 0 to 1");
        assert_eq!(rows("5,0\n4,1"), "line 3: size 4 follows 5; expected no less");
        assert_eq!(rows("5,0.5\n6,0.4"), "line 3: cdf 0.4 follows 0.5; expected no less");
        assert_eq!(rows("5,0\n6,0.9"), "line 3: the last cdf is 0.9; expected 1");
        assert_eq!(
            rows("0,0.1\n6,1"),
            "line 2: flows of 0 bytes have a probability; expected cdf 0"
        );
        assert_eq!(rows("0,0\n0,1"), "line 3: every flow has 0 bytes; expected a larger size");
    }
}
