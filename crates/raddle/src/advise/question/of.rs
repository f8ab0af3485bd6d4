//! What there is of a fabric that breaks, and its words.

/// What there is of a fabric that breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Cables.
    Cables,
    /// The two ends of each cable.
    Optics,
    /// Ports of hosts, each with its cable.
    NicPorts,
    /// Switches.
    Switches,
    /// Hosts.
    Hosts,
    /// A switch with hosts.
    Tor,
    /// All switches of a pod.
    Pod,
    /// All switches of a plane.
    Plane,
    /// Cables at neighbouring ports of a switch.
    Module,
    /// Neighbouring switches with hosts.
    Row,
}

/// Those of `[[failure]]`.
pub(super) const PARTS: [&str; 5] = ["cables", "optics", "nic_ports", "switches", "hosts"];
/// Those of `[[group]]`.
pub(super) const GROUPS: [&str; 5] = ["tor", "pod", "plane", "module", "row"];
const ALL: [Of; 10] = [
    Of::Cables,
    Of::Optics,
    Of::NicPorts,
    Of::Switches,
    Of::Hosts,
    Of::Tor,
    Of::Pod,
    Of::Plane,
    Of::Module,
    Of::Row,
];

impl Of {
    /// As a question has it.
    pub(crate) fn word(self) -> &'static str {
        let words = PARTS.iter().chain(&GROUPS);
        words.zip(ALL).find(|(_, own)| *own == self).map_or("", |(word, _)| word)
    }

    /// The one of a word.
    pub(super) fn named(word: &str) -> Option<Self> {
        PARTS.iter().chain(&GROUPS).zip(ALL).find(|(own, _)| **own == word).map(|(_, of)| of)
    }

    /// One of them, in words.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Cables => "cable",
            Self::Optics => "optic",
            Self::NicPorts => "NIC port",
            Self::Switches => "switch",
            Self::Hosts => "host",
            Self::Tor => "ToR",
            Self::Pod => "pod",
            Self::Plane => "plane",
            Self::Module => "module",
            Self::Row => "row",
        }
    }
}
