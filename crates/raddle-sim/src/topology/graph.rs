//! Arbitrary graphs from a text file.
//!
//! One statement a line, in any order; `#` starts a comment. Quantities with a space are quoted.
//!
//! ```text
//! host   a
//! host   b
//! switch s0 latency "500 ns"               # 0 ns if not given
//! switch s1
//! link   a  s0 "400 Gbps" "500 ns"         # ends, rate, propagation delay
//! link   b  s1 "400 Gbps" "500 ns"
//! link   s0 s1 "400 Gbps" "1 us"
//! link   s0 s1 "100 Gbps" "1 us" "50 Gbps" # a parallel cable; 50 Gbps from s1 to s0
//! ```
//!
//! Names are made of letters, digits, `_` and `-`. Hosts are numbered in the order of their lines.
//! A host has exactly one link, to a switch, and its port has its name. Ports of switches are
//! named `s0.to.s1`, parallel ones `s0.to.s1.1`, `s0.to.s1.2`, in the order of their lines.

use super::assemble::{Cable, assemble, host, switch};
use super::nearest::nearest;
use super::{Fabric, Node};
use raddle_schemes::units::{QuantityError, Rate, Span};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What is wrong with a graph file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphError {
    /// Line, from 1.
    pub line: usize,
    /// Column of the first character concerned, from 1.
    pub column: usize,
    /// Number of characters concerned; 0 where something is missing.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for GraphError {}

/// The fabric that `text` describes in the format of this [module](self).
///
/// # Errors
/// Everything that is wrong with the text, in the order of lines.
pub fn parse_graph(text: &str) -> Result<Fabric, Vec<GraphError>> {
    let mut parser = Parser::default();
    let lines: Vec<Vec<Token<'_>>> =
        text.lines().enumerate().map(|(i, line)| parser.tokens(i + 1, line)).collect();
    for tokens in &lines {
        parser.node(tokens);
    }
    for tokens in &lines {
        parser.link(tokens);
    }
    if parser.errors.is_empty() {
        parser.check_graph();
    }
    if parser.errors.is_empty() {
        Ok(assemble(&parser.hosts, parser.switches, &parser.cables))
    } else {
        parser.errors.sort_by_key(|error| (error.line, error.column));
        Err(parser.errors)
    }
}

const STATEMENTS: [&str; 3] = ["host", "switch", "link"];
const SWITCH_USAGE: &str = "a switch is `switch NAME` or `switch NAME latency \"500 ns\"`";
const LINK_USAGE: &str = "a link is `link A B \"400 Gbps\" \"500 ns\"`, with another rate at the end if it differs \
     from B to A";

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    line: usize,
    column: usize,
    length: usize,
}

impl Token<'_> {
    fn error(&self, message: String, help: Option<String>) -> GraphError {
        let Self { line, column, length, .. } = *self;
        GraphError { line, column, length, message, help }
    }

    /// The place just behind the token, for what is missing there.
    fn after(&self) -> Self {
        Self { column: self.column + self.length, length: 0, ..*self }
    }
}

#[derive(Default)]
struct Parser<'a> {
    hosts: Vec<String>,
    switches: Vec<(String, Span)>,
    cables: Vec<Cable>,
    /// Where each name was defined and what it names.
    names: BTreeMap<&'a str, (Token<'a>, Node)>,
    /// The link of each host that has one.
    host_links: BTreeMap<Node, usize>,
    errors: Vec<GraphError>,
}

