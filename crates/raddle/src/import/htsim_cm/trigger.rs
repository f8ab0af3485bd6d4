//! Trigger lines: `trigger id 3 barrier count 4`.

use super::super::Place;
use super::super::words::{Reader, Word, unknown_attribute};
use super::ids::Ids;
use raddle_sim::workload::TriggerKind;

const KEYWORDS: [&str; 5] = ["id", "oneshot", "multishot", "barrier", "count"];

/// A trigger, as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerDeclaration {
    /// Its number in the file.
    pub id: u32,
    /// `oneshot` is `All { count: 1 }`, `barrier` is `All { count }`, `multishot` is `Next`.
    pub kind: TriggerKind,
    pub(super) at: Place,
}

#[derive(Default)]
struct Draft<'a> {
    id: Option<Option<u32>>,
    kind: Option<Word<'a>>,
    count: Option<(Option<u32>, Place)>,
    /// There is a word that may have been meant for the id or the kind.
    unclear: bool,
}

/// Reads a trigger. `None` if it has mistakes that leave it without a meaning.
pub(super) fn read(
    reader: &mut Reader,
    ids: &mut Ids,
    words: &[Word<'_>],
) -> Option<TriggerDeclaration> {
    let at = words[0].at;
    let mut draft = Draft::default();
    let mut rest = words[1..].iter().copied().peekable();
    while let Some(word) = rest.next() {
        match word.text {
            "id" | "count" => {
                let Some(value) = rest.next_if(|next| !KEYWORDS.contains(&next.text)) else {
                    reader.error(
                        word.at,
                        format!("`{}` has no value", word.text),
                        format!("write `{} 1`, for example", word.text),
                    );
                    draft.unclear = true;
                    continue;
                };
                let repeated =
                    if word.text == "id" { draft.id.is_some() } else { draft.count.is_some() };
                if repeated {
                    reader.strict_error(
                        "repeats",
                        word.at,
                        format!(
                            "`{}` stands on this line already: htsim takes the last one",
                            word.text
                        ),
                        "keep one of them",
                    );
                }
                let number = reader.integer(value, word.text);
                if word.text == "id" {
                    draft.id = Some(trigger_id(reader, number, value.at));
                } else {
                    let count = number.map(|n| u32::try_from(n).unwrap_or(0));
                    draft.count = Some((count, value.at));
                }
            }
            "oneshot" | "multishot" | "barrier" => match draft.kind {
                Some(earlier) => reader.error(
                    word.at,
                    format!(
                        "the trigger is `{}` already and cannot be `{}` too: htsim stops",
                        earlier.text, word.text
                    ),
                    "keep one of them",
                ),
                None => draft.kind = Some(word),
            },
            _ => {
                unknown_attribute(reader, "trigger", word, &KEYWORDS, &mut rest);
                draft.unclear = true;
            }
        }
    }
    let id = draft.identify(reader, ids, at);
    let kind = draft.kind(reader, at);
    Some(TriggerDeclaration { id: id?, kind: kind?, at })
}

fn trigger_id(reader: &mut Reader, number: Option<i32>, at: Place) -> Option<u32> {
    if number == Some(0) {
        reader.error(at, "trigger id 0 is not allowed: htsim stops", "number triggers from 1");
        return None;
    }
    // htsim's trigger ids are unsigned.
    number.map(|id| id as u32)
}

impl Draft<'_> {
    fn identify(&self, reader: &mut Reader, ids: &mut Ids, at: Place) -> Option<u32> {
        let Some(id) = self.id else {
            if !self.unclear {
                reader.error(at, "the trigger has no id: htsim stops", "add `id` and a number");
            }
            ids.unreadable_trigger = true;
            return None;
        };
        ids.unreadable_trigger |= id.is_none();
        let id = id?;
        if let Some(earlier) = ids.triggers.get(&id) {
            let line = earlier.line;
            reader.error(
                at,
                format!("trigger {id} is declared in line {line} already: htsim stops"),
                "give every trigger its own id",
            );
            return None;
        }
        ids.triggers.insert(id, at);
        Some(id)
    }

    fn kind(&self, reader: &mut Reader, at: Place) -> Option<TriggerKind> {
        let Some(kind) = self.kind else {
            if !self.unclear {
                reader.error(
                    at,
                    "the trigger has no kind: htsim stops",
                    "add `oneshot`, `multishot`, or `barrier count` and a number",
                );
            }
            return None;
        };
        if kind.text == "barrier" {
            let place = self.count.map_or(kind.at, |(_, at)| at);
            return match self.count {
                Some((Some(count), _)) if count > 0 => Some(TriggerKind::All { count }),
                Some((None, _)) => None,
                _ => {
                    reader.error(
                        place,
                        "a barrier needs a positive count: htsim stops when this one is fired",
                        "write `barrier count` and the number of firings to wait for",
                    );
                    None
                }
            };
        }
        if let Some((_, at)) = self.count {
            reader.strict_error(
                "count ignored",
                at,
                format!("htsim ignores the `count` of a `{}` trigger", kind.text),
                "remove it, or write `barrier`",
            );
        }
        Some(match kind.text {
            "oneshot" => TriggerKind::All { count: 1 },
            _ => TriggerKind::Next,
        })
    }
}
