//! Topology files: counts, the numbers of the switches, and a link a line.
//!
//! ```text
//! file = head { SWITCH } { link }
//! head = NODES SWITCHES LINKS | NODES SWITCHES TORS LINKS [LEAF_BPS SPINE_BPS]
//! link = NODE NODE RATE DELAY ERROR_RATE        -- 0 320 25Gbps 1000ns 0.000000
//! ```
//!
//! The second head is that of PowerTCP's program, with two rates that of Reverie's; a note says what of it
//! has no effect. A rate without a unit is bits a second, also with a fraction: `25000000000.0`.
//! Nodes are numbered from 0; those that are no switches are hosts, and have one link. Packets take
//! the shortest ways. Node 7 is called `n7`, its port towards node 320 `n320.to.n7` at the switch; a
//! link's error rate is the chance of each frame to be lost in either direction.

use super::{Mistakes, Options, lines};
use crate::import::words::Word;
use crate::import::{InputError, Place};
use raddle_schemes::units::{QuantityError, Rate, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::graph::parse_graph;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A topology.
#[derive(Clone, Debug)]
pub struct TopologyFile {
    /// What it describes.
    pub fabric: Fabric,
    /// The links that lose frames: a port's name, and the chance of each frame.
    pub lossy: Vec<(String, f64)>,
    /// What was accepted but deserves a word.
    pub notes: Vec<InputError>,
}

struct Link {
    ends: [u32; 2],
    rate: Rate,
    delay: Span,
    at: Place,
    loss: f64,
}

/// Reads a topology file.
///
/// # Errors
/// Every mistake, in the order of the file, up to 20.
pub fn parse(text: &str, options: Options) -> Result<TopologyFile, Vec<InputError>> {
    let mut mistakes = Mistakes::new(options);
    let read = read(&mut mistakes, text);
    let notes = mistakes.finish()?;
    let Some((nodes, switches, links, switches_at)) = read else { return Err(Vec::new()) };
    let (graph, places) = graph(nodes, &switches, &links, switches_at);
    let fabric = parse_graph(&graph).map_err(|errors| {
        let place = |line: usize| places.get(line - 1).copied().unwrap_or(Place::line(1));
        let mistake = |error: raddle_sim::topology::graph::GraphError| InputError {
            help: error.help,
            ..place(error.line).note(error.message)
        };
        errors.into_iter().map(mistake).collect::<Vec<_>>()
    })?;
    let lossy = links.iter().filter(|link| link.loss > 0.0);
    let lossy = lossy.filter_map(|link| Some((port(&fabric, &switches, link.ends)?, link.loss)));
    Ok(TopologyFile { lossy: lossy.collect(), fabric, notes })
}

/// A port of the link between two nodes: that of its host, or the first one of a switch.
fn port(fabric: &Fabric, switches: &BTreeSet<u32>, [a, b]: [u32; 2]) -> Option<String> {
    let host = [a, b].into_iter().find(|node| !switches.contains(node));
    let name = host.map_or(format!("n{a}.to.n{b}"), |host| format!("n{host}"));
    fabric.port_named(&name).map(|_| name)
}

type Read = (u32, BTreeSet<u32>, Vec<Link>, Place);

fn read(mistakes: &mut Mistakes, text: &str) -> Option<Read> {
    let mut rows: Vec<Vec<Word<'_>>> = lines(text).collect();
    if rows.is_empty() {
        let help = "the first line is `NODES SWITCHES LINKS`";
        mistakes.error(Place::line(1), "the file is empty", help);
        return None;
    }
    let words = rows[0].len();
    let simai = words == 6 && rows[0][5].text.parse::<f64>().is_err();
    let known = matches!(words, 3 | 4 | 6) && !simai;
    if !mistakes.compat && !known {
        let at = rows[0][0].at;
        let help = match simai {
            true => {
                "this is SimAI's head (servers, NVSwitches, a kind of GPU): its hosts have several links, which are not read"
            }
            false => {
                "the first line is `NODES SWITCHES LINKS`, `NODES SWITCHES TORS LINKS`, or this with the rates of leaves and spines"
            }
        };
        mistakes.error(Place::line(at.line), format!("{} words at the head", rows[0].len()), help);
        return None;
    }
    if mistakes.compat {
        let stream: Vec<Word<'_>> = rows.concat();
        let head = stream.len().min(if known { words } else { 3 });
        let count = |word: Option<&Word<'_>>| word?.text.parse::<usize>().ok();
        let switches = count(stream.get(1)).unwrap_or(0).min(stream.len() - head);
        let (head, rest) = stream.split_at(head);
        let (switches, links) = rest.split_at(switches);
        rows = vec![head.to_vec()];
        if !switches.is_empty() {
            rows.push(switches.to_vec());
        }
        rows.extend(links.chunks(5).map(<[Word<'_>]>::to_vec));
    }
    let head = &rows[0];
    if head.len() < 3 {
        mistakes.error(head[0].at, "the head is cut off", "expected `NODES SWITCHES LINKS`");
        return None;
    }
    let nodes: Option<u32> = mistakes.integer(head[0], "number of nodes");
    let switch_count: Option<usize> = mistakes.integer(head[1], "number of switches");
    let links_at = head[if head.len() > 3 { 3 } else { 2 }];
    let link_count: Option<usize> = mistakes.integer(links_at, "number of links");
    if let [_, _, tors, _, rates @ ..] = &head[..] {
        let _: Option<u32> = mistakes.integer(*tors, "number of ToRs");
        for word in rates {
            rate(mistakes, *word);
        }
        let what = if rates.is_empty() {
            "number of ToRs"
        } else {
            "number of ToRs, and what follows the links,"
        };
        mistakes
            .note(tors.at, format!("the {what} at the head has no effect: links are as they say"));
    }
    let (nodes, switch_count, link_count) = (nodes?, switch_count?, link_count?);
    let ids = if switch_count > 0 { rows.get(1).cloned().unwrap_or_default() } else { Vec::new() };
    let switches_at = ids.first().map_or(head[1].at, |word| Place::line(word.at.line));
    if ids.len() != switch_count {
        mistakes.error(
            switches_at,
            format!("{switch_count} switches at the head, and {} numbers here", ids.len()),
            "the second line is the number of each switch",
        );
    }
    let mut switches = BTreeSet::new();
    for word in ids {
        let Some(id) = node(mistakes, word, nodes) else { continue };
        if !switches.insert(id) {
            mistakes.error(word.at, format!("switch {id} twice"), "each switch once");
        }
    }
    let mut links = Vec::new();
    let from = usize::from(switch_count > 0) + 1;
    let rows = rows.get(from..).unwrap_or_default();
    if rows.len() > link_count {
        let at = Place::line(rows[link_count][0].at.line);
        mistakes.strict(
            at,
            format!("the head says {link_count} links: HPCC reads no further than here"),
            "write how many there are, or remove what follows them",
        );
    } else if rows.len() < link_count {
        // HPCC links the last pair again and again, or nodes that are not there.
        let message = format!("{link_count} links at the head, and {} follow", rows.len());
        mistakes.error(links_at.at, message, "write how many there are");
    }
    for row in rows.iter().take(link_count) {
        links.extend(link(mistakes, row, nodes));
    }
    let hosts = (nodes as usize).saturating_sub(switches.len());
    if hosts > 2 * links.len() && mistakes.errors.is_empty() {
        let message = format!("{hosts} hosts, and {} links", links.len());
        mistakes.error(head[0].at, message, "every host has a link");
    }
    Some((nodes, switches, links, switches_at))
}

fn node(mistakes: &mut Mistakes, word: Word<'_>, nodes: u32) -> Option<u32> {
    let id: u32 = mistakes.integer(word, "node")?;
    if id >= nodes {
        let help = format!("nodes are 0 to {}: the head says {nodes}", nodes.saturating_sub(1));
        mistakes.error(word.at, format!("there is no node {id}"), help);
        return None;
    }
    Some(id)
}

fn link(mistakes: &mut Mistakes, row: &[Word<'_>], nodes: u32) -> Option<Link> {
    let at = Place::line(row[0].at.line);
    if row.len() != 5 {
        let help = "a link is `NODE NODE RATE DELAY ERROR_RATE`: `0 320 25Gbps 1000ns 0`";
        mistakes.error(at, format!("{} words for a link", row.len()), help);
        return None;
    }
    let ends = [node(mistakes, row[0], nodes), node(mistakes, row[1], nodes)];
    let rate = rate(mistakes, row[2]);
    let delay: Option<Span> = row[3].text.parse().ok();
    if delay.is_none() {
        let message = format!("`{}` is no delay", row[3].text.escape_debug());
        let help = unit(row[3].text, &["ps", "ns", "us", "ms", "s"], "1000ns");
        mistakes.error(row[3].at, message, help);
    }
    let loss: Option<f64> = row[4].text.parse().ok().filter(|loss| (0.0..1.0).contains(loss));
    if loss.is_none() {
        let message = format!("`{}` is no error rate", row[4].text.escape_debug());
        mistakes.error(row[4].at, message, "expected a chance: at least 0 and below 1");
    }
    Some(Link { ends: [ends[0]?, ends[1]?], rate: rate?, delay: delay?, at, loss: loss? })
}

/// A rate as ns-3 writes it: `100Gbps`, `25Gb/s`, `25000000000.0`.
fn rate(mistakes: &mut Mistakes, word: Word<'_>) -> Option<Rate> {
    let bare: Option<f64> = word.text.parse().ok();
    if let Some(bps) = bare.filter(|bps| bps.fract() == 0.0 && (1.0..1e15).contains(bps)) {
        return Some(Rate(bps as u64));
    }
    let text = word.text.replace("b/s", "bps");
    let rate: Result<Rate, QuantityError> = text.parse();
    match rate {
        Ok(rate) if rate.0 > 0 => Some(rate),
        _ => {
            let message = format!("`{}` is no rate", word.text.escape_debug());
            let help = unit(&text, &["bps", "kbps", "Mbps", "Gbps", "Tbps"], "100Gbps");
            mistakes.error(word.at, message, help);
            None
        }
    }
}

/// What may have been meant by the unit at a text's end.
fn unit(text: &str, units: &[&str], example: &str) -> String {
    let typed = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    match super::nearest(typed, units).filter(|unit| *unit != typed) {
        Some(unit) => format!("did you mean the unit `{unit}`? Expected as in `{example}`"),
        None => format!("expected a number and one of {}, as in `{example}`", units.join(", ")),
    }
}

/// The same as a graph, and where each of its lines comes from.
fn graph(
    nodes: u32,
    switches: &BTreeSet<u32>,
    links: &[Link],
    switches_at: Place,
) -> (String, Vec<Place>) {
    let mut text = String::new();
    let mut places = Vec::new();
    for node in 0..nodes {
        let is_switch = switches.contains(&node);
        let kind = if is_switch { "switch" } else { "host" };
        let _ = writeln!(text, "{kind} n{node}");
        places.push(if is_switch { switches_at } else { Place::line(1) });
    }
    for Link { ends: [a, b], rate, delay, at, .. } in links {
        let _ = writeln!(text, "link n{a} n{b} {}bps {}ps", rate.0, delay.0);
        places.push(*at);
    }
    (text, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::hpcc::Nodes;
    use raddle_schemes::ids::HostId;

    const SMALL: &str = "6 2 5\n4 5\n0 4 25Gbps 1000ns 0\n1 4 25Gbps 0.001ms 0.000000\n\
                         2 5 25Gb/s 1us 0\n3 5 25Gbps 1us 0\n4 5 100Gbps 5us 0.01\n";

    fn errors(text: &str, compat: bool) -> Vec<String> {
        let errors = parse(text, Options { compat }).map(|_| ()).unwrap_err();
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_topology_is_read() {
        let file = parse(SMALL, Options::default()).unwrap();
        let fabric = &file.fabric;
        assert_eq!((fabric.hosts, fabric.switches.len(), fabric.ports.len()), (4, 2, 10));
        let port = |name: &str| &fabric.ports[fabric.port_named(name).unwrap().index()];
        assert_eq!((port("n2").rate, port("n1").delay), (Rate::gbps(25), Span::us(1)));
        assert_eq!(port("n4.to.n5").rate, Rate::gbps(100));
        assert_eq!(file.lossy, [("n4.to.n5".to_owned(), 0.01)]);
        assert!(file.notes.is_empty());
    }

    /// Numbers of nodes are those of the file, also where switches come first.
    #[test]
    fn hosts_have_the_numbers_of_the_file() {
        let text = SMALL.replace("4 5\n0 4", "0 1\n2 0").replace("1 4 25", "3 0 25");
        let text = text.replace("2 5 25", "4 1 25").replace("3 5 25", "5 1 25");
        let text = text.replace("4 5 100", "0 1 100");
        let nodes = Nodes::of(&parse(&text, Options::default()).unwrap().fabric);
        assert_eq!(nodes.numbers(), [2, 3, 4, 5]);
        assert_eq!((nodes.host(3), nodes.host(0)), (Some(HostId(1)), None));
        assert_eq!(nodes.text(), "hosts are 2 to 5");
    }

    /// Heads of PowerTCP's and Reverie's programs, and rates without a unit.
    #[test]
    fn heads_of_four_and_six_words_are_read() {
        for (head, note) in [
            ("6 2 1 5", "the number of ToRs at the head has no effect"),
            (
                "6 2 1 5 2.5e10 100000000000",
                "the number of ToRs, and what follows the links, at the head has no effect",
            ),
        ] {
            let text = SMALL.replace("6 2 5", head).replace("25Gb/s", "25000000000.0");
            for compat in [false, true] {
                let file = parse(&text, Options { compat }).unwrap();
                assert_eq!((file.fabric.hosts, file.fabric.ports.len()), (4, 10));
                let port = &file.fabric.ports[file.fabric.port_named("n2").unwrap().index()];
                assert_eq!(port.rate, Rate::gbps(25));
                assert!(file.notes[0].to_string().contains(note), "{}", file.notes[0]);
            }
        }
        let halves = errors(&SMALL.replace("25Gb/s", "25000000000.5"), false);
        assert!(halves[0].contains("`25000000000.5` is no rate"), "{halves:?}");
        let five = errors(&SMALL.replace("6 2 5", "6 2 1 5 9"), false);
        assert!(five[0].contains("5 words at the head"), "{five:?}");
    }

    /// Reverie's fabric: 256 hosts under 16 leaves and 4 spines.
    #[test]
    fn a_fabric_with_reveries_head_is_read() {
        let switches: Vec<String> = (256..276).map(|id| id.to_string()).collect();
        let hosts = (0..256).map(|host| (host, 256 + host / 16));
        let uplinks = (0..64).map(|link| (256 + link / 4, 272 + link % 4));
        let link = |(a, b): (u32, u32)| format!("{a} {b} 25000000000.0 1000ns 0.0\n");
        let links: String = hosts.chain(uplinks).map(link).collect();
        let ids = switches.join(" ");
        let text = format!("276 20 16 320 25000000000.0 25000000000.0\n{ids}\n{links}");
        let fabric = parse(&text, Options::default()).unwrap().fabric;
        assert_eq!((fabric.hosts, fabric.switches.len(), fabric.ports.len()), (256, 20, 640));
    }

    #[test]
    fn lines_do_not_matter_in_compat() {
        let stream = format!("{} 7 7 7", SMALL.replace('\n', " "));
        assert_eq!(parse(&stream, Options { compat: true }).unwrap().fabric.hosts, 4);
        assert!(errors(&stream, false)[0].contains("words at the head"));
    }

    #[test]
    fn mistakes_are_told_with_their_places_and_what_was_meant() {
        let of = |from: &str, to: &str| errors(&SMALL.replace(from, to), false);
        for (found, expected) in [
            (of("100Gbps", "100Gpbs"), "line 7, column 5: `100Gpbs` is no rate"),
            (of("100Gbps", "100Gpbs"), "did you mean the unit `Gbps`?"),
            (of("1000ns", "1000sn"), "line 3, column 12: `1000sn` is no delay"),
            (of(" 0.01", " 2"), "is no error rate"),
            (of("4 5\n", "4 9\n"), "line 2, column 3: there is no node 9"),
            (of("4 5\n", "4\n"), "2 switches at the head, and 1 numbers here"),
            (of("6 2 5", "6 2 9"), "9 links at the head, and 5 follow"),
            (of("6 2 5", "6 2 4"), "HPCC reads no further"),
            (of("6 2 5", "8 2 5"), "host `n6` has no link"),
            (of("3 5 25Gbps 1us 0\n", "3 5 25Gbps 1us\n"), "line 6, column 1: 4 words for a link"),
            (of("6 2 5", "99999999 2 5"), "99999997 hosts, and 5 links"),
            (of("6 2 5", "6 8 0 2 5 H100"), "SimAI's head"),
        ] {
            assert!(found.iter().any(|error| error.contains(expected)), "{expected}: {found:?}");
        }
        // A host with two links, as in HPCC's own topology of 320 hosts.
        let two = SMALL.replace("6 2 5", "6 2 6") + "0 5 25Gbps 1us 0\n";
        assert!(
            errors(&two, false)[0].starts_with("line 8, column 1: "),
            "{:?}",
            errors(&two, false)
        );
        assert!(errors("", false)[0].contains("the file is empty"));
    }
}
