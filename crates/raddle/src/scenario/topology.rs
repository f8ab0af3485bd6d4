//! `[fabric] topology`: hosts, switches and cables.

use super::fabric::FABRIC;
use super::fault::FaultSection;
use super::files::{Files, NamedFile};
use super::key::{Key, Section, key, keys, kinds};
use super::keyed::Reader;
use super::scheme::shown;
use super::spec::{Item, Place, quoted};
use crate::import::{hpcc, htsim_topo};
use crate::problem::Problem;
use raddle_schemes::load_balance::plane::MOST_PLANES;
use raddle_schemes::units::{Rate, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::fat_tree::TreeOptions;
use raddle_sim::topology::shape_error::ShapeError;
use raddle_sim::topology::tree::TreeShape;
use std::sync::Arc;

/// The words of the kinds.
const KINDS: [&str; SECTIONS.len()] = kinds(&SECTIONS);

/// The sections, one for each kind.
const SECTIONS: [&Section; 6] = [
    FatTreeKeys::SECTION,
    LeafSpineKeys::SECTION,
    DumbbellKeys::SECTION,
    GraphKeys::SECTION,
    HtsimTopoKeys::SECTION,
    HpccTopologyKeys::SECTION,
];

/// The sections of `topology`, one for each kind.
pub(crate) fn sections() -> Vec<&'static Section> {
    SECTIONS.to_vec()
}

/// What selects a topology.
static KIND: Key = key!(kind Word(&KINDS), (required "fat_tree") [], "what the topology is");

/// What all kinds have.
const COMMON: &Section = &Section { keys: &[HOST_DELAY], ..Section::inner("topology", "fabrics") };
const HOST_DELAY: Key = key!(
    host_delay Time, (= "0 ns") [],
    "latency of every host, from the arrival of a frame until the host has it"
);
/// Keys that several kinds have.
const RATE: Key = key!(rate Rate, (= "400 Gbps") [], "of the hosts' links");
const LINK_DELAY: Key =
    key!(link_delay Time, (= "500 ns") [], "propagation on every link, or on the hosts'");
const SWITCH_DELAY: Key = key!(switch_delay Time, (= "500 ns") [], "latency of every switch");
const UPLINK_RATE: Key = key!(uplink_rate Rate, (or "`rate`") [], "of the links between switches");
const UPLINK_DELAY: Key = key!(
    uplink_delay Time, (or "`link_delay`") [], "propagation on the links between switches"
);
const PLANES: Key = key!(
    planes Whole, (= 1) [1 to 8],
    "copies of the tree, 1 to 8, that share nothing but the hosts: every host has a port in each, of this `rate` ([model.md](model.md#hosts-with-several-ports))"
);
const FILE: Key =
    key!(file Path, (required "fabric.txt") [], "a text file, relative to the scenario");

keys! {
    /// Fat trees.
    FAT_TREE: FatTreeKeys = Section::kind("fat_tree", "switches in two or three tiers, as much bandwidth up as down").with(COMMON) => {
        tiers: Whole, (= 3) [2 to 3],
            "2 or 3";
        hosts: Whole, (required 128) [<= 65536],
            "at most 65536";
        rate => RATE;
        link_delay => LINK_DELAY;
        switch_delay => SWITCH_DELAY.meaning("latency of every switch, before its queue");
        hosts_per_tor: Whole, (or "k / 2; two tiers: the largest divisor of `hosts` not above its square root"),
            "hosts below each ToR";
        tors_per_pod: Whole, (or "as many as a ToR has hosts"),
            "three tiers only";
        oversubscription: Number, (= 1.0),
            "bandwidth of a ToR's host links over that of its uplinks; 4.0 is 4:1";
        parallel: Whole, (= 1),
            "cables between neighbouring switches; more of them mean fewer upper switches";
        uplink_rate => UPLINK_RATE;
        core_rate: Rate, (or "`uplink_rate`"),
            "of the links to core switches, three tiers only; the number of switches does not follow it, so a slower core is oversubscribed";
        uplink_delay => UPLINK_DELAY;
        core_delay: Time, (or "`uplink_delay`"),
            "propagation on the links to core switches, three tiers only";
        planes => PLANES;
    }
}

