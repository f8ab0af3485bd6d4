//! Queries at random times, each answered by many hosts at once.

use super::collective::volume::Volume;
use super::host_set::HostSet;
use super::poisson::{any_other, expected, flows_within};
use super::racks::Racks;
use super::{Flow, Start, Traffic, WorkloadError, check_hosts};
use crate::topology::Fabric;
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Time};

/// Every host asks at random times, and `fan_in` hosts answer at the instant of the question with
/// 1 / `fan_in` of the size each: the incasts beside the websearch flows of ABM (SIGCOMM '22), PowerTCP
/// (NSDI '22), Reverie and Credence (NSDI '24).
#[derive(Clone, Debug, PartialEq)]
pub struct PoissonIncast {
    /// Queries of each host per second.
    pub rate: f64,
    /// How many answer.
    pub fan_in: u32,
    /// Bytes of all answers together; answers differ by a byte at most.
    pub size: Bytes,
    /// Among which hosts they are drawn.
    pub responders: Responders,
    /// The hosts that may answer; else all may.
    pub senders: Option<HostSet>,
    /// The hosts that ask; else all do.
    pub destinations: Option<HostSet>,
    /// Whether a host may be drawn more than once for a query.
    pub replacement: bool,
    /// Nobody asks at or after this time.
    pub horizon: Time,
}

raddle_schemes::words! {
    /// Among which hosts those that answer a query are drawn.
    pub enum Responders {
        /// All others.
        Any = "any",
        /// Those below all other ToRs.
        OtherTors = "other_tors",
        /// Those below one other ToR, drawn for each query.
        OneTor = "one_tor",
        /// Those below the ToR with the next number; of the last one, below the first.
        NextTor = "next_tor",
    }
}

/// Queries of a host per second: one at each instant that there is.
const MOST: f64 = 1e12;

impl PoissonIncast {
    /// Draws the traffic, in the order of times, then of those who ask, then as drawn.
    ///
    /// Host `h` draws from stream `("poisson_incast", h)`, for each query the time since the one
    /// before, the ToR, and who answers.
    ///
    /// # Errors
    /// Fewer than 2 hosts, a rate that is not above 0, no answers, answers without a byte, a horizon
    /// of zero, more answers than hosts to draw from, hosts below one ToR only where there have to be
    /// others, or so many flows that their numbers (32 bits) would run out.
    pub fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, WorkloadError> {
        let racks = Racks::of(fabric);
        self.check(fabric, &racks)?;
        let mut queries = Vec::new();
        for host in self.askers(fabric.hosts) {
            let mut rng = Rng::new(seed, "poisson_incast", u64::from(host));
            let mut now = 0u64;
            loop {
                // A gap beyond 2^64 ps saturates, and ends the host's queries.
                now = now.saturating_add(rng.exponential(1e12 / self.rate).round() as u64);
                if now >= self.horizon.0 {
                    break;
                }
                let among = self.among(&racks, host, &mut rng);
                queries.push((now, host, self.draw(among, &mut rng)));
            }
        }
        queries.sort_by_key(|(now, host, _)| (*now, *host));
        let answers = Volume::Size(self.size);
        let flows = queries.into_iter().flat_map(|(now, host, responders)| {
            (0..).zip(responders).map(move |(number, responder)| {
                let start = Start::At(Time(now));
                let bytes = answers.part(number, self.fan_in);
                Flow { start, ..Flow::at_zero(responder, host, bytes) }
            })
        });
        Ok(flows.collect::<Vec<_>>().into())
    }

    /// About how many flows it draws on this fabric.
    pub fn expected_flows(&self, fabric: &Fabric) -> u64 {
        flows_within(&self.mean_gaps(fabric.hosts), self.horizon) as u64
    }

    /// The mean time between answers to a host, in picoseconds, per host.
    fn mean_gaps(&self, hosts: u32) -> Vec<f64> {
        vec![1e12 / (self.rate * f64::from(self.fan_in)); self.askers(hosts).count()]
    }

    fn askers(&self, hosts: u32) -> impl Iterator<Item = u32> {
        (0..hosts).filter(|&host| HostSet::has(self.destinations.as_ref(), host))
    }

    fn may_answer(&self, host: u32) -> bool {
        HostSet::has(self.senders.as_ref(), host)
    }

