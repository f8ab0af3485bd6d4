//! Captures, read by `pcap-parser` and `etherparse`, and by tshark where it is installed.

use super::{Exported, PACKETS, rows};
use crate::export::{ExportError, pcapng};
use etherparse::{NetHeaders, PacketHeaders, TransportHeader};
use pcap_parser::pcapng::{Block, EnhancedPacketBlock, OptionCode, PcapNGOption};
use pcap_parser::{PcapBlockOwned, PcapNGReader, traits::PcapReaderIterator};
use raddle_sim::record::DropCause;
use raddle_sim::record::rows::Fate;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

/// A record of a capture.
#[derive(Clone, Debug)]
struct Record {
    port: String,
    at_ps: u64,
    packet: u64,
    bytes: u32,
    flags: u32,
    dropped_before: u64,
    comment: String,
    dscp: u8,
    ecn: u8,
    ttl: u8,
    source: [u8; 4],
    destination: [u8; 4],
    entropy: u16,
    flow: u32,
    psn: u32,
}

/// A capture.
#[derive(Debug, Default)]
struct Capture {
    records: Vec<Record>,
    /// Of each interface: name, description, bits per second, decimals of a second.
    interfaces: Vec<(String, String, u64, u8)>,
    /// Losses by interface, from the statistics at the end.
    lost: BTreeMap<String, u64>,
    comment: String,
    names: Vec<u8>,
}

