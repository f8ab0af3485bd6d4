//! Every transport that a socket carries.

use raddle_schemes::family::{Need, Scheme};
use raddle_schemes::{congestion, recovery};
use raddle_udp::{Path, Transport};

/// Path selector, congestion control and recovery, by their words.
pub(crate) type Names = [&'static str; 3];

/// Every congestion control with every recovery that it can have. Packets of one message take any path
/// where its receiver bears that.
pub(crate) fn all(path: &Path) -> Vec<(Names, Transport)> {
    let mut all = Vec::new();
    for congestion in names(congestion::SCHEMES) {
        for recovery in names(recovery::SCHEMES) {
            let config = recovery::Config::named(recovery).expect("a listed name");
            let sprays = config.offers(Need::OutOfOrder);
            let own = [if sprays { "ops" } else { "flowlet" }, congestion, recovery];
            let transport = Transport::named(own[0], own[1], own[2], path);
            all.extend(transport.ok().map(|transport| (own, transport)));
        }
    }
    // 17 controls less 4 that need what a socket does not have, with 5 recoveries.
    assert_eq!(all.len(), 78);
    all
}

fn names(list: &[Scheme]) -> impl Iterator<Item = &'static str> {
    list.iter().map(|own| own.card.name)
}
