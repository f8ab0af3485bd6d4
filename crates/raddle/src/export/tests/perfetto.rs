//! Traces, read by `prost` with the messages of Perfetto's `protos/` as they are used.

use super::{Exported, PACKETS, rows};
use crate::export::{ExportError, MOST_HOPS, perfetto};
use crate::results::faults;
use crate::study::tables::TableFile;
use prost::Message;
use raddle_sim::record::rows::Fate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    interned_data: Option<InternedData>,
    #[prost(uint32, tag = "13")]
    sequence_flags: u32,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct InternedData {
    #[prost(message, repeated, tag = "2")]
    event_names: Vec<Interned>,
    #[prost(message, repeated, tag = "3")]
    debug_annotation_names: Vec<Interned>,
}

#[derive(Clone, PartialEq, Message)]
struct Interned {
    #[prost(uint64, tag = "1")]
    iid: u64,
    #[prost(string, tag = "2")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    uuid: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct CounterDescriptor {
    #[prost(string, tag = "6")]
    unit_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(int32, tag = "9")]
    r#type: i32,
    #[prost(uint64, optional, tag = "10")]
    name_iid: Option<u64>,
    #[prost(uint64, tag = "11")]
    track_uuid: u64,
    #[prost(string, tag = "23")]
    name: String,
    #[prost(int64, optional, tag = "30")]
    counter_value: Option<i64>,
    #[prost(fixed64, repeated, tag = "47")]
    flow_ids: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct DebugAnnotation {
    #[prost(uint64, tag = "1")]
    name_iid: u64,
    #[prost(uint64, optional, tag = "3")]
    uint_value: Option<u64>,
    #[prost(string, optional, tag = "6")]
    string_value: Option<String>,
}

/// A slice or an instant.
#[derive(Clone, Debug)]
struct Slice {
    /// Names of its tracks, the outermost first.
    track: Vec<String>,
    uuid: u64,
    name: String,
    from_ns: u64,
    until_ns: u64,
    depth: usize,
    ties: Vec<u64>,
    notes: BTreeMap<String, u64>,
    words: BTreeMap<String, String>,
}

/// Name, unit and samples of a track of numbers.
type Counter = (String, String, Vec<(u64, i64)>);

/// What a viewer makes of a trace.
#[derive(Debug, Default)]
struct Seen {
    slices: Vec<Slice>,
    instants: Vec<Slice>,
    /// By track.
    counters: BTreeMap<u64, Counter>,
}

