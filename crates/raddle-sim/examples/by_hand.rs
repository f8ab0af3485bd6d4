//! A plan by hand: 16 hosts in a fat tree, two jobs, an uplink that dies, and a path selector of our own
//! that is seen at work. `cargo run --release -p raddle-sim --example by_hand`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use raddle_schemes::family::{Card, Plugin};
use raddle_schemes::ids::{Entropy, FlowId};
use raddle_schemes::load_balance::host::{self, Fate, Feedback, Outgoing, PathSelector};
use raddle_schemes::probe::Probes;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Cx, FlowContext};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::probes::ProbePlan;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Start};
use raddle_sim::{check, engine, reference};
use std::error::Error;

static CARD: Card = Card {
    name: "fickle",
    title: "Fickle",
    paper: "none: an example",
    needs: &[],
    summary: "Keeps a path until a packet on it is marked or lost, then draws another.",
};

struct Fickle {
    path: Option<Entropy>,
    moves: u64,
}

impl PathSelector for Fickle {
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        *self.path.get_or_insert_with(|| Entropy(cx.rng.below(1 << 16) as u16))
    }

    fn on_feedback(&mut self, _cx: &mut Cx<'_>, news: &Feedback) {
        if news.fate != Fate::Clean && self.path.take_if(|path| *path == news.path).is_some() {
            self.moves += 1;
        }
    }

    fn probes(&self, to: &mut dyn Probes) {
        to.count("moves", self.moves);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let fabric = TreeShape::fat_tree(2, 16, Rate::gbps(400), link, switch)?.build()?;
    // Host i sends to host i + 8; a second job begins later.
    let flow = |from: u32, at: Time| Flow {
        start: Start::At(at),
        ..Flow::at_zero(from, (from + 8) % 16, Bytes::kib(512))
    };
    let later = Time::ZERO + Span::us(30);
    let first = (0..8).map(|host| flow(host, Time::ZERO));
    let flows: Vec<Flow> = first.chain((8..16).map(|host| flow(host, later))).collect();

    let mut plan = Plan::new(fabric, flows.into(), 1);
    let fickle: Plugin<FlowContext, dyn PathSelector + Send> =
        Plugin::new(&CARD, |_| Box::new(Fickle { path: None, moves: 0 }));
    plan.transport.load_balance = host::Config::Custom(fickle);
    let dies = Fault {
        target: Target::Link { name: "tor0.up0".to_owned(), direction: Direction::Both },
        effect: Effect::Down,
        windows: vec![(Time::ZERO + Span::us(5), None)],
    };
    let faults = FaultPlan { faults: vec![dies], ..FaultPlan::default() };
    let resolved =
        faults.resolve(&plan.fabric, &[], plan.seed).map_err(|why| format!("{why:?}"))?;
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
    plan.record.probes = ProbePlan {
        words: vec!["moves".to_owned(), "window".to_owned()],
        flows: vec![FlowId(0)],
        every: Span::us(2),
    };
    plan.check_limits()?;

    let outcome = engine::run(&plan, &mut ());
    assert_eq!(reference::run(&plan, &mut ()).flows, outcome.flows, "both engines agree");
    assert!(check::violations(&plan, &outcome).is_empty(), "nothing is lost on the way");
    println!("{:?} after {}", outcome.stop, outcome.end);
    for (id, flow) in (0..).zip(outcome.flows.iter()) {
        let took = flow.acked.zip(flow.started).map(|(end, start)| end - start);
        let took = took.map_or_else(|| "unfinished".to_owned(), |took| took.to_string());
        println!("flow {id:2}: {took}, {} sent, {} lost", flow.sent, flow.dropped);
    }
    for row in &outcome.probes {
        println!("{} {} = {} {}", row.at, row.probe, row.value, row.unit.word());
    }
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
