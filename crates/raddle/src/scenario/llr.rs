//! `[fabric] llr`: links that send again.

use super::key::{Section, keys};
use super::keyed::Reader;
use super::reader::Log;
use super::scheme::shown;
use super::spec::{Item, Place, Value};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::plan::{Detect, FRAMES_LIMIT, Flush, Llr, Tax, WITHOUT_END};
use raddle_sim::topology::Fabric;

keys! {
    /// `[fabric] llr`.
    LLR: LlrKeys = Section::new("llr", "### llr", "link-level retry on every link, as Ultra Ethernet has it; `llr = {}` has all defaults") => {
        frames_max: Whole, (= 524288) [1 to 524288],
            "most frames sent and not acknowledged, 1 to 524288";
        bytes_max: Either(&[Bytes, Exactly("auto")]), (= "auto"),
            "most bytes of them, at least a packet; `auto`: as many as a link that loses nothing can fill, twice the largest frame, `spacing`, 8 B and what the link carries in the time of its cable there and back";
        timer: Time, (= "5 us") [>= "1 ns"],
            "without an answer for this long, all is sent again; more than an answer takes";
        replays_max: Whole, (= 3) [1 to 255],
            "so often in a row, and what the far end has not got is given up; 255: without end";
        spacing: Bytes, (= "2048 B") [>= "8 B"],
            "line time from one answer to the next, at least";
        down_timeout: Time, (= "50 us"),
            "the same is given up when the link has been down for this long";
        flush: Word(Flush::WORDS), (= "discard"),
            "what becomes of frames from then until the link has begun anew: the far end throws them away (`discard`), they wait (`block`), or they go without retry (`best_effort`)";
        reinit: Flag, (= true),
            "whether it begins anew, which takes the time of its cable there and back; if not, it goes on as `flush` says";
        detect: Word(Detect::WORDS), (= "own"),
            "what the far end knows of a spoiled frame: its number, and it asks for it at once (`own`), or nothing, and it asks when the `next` comes";
        renack: Flag, (= true),
            "whether it asks again when what it asked for is spoiled, too; with `detect = \"own\"`";
        tax: Word(Tax::WORDS), (= "none"),
            "line rate that answers take: `none`, or `constant`, 8 B in each `spacing`";
    }
}

/// The table, and where it stands.
pub(crate) struct LlrSection {
    pub(crate) llr: Llr,
    pub(super) place: Place,
    bytes_place: Option<Place>,
}

/// Reads the table.
pub(crate) fn llr(mut reader: Reader<'_>) -> Option<LlrSection> {
    let place = reader.place().clone();
    let frames_max = within(&mut reader, &LLR.frames_max, FRAMES_LIMIT);
    let bytes_item = reader.take(&LLR.bytes_max);
    let bytes_max = match bytes_item {
        Some(Item { value: Value::Text(word), .. }) if word == "auto" => Some(None),
        Some(_) => reader.get(&LLR.bytes_max).map(Some),
        None => Some(None),
    };
    let timer = time(&mut reader, &LLR.timer);
    let replays_max = within(&mut reader, &LLR.replays_max, WITHOUT_END);
    let spacing: Option<Bytes> = reader.at_least(&LLR.spacing);
    let down_timeout = time(&mut reader, &LLR.down_timeout);
    let flush = reader.or(&LLR.flush);
    let reinit = reader.or(&LLR.reinit);
    let detect = reader.or(&LLR.detect);
    let renack = reader.or(&LLR.renack);
    if let (Detect::Next, false, Some(item)) = (detect, renack, reader.take(&LLR.renack)) {
        let problem = item.place.problem("`renack` has no effect with `detect = \"next\"`");
        reader.log().add(problem.label("leave it out"));
        return None;
    }
    let tax = reader.or(&LLR.tax);
    reader.finish();
    let llr = Llr {
        frames_max: frames_max?,
        bytes_max: bytes_max?,
        timer: timer?,
        replays_max: replays_max?,
        spacing: spacing?,
        down_timeout: down_timeout?,
        flush,
        reinit,
        detect,
        renack,
        tax,
    };
    Some(LlrSection { llr, place, bytes_place: bytes_item.map(|item| item.place.clone()) })
}

/// A whole number of a range.
fn within(reader: &mut Reader<'_>, key: &'static super::key::Key, most: u32) -> Option<u32> {
    let number: u64 = reader.at_least(key)?;
    if let (true, Some(item)) = (number > u64::from(most), reader.take(key)) {
        let problem = item.place.problem(format!("`{}` is too large", key.word));
        reader.log().add(problem.label(format!("expected at most {most}")));
        return None;
    }
    u32::try_from(number).ok()
}

/// A time within a run.
fn time(reader: &mut Reader<'_>, key: &'static super::key::Key) -> Option<Span> {
    let span: Span = reader.at_least(key)?;
    if let (true, Some(item)) = (span > super::limits::LATEST, reader.take(key)) {
        let problem = item.place.problem(format!("`{}` is too large", key.word));
        reader.log().add(problem.label(format!("expected at most {}", super::limits::LATEST)));
        return None;
    }
    Some(span)
}

impl LlrSection {
    /// Adds a problem where links of a fabric cannot have it, or no packet fits into the window.
    pub(crate) fn check(&self, fabric: &Fabric, largest: Bytes, log: &Log) {
        if fabric.circuits.is_some() {
            let problem = self.place.problem("`llr` is not for circuits");
            log.add(problem.label("leave it out"));
        } else if fabric.ports.iter().any(|port| port.delay == Span::ZERO) {
            let problem = self.place.problem("`llr` is for cables that take time");
            log.add(problem.label("give the topology a `link_delay`, or leave it out"));
        }
        if let (Some(bytes), Some(place)) = (self.llr.bytes_max, &self.bytes_place)
            && bytes < largest
        {
            let problem = place.problem("`bytes_max` is too small");
            log.add(problem.label(format!("expected at least {largest}, the largest frame")));
        }
    }

    /// Whether it has the widest window and no tax, and so changes nothing where nothing is lost.
    pub(crate) fn is_default_window(&self) -> bool {
        let Llr { frames_max, bytes_max, tax, .. } = self.llr;
        frames_max == FRAMES_LIMIT && bytes_max.is_none() && tax == Tax::None
    }

    /// The line of the table with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        let Llr { frames_max, bytes_max, timer, replays_max, spacing, .. } = self.llr;
        let Llr { down_timeout, flush, reinit, detect, renack, tax, .. } = self.llr;
        let bytes_max = bytes_max.map_or("\"auto\"".to_owned(), |own| shown(&own));
        let mut parts = vec![
            format!("frames_max = {frames_max}"),
            format!("bytes_max = {bytes_max}"),
            format!("timer = {}", shown(&timer)),
            format!("replays_max = {replays_max}"),
            format!("spacing = {}", shown(&spacing)),
            format!("down_timeout = {}", shown(&down_timeout)),
            format!("flush = {}", shown(&flush)),
            format!("reinit = {reinit}"),
            format!("detect = {}", shown(&detect)),
        ];
        if detect == Detect::Own {
            parts.push(format!("renack = {renack}"));
        }
        parts.push(format!("tax = {}", shown(&tax)));
        format!("llr = {{ {} }}", parts.join(", "))
    }
}