fn number<const N: usize>(options: &[PcapNGOption<'_>], code: u16) -> Option<u64> {
    let own = options.iter().find(|option| option.code == OptionCode(code))?;
    let mut bytes = [0; 8];
    bytes[..N].copy_from_slice(&own.value()[..N]);
    Some(u64::from_le_bytes(bytes))
}

fn text(options: &[PcapNGOption<'_>], code: u16) -> String {
    let own = options.iter().find(|option| option.code == OptionCode(code));
    own.map(|own| String::from_utf8(own.value()[..own.len as usize].to_vec()).unwrap())
        .unwrap_or_default()
}

impl Capture {
    fn read(path: &Path) -> Self {
        let mut reader = PcapNGReader::new(1 << 20, File::open(path).unwrap()).unwrap();
        let mut all = Self::default();
        loop {
            match reader.next() {
                Ok((length, PcapBlockOwned::NG(block))) => {
                    all.add(&block);
                    reader.consume(length);
                }
                Err(pcap_parser::PcapError::Eof) => break,
                Err(pcap_parser::PcapError::Incomplete(_)) => reader.refill().unwrap(),
                Ok(_) => panic!("a block of another format"),
                Err(error) => panic!("{error:?}"),
            }
        }
        all
    }

    fn add(&mut self, block: &Block<'_>) {
        match block {
            Block::SectionHeader(own) => self.comment = text(&own.options, 1),
            Block::InterfaceDescription(own) => self.interfaces.push((
                text(&own.options, 2),
                text(&own.options, 3),
                number::<8>(&own.options, 8).unwrap(),
                number::<1>(&own.options, 9).unwrap() as u8,
            )),
            Block::EnhancedPacket(own) => self.records.push(self.record(own)),
            Block::InterfaceStatistics(own) => {
                let port = self.interfaces[own.if_id as usize].0.clone();
                self.lost.insert(port, number::<8>(&own.options, 5).unwrap());
            }
            Block::NameResolution(own) => {
                let values = own.nr.iter().flat_map(|record| record.record_value.to_vec());
                self.names = values.collect();
            }
            other => panic!("{other:?}"),
        }
    }

    fn record(&self, own: &EnhancedPacketBlock<'_>) -> Record {
        let data = &own.data[..own.caplen as usize];
        assert_eq!(data.len(), 64);
        // The lengths in the headers are those of the whole frame.
        let mut whole = data.to_vec();
        whole.resize(own.origlen as usize, 0);
        let headers = PacketHeaders::from_ethernet_slice(&whole).unwrap();
        let Some(NetHeaders::Ipv4(ip, _)) = headers.net else { panic!("{headers:?}") };
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        assert_eq!(u32::from(ip.total_len), own.origlen - 14);
        let Some(TransportHeader::Udp(udp)) = headers.transport else { panic!("{:?}", ip) };
        assert_eq!((udp.destination_port, udp.length), (4791, 64 - 34));
        let three = |at: usize| u32::from_be_bytes([0, data[at], data[at + 1], data[at + 2]]);
        Record {
            port: self.interfaces[own.if_id as usize].0.clone(),
            at_ps: u64::from(own.ts_high) << 32 | u64::from(own.ts_low),
            packet: number::<8>(&own.options, 5).unwrap(),
            bytes: own.origlen,
            flags: number::<4>(&own.options, 2).unwrap() as u32,
            dropped_before: number::<8>(&own.options, 4).unwrap_or(0),
            comment: text(&own.options, 1),
            dscp: ip.dscp.value(),
            ecn: ip.ecn.value(),
            ttl: ip.time_to_live,
            source: ip.source,
            destination: ip.destination,
            entropy: udp.source_port,
            flow: three(47) - 0x80_0000,
            psn: three(51),
        }
    }
}

/// A run, and its capture.
fn captured(record: &str) -> (Exported, Capture) {
    let run = Exported::of(record);
    let file = run.path("all.pcapng");
    let written = pcapng(&run.run, &[], &file).unwrap();
    assert_eq!(written.bytes, fs::metadata(&file).unwrap().len());
    let capture = Capture::read(&file);
    assert_eq!(written.records, capture.records.len() as u64);
    (run, capture)
}

#[test]
fn a_record_is_a_packet_that_left_its_host_or_a_hop() {
    let (Exported { plan, outcome, .. }, capture) = captured(PACKETS);
    let (sent, passed) = rows(&outcome);
    let name = |port: raddle_schemes::ids::PortId| plan.fabric.ports[port.index()].name.clone();
    let mut expected = Vec::new();
    for (row, own) in (0..).zip(&sent) {
        expected.push((own.sent.0, row, name(own.port), own.bytes, own.entropy.0));
    }
    for hop in passed.iter().filter(|hop| hop.fate.has_left()) {
        let left = (hop.arrived + hop.stay).0;
        expected.push((left, hop.packet, name(hop.port), hop.bytes, hop.entropy.0));
    }
    expected.sort();
    let record =
        |own: &Record| (own.at_ps, own.packet, own.port.clone(), own.bytes as u16, own.entropy);
    let mut found: Vec<_> = capture.records.iter().map(record).collect();
    assert!(found.is_sorted_by_key(|own| own.0));
    found.sort();
    assert_eq!(found, expected);
    // As many as the ports counted themselves.
    let mut by_port: BTreeMap<&str, u64> = BTreeMap::new();
    capture.records.iter().for_each(|own| *by_port.entry(&own.port).or_default() += 1);
    for (port, record) in plan.fabric.ports.iter().zip(&outcome.ports) {
        let seen = by_port.get(port.name.as_str()).copied().unwrap_or(0);
        assert_eq!(seen, record.data_frames, "{}", port.name);
    }
}

#[test]
fn headers_say_flow_class_mark_and_number() {
    let (Exported { plan, outcome, .. }, capture) = captured(PACKETS);
    let (sent, _) = rows(&outcome);
    let address = |host: u32| [10, 0, 0, host as u8 + 1];
    let mut by_packet: BTreeMap<u64, Vec<&Record>> = BTreeMap::new();
    capture.records.iter().for_each(|own| by_packet.entry(own.packet).or_default().push(own));
    for (row, records) in &by_packet {
        let packet = &sent[*row as usize];
        let flow = &plan.traffic.flows[packet.flow.index()];
        let whole = if flow.class == 1 { 8 } else { 0 };
        for (passed, own) in records.iter().enumerate() {
            assert_eq!((own.flow, own.psn), (packet.flow.0, packet.number));
            assert_eq!(own.source, address(flow.source.0));
            assert_eq!(own.destination, address(flow.destination.0));
            assert_eq!(usize::from(own.ttl), 64 - passed);
            assert_eq!(own.dscp, if own.bytes == u32::from(packet.bytes) { whole } else { 46 });
            assert!(own.ecn == 2 || own.ecn == 3);
        }
        // A mark is never taken off.
        assert!(records.is_sorted_by_key(|own| own.ecn));
        assert_eq!(records.last().unwrap().ecn == 3, packet.marked, "packet {row}");
    }
    assert!(capture.records.iter().any(|own| own.ecn == 3) && plan.queue.classes == 2);
    for (name, description, speed, decimals) in &capture.interfaces {
        assert!(description.contains(" to ") && !name.is_empty(), "{name}: {description}");
        assert_eq!((*speed, *decimals), (100_000_000_000, 12));
    }
    let names = String::from_utf8_lossy(&capture.names).into_owned();
    assert!(names.contains("host0\0") && names.contains("host15\0"), "{names}");
    assert!(capture.comment.contains("seed 1"), "{}", capture.comment);
}

#[test]
fn comments_and_counts_tell_of_marks_trims_and_losses() {
    let (Exported { outcome, .. }, capture) = captured(PACKETS);
    let (sent, passed) = rows(&outcome);
    let said = |word: &str| capture.records.iter().filter(|own| own.comment.contains(word)).count();
    let hops = |is: &dyn Fn(Fate) -> bool| passed.iter().filter(|hop| is(hop.fate)).count();
    assert_eq!(said("; trimmed here"), hops(&|fate| fate == Fate::Trimmed));
    let marked = passed.iter().filter(|hop| hop.marked && hop.fate.has_left()).count();
    assert_eq!(said("; marked here"), marked);
    assert_eq!(said(", sent again"), {
        let again = |row: u64| sent[row as usize].again;
        capture.records.iter().filter(|own| again(own.packet)).count()
    });
    // Each lost packet is told of once, by its last record.
    for cause in DropCause::ALL {
        let lost = sent.iter().filter(|own| own.fate == Fate::Lost(cause)).count();
        assert_eq!(said(&format!(": {}", cause.word())), lost, "{cause:?}");
    }
    for cause in [DropCause::Overflow, DropCause::LinkDown, DropCause::Loss] {
        assert!(sent.iter().any(|own| own.fate == Fate::Lost(cause)), "{cause:?}");
    }
    // What never left is counted at its port, and what was spoilt on the link is flagged.
    let never_left = hops(&|fate| matches!(fate, Fate::Lost(_)) && !fate.has_left()) as u64;
    assert_eq!(capture.lost.values().sum::<u64>(), never_left);
    let before: u64 = capture.records.iter().map(|own| own.dropped_before).sum();
    assert!(before > 0 && before <= never_left);
    let spoilt = capture.records.iter().filter(|own| own.flags == 6 | 1 << 24).count();
    assert_eq!(said(": loss"), spoilt);
    assert!(capture.records.iter().all(|own| own.flags & 7 == 6));
    // What a packet found.
    let found = passed.iter().find(|hop| hop.found.is_some_and(|found| found > 0)).unwrap();
    let text = format!("found {} B, stayed {} ns", found.found.unwrap(), found.stay.0 as f64 / 1e3);
    let own = |own: &&Record| own.packet == found.packet && own.comment.contains(&text);
    assert!(capture.records.iter().find(own).is_some(), "{text}");
}

#[test]
fn flows_are_chosen_and_what_was_not_recorded_is_told() {
    let run = Exported::of("[record]\nflows = [0, 5]\n");
    let file = run.path("five.pcapng");
    pcapng(&run.run, &[5], &file).unwrap();
    let capture = Capture::read(&file);
    assert!(!capture.records.is_empty() && capture.records.iter().all(|own| own.flow == 5));
    let error = pcapng(&run.run, &[5, 7], &file).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: packets of flow 7 were not recorded, but of 2 others; the same scenario with this \
             line records them, and changes nothing else:\nrecord.flows = [7]",
            run.run.folder.display()
        )
    );
    let none = Exported::of("");
    let error = pcapng(&none.run, &[], &file).unwrap_err();
    let told = error.to_string();
    let line = told.lines().last().unwrap();
    assert!(told.contains("packets were not recorded; the same scenario with this line"), "{told}");
    assert!(error.is_input() && line.starts_with("record.flows = ["), "{told}");
    // The line does what it says, at the top of the scenario.
    let again = format!("{line}\n{}", super::SCENARIO);
    assert!(crate::scenario::parse("t.toml", &again, Path::new("."), &[]).is_ok());
}