    fn check(&self, fabric: &Fabric, racks: &Racks) -> Result<(), WorkloadError> {
        let hosts = fabric.hosts;
        check_hosts(hosts)?;
        HostSet::check(self.senders.as_ref(), "senders", fabric)?;
        HostSet::check(self.destinations.as_ref(), "destinations", fabric)?;
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(WorkloadError::new("rate", self.rate, "more than 0"));
        }
        if self.rate > MOST {
            let found = format!("{:e}", self.rate);
            return Err(WorkloadError::new("rate", found, "at most 1e12, one each picosecond"));
        }
        if self.fan_in == 0 {
            return Err(WorkloadError::new("fan_in", self.fan_in, "at least 1"));
        }
        Volume::Size(self.size).check(self.fan_in)?;
        if self.horizon == Time::ZERO {
            return Err(WorkloadError::new("horizon", self.horizon, "more than 0 ps"));
        }
        expected(&self.mean_gaps(hosts), self.horizon)?;
        if racks.hosts.len() < 2 && self.responders != Responders::Any {
            let found = format!("{}, and all hosts are below one ToR", self.responders.word());
            return Err(WorkloadError::new("responders", found, "any"));
        }
        let least = self.askers(hosts).map(|host| self.fewest(racks, host)).min().unwrap_or(0);
        if least == 0 {
            let found = "hosts of which some that ask have none to answer";
            return Err(WorkloadError::new(
                "senders",
                found,
                "some below the ToRs of `responders`",
            ));
        }
        if self.fan_in as usize > least && !self.replacement {
            let fits = format!("at most {least}, the hosts to draw from, or `replacement`");
            return Err(WorkloadError::new("fan_in", self.fan_in, fits));
        }
        Ok(())
    }

    /// How many hosts there are at least to draw from for a query of `host`.
    fn fewest(&self, racks: &Racks, host: u32) -> usize {
        let own = racks.of_host[host as usize] as usize;
        let of = |rack: usize| racks.hosts[rack].iter().filter(|&&o| self.may_answer(o)).count();
        let others = || (0..racks.hosts.len()).filter(|&rack| rack != own).map(of);
        match self.responders {
            Responders::Any => {
                others().sum::<usize>() + of(own) - usize::from(self.may_answer(host))
            }
            Responders::OtherTors => others().sum(),
            Responders::OneTor => others().min().unwrap_or(0),
            Responders::NextTor => of((own + 1) % racks.hosts.len()),
        }
    }

    /// The hosts to draw from for a query of `host`.
    fn among(&self, racks: &Racks, host: u32, rng: &mut Rng) -> Vec<u32> {
        let (own, all) = (racks.of_host[host as usize], racks.hosts.len() as u32);
        let other_racks = || racks.hosts.iter().zip(0..).filter(move |(_, rack)| *rack != own);
        let mut among: Vec<u32> = match self.responders {
            Responders::Any => (0..racks.of_host.len() as u32).filter(|&o| o != host).collect(),
            Responders::OtherTors => other_racks().flat_map(|(hosts, _)| hosts.clone()).collect(),
            Responders::OneTor => racks.hosts[any_other(own, all, rng) as usize].clone(),
            Responders::NextTor => racks.below_next(host).to_vec(),
        };
        among.retain(|&host| self.may_answer(host));
        among
    }

    fn draw(&self, mut among: Vec<u32>, rng: &mut Rng) -> Vec<u32> {
        let of = among.len();
        if self.replacement {
            return (0..self.fan_in).map(|_| among[rng.below(of as u64) as usize]).collect();
        }
        // The first steps of a shuffle.
        for place in 0..self.fan_in as usize {
            among.swap(place, place + rng.below((of - place) as u64) as usize);
        }
        among.truncate(self.fan_in as usize);
        among
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span};

    /// 32 hosts, 4 below each ToR.
    fn fabric() -> Fabric {
        let (link, switch) = (Span::ns(500), Span::ns(500));
        TreeShape::fat_tree(2, 32, Rate::gbps(400), link, switch).unwrap().build().unwrap()
    }

    const INCAST: PoissonIncast = PoissonIncast {
        rate: 1e5,
        fan_in: 3,
        size: Bytes(10_000),
        responders: Responders::Any,
        senders: None,
        destinations: None,
        replacement: false,
        horizon: Time(10_000_000_000),
    };

    fn queries(incast: &PoissonIncast, seed: u64) -> Vec<(u64, u32, Vec<u32>)> {
        let flows = incast.generate(&fabric(), seed).unwrap().flows;
        let query = |answers: &[Flow]| {
            let Start::At(at) = answers[0].start else { panic!("a query has a time") };
            assert!(answers.iter().all(|f| f.start == answers[0].start));
            assert!(answers.iter().all(|f| f.destination == answers[0].destination));
            (at.0, answers[0].destination.0, answers.iter().map(|f| f.source.0).collect())
        };
        flows.chunks(incast.fan_in as usize).map(query).collect()
    }

    #[test]
    fn hosts_ask_at_the_rate_and_get_their_size() {
        // 32 hosts, 10 ms, 100,000 a second: 32,000 queries.
        let all = queries(&INCAST, 1);
        assert!((31_000..33_000).contains(&all.len()), "{}", all.len());
        assert!(all.is_sorted_by_key(|(at, host, _)| (*at, *host)));
        let expected = INCAST.expected_flows(&fabric());
        assert_eq!(expected, 96_000);
        let flows = INCAST.generate(&fabric(), 1).unwrap().flows;
        let sizes: Vec<u64> = flows[..3].iter().map(|flow| flow.bytes.0).collect();
        assert_eq!(sizes, [3_334, 3_333, 3_333]);
        assert_ne!(all, queries(&INCAST, 2));
        let mut asked = [0; 32];
        all.iter().for_each(|(_, host, _)| asked[*host as usize] += 1);
        assert!(asked.iter().all(|count| (850..1_150).contains(count)), "{asked:?}");
    }

    #[test]
    fn who_answers_is_drawn_where_it_should_be() {
        let rack = |host: u32| host / 4;
        let of = |responders, replacement| {
            queries(&PoissonIncast { responders, replacement, ..INCAST }, 1)
        };
        let twice = |answers: &[u32]| {
            let mut answers = answers.to_vec();
            answers.sort_unstable();
            answers.windows(2).any(|pair| pair[0] == pair[1])
        };
        let any = of(Responders::Any, false);
        assert!(any.iter().all(|(_, host, from)| !from.contains(host) && !twice(from)));
        assert!(any.iter().any(|(_, host, from)| from.iter().any(|f| rack(*f) == rack(*host))));
        let others = of(Responders::OtherTors, false);
        assert!(others.iter().all(|(_, host, from)| from.iter().all(|f| rack(*f) != rack(*host))));
        assert!(others.iter().any(|(_, _, from)| rack(from[0]) != rack(from[1])));
        let one = of(Responders::OneTor, false);
        assert!(one.iter().all(|(_, host, from)| rack(from[0]) != rack(*host)));
        assert!(one.iter().all(|(_, _, from)| from.iter().all(|f| rack(*f) == rack(from[0]))));
        let next = of(Responders::NextTor, true);
        assert!(
            next.iter()
                .all(|(_, host, from)| { from.iter().all(|f| rack(*f) == (rack(*host) + 1) % 8) })
        );
        assert!(next.iter().any(|(_, _, from)| twice(from)));
        let all = PoissonIncast { responders: Responders::NextTor, fan_in: 4, ..INCAST };
        assert!(queries(&all, 1).iter().all(|(_, _, from)| !twice(from)));
    }

    #[test]
    fn some_ask_and_some_answer() {
        let set = |text| HostSet::parse(text);
        let (senders, destinations) = (set("2..3, 8..9, 12..13"), set("1..2, 9..9"));
        let some = PoissonIncast { senders, destinations, fan_in: 2, ..INCAST };
        for responders in [Responders::Any, Responders::OtherTors] {
            let queries = queries(&PoissonIncast { responders, ..some.clone() }, 1);
            let askers: std::collections::BTreeSet<u32> = queries.iter().map(|q| q.1).collect();
            assert_eq!(askers.into_iter().collect::<Vec<_>>(), [1, 2, 9]);
            for (_, host, from) in &queries {
                assert!(from.iter().all(|f| [2, 3, 8, 9, 12, 13].contains(f) && f != host));
            }
        }
        // Of one ToR: that of host 4 has none.
        let refuse = |responders| {
            let one = PoissonIncast { responders, ..some.clone() };
            one.generate(&fabric(), 1).unwrap_err().to_string()
        };
        let none = "`senders` is hosts of which some that ask have none to answer; expected some below the ToRs of `responders`";
        assert_eq!(refuse(Responders::OneTor), none);
        assert_eq!(refuse(Responders::NextTor), none);
        let beyond = PoissonIncast { senders: set("30..32"), ..INCAST };
        let error = beyond.generate(&fabric(), 1).unwrap_err().to_string();
        assert_eq!(error, "`senders` is 30..32; expected hosts within 0..31");
    }

    #[test]
    fn impossible_incasts_are_refused() {
        let refuse = |incast: PoissonIncast| incast.generate(&fabric(), 1).unwrap_err().quantity;
        assert_eq!(refuse(PoissonIncast { rate: 0.0, ..INCAST }), "rate");
        assert_eq!(refuse(PoissonIncast { rate: f64::INFINITY, ..INCAST }), "rate");
        assert_eq!(refuse(PoissonIncast { fan_in: 0, ..INCAST }), "fan_in");
        assert_eq!(refuse(PoissonIncast { fan_in: 32, ..INCAST }), "fan_in");
        let of_a_rack = PoissonIncast { fan_in: 5, responders: Responders::OneTor, ..INCAST };
        assert_eq!(refuse(of_a_rack), "fan_in");
        assert_eq!(refuse(PoissonIncast { size: Bytes(2), ..INCAST }), "size");
        assert_eq!(refuse(PoissonIncast { horizon: Time::ZERO, ..INCAST }), "horizon");
        assert_eq!(refuse(PoissonIncast { rate: 1e12, ..INCAST }), "horizon");
    }
}