keys! {
    /// Two tiers with numbers of their own.
    LEAF_SPINE: LeafSpineKeys = Section::kind("leaf_spine", "leaves with hosts, and spines that connect them").with(COMMON) => {
        leaves: Whole, (required 16),
            "switches with hosts, named `tor0`, `tor1`";
        hosts_per_leaf: Whole, (required 8),
            "hosts at each";
        spines: Whole, (required 8),
            "switches above, each connected to each leaf";
        parallel: Whole, (= 1),
            "cables between a leaf and a spine";
        rate => RATE;
        uplink_rate => UPLINK_RATE;
        uplink_delay => UPLINK_DELAY;
        link_delay => LINK_DELAY;
        switch_delay => SWITCH_DELAY;
        planes => PLANES;
        tors_per_host: Whole, (= 1) [1 to 8],
            "leaves that every host is attached to, 1 to 8: the hosts of so many leaves are the same, with a port of this `rate` at each. 2 are dual ToRs, as many as a host has NICs are rails. Of `leaves = 8` and 2 a host, port 0 of the hosts is at `tor0` to `tor3` and port 1 at `tor4` to `tor7`. Not with `planes`";
    }
}

keys! {
    /// Two switches.
    DUMBBELL: DumbbellKeys = Section::kind("dumbbell", "two switches with hosts, and one cable between them").with(COMMON) => {
        hosts_per_side: Whole, (required 1) [>= 1],
            "hosts at each of the two switches";
        rate => RATE;
        bottleneck_rate: Rate, (or "`rate`"),
            "of the cable between the switches";
        link_delay => LINK_DELAY.meaning("propagation on every link");
        switch_delay => SWITCH_DELAY.meaning("latency of both switches");
    }
}

keys! {
    /// A graph.
    GRAPH: GraphKeys = Section::kind("graph", "any graph, from a file").with(COMMON) => {
        file => FILE;
    }
}

keys! {
    /// htsim's files.
    HTSIM_TOPO: HtsimTopoKeys = Section::kind("htsim_topo", "a tree, from a file of htsim").with(COMMON) => {
        file: Path, (required "fat_tree.topo"),
            "a `.topo` file of htsim, relative to the scenario";
    }
}

keys! {
    /// HPCC's files.
    HPCC_TOPOLOGY: HpccTopologyKeys = Section::kind("hpcc_topology", "any graph, from a file of HPCC's simulator").with(COMMON) => {
        file: Path, (required "topology.txt"),
            "a topology file of HPCC's simulator, relative to the scenario";
        compat: Flag, (= false),
            "read the stream of numbers as HPCC does, wherever lines end";
    }
}

/// A topology whose keys are valid; whether its numbers fit together shows when it is built.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// What to build.
    pub(crate) shape: Shape,
    /// The inline table with every default filled in.
    pub(crate) resolved: String,
    /// `3-tier fat tree`.
    pub(crate) title: String,
    /// The rate of its host links, where it is known without building it.
    pub(crate) rate: Option<Rate>,
    /// The file it comes from, if it does.
    pub(crate) file: Option<NamedFile>,
    /// Latency of every host.
    pub(crate) host_delay: Span,
    /// The ports of hosts.
    pub(crate) host_ports: HostPorts,
    /// What was typed.
    pub(crate) item: Item,
}

/// How many ports hosts have, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostPorts {
    /// One.
    One,
    /// One in each of several planes.
    Planes(u32),
    /// One at each of several ToRs.
    Tors(u32),
}

impl HostPorts {
    /// How many.
    pub(crate) fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Planes(count) | Self::Tors(count) => count,
        }
    }

    /// The key that says so, as it stands in a scenario.
    pub(crate) fn said(self) -> String {
        match self {
            Self::One | Self::Planes(_) => format!("`planes = {}`", self.count()),
            Self::Tors(tors) => format!("`tors_per_host = {tors}`"),
        }
    }
}

/// What to build.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Fat trees and leaf-spine fabrics, whatever describes them.
    Tree(Box<TreeShape>),
    /// Two switches and one cable between them.
    Dumbbell {
        /// Hosts at each switch.
        hosts_per_side: u32,
        /// Rate of the hosts' links.
        rate: Rate,
        /// Rate of the cable between the switches.
        bottleneck_rate: Rate,
        /// Delay of every link.
        link_delay: Span,
        /// Latency of both switches.
        switch_delay: Span,
    },
    /// Any graph, from a file.
    Graph(NamedFile),
    /// What a file of HPCC describes.
    Hpcc {
        /// It.
        fabric: Arc<Fabric>,
        /// The links that lose frames: a port's name, and the chance of each frame.
        lossy: Vec<(String, f64)>,
    },
}

impl Topology {
    /// Where it stands.
    pub(crate) fn place(&self) -> &Place {
        &self.item.place
    }

    /// Faults that come with it: a file may say that links lose frames.
    pub(crate) fn faults(&self) -> Vec<FaultSection> {
        let Shape::Hpcc { lossy, .. } = &self.shape else { return Vec::new() };
        let lossy = lossy.iter();
        lossy.map(|(link, loss)| FaultSection::lossy(link.clone(), *loss, self.place())).collect()
    }
}

