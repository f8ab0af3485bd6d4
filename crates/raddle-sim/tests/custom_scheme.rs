//! A scheme from outside: in no list, run by both engines.

mod common;

use raddle_schemes::family::Plugin;
use raddle_schemes::ids::Entropy;
use raddle_schemes::load_balance::host::{Config, Outgoing, PathSelector};
use raddle_schemes::load_balance::switch::{self, Choices, Header, PortSelector, SwitchContext};
use raddle_schemes::units::Bytes;
use raddle_schemes::{Card, Cx, FlowContext, Need};
use raddle_sim::record::Stop;
use raddle_sim::{engine, reference};

const CARD: Card = Card {
    name: "counting",
    title: "Entropies in turn",
    paper: "-",
    needs: &[],
    summary: "Each packet takes the next entropy.",
};

struct Counting(u16);

impl PathSelector for Counting {
    fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        self.0 = self.0.wrapping_add(1);
        Entropy(self.0)
    }
}

const SHORTEST_CARD: Card = Card {
    name: "shortest",
    title: "The shortest queue, lowest port first",
    paper: "-",
    needs: &[Need::QueueLengths],
    summary: "Each packet joins the shortest of its queues.",
};

struct Shortest;

impl PortSelector for Shortest {
    fn select(&mut self, _cx: &mut Cx<'_>, _packet: &Header, choices: &Choices<'_>) -> usize {
        (0..choices.count).min_by_key(|&port| (choices.queues)(port)).unwrap_or(0)
    }
}

#[test]
fn a_host_scheme_of_another_crate_runs_in_both_engines() {
    let mut plan = common::permutation(common::fat_tree(2, 16), Bytes::kib(256), "ops", 1);
    let build = |context: &FlowContext| -> Box<dyn PathSelector + Send> {
        Box::new(Counting(context.source.0 as u16))
    };
    plan.transport.load_balance = Config::Custom(Plugin { card: &CARD, build });
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let slow = reference::run(&plan, &mut ());
    assert_eq!((outcome.flows, outcome.ports), (slow.flows, slow.ports));
}

/// Queue lengths that a switch scheme reads are those of the moment, in both engines.
#[test]
fn a_switch_scheme_reads_queues_as_they_are() {
    let mut plan = common::permutation(common::fat_tree(3, 16), Bytes::kib(512), "ops", 2);
    let build = |_: &SwitchContext| -> Box<dyn PortSelector + Send> { Box::new(Shortest) };
    plan.switch_load_balance = switch::Config::Custom(Plugin { card: &SHORTEST_CARD, build });
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let slow = reference::run(&plan, &mut ());
    assert_eq!((outcome.flows, outcome.ports), (slow.flows, slow.ports));
}