impl Seen {
    fn read(bytes: &[u8]) -> Self {
        let trace = Trace::decode(bytes).unwrap();
        let mut seen = Self::default();
        let mut tracks: BTreeMap<u64, (Option<u64>, String)> = BTreeMap::new();
        let (mut names, mut words) = (BTreeMap::new(), BTreeMap::new());
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        assert_eq!(trace.packet[0].sequence_flags, 1, "the first says that nothing came before");
        for packet in trace.packet {
            assert_eq!(packet.trusted_packet_sequence_id, 1);
            let interned = packet.interned_data.unwrap_or_default();
            for (all, own) in
                [(&mut names, interned.debug_annotation_names), (&mut words, interned.event_names)]
            {
                for name in own {
                    assert!(all.insert(name.iid, name.name).is_none() && name.iid > 0);
                }
            }
            if let Some(track) = packet.track_descriptor {
                if let Some(counter) = track.counter {
                    let own = (track.name.clone(), counter.unit_name, Vec::new());
                    seen.counters.insert(track.uuid, own);
                }
                assert!(track.parent_uuid.is_none_or(|uuid| tracks.contains_key(&uuid)));
                assert!(tracks.insert(track.uuid, (track.parent_uuid, track.name)).is_none());
            }
            let Some(event) = packet.track_event else { continue };
            let (at, uuid) = (packet.timestamp.unwrap(), event.track_uuid);
            let own = last.entry(uuid).or_default();
            let in_order = *own <= at;
            *own = at;
            match event.r#type {
                2 => {
                    let slice = open.get_mut(&uuid).unwrap().pop().expect("a slice is open");
                    assert!(in_order && seen.slices[slice].from_ns <= at);
                    seen.slices[slice].until_ns = at;
                }
                4 => {
                    assert!(in_order);
                    let own = &mut seen.counters.get_mut(&uuid).unwrap().2;
                    own.push((at, event.counter_value.unwrap()));
                }
                kind => {
                    let mut track = Vec::new();
                    let mut up = Some(uuid);
                    while let Some(uuid) = up {
                        track.insert(0, tracks[&uuid].1.clone());
                        up = tracks[&uuid].0;
                    }
                    let open = open.entry(uuid).or_default();
                    let notes = event.debug_annotations.iter();
                    let slice = Slice {
                        track,
                        uuid,
                        name: event.name_iid.map_or(event.name, |iid| words[&iid].clone()),
                        from_ns: at,
                        until_ns: at,
                        depth: open.len(),
                        ties: event.flow_ids,
                        notes: notes
                            .clone()
                            .filter_map(|own| Some((names[&own.name_iid].clone(), own.uint_value?)))
                            .collect(),
                        words: notes
                            .filter_map(|own| {
                                Some((names[&own.name_iid].clone(), own.string_value.clone()?))
                            })
                            .collect(),
                    };
                    if kind == 1 {
                        assert!(in_order, "{slice:?}");
                        open.push(seen.slices.len());
                        seen.slices.push(slice);
                    } else {
                        assert_eq!(kind, 3);
                        seen.instants.push(slice);
                    }
                }
            }
        }
        assert!(open.values().all(Vec::is_empty), "every slice ends");
        seen
    }

    /// Slices and instants of tracks below this one.
    fn below(&self, top: &str) -> Vec<&Slice> {
        self.slices.iter().filter(|own| own.track[0] == top).collect()
    }

    /// Services at ports: what stands in a track of a track of a group.
    fn services(&self) -> Vec<&Slice> {
        let tops = ["jobs", "faults", "flows"];
        self.slices.iter().filter(|own| !tops.contains(&own.track[0].as_str())).collect()
    }
}

fn seen(record: &str) -> (Exported, Seen) {
    let run = Exported::of(record);
    let file = run.path("all.perfetto-trace");
    let written = perfetto(&run.run, &[], MOST_HOPS, &file).unwrap();
    let bytes = fs::read(&file).unwrap();
    assert_eq!(written.bytes, bytes.len() as u64);
    (run, Seen::read(&bytes))
}

#[test]
fn a_service_is_a_slice_and_those_of_a_port_do_not_overlap() {
    let (Exported { plan, outcome, .. }, seen) = seen(PACKETS);
    let (sent, passed) = rows(&outcome);
    let name = |port: raddle_schemes::ids::PortId| plan.fabric.ports[port.index()].name.clone();
    let mut expected = BTreeSet::new();
    for (row, own) in (1..).zip(&sent) {
        expected.insert((name(own.port), own.sent.0, row));
    }
    let left = passed.iter().filter(|hop| hop.fate.has_left());
    expected.extend(left.map(|hop| (name(hop.port), (hop.arrived + hop.stay).0, hop.packet + 1)));
    let services = seen.services();
    let of = |own: &&Slice| (own.track[2].clone(), own.notes["ended_ps"], own.ties[0]);
    assert_eq!(services.iter().map(of).collect::<BTreeSet<_>>(), expected);
    assert_eq!(services.len(), expected.len());
    let mut free: BTreeMap<u64, u64> = BTreeMap::new();
    for own in &services {
        assert_eq!((own.track.len(), own.depth), (3, 0), "{own:?}");
        let (began, ended) = (own.notes["began_ps"], own.notes["ended_ps"]);
        assert_eq!((own.from_ns, own.until_ns), (began / 1000, ended / 1000));
        let before = free.insert(own.uuid, ended).unwrap_or(0);
        assert!(before <= began && began < ended, "{own:?}");
        // What a whole frame takes at 100 Gbit/s.
        assert!(ended - began <= 4160 * 80, "{own:?}");
    }
    let whole =
        services.iter().filter(|own| own.notes["ended_ps"] - own.notes["began_ps"] == 332_800);
    assert!(whole.count() > sent.len());
    // Ports are below their switches, and these below their pods.
    let places: BTreeSet<_> = services.iter().map(|own| own.track.join(" / ")).collect();
    for place in ["pod 0 / tor0 / tor0.up0", "core / core0 / core0.down0", "pod 0 / host0 / host0"]
    {
        assert!(places.contains(place), "{place}: {places:?}");
    }
}

