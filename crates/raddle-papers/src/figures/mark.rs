//! Marks over bars: what was published for them, and what authors' programs gave.

use super::cells::FigureCell;
use super::claim::Claim;
use super::expected::Kind;
use super::number::Number;
use super::statistic::Statistic;
use crate::svg::{INK, Svg, Tenth};

/// How far beyond the bars of a panel a ratio stretches their scale; what is further is at an arrow.
const BEYOND: f64 = 1.3;

/// What a claim says of the middle of a number in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    /// In the number's unit.
    pub(super) value: f64,
    /// Who says so.
    pub(super) kind: Kind,
    /// Whether it is a ratio that was said, here times what we measured in the other cell.
    pub(super) is_ratio: bool,
}

/// The marks of a number in a cell.
pub(super) type Marks<'a> = &'a dyn Fn(Number, &FigureCell) -> Vec<Mark>;

impl Mark {
    /// That of a claim, if it is about this. Orders, limits and words have no place on an axis.
    pub(super) fn of(
        claim: &Claim,
        number: Number,
        cell: &FigureCell,
        cells: &[FigureCell],
    ) -> Option<Self> {
        let kind = claim.kind;
        if kind == Kind::Model || claim.one_sided.is_some() {
            return None;
        }
        let expected = claim.expected.middle()?;
        if let Some((own, statistic, selector)) = claim.measure.shown() {
            let middle = matches!(statistic, Statistic::Mean | Statistic::Median);
            let meant = middle && own == number && selector.selects(&cell.settings);
            return meant.then_some(Self { value: expected, kind, is_ratio: false });
        }
        let (own, of, over) = claim.measure.shown_over()?;
        if own != number || !of.selects(&cell.settings) {
            return None;
        }
        let other = cells.iter().find(|other| over.selects(&other.settings))?;
        let other = other.number(number).filter(|_| !other.never(number))?;
        Some(Self { value: expected * other.mean, kind, is_ratio: true })
    }

    /// Those of a cell: a ratio is left out where the same source has the value itself.
    pub(super) fn all<'a>(
        claims: impl Iterator<Item = &'a Claim>,
        number: Number,
        cell: &FigureCell,
        cells: &[FigureCell],
    ) -> Vec<Self> {
        let marks = claims.filter_map(|claim| Self::of(claim, number, cell, cells));
        let mut marks: Vec<Self> = marks.collect();
        let valued = marks.iter().filter(|mark| !mark.is_ratio).map(|mark| mark.kind);
        let valued: Vec<Kind> = valued.collect();
        marks.retain(|mark| !mark.is_ratio || !valued.contains(&mark.kind));
        marks.dedup();
        marks
    }

    /// What a scale for bars of at most `most` has to reach for it.
    pub(super) fn reach(self, most: f64) -> f64 {
        if self.is_ratio { self.value.min(most * BEYOND) } else { self.value }
    }

    /// Draws it over a bar that begins at `zero`; at an arrow, if it is beyond `end`. Where it ends.
    pub(super) fn over_bar(
        self,
        svg: &mut Svg,
        (zero, end): (f64, f64),
        scale: f64,
        y: f64,
    ) -> f64 {
        let x = zero + self.value * scale;
        if x <= end + 0.5 {
            self.draw(svg, (x, y));
            return x + 4.0;
        }
        self.draw(svg, (end, y));
        svg.path(
            format_args!("M{:.1} {:.1}l4 4l-4 4", end + 7.0, y - 4.0),
            format_args!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.3\""),
        );
        end + 11.0
    }

    /// Draws it: a hollow diamond, or a hollow square.
    pub(super) fn draw(self, svg: &mut Svg, (x, y): (f64, f64)) {
        match self.kind {
            Kind::Reference => {
                let hollow = format_args!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.3\"");
                svg.rect((Tenth(x - 3.5), Tenth(y - 3.5)), (7, 7), hollow);
            }
            _ => diamond(svg, (x, y)),
        }
    }
}

