//! One outcome from what the parts of a run leave behind.

use super::workers::Ended;
use crate::host::Hosts;
use crate::plan::Plan;
use crate::record::deadlock::circle;
use crate::record::followers::in_order;
use crate::record::recorder::{Recorded, Recorder};
use crate::record::{
    CreditFrames, CreditRecord, Outcome, PortRecord, RetryRecord, ScaleUpRecord, Stop, TorRecord,
};

pub(in crate::engine) fn outcome(plan: &Plan, (parts, ending, end): Ended<'_>) -> Outcome {
    let mut ports = vec![PortRecord::default(); plan.fabric.ports.len()];
    let mut recorder = Recorder::new(plan);
    let number = parts.len() as u32;
    let (mut in_flight_data, mut events) = (0, 0);
    let mut credit_frames = CreditFrames::default();
    let mut hosts = Vec::with_capacity(parts.len());
    let mut lost_on_arrival = Vec::new();
    let memories = plan.shared_buffer().map_or(0, |_| plan.fabric.switches.len());
    let mut memory_bytes_max = vec![0; memories];
    let tors = plan.tor.as_ref().map_or(0, |_| plan.fabric.switches.len());
    let mut tors = vec![TorRecord::default(); tors];
    let (mut pools, mut training, mut probes) = (Vec::new(), Vec::new(), Vec::new());
    let retries = plan.llr.map_or(0, |_| ports.len());
    let mut retries = vec![RetryRecord::default(); retries];
    let (mut pausing, mut waiting) = (vec![0; ports.len()], Vec::new());
    let mut credits = vec![CreditRecord::default(); plan.queue.cbfc.map_or(0, |_| ports.len())];
    // As pauses do, each names the far end of the link that waits.
    let mut withheld = vec![0; ports.len()];
    let servers = plan.fabric.scale_up.map_or(0, |_| plan.fabric.hosts as usize);
    let mut scale_up = vec![ScaleUpRecord::default(); servers];
    for mut part in parts {
        probes.extend(part.probes());
        let (data, credit) = part.in_flight();
        in_flight_data += data;
        credit_frames.in_flight += credit;
        events += part.events;
        part.port_records().for_each(|(port, record)| ports[port.index()] = record);
        part.memories().for_each(|(switch, most)| memory_bytes_max[switch.index()] = most);
        pools.extend(part.pools());
        training.extend(part.training());
        if plan.queue.cbfc.is_some() {
            part.credits(end).for_each(|(port, record)| credits[port.index()] = record);
            for (port, classes) in part.without_credit() {
                withheld[plan.fabric.ports[port.index()].peer.index()] = classes;
            }
        }
        if plan.queue.pfc.is_some() || plan.queue.cbfc.is_some() {
            for (port, classes, data) in part.held() {
                pausing[port.index()] = classes;
                waiting.extend(data);
            }
        }
        part.retries().for_each(|(port, record)| retries[port.index()] = record);
        part.tors().for_each(|(switch, record)| tors[switch.index()] = record);
        lost_on_arrival.extend(part.world.lost_on_arrival);
        recorder.add(part.world.recorder);
        part.world.hosts.scale_up_records().for_each(|(host, own)| scale_up[host.index()] = own);
        hosts.push(part.world.hosts);
    }
    hosts.iter().for_each(|hosts| credit_frames.add(&hosts.credit_frames()));
    let (flows, nics, timeline, of_flows) = Hosts::finish(hosts);
    probes.extend(of_flows);
    ports.iter_mut().zip(nics).for_each(|(port, nic)| *port = nic);
    // Another part's port may have sent what was lost.
    for (port, losses) in lost_on_arrival {
        ports[port.index()].add_losses(&losses);
    }
    recorder.end_pauses(end, &pausing);
    let outside_openings = recorder.outside_openings();
    let late_frames = recorder.late_frames();
    let clipped_frames = recorder.clipped_frames();
    let stop = ending.with(&flows);
    let stopped = (stop != Stop::Completed).then_some(end);
    let Recorded { bucket, series, timeline, routes, progress, packets, occupancy } =
        recorder.finish(plan, timeline, &flows, stopped);

    for (port, classes) in ports.iter_mut().zip(&pausing) {
        port.pfc.iter_mut().for_each(|pfc| pfc.end(end, classes.count_ones()));
    }
    let stalled = matches!(stop, Stop::Stalled(_));
    let held = if plan.queue.cbfc.is_some() { &withheld } else { &pausing };
    let circle = || circle(&plan.fabric, held, &waiting);
    let deadlock = if stalled { circle() } else { Vec::new() };
    pools.sort_unstable_by_key(|(switch, _)| *switch);
    training.sort_unstable_by_key(|(switch, _)| *switch);
    Outcome {
        packet_hops: ports.iter().map(|port| port.frames).sum(),
        flows,
        ports,
        series,
        timeline,
        bucket,
        routes,
        progress,
        packets,
        occupancy,
        stop,
        end,
        in_flight_data,
        credit_frames,
        events,
        memory_bytes_max,
        pools: pools.into_iter().map(|(_, pools)| pools).collect(),
        training: training.into_iter().map(|(_, rows)| rows).collect(),
        deadlock,
        outside_openings,
        late_frames,
        retries,
        credits,
        scale_up,
        clipped_frames,
        tors,
        probes: in_order(probes),
        pieces: None,
        parts: number,
    }
}