#[test]
fn damaged_tables_are_told_with_their_file() {
    let run = Exported::of("[record]\nflows = [0]\n");
    let other = Exported::of("[record]\nflows = [0, 1]\n");
    let file = run.path("x.pcapng");
    let hops = run.path("hops.parquet");
    let told = || pcapng(&run.run, &[], &file).unwrap_err().to_string();
    fs::copy(other.path("hops.parquet"), &hops).unwrap();
    assert!(told().contains("hops.parquet: `packets` has no row"), "{}", told());
    fs::copy(run.path("ports.parquet"), &hops).unwrap();
    assert!(told().contains("hops.parquet: it has no column `packet`"), "{}", told());
    fs::write(&hops, "PAR1").unwrap();
    assert!(told().contains("hops.parquet"), "{}", told());
    fs::remove_file(run.path("ports.parquet")).unwrap();
    assert!(told().contains("ports.parquet: it is missing"), "{}", told());
    let none = pcapng(&other.run, &[], &other.path("no/folder/x.pcapng")).unwrap_err();
    assert!(matches!(&none, ExportError::Write(..)) && !none.is_input(), "{none}");
}

#[test]
fn wireshark_dissects_a_capture() {
    let Ok(version) = Command::new("tshark").arg("--version").output() else {
        // Its own readers have looked at every byte.
        return;
    };
    assert!(version.status.success());
    let (run, capture) = captured(PACKETS);
    let fields = ["frame.interface_name", "frame.len", "frame.packet_id", "ip.dsfield.ecn"];
    let more = ["udp.srcport", "infiniband.bth.psn", "ip.checksum.status", "_ws.malformed"];
    let mut command = Command::new("tshark");
    command.args(["-o", "ip.check_checksum:TRUE", "-T", "fields", "-r"]);
    command.arg(run.path("all.pcapng"));
    command.args(fields.iter().chain(&more).flat_map(|field| ["-e", field]));
    let said = command.output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.lines().count(), capture.records.len());
    for (line, own) in said.lines().zip(&capture.records) {
        let expected = [
            own.port.clone(),
            own.bytes.to_string(),
            own.packet.to_string(),
            own.ecn.to_string(),
            own.entropy.to_string(),
            own.psn.to_string(),
            "1".to_owned(),
            String::new(),
        ];
        let said: Vec<&str> = line.split('\t').collect();
        // Below RoCE's port an entropy may be that of a protocol which Wireshark takes it for.
        let sure = if own.entropy < 4791 { 5 } else { expected.len() };
        assert_eq!(said[..sure], expected[..sure]);
    }
}