/// A hollow mark of what was published.
pub(super) fn diamond(svg: &mut Svg, (x, y): (f64, f64)) {
    let hollow = format_args!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.3\"");
    svg.path(format_args!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0), hollow);
}

/// What a legend says of the marks that are drawn.
pub(super) fn legend(marks: &[Mark]) -> Option<String> {
    let has = |kind: Kind, is_ratio: bool| {
        marks.iter().any(|mark| mark.kind == kind && mark.is_ratio == is_ratio)
    };
    let shapes = [(Kind::Published, "Diamond: published"), (Kind::Reference, "Square: reference")];
    let sentences =
        shapes.into_iter().filter_map(|(kind, name)| match (has(kind, false), has(kind, true)) {
            (false, false) => None,
            (true, false) => Some(format!("{name} value of a claim.")),
            (false, true) => Some(format!("{name} ratio, times our value of its denominator.")),
            (true, true) => {
                Some(format!("{name} value, or ratio times our value of its denominator."))
            }
        });
    Some(sentences.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::cells::CellNumber;
    use super::super::claims::Claims;
    use super::super::metric::Metric;
    use super::*;

    const NUMBER: Number = Number::Run(Metric::COMPLETION);

    fn cell(scheme: &str, mean: f64, never: usize) -> FigureCell {
        FigureCell {
            settings: vec![("scheme".into(), scheme.into())],
            scenario: String::new(),
            seeds: 2,
            results: None,
            never,
            ended: Vec::new(),
            bound: None,
            numbers: vec![CellNumber { number: NUMBER, mean, min: mean, max: mean }],
        }
    }

    fn claim(says: &str, measure: &str) -> Claim {
        let text = format!(
            "title = \"t\"\n[[claim]]\nid = \"a\"\ntext = \"b\"\nsource = \"c\"\n{says}\n\
             measure = {{ metric = \"completion_us\", {measure} }}\n"
        );
        Claims::parse("claims.toml", &text).unwrap().claims.remove(0)
    }

    #[test]
    fn a_ratio_stands_at_so_many_times_what_we_have() {
        let cells = [cell("a", 30.0, 0), cell("b", 10.0, 0)];
        let ratio = "kind = \"ratio\", of = { scheme = \"a\" }, over = { scheme = \"b\" }";
        let two = claim("published = 2\nlow = 1.5\nhigh = 2.5", ratio);
        let mark = Mark { value: 20.0, kind: Kind::Published, is_ratio: true };
        assert_eq!(Mark::of(&two, NUMBER, &cells[0], &cells), Some(mark));
        assert_eq!(Mark::of(&two, NUMBER, &cells[1], &cells), None);
        assert_eq!(
            legend(&[mark]).unwrap(),
            "Diamond: published ratio, times our value of its denominator."
        );
        let never = [cell("a", 30.0, 0), cell("b", 10.0, 1)];
        assert_eq!(Mark::of(&two, NUMBER, &never[0], &never), None);
        let limit = claim("published = 2\nlow = 2\none_sided = \"at_least\"", ratio);
        assert_eq!(Mark::of(&limit, NUMBER, &cells[0], &cells), None);
    }

    #[test]
    fn a_range_stands_at_its_middle_and_our_models_have_no_mark() {
        let cells = [cell("a", 30.0, 0)];
        let value = "kind = \"value\", cell = { scheme = \"a\" }";
        let of = |says: &str| {
            let claim = claim(&format!("{says}\nlow = 1\nhigh = 99"), value);
            Mark::of(&claim, NUMBER, &cells[0], &cells)
        };
        let mark = Mark { value: 21.0, kind: Kind::Reference, is_ratio: false };
        assert_eq!(of("reference = \"20 to 22\""), Some(mark));
        assert_eq!(of("published = \"about a third\""), None);
        assert_eq!(of("model = 3"), None);
        assert_eq!(legend(&[mark]).unwrap(), "Square: reference value of a claim.");
        assert_eq!(legend(&[]), None);
    }
}
