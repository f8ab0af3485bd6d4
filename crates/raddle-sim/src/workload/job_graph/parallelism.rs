//! Which ranks form groups where a model is split over them.

use super::Group;

/// How a model is split: over tensors, pipeline stages, experts, and the data over what is left.
///
/// The rank of a worker is tp + TP (dp + DP pp): neighbours share tensors. Groups of experts are
/// neighbours in the data-parallel order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parallelism {
    /// All ranks.
    pub ranks: u32,
    /// Ranks that share the tensors of a layer.
    pub tp: u32,
    /// Stages of the pipeline.
    pub pp: u32,
    /// Ranks that share the experts of a layer.
    pub ep: u32,
}

raddle_schemes::words! {
    /// A way of splitting.
    pub enum Split {
        /// Over tensors.
        Tensor = "tp",
        /// Over data.
        Data = "dp",
        /// Over experts.
        Expert = "ep",
        /// Over data, among ranks with the same experts.
        DataOfExperts = "dp_ep",
        /// Over stages.
        Pipeline = "pp",
    }
}

impl Parallelism {
    /// Ranks over which the data are split.
    pub fn dp(&self) -> u32 {
        self.ranks / (self.tp * self.pp).max(1)
    }

    /// Whether it divides its ranks: if not, what does not.
    ///
    /// # Errors
    /// Which number does not fit which.
    pub fn check(&self) -> Result<(), String> {
        let Self { ranks, tp, pp, ep } = *self;
        for (name, number) in [("ranks", ranks), ("tp", tp), ("pp", pp), ("ep", ep)] {
            if number == 0 {
                return Err(format!("{name} is 0; expected at least 1"));
            }
        }
        let product = u64::from(tp) * u64::from(pp);
        if !u64::from(ranks).is_multiple_of(product) {
            return Err(format!("{ranks} ranks are no multiple of tp times pp, {tp} x {pp}"));
        }
        if !self.dp().is_multiple_of(ep) {
            return Err(format!("dp, which is {}, is no multiple of ep, {ep}", self.dp()));
        }
        Ok(())
    }

    /// The ranks of each group, by the first of them.
    pub fn groups(&self, split: Split) -> Vec<Group> {
        let Self { tp, pp, ep, .. } = *self;
        let dp = self.dp();
        let rank = |t: u32, d: u32, p: u32| t + tp * (d + dp * p);
        let mut groups: Vec<Vec<u32>> = Vec::new();
        match split {
            Split::Tensor => {
                let each = (0..pp).flat_map(|p| (0..dp).map(move |d| (d, p)));
                groups.extend(each.map(|(d, p)| (0..tp).map(|t| rank(t, d, p)).collect()));
            }
            Split::Data => {
                let each = (0..pp).flat_map(|p| (0..tp).map(move |t| (t, p)));
                groups.extend(each.map(|(t, p)| (0..dp).map(|d| rank(t, d, p)).collect()));
            }
            Split::Expert => {
                for (p, k) in (0..pp).flat_map(|p| (0..dp / ep).map(move |k| (p, k))) {
                    groups
                        .extend((0..tp).map(|t| (0..ep).map(|e| rank(t, e + ep * k, p)).collect()));
                }
            }
            Split::DataOfExperts => {
                for (p, e) in (0..pp).flat_map(|p| (0..ep).map(move |e| (p, e))) {
                    let data = |t| (0..dp / ep).map(|k| rank(t, e + ep * k, p)).collect();
                    groups.extend((0..tp).map(data));
                }
            }
            Split::Pipeline => {
                let each = (0..dp).flat_map(|d| (0..tp).map(move |t| (t, d)));
                groups.extend(each.map(|(t, d)| (0..pp).map(|p| rank(t, d, p)).collect()));
            }
        }
        groups.sort_unstable();
        let named = |(number, ranks)| Group { name: format!("{} {number}", split.word()), ranks };
        groups.into_iter().enumerate().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_sixteen_ranks() {
        let split = Parallelism { ranks: 16, tp: 2, pp: 2, ep: 2 };
        assert_eq!(split.check(), Ok(()));
        let first = |of| split.groups(of)[0].ranks.clone();
        assert_eq!(first(Split::Tensor), [0, 1]);
        assert_eq!(first(Split::Data), [0, 2, 4, 6]);
        assert_eq!(first(Split::Expert), [0, 2]);
        assert_eq!(first(Split::DataOfExperts), [0, 4]);
        assert_eq!(first(Split::Pipeline), [0, 8]);
        for of in Split::ALL {
            let mut all: Vec<u32> =
                split.groups(*of).into_iter().flat_map(|group| group.ranks).collect();
            all.sort_unstable();
            assert_eq!(all, (0..16).collect::<Vec<_>>(), "{of:?}");
        }
    }

    #[test]
    fn numbers_that_do_not_divide_are_named() {
        let check = |ranks, tp, pp, ep| Parallelism { ranks, tp, pp, ep }.check().unwrap_err();
        assert_eq!(check(16, 3, 1, 1), "16 ranks are no multiple of tp times pp, 3 x 1");
        assert_eq!(check(16, 2, 1, 3), "dp, which is 8, is no multiple of ep, 3");
        assert_eq!(check(16, 0, 1, 3), "tp is 0; expected at least 1");
    }
}
