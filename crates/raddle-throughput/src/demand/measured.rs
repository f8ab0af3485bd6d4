//! Demand of real jobs, and what was published for it.

use super::{Demand, read};

/// A measured demand.
pub struct Measured {
    /// Its word.
    pub name: &'static str,
    text: &'static str,
    /// Throughput that Vermilion's public results give (inet-tub/rdcn-throughput
    /// `Vermilion/nsdi-throughput-results.txt` @829d756), if they have the demand.
    pub published: Option<Published>,
}

/// Published throughput of 16 nodes with 4 links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Of the oblivious schedule, single-hop.
    pub oblivious_single_hop: f64,
    /// Of the oblivious schedule over all paths, by the linear program of the published code.
    pub oblivious_multi_hop: f64,
    /// Of Vermilion with k = 3, single-hop.
    pub vermilion_3: f64,
    /// Of Vermilion with k = 6, single-hop.
    pub vermilion_6: f64,
}

macro_rules! measured {
    ($($name:literal: $file:literal, $published:expr;)*) => {
        /// Demand matrices of DLRM jobs on 16 nodes; `data/demand/README.md` says where from.
        pub const MEASURED: &[Measured] = &[$(Measured {
            name: $name,
            text: include_str!(concat!("../../data/demand/", $file)),
            published: $published,
        }),*];
    };
}

const fn published(single: f64, multi: f64, three: f64, six: f64) -> Option<Published> {
    Some(Published {
        oblivious_single_hop: single,
        oblivious_multi_hop: multi,
        vermilion_3: three,
        vermilion_6: six,
    })
}

measured! {
    "data_parallelism": "data-parallelism.mat",
        published(0.0625, 0.566_676_106_012_378_9, 0.669_650_980_324_506_8, 0.834_821_974_323_214_8);
    "hybrid_parallelism": "hybrid-parallelism.mat",
        published(0.067_851_022_097_639_8, 0.723_858_800_199_862_2, 0.675_355_322_397_547_7, 0.836_049_031_246_97);
    "heatmap1": "heatmap1.mat", None;
    "heatmap2": "heatmap2.mat",
        published(0.065_866_992_671_678_06, 0.611_631_771_177_520_4, 0.666_802_757_986_581, 0.833_503_447_483_226_2);
    "heatmap3": "heatmap3.mat",
        published(0.067_762_091_849_770_3, 0.631_912_621_003_015_3, 0.670_512_399_575_536_9, 0.833_569_512_061_412_6);
}

impl Measured {
    /// The demand.
    ///
    /// # Panics
    /// Never: the files are part of the crate, and a test reads all of them.
    pub fn demand(&self) -> Demand {
        read(self.name, self.text.as_bytes()).map_or_else(|error| panic!("{error}"), |l| l.demand)
    }
}

/// The measured demand of this name.
pub fn find(name: &str) -> Option<&'static Measured> {
    MEASURED.iter().find(|measured| measured.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_demand_of_16_nodes_and_warns_of_its_dust() {
        // 0: not counted elsewhere. The 127th entry of heatmap3 is on its diagonal.
        let entries = [22, 0, 0, 127, 126];
        for (measured, entries) in MEASURED.iter().zip(entries) {
            let loaded = read(measured.name, measured.text.as_bytes()).unwrap();
            assert_eq!(loaded.demand.nodes(), 16, "{}", measured.name);
            assert!(!loaded.warnings.is_empty(), "{}", measured.name);
            let found = loaded.demand.pairs().count();
            assert!(entries == 0 || found == entries, "{}: {found}", measured.name);
        }
    }
}
