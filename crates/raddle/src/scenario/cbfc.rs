//! `[fabric] queue.cbfc`: credits on every link.

use super::key::{Key, Section, keys};
use super::keyed::Reader;
use super::reader::Log;
use super::scheme::shown;
use super::sizes::Sizes;
use super::spec::{Item, Place, Value};
use raddle_schemes::family::Parameter;
use raddle_schemes::ids::PortId;
use raddle_schemes::size::Size;
use raddle_schemes::units::Bytes;
use raddle_sim::plan::{BufferPlan, Cbfc, CreditBase, Service};
use raddle_sim::topology::Fabric;

keys! {
    /// `[fabric] queue.cbfc`.
    CBFC: CbfcKeys = Section::new("cbfc", "### queue.cbfc", "credit-based flow control on every link to a switch, as Ultra Ethernet has it; `cbfc = {}` has all defaults") => {
        cell: Bytes, (= "256 B") [>= "32 B"],
            "what memory is counted in, a power of two: 32 B to 2048 B";
        overhead: Number, (= 0),
            "bytes that a frame takes beside its own: a whole number from -16 to 127";
        credits: Either(&[Size, Exactly("auto")]), (= "auto"),
            "room of each data class for what comes in through a port, in bytes or packets, below 2^15 cells; `auto`: as much as full rate needs, two packets, `cf_spacing`, 8 B and what the link carries there and back";
        cf_spacing: Bytes, (= "6400 B") [>= "800 B"],
            "line time from one message about freed cells to the next, at least; not above `cf_refresh`";
        cf_refresh: Bytes, (= "256 KiB") [>= "16 KiB"],
            "line time after which a message about freed cells that was lost is repeated; at most 1 MiB";
        cc: Time, (= "256 us") [>= "1 us"],
            "a sender with cells out says so often how many it has consumed, which gives back those of frames that were lost; at most 250 ms";
    }
}

/// The table, and where it stands.
pub(crate) struct CbfcSection {
    pub(crate) cbfc: Cbfc,
    pub(crate) place: Place,
    credits_place: Option<Place>,
}

/// Reads the table.
pub(crate) fn cbfc(mut reader: Reader<'_>) -> Option<CbfcSection> {
    let place = reader.place().clone();
    let cell: Option<Bytes> = at_most(&mut reader, &CBFC.cell, Bytes(2048));
    if let (Some(cell), Some(item)) = (cell, reader.take(&CBFC.cell))
        && !cell.0.is_power_of_two()
    {
        wrong(&reader, item, "cell", "expected a power of two from 32 B to 2048 B");
    }
    let bytes: f64 = reader.or(&CBFC.overhead);
    let whole = bytes.fract() == 0.0 && (-16.0..=127.0).contains(&bytes);
    if let (false, Some(item)) = (whole, reader.take(&CBFC.overhead)) {
        wrong(&reader, item, "overhead", "expected a whole number from -16 to 127");
    }
    let item = reader.take(&CBFC.credits);
    let credits = match item {
        Some(Item { value: Value::Text(word), .. }) if word == "auto" => Some(None),
        Some(item) => match reader.get(&CBFC.credits) {
            Some(size @ (Size::Bytes(_) | Size::Packets(_))) => Some(Some(size)),
            Some(_) => {
                wrong(&reader, item, "credits", "expected bytes, packets or \"auto\"");
                None
            }
            None => None,
        },
        None => Some(None),
    };
    let cf_spacing: Option<Bytes> = reader.at_least(&CBFC.cf_spacing);
    let cf_refresh = at_most(&mut reader, &CBFC.cf_refresh, Cbfc::REFRESH[1]);
    if let (Some(spacing), Some(refresh), Some(item)) =
        (cf_spacing, cf_refresh, reader.take(&CBFC.cf_spacing))
        && spacing > refresh
    {
        let problem = item.place.problem("`cf_spacing` is too large");
        reader.log().add(problem.label(format!("expected at most `cf_refresh`, {refresh}")));
    }
    let cc = at_most(&mut reader, &CBFC.cc, Cbfc::CC[1]);
    reader.finish();
    let cbfc = Cbfc {
        cell: cell?,
        overhead: if whole { bytes as i32 } else { 0 },
        credits: credits?,
        cf_spacing: cf_spacing?,
        cf_refresh: cf_refresh?,
        cc: cc?,
    };
    Some(CbfcSection { cbfc, place, credits_place: item.map(|item| item.place.clone()) })
}

