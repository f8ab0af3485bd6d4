//! Random transports: every registered scheme, and parameters that make things happen.

use super::choices::Choices;
use crate::outside::{echo, sleeper};
use raddle_schemes::congestion::Pacing;
use raddle_schemes::congestion::cubic;
use raddle_schemes::congestion::dcqcn::{
    AlphaFrom, AlphaUpdate, Cnp, Cut, Losses, OnLoss, Profile,
};
use raddle_schemes::congestion::fixed_rate::{Pace, Slots};
use raddle_schemes::congestion::homa::Cutoffs;
use raddle_schemes::congestion::{ndp, powertcp};
use raddle_schemes::family::{ParameterError, Raw};
use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::recovery::erasure::Timeout;
use raddle_schemes::recovery::go_back_n::MuteAbout;
use raddle_schemes::recovery::mrc::{Gap, GapScope};
use raddle_schemes::recovery::{AckEntropies, Resend, tcp};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_schemes::{congestion, recovery};
use raddle_sim::plan::{Connections, NicOrder, PairOrder, Transport, TransportPlan, Turns};

pub(super) fn draw(choices: &mut Choices<'_>) -> TransportPlan {
    // 936 + 64 B take 100 ns at 80 Gbps, 4096 + 64 B 83.2 ns at 400 Gbps.
    let (payload, header, ack) = choices.pick(&[
        (936, 64, 100),
        (4096, 64, 64),
        (1000, 40, 62),
        (300, 50, 50),
        (936, 64, 16),
    ]);
    TransportPlan {
        payload: Bytes(payload),
        header: Bytes(header),
        ack: Bytes(ack),
        load_balance: load_balance(choices),
        plane: plane::Config::named("hash").unwrap(),
        plane_repair: Span::ZERO,
        other_load_balances: match choices.below(3) {
            1 => vec![load_balance(choices)],
            _ => Vec::new(),
        },
        congestion: congestion(choices),
        recovery: recovery(choices),
        other_transports: Vec::new(),
        connections: choices.pick(&[Connections::Message, Connections::Pair]),
        pair_order: choices.pick(&[PairOrder::Parallel, PairOrder::Fifo]),
        nic: choices.pick(&[NicOrder::ControlFirst, NicOrder::RoundRobin]),
        turns: Turns::RoundRobin,
        host_queue: None,
        phase: choices.pick(&[Span::ZERO, Span(1), Span::us(1), Span(123_456)]),
    }
}

/// Transports that keep many packets under way.
pub(super) fn draw_busy(choices: &mut Choices<'_>) -> TransportPlan {
    let schemes = ["ops", "reps", "ecmp", "subflow", "flowlet"];
    let load_balance = host::Config::named(choices.pick(&schemes)).unwrap();
    let congestion = match choices.below(3) {
        0 => congestion::Config::named("mprdma_dctcp").unwrap(),
        1 => congestion::Config::named("fixed_rate").unwrap(),
        _ => congestion(choices),
    };
    let plain = draw(choices);
    TransportPlan { load_balance, other_load_balances: Vec::new(), congestion, ..plain }
}

/// Those that only some flows have.
pub(super) fn other_transports(choices: &mut Choices<'_>) -> Vec<Transport> {
    let count = choices.pick(&[0, 0, 1, 2]);
    let mut draw = |_| {
        let (congestion, recovery) = (congestion(choices), recovery(choices));
        // One of another crate, too.
        match choices.below(4) {
            1 => sleeper::transport(recovery),
            _ => Transport { congestion, recovery },
        }
    };
    (0..count).map(&mut draw).collect()
}

fn load_balance(choices: &mut Choices<'_>) -> host::Config {
    of_these(choices, |_| true)
}

/// A path selector that names planes.
pub(super) fn naming_planes(choices: &mut Choices<'_>) -> host::Config {
    of_these(choices, host::Config::names_planes)
}

/// Of a scheme's words the first, its default, is the plainest.
fn of_these(choices: &mut Choices<'_>, keeps: impl Fn(&host::Config) -> bool) -> host::Config {
    let all = host::SCHEMES.iter().map(|scheme| host::Config::named(scheme.card.name).unwrap());
    let all: Vec<_> = all.filter(keeps).collect();
    let mut config = choices.pick(&all);
    for parameter in config.parameters().iter().filter(|parameter| parameter.kind == "word") {
        let refused = config.set(parameter.name, Raw::Text("no such word"));
        let Err(ParameterError::Word(words)) = refused else { continue };
        config.set(parameter.name, Raw::Text(choices.pick(&words))).unwrap();
    }
    match &mut config {
        host::Config::Plb(plb) => {
            plb.window = choices.pick(&[None, Some(1), Some(4)]);
            plb.hold = choices.pick(&[None, Some(0), Some(3)]);
        }
        host::Config::Mrc(mrc) => {
            mrc.active = choices.pick(&[128, 1, 5, 16]);
            mrc.backup = choices.pick(&[64, 0, 3, 8]);
            mrc.min_active = choices.pick(&[0.25, 0.0, 1.0]);
            mrc.late_ack_revives = choices.below(4) == 1;
            mrc.probes = choices.pick(&[3, 1]);
            mrc.repeat = choices.below(3) == 1;
            mrc.remap_delay = choices.pick(&[Span(0), Span::us(7)]);
            mrc.probe_interval = choices.pick(&[None, Some(Span::us(2)), Some(Span(777_777))]);
        }
        host::Config::Flowlet(flowlet) => {
            flowlet.gap = choices.pick(&[None, Some(Span::us(1)), Some(Span::ZERO)]);
            flowlet.hold = choices.pick(&[None, Some(Span::ZERO)]);
        }
        _ => {}
    }
    config
}

