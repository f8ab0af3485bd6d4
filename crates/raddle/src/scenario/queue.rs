//! `[fabric] queue`: the queues of switch ports.

use super::cbfc::{self, CbfcKeys, CbfcSection};
use super::key::{Section, absent, keys};
use super::keyed::Reader;
use super::reader::{Log, read};
use super::scheme::{self, Chosen, Needy, show, shown};
use super::spec::{Item, Place, Value};
use raddle_schemes::marking;
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::Bytes;
use raddle_sim::limits::{LARGEST_SHARE, LEAST_QUANTUM};
use raddle_sim::plan::{
    AckQueue, CLASS_LIMIT, MarkAt, Overflow, Pfc, PfcLinks, QueuePlan, Service, Watchdog,
};
use std::num::NonZeroU32;

keys! {
    /// `[fabric] queue`.
    QUEUE: QueueKeys = Section::new("queue", "### queue", "the queue of every switch port") => {
        size: Size, (filled "1 bdp"),
            "capacity of each data class, per port; at least a packet";
        control_size: Size, (filled "unlimited"),
            "capacity for ACKs and NACKs (unless `acks` has them queue with data), trimmed headers and other control, per port; not with `service = \"fifo\"`";
        service: Word(Service::WORDS), (filled "priority"),
            "`priority`: control first, then the data class with the highest number; `drr`, `wrr`: control first, data classes in turn, in bytes or in frames; `fifo`: one class for everything";
        classes: Whole, (filled 1) [1 to 8],
            "data classes, 1 to 8; flows name theirs in `[traffic]`";
        quantum: List(&Size), (or "`\"1 packets\"` each"),
            "with `drr`: what each data class may send in a round, class 0 first; 64 B to 16 MiB";
        weights: List(&Whole), (or "`1` each"),
            "with `wrr`: frames that each data class may send in a round, class 0 first";
        control_weight: Whole, (or "all control first") [>= 1],
            "after so many control frames that went while data waited, data has a turn; 10 for NDP's trimmed headers; not with `service = \"fifo\"`";
        marking: Table(MarkingKeys::SECTION), (or "`{ scheme = \"red\", at = \"dequeue\" }`"),
            "which data frames get the congestion mark";
        markings: List(&Scheme("fabric.queue.marking")), (or "none"),
            "a marking for each data class, class 0 first, in place of that of `marking`, which keeps its `at`";
        last_hop_marking: Scheme("fabric.queue.marking"), (or "that of `marking`"),
            "of ports to hosts, in place of that of `marking`, which keeps its `at`; `none` where MRC is run as in its paper. Not beside `markings`";
        acks: Either(&[Word(AckQueue::WORDS), List(&Word(AckQueue::WORDS))]), (= "control"),
            "which queue ACKs and NACKs join: `control`, or `data`, that of their flow's class, where they are served, admitted and paused as its data; one for all data classes, or a list, class 0 first; not with `service = \"fifo\"`";
        overflow: Word(Overflow::WORDS), (filled "drop"),
            "a data frame that does not fit: `drop`, or `trim` it to its header";
        pfc: Table(PfcKeys::SECTION), (or "no pauses"),
            "priority-based flow control";
        cbfc: Table(CbfcKeys::SECTION), (or "no credits"),
            "credit-based flow control, in place of `pfc`";
    }
}

keys! {
    /// `[fabric] queue.pfc`.
    PFC: PfcKeys = Section::new("pfc", "### queue.pfc", "priority-based flow control") => {
        xoff: Size, (some "50%", "required, unless a `buffer` decides"),
            "pause above this; less than `size` and than the memory of a switch";
        xon: Size, (some "40%", "required, unless a `buffer` decides"),
            "go on at this or below; not above `xoff`";
        quanta: Time, (= "10 us") [>= "1 ns"],
            "how long a pause lasts unless it is renewed, which it is after half of this; at least 1 ns";
        links: Word(PfcLinks::WORDS), (= "all"),
            "who is told to pause: `all` that send to a switch, or `hosts` alone";
        watchdog: Time, (or "none") [>= "1 ns"],
            "a switch that is to pause a class for so long without a break sends it all the same ([model.md](model.md#flow-control)); switches in use have 200 ms; at least 1 ns";
        restoration: Time, (or "that of `watchdog`") [>= "1 ns"],
            "until no pause has been in force for so long; at least 1 ns";
    }
}

