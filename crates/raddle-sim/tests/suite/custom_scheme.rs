//! A scheme from outside: in no list, run by both engines.

use raddle_schemes::congestion::{self, Ack, CongestionControl, Limits, Loss};
use raddle_schemes::family::Plugin;
use raddle_schemes::ids::{Entropy, FlowId, HostId};
use raddle_schemes::load_balance::host::{Config, Fate, Feedback, Outgoing, PathSelector};
use raddle_schemes::load_balance::switch::{self, Choices, Header, PortSelector, SwitchContext};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Card, Cx, FlowContext, Need, SwitchCx};
use raddle_sim::plan::Overflow;
use raddle_sim::record::Stop;
use raddle_sim::workload::Flow;
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
    fn select(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        (0..choices.count).min_by_key(|&port| choices.fabric.queue(port).bytes).unwrap_or(0)
    }
}

#[test]
fn a_host_scheme_of_another_crate_runs_in_both_engines() {
    let mut plan =
        crate::common::permutation(crate::common::fat_tree(2, 16), Bytes::kib(256), "ops", 1);
    let build = |context: &FlowContext| -> Box<dyn PathSelector + Send> {
        Box::new(Counting(context.source.0 as u16))
    };
    plan.transport.load_balance = Config::Custom(Plugin::new(&CARD, build));
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let slow = reference::run(&plan, &mut ());
    assert_eq!((outcome.flows, outcome.ports), (slow.flows, slow.ports));
}

/// Tells of each trimmed packet that it hears of.
struct Hearing<const KNOWS_LAST_HOP: bool>(Counting);

impl<const KNOWS_LAST_HOP: bool> PathSelector for Hearing<KNOWS_LAST_HOP> {
    fn next_path(&mut self, cx: &mut Cx<'_>, packet: &Outgoing) -> Entropy {
        self.0.next_path(cx, packet)
    }

    fn knows_last_hop(&self) -> bool {
        KNOWS_LAST_HOP
    }

    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        if news.fate == Fate::Trimmed {
            cx.events.event(cx.now, "heard");
        }
    }
}

/// Of what is trimmed at the port to its host no path is to blame.
#[test]
fn who_knows_the_last_hop_hears_of_the_others_alone() {
    // Six hosts of other racks send to one: trims at its port. Five hosts of one rack send to five of
    // another over one uplink: trims below it.
    let into_one = (4..10).map(|from| Flow::at_zero(from, 0, Bytes::kib(256))).collect::<Vec<_>>();
    let over_one = (0..4).map(|from| Flow::at_zero(from, from + 12, Bytes::kib(256))).collect();
    let heard = |flows: &Vec<Flow>, knows_last_hop: bool, one_way: bool| {
        let mut fabric = crate::common::fat_tree(2, 16);
        if one_way {
            // A quarter of the rate up: the uplinks trim.
            fabric.ports.iter_mut().filter(|port| port.name.starts_with("tor0.up")).for_each(
                |port| {
                    port.rate = Rate::gbps(100);
                },
            );
        }
        let mut plan = crate::common::plan(fabric, flows.clone().into(), "ops", 1);
        plan.queue.overflow = Overflow::Trim;
        type Build = fn(&FlowContext) -> Box<dyn PathSelector + Send>;
        let build: Build = match knows_last_hop {
            false => |_| Box::new(Hearing::<false>(Counting(0))),
            true => |_| Box::new(Hearing::<true>(Counting(0))),
        };
        plan.transport.load_balance = Config::Custom(Plugin::new(&CARD, build));
        let outcome = engine::run(&plan, &mut ());
        assert_eq!(outcome.stop, Stop::Completed);
        let slow = reference::run(&plan, &mut ());
        assert_eq!((&outcome.flows, &outcome.timeline), (&slow.flows, &slow.timeline));
        let trimmed: u64 = outcome.ports.iter().map(|port| port.trimmed).sum();
        assert!(trimmed > 0);
        (outcome.timeline.events.len() as u64, trimmed)
    };
    let (all, trimmed) = heard(&into_one, false, false);
    assert_eq!(all, trimmed);
    assert_eq!(heard(&into_one, true, false).0, 0);
    let (all, trimmed) = heard(&over_one, true, true);
    assert_eq!(all, trimmed);
}

/// Queue lengths that a switch scheme reads are those of the moment, in both engines.
#[test]
fn a_switch_scheme_reads_queues_as_they_are() {
    let mut plan =
        crate::common::permutation(crate::common::fat_tree(3, 16), Bytes::kib(512), "ops", 2);
    let build = |_: &SwitchContext| -> Box<dyn PortSelector + Send> { Box::new(Shortest) };
    plan.switch_load_balance = switch::Config::Custom(Plugin::new(&SHORTEST_CARD, build));
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let slow = reference::run(&plan, &mut ());
    assert_eq!((outcome.flows, outcome.ports), (slow.flows, slow.ports));
}

struct Pretending;

impl PortSelector for Pretending {
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        Shortest.select(cx, packet, choices)
    }

    fn is_stateless(&self) -> bool {
        true
    }
}

/// It would be told of queues that earlier packets have not joined yet.
#[test]
#[cfg_attr(debug_assertions, should_panic = "a scheme that says it is stateless reads queues")]
fn a_switch_scheme_that_reads_queues_cannot_say_it_is_stateless() {
    let mut plan =
        crate::common::permutation(crate::common::fat_tree(3, 16), Bytes::kib(64), "ops", 2);
    let build = |_: &SwitchContext| -> Box<dyn PortSelector + Send> { Box::new(Pretending) };
    plan.switch_load_balance = switch::Config::Custom(Plugin::new(&SHORTEST_CARD, build));
    engine::run(&plan, &mut ());
}

const TICKING_CARD: Card = Card {
    name: "ticking",
    title: "One packet at a time, and a timer",
    paper: "-",
    needs: &[],
    summary: "Notes an event 1 us after each ACK.",
};

struct Ticking(Option<Time>);

impl CongestionControl for Ticking {
    fn on_ack(&mut self, cx: &mut Cx<'_>, _ack: &Ack) {
        self.0 = Some(cx.now + Span::us(1));
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}

    fn next_timer(&self) -> Option<Time> {
        self.0
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        self.0 = None;
        cx.events.event(cx.now, "tick");
    }

    fn limits(&self) -> Limits {
        Limits { window: Bytes(4160), rate: None }
    }
}

/// Its timer comes before the retransmission timeout that the host is waiting for.
#[test]
fn a_congestion_control_is_woken_when_it_asks() {
    let flow = Flow::at_zero(0, 15, Bytes(4 * 4096));
    let mut plan =
        crate::common::plan(crate::common::fat_tree(2, 16), vec![flow].into(), "ecmp", 1);
    let build = |_: &FlowContext| -> Box<dyn CongestionControl + Send> { Box::new(Ticking(None)) };
    plan.transport.congestion = congestion::Config::Custom(Plugin::new(&TICKING_CARD, build));
    let outcome = engine::run(&plan, &mut ());
    let rtt = plan.fabric.base_rtt(HostId(0), HostId(15), plan.packet(), plan.transport.ack);
    let tick = |acks: u64| (Time(acks * rtt.0) + Span::us(1), FlowId(0), "tick".into());
    assert_eq!(outcome.timeline.events, [tick(1), tick(2), tick(3)]);
    assert_eq!(reference::run(&plan, &mut ()).timeline, outcome.timeline);
}
