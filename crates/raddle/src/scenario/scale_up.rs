//! `[fabric] scale_up`: what the GPUs of a server send each other by.

use super::key::{Section, keys};
use super::keyed::Reader;
use super::reader::Log;
use super::scheme::shown;
use super::spec::Place;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::scale_up::ScaleUp;

keys! {
    /// `[fabric] scale_up`.
    SCALE_UP: ScaleUpKeys = Section::new("scale_up", "### scale_up", "servers of several GPUs, each with a crossbar that loses nothing: all messages between GPUs of a server go by it, and no others; see [training](training.md#servers-of-several-gpus). `scale_up = {}` has all defaults") => {
        gpus: Whole, (= 8) [>= 2],
            "GPUs of a server: so many hosts that are neighbours by number. With `kind = \"rail\"` as many as there";
        rate: Rate, (= "3600 Gbps"),
            "of the port out of a GPU, and of its port in";
        latency: Time, (= "500 ns") [>= "10 ns"],
            "from the port out of one to the port in of another, and of the answer back";
        quantum: Bytes, (= "64 KiB") [>= "1 B"],
            "what a port takes of a message before it is another's turn";
    }
}

/// Most bytes of a quantum.
const LARGEST_QUANTUM: Bytes = Bytes(u32::MAX as u64);

/// The table, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct ScaleUpSection {
    pub(crate) domain: ScaleUp,
    place: Place,
    gpus_place: Place,
}

/// Reads the table.
pub(crate) fn scale_up(mut reader: Reader<'_>) -> Option<ScaleUpSection> {
    let place = reader.place().clone();
    let gpus_place = reader.take(&SCALE_UP.gpus).map_or(&place, |item| &item.place).clone();
    let gpus: Option<u32> = reader.at_least(&SCALE_UP.gpus);
    let rate = reader.or(&SCALE_UP.rate);
    let latency: Option<Span> = reader.at_least(&SCALE_UP.latency);
    let quantum: Option<Bytes> = reader.at_least(&SCALE_UP.quantum);
    let late = latency.is_some_and(|own| own > super::limits::LATEST);
    let large = quantum.is_some_and(|own| own > LARGEST_QUANTUM);
    let most = [
        (&SCALE_UP.latency, late, super::limits::LATEST.to_string()),
        (&SCALE_UP.quantum, large, LARGEST_QUANTUM.to_string()),
    ];
    let mut fits = true;
    for (key, is_too_large, most) in most {
        if let (true, Some(item)) = (is_too_large, reader.take(key)) {
            let problem = item.place.problem(format!("`{}` is too large", key.word));
            reader.log().add(problem.label(format!("expected at most {most}")));
            fits = false;
        }
    }
    reader.finish();
    let domain = ScaleUp { gpus: gpus?, rate, latency: latency?, quantum: quantum? };
    fits.then_some(ScaleUpSection { domain, place, gpus_place })
}

impl ScaleUpSection {
    /// The fabric with these servers; `gpus` are those of its own servers, if it has such. What does not
    /// fit is added to the log.
    pub(crate) fn give(&self, fabric: Fabric, gpus: Option<u32>, log: &Log) -> Option<Fabric> {
        if let Some(own) = gpus.filter(|own| *own != self.domain.gpus) {
            let message = format!("`gpus` is {}, and a server has {own}", self.domain.gpus);
            let problem = self.gpus_place.problem(message);
            log.add(problem.label(format!("expected {own}, the `gpus` of the topology")));
            return None;
        }
        if fabric.circuits.is_some() {
            let problem = self.place.problem("`scale_up` is not for circuits");
            log.add(problem.label("leave it out"));
            return None;
        }
        let hosts = fabric.hosts;
        let given = fabric.with_scale_up(self.domain);
        let refused = |_| {
            let message = format!("{hosts} hosts are no servers of {} GPUs", self.domain.gpus);
            let problem = self.gpus_place.problem(message);
            log.add(problem.label(format!("expected a divisor of {hosts}, from 2 on")));
        };
        given.map_err(refused).ok()
    }

    /// The line of the table with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        let ScaleUp { gpus, rate, latency, quantum } = self.domain;
        let (rate, latency, quantum) = (shown(&rate), shown(&latency), shown(&quantum));
        format!(
            "scale_up = {{ gpus = {gpus}, rate = {rate}, latency = {latency}, quantum = {quantum} }}"
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Study, parse};
    use raddle_schemes::ids::HostId;
    use raddle_sim::engine;
    use raddle_sim::record::Stop;
    use std::path::Path;

    const RAILS: &str = "{ kind = \"rail\", servers = 4, gpus = 8, spines = 0 }";

    fn study(topology: &str, scale_up: &str) -> Result<Study, String> {
        let text = format!(
            "[fabric]\ntopology = {topology}\nscale_up = {scale_up}\n\
             [traffic]\nkind = \"flows\"\nflow = [{{ from = 1, to = 6, bytes = \"1 MiB\" }}]\n"
        );
        let problems = |problems: crate::problem::Problems| problems.render(false);
        parse("t.toml", &text, Path::new("."), &[]).map_err(problems)
    }

    #[test]
    fn what_stays_in_a_server_needs_no_spine() {
        let study = study(RAILS, "{}").unwrap();
        let scenario = &study.cells[0].scenario;
        let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
        let plan = scenario.resolve(1).unwrap();
        assert!(plan.fabric.scales_up(HostId(1), HostId(6)));
        let outcome = engine::run(&plan, &mut ());
        assert_eq!((outcome.stop, outcome.packet_hops), (Stop::Completed, 0));
    }

    #[test]
    fn servers_that_do_not_fit_are_refused_where_they_are_named() {
        let tree = "{ kind = \"fat_tree\", hosts = 16 }";
        for (topology, scale_up, expected) in [
            (RAILS, "{ gpus = 4 }", "expected 8, the `gpus` of the topology"),
            (tree, "{ gpus = 3 }", "16 hosts are no servers of 3 GPUs"),
            (tree, "{ gpus = 1 }", "`gpus` is too small"),
            (tree, "{ latency = \"9 ns\" }", "`latency` is too small"),
            (tree, "{ latency = \"80 s\" }", "`latency` is too large"),
            (tree, "{ quantum = \"5 GB\" }", "`quantum` is too large"),
            (tree, "{ quanta = \"64 KiB\" }", "quantum"),
        ] {
            let problems = study(topology, scale_up).unwrap_err();
            assert!(problems.contains(expected), "{scale_up}: {problems}");
        }
    }
}