#[test]
fn a_packet_is_a_slice_with_its_stays_and_tied_to_its_services() {
    let (Exported { plan, outcome, .. }, seen) = seen(PACKETS);
    let (sent, passed) = rows(&outcome);
    let flows = seen.below("flows");
    let packets: Vec<&&Slice> =
        flows.iter().filter(|own| own.track.len() == 3 && own.depth == 0).collect();
    let stays: Vec<&&Slice> = flows.iter().filter(|own| own.depth == 1).collect();
    assert_eq!((packets.len(), stays.len()), (sent.len(), passed.len()));
    for own in &packets {
        let packet = &sent[own.notes["row"] as usize];
        assert_eq!(own.words["fate"], packet.fate.word());
        if let Some(arrived) = packet.arrived {
            assert_eq!(own.notes["ended_ps"], arrived.0);
            assert_eq!(own.until_ns, arrived.0 / 1000);
        }
        let again = if packet.again { " again" } else { "" };
        assert_eq!(own.name, format!("packet {}{again}", packet.number));
    }
    // Stays are those of `hops`, and last as long.
    let key = |port: &str, began: u64, stay: u64, fate: &str| {
        (port.to_owned(), began, stay, fate.to_owned())
    };
    let mut expected: Vec<_> = passed
        .iter()
        .map(|hop| {
            let port = &plan.fabric.ports[hop.port.index()].name;
            key(port, hop.arrived.0, hop.stay.0, hop.fate.word())
        })
        .collect();
    let mut found: Vec<_> = stays
        .iter()
        .map(|own| {
            let (began, stay) = (own.notes["began_ps"], own.notes["stay_ps"]);
            assert_eq!((own.from_ns, own.until_ns), (began / 1000, (began + stay) / 1000));
            key(&own.name, began, stay, own.words.get("fate").map_or("left", |fate| fate))
        })
        .collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    // Each packet and its services have one arrow.
    let mut tied: BTreeMap<u64, usize> = BTreeMap::new();
    seen.slices
        .iter()
        .flat_map(|own| &own.ties)
        .for_each(|tie| *tied.entry(*tie).or_default() += 1);
    for (row, packet) in (0..).zip(&sent) {
        let own = passed.iter().filter(|hop| hop.packet == row && hop.fate.has_left()).count();
        assert_eq!(tied[&(row + 1)], 2 + own, "{packet:?}");
    }
}