fn congestion(choices: &mut Choices<'_>) -> congestion::Config {
    let names: Vec<_> = congestion::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    // One of another crate, too.
    let own = choices.below(names.len() as u32 + 1) as usize;
    let Some(name) = names.get(own) else { return congestion::Config::Custom(echo::plugin()) };
    let mut config = congestion::Config::named(name).unwrap();
    match &mut config {
        congestion::Config::FixedRate(fixed) => {
            let rate = choices.pick(&[None, Some(80), Some(37), Some(10)]).map(Rate::gbps);
            fixed.rate = rate.map_or(Pace::Line, Pace::At);
            fixed.slots = choices.pick(&[Slots::Together, Slots::Spread, Slots::Shuffled]);
            fixed.pacing = choices.pick(&[Pacing::Spacing, Pacing::Slots]);
            fixed.window = choices.pick(&[Size::Unlimited, Size::Packets(3.0), Size::Bdp(1.0)]);
        }
        congestion::Config::Eqds(eqds) => {
            eqds.initial_window = choices.pick(&[Size::Bdp(1.0), Size::Packets(1.0)]);
            eqds.max_window = choices.pick(&[Size::Bdp(1.5), Size::Packets(2.0)]);
            eqds.packets_per_pull = choices.pick(&[4, 1]);
            eqds.retry = choices.pick(&[None, Some(Span::us(3))]);
        }
        congestion::Config::Ndp(ndp) => {
            ndp.initial_window = choices.pick(&[Size::Packets(20.0), Size::Packets(2.0)]);
            ndp.pull_rate = choices.pick(&[1.0, 0.7]);
            ndp.packets_per_pull = choices.pick(&[1, 3]);
            ndp.pacer = choices.pick(ndp::Pacer::ALL);
            ndp.retry = choices.pick(&[None, Some(Span::us(3))]);
        }
        congestion::Config::Homa(homa) => {
            homa.rtt_bytes =
                choices.pick(&[Size::Bdp(1.0), Size::Packets(1.0), Size::Packets(4.0)]);
            homa.overcommitment = choices.pick(&[None, Some(1), Some(2)]);
            homa.unscheduled_classes = choices.pick(&[Some(2), Some(1), Some(6), None]);
            let sizes = vec![Bytes(900), Bytes(5_000), Bytes(5_000)];
            homa.cutoffs = choices.pick(&[Cutoffs::Auto, Cutoffs::At(sizes)]);
            homa.resend = choices.pick(&[None, Some(Span::us(3)), Some(Span(777_777))]);
        }
        congestion::Config::Dcqcn(dcqcn) => {
            dcqcn.profile = choices.pick(Profile::ALL);
            dcqcn.cnp = choices.pick(&[Some(Cnp::Frame), Some(Cnp::Echo), None]);
            dcqcn.cnp_interval = choices.pick(&[Some(Span::us(1)), Some(Span(777_777)), None]);
            dcqcn.cnp_delay = choices.pick(&[Span::ZERO, Span(333_333), Span::us(2)]);
            dcqcn.cut = choices.pick(&[None, Some(Cut::AtOnce), Some(Cut::Polled)]);
            dcqcn.cut_interval = choices.pick(&[None, Some(Span::ns(700)), Some(Span(1))]);
            dcqcn.alpha_update =
                choices.pick(&[None, Some(AlphaUpdate::Timer), Some(AlphaUpdate::Cnp)]);
            dcqcn.alpha_from = choices.pick(AlphaFrom::ALL);
            dcqcn.alpha_interval = choices.pick(&[None, Some(Span::ns(500))]);
            let soon = [Some(Span::us(3)), None, Some(Span::ns(400))];
            dcqcn.increase_interval = choices.pick(&soon);
            let few = [None, Some(Size::Packets(2.0)), Some(Size::Bytes(Bytes(100)))];
            dcqcn.byte_counter = choices.pick(&few);
            dcqcn.increase = choices.pick(&[None, Some(Rate::gbps(3))]);
            dcqcn.min_rate = choices.pick(&[Rate::gbps(1), Rate(1)]);
            dcqcn.on_loss = choices.pick(OnLoss::ALL);
            let losses = Losses::ALL.iter().copied().map(Some).chain([None]).collect::<Vec<_>>();
            dcqcn.losses = choices.pick(&losses);
            dcqcn.window = choices.pick(&[Size::Unlimited, Size::Packets(3.0), Size::Bdp(1.0)]);
        }
        congestion::Config::Nscc(nscc) => {
            nscc.target = choices.pick(&[None, Some(Span::us(1)), Some(Span::ns(100))]);
            nscc.delay_gain = choices.pick(&[0.0125, 1.0]);
        }
        congestion::Config::Hpcc(hpcc) => {
            hpcc.base_rtt = choices.pick(&[None, Some(Span::us(10))]);
            hpcc.every = choices.pick(powertcp::Every::ALL);
            hpcc.min_rate = Rate::gbps(choices.pick(&[1, 20]));
        }
        congestion::Config::Powertcp(power) => {
            power.profile = choices.pick(&[powertcp::Profile::Thesis, powertcp::Profile::Ns3]);
            power.base_rtt = choices.pick(&[None, Some(Span::us(10))]);
            power.every = choices.pick(powertcp::Every::ALL);
            power.increase = Rate::gbps(choices.pick(&[1, 20]));
            let (stored, counted) = (powertcp::FirstAck::Stored, powertcp::FirstAck::Counted);
            power.first_ack = choices.pick(&[None, Some(stored), Some(counted)]);
            power.initial_window =
                choices.pick(&[None, Some(Size::Packets(1.0)), Some(Size::Bdp(3.0))]);
        }
        congestion::Config::ThetaPowertcp(theta) => {
            theta.profile = choices.pick(&[powertcp::Profile::Thesis, powertcp::Profile::Ns3]);
            theta.increase = Rate::gbps(choices.pick(&[1, 20]));
        }
        congestion::Config::Cubic(cubic) => {
            cubic.profile = choices.pick(cubic::Profile::ALL);
            cubic.hystart = choices.pick(&[None, Some(true)]);
            cubic.reno_friendly = choices.pick(&[None, Some(false)]);
        }
        congestion::Config::Timely(timely) => {
            timely.low = choices.pick(&[Span::us(50), Span::us(9)]);
            timely.min_rate = Rate::gbps(choices.pick(&[1, 20]));
            timely.window = choices.pick(&[Size::Bdp(1.0), Size::Unlimited]);
        }
        _ => {}
    }
    config
}

