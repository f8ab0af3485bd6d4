//! Routes of a plan made by hand are those of its fabric.

use crate::common::{fat_tree, plan};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::plan::Plan;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::topology::routing::{Forwarding, Table, TreeSwitch};
use raddle_sim::workload::Flow;

/// One small flow in a small tree.
fn small() -> Plan {
    plan(fat_tree(2, 16), vec![Flow::at_zero(0, 3, Bytes(10_000))].into(), "ops", 1)
}

/// Asserts that routes are refused with these words, once `spoil` has had them.
fn misfit(plan: &Plan, spoil: impl FnOnce(&mut Plan), words: &str) {
    let mut plan = plan.clone();
    assert_eq!(plan.check_limits(), Ok(()));
    spoil(&mut plan);
    let error = plan.check_limits().map_err(|error| error.to_string());
    assert_eq!(error, Err(words.to_owned()));
}

#[test]
fn routes_are_those_of_the_fabric_from_time_zero_on() {
    let plan = small();
    misfit(&plan, |plan| plan.routes.clear(), "there are no routes at time zero");
    misfit(&plan, |plan| plan.routes[0].0 = Time(1), "there are no routes at time zero");
    let add = |plan: &mut Plan, at| plan.routes.push((Time(at), plan.routes[0].1.clone()));
    misfit(
        &plan,
        |plan| [0, 2_000_000, 1_000_000].into_iter().for_each(|at| add(plan, at)),
        "routes from 1 us on stand behind later ones",
    );
    let known =
        |plan: &mut Plan| plan.known_routes = vec![(Time(5), plan.routes[0].1.clone().into())];
    misfit(&plan, known, "there are no routes at time zero");
}

#[test]
fn switches_of_a_tree_forward_to_ports_of_their_own() {
    let plan = small();
    fn tree(plan: &mut Plan) -> &mut Vec<TreeSwitch> {
        let Forwarding::Tree(switches) = &mut plan.routes[0].1 else { panic!("a tree") };
        switches
    }
    misfit(
        &plan,
        |plan| tree(plan).truncate(7),
        "routes from 0 ps on: `switches` has 7 entries; expected 8",
    );
    let words = "routes from 0 ps on: switch `tor0` has not all the ports it is to use";
    misfit(&plan, |plan| tree(plan)[0].up_count += 1, words);
    misfit(&plan, |plan| tree(plan)[0].up_count = 0, words);
    misfit(&plan, |plan| tree(plan)[0].down_first.0 -= 1, words);
    misfit(&plan, |plan| tree(plan)[0].parallel = 2, words);
    misfit(&plan, |plan| tree(plan)[0].hosts_per_down = 0, words);
    misfit(&plan, |plan| tree(plan)[0].hosts_low = 99, words);
}

#[test]
fn a_table_of_routes_has_rows_and_ports_that_there_are() {
    let ends = Dumbbell {
        hosts_per_side: 2,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: Rate::gbps(400),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ns(500),
    };
    let flows = vec![Flow::at_zero(0, 3, Bytes(10_000))].into();
    let plan = plan(ends.build().unwrap(), flows, "ops", 1);
    fn table(plan: &mut Plan) -> &mut Table {
        let Forwarding::Table(table) = &mut plan.routes[0].1 else { panic!("a table") };
        table
    }
    let entry = |list: &str, place: u32| {
        format!("routes from 0 ps on: entry {place} of `{list}` names nothing there is")
    };
    let short = "routes from 0 ps on: `edge_of` has 3 entries; expected 4";
    misfit(&plan, |plan| table(plan).edge_of.truncate(3), short);
    misfit(&plan, |plan| table(plan).edge_of[2].0 = 2, &entry("edge_of", 2));
    misfit(&plan, |plan| table(plan).column[1] = 2, &entry("column", 1));
    misfit(&plan, |plan| table(plan).host_port[0] = Some(PortId(0)), &entry("host_port", 0));
    misfit(&plan, |plan| table(plan).groups[0] = 99, &entry("groups", 0));
    misfit(&plan, |plan| table(plan).ports[0] = PortId(0), &entry("ports", 0));
    misfit(&plan, |plan| table(plan).ports[0] = PortId(99), &entry("ports", 0));
    misfit(
        &plan,
        |plan| table(plan).groups.swap(1, 2),
        "routes from 0 ps on: switch `left` has not all the ports it is to use",
    );
}