keys! {
    /// `[fabric] queue.marking`, beside the scheme's own.
    MARKING: MarkingKeys = Section::new("marking", "### queue.marking", "which data frames get the congestion mark")
        .beside("fabric.queue.marking", absent!(filled "red")) => {
        at: Word(MarkAt::WORDS), (filled "dequeue"),
            "`dequeue`: judged on what the frame leaves behind; `enqueue`: on what it finds";
    }
}

/// What markings call the queue lengths at which they begin and are complete.
const THRESHOLDS: [&str; 3] = ["low", "threshold", "high"];

/// The queues' settings.
pub(crate) struct QueueSection {
    /// Complete but for the shares of a round, which [`QueueSection::resolve_shares`] fills in.
    pub(crate) plan: QueuePlan,
    pub(crate) places: QueuePlaces,
    pub(crate) cbfc: Option<CbfcSection>,
    /// As it was typed: one, or one for each data class.
    markings: Vec<Chosen<marking::Config>>,
    /// What each data class may send in a round.
    shares: Vec<Size>,
}

/// Where the queues' settings stand.
pub(crate) struct QueuePlaces {
    pub(crate) size: Place,
    pub(crate) control_size: Place,
    pub(crate) mark_at: Place,
    /// The name of the marking.
    pub(crate) marking: Place,
    /// A threshold of the marking; its name where all thresholds are defaults.
    pub(crate) threshold: Place,
    /// The names of the markings of data classes.
    pub(crate) class_markings: Vec<Place>,
    pub(crate) overflow: Place,
    /// The shares of a round; the section where they are defaults.
    shares: Place,
    pub(crate) xoff: Place,
}