fn recovery(choices: &mut Choices<'_>) -> recovery::Config {
    let names: Vec<_> = recovery::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    let mut config = recovery::Config::named(choices.pick(&names)).unwrap();
    let times = [Some(Span::us(10)), None, Some(Span(3_141_592)), Some(Span::us(2))];
    let timeout = choices.pick(&times);
    match &mut config {
        recovery::Config::Sack(sack) => {
            sack.rto = timeout;
            sack.ack_every = choices.pick(&[1, 2, 4, 16]);
            sack.ack_entropies = choices.pick(&[AckEntropies::Trigger, AckEntropies::Carry]);
            sack.reorder_threshold = choices.pick(&[None, Some(0), Some(3)]);
        }
        recovery::Config::Erasure(erasure) => {
            let never = choices.pick(&[Timeout::Auto, Timeout::Never]);
            erasure.timeout = timeout.map_or(never, Timeout::After);
        }
        recovery::Config::RnicSr(rnic) => {
            rnic.rto = timeout.unwrap_or(rnic.rto);
            rnic.resend = choices.pick(Resend::ALL);
            rnic.window = choices.pick(&[512, 3, 40, 1]);
        }
        recovery::Config::TimeoutOnly(silent) => {
            silent.rto = timeout.unwrap_or(silent.rto);
            silent.resend = choices.pick(Resend::ALL);
            silent.window = choices.pick(&[512, 3, 40, 1]);
        }
        recovery::Config::GoBackN(back) => {
            back.rto = timeout.unwrap_or(back.rto);
            back.mute = choices.pick(&[None, Some(Span::ZERO), Some(Span(2_345_678))]);
            back.mute_about = choices.pick(MuteAbout::ALL);
        }
        recovery::Config::Tcp(tcp) => {
            tcp.profile = choices.pick(tcp::Profile::ALL);
            tcp.min_rto = timeout.unwrap_or(tcp.min_rto);
            tcp.initial_rto = choices.pick(&[None, Some(Span::us(20)), Some(Span(1_234_567))]);
            tcp.max_rto = choices.pick(&[None, Some(tcp.min_rto)]);
        }
        recovery::Config::Mrc(mrc) => {
            mrc.rto = timeout;
            mrc.tail = choices.pick(&[3.0, 0.0, 0.5]);
            mrc.tail_margin = choices.pick(&[None, Some(Span::ZERO)]);
            mrc.linear = choices.pick(&[None, Some(0), Some(2)]);
            mrc.gap = choices.pick(Gap::ALL);
            mrc.gap_scope = choices.pick(GapScope::ALL);
            mrc.gap_least = choices.pick(&[5, 1, 20]);
            mrc.mpr = choices.pick(&[None, Some(1)]);
        }
        _ => {}
    }
    config
}
