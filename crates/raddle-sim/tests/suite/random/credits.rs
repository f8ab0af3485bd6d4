//! Plans whose links have credits, some of which lose frames.

use super::choices::Choices;
use super::drawn::{plan_with_retry, slow_down};
use super::{plan, without_idle_host_queue};
use raddle_schemes::buffer;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{BufferPlan, Cbfc, Per, Plan, Service};

/// A plan whose links have credits, with retry and noise or without.
pub(crate) fn plan_with_credits(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(30));
    let mut choices = Choices::new(own);
    let mut plan = if choices.below(2) == 1 { plan_with_retry(others) } else { plan(others) };
    (plan.fabric.circuits, plan.tor, plan.queue.pfc, plan.buffer) = (None, None, None, None);
    if plan.queue.service == Service::Fifo {
        plan.queue.service = Service::Priority;
    }
    if plan.queue.classes > Cbfc::CLASSES {
        let classes = Cbfc::CLASSES;
        let queue = &mut plan.queue;
        queue.classes = classes;
        queue.shares.truncate(classes.into());
        queue.class_markings.truncate(classes.into());
        queue.acks.truncate(classes.into());
        plan.traffic.flows.iter_mut().for_each(|flow| flow.class = flow.class.min(classes - 1));
    }
    slow_down(&mut choices, &mut plan);
    let few = |packets| Some(Size::Packets(packets));
    plan.queue.cbfc = Some(Cbfc {
        cell: Bytes(choices.pick(&[256, 32, 2048, 128])),
        overhead: choices.pick(&[0, 20, -16, 127]),
        credits: choices.pick(&[None, few(2.0), few(1.0), few(5.0), few(30.0)]),
        cf_spacing: Bytes(choices.pick(&[6400, 800, 2000])),
        cf_refresh: Bytes(choices.pick(&[262_144, 16_384, 1 << 20])),
        cc: choices.pick(&[Span::us(256), Span::us(1), Span::us(20), Span(7_654_321)]),
    });
    for way_out in 0..3 {
        if !matches!(plan.check_limits(), Err(LimitError::CreditsOf { .. })) {
            break;
        }
        let Some(cbfc) = &mut plan.queue.cbfc else { break };
        match way_out {
            // Too few for an ACK that is larger than a packet, or too many.
            0 => cbfc.credits = None,
            1 => cbfc.cell = Bytes(2048),
            _ => plan.queue.cbfc = None,
        }
    }
    if choices.below(3) == 1 {
        let size = Size::Bytes(Bytes::mib(1024));
        let policy = buffer::Config::named("complete_sharing").expect("it is listed");
        plan.buffer = Some(BufferPlan { size, policy, per: Per::Switch });
    }
    without_idle_host_queue(&mut plan);
    plan
}
