"""Builders of scenarios: each gives the table of TOML that its name says, and knows its keys.

    from raddle import Scenario, build
    Scenario(
        fabric=build.fabric(topology=build.topology.fat_tree(hosts=128)),
        transport=build.transport(load_balance=build.host.reps(buffer=4)),
        traffic=build.traffic.permutation(message="1 MiB"),
    )

Times, rates and sizes are texts with a unit (`"500 ns"`, `"400 Gbps"`, `"8 MiB"`), as in a file; a
whole number where a size is meant is bytes (`message=1 << 20`). Where a key is a time or a rate, a
number without a unit is an error.
What is not given takes the default that docs/scenario.md names. Written by .ci/builders.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ._arguments import checked

Section = dict[str, Any]
"""A table of a scenario."""


def _given(**keys: Any) -> Section:
    # A trailing `_` keeps a key apart from a word of Python.
    return {key.rstrip("_"): value for key, value in keys.items() if value is not None}


SIZES = frozenset({
    "ack", "activation", "acts_above", "at_least", "below", "bulk", "byte_counter", "bytes",
    "bytes_max", "cell", "cf_refresh", "cf_spacing", "chunk", "congested_at",
    "congestion.window", "control_size", "credits", "cutoffs", "element", "expert_bytes",
    "expert_gradient", "fair_start", "gap", "gap_most", "gradient", "hash_below", "header",
    "headroom", "high", "host_queue", "ingress_pool", "initial_window", "large", "least_sent",
    "long_above", "lossless_pool", "low", "max_window", "message", "min_window", "parameters",
    "payload", "quantum", "queue", "reference", "reserved", "rtt_bytes", "scaling_max",
    "scaling_min", "short", "short_below", "size", "small", "spacing", "telemetry",
    "tensor_bytes", "threshold", "timestamp", "unscheduled", "up_to", "xoff", "xon",
    "xon_offset",
})
"""Keys in which a whole number is bytes."""


@checked
def fabric(
    *,
    topology: Mapping[str, Any],
    scale_up: Mapping[str, Any] | None = None,
    load_balance: Section | None = None,
    queue: Mapping[str, Any] | None = None,
    buffer: Section | None = None,
    tor: Section | None = None,
    llr: Mapping[str, Any] | None = None,
    gap: str | int | None = None,
    routing: Mapping[str, Any] | None = None,
    on_down: Literal["drop", "keep"] | None = None,
) -> Section:
    """Hosts, switches, cables, queues, routing.

    `topology`: see below.
    `scale_up` (none: each GPU is alone): servers of several GPUs, each with a crossbar.
    `load_balance` (`{ scheme = "ecmp" }`): how a switch picks among equal next hops.
    `queue` (all defaults): the queue of every switch port.
    `buffer` (none is shared): memory that the ports of a switch share.
    `tor`: middleware in the switches that have hosts.
    `llr` (no link sends again): link-level retry on every link.
    `gap` (`"0 B"`): idle bytes after each frame on every link (20 B for preamble and gap of
        Ethernet), at most 65535 B; no part of any occupancy.
    `routing` (all defaults): how long routing stays stale.
    `on_down` (`"drop"`): frames queued at a switch port whose link goes down: `drop` or
        `keep`.
    """
    return _given(
        topology=topology,
        scale_up=scale_up,
        load_balance=load_balance,
        queue=queue,
        buffer=buffer,
        tor=tor,
        llr=llr,
        gap=gap,
        routing=routing,
        on_down=on_down,
    )


@checked
def change(
    *,
    at: str,
    design: str | None = None,
    demand: str | None = None,
    design_seed: int | None = None,
) -> Section:
    """A schedule that follows another.

    `at`: when, as a period of the schedule before ends. All circuit switches turn then:
        nothing is open for `dark`.
    `design` (that before): who makes it.
    `demand` (that before): what it is made for.
    `design_seed` (that before): what the design draws depends on it.
    """
    return _given(at=at, design=design, demand=demand, design_seed=design_seed)


@checked
def scale_up(
    *,
    gpus: int | None = None,
    rate: str | None = None,
    latency: str | None = None,
    quantum: str | int | None = None,
) -> Section:
    """Servers of several GPUs, each with a crossbar that loses nothing: all messages between
    GPUs of a server go by it, and no others; see [training](training.md#servers-of-several-
    gpus). `scale_up = {}` has all defaults.

    `gpus` (`8`): GPUs of a server: so many hosts that are neighbours by number. With `kind
        = "rail"` as many as there.
    `rate` (`"3600 Gbps"`): of the port out of a GPU, and of its port in.
    `latency` (`"500 ns"`): from the port out of one to the port in of another, and of the
        answer back.
    `quantum` (`"64 KiB"`): what a port takes of a message before it is another's turn.
    """
    return _given(gpus=gpus, rate=rate, latency=latency, quantum=quantum)


@checked
def queue(
    *,
    size: str | int | None = None,
    control_size: str | int | None = None,
    service: Literal["priority", "fifo", "drr", "wrr"] | None = None,
    classes: int | None = None,
    quantum: Sequence[str | int] | None = None,
    weights: Sequence[int] | None = None,
    control_weight: int | None = None,
    marking: Section | None = None,
    markings: Sequence[Section] | None = None,
    last_hop_marking: Section | None = None,
    acks: Sequence[Literal["control", "data"]] | Literal["control", "data"] | None = None,
    overflow: Literal["drop", "trim"] | None = None,
    pfc: Mapping[str, Any] | None = None,
    cbfc: Mapping[str, Any] | None = None,
) -> Section:
    """The queue of every switch port.

    `size` (`"1 bdp"`): capacity of each data class, per port; at least a packet.
    `control_size` (`"unlimited"`): capacity for ACKs and NACKs (unless `acks` has them
        queue with data), trimmed headers and other control, per port; not with `service =
        "fifo"`.
    `service` (`"priority"`): `priority`: control first, then the data class with the
        highest number; `drr`, `wrr`: control first, data classes in turn, in bytes or in
        frames; `fifo`: one class for everything.
    `classes` (`1`): data classes, 1 to 8; flows name theirs in `[traffic]`.
    `quantum` (`"1 packets"` each): with `drr`: what each data class may send in a round,
        class 0 first; 64 B to 16 MiB.
    `weights` (`1` each): with `wrr`: frames that each data class may send in a round, class
        0 first.
    `control_weight` (all control first): after so many control frames that went while data
        waited, data has a turn; 10 for NDP's trimmed headers; not with `service = "fifo"`.
    `marking` (`{ scheme = "red", at = "dequeue" }`): which data frames get the congestion
        mark.
    `markings`: a marking for each data class, class 0 first, in place of that of `marking`,
        which keeps its `at`.
    `last_hop_marking` (that of `marking`): of ports to hosts, in place of that of
        `marking`, which keeps its `at`; `none` where MRC is run as in its paper. Not beside
        `markings`.
    `acks` (`"control"`): which queue ACKs and NACKs join: `control`, or `data`, that of
        their flow's class, where they are served, admitted and paused as its data; one for
        all data classes, or a list, class 0 first; not with `service = "fifo"`.
    `overflow` (`"drop"`): a data frame that does not fit: `drop`, or `trim` it to its
        header.
    `pfc` (no pauses): priority-based flow control.
    `cbfc` (no credits): credit-based flow control, in place of `pfc`.
    """
    return _given(
        size=size,
        control_size=control_size,
        service=service,
        classes=classes,
        quantum=quantum,
        weights=weights,
        control_weight=control_weight,
        marking=marking,
        markings=markings,
        last_hop_marking=last_hop_marking,
        acks=acks,
        overflow=overflow,
        pfc=pfc,
        cbfc=cbfc,
    )


@checked
def pfc(
    *,
    xoff: str | int | None = None,
    xon: str | int | None = None,
    quanta: str | None = None,
    links: Literal["all", "hosts"] | None = None,
    watchdog: str | None = None,
    restoration: str | None = None,
) -> Section:
    """Priority-based flow control.

    `xoff` (required, unless a `buffer` decides): pause above this; less than `size` and
        than the memory of a switch.
    `xon` (required, unless a `buffer` decides): go on at this or below; not above `xoff`.
    `quanta` (`"10 us"`): how long a pause lasts unless it is renewed, which it is after
        half of this; at least 1 ns.
    `links` (`"all"`): who is told to pause: `all` that send to a switch, or `hosts` alone.
    `watchdog`: a switch that is to pause a class for so long without a break sends it all
        the same ([model.md](model.md#flow-control)); switches in use have 200 ms; at least
        1 ns.
    `restoration` (that of `watchdog`): until no pause has been in force for so long; at
        least 1 ns.
    """
    return _given(
        xoff=xoff,
        xon=xon,
        quanta=quanta,
        links=links,
        watchdog=watchdog,
        restoration=restoration,
    )


@checked
def cbfc(
    *,
    cell: str | int | None = None,
    overhead: float | None = None,
    credits: str | int | None = None,
    cf_spacing: str | int | None = None,
    cf_refresh: str | int | None = None,
    cc: str | None = None,
) -> Section:
    """Credit-based flow control on every link to a switch, as Ultra Ethernet has it; `cbfc =
    {}` has all defaults.

    `cell` (`"256 B"`): what memory is counted in, a power of two: 32 B to 2048 B.
    `overhead` (`0`): bytes that a frame takes beside its own: a whole number from -16 to
        127.
    `credits` (`"auto"`): room of each data class for what comes in through a port, in bytes
        or packets, below 2^15 cells; `auto`: as much as full rate needs, two packets,
        `cf_spacing`, 8 B and what the link carries there and back.
    `cf_spacing` (`"6400 B"`): line time from one message about freed cells to the next, at
        least; not above `cf_refresh`.
    `cf_refresh` (`"256 KiB"`): line time after which a message about freed cells that was
        lost is repeated; at most 1 MiB.
    `cc` (`"256 us"`): a sender with cells out says so often how many it has consumed, which
        gives back those of frames that were lost; at most 250 ms.
    """
    return _given(
        cell=cell,
        overhead=overhead,
        credits=credits,
        cf_spacing=cf_spacing,
        cf_refresh=cf_refresh,
        cc=cc,
    )


@checked
def llr(
    *,
    frames_max: int | None = None,
    bytes_max: str | int | None = None,
    timer: str | None = None,
    replays_max: int | None = None,
    spacing: str | int | None = None,
    down_timeout: str | None = None,
    flush: Literal["discard", "block", "best_effort"] | None = None,
    reinit: bool | None = None,
    detect: Literal["own", "next"] | None = None,
    renack: bool | None = None,
    tax: Literal["none", "constant"] | None = None,
) -> Section:
    """Link-level retry on every link, as Ultra Ethernet has it; `llr = {}` has all defaults.

    `frames_max` (`524288`): most frames sent and not acknowledged, 1 to 524288.
    `bytes_max` (`"auto"`): most bytes of them, at least a packet; `auto`: as many as a link
        that loses nothing can fill, twice the largest frame, `spacing`, 8 B and what the
        link carries in the time of its cable there and back.
    `timer` (`"5 us"`): without an answer for this long, all is sent again; more than an
        answer takes.
    `replays_max` (`3`): so often in a row, and what the far end has not got is given up;
        255: without end.
    `spacing` (`"2048 B"`): line time from one answer to the next, at least.
    `down_timeout` (`"50 us"`): the same is given up when the link has been down for this
        long.
    `flush` (`"discard"`): what becomes of frames from then until the link has begun anew:
        the far end throws them away (`discard`), they wait (`block`), or they go without
        retry (`best_effort`).
    `reinit` (`true`): whether it begins anew, which takes the time of its cable there and
        back; if not, it goes on as `flush` says.
    `detect` (`"own"`): what the far end knows of a spoiled frame: its number, and it asks
        for it at once (`own`), or nothing, and it asks when the `next` comes.
    `renack` (`true`): whether it asks again when what it asked for is spoiled, too; with
        `detect = "own"`.
    `tax` (`"none"`): line rate that answers take: `none`, or `constant`, 8 B in each
        `spacing`.
    """
    return _given(
        frames_max=frames_max,
        bytes_max=bytes_max,
        timer=timer,
        replays_max=replays_max,
        spacing=spacing,
        down_timeout=down_timeout,
        flush=flush,
        reinit=reinit,
        detect=detect,
        renack=renack,
        tax=tax,
    )


@checked
def routing(
    *,
    convergence: str | None = None,
    local_repair: str | None = None,
    weights: Literal["capacity", "equal"] | None = None,
) -> Section:
    """How long routing stays stale.

    `convergence` (`"never"`): from a change of the fabric until every switch avoids what is
        down.
    `local_repair` (`"never"`): from a change of a link until the switch that sends into it
        avoids it by itself; shorter than `convergence`.
    `weights` (`"capacity"`): what equal next hops carry from then on: `capacity`, each as
        much as the paths behind it can (W-ECMP), or `equal`.
    """
    return _given(convergence=convergence, local_repair=local_repair, weights=weights)


@checked
def transport(
    *,
    payload: str | int | None = None,
    header: str | int | None = None,
    ack: str | int | None = None,
    load_balance: Section | None = None,
    plane: Section | None = None,
    plane_repair: str | None = None,
    planner: Section | None = None,
    congestion: Section | None = None,
    recovery: Section | None = None,
    connections: Literal["message", "pair"] | None = None,
    pair_order: Literal["parallel", "fifo"] | None = None,
    nic: Literal["control_first", "round_robin"] | None = None,
    turns: Literal["round_robin", "random_place", "random", "shortest"] | None = None,
    host_queue: str | int | None = None,
    host_queue_acks: bool | None = None,
    phase: str | None = None,
) -> Section:
    """The hosts.

    `payload` (`"4096 B"`): application bytes of a full packet.
    `header` (`"64 B"`): of a data packet; also the size of a trimmed one.
    `ack` (`"64 B"`): an ACK or NACK on the wire.
    `load_balance` (`{ scheme = "ops" }`): the path of every packet, as far as switches go
        by it ([model.md](model.md#paths)).
    `plane` (`{ scheme = "hash" }`): where hosts have several ports (`planes`,
        `tors_per_host`): the one that a packet leaves by ([below](#transport-plane));
        elsewhere it has no effect and is refused.
    `plane_repair` (`"0 ns"`): where hosts have several ports: from a change of a host's own
        link until the host knows of it.
    `planner`: gives the messages of each host their paths before the run, whole or in
        pieces ([below](#transport-planner)); `load_balance` is `planned` then, unless it is
        written.
    `congestion` (`{ scheme = "mprdma_dctcp" }`): window and rate.
    `recovery` (`{ scheme = "sack" }`): ACKs, loss detection, retransmission; beside `cubic`
        and `dctcp` it is `tcp` where none is written ([below](#tcps-recovery)).
    `connections` (`"message"`): `message`: each is a connection of its own; `pair`: what
        hosts learn outlives a message ([model.md](model.md#connections)).
    `pair_order` (`"parallel"`): messages from one host to another with the same class, path
        selector and transport: `parallel`, side by side, taking turns at the NIC; `fifo`,
        in the order in which they start, as on a queue pair: the first packet of one
        follows the last of the one before, without waiting for ACKs.
    `nic` (`"control_first"`): `control_first`, or `round_robin`: one control frame, one
        data frame in turn.
    `turns` (`"round_robin"`): which of the flows that may send has its turn at the NIC:
        `round_robin`, each behind those that could send before it; `random_place`, they go
        round in a random order that stays, as in a list of queue pairs into which each is
        put at random; `random`, any of them, drawn for each packet; `shortest`, the one
        with the shortest message, as senders of Homa do.
    `host_queue`: packets wait at hosts in a queue of this size, first in, first out, as in
        a kernel or its driver: a flow puts one in line as soon as its window and its pace
        allow and there is room; without it the NIC pulls. Flows of classes that flow
        control may pause are pulled all the same, in turn with the queue.
    `host_queue_acks` (`false`): whether ACKs and NACKs wait in `host_queue`, too, behind
        data; for them there is always room.
    `phase` (`"0 ns"`): each flow's start, by itself or by a trigger, is delayed by a
        uniform draw from zero to this.
    """
    return _given(
        payload=payload,
        header=header,
        ack=ack,
        load_balance=load_balance,
        plane=plane,
        plane_repair=plane_repair,
        planner=planner,
        congestion=congestion,
        recovery=recovery,
        connections=connections,
        pair_order=pair_order,
        nic=nic,
        turns=turns,
        host_queue=host_queue,
        host_queue_acks=host_queue_acks,
        phase=phase,
    )


@checked
def background(
    *,
    load_balance: Section,
    every: int | None = None,
    share: str | None = None,
) -> Section:
    """A share of the hosts that uses another path selector.

    `load_balance`: of the flows that they send.
    `every` (required, or `share`): the hosts whose numbers are multiples of this.
    `share` (required, or `every`): so many of the hosts, rounded to whole ones, drawn anew
        with each seed of the run, or of traffic that has its own: `"10%"`. `"0%"` is as if
        there were no `background`: the baseline of a sweep, and an error where no cell has
        another share.
    """
    return _given(load_balance=load_balance, every=every, share=share)


@checked
def by_size(
    *,
    algorithm: Literal["ring", "double_tree"],
    up_to: str | int | None = None,
) -> Section:
    """An algorithm of all-reduces up to a size.

    `algorithm`: `ring`, or `double_tree`: two trees over servers, with chains inside.
    `up_to` (none: all that are larger): up to which size, as nccl-tests counts it.
    """
    return _given(algorithm=algorithm, up_to=up_to)


@checked
def straggler(
    *,
    per: Literal["host", "step"],
    distribution: Literal["constant", "exponential", "lognormal"],
    time: str,
    share: str | None = None,
    sigma: float | None = None,
) -> Section:
    """Ranks that compute more slowly.

    `per`: `host`: what is drawn for a host it takes longer in all steps; `step`: drawn for
        each step of each host.
    `distribution`: of the extra time: `constant`, `exponential` or `lognormal`.
    `time`: the constant, the mean, or the median of the lognormal.
    `share` (`"100%"`): so many of the ranks, rounded to whole ones, drawn; per step, the
        chance of each; `"0%"` of them is as if there were no `straggler`, the baseline of a
        sweep.
    `sigma` (required with `lognormal`): standard deviation of the logarithm, over 0 and up
        to 4.
    """
    return _given(per=per, distribution=distribution, time=time, share=share, sigma=sigma)


@checked
def flow(
    *,
    from_: int,
    to: int,
    bytes: str | int,
    start: str | None = None,
    class_: int | None = None,
) -> Section:
    """One flow of a list.

    `from`: sending host.
    `to`: receiving host.
    `bytes`: size.
    `start` (`"0 ns"`): when it starts.
    `class` (the section's): its data class.
    """
    return _given(from_=from_, to=to, bytes=bytes, start=start, class_=class_)


@checked
def fault(
    *,
    link: str | None = None,
    direction: Literal["both", "out", "in"] | None = None,
    switch: str | None = None,
    host: str | int | None = None,
    random: Mapping[str, Any] | None = None,
    down: str | Sequence[str] | None = None,
    flap: Mapping[str, Any] | None = None,
    rate: str | None = None,
    scale_queue: bool | None = None,
    loss: float | None = None,
    ber: float | None = None,
    clock: str | None = None,
    during: str | None = None,
) -> Section:
    """What breaks, how, and when.

    `link`: a port's name, `"tor0.up1"`: the cable at that port, and with `*` for any
        characters those at all ports of such names, `"host*"`; of ToRs with circuits the
        uplink of that name, and all circuits over it, which can be down.
    `direction` (`"both"`): with `link`: `both`, `out` (what leaves that port, or that ToR
        over the uplink) or `in`.
    `switch`: a switch with all its cables, `"core3"`; or a circuit switch, `"rotor1"`, that
        is uplink 1 of all ToRs, which can be down.
    `host`: a host with its cable, by its number or its name: `5` or `"host5"`.
    `random`: cables between switches, or switches without hosts, drawn with the seed.
    `down`: cut in these windows, in order.
    `flap`: down again and again.
    `rate`: runs at this rate, `"100 Gbps"`, or at this share of its own, `"50%"`.
    `scale_queue` (`true`): with `rate`: capacity and marking thresholds shrink with the
        rate, down to a capacity of one packet.
    `loss`: probability that a frame is lost, 0 to 1.
    `ber`: probability that a bit is wrong, 0 to 1; a frame with a wrong bit is lost.
    `clock`: with `switch`, a ToR with circuits: how much its clock is behind, `"40 ns"`, or
        ahead, `"-40 ns"`. It opens circuits by its clock, and a packet of which some bit
        passes while the circuit is not up is lost; several of one ToR add up.
    `during` (`".."`): with `rate`, `loss` and `ber`: when.
    """
    return _given(
        link=link,
        direction=direction,
        switch=switch,
        host=host,
        random=random,
        down=down,
        flap=flap,
        rate=rate,
        scale_queue=scale_queue,
        loss=loss,
        ber=ber,
        clock=clock,
        during=during,
    )


@checked
def random(
    *,
    share: str | None = None,
    probability: float | None = None,
    of: Literal["cables", "switches"] | None = None,
    layer: Literal["tor_agg", "agg_core", "agg", "core"] | None = None,
    two_way: bool | None = None,
) -> Section:
    """Cables or switches drawn with the seed.

    `share` (required, or `probability`): of the cables or switches, rounded to a whole
        number of them; `"0%"` is as if there were no fault, the baseline of a sweep.
    `probability`: instead of `share`: each on its own, with this probability; how many
        varies with the seed.
    `of` (`"cables"`): `cables` between switches, or `switches` that have no hosts, each
        with all its cables.
    `layer` (all of them): of cables: `tor_agg` (ToRs and what is above them) or `agg_core`;
        of switches: `agg` (what is above ToRs, in two tiers the spines) or `core`.
    `two_way` (`true`): of cables: both directions of each, or one of them.
    """
    return _given(share=share, probability=probability, of=of, layer=layer, two_way=two_way)


@checked
def flap(
    *,
    period: str,
    down: str,
    until: str,
    first: str | None = None,
) -> Section:
    """Down again and again.

    `period`: from one time to the next.
    `down`: how long it stays down each time.
    `until`: not down at or after this.
    `first` (`"0 ns"`): the first time it goes down.
    """
    return _given(period=period, down=down, until=until, first=first)


@checked
def record(
    *,
    ports: Sequence[str] | None = None,
    bucket: str | None = None,
    map: bool | None = None,
    map_cells: int | None = None,
    queue_means: bool | None = None,
    training: bool | None = None,
    probes: Sequence[str] | None = None,
    probe_every: str | None = None,
    flows: Sequence[int] | str | None = None,
    packets: bool | None = None,
    sizes: Mapping[str, Any] | None = None,
) -> Section:
    """What is kept over time.

    `ports`: ports to record over time; `*` stands for any characters.
    `bucket` (`"20 us"`): width of a time bucket; of the default only if ports are given.
        With `map` where its width begins, by default at `1 us`.
    `map` (`false`): whether all ports are recorded over time, and which ports each flow's
        data left by: the table `routes`. Whenever the map is full, pairs of its buckets
        become one, so that it fits whatever a run takes.
    `map_cells` (`4000000`): most cells of the map: a port and a bucket is one.
    `queue_means` (`false`): whether the mean length of every queue is measured, exactly;
        `layers` in results tell it, and `series` of recorded ports in each bucket. Takes
        the engine longer.
    `training` (`false`): whether it is kept what each packet of data found in the memory of
        `longest_queue_drop`, and what became of it: the table `training`, from which
        `raddle train` makes the `oracle_file` of `credence`.
    `probes`: numbers that schemes show of their state over time, as in `["window",
        "alpha"]`, and `["*"]` for all that there are: the table `probes`. Of flows those in
        `flows`, of switches all.
    `probe_every` (`"0 ps"`): width of a time bucket, at whose end a probe is told that has
        changed; `0 ps` tells it at each instant.
    `flows`: flows whose packets and probes are kept: their numbers, as in `[0, 17]`;
        `"every 64th"`; `"job NAME"`, those of a job; `"slowest 5"`, which runs twice and
        keeps those that took longest; `"critical"`, which does the same with those that
        decide when jobs of ranks end, and with others beside them as far as a million
        packets go; or `"2%"`, each with this chance.
    `packets` (whether there are no `probes`): whether each packet of the `flows` is kept,
        hop by hop: the tables `packets` and `hops`.
    `sizes` (10 kB, 100 kB, 1 MB): which flows results tell apart as short, medium and long:
        `{ short_below = "100 kB", long_above = "1 MB" }`, and medium ones are all between.
        By default short ones are below 10 kB, medium ones from 100 kB to 1 MB, and long
        ones above.
    """
    return _given(
        ports=ports,
        bucket=bucket,
        map=map,
        map_cells=map_cells,
        queue_means=queue_means,
        training=training,
        probes=probes,
        probe_every=probe_every,
        flows=flows,
        packets=packets,
        sizes=sizes,
    )


@checked
def sizes(
    *,
    short_below: str | int,
    long_above: str | int,
) -> Section:
    """Which flows are short, and which are long.

    `short_below`: shorter flows are short.
    `long_above`: longer flows are long.
    """
    return _given(short_below=short_below, long_above=long_above)


@checked
def run(
    *,
    seed: int | None = None,
    end: str | None = None,
    patience: str | None = None,
) -> Section:
    """Seed, and when a run ends.

    `seed` (`1`): seed of every random stream.
    `end` (`"never"`): simulated time at which the run stops, finished or not.
    `patience` (`"auto"`): a run stops as stalled when for this long no new packet was
        delivered and nothing is scheduled that could change it; has to exceed the longest
        timeout. `auto` is the longest of ten thousand times the slowest hop, ten
        retransmission timeouts, ten packets at the slowest pace, and 100 ms.
    """
    return _given(seed=seed, end=end, patience=patience)


@checked
def condition(
    *,
    name: str,
    axis: str | None = None,
    fault: Sequence[Mapping[str, Any]] | None = None,
    set: Mapping[str, Any] | None = None,
) -> Section:
    """A named variant.

    `name`: what results call it.
    `axis` (`"condition"`): the axis it is a value of; conditions of different axes are
        combined. An axis called `scheme` makes the rows of `raddle compare`.
    `fault`: faults to add, as in `[[fault]]`.
    `set`: values to set, by their paths.
    """
    return _given(name=name, axis=axis, fault=fault, set=set)


class topology:
    """Fabrics."""

    @staticmethod
    @checked
    def fat_tree(
        *,
        hosts: int,
        tiers: int | None = None,
        rate: str | None = None,
        link_delay: str | None = None,
        switch_delay: str | None = None,
        hosts_per_tor: int | None = None,
        tors_per_pod: int | None = None,
        oversubscription: float | None = None,
        parallel: int | None = None,
        uplink_rate: str | None = None,
        core_rate: str | None = None,
        uplink_delay: str | None = None,
        core_delay: str | None = None,
        planes: int | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """Switches in two or three tiers, as much bandwidth up as down.

        `hosts`: at most 1048576.
        `tiers` (`3`): 2 or 3.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `link_delay` (`"500 ns"`): propagation on every link, or on the hosts'.
        `switch_delay` (`"500 ns"`): latency of every switch, before its queue.
        `hosts_per_tor` (k / 2; two tiers: the largest divisor of `hosts` not above its square
            root): hosts below each ToR.
        `tors_per_pod` (as many as a ToR has hosts): three tiers only.
        `oversubscription` (`1.0`): bandwidth of a ToR's host links over that of its uplinks;
            4.0 is 4:1.
        `parallel` (`1`): cables between neighbouring switches; more of them mean fewer upper
            switches.
        `uplink_rate` (`rate`): of the links between switches.
        `core_rate` (`uplink_rate`): of the links to core switches, three tiers only; the number
            of switches does not follow it, so a slower core is oversubscribed.
        `uplink_delay` (`link_delay`): propagation on the links between switches.
        `core_delay` (`uplink_delay`): propagation on the links to core switches, three tiers
            only.
        `planes` (`1`): copies of the tree, 1 to 8, that share nothing but the hosts: every host
            has a port in each, of this `rate` ([model.md](model.md#hosts-with-several-ports)).
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="fat_tree",
            hosts=hosts,
            tiers=tiers,
            rate=rate,
            link_delay=link_delay,
            switch_delay=switch_delay,
            hosts_per_tor=hosts_per_tor,
            tors_per_pod=tors_per_pod,
            oversubscription=oversubscription,
            parallel=parallel,
            uplink_rate=uplink_rate,
            core_rate=core_rate,
            uplink_delay=uplink_delay,
            core_delay=core_delay,
            planes=planes,
            host_delay=host_delay,
        )

    @staticmethod
    @checked
    def leaf_spine(
        *,
        leaves: int,
        hosts_per_leaf: int,
        spines: int,
        parallel: int | None = None,
        rate: str | None = None,
        uplink_rate: str | None = None,
        uplink_delay: str | None = None,
        link_delay: str | None = None,
        switch_delay: str | None = None,
        planes: int | None = None,
        tors_per_host: int | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """Leaves with hosts, and spines that connect them.

        `leaves`: switches with hosts, named `tor0`, `tor1`.
        `hosts_per_leaf`: hosts at each.
        `spines`: switches above, each connected to each leaf.
        `parallel` (`1`): cables between a leaf and a spine.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `uplink_rate` (`rate`): of the links between switches.
        `uplink_delay` (`link_delay`): propagation on the links between switches.
        `link_delay` (`"500 ns"`): propagation on every link, or on the hosts'.
        `switch_delay` (`"500 ns"`): latency of every switch.
        `planes` (`1`): copies of the tree, 1 to 8, that share nothing but the hosts: every host
            has a port in each, of this `rate` ([model.md](model.md#hosts-with-several-ports)).
        `tors_per_host` (`1`): leaves that every host is attached to, 1 to 8: the hosts of so
            many leaves are the same, with a port of this `rate` at each. 2 are dual ToRs, as
            many as a host has NICs are rails. Of `leaves = 8` and 2 a host, port 0 of the hosts
            is at `tor0` to `tor3` and port 1 at `tor4` to `tor7`. Not with `planes`.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="leaf_spine",
            leaves=leaves,
            hosts_per_leaf=hosts_per_leaf,
            spines=spines,
            parallel=parallel,
            rate=rate,
            uplink_rate=uplink_rate,
            uplink_delay=uplink_delay,
            link_delay=link_delay,
            switch_delay=switch_delay,
            planes=planes,
            tors_per_host=tors_per_host,
            host_delay=host_delay,
        )

    @staticmethod
    @checked
    def dumbbell(
        *,
        hosts_per_side: int,
        rate: str | None = None,
        bottleneck_rate: str | None = None,
        link_delay: str | None = None,
        switch_delay: str | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """Two switches with hosts, and one cable between them.

        `hosts_per_side`: hosts at each of the two switches.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `bottleneck_rate` (`rate`): of the cable between the switches.
        `link_delay` (`"500 ns"`): propagation on every link.
        `switch_delay` (`"500 ns"`): latency of both switches.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="dumbbell",
            hosts_per_side=hosts_per_side,
            rate=rate,
            bottleneck_rate=bottleneck_rate,
            link_delay=link_delay,
            switch_delay=switch_delay,
            host_delay=host_delay,
        )

    @staticmethod
    @checked
    def torus(
        *,
        rows: int,
        columns: int,
        hosts_per_switch: int | None = None,
        rate: str | None = None,
        uplink_rate: str | None = None,
        uplink_delay: str | None = None,
        link_delay: str | None = None,
        switch_delay: str | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """Rows and columns of switches with hosts, each a ring.

        `rows`: rows of switches, each a ring.
        `columns`: columns of switches, each a ring; times the rows at most 4096.
        `hosts_per_switch` (`1`): hosts at each; numbered along the rows.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `uplink_rate` (`rate`): of the links between switches.
        `uplink_delay` (`link_delay`): propagation on the links between switches.
        `link_delay` (`"500 ns"`): propagation on every link, or on the hosts'.
        `switch_delay` (`"500 ns"`): latency of every switch.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="torus",
            rows=rows,
            columns=columns,
            hosts_per_switch=hosts_per_switch,
            rate=rate,
            uplink_rate=uplink_rate,
            uplink_delay=uplink_delay,
            link_delay=link_delay,
            switch_delay=switch_delay,
            host_delay=host_delay,
        )

    @staticmethod
    @checked
    def rail(
        *,
        servers: int,
        spines: int,
        gpus: int | None = None,
        rate: str | None = None,
        uplink_rate: str | None = None,
        uplink_delay: str | None = None,
        link_delay: str | None = None,
        switch_delay: str | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """Servers of several GPUs: the NICs of one number are at one leaf, and spines connect
        these.

        `servers`: servers.
        `spines`: switches above the rails, each with a cable to each of them. With 0 rails are
            apart, and a message between them is an error before the run.
        `gpus` (`8`): GPUs of each, with a NIC each. Host number is server x `gpus` + GPU, and
            NIC i is at the switch `rail<i>`.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `uplink_rate` (`rate`): of the links between switches.
        `uplink_delay` (`link_delay`): propagation on the links between switches.
        `link_delay` (`"500 ns"`): propagation on every link, or on the hosts'.
        `switch_delay` (`"500 ns"`): latency of every switch.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="rail",
            servers=servers,
            spines=spines,
            gpus=gpus,
            rate=rate,
            uplink_rate=uplink_rate,
            uplink_delay=uplink_delay,
            link_delay=link_delay,
            switch_delay=switch_delay,
            host_delay=host_delay,
        )

    @staticmethod
    @checked
    def circuits(
        *,
        tors: int,
        hosts_per_tor: int,
        uplinks: int,
        design: str,
        slot: str,
        demand: str | None = None,
        design_seed: int | None = None,
        dark: str | None = None,
        guard: str | None = None,
        routes: Literal["shortest", "slices"] | None = None,
        late: Literal["reroute", "wait", "drop"] | None = None,
        bulk: str | int | None = None,
        change: Sequence[Mapping[str, Any]] | None = None,
        rate: str | None = None,
        uplink_rate: str | None = None,
        link_delay: str | None = None,
        circuit_delay: str | None = None,
        switch_delay: str | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """ToRs whose uplinks lead to circuit switches, which follow a schedule.

        `tors`: ToRs, named `tor0`, `tor1`, ..; the link from one to another is `tor0.to.tor1`,
            open while a circuit of the two is up.
        `hosts_per_tor`: hosts at each.
        `uplinks`: links of a ToR to circuit switches, one to each, at most 64.
        `design`: who makes the schedule, as `raddle throughput` takes it: a name, `:` and
            parameters but those that are keys here. Of several schedules one is drawn.
        `slot`: how long a circuit switch stays as it is, dark time included.
        `demand` (`"uniform"`): what the schedule is made for, if the design asks: a pattern as
            in `raddle throughput`, a text file relative to the scenario, or `traffic`, what
            ToRs send to each other on the mean. Where a seed draws that, the traffic has one of
            its own.
        `design_seed` (`1`): what the design draws depends on it. It is not the run's `seed`, of
            which nothing of the fabric depends.
        `dark` (`"0 ns"`): how long a circuit switch that turns connects nothing, at the start
            of its slot.
        `guard` (`"0 ns"`): the last bit of a packet leaves so long before its circuit goes
            down.
        `routes` (`"shortest"`): `shortest`: by the fewest lanes, whenever those are open;
            `slices`: at once, by the lanes that stay up until circuit switches have turned next
            and beyond (Opera). These have to connect all ToRs in each slot.
        `late` (`"reroute"`): by slices, a packet that still waits when its lane closes is sent
            on by the lanes of then (`reroute`), waits for it to open again (`wait`) or is lost,
            as on a link that is down (`drop`).
        `bulk`: by slices, messages of this size on are of data class 0 and go by the shortest
            way, whenever it is open: their direct lane, where there is one. All others are of
            class 1, and go first with `service = "priority"`.
        `change`: schedules that follow, in order: what was made for a demand that does not hold
            any more.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `uplink_rate` (`rate`): of an uplink. Circuits of several uplinks between two ToRs at
            once are as fast as they are together.
        `link_delay` (`"500 ns"`): propagation on the hosts' links.
        `circuit_delay` (`link_delay`): propagation from ToR to ToR.
        `switch_delay` (`"500 ns"`): latency of every ToR.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="circuits",
            tors=tors,
            hosts_per_tor=hosts_per_tor,
            uplinks=uplinks,
            design=design,
            slot=slot,
            demand=demand,
            design_seed=design_seed,
            dark=dark,
            guard=guard,
            routes=routes,
            late=late,
            bulk=bulk,
            change=change,
            rate=rate,
            uplink_rate=uplink_rate,
            link_delay=link_delay,
            circuit_delay=circuit_delay,
            switch_delay=switch_delay,
            host_delay=host_delay,
        )

    @staticmethod
    @checked
    def graph(
        *,
        file: str | os.PathLike[str],
        host_delay: str | None = None,
    ) -> Section:
        """Any graph, from a file.

        `file`: a text file, relative to the scenario.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(kind="graph", file=file, host_delay=host_delay)

    @staticmethod
    @checked
    def htsim_topo(
        *,
        file: str | os.PathLike[str],
        host_delay: str | None = None,
    ) -> Section:
        """A tree, from a file of htsim.

        `file`: a `.topo` file of htsim, relative to the scenario.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(kind="htsim_topo", file=file, host_delay=host_delay)

    @staticmethod
    @checked
    def hpcc_topology(
        *,
        file: str | os.PathLike[str],
        compat: bool | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """Any graph, from a file of HPCC's simulator.

        `file`: a topology file of HPCC's simulator, relative to the scenario.
        `compat` (`false`): read the stream of numbers as HPCC does, wherever lines end.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(kind="hpcc_topology", file=file, compat=compat, host_delay=host_delay)

    @staticmethod
    @checked
    def hybrid(
        *,
        tors: int,
        hosts_per_tor: int,
        rate: str | None = None,
        circuit_rate: str | None = None,
        packet_rate: str | None = None,
        link_delay: str | None = None,
        circuit_delay: str | None = None,
        packet_delay: str | None = None,
        switch_delay: str | None = None,
        day: str | None = None,
        night: str | None = None,
        notice: str | None = None,
        int: Literal["voq", "link"] | None = None,
        host_delay: str | None = None,
    ) -> Section:
        """ToRs with circuits beside a packet network.

        `tors`: racks; a week has a day and a night for each of them but one, in which each has
            a circuit to the rack so much further.
        `hosts_per_tor`: hosts below each.
        `rate` (`"400 Gbps"`): of the hosts' links.
        `circuit_rate` (`rate`): of a circuit.
        `packet_rate` (`rate`): of the link of a ToR to the packet core, which takes from the
            queues of pairs in turn, outside their days and the nights before them.
        `link_delay` (`"500 ns"`): propagation on every link, or on the hosts'.
        `circuit_delay` (`link_delay`): propagation from ToR to ToR by a circuit.
        `packet_delay` (`link_delay`): propagation from a ToR to the packet core.
        `switch_delay` (`"500 ns"`): latency of every switch.
        `day` (`"225 us"`): how long a circuit is up.
        `night` (`"20 us"`): how long none is, before each day.
        `notice` (`"0 ns"`): so long before a day, and in it, ToRs tell of the circuit in ACKs,
            for `retcp`.
        `int` (`"voq"`): what telemetry says of a queue that two links drain: `voq`, one hop
            with a count over both, or `link`, a hop for each.
        `host_delay` (`"0 ns"`): latency of every host, from the arrival of a frame until the
            host has it.
        """
        return _given(
            kind="hybrid",
            tors=tors,
            hosts_per_tor=hosts_per_tor,
            rate=rate,
            circuit_rate=circuit_rate,
            packet_rate=packet_rate,
            link_delay=link_delay,
            circuit_delay=circuit_delay,
            packet_delay=packet_delay,
            switch_delay=switch_delay,
            day=day,
            night=night,
            notice=notice,
            int=int,
            host_delay=host_delay,
        )


class traffic:
    """Who sends what to whom, and when."""

    @staticmethod
    @checked
    def permutation(
        *,
        message: str | int | None = None,
        receivers: Literal["any", "next_tor"] | None = None,
        inter_pod_only: bool | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Every host sends to one other and receives from one.

        `message` (`"8 MiB"`): size of every message.
        `receivers` (`"any"`): `any` other host, or one below the `next_tor` (of the last ToR,
            the first), where ToRs have equally many hosts.
        `inter_pod_only` (`false`): whether every message has to leave its pod; not beside
            `next_tor`.
        `seed` (the run's seed): draws the traffic alone: the same flows whatever the run's
            seed.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="permutation",
            message=message,
            receivers=receivers,
            inter_pod_only=inter_pod_only,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def tornado(
        *,
        message: str | int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Every host sends to the one half of all hosts further on.

        `message` (`"8 MiB"`): size of every message.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="tornado",
            message=message,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def incast(
        *,
        senders: int,
        receiver: int | None = None,
        message: str | int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Several hosts send to one.

        `senders`: how many.
        `receiver` (`0`): the host they send to.
        `message` (`"8 MiB"`): size of every message.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="incast",
            senders=senders,
            receiver=receiver,
            message=message,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def all_to_all(
        *,
        message: str | int | None = None,
        order: Literal["shifted", "random", "strided", "rank"] | None = None,
        parallel: int | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Every host sends to every other.

        `message` (`"8 MiB"`): size of every message.
        `order` (`"shifted"`): in which order a host serves the others: `shifted`, from the next
            host on; `random`, drawn for each host; `strided`, with `parallel`: those served at
            a time lie equally far apart, as in the REPS artifact; `rank`, every host serves
            hosts 0, 1, 2 and so on.
        `parallel` (all at once): messages that a host sends at a time, up to one to each other
            host; each last ACK starts the next message.
        `seed` (the run's seed): draws the traffic alone: the same orders whatever the run's
            seed; only with `random`.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="all_to_all",
            message=message,
            order=order,
            parallel=parallel,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def collective(
        *,
        operation: Literal["all_reduce", "reduce_scatter", "all_gather", "all_to_all"],
        algorithm: Literal[
            "ring",
            "tree",
            "double_tree",
            "butterfly",
            "halving_doubling",
            "direct",
            "auto",
        ] | None = None,
        message: str | int | None = None,
        size: str | int | None = None,
        hops: int | None = None,
        chunks: int | None = None,
        parallel: int | None = None,
        order: Literal["shifted", "random", "strided", "rank"] | None = None,
        channels: int | None = None,
        by_size: Sequence[Mapping[str, Any]] | None = None,
        alpha: str | None = None,
        rails: Literal["pxn", "alternate", "cross"] | None = None,
        pxn_join: bool | None = None,
        chunk: str | int | None = None,
        protocol: Literal["simple", "ll", "ll128"] | None = None,
        step_overhead: str | None = None,
        compute: str | None = None,
        straggler: Mapping[str, Any] | None = None,
        hosts: str | None = None,
        ranks: int | None = None,
        groups: Sequence[int] | Sequence[Sequence[int]] | None = None,
        placement: Literal["linear", "random"] | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """A collective operation among some of the hosts, as sends that wait for each other.

        `operation`: `all_reduce`, `reduce_scatter`, `all_gather` or `all_to_all`.
        `algorithm` (`"ring"`, or `"direct"`): `ring`, `halving_doubling` or `direct`; for
            `all_reduce` also `tree`, `double_tree`, `butterfly`, and `auto`: a ring or two
            trees over servers, whichever takes less by NCCL's model; an all-to-all is `direct`.
        `message` (`"8 MiB"`): size of every message: a ring's or a tree's chunk, a butterfly's
            vector, an all-to-all's pair, a rank's part; with `halving_doubling` the smallest
            message. It says how much data there is: `channels`, `chunk` and `rails` cut the
            same data.
        `size` (what `message` makes): instead of `message`: all of a rank's data, as nccl-tests
            counts it; its parts differ by a byte at most.
        `hops` (what the operation needs): with `ring`: hops of each chunk; the REPS artifact
            has 2n - 1. With fewer than needed there is no bandwidth to show.
        `chunks` (`1`): with a tree: into how many chunks its data is cut.
        `parallel` (all at once; `1` in trees): in an all-to-all: messages that a rank sends at
            a time; in a tree: chunks from one rank to the next, where each last ACK lets
            another go.
        `order` (`"shifted"`): in an all-to-all: in which order a rank serves the others, as in
            `all_to_all`.
        `channels` (`gpus` of [fabric] scale_up, else 1): into how many parts a collective on a
            ring or a tree is cut, each with one of its own: channel c enters servers by GPU c.
        `by_size`: instead of `algorithm`: one for each size, the first that an all-reduce fits,
            and `ring` if it fits none; see [by_size](#by_size).
        `alpha` (`"5 us"`): with `algorithm = "auto"`: what each step is reckoned to take beside
            its bytes.
        `rails` (`"pxn"`): how messages get to another server: handed to the GPU of the server
            whose NIC is on the receiver's rail (`pxn`); a ring enters servers by its rail and
            by the one beside it in turn (`alternate`); by the sender's own NIC (`cross`).
        `pxn_join` (`true`): with `rails = "pxn"`, in an all-to-all: whether what the GPUs of a
            server hand over for one receiver goes on as one message.
        `chunk` (`"whole"`; 2 MiB in trees of servers): what messages of rings and trees are cut
            into. To one receiver on a channel so many are under way as have eight steps of 512
            KiB: two of 2 MiB, eight of up to 512 KiB.
        `protocol` (`"simple"`): what bytes of collectives take on the way: `simple` one each,
            `ll` two, `ll128` 128 for 120.
        `step_overhead` (`"0 ns"`): what a sender does before each message of a collective to
            one receiver on a channel, one after the other.
        `compute` (`"0 ns"`): how long a rank computes before each step.
        `straggler`: who computes for longer, and by how much: see [straggler](#straggler).
        `hosts` (all): hosts to choose from, both ends included: `"0..63"`.
        `ranks` (all of them): how many take part; a power of two for `butterfly` and
            `halving_doubling`.
        `groups` (one group): instead of `ranks`: the ranks of each group, `[8, 8, 16]`, or its
            hosts in the order of ranks, `[[0, 1], [2, 3, 4]]`.
        `placement` (`"linear"`): which host is which rank: `linear`, by number, or `random`.
        `seed` (the run's seed): draws the traffic alone: the same placement, order and
            stragglers whatever the run's seed; only where one of them is drawn.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="collective",
            operation=operation,
            algorithm=algorithm,
            message=message,
            size=size,
            hops=hops,
            chunks=chunks,
            parallel=parallel,
            order=order,
            channels=channels,
            by_size=by_size,
            alpha=alpha,
            rails=rails,
            pxn_join=pxn_join,
            chunk=chunk,
            protocol=protocol,
            step_overhead=step_overhead,
            compute=compute,
            straggler=straggler,
            hosts=hosts,
            ranks=ranks,
            groups=groups,
            placement=placement,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def fsdp(
        *,
        model: Literal["llama_7b", "llama_70b", "llama_405b"],
        layers: int | None = None,
        message: str | int | None = None,
        gpus_per_server: int | None = None,
        steps: int | None = None,
        barrier: bool | None = None,
        compute: str | None = None,
        straggler: Mapping[str, Any] | None = None,
        hosts: str | None = None,
        ranks: int | None = None,
        groups: Sequence[int] | Sequence[Sequence[int]] | None = None,
        placement: Literal["linear", "random", "servers"] | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """The backward pass of fully sharded training: rings of gathers and scatters, layer by
        layer.

        `model`: `llama_7b` (32 layers, messages of 104 packets of 4096 B), `llama_70b` (80,
            418) or `llama_405b` (126, 1570).
        `layers` (the model's): layers to go through.
        `message` (the model's): size of every message.
        `gpus_per_server` (`8`): GPUs of a server.
        `steps` (`1`): steps of a ring in a phase, each a permutation of all GPUs; a whole ring
            of n servers has n - 1.
        `barrier` (`true`): whether a phase waits for the delivery of all of the one before;
            such hosts are run by one thread. Else a GPU waits for its own messages.
        `compute` (`"0 ns"`): how long a GPU computes before each phase.
        `straggler`: who computes for longer, and by how much: see [straggler](#straggler).
        `hosts` (all): hosts to choose from, both ends included: `"0..63"`.
        `ranks` (all of them): how many GPUs take part.
        `groups` (one group): instead of `ranks`: groups of GPUs, as in `collective`; whole
            servers each.
        `placement` (`"servers"`): `linear`; `random`, each GPU anywhere; or `servers`,
            neighbouring hosts as one server, servers at random.
        `seed` (the run's seed): draws the traffic alone: the same placement and stragglers
            whatever the run's seed; only where they are drawn.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="fsdp",
            model=model,
            layers=layers,
            message=message,
            gpus_per_server=gpus_per_server,
            steps=steps,
            barrier=barrier,
            compute=compute,
            straggler=straggler,
            hosts=hosts,
            ranks=ranks,
            groups=groups,
            placement=placement,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def poisson(
        *,
        law: str | os.PathLike[str],
        load: float,
        until: str,
        base: Literal["host_link", "tor_uplink"] | None = None,
        receivers: Literal[
            "any",
            "other_tors",
            "next_tor",
            "drawn_tor",
            "paired_tor",
        ] | None = None,
        senders: str | None = None,
        destinations: str | None = None,
        at_least: str | int | None = None,
        below: str | int | None = None,
        sampling: Literal["linear", "step"] | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Flows of random sizes arrive at random times, between random hosts.

        `law`: flow sizes: a law of `data/laws` by its name, or a file of lines `size_bytes,cdf`
            under this header, or of lines `size percent` or `size fraction` as HPCC and others
            have them.
        `load`: over 0 and up to 1, of the base; headers and ACKs come on top.
        `until`: no flow starts at or after this.
        `base` (`"host_link"`): `host_link`: the host's link; `tor_uplink`: the host's share of
            its ToR's uplinks.
        `receivers` (`"any"`): `any` other host, or one below `other_tors`, so that all of the
            load is on uplinks, or below the `next_tor` (of the last ToR, the first), as in the
            released programs of ABM, Reverie and Credence; or below the one ToR that the seed
            draws for the sender's: `drawn_tor`, each ToR for one other, or `paired_tor`, which
            sends back.
        `senders` (all hosts): the hosts that start flows, `"0..31"` or `"0..15, 32..47"`, both
            ends included.
        `destinations` (all hosts): the hosts that flows go to, likewise; a host never sends to
            itself.
        `at_least`: of the flows drawn only those of this size and more are there; `load` is
            that of all.
        `below`: and only those of less than this: jobs with both halves may have transports of
            their own.
        `sampling` (`"linear"`): between the law's points: `linear` interpolates, `step` takes
            the upper one; a file without the header must be told which: their means differ, by
            42 % for `websearch`.
        `seed` (the run's seed): draws the traffic alone: the same flows whatever the run's
            seed.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="poisson",
            law=law,
            load=load,
            until=until,
            base=base,
            receivers=receivers,
            senders=senders,
            destinations=destinations,
            at_least=at_least,
            below=below,
            sampling=sampling,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def poisson_incast(
        *,
        rate: float,
        fan_in: int,
        size: str | int,
        until: str,
        responders: Literal["any", "other_tors", "one_tor", "next_tor"] | None = None,
        senders: str | None = None,
        destinations: str | None = None,
        replacement: bool | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Every host asks at random times, and several others answer at once.

        `rate`: queries of each host per second.
        `fan_in`: how many answer a query.
        `size`: of all answers to a query together; they differ by a byte at most.
        `until`: nobody asks at or after this.
        `responders` (`"one_tor"`): whom those that answer are drawn from: `any`, all other
            hosts; `other_tors`, those below all other ToRs; `one_tor`, those below one other
            ToR, drawn for each query; `next_tor`, those below the ToR with the next number.
        `senders` (all hosts): the hosts that may answer, `"0..31"` or `"0..15, 32..47"`, both
            ends included; `responders` are drawn from them.
        `destinations` (all hosts): the hosts that ask, likewise.
        `replacement` (`false`): whether one host may answer a query more than once; else
            `fan_in` is at most the hosts to draw from.
        `seed` (the run's seed): draws the traffic alone: the same flows whatever the run's
            seed.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="poisson_incast",
            rate=rate,
            fan_in=fan_in,
            size=size,
            until=until,
            responders=responders,
            senders=senders,
            destinations=destinations,
            replacement=replacement,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def partners(
        *,
        law: str | os.PathLike[str],
        load: float,
        until: str,
        strays: float | None = None,
        sampling: Literal["linear", "step"] | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """Every host sends flow after flow, most of them to one partner.

        `law`: flow sizes, as above.
        `load`: over 0 and up to 1, of the host's link; headers and ACKs come on top.
        `until`: no flow starts at or after this.
        `strays` (`0.05`): the share of flows that go to a host drawn uniformly from all others.
        `sampling` (`"linear"`): as above.
        `seed` (the run's seed): draws the traffic alone: the same flows whatever the run's
            seed.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="partners",
            law=law,
            load=load,
            until=until,
            strays=strays,
            sampling=sampling,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def flows(
        *,
        flow: Sequence[Mapping[str, Any]],
        class_: int | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """What a list says, flow by flow.

        `flow`: the flows.
        `class` (`0`): the data class of the flows, below `queue.classes`.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="flows",
            flow=flow,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def htsim_cm(
        *,
        file: str | os.PathLike[str],
        compat: bool | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """What a connection matrix of htsim says.

        `file`: a connection matrix (`.cm`) of htsim, relative to the scenario.
        `compat` (`false`): do what htsim does where it misreads its input.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="htsim_cm",
            file=file,
            compat=compat,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def hpcc_flows(
        *,
        file: str | os.PathLike[str],
        origin: str | None = None,
        compat: bool | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """What a flow file of HPCC's simulator says, or of ConWeave's.

        `file`: a flow file of HPCC's simulator or of ConWeave's, relative to the scenario.
        `origin` (`"0 ns"`): the file's time that is the run's time zero; generators begin at 2
            s.
        `compat` (`false`): read the stream of numbers as HPCC does, wherever lines end.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="hpcc_flows",
            file=file,
            origin=origin,
            compat=compat,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def trace(
        *,
        file: str | os.PathLike[str],
        format: Literal["goal", "goal_binary", "simai", "flows_csv", "chakra"] | None = None,
        send_done: Literal["acked", "delivered", "sent"] | None = None,
        deps: Literal["both", "data", "ctrl"] | None = None,
        units: Literal["streams", "feeder"] | None = None,
        unit: str | None = None,
        layout: Literal["rank"] | None = None,
        all_gather_size: Literal["input", "output"] | None = None,
        element: str | int | None = None,
        unknown: Literal["error", "skip"] | None = None,
        group_file: str | os.PathLike[str] | None = None,
        all_gpus: int | None = None,
        run_as: Literal["written"] | None = None,
        compat: bool | None = None,
        channels: int | None = None,
        algorithm: Literal["ring", "double_tree", "auto"] | None = None,
        by_size: Sequence[Mapping[str, Any]] | None = None,
        alpha: str | None = None,
        rails: Literal["pxn", "alternate", "cross"] | None = None,
        pxn_join: bool | None = None,
        chunk: str | int | None = None,
        protocol: Literal["simple", "ll", "ll128"] | None = None,
        step_overhead: str | None = None,
        hosts: str | None = None,
        placement: Literal["linear", "random"] | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """What the ranks of a job do, from a trace or a schedule: see [traces](traces.md).

        `file`: the trace, relative to the scenario; of a Chakra trace the file of one rank, or
            what stands before `.0.et`.
        `format` (found from the file): `goal` or `goal_binary` (LogGOPSim), `chakra` (execution
            traces), `simai` (workloads of SimAI and aicb), `flows_csv` (a list of flows).
        `send_done` (`"acked"`): when a rank goes on after a send: when the last needed ACK has
            come, or with its delivery; `sent`, when the last byte has left, cannot be said yet.
        `deps` (`"both"`, or `"data"` if control edges close a circle): with `chakra`: which
            edges hold.
        `units` (`"streams"`): with `chakra`: what goes one at a time: the nodes of a stream, or
            as ASTRA-sim does one operation of the CPU, one computation and one send or
            collective (`feeder`).
        `unit` (`"1 ns"`): with `goal`: how long one count of time is.
        `layout` (none: needed where network cards are named): with `goal`: what a rank is: a
            host, whichever card it uses (`rank`).
        `all_gather_size` (`"input"`): with `chakra`: what the size of an all-gather is: what a
            rank puts in, or what it gets out.
        `element` (`"1 B"`): with `chakra`: what sizes count.
        `unknown` (`"error"`): with `chakra`: what becomes of nodes of unknown types.
        `group_file` (groups as the trace defines them): with `chakra`: the ranks of each group,
            as JSON: `{"1": [0, 4]}`.
        `all_gpus` (what the first line says): with `simai`: how many GPUs there are.
        `run_as` (none: needed with several pipeline stages): with `simai`: how several pipeline
            stages are run: all ranks do all rows (`written`).
        `compat` (`false`): with `simai`: do what SimAI does where it misreads its input.
        `channels` (`gpus` of [fabric] scale_up, else 1): into how many parts a collective on a
            ring or a tree is cut, each with one of its own: channel c enters servers by GPU c.
        `algorithm` (`"ring"`): how an all-reduce is done: on rings (`ring`), by two trees over
            servers with chains inside (`double_tree`), or whichever takes less by NCCL's model
            (`auto`).
        `by_size`: instead of `algorithm`: one for each size, the first that an all-reduce fits,
            and `ring` if it fits none; see [by_size](#by_size).
        `alpha` (`"5 us"`): with `algorithm = "auto"`: what each step is reckoned to take beside
            its bytes.
        `rails` (`"pxn"`): how messages get to another server: handed to the GPU of the server
            whose NIC is on the receiver's rail (`pxn`); a ring enters servers by its rail and
            by the one beside it in turn (`alternate`); by the sender's own NIC (`cross`).
        `pxn_join` (`true`): with `rails = "pxn"`, in an all-to-all: whether what the GPUs of a
            server hand over for one receiver goes on as one message.
        `chunk` (`"whole"`; 2 MiB in trees of servers): what messages of rings and trees are cut
            into. To one receiver on a channel so many are under way as have eight steps of 512
            KiB: two of 2 MiB, eight of up to 512 KiB.
        `protocol` (`"simple"`): what bytes of collectives take on the way: `simple` one each,
            `ll` two, `ll128` 128 for 120.
        `step_overhead` (`"0 ns"`): what a sender does before each message of a collective to
            one receiver on a channel, one after the other.
        `hosts` (all): hosts to choose from, both ends included: `"0..63"`.
        `placement` (`"linear"`): which host is which rank: `linear`, by number, or `random`.
        `seed` (the run's seed): draws the traffic alone: the same placement whatever the run's
            seed; only where it is random.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="trace",
            file=file,
            format=format,
            send_done=send_done,
            deps=deps,
            units=units,
            unit=unit,
            layout=layout,
            all_gather_size=all_gather_size,
            element=element,
            unknown=unknown,
            group_file=group_file,
            all_gpus=all_gpus,
            run_as=run_as,
            compat=compat,
            channels=channels,
            algorithm=algorithm,
            by_size=by_size,
            alpha=alpha,
            rails=rails,
            pxn_join=pxn_join,
            chunk=chunk,
            protocol=protocol,
            step_overhead=step_overhead,
            hosts=hosts,
            placement=placement,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )

    @staticmethod
    @checked
    def training(
        *,
        layers: int,
        forward: str,
        backward: str | None = None,
        weight_gradient: str | None = None,
        tensor: int | None = None,
        pipeline: int | None = None,
        data: int | None = None,
        expert: int | None = None,
        micro_batches: int | None = None,
        schedule: Literal["1f1b", "gpipe", "interleaved"] | None = None,
        chunks: int | None = None,
        activation: str | int | None = None,
        tensor_bytes: str | int | None = None,
        expert_bytes: str | int | None = None,
        gradient: str | int | None = None,
        expert_gradient: str | int | None = None,
        parameters: str | int | None = None,
        prefetch: int | None = None,
        steps: int | None = None,
        channels: int | None = None,
        algorithm: Literal["ring", "double_tree", "auto"] | None = None,
        by_size: Sequence[Mapping[str, Any]] | None = None,
        alpha: str | None = None,
        rails: Literal["pxn", "alternate", "cross"] | None = None,
        pxn_join: bool | None = None,
        chunk: str | int | None = None,
        protocol: Literal["simple", "ll", "ll128"] | None = None,
        step_overhead: str | None = None,
        hosts: str | None = None,
        placement: Literal["linear", "random"] | None = None,
        seed: int | None = None,
        class_: int | Sequence[int] | None = None,
        name: str | None = None,
        start: str | None = None,
        runs: bool | None = None,
        qps: int | None = None,
        load_balance: Section | None = None,
        background: Mapping[str, Any] | None = None,
        congestion: Section | None = None,
        recovery: Section | None = None,
    ) -> Section:
        """A training step, made from a model and its parallelism: see [training](training.md).

        `layers`: layers of the model; a multiple of `pipeline`, and of `pipeline` times
            `chunks` where stages are interleaved.
        `forward`: how long a layer computes forward, for one micro-batch.
        `backward` (twice `forward`): how long a layer computes backward, for one micro-batch:
            the gradient of its input, and of its weights unless `weight_gradient` is given.
        `weight_gradient` (`"0 ns"`): how long the gradient of a layer's weights takes, if it is
            apart from `backward`: the stage before does not wait for it.
        `tensor` (`1`): ranks that share the tensors of a layer: neighbours.
        `pipeline` (`1`): stages of the pipeline.
        `data` (`1`): ranks over which the data are split; there are `tensor` times `data` times
            `pipeline` ranks.
        `expert` (`1`): of these, ranks that share the experts of a layer: a divisor of `data`.
        `micro_batches` (`1`): micro-batches of a step; a multiple of `pipeline` where stages
            are interleaved.
        `schedule` (`"1f1b"`): the order of a stage's passes: one forward and one backward in
            turn (`1f1b`), all forward and then all backward (`gpipe`), or as `1f1b` with
            several parts of the model at each stage (`interleaved`).
        `chunks` (2 with `schedule = "interleaved"`, else 1): with `interleaved`: parts of the
            model at each stage.
        `activation` (none: needed with several stages): what a rank sends to the next stage for
            each micro-batch, and back.
        `tensor_bytes`: the all-reduce over `tensor` ranks of each layer and pass.
        `expert_bytes`: each of the two all-to-alls over `expert` ranks of each layer and pass:
            before it computes and after.
        `gradient`: the gradient of a layer, all-reduced over `data` ranks when its last micro-
            batch is done, beside the computation.
        `expert_gradient`: the gradient of a layer's experts, all-reduced over the `data` ranks
            that have the same experts.
        `parameters`: the parameters of a layer, if they are spread over `data` ranks (FSDP):
            gathered for each pass; the gradient is reduce-scattered.
        `prefetch` (`1`): with `parameters`: how many layers ahead of the computation they are
            gathered.
        `steps` (`1`): steps; a rank begins one when its gradients of the last are reduced.
        `channels` (`gpus` of [fabric] scale_up, else 1): into how many parts a collective on a
            ring or a tree is cut, each with one of its own: channel c enters servers by GPU c.
        `algorithm` (`"ring"`): how an all-reduce is done: on rings (`ring`), by two trees over
            servers with chains inside (`double_tree`), or whichever takes less by NCCL's model
            (`auto`).
        `by_size`: instead of `algorithm`: one for each size, the first that an all-reduce fits,
            and `ring` if it fits none; see [by_size](#by_size).
        `alpha` (`"5 us"`): with `algorithm = "auto"`: what each step is reckoned to take beside
            its bytes.
        `rails` (`"pxn"`): how messages get to another server: handed to the GPU of the server
            whose NIC is on the receiver's rail (`pxn`); a ring enters servers by its rail and
            by the one beside it in turn (`alternate`); by the sender's own NIC (`cross`).
        `pxn_join` (`true`): with `rails = "pxn"`, in an all-to-all: whether what the GPUs of a
            server hand over for one receiver goes on as one message.
        `chunk` (`"whole"`; 2 MiB in trees of servers): what messages of rings and trees are cut
            into. To one receiver on a channel so many are under way as have eight steps of 512
            KiB: two of 2 MiB, eight of up to 512 KiB.
        `protocol` (`"simple"`): what bytes of collectives take on the way: `simple` one each,
            `ll` two, `ll128` 128 for 120.
        `step_overhead` (`"0 ns"`): what a sender does before each message of a collective to
            one receiver on a channel, one after the other.
        `hosts` (all): hosts to choose from, both ends included: `"0..63"`.
        `placement` (`"linear"`): which host is which rank: `linear`, by number, or `random`.
        `seed` (the run's seed): draws the traffic alone: the same placement whatever the run's
            seed; only where it is random.
        `class` (`0`): the data class of the flows, below `queue.classes`; of a list each flow
            draws one.
        `name` (none; required in `[[traffic]]`): what results call the job.
        `start` (`"0 ns"`): added to the start of every flow that is not triggered.
        `runs` (`true`): whether its flows are there; without them the other traffic draws what
            it draws beside them. `raddle compare --alone` sets it.
        `qps` (`1`): queue pairs over which each message is spread, in equal parts of whole
            packets, at most 255; each part is a flow of its own, and results tell of messages.
        `load_balance` (that of `[transport]`): of the flows of this traffic.
        `background`: hosts whose flows have another one.
        `congestion` (that of `[transport]`): of the flows of this traffic.
        `recovery` (that of `[transport]`): of the flows of this traffic; where none is written
            in `[transport]` either, it is what belongs to the job's own `congestion`.
        """
        return _given(
            kind="training",
            layers=layers,
            forward=forward,
            backward=backward,
            weight_gradient=weight_gradient,
            tensor=tensor,
            pipeline=pipeline,
            data=data,
            expert=expert,
            micro_batches=micro_batches,
            schedule=schedule,
            chunks=chunks,
            activation=activation,
            tensor_bytes=tensor_bytes,
            expert_bytes=expert_bytes,
            gradient=gradient,
            expert_gradient=expert_gradient,
            parameters=parameters,
            prefetch=prefetch,
            steps=steps,
            channels=channels,
            algorithm=algorithm,
            by_size=by_size,
            alpha=alpha,
            rails=rails,
            pxn_join=pxn_join,
            chunk=chunk,
            protocol=protocol,
            step_overhead=step_overhead,
            hosts=hosts,
            placement=placement,
            seed=seed,
            class_=class_,
            name=name,
            start=start,
            runs=runs,
            qps=qps,
            load_balance=load_balance,
            background=background,
            congestion=congestion,
            recovery=recovery,
        )


class host:
    """Host load balancing: `transport.load_balance`."""

    @staticmethod
    @checked
    def ecmp() -> Section:
        """Equal-cost multi-path, one path per flow. A flow keeps the entropy of its source host,
        hence one path. Packets stay in order. The load-balancing study's FLOW."""
        return _given(scheme="ecmp")

    @staticmethod
    @checked
    def ops(
        *,
        entropies: int | None = None,
    ) -> Section:
        """Oblivious packet spraying. Every packet takes a uniformly random entropy. Spreads well,
        blind to trouble. The load-balancing study's HOST PKT.

        `entropies` (`65536`): How many entropy values there are to draw from (`EVS_SIZE`).
        """
        return _given(scheme="ops", entropies=entropies)

    @staticmethod
    @checked
    def reps(
        *,
        entropies: int | None = None,
        buffer: int | None = None,
        reuse: int | None = None,
        mode: Literal["paper", "artifact", "uec"] | None = None,
        freezing: bool | None = None,
        freeze: str | None = None,
        explore: int | Literal["auto"] | None = None,
        freeze_rtt: float | None = None,
        force_freeze: str | None = None,
    ) -> Section:
        """Recycled entropy packet spraying. Reuses the entropies of unmarked ACKs, else draws at
        random; after a timeout it replays known good paths. About 25 bytes of state, adapts
        within a round trip. The load-balancing study's HOST PKT AR.

        `entropies` (`65536`): How many entropy values there are to draw from (`EVS_SIZE`).
        `buffer` (`8`): Slots of the ring (`REPS_BUFFER_SIZE`).
        `reuse` (`1`): How many packets use a cached entropy (1 in the paper; more against ACK
            coalescing).
        `mode` (`"paper"`): Whose algorithm: `paper`, `artifact` or `uec`.
        `freezing` (`true`): Whether the flow ever freezes.
        `freeze` (`"10 ms"`): How long a freeze lasts (`FREEZING_TIMEOUT`).
        `explore` (`"auto"`): Packets of the exploration after a freeze (`NUM_PKTS_CWND`);
            `auto` is the BDP in packets, or 16 in mode `uec`.
        `freeze_rtt` (`1.65`): Without trimming, a timeout freezes only if the longest recent
            round trip is below this multiple of the unloaded one; a longer one means
            congestion.
        `force_freeze` (`"auto"`): Freezes, whatever the evidence, this long after the flow's
            first packet; `auto` is never.
        """
        return _given(
            scheme="reps",
            entropies=entropies,
            buffer=buffer,
            reuse=reuse,
            mode=mode,
            freezing=freezing,
            freeze=freeze,
            explore=explore,
            freeze_rtt=freeze_rtt,
            force_freeze=force_freeze,
        )

    @staticmethod
    @checked
    def bitmap(
        *,
        entropies: int | None = None,
        marked_penalty: int | None = None,
        trimmed_penalty: int | None = None,
        timeout_penalty: int | None = None,
    ) -> Section:
        """Penalty counters per entropy (BitMap). Walks few entropies and skips those that were
        marked, trimmed or timed out. Remembers bad paths at the price of state per entropy.

        `entropies` (`256`): How many entropy values there are, a power of two.
        `marked_penalty` (`1`): Penalty of an entropy whose packet was marked.
        `trimmed_penalty` (`4`): Penalty of an entropy whose packet was trimmed.
        `timeout_penalty` (`15`): Penalty of an entropy whose packet timed out.
        """
        return _given(
            scheme="bitmap",
            entropies=entropies,
            marked_penalty=marked_penalty,
            trimmed_penalty=trimmed_penalty,
            timeout_penalty=timeout_penalty,
        )

    @staticmethod
    @checked
    def subflow(
        *,
        profile: Literal["reps", "lb_study"] | None = None,
        subflows: int | Literal["auto"] | None = None,
    ) -> Section:
        """Subflows, packets in turn over a few fixed paths. Packets rotate over a few labels that
        never change. Collides less than ECMP, blind to trouble. The load-balancing study's
        SUBFLOW is `profile = "lb_study"`.

        `profile` (`"reps"`): Whose subflows: `reps` has 8 consecutive labels from the source's
            number on, `lb_study` 4 distinct random ones.
        `subflows` (`"auto"`): How many labels there are; `auto` is the profile's.
        """
        return _given(scheme="subflow", profile=profile, subflows=subflows)

    @staticmethod
    @checked
    def plb(
        *,
        profile: Literal["reps", "lb_study"] | None = None,
        entropies: int | None = None,
        share: float | Literal["auto"] | None = None,
        rounds: int | None = None,
        round: str | None = None,
        window: int | Literal["auto"] | None = None,
        hold: int | Literal["auto"] | None = None,
    ) -> Section:
        """Protective load balancing. A flow moves to a random path when too many of its ACKs are
        marked, or on a timeout. Few reorderings, slow to react. The load-balancing study's HOST
        FLOWLET AR is `profile = "lb_study"`.

        `profile` (`"reps"`): Whose PLB: `reps` looks at rounds in a row and at timeouts,
            `lb_study` at the last ACKs.
        `entropies` (`65536`): How many entropy values there are to draw from (`EVS_SIZE`).
        `share` (`"auto"`): A larger share of marks than this is too much; `auto` is 0.25 in
            profile `reps`, 0.4 in `lb_study` (beta).
        `rounds` (`2`): Profile `reps`: so many congested rounds in a row make a flow move.
        `round` (`"auto"`): Profile `reps`: length of a round; `auto` is the unloaded round
            trip.
        `window` (`"auto"`): Profile `lb_study`: how many ACKs are looked at; `auto` is the BDP
            in packets.
        `hold` (`"auto"`): Profile `lb_study`: packets between two changes (alpha); `auto` is
            the BDP in packets.
        """
        return _given(
            scheme="plb",
            profile=profile,
            entropies=entropies,
            share=share,
            rounds=rounds,
            round=round,
            window=window,
            hold=hold,
        )

    @staticmethod
    @checked
    def flowlet(
        *,
        entropies: int | None = None,
        gap: str | None = None,
        gap_since: Literal["ack", "packet"] | None = None,
        hold: str | None = None,
    ) -> Section:
        """Flowlet switching. A flow moves to a random path after a gap. Keeps packets nearly in
        order; flows that never pause hardly ever move.

        `entropies` (`65536`): How many entropy values there are to draw from (`EVS_SIZE`).
        `gap` (`"auto"`): A longer gap than this ends a flowlet; `auto` is half of the unloaded
            round trip.
        `gap_since` (`"ack"`): What a gap follows: the flow's last `ack`, or its last `packet`.
        `hold` (`"auto"`): A flowlet lasts longer than this, but for the first; `auto` is the
            retransmission timeout.
        """
        return _given(
            scheme="flowlet",
            entropies=entropies,
            gap=gap,
            gap_since=gap_since,
            hold=hold,
        )

    @staticmethod
    @checked
    def mprdma(
        *,
        entropies: int | None = None,
    ) -> Section:
        """MP-RDMA, paths clocked by ACKs. A packet follows the path of the ACK that let it go,
        else takes a random one. Shifts load away from slow paths without state per path.

        `entropies` (`65536`): How many entropy values there are to draw from (`EVS_SIZE`).
        """
        return _given(scheme="mprdma", entropies=entropies)

    @staticmethod
    @checked
    def reps_legacy(
        *,
        entropies: int | None = None,
        walk: int | Literal["auto"] | None = None,
    ) -> Section:
        """Recycled entropies, before the ring. Reuses the entropies of unmarked ACKs from a queue
        without bound, else draws at random. Cannot freeze; for comparison with REPS.

        `entropies` (`65536`): How many entropy values there are (`EVS_SIZE`).
        `walk` (`"auto"`): Packets at the start that take entropies 1, 2, 3 and so on; `auto` is
            1.5 BDP. Not more than `entropies`.
        """
        return _given(scheme="reps_legacy", entropies=entropies, walk=walk)

    @staticmethod
    @checked
    def host_dr(
        *,
        order: Literal["digit_reversal", "random"] | None = None,
        knows: Literal["at_once", "converged"] | None = None,
    ) -> Section:
        """HOST DR: destination-based rotation in hosts. Each packet, data or ACK, is routed
        through the next of the common switches of both ends, in a rotation kept per destination
        host. Needs switches that follow routes (`source_route`).

        `order` (`"digit_reversal"`): In which order a pointer goes through the routes:
            `digit_reversal` takes all first hops before it comes to one again, `random` is any
            order.
        `knows` (`"at_once"`): When a host knows which routes are left: `at_once`, or when
            switches have `converged`.
        """
        return _given(scheme="host_dr", order=order, knows=knows)

    @staticmethod
    @checked
    def planned() -> Section:
        """Paths from a planner. A flow keeps the path that the planner has given it, and gets
        another when packets are lost. Comes with a `planner` by itself."""
        return _given(scheme="planned")

    @staticmethod
    @checked
    def mrc(
        *,
        active: int | None = None,
        backup: int | None = None,
        min_active: float | None = None,
        repeat: bool | None = None,
        order: Literal["shuffle", "fixed"] | None = None,
        skip: Literal["token", "rotation", "time"] | None = None,
        skip_time: str | None = None,
        on_mark: Literal["skip", "swap"] | None = None,
        balance: Literal["planes", "evs"] | None = None,
        late_ack_revives: bool | None = None,
        probes: int | None = None,
        probe_interval: str | None = None,
        return_to: Literal["backup", "active"] | None = None,
        port_status: Literal["update", "off"] | None = None,
        remap_delay: str | None = None,
    ) -> Section:
        """MRC: entropy values of known health over all planes. Rotates over a set of entropy
        values, the same share in each plane. Passes over one that was marked or trimmed,
        retires one that lost a packet, and probes it until it lives. Names the plane of each
        packet itself.

        `active` (`128`): Entropy values that are rotated over, in all planes together; one a
            plane at least.
        `backup` (`64`): Spares, in all planes together.
        `min_active` (`0.25`): A value is not retired where a smaller share of all would be
            left.
        `repeat` (`false`): Whether values have several turns in a rotation where there are
            fewer paths than `active`; else the set is smaller.
        `order` (`"shuffle"`): In which order the rotation goes: `shuffle` or `fixed`.
        `skip` (`"token"`): How long a value that was marked is passed over: `token`, `rotation`
            or `time`.
        `skip_time` (`"auto"`): The time of `skip = "time"`; `auto` is one unloaded round trip.
        `on_mark` (`"skip"`): What a mark or a trim does: `skip` or `swap`.
        `balance` (`"planes"`): Who has the turns of a retired value without a spare: `planes`
            or `evs`.
        `late_ack_revives` (`false`): Whether an ACK for a packet on a retired value brings it
            back.
        `probes` (`3`): Probes in a row that a retired value has to answer.
        `probe_interval` (`"auto"`): Time between probes of a value; `auto` is the
            retransmission timeout.
        `return_to` (`"backup"`): What a value is that is back: `backup`, a spare where no place
            is vacant, or `active`, in the place of a spare.
        `port_status` (`"update"`): How a host learns which ports of its peer are dead: `update`
            or `off`.
        `remap_delay` (`"0 ps"`): How long after that word a host goes by it.
        """
        return _given(
            scheme="mrc",
            active=active,
            backup=backup,
            min_active=min_active,
            repeat=repeat,
            order=order,
            skip=skip,
            skip_time=skip_time,
            on_mark=on_mark,
            balance=balance,
            late_ack_revives=late_ack_revives,
            probes=probes,
            probe_interval=probe_interval,
            return_to=return_to,
            port_status=port_status,
            remap_delay=remap_delay,
        )


class plane:
    """Planes: `transport.plane`."""

    @staticmethod
    @checked
    def hash() -> Section:
        """A plane for each flow. Each flow stays in a plane that a hash of it names; while that is
        out, in one of the others. Packets stay in order, but flows may collide and a flow is no
        faster than one port."""
        return _given(scheme="hash")

    @staticmethod
    @checked
    def round_robin() -> Section:
        """Planes in turn. The packets of a flow take the planes in turn, from a random one on. A
        flow may be as fast as all ports of its host together."""
        return _given(scheme="round_robin")

    @staticmethod
    @checked
    def random() -> Section:
        """A random plane for each packet. Each packet takes any usable plane, each as likely as
        any other. A flow may be as fast as all ports of its host together, but for packets that
        wait for one of them while another is free."""
        return _given(scheme="random")

    @staticmethod
    @checked
    def least_queued() -> Section:
        """The plane with the shortest line. Each packet takes the usable plane at whose port of
        the host the fewest flows and frames wait; of equals the first behind the last one
        taken. Ports that are slow or paused get less; what happens further on it does not see."""
        return _given(scheme="least_queued")


class switch:
    """Switch load balancing: `fabric.load_balance`."""

    @staticmethod
    @checked
    def ecmp() -> Section:
        """Equal-cost multi-path hashing. Hashes flow and entropy with a salt per switch. What
        hosts' schemes steer by."""
        return _given(scheme="ecmp")

    @staticmethod
    @checked
    def simple_rr(
        *,
        start: Literal["first", "random"] | None = None,
        small: str | int | None = None,
    ) -> Section:
        """Round robin over the ports, never reset. Every packet takes the next port. The textbook
        scheme: even on each switch's own links, uneven where flows meet further down.

        `start` (`"first"`): Where pointers stand at first: `first`, at the first port, all
            switches alike, or `random`, anywhere, as if packets had passed before.
        `small` (`"0 B"`): Frames smaller than this (ACKs) rotate apart from the others; `0 B`
            for one pointer for all (LB study).
        """
        return _given(scheme="simple_rr", start=start, small=small)

    @staticmethod
    @checked
    def round_robin(
        *,
        rounds: int | None = None,
    ) -> Section:
        """Round robin, shuffled every few rounds. Every packet takes the next port; after some
        rounds the ports come into a new random order, so that switches do not stay in step.

        `rounds` (`5`): Rounds after which the order is drawn anew (LB study: 5; other
            simulators also use 1).
        """
        return _given(scheme="round_robin", rounds=rounds)

    @staticmethod
    @checked
    def rsq() -> Section:
        """A random port for every packet. Each switch draws a port for each packet. What hosts do
        with random entropies, in the switch; queues grow with the square root of the message."""
        return _given(scheme="rsq")

    @staticmethod
    @checked
    def jsq() -> Section:
        """Join the shortest queue. Each packet takes the port with the fewest bytes queued; among
        equals one is drawn. Ideal knowledge of one's own queues, and none of those behind."""
        return _given(scheme="jsq")

    @staticmethod
    @checked
    def adaptive_roce(
        *,
        mode: Literal["paper", "artifact"] | None = None,
    ) -> Section:
        """Adaptive RoCE. Each packet, data or ACK, takes the port with the fewest bytes queued;
        among equals the first of an order drawn once per switch.

        `mode` (`"paper"`): Whose algorithm: `paper` or `artifact`.
        """
        return _given(scheme="adaptive_roce", mode=mode)

    @staticmethod
    @checked
    def quantized_adaptive(
        *,
        first: float | None = None,
        second: float | None = None,
        third: float | None = None,
        hash_below: str | int | None = None,
    ) -> Section:
        """Adaptive routing on quantised queues. Queues fall into four bins by how full they are;
        each packet takes a port drawn from the lowest bin that has any.

        `first` (`5.0`): Below this share of the buffer a queue is in the first bin, in per cent
            (LB study: 5).
        `second` (`10.0`): Below this in the second (LB study: 10).
        `third` (`20.0`): Below this in the third, else in the last (LB study: 20).
        `hash_below` (`"0 B"`): Smaller frames are hashed instead (`0 B`: none; other
            simulators: 100 B).
        """
        return _given(
            scheme="quantized_adaptive",
            first=first,
            second=second,
            third=third,
            hash_below=hash_below,
        )

    @staticmethod
    @checked
    def ofan(
        *,
        variant: Literal["standard", "shortest_first", "unweighted"] | None = None,
        small: str | int | None = None,
        shared: bool | None = None,
    ) -> Section:
        """OFAN: destination-based rotation in switches. Each packet takes the next port of a
        rotation kept per destination edge switch (per pod above the edge) and size class, in
        random order, weighted by capacity.

        `variant` (`"standard"`): Which OFAN: `standard`, random orders and starts, schedules by
            weight; `shortest_first`, the study's first variant (V1), for fabrics without
            failures, a pointer starts at the shortest queue and goes through the ports in their
            own order; `unweighted`, its second (V2), every port that leads to the destination
            has the same weight.
        `small` (`"128 B"`): Frames smaller than this (ACKs) rotate apart from the others; `0 B`
            for one class (LB study: anything between an ACK and a data packet).
        `shared` (`false`): Edge switches keep one schedule per destination pod instead of one
            per edge switch, and skip ports that do not lead there (spec 2.4, shared schedules).
        """
        return _given(scheme="ofan", variant=variant, small=small, shared=shared)

    @staticmethod
    @checked
    def letflow(
        *,
        timeout: str | None = None,
        detection: Literal["age_bit", "exact"] | None = None,
        entries: int | None = None,
    ) -> Section:
        """LetFlow. Each switch sends a flow's packets through one port until the flow pauses, then
        through a random one. Flows that never pause stay where they are.

        `timeout` (`"500 us"`): A longer pause than this ends a flowlet (LetFlow: 500 us).
        `detection` (`"age_bit"`): How pauses are told: `age_bit`, after one to two timeouts, or
            `exact`.
        `entries` (`65536`): Entries of each switch's flowlet table, which flows are hashed to
            (CONGA: 64 Ki).
        """
        return _given(scheme="letflow", timeout=timeout, detection=detection, entries=entries)

    @staticmethod
    @checked
    def drill(
        *,
        samples: int | None = None,
        memory: int | None = None,
    ) -> Section:
        """DRILL(d, m). Each packet takes the shortest of a few random queues and of those that
        were shortest last time. Nearly as good as all queues, at a fraction of the comparisons.

        `samples` (`2`): Ports drawn for each packet: d (DRILL: 2).
        `memory` (`1`): Least loaded ports remembered for the next packet: m (DRILL: 1).
        """
        return _given(scheme="drill", samples=samples, memory=memory)

    @staticmethod
    @checked
    def source_route() -> Section:
        """Source routing. The host names the ports in the entropy, the switch follows. For host
        schemes that choose whole routes (`host_dr`)."""
        return _given(scheme="source_route")

    @staticmethod
    @checked
    def ecmp_linear() -> Section:
        """Equal-cost multi-path by a linear hash. Hashes the flow with a salt per switch and takes
        the entropy's bits as they are, others in each tier. Lets ToRs name paths (`themis` in
        three tiers)."""
        return _given(scheme="ecmp_linear")

    @staticmethod
    @checked
    def valiant() -> Section:
        """By way of a random ToR. The first switch draws a ToR for each packet, which goes there
        first and then to its destination, by a random shortest way each. For circuits: any
        demand becomes two uniform ones, at half the capacity."""
        return _given(scheme="valiant")


class congestion:
    """Congestion control: `transport.congestion`."""

    @staticmethod
    @checked
    def mprdma_dctcp(
        *,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        increase: float | None = None,
        decrease: float | None = None,
        loss_decrease: float | None = None,
        fast_increase_after: str | None = None,
    ) -> Section:
        """DCTCP, MP-RDMA's variant. Grows by a packet per round trip and shrinks by a quarter of
        each marked packet. Indifferent to reordering; starts at line rate.

        `initial_window` (`"1.5 bdp"`): The window at the start.
        `max_window` (`"1.5 bdp"`): The window never grows beyond this.
        `min_window` (`"1 packets"`): The window never shrinks below this, nor below one packet.
        `increase` (`1.0`): Packets of growth per window of unmarked bytes.
        `decrease` (`0.25`): Share of the marked bytes by which the window shrinks: 0.25 in the
            REPS artifact, 0.5 in MP-RDMA itself.
        `loss_decrease` (`1.0`): Packets by which the window shrinks for each one lost or
            trimmed.
        `fast_increase_after` (`"auto"`): This long after the flow's first ACK, and from then
            on: once a window of bytes in a row was acknowledged unmarked and queued for less
            than 1 us, an unmarked ACK adds half of its bytes to the window besides, until an
            unmarked packet queues for longer; `auto` is never. The artifact's code for Figure 7
            of the REPS paper does so from 650 us of the run on; the paper does not mention it.
            There packets that are sent again count, too.
        """
        return _given(
            scheme="mprdma_dctcp",
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            increase=increase,
            decrease=decrease,
            loss_decrease=loss_decrease,
            fast_increase_after=fast_increase_after,
        )

    @staticmethod
    @checked
    def dctcp(
        *,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        slow_start: bool | None = None,
        increase: float | None = None,
        gain: float | None = None,
        initial_alpha: float | None = None,
        loss_decrease: float | None = None,
    ) -> Section:
        """Data Center TCP. Once per round trip, shrinks the window in proportion to the share of
        marked bytes. The classic; it starts slowly and takes loss for congestion.

        `initial_window` (`"10 packets"`): The window at the start (RFC 6928).
        `max_window` (`"unlimited"`): The window never grows beyond this.
        `min_window` (`"1 packets"`): The window never shrinks below this, nor below one packet;
            a timeout goes there.
        `slow_start` (`true`): Whether the window doubles each round trip until the first mark
            or loss.
        `increase` (`1.0`): Packets of growth per round trip after that.
        `gain` (`0.0625`): Weight of the newest window of data in the average share of marked
            bytes (g).
        `initial_alpha` (`1.0`): The average at the start.
        `loss_decrease` (`0.5`): Share of the window that a loss costs.
        """
        return _given(
            scheme="dctcp",
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            slow_start=slow_start,
            increase=increase,
            gain=gain,
            initial_alpha=initial_alpha,
            loss_decrease=loss_decrease,
        )

    @staticmethod
    @checked
    def fixed_rate(
        *,
        rate: str | None = None,
        pacing: Literal["spacing", "slots"] | None = None,
        slots: Literal["together", "spread", "shuffled"] | None = None,
        window: str | int | None = None,
    ) -> Section:
        """Fixed rate. A constant pace and an optional window; reacts to nothing.

        `rate` (`"auto"`): The pace; `auto` is line rate, unpaced; `rho_max` is what every flow
            can have at once when each is split equally over its shortest paths that faults
            leave; for flows that all begin together. `0.97 rho_max` leaves room for ACKs, which
            rho_max does not count.
        `pacing` (`"spacing"`): What a packet that leaves late does to those after it:
            `spacing`, the next one leaves an interval after the start of this one, so that no
            flow is ever faster than its pace; or `slots`, they keep their places on a grid, and
            a flow makes up at line rate for those that it missed while it waited for its NIC.
        `slots` (`"spread"`): Where the slots of a host's flows lie: `spread` over a round, the
            time in which each flow of the host has one slot, so that the host sends at an even
            pace; `shuffled`, so spread in a new order in each round, drawn from the run's seed,
            whatever the traffic, with `pacing = "slots"`; or `together`, from each flow's start
            on.
        `window` (`"unlimited"`): At most this much in flight.
        """
        return _given(scheme="fixed_rate", rate=rate, pacing=pacing, slots=slots, window=window)

    @staticmethod
    @checked
    def swift(
        *,
        queue: str | int | None = None,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        increase: float | None = None,
        decrease: float | None = None,
        max_decrease: float | None = None,
        scaling_range: float | None = None,
        scaling_min: str | int | None = None,
        scaling_max: str | int | None = None,
        reset_after: int | None = None,
    ) -> Section:
        """Swift. Steers the round trip to a target. Needs no marks; made for one path, its window
        collapses when few of many paths are slow.

        `queue` (`"113 kB"`): Queueing that the target delay allows; the target is the unloaded
            round trip plus the time this takes at the flow's rate.
        `initial_window` (`"auto"`): The window at the start; `auto` is what the flow's rate
            carries in the target delay.
        `max_window` (`"unlimited"`): The window never grows beyond this.
        `min_window` (`"0.1 packets"`): The window never shrinks below this; below one packet it
            is a pace.
        `increase` (`1.0`): Packets of growth per round trip below the target (ai).
        `decrease` (`0.8`): Share of the excess delay, relative to the delay, by which the
            window shrinks (beta).
        `max_decrease` (`0.5`): The largest share of the window that one reduction takes
            (max_mdf); a loss takes it.
        `scaling_range` (`5.0`): A flow with the smallest window has a target higher by this
            many targets (fs_range).
        `scaling_min` (`"0.1 packets"`): At this window and below the target is raised by the
            whole range (fs_min_cwnd).
        `scaling_max` (`"auto"`): From this window on the target is not raised (fs_max_cwnd);
            `auto` is the initial window. Not above `scaling_min`: no flow scaling.
        `reset_after` (`5`): After so many timeouts without an ACK the window goes to its
            minimum.
        """
        return _given(
            scheme="swift",
            queue=queue,
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            increase=increase,
            decrease=decrease,
            max_decrease=max_decrease,
            scaling_range=scaling_range,
            scaling_min=scaling_min,
            scaling_max=scaling_max,
            reset_after=reset_after,
        )

    @staticmethod
    @checked
    def mswift(
        *,
        queue: str | int | None = None,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        increase: float | None = None,
        decrease: float | None = None,
        max_decrease: float | None = None,
        scaling_range: float | None = None,
        scaling_min: str | int | None = None,
        scaling_max: str | int | None = None,
        reset_after: int | None = None,
        gaps_are_losses: bool | None = None,
        samples: int | Literal["auto"] | None = None,
    ) -> Section:
        """MSwift, Swift for sprayed packets. Swift steered by the median of recent round trips,
        unmoved by reordering. For schemes that spray packets over unequal paths.

        `queue` (`"113 kB"`): Queueing that the target delay allows; the target is the unloaded
            round trip plus the time this takes at the flow's rate.
        `initial_window` (`"auto"`): The window at the start; `auto` is what the flow's rate
            carries in the target delay.
        `max_window` (`"unlimited"`): The window never grows beyond this.
        `min_window` (`"0.1 packets"`): The window never shrinks below this; below one packet it
            is a pace.
        `increase` (`1.0`): Packets of growth per round trip below the target (ai).
        `decrease` (`0.8`): Share of the excess delay, relative to the delay, by which the
            window shrinks (beta).
        `max_decrease` (`0.5`): The largest share of the window that one reduction takes
            (max_mdf); a loss takes it.
        `scaling_range` (`5.0`): A flow with the smallest window has a target higher by this
            many targets (fs_range).
        `scaling_min` (`"0.1 packets"`): At this window and below the target is raised by the
            whole range (fs_min_cwnd).
        `scaling_max` (`"auto"`): From this window on the target is not raised (fs_max_cwnd);
            `auto` is the initial window. Not above `scaling_min`: no flow scaling.
        `reset_after` (`5`): After so many timeouts without an ACK the window goes to its
            minimum.
        `gaps_are_losses` (`false`): Whether a packet that others overtook counts as lost, as in
            Swift.
        `samples` (`"auto"`): The most round trips the median is taken of; `auto` is the initial
            window in packets.
        """
        return _given(
            scheme="mswift",
            queue=queue,
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            increase=increase,
            decrease=decrease,
            max_decrease=max_decrease,
            scaling_range=scaling_range,
            scaling_min=scaling_min,
            scaling_max=scaling_max,
            reset_after=reset_after,
            gaps_are_losses=gaps_are_losses,
            samples=samples,
        )

    @staticmethod
    @checked
    def nscc(
        *,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        target: str | None = None,
        proportional_increase: float | None = None,
        fair_increase: float | None = None,
        steady_increase: float | None = None,
        fast_increase: float | None = None,
        decrease: float | None = None,
        max_decrease: float | None = None,
        delay_gain: float | None = None,
        quick_adapt_gate: int | Literal["auto"] | None = None,
        quick_adapt_delay: bool | None = None,
    ) -> Section:
        """NSCC, Ultra Ethernet's sender control. Steers by marks and delay together: grows towards
        a target delay, shrinks only where marks and delay agree. Made for packet spraying with
        trimming.

        `initial_window` (`"1.5 bdp"`): The window at the start.
        `max_window` (`"1.5 bdp"`): The window never grows beyond this.
        `min_window` (`"1 packets"`): The window never shrinks below this, nor below one packet.
        `target` (`"auto"`): Queueing delay aimed at; `auto` is 0.75 unloaded round trips if
            switches trim, else one.
        `proportional_increase` (`4.0`): Payloads of growth per window with empty queues, for a
            target of 12 us in the reference network of 150 kB; proportional to what is left to
            the target.
        `fair_increase` (`5.0`): Payloads of growth per clean window at the target delay and
            above, in the reference network.
        `steady_increase` (`0.15`): Payloads of growth per unloaded round trip, whatever the
            signals, in the reference network.
        `fast_increase` (`0.25`): Growth per byte acknowledged after a window of delays below 1
            us, in the reference network.
        `decrease` (`0.8`): Share of the average delay's excess by which the window shrinks.
        `max_decrease` (`0.5`): The largest share of the window that one decrease takes.
        `delay_gain` (`0.0125`): Weight of a sample in the average delay.
        `quick_adapt_gate` (`3`): Quick adapt needs less than the maximum window over 2 to this
            power to have got through; `auto` is no quick adapt.
        `quick_adapt_delay` (`true`): Whether a delay above 4 targets is a reason for quick
            adapt, beside losses. Ultra Ethernet 1.0 has it so only where switches do not trim,
            its simulator everywhere.
        """
        return _given(
            scheme="nscc",
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            target=target,
            proportional_increase=proportional_increase,
            fair_increase=fair_increase,
            steady_increase=steady_increase,
            fast_increase=fast_increase,
            decrease=decrease,
            max_decrease=max_decrease,
            delay_gain=delay_gain,
            quick_adapt_gate=quick_adapt_gate,
            quick_adapt_delay=quick_adapt_delay,
        )

    @staticmethod
    @checked
    def eqds(
        *,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        pull_rate: float | None = None,
        packets_per_pull: int | None = None,
        retry: str | None = None,
    ) -> Section:
        """EQDS, receiver credits. Each receiver paces its senders by credits just below its link's
        rate; the first window goes unsolicited. Incasts drain without standing queues; wants
        trimming.

        `initial_window` (`"1 bdp"`): What a sender sends without credit; at least one packet.
        `max_window` (`"1.5 bdp"`): The most that a sender may have unsolicited, credited and on
            its way; not less than the initial window.
        `pull_rate` (`0.99`): The pace of credits, as a share of the receiver's link.
        `packets_per_pull` (`4`): Packets that one pull lets go.
        `retry` (`"auto"`): A sender that got no credit and no ACK for this long asks again;
            `auto` is the retransmission timeout.
        """
        return _given(
            scheme="eqds",
            initial_window=initial_window,
            max_window=max_window,
            pull_rate=pull_rate,
            packets_per_pull=packets_per_pull,
            retry=retry,
        )

    @staticmethod
    @checked
    def ndp(
        *,
        initial_window: str | int | None = None,
        pull_rate: float | None = None,
        packets_per_pull: int | None = None,
        pacer: Literal["host", "flow"] | None = None,
        retry: str | None = None,
    ) -> Section:
        """NDP, pulls by the packet. A first window at line rate, then a pull for each packet or
        trimmed header that arrives, at the rate of the receiver's link. Its first window has to
        fill the path.

        `initial_window` (`"20 packets"`): What a sender sends without a pull, and the most that
            it has on its way; at least one packet.
        `pull_rate` (`1.0`): The pace of pulls, as a share of the receiver's link.
        `packets_per_pull` (`1`): Packets that one pull lets go.
        `pacer` (`"host"`): Whose pulls have that pace together: those of a host, or each flow's
            by themselves.
        `retry` (`"auto"`): A sender that got no pull and no ACK for this long asks for one;
            `auto` is the retransmission timeout.
        """
        return _given(
            scheme="ndp",
            initial_window=initial_window,
            pull_rate=pull_rate,
            packets_per_pull=packets_per_pull,
            pacer=pacer,
            retry=retry,
        )

    @staticmethod
    @checked
    def dcqcn(
        *,
        profile: Literal["paper", "hpcc", "themis", "conweave"] | None = None,
        cnp: Literal["frame", "echo", "auto"] | None = None,
        cnp_interval: str | None = None,
        cnp_delay: str | None = None,
        cut: Literal["at_once", "polled", "auto"] | None = None,
        cut_interval: str | None = None,
        gain: float | None = None,
        alpha_update: Literal["cnp", "timer", "auto"] | None = None,
        alpha_interval: str | None = None,
        alpha_from: Literal["first_cnp", "start"] | None = None,
        increase_interval: str | None = None,
        byte_counter: str | int | None = None,
        fast_recovery: int | Literal["auto"] | None = None,
        increase: str | None = None,
        hyper_increase: str | None = None,
        min_rate: str | None = None,
        clamp_target: bool | Literal["auto"] | None = None,
        on_loss: Literal["cnp", "reset", "episode", "none"] | None = None,
        losses: Literal["all", "nacks", "nic_nacks", "auto"] | None = None,
        window: str | int | None = None,
    ) -> Section:
        """DCQCN. Cuts the rate on congestion notifications of the receiver and recovers it by
        timers: what RDMA NICs do.

        `profile` (`"paper"`): Whose values the parameters have that are `auto`: `paper`,
            `hpcc`, `themis` or `conweave`.
        `cnp` (`"auto"`): How the sender hears of marks: `frame`, by frames of the receiver, or
            `echo`, by each ACK.
        `cnp_interval` (`"auto"`): Least time between two CNP frames of a flow.
        `cnp_delay` (`"0 ps"`): How long the receiver's NIC takes before it sends one.
        `cut` (`"auto"`): When a CNP cuts the rate: `at_once`, or `polled`, at instants an
            interval apart.
        `cut_interval` (`"auto"`): Least time between two cuts, or the time between those
            instants.
        `gain` (`0.00390625`): Weight of the newest news in alpha (g).
        `alpha_update` (`"auto"`): When alpha grows: `cnp`, at each cut, or `timer`, at
            intervals in which a CNP came.
        `alpha_interval` (`"auto"`): Interval at which alpha decays.
        `alpha_from` (`"first_cnp"`): Since when it changes: `first_cnp` or `start`.
        `increase_interval` (`"auto"`): Interval of increases.
        `byte_counter` (`"auto"`): Bytes sent from increase to increase; `unlimited` is no byte
            counter.
        `fast_recovery` (`"auto"`): Increases in which the target stays.
        `increase` (`"auto"`): Step of the target after that.
        `hyper_increase` (`"auto"`): Step of the target in hyper increase.
        `min_rate` (`"100 Mbps"`): The rate never falls below this, nor below 10^-5 of the
            line's, so that packets leave within any run.
        `clamp_target` (`"auto"`): Whether every cut sets the target to the rate before it; else
            only the first since an increase.
        `on_loss` (`"cnp"`): What a NACK, a timeout or another loss does to the rate: `cnp`,
            what a CNP does, `episode`, the same once until all that was sent before has
            arrived, `reset`, the minimum, or `none`.
        `losses` (`"auto"`): Which losses do: `all`, `nacks`, all but timeouts, or `nic_nacks`,
            neither timeouts nor NACKs that a switch made.
        `window` (`"unlimited"`): Most bytes in flight.
        """
        return _given(
            scheme="dcqcn",
            profile=profile,
            cnp=cnp,
            cnp_interval=cnp_interval,
            cnp_delay=cnp_delay,
            cut=cut,
            cut_interval=cut_interval,
            gain=gain,
            alpha_update=alpha_update,
            alpha_interval=alpha_interval,
            alpha_from=alpha_from,
            increase_interval=increase_interval,
            byte_counter=byte_counter,
            fast_recovery=fast_recovery,
            increase=increase,
            hyper_increase=hyper_increase,
            min_rate=min_rate,
            clamp_target=clamp_target,
            on_loss=on_loss,
            losses=losses,
            window=window,
        )

    @staticmethod
    @checked
    def hpcc(
        *,
        base_rtt: str | None = None,
        target: float | None = None,
        max_stage: int | None = None,
        increase: str | None = None,
        min_rate: str | None = None,
        every: Literal["ack", "rtt"] | None = None,
        telemetry: str | int | None = None,
    ) -> Section:
        """HPCC. Steers links to 95 % and queues to almost nothing by what switches say of them.
        Needs telemetry from switches; made for one path.

        `base_rtt` (`"auto"`): The round trip without queues that windows refer to (T); the
            paper takes the longest of the fabric for all flows. `auto` is the flow's own.
        `target` (`0.95`): The share of a link that the scheme means to fill (eta).
        `max_stage` (`5`): So many additive steps in a row before a multiplicative one
            (maxStage).
        `increase` (`"50 Mbps"`): What is added to the rate (W_AI over T).
        `min_rate` (`"100 Mbps"`): The rate never falls below this.
        `every` (`"ack"`): When the rate moves: at each `ack`, or once in each `rtt`, as in the
            TCP stack of PowerTCP's case study.
        `telemetry` (`"42 B"`): Bytes that telemetry takes in each data packet and each ACK: 8
            for each of 5 hops, and 2.
        """
        return _given(
            scheme="hpcc",
            base_rtt=base_rtt,
            target=target,
            max_stage=max_stage,
            increase=increase,
            min_rate=min_rate,
            every=every,
            telemetry=telemetry,
        )

    @staticmethod
    @checked
    def powertcp(
        *,
        profile: Literal["thesis", "ns3"] | None = None,
        base_rtt: str | None = None,
        gain: float | None = None,
        increase: str | None = None,
        target: float | Literal["auto"] | None = None,
        current_floor: float | None = None,
        min_rate: str | None = None,
        first_ack: Literal["stored", "counted", "auto"] | None = None,
        initial_window: str | int | None = None,
        every: Literal["ack", "rtt"] | None = None,
        telemetry: str | int | None = None,
    ) -> Section:
        """PowerTCP. Brings the bottleneck back to an almost empty queue in one round trip. Needs
        telemetry from switches; made for one path.

        `profile` (`"thesis"`): `thesis` follows the published algorithm: the window of a round
            trip ago, averaged with the present one at every ACK. `ns3` follows the released
            code: both are the rate of the last round trip's end, windows count payload, and
            rates have a least value.
        `base_rtt` (`"auto"`): The round trip without queues that windows refer to (tau); the
            paper takes the longest of the fabric for all flows. `auto` is the flow's own.
        `gain` (`0.9`): The weight of a new window (gamma).
        `increase` (`"150 Mbps"`): What is added to the rate; in a round trip, beta bytes of
            window.
        `target` (`"auto"`): Power is divided by this, the share of the link that the scheme
            means to fill; `auto` is 1 in `thesis` and 0.95 in `ns3`.
        `current_floor` (`0.5`): The least current of a hop, as a share of its rate.
        `min_rate` (`"auto"`): The rate never falls below this; `auto` is 100 Mbps in `ns3` and
            the increase in `thesis`, below which its window does not fall by itself.
        `first_ack` (`"auto"`): What a flow does with its first ACK: `stored`, it only keeps its
            telemetry to compare the next with, or `counted`, it compares it with a record of
            nothing, as the released code does, so that a new flow can brake at once. `auto` is
            `stored` in `thesis` and `counted` in `ns3`.
        `initial_window` (`"auto"`): What may be in flight before the first ACK has told of
            hops; `auto`: what the rate of the link gives in a base round trip. The released
            programs let a whole answer go.
        `every` (`"ack"`): When the window moves: at each `ack`, or once in each `rtt`, as in
            the text's case study of circuits.
        `telemetry` (`"42 B"`): Bytes that telemetry takes in each data packet and each ACK: 8
            for each of 5 hops, and 2.
        """
        return _given(
            scheme="powertcp",
            profile=profile,
            base_rtt=base_rtt,
            gain=gain,
            increase=increase,
            target=target,
            current_floor=current_floor,
            min_rate=min_rate,
            first_ack=first_ack,
            initial_window=initial_window,
            every=every,
            telemetry=telemetry,
        )

    @staticmethod
    @checked
    def theta_powertcp(
        *,
        profile: Literal["thesis", "ns3"] | None = None,
        base_rtt: str | None = None,
        gain: float | Literal["auto"] | None = None,
        increase: str | None = None,
        slack: float | Literal["auto"] | None = None,
        current_floor: float | None = None,
        min_rate: str | None = None,
        telemetry: str | int | None = None,
    ) -> Section:
        """Theta-PowerTCP. PowerTCP from round trips alone: as good for short flows, worse for long
        ones. Needs nothing from switches; made for one path.

        `profile` (`"thesis"`): `thesis` follows the published algorithm: a new window once per
            round trip. `ns3` follows the released code: a new rate at every ACK from that of
            the last round trip's end, windows that count payload, rates with a least value, and
            headers with room for telemetry.
        `base_rtt` (`"auto"`): The round trip without queues that windows refer to (tau); `auto`
            is the flow's own. In `ns3` it falls to the shortest round trip seen.
        `gain` (`"auto"`): The weight of a new window (gamma); `auto` is 0.9 in `thesis` and 0.7
            in `ns3`.
        `increase` (`"150 Mbps"`): What is added to the rate; in a round trip, beta bytes of
            window.
        `slack` (`"auto"`): Round trips are divided by this many base round trips; `auto` is 1
            in `thesis` and 1.05 in `ns3`.
        `current_floor` (`0.5`): The least current, as a share of the bottleneck's rate.
        `min_rate` (`"auto"`): The rate never falls below this; `auto` is 100 Mbps in `ns3` and
            the increase in `thesis`.
        `telemetry` (`"auto"`): Bytes that telemetry, which nobody reads, takes in each data
            packet and ACK; `auto` is 0 in `thesis` and 42 in `ns3`.
        """
        return _given(
            scheme="theta_powertcp",
            profile=profile,
            base_rtt=base_rtt,
            gain=gain,
            increase=increase,
            slack=slack,
            current_floor=current_floor,
            min_rate=min_rate,
            telemetry=telemetry,
        )

    @staticmethod
    @checked
    def timely(
        *,
        min_rtt: str | None = None,
        low: str | None = None,
        high: str | None = None,
        weight: float | None = None,
        decrease: float | None = None,
        increase: str | None = None,
        fast_increase: str | None = None,
        fast_after: int | None = None,
        min_rate: str | None = None,
        window: str | int | None = None,
        timestamp: str | int | None = None,
    ) -> Section:
        """TIMELY. Paces by how round trips change. Needs nothing from switches; does not control
        the queue.

        `min_rtt` (`"20 us"`): The round trip that gradients refer to.
        `low` (`"50 us"`): The rate grows while the round trip is shorter than this (T_low).
        `high` (`"500 us"`): Beyond this it falls, whatever the gradient (T_high).
        `weight` (`0.875`): The weight of a new difference of round trips (alpha).
        `decrease` (`0.8`): How strongly the rate falls (beta).
        `increase` (`"50 Mbps"`): What is added to the rate (delta).
        `fast_increase` (`"100 Mbps"`): What is added instead after so many additions in a row
            (hyperactive increase).
        `fast_after` (`5`): So many.
        `min_rate` (`"100 Mbps"`): The rate never falls below this.
        `window` (`"unlimited"`): At most so much in flight.
        `timestamp` (`"8 B"`): Bytes that the time of sending takes in each data packet and each
            ACK.
        """
        return _given(
            scheme="timely",
            min_rtt=min_rtt,
            low=low,
            high=high,
            weight=weight,
            decrease=decrease,
            increase=increase,
            fast_increase=fast_increase,
            fast_after=fast_after,
            min_rate=min_rate,
            window=window,
            timestamp=timestamp,
        )

    @staticmethod
    @checked
    def cubic(
        *,
        profile: Literal["rfc9438", "ns3"] | None = None,
        hystart: bool | Literal["auto"] | None = None,
        reno_friendly: bool | Literal["auto"] | None = None,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        scale: float | None = None,
        beta: float | None = None,
        fast_convergence: bool | None = None,
    ) -> Section:
        """CUBIC. Grows with the cube of the time since the last loss, at least as fast as Reno.
        What hosts run by default; it fills the queues.

        `profile` (`"rfc9438"`): Whose values the parameters have that are `auto`: `rfc9438`, or
            `ns3`, with HyStart and without the Reno-friendly region.
        `hystart` (`"auto"`): Whether slow start ends when round trips grow; `auto` is only in
            `ns3`.
        `reno_friendly` (`"auto"`): Whether the window grows as fast as Reno's at least; `auto`
            is not in `ns3`.
        `initial_window` (`"10 packets"`): The window at the start (RFC 6928).
        `max_window` (`"unlimited"`): The window never grows beyond this.
        `min_window` (`"1 packets"`): The window never shrinks below this, nor below one packet;
            a timeout goes there.
        `scale` (`0.4`): Packets per cubic second of growth (C).
        `beta` (`0.7`): Share of the window that a loss leaves (beta).
        `fast_convergence` (`true`): Whether a flow whose window shrank since the last loss
            makes room for others.
        """
        return _given(
            scheme="cubic",
            profile=profile,
            hystart=hystart,
            reno_friendly=reno_friendly,
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            scale=scale,
            beta=beta,
            fast_convergence=fast_convergence,
        )

    @staticmethod
    @checked
    def reno(
        *,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
        beta: float | None = None,
    ) -> Section:
        """Reno. Adds a packet each round trip and halves after a loss. The oldest of TCP's
        controls that is still a baseline; it fills the queues.

        `initial_window` (`"10 packets"`): The window at the start (RFC 6928).
        `max_window` (`"unlimited"`): The window never grows beyond this.
        `min_window` (`"1 packets"`): The window never shrinks below this, nor below one packet;
            a timeout goes there.
        `beta` (`0.5`): Share of the window that a loss leaves.
        """
        return _given(
            scheme="reno",
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
            beta=beta,
        )

    @staticmethod
    @checked
    def retcp(
        *,
        base: Literal["reno", "cubic"] | None = None,
        factor: float | None = None,
        initial_window: str | int | None = None,
        max_window: str | int | None = None,
        min_window: str | int | None = None,
    ) -> Section:
        """ReTCP. Multiplies its window when ACKs tell of a circuit, and divides it when they no
        longer do. For ToRs with circuits beside a packet network; wants queues that grow ahead
        of the day.

        `base` (`"reno"`): The TCP below: `reno` or `cubic`, with their defaults.
        `factor` (`2.0`): What the window is multiplied by while there is a circuit.
        `initial_window` (`"10 packets"`): The window at the start.
        `max_window` (`"unlimited"`): The window never grows beyond this.
        `min_window` (`"1 packets"`): The window never shrinks below this, nor below one packet;
            a timeout goes there.
        """
        return _given(
            scheme="retcp",
            base=base,
            factor=factor,
            initial_window=initial_window,
            max_window=max_window,
            min_window=min_window,
        )

    @staticmethod
    @checked
    def homa(
        *,
        rtt_bytes: str | int | None = None,
        overcommitment: int | Literal["auto"] | None = None,
        unscheduled_classes: int | Literal["auto"] | None = None,
        cutoffs: str | int | Sequence[str | int] | None = None,
        resend: str | None = None,
    ) -> Section:
        """Homa, grants to the shortest messages. Receivers grant the messages that lack the least,
        and choose the data class of each packet; the first round trip goes unscheduled, short
        messages above long ones. Wants several data classes served by priority.

        `rtt_bytes` (`"1 bdp"`): RTTbytes: what a sender sends without a grant, and what a
            receiver keeps granted and not arrived of each message that it grants; at least one
            packet.
        `overcommitment` (`"auto"`): How many messages a receiver grants at a time; `auto` is
            one for each class of granted packets.
        `unscheduled_classes` (`"auto"`): How many of the data classes unscheduled packets have:
            the highest ones, and all but one at most; `auto` is the share of unscheduled bytes
            in those of the run's messages, or what `cutoffs` divide where they are given. With
            one data class all packets share it.
        `cutoffs` (`"auto"`): The largest message of each class of unscheduled packets but the
            last, from the highest class on; `auto` gives each as many unscheduled bytes of the
            run's messages.
        `resend` (`"auto"`): A receiver that has heard nothing of a message for this long asks
            for what is missing; `auto` is 50 us, or two unloaded round trips if they take
            longer.
        """
        return _given(
            scheme="homa",
            rtt_bytes=rtt_bytes,
            overcommitment=overcommitment,
            unscheduled_classes=unscheduled_classes,
            cutoffs=cutoffs,
            resend=resend,
        )


class recovery:
    """Recovery: `transport.recovery`."""

    @staticmethod
    @checked
    def sack(
        *,
        rto: str | None = None,
        ack_every: int | None = None,
        ack_entropies: Literal["trigger", "carry"] | None = None,
        reorder_threshold: int | Literal["auto"] | None = None,
    ) -> Section:
        """Selective acknowledgement. Any order at the receiver, bitmap ACKs, timeout per packet,
        NACK on trim.

        `rto` (`"auto"`): Retransmission timeout; `auto` is the fabric's longest unloaded round
            trip plus the time to drain 4 full queues.
        `ack_every` (`1`): Packets per ACK.
        `ack_entropies` (`"trigger"`): What a coalesced ACK tells of entropies: `trigger` or
            `carry`.
        `reorder_threshold` (`"auto"`): Packets missing while a packet more than this far ahead
            has arrived are sent again, at most once per unloaded round trip; `auto` is never.
        """
        return _given(
            scheme="sack",
            rto=rto,
            ack_every=ack_every,
            ack_entropies=ack_entropies,
            reorder_threshold=reorder_threshold,
        )

    @staticmethod
    @checked
    def erasure(
        *,
        timeout: str | None = None,
    ) -> Section:
        """Ideal erasure coding. Any m packets complete a message of m; for comparing load
        balancers alone.

        `timeout` (`"auto"`): A symbol not acknowledged for so long counts as lost; `auto` is
            the unloaded round trip plus the time to drain 5 full queues (46.25 us in the
            study), and `never` where queues are unlimited and there are no faults.
        """
        return _given(scheme="erasure", timeout=timeout)

    @staticmethod
    @checked
    def rnic_sr(
        *,
        rto: str | None = None,
        resend: Literal["go_back", "single"] | None = None,
        window: int | None = None,
    ) -> Section:
        """Selective repeat of commodity RNICs. Cumulative ACKs, a NACK at the first packet out of
        order, and a timeout of milliseconds. What RDMA NICs do; spraying misleads it.

        `rto` (`"4 ms"`): Timeout of a flow, from the last time that its first unacknowledged
            packet changed.
        `resend` (`"go_back"`): What a timeout sends again: `go_back`, all that is
            unacknowledged, or `single`, the first unacknowledged packet.
        `window` (`512`): Most packets from the first unacknowledged one to the newest, both
            included.
        """
        return _given(scheme="rnic_sr", rto=rto, resend=resend, window=window)

    @staticmethod
    @checked
    def go_back_n(
        *,
        rto: str | None = None,
        mute: str | None = None,
        mute_about: Literal["flow", "packet"] | None = None,
    ) -> Section:
        """Go-back-N. Receivers keep packets in order alone; a gap sends everything again. For one
        path per flow, best without loss.

        `rto` (`"1 ms"`): Timeout of a flow, from the last time that its first unacknowledged
            packet changed.
        `mute` (`"auto"`): How long a receiver sends no other NACK after one; `auto` is the
            unloaded round trip of its flow.
        `mute_about` (`"flow"`): What it is mute about: `flow`, any gap, or `packet`, one before
            the same packet.
        """
        return _given(scheme="go_back_n", rto=rto, mute=mute, mute_about=mute_about)

    @staticmethod
    @checked
    def timeout_only(
        *,
        rto: str | None = None,
        resend: Literal["go_back", "single"] | None = None,
        window: int | None = None,
    ) -> Section:
        """RNICs without NACKs. RNICs whose NACKs never arrive: reordering does no harm, and each
        loss costs a timeout.

        `rto` (`"4 ms"`): Timeout of a flow, from the last time that its first unacknowledged
            packet changed.
        `resend` (`"go_back"`): What a timeout sends again: `go_back`, all that is
            unacknowledged, or `single`, the first unacknowledged packet.
        `window` (`512`): Most packets from the first unacknowledged one to the newest, both
            included.
        """
        return _given(scheme="timeout_only", rto=rto, resend=resend, window=window)

    @staticmethod
    @checked
    def tcp(
        *,
        profile: Literal["ns3", "modern"] | None = None,
        min_rto: str | None = None,
        initial_rto: str | None = None,
        max_rto: str | None = None,
    ) -> Section:
        """TCP's loss recovery. Selective acknowledgements, proportional rate reduction, a timeout
        that follows round trips. What goes with TCP's congestion controls: it holds behind deep
        queues.

        `profile` (`"modern"`): How losses are found: `modern`, by RACK and a tail loss probe,
            or `ns3`, by three later packets.
        `min_rto` (`"10 ms"`): Shortest retransmission timeout. The default is that of ABM,
            Credence and DCTCP's deployments; hosts have 200 ms unless they are told otherwise.
        `initial_rto` (`"auto"`): The timeout before the first round trip is known; `auto` is
            three unloaded round trips, and `min_rto` at least.
        `max_rto` (`"auto"`): Doublings end at this timeout; `auto` is 64 times `min_rto`, as
            many doublings as ns-3 has retries.
        """
        return _given(
            scheme="tcp",
            profile=profile,
            min_rto=min_rto,
            initial_rto=initial_rto,
            max_rto=max_rto,
        )

    @staticmethod
    @checked
    def mrc(
        *,
        rto: str | None = None,
        linear: int | Literal["auto"] | None = None,
        exponential: int | None = None,
        gap: Literal["window", "path"] | None = None,
        gap_factor: float | None = None,
        gap_least: int | None = None,
        gap_most: str | int | None = None,
        gap_scope: Literal["packet", "all"] | None = None,
        tail: float | None = None,
        tail_again: float | None = None,
        tail_margin: str | None = None,
        mpr: int | Literal["auto"] | None = None,
    ) -> Section:
        """MRC: selective repeat by gaps of a window, and tail probes. As `sack`, and a packet is
        sent again when about a window of later ones has arrived, or when the answer to a probe
        tells that it has not. For flows whose packets take many paths.

        `rto` (`"auto"`): Retransmission timeout; `auto` is that of `sack`.
        `linear` (`"auto"`): So many timeouts of a packet are each as long as the first; the
            later ones take twice as long as the one before. `auto`: all are as long as the
            first.
        `exponential` (`25`): So many more timeouts there are beside the first `linear + 1`; the
            last gives the message up. 25 is without end.
        `gap` (`"window"`): What shows a loss: `window`, that about a window of later packets
            has arrived, or `path`, that one of the same entropy has (of several in one ACK, the
            one that was sent last).
        `gap_factor` (`1.5`): Windows of later packets that have to arrive before a packet
            counts as lost.
        `gap_least` (`5`): Later packets that have to arrive, however small the window is.
        `gap_most` (`"1.5 bdp"`): As many bytes of later packets are enough, however large the
            window is.
        `gap_scope` (`"packet"`): What is then sent again: `packet`, the one that is lost, or
            `all` that is in flight.
        `tail` (`3.0`): Unloaded round trips without news, with packets in flight, after which a
            probe asks what has arrived; 0 is never.
        `tail_again` (`5.0`): Unloaded round trips from such a probe to the next.
        `tail_margin` (`"auto"`): A packet that has not arrived at the answer counts as lost if
            it left so long before the probe, which queues do not hold up; `auto` is the time to
            drain two full queues, or two unloaded round trips where they have no limit.
        `mpr` (`"auto"`): Most packets from the first unacknowledged to the newest, in units of
            128 (`MPR`); `auto` is no limit.
        """
        return _given(
            scheme="mrc",
            rto=rto,
            linear=linear,
            exponential=exponential,
            gap=gap,
            gap_factor=gap_factor,
            gap_least=gap_least,
            gap_most=gap_most,
            gap_scope=gap_scope,
            tail=tail,
            tail_again=tail_again,
            tail_margin=tail_margin,
            mpr=mpr,
        )


class marking:
    """Marking: `fabric.queue.marking`."""

    @staticmethod
    @checked
    def red(
        *,
        at: Literal["dequeue", "enqueue"] | None = None,
        low: str | int | None = None,
        high: str | int | None = None,
        most: float | None = None,
    ) -> Section:
        """Random early detection, marking. Marks data frames with a probability that rises from 0
        at `low` to `most` at `high`, and is 1 above.

        `at` (`"dequeue"`): `dequeue`: judged on what the frame leaves behind; `enqueue`: on
            what it finds.
        `low` (`"20%"`): Below this nothing is marked (K_min).
        `high` (`"80%"`): Above this everything is marked (K_max).
        `most` (`1.0`): What the probability has risen to there (P_max).
        """
        return _given(scheme="red", at=at, low=low, high=high, most=most)

    @staticmethod
    @checked
    def step(
        *,
        at: Literal["dequeue", "enqueue"] | None = None,
        threshold: str | int | None = None,
    ) -> Section:
        """Step marking. Marks every data frame whose queue holds more than one threshold.

        `at` (`"dequeue"`): `dequeue`: judged on what the frame leaves behind; `enqueue`: on
            what it finds.
        `threshold` (`"20%"`): Bytes, packets, bdp, or percent of the queue.
        """
        return _given(scheme="step", at=at, threshold=threshold)

    @staticmethod
    @checked
    def none(
        *,
        at: Literal["dequeue", "enqueue"] | None = None,
    ) -> Section:
        """No marking. Switches never set the congestion mark.

        `at` (`"dequeue"`): `dequeue`: judged on what the frame leaves behind; `enqueue`: on
            what it finds.
        """
        return _given(scheme="none", at=at)


class buffer:
    """Shared memory: `fabric.buffer`."""

    @staticmethod
    @checked
    def dynamic_thresholds(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        alpha: float | Sequence[float] | None = None,
    ) -> Section:
        """Dynamic thresholds. A queue may hold at most `alpha` times the memory that is free. What
        switches ship with.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `alpha` (`1.0`): The most that a queue may hold, over what is free; a list has one for
            each data class.
        """
        return _given(
            scheme="dynamic_thresholds",
            size=size,
            per=per,
            oracle_file=oracle_file,
            alpha=alpha,
        )

    @staticmethod
    @checked
    def complete_sharing(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
    ) -> Section:
        """Complete sharing. Any queue may take all memory that is free: the most efficient, and
        the least fair.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        """
        return _given(scheme="complete_sharing", size=size, per=per, oracle_file=oracle_file)

    @staticmethod
    @checked
    def complete_partitioning(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
    ) -> Section:
        """Complete partitioning. Each queue of data may hold an equal part of the memory and no
        more: fair, and wasteful.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        """
        return _given(scheme="complete_partitioning", size=size, per=per, oracle_file=oracle_file)

    @staticmethod
    @checked
    def abm(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        mode: Literal["paper", "released"] | None = None,
        alpha: float | Sequence[float] | None = None,
        alpha_unscheduled: float | None = None,
        alpha_acks: float | Literal["auto"] | None = None,
        unscheduled: str | int | None = None,
        update: str | None = None,
    ) -> Section:
        """ABM. Dynamic thresholds that shrink with the congested queues of a class and with slow
        draining, and leave the first round trip of a flow what is free. For bursts beside long
        flows.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `mode` (`"paper"`): `paper`, or `released`: the rules of the authors' ns-3 code.
        `alpha` (`0.5`): The most that the queues of a class may hold, over what is free; a list
            has one for each data class.
        `alpha_unscheduled` (`64.0`): The same for unscheduled packets; 0.001 to 1000000 (the
            released code has 1024).
        `alpha_acks` (`"auto"`): The same for ACKs and other control, a class of their own (in
            the released code unscheduled, too: 1024); `auto`: a queue of control has no
            threshold, and ACKs that queue with data have that of data.
        `unscheduled` (`"1 bdp"`): The first bytes of a message that are unscheduled, in bytes
            of payload (`bdp`: what the fastest host sends in the longest round trip).
        `update` (`"auto"`): How often congested queues and drain rates are sampled; `auto`:
            every longest round trip.
        """
        return _given(
            scheme="abm",
            size=size,
            per=per,
            oracle_file=oracle_file,
            mode=mode,
            alpha=alpha,
            alpha_unscheduled=alpha_unscheduled,
            alpha_acks=alpha_acks,
            unscheduled=unscheduled,
            update=update,
        )

    @staticmethod
    @checked
    def fab(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        alpha: float | Sequence[float] | None = None,
        alpha_short: float | None = None,
        short: str | int | None = None,
        silence: str | None = None,
    ) -> Section:
        """FAB. Dynamic thresholds that let the first bytes of a flow take what is free. For short
        flows beside long ones; it counts every flow in every switch.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `alpha` (`0.5`): The most that a queue may hold, over what is free; a list has one for
            each data class.
        `alpha_short` (`1024.0`): The same for packets of flows that are short so far.
        `short` (`"21 kB"`): A flow is short as long as less of it has come.
        `silence` (`"5 ms"`): A flow that has not sent for longer begins anew.
        """
        return _given(
            scheme="fab",
            size=size,
            per=per,
            oracle_file=oracle_file,
            alpha=alpha,
            alpha_short=alpha_short,
            short=short,
            silence=silence,
        )

    @staticmethod
    @checked
    def cisco_ib(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        mode: Literal["paper", "released"] | None = None,
        alpha: float | Sequence[float] | None = None,
        window: str | None = None,
        reference: str | int | None = None,
        gain: float | None = None,
        gain_before: float | None = None,
        fair_start: str | int | None = None,
        acts_above: str | int | None = None,
    ) -> Section:
        """Cisco IB. Dynamic thresholds, and in long queues early drops of the flows that send
        most. What some data-centre switches ship with.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `mode` (`"paper"`): `paper`, or `released`: the rules of the ABM authors' ns-3 code, in
            which the flow never decides.
        `alpha` (`0.5`): The most that a queue may hold, over what is free; a list has one for
            each data class.
        `window` (`"50 us"`): How often fair amounts move.
        `reference` (`"1 bdp"`): The length at which a queue is to stay (`bdp`: what the fastest
            host sends in the longest round trip).
        `gain` (`1.8`): a1: how far a fair amount moves for a queue's distance from `reference`.
        `gain_before` (`1.7`): a2: how far it moves back for the distance of the window before.
        `fair_start` (`"4 MB"`): Fair amounts at the start.
        `acts_above` (`"150 KiB"`): Nothing is dropped early from a queue that is not longer.
        """
        return _given(
            scheme="cisco_ib",
            size=size,
            per=per,
            oracle_file=oracle_file,
            mode=mode,
            alpha=alpha,
            window=window,
            reference=reference,
            gain=gain,
            gain_before=gain_before,
            fair_start=fair_start,
            acts_above=acts_above,
        )

    @staticmethod
    @checked
    def longest_queue_drop(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
    ) -> Section:
        """Longest queue drop. A frame that finds the memory full takes the place of the last one
        of the longest queue. The best that is known, but switches cannot push out.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        """
        return _given(scheme="longest_queue_drop", size=size, per=per, oracle_file=oracle_file)

    @staticmethod
    @checked
    def harmonic(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
    ) -> Section:
        """Harmonic. The k-th longest queue may hold a k-th part of what the longest may. The best
        guarantee without push-out or predictions, and a pessimist in practice.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        """
        return _given(scheme="harmonic", size=size, per=per, oracle_file=oracle_file)

    @staticmethod
    @checked
    def follow_lqd(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
    ) -> Section:
        """FollowLQD. A queue may hold what it would hold under longest queue drop. Credence
        without predictions.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        """
        return _given(scheme="follow_lqd", size=size, per=per, oracle_file=oracle_file)

    @staticmethod
    @checked
    def credence(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        mode: Literal["paper", "released"] | None = None,
        oracle: Any | None = None,
        flip: float | None = None,
    ) -> Section:
        """Credence. Keeps what longest queue drop would, where `oracle` predicts well, and is
        never N times worse. Without push-out.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `mode` (`"paper"`): `paper`, or `released`: the rules of the authors' ns-3 code.
        `oracle` (`"0"`): What predicts drops: a random forest, its trees separated by `;`, or
            one for each switch, separated by bars; `0` predicts none, `1` all.
        `flip` (`0.0`): How often a prediction is turned round: a probability.
        """
        return _given(
            scheme="credence",
            size=size,
            per=per,
            oracle_file=oracle_file,
            mode=mode,
            oracle=oracle,
            flip=flip,
        )

    @staticmethod
    @checked
    def sonic(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        lossless: bool | Sequence[bool] | None = None,
        alpha_ingress: float | Sequence[float] | Literal["auto"] | None = None,
        alpha_egress: float | Sequence[float] | Literal["auto"] | None = None,
        headroom: str | int | None = None,
        ingress_pool: str | int | None = None,
        lossless_pool: str | int | None = None,
        lossy_share: float | None = None,
        reserved: str | int | None = None,
        xon: str | int | None = None,
        xon_offset: str | int | None = None,
    ) -> Section:
        """SONiC. Pools at ingress and egress with dynamic thresholds, and pauses for lossless
        classes (`lossless`). What switches with lossy and lossless traffic ship with.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `lossless` (`false`): Whether a data class is lossless; a list has one value for each
            class. Any that is turns priority flow control on.
        `alpha_ingress` (`"auto"`): Of ingress queues, over what is free of their pool; `auto`:
            1 for lossless classes, 10000 for lossy ones.
        `alpha_egress` (`"auto"`): Of egress queues; `auto`: 10000 for lossless classes, 1 for
            lossy ones.
        `headroom` (`"auto"`): Memory of a port and lossless class for what comes after a pause;
            `auto`: what the link needs.
        `ingress_pool` (`"auto"`): The pool at ingress; `auto`: the memory without headroom.
        `lossless_pool` (`"auto"`): The pool of lossless classes at egress; `auto`: all memory.
        `lossy_share` (`0.8`): The pool of lossy classes at egress, over that at ingress.
        `reserved` (`"0 B"`): What an ingress queue may hold whatever its threshold.
        `xon` (`"1248 B"`): A queue below this lets the far end go on.
        `xon_offset` (`"2496 B"`): So does one so far below its threshold.
        """
        return _given(
            scheme="sonic",
            size=size,
            per=per,
            oracle_file=oracle_file,
            lossless=lossless,
            alpha_ingress=alpha_ingress,
            alpha_egress=alpha_egress,
            headroom=headroom,
            ingress_pool=ingress_pool,
            lossless_pool=lossless_pool,
            lossy_share=lossy_share,
            reserved=reserved,
            xon=xon,
            xon_offset=xon_offset,
        )

    @staticmethod
    @checked
    def sonic_abm(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        lossless: bool | Sequence[bool] | None = None,
        alpha_ingress: float | Sequence[float] | Literal["auto"] | None = None,
        alpha_egress: float | Sequence[float] | Literal["auto"] | None = None,
        alpha_unscheduled: float | None = None,
        unscheduled: str | int | None = None,
        update: str | None = None,
        congested_at: str | int | None = None,
        least_sent: str | int | None = None,
        drain_min: float | None = None,
        drain_max: float | Literal["auto"] | None = None,
        headroom: str | int | None = None,
        ingress_pool: str | int | None = None,
        lossless_pool: str | int | None = None,
        lossy_share: float | None = None,
        reserved: str | int | None = None,
        xon: str | int | None = None,
        xon_offset: str | int | None = None,
    ) -> Section:
        """SONiC with ABM. The pools and pauses of `sonic` with ABM's thresholds at both sides.
        Reverie's second baseline; slow draining shrinks what lossless queues may hold, so that
        they pause more.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `lossless` (`false`): Whether a data class is lossless; a list has one value for each
            class. Any that is turns priority flow control on.
        `alpha_ingress` (`"auto"`): Of ingress queues, over what is free of their pool; `auto`:
            1 for lossless classes, 10000 for lossy ones.
        `alpha_egress` (`"auto"`): Of egress queues; `auto`: 10000 for lossless classes, 1 for
            lossy ones.
        `alpha_unscheduled` (`1024.0`): The same of unscheduled packets of lossy classes, at
            both sides.
        `unscheduled` (`"1 bdp"`): The first bytes of a message that are unscheduled, of its
            payload (`bdp`: what the fastest host sends in the longest round trip).
        `update` (`"auto"`): How often drain rates are sampled; `auto`: every longest round
            trip.
        `congested_at` (`"20 KiB"`): A queue of this length is congested.
        `least_sent` (`"2 KiB"`): A queue that has sent no more between two samples drains at
            full rate.
        `drain_min` (`0.0`): The least drain rate, over that of the port (1/8: eight queues in
            turn).
        `drain_max` (`"auto"`): The highest; `auto`: what it is.
        `headroom` (`"auto"`): Memory of a port and lossless class for what comes after a pause;
            `auto`: what the link needs.
        `ingress_pool` (`"auto"`): The pool at ingress; `auto`: the memory without headroom.
        `lossless_pool` (`"auto"`): The pool of lossless classes at egress; `auto`: all memory.
        `lossy_share` (`0.8`): The pool of lossy classes at egress, over that at ingress.
        `reserved` (`"0 B"`): What an ingress queue may hold whatever its threshold.
        `xon` (`"1248 B"`): A queue below this lets the far end go on.
        `xon_offset` (`"2496 B"`): So does one so far below its threshold.
        """
        return _given(
            scheme="sonic_abm",
            size=size,
            per=per,
            oracle_file=oracle_file,
            lossless=lossless,
            alpha_ingress=alpha_ingress,
            alpha_egress=alpha_egress,
            alpha_unscheduled=alpha_unscheduled,
            unscheduled=unscheduled,
            update=update,
            congested_at=congested_at,
            least_sent=least_sent,
            drain_min=drain_min,
            drain_max=drain_max,
            headroom=headroom,
            ingress_pool=ingress_pool,
            lossless_pool=lossless_pool,
            lossy_share=lossy_share,
            reserved=reserved,
            xon=xon,
            xon_offset=xon_offset,
        )

    @staticmethod
    @checked
    def reverie(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        mode: Literal["paper", "released"] | None = None,
        lossless: bool | Sequence[bool] | None = None,
        alpha: float | Sequence[float] | None = None,
        filter: float | None = None,
        alpha_unscheduled: float | Literal["auto"] | None = None,
        unscheduled: str | int | None = None,
        headroom: str | int | None = None,
        xon: str | int | None = None,
        xon_offset: str | int | None = None,
    ) -> Section:
        """Reverie. One pool for lossy and lossless classes; queues may pass their threshold for a
        while, so that bursts neither drop nor pause. For RDMA beside TCP.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `mode` (`"paper"`): `paper`, or `released`: the rules of the authors' ns-3 code.
        `lossless` (`false`): Whether a data class is lossless; a list has one value for each
            class. Any that is turns priority flow control on.
        `alpha` (`1.0`): The most that the queues of a class may hold, over what is free; a list
            has one for each class.
        `filter` (`0.999`): The weight of the past in the filter of a queue; 0 compares the
            queue as it is.
        `alpha_unscheduled` (`"auto"`): The same as `alpha` for unscheduled packets of lossy
            classes; `auto`: `alpha`, or 1024 with `mode = released`.
        `unscheduled` (`"1 bdp"`): The first bytes of a message that are unscheduled, in bytes
            of payload (`bdp`: what the fastest host sends in the longest round trip).
        `headroom` (`"auto"`): Memory of a port and lossless class for what comes after a pause;
            `auto`: what the link needs.
        `xon` (`"1248 B"`): A filtered queue below this lets the far end go on.
        `xon_offset` (`"2496 B"`): So does one so far below its threshold.
        """
        return _given(
            scheme="reverie",
            size=size,
            per=per,
            oracle_file=oracle_file,
            mode=mode,
            lossless=lossless,
            alpha=alpha,
            filter=filter,
            alpha_unscheduled=alpha_unscheduled,
            unscheduled=unscheduled,
            headroom=headroom,
            xon=xon,
            xon_offset=xon_offset,
        )

    @staticmethod
    @checked
    def resizing(
        *,
        size: str | int,
        per: Literal["switch", "uplink"] | None = None,
        oracle_file: str | os.PathLike[str] | None = None,
        small: str | int | None = None,
        large: str | int | None = None,
        ahead: str | None = None,
    ) -> Section:
        """Queues that grow ahead of a circuit. Enlarges the queue of a pair of racks some time
        ahead of its circuit, so that the day finds packets to send. Its price is what they wait
        until then.

        `size`: memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its
            ports together. A note says where the queues' own sizes leave nothing to refuse.
        `per` (`"switch"`): who has such a memory: `switch`; or `uplink`, of circuits, one for
            each uplink of a ToR and the queues that it drains, and one for each port to a host,
            with policies that do not see the whole switch. `bdp` is then an uplink's.
        `oracle_file`: in place of the `oracle` of `credence`, a file that has it in its words:
            `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`,
            without a dot or a slash, is the one of `figures/credence/oracle`, and
            `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and
            four spines.
        `small` (`"16 packets"`): What the queue of a pair holds outside its day.
        `large` (`"50 packets"`): What it holds in its day, and `ahead` of it.
        `ahead` (`"600 us"`): How long before its day a queue is enlarged.
        """
        return _given(
            scheme="resizing",
            size=size,
            per=per,
            oracle_file=oracle_file,
            small=small,
            large=large,
            ahead=ahead,
        )


class tor:
    """Middleware in ToRs: `fabric.tor`."""

    @staticmethod
    @checked
    def themis(
        *,
        window: int | None = None,
        ooo_threshold: int | None = None,
        avoidance_window: int | None = None,
        recirculation: str | None = None,
        same_path: bool | None = None,
        lazy_drop: bool | None = None,
        reroute: bool | None = None,
        failure_handling: bool | None = None,
    ) -> Section:
        """Themis. ToRs spray by packet number and let only those NACKs through that are true. For
        NICs with selective repeat that NACK every reordering (`rnic_sr`).

        `window` (`512`): The most packets that a NIC has outstanding (W): half of the ring of
            delivered packets.
        `ooo_threshold` (`448`): A packet that is more than this behind another takes its path
            for broken (`OOO_THRESHOLD`).
        `avoidance_window` (`2000000`): How many packets of a queue pair then take other paths
            (`AVOIDANCE_WINDOW`).
        `recirculation` (`"0 ps"`): From the packet that proves a NACK until the switch has made
            it: the mirror and its way through the pipelines.
        `same_path` (`true`): Whether a NACK passes only if a later packet of its path has (the
            paper's C2). Else every NACK passes whose packet has not.
        `lazy_drop` (`true`): Whether a NACK of which nothing is known yet waits; else it is
            dropped.
        `reroute` (`true`): Whether what a NACK asks for takes another path.
        `failure_handling` (`true`): Whether broken paths are avoided.
        """
        return _given(
            scheme="themis",
            window=window,
            ooo_threshold=ooo_threshold,
            avoidance_window=avoidance_window,
            recirculation=recirculation,
            same_path=same_path,
            lazy_drop=lazy_drop,
            reroute=reroute,
            failure_handling=failure_handling,
        )

    @staticmethod
    @checked
    def conga(
        *,
        timeout: str | None = None,
        time_constant: str | None = None,
        alpha: float | None = None,
        bits: int | None = None,
        aging: str | None = None,
    ) -> Section:
        """CONGA. ToRs send each flowlet where the path is least congested: switches measure their
        links, packets collect the largest load on their way, and ToRs tell each other.

        `timeout` (`"500 us"`): A longer pause than this ends a flowlet (CONGA: 500 us;
            ConWeave's comparison: 100 us).
        `time_constant` (`"160 us"`): The time over which a link's load is measured: tau (CONGA:
            160 us; ConWeave's comparison: 250 us).
        `alpha` (`0.2`): What of the measured bytes goes at each step, one every `alpha` of the
            time constant (ConWeave's comparison: 0.2).
        `bits` (`3`): Bits of a congestion metric: Q (CONGA: 3).
        `aging` (`"10 ms"`): What has not been heard of for longer counts as no congestion
            (CONGA: 10 ms).
        """
        return _given(
            scheme="conga",
            timeout=timeout,
            time_constant=time_constant,
            alpha=alpha,
            bits=bits,
            aging=aging,
        )

    @staticmethod
    @checked
    def conweave(
        *,
        reply_extra: str | None = None,
        path_busy: str | None = None,
        notify: bool | None = None,
        inactive: str | None = None,
        resume_extra: str | None = None,
        resume_default: str | None = None,
    ) -> Section:
        """ConWeave. ToRs measure round trips, move flows off slow paths, and put their packets
        back in order before NICs see them.

        `reply_extra` (`"4 us"`): A reply that takes longer than the empty path's round trip and
            this makes the flow leave the path (4 us).
        `path_busy` (`"16 us"`): How long a path is not chosen after a marked packet came from
            there (16 us; 8 us in the simulator's constructor).
        `notify` (`true`): Whether marked packets tell of their path.
        `inactive` (`"300 us"`): A flow that pauses for longer begins anew and may take another
            path (300 us; 1 ms).
        `resume_extra` (`"16 us"`): What is held goes on so long after its TAIL should have come
            (16 us; with PFC 64 us).
        `resume_default` (`"200 us"`): When the TAIL should come if nothing has come on the old
            path (200 us; 300 us, with PFC 600 us).
        """
        return _given(
            scheme="conweave",
            reply_extra=reply_extra,
            path_busy=path_busy,
            notify=notify,
            inactive=inactive,
            resume_extra=resume_extra,
            resume_default=resume_default,
        )

    @staticmethod
    @checked
    def nack_filter(
        *,
        pass_: float | None = None,
    ) -> Section:
        """NACK filter. The sender's ToR lets this share of the NACKs pass and drops the others.
        Shows what needless NACKs cost.

        `pass` (`0.0`): The share of NACKs that pass; each is drawn by itself.
        """
        return _given(scheme="nack_filter", pass_=pass_)

    @staticmethod
    @checked
    def rotorlb(
        *,
        backlog: float | None = None,
    ) -> Section:
        """RotorLB. ToRs keep bulk data, send it over direct circuits, and lend what is left of
        these to data for other ToRs.

        `backlog` (`2.0`): A ToR takes data to relay for a host while it keeps less for that
            host than so many shares, a share being what a circuit carries, over the hosts of a
            ToR (released program: 2); with 0 nothing is relayed.
        """
        return _given(scheme="rotorlb", backlog=backlog)


class planner:
    """Planners: `transport.planner`."""

    @staticmethod
    @checked
    def ethereal(
        *,
        profile: Literal["thesis", "artifact"] | None = None,
        split: bool | Literal["auto"] | None = None,
    ) -> Section:
        """Ethereal: single paths, dealt out evenly. Each host deals the messages of a step evenly
        over the uplinks towards each leaf, and cuts the few that are left over into equal
        parts. For collectives on two tiers; packets stay in order.

        `profile` (`"thesis"`): Whose planner: `thesis` deals evenly per leaf, `artifact` takes
            the uplink with the least bytes to send.
        `split` (`"auto"`): Whether the messages that are left over are cut; `auto`: in the
            thesis, not in its code.
        """
        return _given(scheme="ethereal", profile=profile, split=split)
