//! Leaf-spine fabrics: leaves with hosts, and spines that connect them.

use super::kind::{Draw, Kind, Topology};
use super::planes::TreeOfPorts;
use super::shape_error::ShapeError;
use super::tree::TreeShape;
use raddle_schemes::units::{Rate, Span};

/// What it says of itself.
pub const KIND: Kind = Kind {
    name: "leaf_spine",
    summary: "leaves with hosts, and spines that connect them",
    paper: "two-tier Leaf-Spine fabrics, as in Alizadeh et al., CONGA, SIGCOMM 2014",
    small,
};

fn small(draw: &mut Draw<'_>) -> Box<dyn Topology> {
    let (tors, hosts_per_tor) = (draw.between(1, 3), draw.between(2, 4));
    Box::new(TreeOfPorts::single(TreeShape {
        tiers: 2,
        hosts: tors * hosts_per_tor,
        hosts_per_tor,
        tors_per_pod: tors,
        aggs_per_pod: draw.between(1, 3),
        cores: 0,
        parallel: [draw.between(1, 2), 1],
        rates: draw.rates,
        delays: draw.delays,
        switch_delays: [draw.switch_delay; 3],
    }))
}

impl TreeShape {
    /// A leaf-spine fabric: a tree of two tiers in which each of `leaves` switches with
    /// `hosts_per_leaf` hosts has `parallel` cables to each of `spines` switches. All links have
    /// the same rate; set `rates[1]` of the result for faster uplinks.
    ///
    /// # Errors
    /// If a number is zero, or there are too few or too many hosts.
    pub fn leaf_spine(
        leaves: u32,
        hosts_per_leaf: u32,
        spines: u32,
        parallel: u32,
        rate: Rate,
        link_delay: Span,
        switch_delay: Span,
    ) -> Result<Self, ShapeError> {
        if leaves == 0 {
            return Err(ShapeError::Zero { what: "leaves" });
        }
        if hosts_per_leaf == 0 {
            return Err(ShapeError::Zero { what: "hosts_per_leaf" });
        }
        let hosts = leaves.checked_mul(hosts_per_leaf).ok_or(ShapeError::TooLarge {
            ports: u64::from(leaves).saturating_mul(u64::from(hosts_per_leaf)).saturating_mul(2),
        })?;
        let shape = Self {
            tiers: 2,
            hosts,
            hosts_per_tor: hosts_per_leaf,
            tors_per_pod: leaves,
            aggs_per_pod: spines,
            cores: 0,
            parallel: [parallel; 2],
            rates: [rate; 3],
            delays: [link_delay; 3],
            switch_delays: [switch_delay; 3],
        };
        shape.validate()?;
        Ok(shape)
    }
}