/// Reads the table.
pub(crate) fn queue(mut reader: Reader<'_>, gap: Bytes) -> Option<QueueSection> {
    let place = reader.place();
    let size_item = reader.demand(&QUEUE.size);
    let size = size_item.and_then(|item| capacity(&reader, "size", item));
    let control_item = reader.demand(&QUEUE.control_size);
    let control_size = control_item.and_then(|item| capacity(&reader, "control_size", item));
    let service: Option<Service> = reader.need(&QUEUE.service);
    let overflow: Option<Overflow> = reader.need(&QUEUE.overflow);
    let overflow_item = reader.take(&QUEUE.overflow);
    let mut mark_at = None;
    let mut mark_at_place = Place::default();
    let mut threshold = None;
    let marking = reader.table(&QUEUE.marking).and_then(|mut inner| {
        let thresholds = inner.rest().filter(|(key, ..)| THRESHOLDS.contains(key));
        threshold = thresholds.map(|(_, _, item)| item.place.clone()).next();
        mark_at = inner.need::<MarkAt>(&MARKING.at);
        mark_at_place = inner.take(&MARKING.at).map(|item| item.place.clone()).unwrap_or_default();
        scheme::read_scheme::<marking::Config>(inner)
    });
    let classes = classes(&mut reader);
    let control_weight = control_weight(&mut reader, service);
    let class_markings = class_markings(&mut reader, classes);
    let last_hop_marking = last_hop_marking(&mut reader);
    let acks = acks(&mut reader, service, classes);
    if let (Some(Size::Unlimited), Some(item)) = (size, size_item) {
        let of_classes = class_markings.iter().flatten();
        let common = marking.iter().filter(|_| of_classes.clone().count() == 0);
        let last_hop = last_hop_marking.iter().flatten();
        for marking in common.chain(of_classes.clone()).chain(last_hop) {
            let name = format!("marking `{}`", marking.config.card().name);
            relative_to_nothing(&reader, item, &name, &marking.config.values());
        }
    }
    if service == Some(Service::Fifo) {
        one_class(&mut reader, overflow, classes);
    }
    let shares = shares(&mut reader, service, classes);
    let pfc_item = reader.take(&QUEUE.pfc);
    let pfc = match reader.table(&QUEUE.pfc) {
        Some(inner) => pfc(inner).map(Some),
        None => pfc_item.is_none().then_some(None),
    };
    if let (Some(Size::Unlimited), Some(item), Some(Some((pfc, _)))) = (size, size_item, &pfc) {
        let values = [("xoff", shown(&pfc.xoff)), ("xon", shown(&pfc.xon))];
        relative_to_nothing(&reader, item, "`pfc`", &values);
    }
    let has_credits = reader.take(&QUEUE.cbfc).is_some();
    let cbfc = reader.table(&QUEUE.cbfc).and_then(cbfc::cbfc);
    if let Some(own) = &cbfc {
        let beside = (pfc_item.is_some(), service, classes);
        own.stands_alone(beside, reader.take(&QUEUE.classes), reader.log());
        if let (Some(Overflow::Trim), Some(item)) = (overflow, overflow_item) {
            let problem = item.place.problem("`overflow = \"trim\"` has no effect beside `cbfc`");
            reader.log().add(problem.label("leave it out: what credits let go finds room"));
        }
    }
    reader.finish();
    if has_credits && cbfc.is_none() {
        return None;
    }
    let (marking, (pfc, shares)) = (marking?, pfc.zip(shares)?);
    let class_markings = class_markings?;
    let (pfc, xoff) = pfc.unzip();
    let first = class_markings.first().unwrap_or(&marking);
    let places = QueuePlaces {
        size: size_item?.place.clone(),
        control_size: control_item?.place.clone(),
        mark_at: mark_at_place,
        threshold: threshold.unwrap_or_else(|| first.place.clone()),
        marking: first.place.clone(),
        class_markings: class_markings.iter().map(|own| own.place.clone()).collect(),
        overflow: overflow_item?.place.clone(),
        shares: shares.1.map_or(place, |item| &item.place).clone(),
        xoff: xoff.unwrap_or_default(),
    };
    let plan = QueuePlan {
        size: size?,
        control_size: control_size?,
        service: service?,
        classes: classes?,
        shares: Vec::new(),
        control_weight: control_weight?,
        marking: marking.config.clone(),
        class_markings: class_markings.iter().map(|own| own.config.clone()).collect(),
        last_hop_marking: last_hop_marking?.map(|own| own.config),
        acks: acks?,
        mark_at: mark_at?,
        overflow: overflow?,
        gap,
        pfc,
        cbfc: cbfc.as_ref().map(|own| own.cbfc),
    };
    let markings = if class_markings.is_empty() { vec![marking] } else { class_markings };
    Some(QueueSection { plan, places, cbfc, markings, shares: shares.0 })
}

/// The markings of the data classes, where they have their own.
fn class_markings(
    reader: &mut Reader<'_>,
    classes: Option<u8>,
) -> Option<Vec<Chosen<marking::Config>>> {
    let Some(item) = reader.take(&QUEUE.markings) else { return Some(Vec::new()) };
    let items = reader.list(&QUEUE.markings, "one scheme for each data class");
    let common = reader.take(&QUEUE.marking).and_then(Item::table);
    let mut written = common.iter().flat_map(|table| &table.entries);
    let unread = written.find(|entry| entry.key != "at" && entry.item.place.file.is_some());
    if let Some(entry) = unread {
        let message = format!("`marking` has no `{}` beside `markings`", entry.key);
        let problem = entry.key_place.problem(message);
        reader.log().add(problem.label("leave it out: each data class has its own"));
        return None;
    }
    if let Some(classes) = classes.filter(|&classes| items.len() != usize::from(classes)) {
        let problem = item.place.problem("wrong value for `markings`");
        let label = format!("expected a list of {classes}, one for each data class");
        reader.log().add(problem.label(label));
        return None;
    }
    let log = reader.log();
    let read = |item| scheme::read_scheme(Reader::of("markings", item, log)?);
    let all: Vec<_> = items.iter().map(read).collect();
    all.into_iter().collect()
}