fn wrong(reader: &Reader<'_>, item: &Item, key: &str, label: &str) {
    reader.log().add(item.place.problem(format!("wrong value for `{key}`")).label(label));
}

/// A value of a range.
fn at_most<T: Parameter + PartialOrd + std::fmt::Display>(
    reader: &mut Reader<'_>,
    key: &'static Key,
    most: T,
) -> Option<T> {
    let value: T = reader.at_least(key)?;
    if let (true, Some(item)) = (value > most, reader.take(key)) {
        let problem = item.place.problem(format!("`{}` is too large", key.word));
        reader.log().add(problem.label(format!("expected at most {most}")));
        return None;
    }
    Some(value)
}

impl CbfcSection {
    /// Adds a problem where credits stand beside what they do not go with: pauses, one class for all, more
    /// classes than they can tell of.
    pub(super) fn stands_alone(
        &self,
        (pauses, service, classes): (bool, Option<Service>, Option<u8>),
        classes_item: Option<&Item>,
        log: &Log,
    ) {
        if pauses {
            let problem = self.place.problem("a link has credits or pauses");
            log.add(problem.label("leave out `cbfc` or `pfc`"));
        }
        if service == Some(Service::Fifo) {
            let problem =
                self.place.problem("credits are for data, and a `fifo` port has one class");
            let help = "set `service` to \"priority\", \"drr\" or \"wrr\"";
            log.add(problem.label("leave `cbfc` out").help(help));
        }
        if let Some(item) = classes_item.filter(|_| classes > Some(Cbfc::CLASSES)) {
            let problem = item.place.problem("too many data classes for credits");
            log.add(problem.label(format!("expected at most {}", Cbfc::CLASSES)));
        }
    }

    /// Adds a problem where links of a fabric cannot have such credits, or a switch cannot keep what it
    /// promises so many classes. Notes that links without retry, if one `loses` frames, lose credit with them.
    pub(crate) fn check(
        &self,
        (fabric, gap, classes): (&Fabric, Bytes, u8),
        (buffer, loses): (Option<(&BufferPlan, &Place)>, bool),
        sizes: &Sizes,
        log: &Log,
    ) {
        if fabric.circuits.is_some() {
            let problem = self.place.problem("`cbfc` is not for circuits");
            return log.add(problem.label("leave it out"));
        }
        if loses {
            log.note(
                "frames lost on links keep their credit until `cc` comes round: with `llr` links send them \
                 again"
                    .to_owned(),
            );
        }
        let base = CreditBase { fabric, cbfc: self.cbfc, packet: sizes.packet, gap };
        let least = self.cbfc.cells(sizes.packet.max(sizes.control));
        let most = (1 << Cbfc::BITS_TOLD) - 1;
        let place = self.credits_place.as_ref().unwrap_or(&self.place);
        for (id, port) in (0..).map(PortId).zip(&fabric.ports) {
            let Some(cells) = base.of_link(id) else { continue };
            let message = if cells < least {
                format!("{cells} cells of credit leave no room for a frame on `{}`", port.name)
            } else if cells > most {
                format!("`{}` has {cells} cells of credit", port.name)
            } else {
                continue;
            };
            let label = format!("expected {least} to {most} cells of {}", self.cbfc.cell);
            return log.add(place.problem(message).label(label));
        }
        let Some((buffer, place)) = buffer else { return };
        for switch in &fabric.switches {
            let size = buffer.size_at(fabric, switch, sizes.packet, sizes.longest_rtt);
            let promised = base.promised(switch, classes);
            if promised > size {
                let name = &switch.name;
                let (size, promised) = (size.0, promised.0);
                let message =
                    format!("`{name}` has {size} B, and its credits promise {promised} B");
                return log
                    .add(place.problem(message).label(format!("expected at least {promised} B")));
            }
        }
    }

    /// The table with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        let Cbfc { cell, overhead, credits, cf_spacing, cf_refresh, cc } = self.cbfc;
        let credits = credits.map_or("\"auto\"".to_owned(), |own| shown(&own));
        let (cell, cc) = (shown(&cell), shown(&cc));
        let (spacing, refresh) = (shown(&cf_spacing), shown(&cf_refresh));
        format!(
            "cbfc = {{ cell = {cell}, overhead = {overhead}, credits = {credits}, \
             cf_spacing = {spacing}, cf_refresh = {refresh}, cc = {cc} }}"
        )
    }
}
