//! `kind = "flows"`: a list, flow by flow.

use super::{Kind, Made, Misfit, Pattern, TrafficSection};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::scheme::shown;
use crate::scenario::spec::Item;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::explicit::{self, ExplicitFlow};
use raddle_sim::workload::{Traffic, WorkloadError};
use std::slice;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: FlowsKeys = Section::kind("flows", "what a list says, flow by flow").with(JobKeyWords::SECTION) => {
        flow: List(&Table(FlowKeys::SECTION)), (required [{ from = 0, to = 1, bytes = "1 MiB" }]),
            "the flows";
        class: Whole, (= 0),
            "the data class of the flows, below `queue.classes`";
    }
}

keys! {
    /// Of one flow.
    FLOW: FlowKeys = Section::new("flow", "### flow", "one flow of a list") => {
        from: Whole, (required 0),
            "sending host";
        to: Whole, (required 1),
            "receiving host";
        bytes: Bytes, (required "1 B") [>= "1 B"],
            "size";
        start: Time, (= "0 ns"),
            "when it starts";
        class: Whole, (or "the section's"),
            "its data class";
    }
}

pub(super) const KIND: Kind = Kind {
    section: FlowsKeys::SECTION,
    seed: None,
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

/// Each flow with its position among those typed.
#[derive(Debug)]
struct Flows(Vec<(usize, ExplicitFlow)>);

fn read(reader: &mut Reader<'_>, _: &Files, class: u8) -> Option<Made> {
    let given = reader.demand(&KEYS.flow)?;
    let mut list = Vec::new();
    let mut lines = vec!["flow = [".to_owned()];
    let items = reader.list(&KEYS.flow, "flows");
    if given.list().is_some_and(<[Item]>::is_empty) {
        let problem = given.place.problem("there are no flows");
        reader.log().add(problem.label("expected at least one flow"));
    }
    for (position, item) in items.iter().enumerate() {
        let Some(mut flow) = Reader::of("flow", item, reader.log()) else { continue };
        let from = flow.need(&FLOW.from);
        let to = flow.need(&FLOW.to);
        let bytes: Option<Bytes> = flow.at_least(&FLOW.bytes);
        let start: Span = flow.or(&FLOW.start);
        let own = flow.get(&FLOW.class).unwrap_or(class);
        flow.finish();
        let (Some(from), Some(to), Some(message)) = (from, to, bytes) else { continue };
        let of_its_own = if own == class { String::new() } else { format!(", class = {own}") };
        lines.push(format!(
            "  {{ from = {from}, to = {to}, bytes = {}, start = {}{of_its_own} }},",
            shown(&message),
            shown(&start)
        ));
        let (source, destination) = (HostId(from), HostId(to));
        let start = Time(start.0);
        list.push((position, ExplicitFlow { source, destination, message, class: own, start }));
    }
    lines.push("]".to_owned());
    let title = format!("{} flow{}", list.len(), if list.len() == 1 { "" } else { "s" });
    Some(Made { pattern: Arc::new(Flows(list)), lines, title, files: Vec::new() })
}

impl Pattern for Flows {
    fn generate(&self, fabric: &Fabric, _: u64) -> Result<Traffic, Misfit> {
        let flows: Vec<ExplicitFlow> = self.0.iter().map(|(_, flow)| flow.clone()).collect();
        Ok(explicit::traffic(fabric.hosts, &flows)?)
    }

    fn flows(&self, _: &Fabric) -> u64 {
        self.0.len() as u64
    }

    fn largest(&self) -> Bytes {
        self.0.iter().map(|(_, flow)| flow.message).max().unwrap_or_default()
    }

    fn message_key(&self) -> &'static str {
        "flow"
    }

    fn own_classes(&self) -> Option<Vec<(usize, u8)>> {
        Some(self.0.iter().map(|(position, flow)| (*position, flow.class)).collect())
    }

    /// Each flow alone, so that every mistake is found.
    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        for (position, flow) in &self.0 {
            if let Err(error) = explicit::traffic(fabric.hosts, slice::from_ref(flow)) {
                let error = WorkloadError { flow: Some(*position), ..error };
                log.add(section.problem(&error.into()));
            }
        }
    }
}
