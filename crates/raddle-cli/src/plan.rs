//! `raddle plan`: which path each message of a scenario takes, for whoever is to set them up.

use super::output::print_line;
use super::{End, ScenarioArguments, input};
use raddle_schemes::ids::FlowId;
use raddle_sim::plan::Plan;
use raddle_sim::workload::pieces::Pieces;
use raddle_sim::workload::{Flow, Start};
use serde_json::{Value, json};

/// Arguments of `raddle plan`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Plan with this seed instead of the scenario's first.
    #[arg(long)]
    seed: Option<u64>,
    /// Batches to show: messages that one host starts together.
    #[arg(long, default_value_t = 4)]
    batches: usize,
    /// Print one JSON object (`raddle.plan/1`) with all batches asked for and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn plan(arguments: &Arguments) -> End {
    let study = match input::load(&arguments.scenario) {
        Ok(study) => study,
        Err(end) => return end,
    };
    let [cell] = &study.cells[..] else {
        let cells = study.cells.len();
        return input::refuse_text(&format!(
            "the scenario is a sweep of {cells}; `--set PATH=VALUE` chooses one"
        ));
    };
    let seed = arguments.seed.or(study.seeds.first().copied()).unwrap_or(1);
    let plan = match cell.scenario.resolve(seed) {
        Ok(plan) => plan,
        Err(problem) => return input::refuse(&study.problem(problem)),
    };
    let pieces = plan.traffic.pieces.as_deref();
    let Some((pieces, planner)) = pieces.and_then(|own| Some((own, own.planner.as_ref()?))) else {
        return input::refuse_text(
            "the scenario has no planner; set [transport] `planner = { scheme = \"ethereal\" }` and \
             [fabric] `load_balance = { scheme = \"source_route\" }`",
        );
    };
    let batches = plan.batches_of_messages();
    let shown = &batches[..batches.len().min(arguments.batches)];
    let (all, count) = (plan.traffic.flows.len(), pieces.count());
    let scheme = planner.card().name;
    if arguments.json {
        let shown: Vec<Value> = shown.iter().map(|batch| object(&plan, pieces, batch)).collect();
        print_line!(
            "{}",
            json!({
                "schema": "raddle.plan/1",
                "scenario": cell.scenario.hash(),
                "seed": seed,
                "planner": scheme,
                "flows": count,
                "split": pieces.split(),
                "pieces": all,
                "batches": batches.len(),
                "shown": shown,
            })
        );
        return End::Done;
    }
    print_line!("{}", cell.scenario.title());
    let split = pieces.split();
    print_line!("{scheme}: {count} flows, {split} of them split, {all} pieces, seed {seed}");
    for batch in shown {
        table(&plan, pieces, batch);
    }
    if shown.len() < batches.len() {
        print_line!("{} more batches; `--batches N` shows more", batches.len() - shown.len());
    }
    End::Done
}

/// When the messages of a batch start, as far as that is known.
fn start(flow: &Flow) -> String {
    match flow.start {
        Start::At(at) => format!("at {} us", at.as_us()),
        Start::After(_) => "when what it waits for is done".to_owned(),
    }
}

/// Number, bytes and path of each piece of a message.
fn placed<'p>(
    plan: &'p Plan,
    pieces: &'p Pieces,
    message: FlowId,
) -> impl Iterator<Item = (u32, u64, Option<&'p str>)> {
    pieces.of(message.index()).map(move |piece| {
        let flow = &plan.traffic.flows[piece as usize];
        let path = pieces.path(FlowId(piece));
        let port = path.map(|path| plan.fabric.up_port(flow.source, path).name.as_str());
        (piece, flow.bytes.0, port)
    })
}

fn table(plan: &Plan, pieces: &Pieces, batch: &[FlowId]) {
    let Some(first) = batch.first().map(|&flow| &pieces.messages.flows[flow.index()]) else {
        return;
    };
    let host = first.source.0;
    print_line!("");
    print_line!("host {host}, {} flows {}", batch.len(), start(first));
    print_line!("{:>8}  {:>6}  {:>8}  {:>12}  path", "flow", "to", "piece", "bytes");
    for &message in batch {
        let to = pieces.messages.flows[message.index()].destination.0;
        for (piece, bytes, port) in placed(plan, pieces, message) {
            let port = port.unwrap_or("below its own switch");
            print_line!("{:>8}  {to:>6}  {piece:>8}  {bytes:>12}  {port}", message.0);
        }
    }
}

fn object(plan: &Plan, pieces: &Pieces, batch: &[FlowId]) -> Value {
    let flows = batch.iter().map(|&message| {
        let flow = &pieces.messages.flows[message.index()];
        let placed: Vec<Value> = placed(plan, pieces, message)
            .map(|(piece, bytes, port)| json!({"piece": piece, "bytes": bytes, "path": port}))
            .collect();
        json!({
            "flow": message.0,
            "to": flow.destination.0,
            "bytes": flow.bytes.0,
            "pieces": placed,
        })
    });
    let first = batch.first().map(|&flow| &pieces.messages.flows[flow.index()]);
    let at = first.and_then(|flow| match flow.start {
        Start::At(at) => Some(at.as_us()),
        Start::After(_) => None,
    });
    json!({
        "host": first.map(|flow| flow.source.0),
        "start_us": at,
        "flows": flows.collect::<Vec<_>>(),
    })
}
