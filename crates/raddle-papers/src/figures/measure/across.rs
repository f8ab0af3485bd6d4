//! `across`: one number of a model at many parameters: the least, the greatest or the mean.

use super::super::Mode;
use super::super::answers::Answers;
use super::super::run::FigureRun;
use super::super::statistic::Across;
use super::super::theory::{TheoryNumber, read_unchecked};
use super::{Boxed, Measure};
use raddle::scenario::reader::Reader;
use raddle::scenario::spec::{Item, Value};

/// The numbers, and what is taken of them.
#[derive(Debug)]
struct Many {
    across: Across,
    numbers: Vec<TheoryNumber>,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Boxed {
    read_many(reader).map(|many| Box::new(many) as Box<dyn Measure>)
}

/// Reads what a `theory` measure has, `over`: a table of parameters with lists of values, all
/// combinations of which are asked, and `quantities`: more numbers of each.
fn read_many(reader: &mut Reader<'_>) -> Option<Many> {
    let place = reader.place();
    let across = reader.need("across", "\"min\"");
    let over = reader.take("over");
    let more = reader.take("quantities");
    let first = read_unchecked(reader)?;
    let log = reader.log();
    let mut numbers = vec![first.clone()];
    for item in more.and_then(Item::list).unwrap_or_default() {
        match &item.value {
            Value::Text(word) => numbers.extend(first.quantity(word, &item.place, log)),
            _ => log.add(item.place.problem("`quantities` is a list of texts")),
        }
    }
    let entries = over.and_then(Item::table).map_or(&[][..], |table| table.entries.as_slice());
    for entry in entries {
        let values = entry.item.list().unwrap_or_default();
        if values.is_empty() {
            let problem = format!("`over` needs a list of values for `{}`", entry.key);
            log.add(entry.item.place.problem(problem));
            return None;
        }
        let with = |number: &TheoryNumber| -> Vec<TheoryNumber> {
            values.iter().map(|value| number.with(&entry.key, value)).collect()
        };
        numbers = numbers.iter().flat_map(with).collect();
    }
    numbers.iter().for_each(|number| number.check(place, log));
    Some(Many { across: across?, numbers })
}

impl Measure for Many {
    fn numbers(&self) -> Vec<&TheoryNumber> {
        self.numbers.iter().collect()
    }

    fn take(&self, _: &[FigureRun], mode: Mode, answers: &Answers) -> Option<f64> {
        let values = self.numbers.iter().map(|number| answers.value(number, mode));
        self.across.of(values.collect::<Option<_>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Claims;

    fn claims(measure: &str) -> Result<Claims, String> {
        let text = format!(
            "title = \"t\"\n[[claim]]\nid = \"a\"\ntext = \"b\"\nsource = \"c\"\nmodel = 1\nlow = 0\nhigh = 2\n\
             measure = {{ kind = \"across\", {measure} }}\n"
        );
        Claims::parse("claims.toml", &text).map_err(|problems| problems.render(false))
    }

    #[test]
    fn all_combinations_are_asked() {
        let model = "across = \"max\", model = \"mars\", quantity = \"throughput\"";
        let over = "over = { degree = [2, 4], nodes = [16, 256] }";
        let found = claims(&format!("{model}, {over}")).unwrap();
        let many = &found.claims[0].measure;
        assert_eq!(many.numbers().len(), 4);
        assert_eq!(many.take(&[], Mode::Full, &Answers::default()), Some(0.25));
        let more = claims(&format!("{model}, {over}, quantities = [\"throughput_within\"]"));
        assert_eq!(more.unwrap().claims[0].measure.numbers().len(), 8);
    }

    #[test]
    fn wrong_words_are_answered_with_right_ones() {
        let model = "across = \"max\", model = \"mars\", quantity = \"throughput\"";
        for (measure, answer) in [
            (format!("{model}, over = {{ degre = [2, 4] }}"), "nearest: `degree`"),
            (format!("{model}, over = {{ degree = 2 }}"), "needs a list of values for `degree`"),
            (format!("{model}, quantities = [\"delay\"]"), "nearest: `delay_us`"),
            (model.replace("max", "most"), "across"),
        ] {
            let found = claims(&measure).unwrap_err();
            assert!(found.contains(answer), "{measure}: {found}");
        }
    }
}