/// The marking of ports to hosts, where they have their own.
fn last_hop_marking(reader: &mut Reader<'_>) -> Option<Option<Chosen<marking::Config>>> {
    let Some(item) = reader.take(&QUEUE.last_hop_marking) else { return Some(None) };
    if reader.take(&QUEUE.markings).is_some() {
        let problem = item.place.problem("`last_hop_marking` beside `markings`");
        reader.log().add(problem.label("leave one of them out"));
        return None;
    }
    scheme::read_scheme(Reader::of("last_hop_marking", item, reader.log())?).map(Some)
}

/// Where the ACKs of each data class travel; empty where all are control.
fn acks(
    reader: &mut Reader<'_>,
    service: Option<Service>,
    classes: Option<u8>,
) -> Option<Vec<AckQueue>> {
    let Some(item) = reader.take(&QUEUE.acks) else { return Some(Vec::new()) };
    let classes = usize::from(classes?);
    let words = if matches!(item.value, Value::List(_)) {
        let items = reader.list(&QUEUE.acks, "one word for each data class");
        if items.len() != classes {
            let problem = item.place.problem("wrong value for `acks`");
            let label = format!("expected a list of {classes}, one for each data class");
            reader.log().add(problem.label(label));
            return None;
        }
        let word = |item| read("acks", item).map_err(|problem| reader.log().add(problem)).ok();
        items.iter().map(word).collect::<Option<Vec<AckQueue>>>()?
    } else {
        vec![reader.need(&QUEUE.acks)?; classes]
    };
    if service == Some(Service::Fifo) {
        let problem = item.place.problem("`acks` has no effect on a `fifo` port");
        reader.log().add(problem.label("leave it out: ACKs share the data frames' queue"));
        return None;
    }
    Some(if words.contains(&AckQueue::Data) { words } else { Vec::new() })
}

/// The number of data classes.
fn classes(reader: &mut Reader<'_>) -> Option<u8> {
    let classes: u32 = reader.need(&QUEUE.classes)?;
    let count = u8::try_from(classes).ok().filter(|count| (1..=CLASS_LIMIT).contains(count));
    if let (None, Some(item)) = (count, reader.take(&QUEUE.classes)) {
        let problem = item.place.problem("wrong value for `classes`");
        let label = format!("expected 1 to {CLASS_LIMIT} data classes; control is one more");
        reader.log().add(problem.label(label));
    }
    count
}

/// After how many control frames data has a turn.
fn control_weight(reader: &mut Reader<'_>, service: Option<Service>) -> Option<Option<NonZeroU32>> {
    let Some(item) = reader.take(&QUEUE.control_weight) else { return Some(None) };
    let label = match read::<u32>("control_weight", item) {
        Ok(_) if service == Some(Service::Fifo) => {
            let problem = item.place.problem("`control_weight` has no effect on a `fifo` port");
            let label = "leave it out: control frames share the data frames' queue";
            reader.log().add(problem.label(label));
            return None;
        }
        Ok(frames) => match NonZeroU32::new(frames) {
            Some(frames) => return Some(Some(frames)),
            None => "expected at least 1 frame",
        },
        Err(problem) => {
            reader.log().add(problem);
            return None;
        }
    };
    reader.log().add(item.place.problem("wrong value for `control_weight`").label(label));
    None
}