/// What all generated topologies are given.
struct Common {
    rate: Rate,
    link_delay: Span,
    switch_delay: Span,
}

impl Common {
    fn read(reader: &mut Reader<'_>, [rate, link_delay, switch_delay]: [&'static Key; 3]) -> Self {
        Self {
            rate: reader.or(rate),
            link_delay: reader.or(link_delay),
            switch_delay: reader.or(switch_delay),
        }
    }
}

/// Reads the topology of `[fabric]`.
pub(crate) fn read(fabric: &mut Reader<'_>, files: &Files) -> Option<Topology> {
    let item = fabric.demand(&FABRIC.topology)?;
    let mut reader = Reader::of("topology", item, fabric.log())?;
    let host_delay = reader.get(&HOST_DELAY).unwrap_or(Span::ZERO);
    let topology = match reader.choice(&KIND)? {
        "fat_tree" => fat_tree(&mut reader, item),
        "leaf_spine" => leaf_spine(&mut reader, item),
        "dumbbell" => dumbbell(&mut reader, item),
        "graph" => graph(&mut reader, item, files),
        "hpcc_topology" => hpcc_topology(&mut reader, item, files),
        _ => htsim_topo(&mut reader, item, files),
    };
    reader.finish();
    topology.map(|topology| with_hosts(topology, host_delay))
}

/// The topology with this latency of its hosts; like the number of planes it is not shown where it is
/// what it would be without the key.
fn with_hosts(topology: Topology, host_delay: Span) -> Topology {
    let mut resolved = topology.resolved.clone();
    let mut show = |key: &str, value: String| {
        if let Some(keys) = resolved.strip_suffix(" }") {
            resolved = format!("{keys}, {key} = {value} }}");
        }
    };
    let mut title = topology.title.clone();
    match topology.host_ports {
        HostPorts::One => {}
        HostPorts::Planes(planes) => {
            show("planes", planes.to_string());
            title = format!("{title} in {planes} planes");
        }
        HostPorts::Tors(tors) => {
            show("tors_per_host", tors.to_string());
            title = format!("{title} with {tors} ToRs a host");
        }
    }
    if host_delay > Span::ZERO {
        show("host_delay", shown(&host_delay));
    }
    Topology { host_delay, resolved, title, ..topology }
}

/// In how many planes hosts have a port, or at how many ToRs where trees can have that.
fn host_ports(
    reader: &mut Reader<'_>,
    planes: &'static Key,
    tors_per_host: Option<&'static Key>,
) -> HostPorts {
    let planes = several(reader, planes);
    let tors = tors_per_host.map_or(1, |key| several(reader, key));
    if planes > 1
        && tors > 1
        && let Some(item) = tors_per_host.and_then(|key| reader.take(key))
    {
        let problem = item.place.problem("`tors_per_host` does not go with `planes`");
        reader.log().add(problem.label("leave out one of them"));
    }
    match (planes, tors) {
        (1, 1) => HostPorts::One,
        (1, _) => HostPorts::Tors(tors),
        _ => HostPorts::Planes(planes),
    }
}

fn several(reader: &mut Reader<'_>, key: &'static Key) -> u32 {
    let count = reader.at_least(key).unwrap_or(1);
    if let (true, Some(item)) = (count > MOST_PLANES, reader.take(key)) {
        let problem = item.place.problem(format!("`{}` is too large", key.word));
        reader.log().add(problem.label(format!("expected at most {MOST_PLANES}")));
        return 1;
    }
    count
}

