//! What switches can route, and what they can have beside each other.

use super::between;
use crate::outside::juggler;
use raddle_schemes::family::Raw;
use raddle_schemes::load_balance::switch;
use raddle_schemes::tor;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::Plan;
use raddle_sim::topology::routing::Forwarding;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

#[test]
fn hosts_below_a_switch_fit_the_compiled_division() {
    let hosts_below_spine = |plan: &mut Plan, hosts: u32| {
        let Forwarding::Tree(switches) = &mut plan.routes[0].1 else { panic!("a tree") };
        switches[4].hosts_high = switches[4].hosts_low + hosts;
        // Behind its four ports.
        switches[4].hosts_per_down = hosts.div_ceil(4);
    };
    between(
        |plan| hosts_below_spine(plan, 1 << 20),
        |plan| hosts_below_spine(plan, (1 << 20) + 1),
        LimitError::HostsBelow { switch: "spine0".to_owned(), hosts: (1 << 20) + 1 },
        "switch `spine0` has 1048577 hosts below it; at most 1048576 in a tree",
    );
}

#[test]
fn hosts_can_name_every_port_of_a_switch() {
    let spray_on_leaves_of = |plan: &mut Plan, spines| {
        let (rate, delay) = (Rate::gbps(400), Span::ns(500));
        let shape = TreeShape::leaf_spine(2, 2, spines, 1, rate, delay, delay).unwrap();
        let flows = vec![Flow::at_zero(0, 3, Bytes(10_000))];
        *plan = crate::common::plan(shape.build().unwrap(), flows.into(), "host_dr", 1);
    };
    between(
        |plan| spray_on_leaves_of(plan, 254),
        |plan| spray_on_leaves_of(plan, 255),
        LimitError::SourceRoute { switch: "tor0".to_owned(), ports: 257 },
        "switch `tor0` has 257 ports; at most 256 where hosts name the route",
    );
}

#[test]
fn middleware_is_not_beside_switches_that_look_at_queues_as_they_were() {
    between(
        |plan| plan.tor = Some(tor::Config::Custom(juggler::plugin())),
        |plan| {
            plan.switch_load_balance = switch::Config::named("adaptive_roce").unwrap();
            plan.switch_load_balance.set("mode", Raw::Text("artifact")).unwrap();
        },
        LimitError::Middleware,
        "middleware in ToRs beside switches that look at queues as they were before the instant; \
         only beside others",
    );
}