/// What each data class may send in a round, and where that stands.
fn shares<'a>(
    reader: &mut Reader<'a>,
    service: Option<Service>,
    classes: Option<u8>,
) -> Option<(Vec<Size>, Option<&'a Item>)> {
    let mut used = None;
    for (key, needed, word) in
        [(&QUEUE.quantum, Service::Drr, "drr"), (&QUEUE.weights, Service::Wrr, "wrr")]
    {
        let Some(item) = reader.take(key) else { continue };
        if service == Some(needed) {
            used = Some((key, item));
        } else if let Some(service) = service {
            let message = format!("`{}` has no effect on a `{}` port", key.word, service.word());
            let problem = item.place.problem(message);
            reader.log().add(problem.label(format!("leave it out, or set `service = \"{word}\"`")));
        }
    }
    let classes = usize::from(classes?);
    let Some((key, item)) = used else {
        // Read as packets by `drr` and as frames by `wrr`: one of either.
        return Some((vec![Size::Packets(1.0); classes], None));
    };
    let list = reader.list(key, "one entry for each data class");
    let key = key.word;
    if list.len() != classes {
        let problem = item.place.problem(format!("wrong value for `{key}`"));
        let label = format!("expected a list of {classes}, one for each data class");
        reader.log().add(problem.label(label));
        return None;
    }
    let one = |item: &Item| {
        let share = match service {
            Some(Service::Wrr) => read::<u32>(key, item).map(|n| Size::Packets(f64::from(n))),
            _ => read::<Size>(key, item),
        };
        let label = match share.map_err(|problem| reader.log().add(problem)).ok()? {
            Size::Bdp(_) | Size::Percent(_) | Size::Unlimited => "expected bytes or packets",
            Size::Packets(n) if key == "weights" && !(1.0..=LARGEST_SHARE as f64).contains(&n) => {
                "expected 1 to 16777216 frames"
            }
            share => return Some(share),
        };
        reader.log().add(item.place.problem(format!("wrong value for `{key}`")).label(label));
        None
    };
    let shares: Option<Vec<Size>> = list.iter().map(one).collect();
    Some((shares?, Some(item)))
}

/// Flow control, and where `xoff` stands.
fn pfc(mut reader: Reader<'_>) -> Option<(Pfc, Place)> {
    let thresholds = [&PFC.xoff, &PFC.xon].map(|key| reader.take(key));
    let place = thresholds[0].map_or_else(|| reader.place(), |item| &item.place).clone();
    // Without thresholds the memory's policy decides; `by_memory` sees to it that there is one.
    let [xoff, xon] = match thresholds {
        [None, None] => [Some(Size::Unlimited); 2],
        _ => [&PFC.xoff, &PFC.xon].map(|key| {
            let size: Option<Size> = reader.need(key);
            if let (Some(Size::Unlimited), Some(item)) = (size, reader.take(key)) {
                let problem = item.place.problem(format!("wrong value for `{}`", key.word));
                reader.log().add(problem.label("expected a size with a limit"));
                return None;
            }
            size
        }),
    };
    let quanta = reader.at_least(&PFC.quanta);
    if quanta.is_some_and(|quanta| quanta > super::limits::LATEST)
        && let Some(item) = reader.take(&PFC.quanta)
    {
        let problem = item.place.problem("`quanta` is too large");
        reader.log().add(problem.label(format!("expected at most {}", super::limits::LATEST)));
    }
    let links = reader.or(&PFC.links);
    let watchdog = match [&PFC.watchdog, &PFC.restoration].map(|key| reader.take(key)) {
        [None, None] => Some(None),
        [Some(item), _] if links == PfcLinks::Hosts => {
            let problem = item.place.problem("`watchdog` has no effect with `links = \"hosts\"`");
            reader.log().add(problem.label("only switches pause, and no switch is paused there"));
            None
        }
        [Some(_), _] => watchdog(&mut reader).map(Some),
        [None, Some(item)] => {
            let problem = item.place.problem("`restoration` has no effect without a `watchdog`");
            reader.log().add(problem.label("add `watchdog = \"200 ms\"`, or leave it out"));
            None
        }
    };
    reader.finish();
    Some((Pfc { xoff: xoff?, xon: xon?, quanta: quanta?, links, watchdog: watchdog? }, place))
}

/// The watchdog, whose quiet is as long as what it waits for unless it is written.
fn watchdog(reader: &mut Reader<'_>) -> Option<Watchdog> {
    let detection = reader.at_least(&PFC.watchdog)?;
    let restoration = reader.at_least_or(&PFC.restoration, Some(detection))?;
    for (key, span) in [(&PFC.watchdog, detection), (&PFC.restoration, restoration)] {
        if span > super::limits::LATEST
            && let Some(item) = reader.take(key)
        {
            let problem = item.place.problem(format!("`{}` is too large", key.word));
            let label = format!("expected at most {}", super::limits::LATEST);
            reader.log().add(problem.label(label));
        }
    }
    Some(Watchdog { detection, restoration })
}