#[test]
fn instants_counters_faults_and_phases_are_those_of_the_run() {
    let (exported, seen) = seen(PACKETS);
    let Exported { run, plan, outcome, .. } = &exported;
    let (sent, passed) = rows(outcome);
    let count = |word: &str| seen.instants.iter().filter(|own| own.name == word).count();
    let hops = |is: &dyn Fn(Fate) -> bool| passed.iter().filter(|hop| is(hop.fate)).count();
    assert_eq!(count("marked"), passed.iter().filter(|hop| hop.marked).count());
    assert_eq!(count("trimmed"), hops(&|fate| fate == Fate::Trimmed));
    let lost = sent.iter().filter(|own| matches!(own.fate, Fate::Lost(_))).count();
    let told = seen.instants.iter().filter(|own| own.name.starts_with("lost: ")).count();
    assert!(lost > 0 && told == lost, "{told} of {lost}");
    // Queues, sampled where they change.
    let series = TableFile::open(&run.folder, "series").unwrap().unwrap();
    let [ports, times, queues] =
        ["port", "time_us", "queue_bytes_max"].map(|name| series.numbers(name).unwrap());
    let by_name: BTreeMap<&str, &Vec<(u64, i64)>> =
        seen.counters.values().map(|own| (own.0.as_str(), &own.2)).collect();
    for row in 0..ports.len() {
        let name = format!("{} queue", plan.fabric.ports[ports[row] as usize].name);
        let at = (times[row] * 1000.0).round() as u64;
        let samples = by_name[name.as_str()];
        let known = samples.iter().rev().find(|(own, _)| *own <= at).unwrap();
        assert_eq!(known.1, queues[row] as i64, "{name} at {at} ns");
    }
    assert!(seen.counters.values().all(|own| own.1 == "B" && own.2.last().unwrap().1 == 0));
    // What broke.
    let broken = seen.below("faults");
    let all = faults(&run.folder).unwrap();
    assert_eq!(broken.len(), all.len());
    let dead = broken.iter().find(|own| own.name == "tor0.up1 down").unwrap();
    assert_eq!((dead.from_ns, dead.until_ns), (20_000, 60_000));
    assert!(broken.iter().any(|own| own.name == "tor2.up0 2 % loss"), "{broken:?}");
    // Jobs, by names with all that files may stumble over.
    let jobs: Vec<&str> = seen.below("jobs").iter().map(|own| own.name.as_str()).collect();
    assert_eq!(jobs, ["all, \"ü\"", "incast"]);
    let flows = seen.below("flows").into_iter().filter(|own| own.track.len() == 2).count();
    assert_eq!(flows, plan.traffic.flows.len());
}

#[test]
fn phases_of_a_job_are_slices_below_it() {
    let text = "[fabric]\ntopology = { kind = \"fat_tree\", tiers = 2, hosts = 32 }\n\
        [traffic]\nkind = \"fsdp\"\nmodel = \"llama_7b\"\nlayers = 2\nmessage = \"64 KiB\"\n\
        [record]\nmap = true\n";
    let (folder, plan, _) =
        crate::results::fixture::kept(text, crate::study::tables::Format::Parquet);
    let run = crate::results::runs(folder.path()).unwrap().remove(0);
    let file = folder.path().join("a.pftrace");
    let written = perfetto(&run, &[], MOST_HOPS, &file).unwrap();
    assert!(written.notes[0].contains("packets were not recorded"), "{:?}", written.notes);
    let seen = Seen::read(&fs::read(&file).unwrap());
    let phases: BTreeSet<&str> = seen
        .below("jobs")
        .into_iter()
        .filter(|own| own.track.len() == 3)
        .map(|own| own.name.as_str())
        .collect();
    let expected: BTreeSet<&str> =
        plan.traffic.jobs[0].phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(phases, expected);
    assert!(!phases.is_empty());
}

#[test]
fn what_a_trace_lacks_is_told() {
    let none = Exported::of("");
    let file = none.path("a.pftrace");
    let told = perfetto(&none.run, &[], MOST_HOPS, &file).unwrap_err().to_string();
    assert!(told.contains("links over time were not recorded; the same scenario"), "{told}");
    assert!(told.ends_with("\nrecord.map = true"), "{told}");
    let told = perfetto(&none.run, &[3], MOST_HOPS, &file).unwrap_err().to_string();
    assert!(told.contains("packets were not recorded"), "{told}");
    let some = Exported::of("[record]\nflows = [0, 3]\n");
    let hops = some.outcome.packets.hop_count() as u64;
    let few = perfetto(&some.run, &[], hops - 1, &file).unwrap_err();
    assert!(matches!(&few, ExportError::TooManyHops(all, _) if *all == hops), "{few}");
    assert!(few.to_string().contains("`--flows`, or say `--hops "), "{few}");
    let written = perfetto(&some.run, &[3], hops - 1, &file).unwrap();
    assert!(written.notes[0].ends_with("record.map = true"), "{:?}", written.notes);
    let seen = Seen::read(&fs::read(&file).unwrap());
    assert!(seen.services().iter().all(|own| own.name.starts_with("3.")));
}
