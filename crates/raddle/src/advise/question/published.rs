//! Rates that were published, each with where.

use super::of::Of;

/// The word that takes them.
pub(super) const WORD: &str = "published-2026";

/// A time between failures that was published.
pub(super) struct Published {
    of: Of,
    /// The layers that it is said of; any where there is none.
    layers: &'static [&'static str],
    /// As a question has it.
    pub(super) mtbf: &'static str,
    pub(super) source: &'static str,
}

const MTBFS: &[Published] = &[
    Published {
        of: Of::Cables,
        layers: &["host_tor"],
        mtbf: "1.28e6 h",
        source: "a link between NIC and ToR fails with .057 % a month (Alibaba HPN, SIGCOMM 2024, \
                 section 2.3)",
    },
    Published {
        of: Of::NicPorts,
        layers: &[],
        mtbf: "1.28e6 h",
        source: "a link between NIC and ToR fails with .057 % a month (Alibaba HPN, SIGCOMM 2024, \
                 section 2.3)",
    },
    Published {
        of: Of::Switches,
        layers: &["tor"],
        mtbf: "1.4e6 h",
        source: "a ToR crashes with .051 %, read as a month (Alibaba HPN, SIGCOMM 2024, section 2.3)",
    },
    Published {
        of: Of::Switches,
        layers: &["agg", "core"],
        mtbf: "1.07e5 h",
        source: "2 % of switches fail in 3 months (Singh and others, CCR 2021)",
    },
];

/// What a stop costs: `[job] restart`.
pub(super) const RESTART: (&str, &str) =
    ("68 min", "median from a fault until training goes on (R2CCL, arXiv 2512.25059)");

/// The one for such parts.
pub(super) fn mtbf(of: Of, layer: Option<&str>) -> Option<&'static Published> {
    let fits = |own: &&Published| {
        own.of == of
            && (own.layers.is_empty() || layer.is_some_and(|layer| own.layers.contains(&layer)))
    };
    MTBFS.iter().find(fits)
}

/// For which parts there is one.
pub(super) fn known() -> String {
    let of = |own: &Published| match own.layers {
        [] => own.of.word().to_owned(),
        layers => format!("{} of {}", own.of.word(), layers.join(" and ")),
    };
    MTBFS.iter().map(of).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::values::seconds_of;
    use super::*;

    #[test]
    fn published_rates_are_times_and_name_their_sources() {
        for own in MTBFS {
            assert!(seconds_of(own.mtbf).is_some_and(|s| s > 3600.0 * 1e5), "{}", own.mtbf);
            assert!(own.source.contains('(') && own.source.ends_with(')'), "{}", own.source);
        }
        assert!(seconds_of(RESTART.0).is_some());
        assert!(mtbf(Of::Optics, None).is_none() && mtbf(Of::Cables, None).is_none());
        assert!(mtbf(Of::Switches, Some("core")).is_some_and(|own| own.mtbf == "1.07e5 h"));
    }
}
