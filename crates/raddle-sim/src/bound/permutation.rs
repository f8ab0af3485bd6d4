//! The lower bound of a permutation: every host sends one message and receives one.
//!
//! From the load-balancing study (OFAN), appendix B. The host's link carries the message's packets
//! and the ACKs of the message it receives. Until ACKs arrive it carries data alone; from then on
//! one ACK for each packet; at the end the ACKs that are left. The bound holds for NICs that send
//! an ACK for every packet and do not hold ACKs back behind data.
//!
//! It is a bound up to one gap: ACK `m` finds an idle link and need not wait for the gap of data
//! `m`, so an exact model can be faster by that gap (17.05674 us instead of 17.05694 us for 256
//! packets at 800 Gbps): [`strict`] leaves it out.

use super::frames::Frames;
use raddle_schemes::units::{Bytes, Rate, Span};

/// The way from sender to receiver, and the same way back: links of one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// H, the number of links.
    pub hops: u64,
    /// T_p, the delays of all cables and latencies of all switches, one way.
    pub latency: Span,
    /// The rate of every link.
    pub rate: Rate,
}

/// How to read the term that the paper prints as (H - 1) T'_d in the tail of the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailTerm {
    /// (H - 1) T_a, an ACK's way: gives the paper's numbers (17.05694 us).
    Ack,
    /// (H - 1) T'_d as printed: does not (17.26264 us).
    Printed,
}

/// The phases of the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// i_1, the packets until the first ACK; the message may be shorter.
    pub data_only: u64,
    /// i_2, the ACKs interleaved with data; 0 if the message has fewer than i_1 packets.
    pub interleaved: u64,
    /// From the start to the last ACK.
    pub time: Span,
}

/// The bound for messages of which all full packets count. A smaller packet at the end does not,
/// unless it is the only one.
pub fn bound(message: Bytes, frames: &Frames, path: &Path, tail: TailTerm) -> Phases {
    let Path { hops, latency: Span(t_p), rate } = *path;
    let m = (message.0 / frames.payload.0).max(1);
    let frame = frames.first(message);
    let t_d = rate.serialisation(frame).0;
    let t_a = rate.serialisation(frames.ack).0;
    let td_gap = frames.occupancy(rate, frame).0;
    let ta_gap = frames.occupancy(rate, frames.ack).0;

    let t_1 = t_p + hops * t_d;
    let i_1 = (t_p + (hops - 1) * t_d).div_ceil(td_gap) + 1;
    if m < i_1 {
        let time = Span(t_1 + (m - 1) * td_gap + hops * t_a + t_p);
        return Phases { data_only: i_1, interleaved: 0, time };
    }
    let ack_1 = t_1 + (i_1 - 1) * td_gap + ta_gap;
    let i_2 = m - i_1 + 1;
    let ack_i2 = ack_1 + (i_2 - 1) * (td_gap + ta_gap);
    let return_hops = (hops - 1)
        * match tail {
            TailTerm::Ack => t_a,
            TailTerm::Printed => td_gap,
        };
    // For the last ACK, i = m, the second term of the tail refers to ACK m - (i_1 - 1) = i_2.
    let time = Span(ack_i2 + ((m - i_2) * ta_gap).max(return_hops + t_p));
    Phases { data_only: i_1, interleaved: i_2, time }
}