impl<'a> Parser<'a> {
    fn tokens(&mut self, line: usize, text: &'a str) -> Vec<Token<'a>> {
        let mut tokens = Vec::new();
        // Byte and column of the token being read, and whether it is quoted.
        let mut open: Option<(usize, usize, bool)> = None;
        let mut column = 0;
        for (at, c) in text.char_indices() {
            column += 1;
            match open {
                None if c == '#' => return tokens,
                None if c == '"' => open = Some((at + 1, column, true)),
                None if !c.is_whitespace() => open = Some((at, column, false)),
                Some((from, start, true)) if c == '"' => {
                    let length = column + 1 - start;
                    tokens.push(Token { text: &text[from..at], line, column: start, length });
                    open = None;
                }
                Some((from, start, false)) if c.is_whitespace() || c == '#' => {
                    let length = column - start;
                    tokens.push(Token { text: &text[from..at], line, column: start, length });
                    open = None;
                    if c == '#' {
                        return tokens;
                    }
                }
                _ => {}
            }
        }
        if let Some((from, start, quoted)) = open {
            let token =
                Token { text: &text[from..], line, column: start, length: column + 1 - start };
            if quoted {
                let help = "add a `\"` behind the unit".to_owned();
                self.errors.push(token.error("this quote is not closed".to_owned(), Some(help)));
                return Vec::new();
            }
            tokens.push(token);
        }
        tokens
    }

    fn node(&mut self, tokens: &[Token<'a>]) {
        let [statement, rest @ ..] = tokens else { return };
        match (statement.text, rest) {
            ("link", _) => {}
            ("host" | "switch", []) => self.errors.push(statement.after().error(
                format!("a name is missing behind `{}`", statement.text),
                Some("names are made of letters, digits, `_` and `-`".to_owned()),
            )),
            ("host", [name, rest @ ..]) => {
                if let [extra, ..] = rest {
                    let message = format!("`{}` does not belong here", extra.text);
                    let help = "a host is `host NAME`; its rate and delay are its link's";
                    self.errors.push(extra.error(message, Some(help.to_owned())));
                }
                if self.define(name, host(self.hosts.len())) {
                    self.hosts.push(name.text.to_owned());
                }
            }
            ("switch", [name, rest @ ..]) => {
                let latency = match rest {
                    [] => Some(Span::ZERO),
                    [word, value] if word.text == "latency" => self.quantity(value),
                    [word] if word.text == "latency" => {
                        let message = "the latency is missing".to_owned();
                        self.errors.push(word.after().error(message, Some(SWITCH_USAGE.into())));
                        None
                    }
                    [word, _, extra, ..] if word.text == "latency" => {
                        let message = format!("`{}` does not belong here", extra.text);
                        self.errors.push(extra.error(message, Some(SWITCH_USAGE.into())));
                        None
                    }
                    [extra, ..] => {
                        let message = format!("`{}` does not belong here", extra.text);
                        self.errors.push(extra.error(message, Some(SWITCH_USAGE.into())));
                        None
                    }
                };
                if self.define(name, switch(self.switches.len())) {
                    self.switches.push((name.text.to_owned(), latency.unwrap_or_default()));
                }
            }
            (word, _) => {
                let near = nearest(word, STATEMENTS.into_iter());
                let help = near.first().map_or_else(
                    || "a line starts with `host`, `switch` or `link`".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("`{word}` is no statement");
                self.errors.push(statement.error(message, Some(help)));
            }
        }
    }

    fn define(&mut self, name: &Token<'a>, node: Node) -> bool {
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.text.is_empty() || !name.text.chars().all(valid) {
            let help = "names are made of letters, digits, `_` and `-`".to_owned();
            self.errors.push(name.error(format!("`{}` is no name", name.text), Some(help)));
            return false;
        }
        if let Some((first, _)) = self.names.get(name.text) {
            let help = format!("it is defined in line {} already", first.line);
            self.errors.push(name.error(format!("`{}` is defined twice", name.text), Some(help)));
            return false;
        }
        self.names.insert(name.text, (*name, node));
        true
    }

    fn link(&mut self, tokens: &[Token<'a>]) {
        let [statement, rest @ ..] = tokens else { return };
        if statement.text != "link" {
            return;
        }
        if rest.len() < 4 {
            let missing = ["first end", "second end", "rate", "delay"][rest.len()];
            let place = tokens[tokens.len() - 1].after();
            let message = format!("the link's {missing} is missing");
            self.errors.push(place.error(message, Some(LINK_USAGE.to_owned())));
            return;
        }
        if let Some(extra) = rest.get(5) {
            let message = format!("`{}` does not belong here", extra.text);
            self.errors.push(extra.error(message, Some(LINK_USAGE.to_owned())));
        }
        let ends = [self.end(&rest[0]), self.end(&rest[1])];
        let rate = self.rate(&rest[2]);
        let delay = self.quantity(&rest[3]);
        let back = rest.get(4).map_or(rate, |token| self.rate(token));
        let ([Some(a), Some(b)], Some(rate), Some(delay), Some(back)) = (ends, rate, delay, back)
        else {
            return;
        };
        if a == b {
            let message = format!("`{}` is linked to itself", rest[0].text);
            self.errors.push(rest[1].error(message, None));
            return;
        }
        if let (Node::Host(_), Node::Host(_)) = (a, b) {
            let message = format!("hosts `{}` and `{}` are linked", rest[0].text, rest[1].text);
            let help = "a host has exactly one link, to a switch".to_owned();
            self.errors.push(rest[1].error(message, Some(help)));
            return;
        }
        for (node, token) in [(a, &rest[0]), (b, &rest[1])] {
            if let Node::Host(_) = node
                && let Some(line) = self.host_links.insert(node, token.line)
            {
                let message = format!("host `{}` has a second link", token.text);
                let help = format!(
                    "a host has exactly one link, to a switch; its first is in line {line}"
                );
                self.errors.push(token.error(message, Some(help)));
            }
        }
        self.cables.push(Cable { ends: [a, b], rates: [rate, back], delay });
    }

    fn end(&mut self, token: &Token<'a>) -> Option<Node> {
        if let Some((_, node)) = self.names.get(token.text) {
            return Some(*node);
        }
        let near = nearest(token.text, self.names.keys().copied());
        let help = near.first().map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no host or switch `{}`", token.text);
        self.errors.push(token.error(message, help));
        None
    }

    fn quantity<T: FromStr<Err = QuantityError>>(&mut self, token: &Token<'a>) -> Option<T> {
        let parsed = token.text.parse();
        parsed
            .map_err(|error| {
                let message = format!("`{}`: {error}", token.text);
                let help = "write it as in \"400 Gbps\" or \"500 ns\"".to_owned();
                self.errors.push(token.error(message, Some(help)));
            })
            .ok()
    }

    fn rate(&mut self, token: &Token<'a>) -> Option<Rate> {
        let rate = self.quantity(token)?;
        if rate == Rate(0) {
            let message = "a link's rate must not be zero".to_owned();
            let help = "leave the line out, or let a fault take the link down".to_owned();
            self.errors.push(token.error(message, Some(help)));
            return None;
        }
        Some(rate)
    }

    /// What only the whole file can show: hosts without a link, parts that are not connected.
    fn check_graph(&mut self) {
        if self.hosts.len() < 2 {
            let message = format!("the file has {} hosts", self.hosts.len());
            let help = Some("at least 2 are needed".to_owned());
            self.errors.push(GraphError { line: 1, column: 1, length: 0, message, help });
            return;
        }
        let position = |node: Node| match node {
            Node::Host(host) => host.index(),
            Node::Switch(switch) => self.hosts.len() + switch.index(),
        };
        let mut neighbours = vec![Vec::new(); self.hosts.len() + self.switches.len()];
        for Cable { ends: [a, b], .. } in &self.cables {
            neighbours[position(*a)].push(position(*b));
            neighbours[position(*b)].push(position(*a));
        }
        let mut reached = vec![false; neighbours.len()];
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                stack.extend(&neighbours[at]);
            }
        }
        for (name, node) in self.names.values() {
            let (message, help) = match node {
                Node::Host(_) if neighbours[position(*node)].is_empty() => (
                    format!("host `{}` has no link", name.text),
                    "a host has exactly one link, to a switch".to_owned(),
                ),
                _ if !reached[position(*node)] => (
                    format!("`{}` is not connected to host `{}`", name.text, self.hosts[0]),
                    "every host must be able to reach every other".to_owned(),
                ),
                _ => continue,
            };
            self.errors.push(name.error(message, Some(help)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Switch;
    use raddle_schemes::ids::{HostId, PortId, SwitchId};

    const EXAMPLE: &str = r#"
host   a
host   b
switch s0 latency "500 ns"               # 0 ns if not given
switch s1
link   a  s0 "400 Gbps" "500 ns"         # ends, rate, propagation delay
link   b  s1 400Gbps 500ns
link   s0 s1 "400 Gbps" "1 us"
link   s0 s1 "100 Gbps" "1 us" "50 Gbps" # a parallel cable
"#;

    /// Places and texts of all errors.
    fn errors(text: &str) -> Vec<String> {
        parse_graph(text).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_example_is_the_fabric_it_describes() {
        let fabric = parse_graph(EXAMPLE).unwrap();
        let ports: Vec<(&str, usize, u64, bool)> = fabric
            .ports
            .iter()
            .map(|p| (p.name.as_str(), p.peer.index(), p.rate.0 / 1_000_000_000, p.up))
            .collect();
        assert_eq!(
            ports,
            [
                ("a", 2, 400, true),
                ("b", 5, 400, true),
                ("s0.to.a", 0, 400, false),
                ("s0.to.s1.1", 6, 400, true),
                ("s0.to.s1.2", 7, 100, true),
                ("s1.to.b", 1, 400, false),
                ("s1.to.s0.1", 3, 400, true),
                ("s1.to.s0.2", 4, 50, true),
            ]
        );
        let s0 = Switch {
            name: "s0".to_owned(),
            tier: 0,
            pod: Some(0),
            ports: 2..5,
            latency: Span::ns(500),
        };
        assert_eq!(fabric.switches[0], s0);
        let choices = fabric.forwarding.ports(SwitchId(0), PortId(1));
        assert_eq!((choices.count(), choices.get(0), choices.get(1)), (2, PortId(3), PortId(4)));
        assert_eq!(fabric.edge(HostId(1)), SwitchId(1));
    }

    #[test]
    fn tiers_count_hops_from_hosts() {
        let fabric = parse_graph(
            "host a\nhost b\nswitch l0\nswitch l1\nswitch x\nswitch y\n\
             link a l0 1Gbps 1us\nlink b l1 1Gbps 1us\nlink l0 x 1Gbps 1us\n\
             link l1 x 1Gbps 1us\nlink x y 1Gbps 1us",
        )
        .unwrap();
        let tiers: Vec<u8> = fabric.switches.iter().map(|switch| switch.tier).collect();
        assert_eq!(tiers, [0, 0, 1, 2]);
        assert!(fabric.ports[fabric.port_named("l0.to.x").unwrap().index()].up);
        assert!(!fabric.ports[fabric.port_named("x.to.l0").unwrap().index()].up);
    }

    #[test]
    fn every_error_is_told_at_once_with_its_place() {
        let text = "host a\nhost b\nhots c\nswitch s latency \"5 Gbps\"\nswitch a\n\
                    link a t \"400 Gbps\" \"500 ns\"\nlink b s \"400 Gbps\"\nlink b s 0Gbps 1us\n\
                    link a b 1Gbps 1us\nlink s s 1Gbps 1us\nlink a s \"1 Gbps";
        assert_eq!(
            errors(text),
            [
                "line 3, column 1: `hots` is no statement; did you mean `host`?",
                "line 4, column 18: `5 Gbps`: expected a number and one of the units ps, ns, us, \
                 ms, s; write it as in \"400 Gbps\" or \"500 ns\"",
                "line 5, column 8: `a` is defined twice; it is defined in line 1 already",
                "line 6, column 8: there is no host or switch `t`",
                "line 7, column 20: the link's delay is missing; a link is `link A B \"400 Gbps\" \
                 \"500 ns\"`, with another rate at the end if it differs from B to A",
                "line 8, column 10: a link's rate must not be zero; leave the line out, or let a \
                 fault take the link down",
                "line 9, column 8: hosts `a` and `b` are linked; a host has exactly one link, to \
                 a switch",
                "line 10, column 8: `s` is linked to itself",
                "line 11, column 10: this quote is not closed; add a `\"` behind the unit",
            ]
        );
    }

    #[test]
    fn columns_and_lengths_count_characters() {
        let error = &parse_graph("host a\nhost b\nswitch \"ß s\"").unwrap_err()[0];
        assert_eq!((error.line, error.column, error.length), (3, 8, 5));
        let error = &parse_graph("host a # fine\nhost").unwrap_err()[0];
        assert_eq!((error.line, error.column, error.length), (2, 5, 0));
    }

    #[test]
    fn hosts_have_one_link_and_the_graph_is_connected() {
        let base = "host a\nhost b\nhost c\nswitch s\nswitch t\n\
                    link a s 1Gbps 1us\nlink b s 1Gbps 1us\n";
        assert_eq!(
            errors(base),
            [
                "line 3, column 6: host `c` has no link; a host has exactly one link, to a switch",
                "line 5, column 8: `t` is not connected to host `a`; every host must be able to \
                 reach every other",
            ]
        );
        assert_eq!(
            errors(&format!("{base}link c t 1Gbps 1us\nlink t a 1Gbps 1us")),
            ["line 9, column 8: host `a` has a second link; a host has exactly one link, to a \
              switch; its first is in line 6"]
        );
        assert_eq!(
            errors("# nothing"),
            ["line 1, column 1: the file has 0 hosts; at least 2 are needed"]
        );
    }

    #[test]
    fn superfluous_words_are_refused() {
        let text = "host a b\nswitch s latency\nswitch t speed 3\nswitch u latency 1ns 2ns\n\
                    link a s 1Gbps 1us 1Gbps 1us";
        let places: Vec<(usize, usize)> =
            parse_graph(text).unwrap_err().iter().map(|e| (e.line, e.column)).collect();
        assert_eq!(places, [(1, 8), (2, 17), (3, 10), (4, 22), (5, 26)]);
    }
}