/// Keys of flow control that few scenarios have.
fn more(pfc: &Pfc) -> String {
    let links = match pfc.links {
        PfcLinks::All => String::new(),
        links => format!(", links = {}", shown(&links)),
    };
    let watchdog = pfc.watchdog.map(|Watchdog { detection, restoration }| {
        format!(", watchdog = {}, restoration = {}", shown(&detection), shown(&restoration))
    });
    links + &watchdog.unwrap_or_default()
}

/// A capacity: at least one packet, and not a percentage, for there is nothing it could be of.
fn capacity(reader: &Reader<'_>, key: &str, item: &Item) -> Option<Size> {
    let size = read(key, item).map_err(|problem| reader.log().add(problem)).ok()?;
    let label = match size {
        Size::Percent(_) => "expected bytes, packets or bdp: a capacity is not a share of anything",
        Size::Packets(n) if n < 1.0 => "expected at least 1 packet",
        Size::Bdp(n) if n <= 0.0 => "expected more than 0 bdp",
        Size::Bytes(Bytes(0)) => "expected room for at least one packet",
        _ => return Some(size),
    };
    reader.log().add(item.place.problem(format!("wrong value for `{key}`")).label(label));
    None
}

/// What has no meaning where a port has one class for everything.
fn one_class(reader: &mut Reader<'_>, overflow: Option<Overflow>, classes: Option<u8>) {
    if let (Some(2..), Some(item)) = (classes, reader.take(&QUEUE.classes)) {
        let problem = item.place.problem("a `fifo` port has one class for everything");
        let help = "for more classes set `service` to \"priority\", \"drr\" or \"wrr\"";
        reader.log().add(problem.label("expected 1").help(help));
    }
    if let (Some(Overflow::Trim), Some(item)) = (overflow, reader.take(&QUEUE.overflow)) {
        let problem = item.place.problem("a `fifo` port cannot trim");
        let help = "trimmed headers travel in the control class: set `service = \"priority\"`";
        reader.log().add(problem.label("expected \"drop\"").help(help));
    }
    if let Some(item) = reader.take(&QUEUE.control_size).filter(|item| item.place.file.is_some()) {
        let problem = item.place.problem("`control_size` has no effect on a `fifo` port");
        let label = "leave it out: control frames share the data frames' queue";
        reader.log().add(problem.label(label));
    }
}