/// The bound that no run beats: [`bound`] less the gap that the last ACK need not wait for, where
/// there are packets behind which it would.
pub fn strict(message: Bytes, frames: &Frames, path: &Path) -> Span {
    let phases = bound(message, frames, path, TailTerm::Ack);
    let gap = frames.gap_after(path.rate, frames.ack).0;
    Span(phases.time.0 - if phases.interleaved > 0 { gap } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: Frames =
        Frames { payload: Bytes(4096), header: Bytes(62), ack: Bytes(64), gap: Bytes(20) };
    const PATH: Path = Path { hops: 6, latency: Span::us(3), rate: Rate::gbps(800) };

    fn study(packets: u64, tail: TailTerm) -> Phases {
        bound(Bytes(4096 * packets), &STUDY, &PATH, tail)
    }

    #[test]
    fn the_study_s_numbers_are_reproduced() {
        let phases = study(256, TailTerm::Ack);
        assert_eq!(phases, Phases { data_only: 78, interleaved: 179, time: Span(17_056_940) });
        assert_eq!(study(256, TailTerm::Printed).time, Span(17_262_640));
        assert_eq!(study(77, TailTerm::Ack).time, Span(9_428_600));
        let shorter = Path { latency: Span::ns(2_500), ..PATH };
        let message = Bytes(4096 * 256);
        assert_eq!(bound(message, &STUDY, &shorter, TailTerm::Ack).data_only, 66);
    }

    /// The recursion over all ACKs, as the paper writes it.
    fn recursion(m: u64) -> u64 {
        let (t_p, hops, t_d, td_gap) = (3_000_000u64, 6, 41_580, 41_780);
        let (t_a, ta_gap) = (640, 840);
        let i_1 = (t_p + (hops - 1) * t_d).div_ceil(td_gap) + 1;
        let i_2 = m - i_1 + 1;
        let mut ack = vec![0; m as usize + 1];
        ack[1] = t_p + hops * t_d + (i_1 - 1) * td_gap + ta_gap;
        for i in 2..=m {
            let at = |i: u64| ack[i as usize];
            ack[i as usize] = if i <= i_2 {
                at(1) + (i - 1) * (td_gap + ta_gap)
            } else {
                let queued = at(i_2) + (i - i_2) * ta_gap;
                let arrived = |i: u64| at(i) + (hops - 1) * t_a + t_p;
                (i + 1)
                    .checked_sub(i_1)
                    .filter(|&i| i > 0)
                    .map_or(queued, |i| queued.max(arrived(i)))
            };
        }
        ack[m as usize]
    }

    #[test]
    fn the_closed_form_is_the_recursion_s_last_ack() {
        for m in [78, 79, 100, 153, 154, 256, 1_000, 4_096] {
            assert_eq!(study(m, TailTerm::Ack).time, Span(recursion(m)), "{m}");
        }
    }

    #[test]
    fn longer_messages_take_longer_and_none_is_faster_than_alone() {
        let time = |packets| study(packets, TailTerm::Ack).time.0;
        for packets in 1..400 {
            assert!(time(packets) < time(packets + 1));
            assert!(time(packets) >= 6_253_320 + (packets - 1) * 41_780);
        }
    }

    #[test]
    fn without_a_gap_the_formulas_hold_too() {
        // 4160 B and 64 B at 400 Gbps: T_d = 83.2 ns, T_a = 1.28 ns; H = 4, T_p = 3.5 us.
        let header = Bytes(64);
        let frames = Frames { payload: Bytes(4096), header, ack: Bytes(64), gap: Bytes(0) };
        let path = Path { hops: 4, latency: Span::ns(3_500), rate: Rate::gbps(400) };
        let phases = bound(Bytes::mib(8), &frames, &path, TailTerm::Ack);
        assert_eq!(phases.data_only, 47); // ceil((3500 + 3 * 83.2) / 83.2) + 1
        let first_ack = 3_500_000 + 4 * 83_200 + 46 * 83_200 + 1_280;
        let interleaved = 2_048 - 47 + 1;
        assert_eq!(phases.interleaved, interleaved);
        let last = first_ack + (interleaved - 1) * 84_480 + 3 * 1_280 + 3_500_000;
        assert_eq!(phases.time, Span(last));
    }

    /// Two hosts, or any number, that send along chains of `path.hops` links: by symmetry every
    /// host receives what it sends. The NIC alternates between ACKs and data where both wait, or
    /// prefers ACKs.
    fn replay(m: u64, frames: &Frames, path: &Path, alternate: bool) -> u64 {
        let (data, ack) = (frames.payload + frames.header, frames.ack);
        let mut free = vec![0; path.hops as usize];
        let mut data_arrivals: Vec<u64> = Vec::new();
        let mut acks = 0;
        let mut last_was_ack = false;
        loop {
            let now = free[0];
            let due = |now| data_arrivals.partition_point(|&arrival| arrival <= now) as u64;
            let data_left = (data_arrivals.len() as u64) < m;
            let send_ack = due(now) > acks && !(alternate && last_was_ack && data_left);
            if !send_ack && !data_left {
                free[0] = data_arrivals[acks as usize];
                continue;
            }
            let frame = if send_ack { ack } else { data };
            let mut arrived = 0;
            for free in &mut free {
                let start = arrived.max(*free);
                *free = start + frames.occupancy(path.rate, frame).0;
                arrived = start + path.rate.serialisation(frame).0;
            }
            arrived += path.latency.0;
            last_was_ack = send_ack;
            if send_ack {
                acks += 1;
                if acks == m {
                    return arrived;
                }
            } else {
                data_arrivals.push(arrived);
            }
        }
    }

    #[test]
    fn a_replay_of_every_frame_reaches_the_bound_up_to_one_gap_and_never_beats_it_by_more() {
        assert_eq!(replay(256, &STUDY, &PATH, true), 17_056_740);
        let reps = Frames { header: Bytes(64), gap: Bytes(0), ..STUDY };
        let reps_path = Path { hops: 4, latency: Span::ns(3_500), rate: Rate::gbps(400) };
        for (frames, path) in [(STUDY, PATH), (reps, reps_path)] {
            for alternate in [true, false] {
                for m in [1, 2, 40, 47, 60, 77, 78, 79, 256, 1_000, 2_048] {
                    let replayed = replay(m, &frames, &path, alternate);
                    let phases = bound(Bytes(4096 * m), &frames, &path, TailTerm::Ack);
                    let gap = frames.gap_after(path.rate, frames.ack).0;
                    assert!(replayed + gap >= phases.time.0, "{m} {alternate}");
                    assert!(replayed >= strict(Bytes(4096 * m), &frames, &path).0);
                    assert!(replayed <= phases.time.0 + 100_000, "{m} {alternate}");
                }
            }
        }
    }
}