fn fat_tree(reader: &mut Reader<'_>, item: &Item) -> Option<Topology> {
    let tiers = reader.or(&FAT_TREE.tiers);
    let hosts = reader.need(&FAT_TREE.hosts);
    let Common { rate: host_rate, link_delay, switch_delay } =
        Common::read(reader, [&FAT_TREE.rate, &FAT_TREE.link_delay, &FAT_TREE.switch_delay]);
    let options = TreeOptions {
        hosts_per_tor: reader.get(&FAT_TREE.hosts_per_tor),
        tors_per_pod: reader.get(&FAT_TREE.tors_per_pod),
        oversubscription: reader.get(&FAT_TREE.oversubscription),
        parallel: reader.get(&FAT_TREE.parallel),
        uplink_rate: reader.get(&FAT_TREE.uplink_rate),
        core_rate: reader.get(&FAT_TREE.core_rate),
        uplink_delay: reader.get(&FAT_TREE.uplink_delay),
        core_delay: reader.get(&FAT_TREE.core_delay),
    };
    let host_ports = host_ports(reader, &FAT_TREE.planes, None);
    let made =
        TreeShape::fat_tree_with(tiers, hosts?, host_rate, link_delay, switch_delay, &options);
    let shape = made.map_err(|error| reader.log().add(shape_problem(&error, item))).ok()?;
    let pods = match tiers {
        3 => format!("tors_per_pod = {}, ", shape.tors_per_pod),
        _ => String::new(),
    };
    let resolved = format!(
        "{{ kind = \"fat_tree\", tiers = {tiers}, hosts = {}, hosts_per_tor = {}, {pods}\
         oversubscription = {:?}, parallel = {}, {}, uplink_rate = {}{} }}",
        shape.hosts,
        shape.hosts_per_tor,
        options.oversubscription.unwrap_or(1.0),
        shape.parallel[0],
        links(&shape),
        shown(&shape.rates[1]),
        tiers_apart(&shape),
    );
    Some(Topology {
        rate: Some(shape.rates[0]),
        shape: Shape::Tree(Box::new(shape)),
        resolved,
        title: format!("{tiers}-tier fat tree"),
        file: None,
        host_delay: Span::ZERO,
        host_ports,
        item: item.clone(),
    })
}

fn leaf_spine(reader: &mut Reader<'_>, item: &Item) -> Option<Topology> {
    let leaves = reader.need(&LEAF_SPINE.leaves);
    let hosts_per_leaf = reader.need(&LEAF_SPINE.hosts_per_leaf);
    let spines = reader.need(&LEAF_SPINE.spines);
    let parallel = reader.or(&LEAF_SPINE.parallel);
    let Common { rate: host_rate, link_delay, switch_delay } =
        Common::read(reader, [&LEAF_SPINE.rate, &LEAF_SPINE.link_delay, &LEAF_SPINE.switch_delay]);
    let uplink_rate = reader.get(&LEAF_SPINE.uplink_rate).unwrap_or(host_rate);
    let uplink_delay = reader.get(&LEAF_SPINE.uplink_delay).unwrap_or(link_delay);
    let host_ports = host_ports(reader, &LEAF_SPINE.planes, Some(&LEAF_SPINE.tors_per_host));
    let made = TreeShape::leaf_spine(
        leaves?,
        hosts_per_leaf?,
        spines?,
        parallel,
        host_rate,
        link_delay,
        switch_delay,
    );
    let mut shape = made.map_err(|error| reader.log().add(shape_problem(&error, item))).ok()?;
    (shape.rates[1], shape.delays[1]) = (uplink_rate, uplink_delay);
    let resolved = format!(
        "{{ kind = \"leaf_spine\", leaves = {}, hosts_per_leaf = {}, spines = {}, \
         parallel = {parallel}, {}, uplink_rate = {}{} }}",
        leaves?,
        hosts_per_leaf?,
        spines?,
        links(&shape),
        shown(&uplink_rate),
        tiers_apart(&shape),
    );
    Some(Topology {
        rate: Some(host_rate),
        shape: Shape::Tree(Box::new(shape)),
        resolved,
        title: "leaf-spine fabric".to_owned(),
        file: None,
        host_delay: Span::ZERO,
        host_ports,
        item: item.clone(),
    })
}

fn links(shape: &TreeShape) -> String {
    format!(
        "rate = {}, link_delay = {}, switch_delay = {}",
        shown(&shape.rates[0]),
        shown(&shape.delays[0]),
        shown(&shape.switch_delays[0]),
    )
}

/// Rates and delays of upper tiers that are not those of the tier below, which they have by default.
fn tiers_apart(shape: &TreeShape) -> String {
    let mut keys = String::new();
    let mut add = |key: &str, value: String| keys.push_str(&format!(", {key} = {value}"));
    let TreeShape { rates, delays, .. } = shape;
    if delays[1] != delays[0] {
        add("uplink_delay", shown(&delays[1]));
    }
    if shape.tiers == 3 {
        if rates[2] != rates[1] {
            add("core_rate", shown(&rates[2]));
        }
        if delays[2] != delays[1] {
            add("core_delay", shown(&delays[2]));
        }
    }
    keys
}