/// Adds a problem for a share of an unlimited queue among the values of `whose`.
fn relative_to_nothing(
    reader: &Reader<'_>,
    size: &Item,
    whose: &str,
    values: &[(&'static str, String)],
) {
    let Some((key, value)) = values.iter().find(|(_, value)| value.ends_with("%\"")) else {
        return;
    };
    let message = format!("{whose} has {key} = {value} of an unlimited queue");
    let problem = size.place.problem(message).label("a share of this has no meaning");
    reader.log().add(problem.help(format!("give `{key}` in bytes, packets or bdp")));
}

impl QueueSection {
    /// Who marks, and where that is said.
    pub(crate) fn named_marking(&self) -> String {
        let names: Vec<String> =
            self.plan.markings().map(|own| format!("`{}`", own.card().name)).collect();
        let key = if self.plan.class_markings.is_empty() { "marking" } else { "markings" };
        format!("{} in [fabric] queue.{key}", names.join(", "))
    }

    /// What the markings need.
    pub(crate) fn needy(&self) -> impl Iterator<Item = Needy<'_>> {
        self.markings.iter().map(Chosen::needy)
    }

    /// Has pauses go by the memory's policy, where that is called `policy` and decides on them. Adds a
    /// problem for thresholds that nothing compares, and for flow control without any.
    pub(crate) fn by_memory(&mut self, policy: Option<&str>, log: &Log) {
        match (&mut self.plan.pfc, policy) {
            (pfc @ None, Some(_)) => *pfc = Some(Pfc::of_memory(PFC.quanta.value())),
            (Some(pfc), Some(policy)) if !pfc.by_memory() => {
                let message = format!("`xoff` has no effect: `{policy}` decides who pauses");
                let label = "leave `xoff` and `xon` out, or let no class be `lossless`";
                log.add(self.places.xoff.problem(message).label(label));
            }
            (Some(pfc), None) if pfc.by_memory() => {
                let problem = self.places.xoff.problem("pfc lacks `xoff`");
                log.add(problem.label("add `xoff = \"50%\"` and `xon = \"40%\"`, or a `buffer` with `lossless` classes"));
            }
            _ => {}
        }
    }

    /// Fills the shares of a round in, now that the size of a packet is known. Adds a problem if
    /// one is too small or too large.
    pub(crate) fn resolve_shares(&mut self, packet: Bytes, log: &Log) {
        let packet = match self.plan.service {
            Service::Priority | Service::Fifo => return,
            Service::Drr => packet,
            Service::Wrr => Bytes(1),
        };
        let base = Base { packet, bdp: Bytes(0), whole: Bytes(0) };
        self.plan.shares = self.shares.iter().map(|share| share.resolve(&base).0).collect();
        let fits = |share: &u64| (LEAST_QUANTUM..=LARGEST_SHARE).contains(share);
        let unfit = self.plan.shares.iter().position(|share| !fits(share));
        if let (Service::Drr, Some(class)) = (self.plan.service, unfit) {
            let bytes = self.plan.shares[class];
            let problem =
                self.places.shares.problem(format!("class {class} has a quantum of {bytes} B"));
            log.add(problem.label(format!("expected {LEAST_QUANTUM} B to {LARGEST_SHARE} B")));
        }
    }

    /// The line of the table with every default filled in. What belongs to one data class is left
    /// out where there is one.
    pub(crate) fn resolved(&self) -> String {
        let queue = &self.plan;
        let at = ("at", shown(&queue.mark_at));
        let marking = match queue.class_markings.is_empty() {
            true => show(&queue.marking, &[at]),
            false => format!("{{ at = {} }}", at.1),
        };
        let mut parts = vec![format!("size = {}", shown(&queue.size))];
        if queue.service != Service::Fifo {
            parts.push(format!("control_size = {}", shown(&queue.control_size)));
        }
        parts.push(format!("service = {}", shown(&queue.service)));
        if queue.classes > 1 {
            parts.push(format!("classes = {}", queue.classes));
        }
        let list = |entries: Vec<String>| format!("[{}]", entries.join(", "));
        match queue.service {
            Service::Priority | Service::Fifo => {}
            Service::Drr => {
                let quanta = self.shares.iter().map(shown).collect();
                parts.push(format!("quantum = {}", list(quanta)));
            }
            Service::Wrr => {
                let weights = queue.shares.iter().map(u64::to_string).collect();
                parts.push(format!("weights = {}", list(weights)));
            }
        }
        if let Some(frames) = queue.control_weight {
            parts.push(format!("control_weight = {frames}"));
        }
        parts.push(format!("marking = {marking}"));
        if !queue.class_markings.is_empty() {
            let all = queue.class_markings.iter().map(|own| show(own, &[])).collect();
            parts.push(format!("markings = {}", list(all)));
        }
        if let Some(own) = &queue.last_hop_marking {
            parts.push(format!("last_hop_marking = {}", show(own, &[])));
        }
        if !queue.acks.is_empty() {
            parts.push(format!("acks = {}", list(queue.acks.iter().map(shown).collect())));
        }
        parts.push(format!("overflow = {}", shown(&queue.overflow)));
        if let Some(pfc) = queue.pfc.filter(Pfc::by_memory) {
            parts.push(format!("pfc = {{ quanta = {}{} }}", shown(&pfc.quanta), more(&pfc)));
        } else if let Some(pfc) = &queue.pfc {
            let (xoff, xon, quanta) = (shown(&pfc.xoff), shown(&pfc.xon), shown(&pfc.quanta));
            let more = more(pfc);
            parts.push(format!("pfc = {{ xoff = {xoff}, xon = {xon}, quanta = {quanta}{more} }}"));
        }
        parts.extend(self.cbfc.as_ref().map(CbfcSection::resolved));
        format!("queue = {{ {} }}", parts.join(", "))
    }
}