fn dumbbell(reader: &mut Reader<'_>, item: &Item) -> Option<Topology> {
    let hosts_per_side = reader.at_least(&DUMBBELL.hosts_per_side);
    let Common { rate: host_rate, link_delay, switch_delay } =
        Common::read(reader, [&DUMBBELL.rate, &DUMBBELL.link_delay, &DUMBBELL.switch_delay]);
    let bottleneck_rate = reader.get(&DUMBBELL.bottleneck_rate).unwrap_or(host_rate);
    let hosts_per_side = hosts_per_side?;
    let resolved = format!(
        "{{ kind = \"dumbbell\", hosts_per_side = {hosts_per_side}, rate = {}, \
         bottleneck_rate = {}, link_delay = {}, switch_delay = {} }}",
        shown(&host_rate),
        shown(&bottleneck_rate),
        shown(&link_delay),
        shown(&switch_delay),
    );
    Some(Topology {
        rate: Some(host_rate),
        shape: Shape::Dumbbell {
            hosts_per_side,
            rate: host_rate,
            bottleneck_rate,
            link_delay,
            switch_delay,
        },
        resolved,
        title: "dumbbell".to_owned(),
        file: None,
        host_delay: Span::ZERO,
        host_ports: HostPorts::One,
        item: item.clone(),
    })
}

fn graph(reader: &mut Reader<'_>, item: &Item, files: &Files) -> Option<Topology> {
    let file = files.file(reader, &GRAPH.file)?;
    Some(Topology {
        resolved: in_file("graph", &file),
        title: file.name(),
        rate: None,
        shape: Shape::Graph(file.clone()),
        file: Some(file),
        host_delay: Span::ZERO,
        host_ports: HostPorts::One,
        item: item.clone(),
    })
}

fn htsim_topo(reader: &mut Reader<'_>, item: &Item, files: &Files) -> Option<Topology> {
    let file = files.file(reader, &HTSIM_TOPO.file)?;
    let log = reader.log();
    let report = |errors| file.report(errors, log);
    let described = htsim_topo::parse(&file.text).map_err(report).ok()?;
    let shape = described.shape().map_err(report).ok()?;
    file.note(&described.notes(&shape), log);
    if described.tier.iter().any(|tier| tier.queue_up.is_some() || tier.queue_down.is_some()) {
        let name = file.path.display();
        log.note(format!("{name}: its queue sizes are not used; [fabric] queue.size is"));
    }
    Some(Topology {
        resolved: in_file("htsim_topo", &file),
        title: format!("{}-tier fat tree", shape.tiers),
        rate: Some(shape.rates[0]),
        shape: Shape::Tree(Box::new(shape)),
        file: Some(file),
        host_delay: Span::ZERO,
        host_ports: HostPorts::One,
        item: item.clone(),
    })
}

fn hpcc_topology(reader: &mut Reader<'_>, item: &Item, files: &Files) -> Option<Topology> {
    let compat = reader.or(&HPCC_TOPOLOGY.compat);
    let file = files.file(reader, &HPCC_TOPOLOGY.file)?;
    let log = reader.log();
    let report = |errors| file.report(errors, log);
    let read = hpcc::topology::parse(&file.text, hpcc::Options { compat }).map_err(report).ok()?;
    file.note(&read.notes, log);
    let resolved = in_file("hpcc_topology", &file);
    let keys = resolved.strip_suffix(" }").filter(|_| compat);
    Some(Topology {
        resolved: keys.map_or(resolved.clone(), |keys| format!("{keys}, compat = true }}")),
        title: file.name(),
        rate: None,
        shape: Shape::Hpcc { fabric: Arc::new(read.fabric), lossy: read.lossy },
        file: Some(file),
        host_delay: Span::ZERO,
        host_ports: HostPorts::One,
        item: item.clone(),
    })
}

fn in_file(kind: &str, file: &NamedFile) -> String {
    format!("{{ kind = \"{kind}\", file = {} }}", quoted(&file.path.display().to_string()))
}

/// A shape's error at the key that it is about.
pub(crate) fn shape_problem(error: &ShapeError, item: &Item) -> Problem {
    let key = match error {
        ShapeError::Tiers(_) => "tiers",
        ShapeError::Planes(_) => "planes",
        ShapeError::TorsPerHost(_) => "tors_per_host",
        ShapeError::Hosts(_) | ShapeError::NotKAry { .. } | ShapeError::TooLarge { .. } => "hosts",
        ShapeError::Uplinks { .. } | ShapeError::Oversubscription(_) => "oversubscription",
        ShapeError::OnePod { .. } => "tors_per_pod",
        ShapeError::Zero { what } | ShapeError::Unused { what, .. } => what,
        ShapeError::Split { what, .. } => what,
    };
    let found = item.table().and_then(|table| table.get(key));
    let place = found.map_or(&item.place, |value| &value.place);
    match error.to_string().split_once("; ") {
        Some((message, remedy)) => place.problem(message).label(remedy),
        None => place.problem(error.to_string()),
    }
}
