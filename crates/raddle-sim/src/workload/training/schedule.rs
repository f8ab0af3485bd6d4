//! In which order a stage of a pipeline does its passes.

raddle_schemes::words! {
    /// An order of passes.
    #[derive(Default)]
    pub enum Schedule {
        /// A few passes forward, then one forward and one backward in turn.
        #[default]
        OneByOne = "1f1b",
        /// All passes forward, then all backward.
        GPipe = "gpipe",
        /// As `1f1b`, with several parts of the model at each stage.
        Interleaved = "interleaved",
    }
}

/// A way through the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Forward,
    Backward,
}

/// One micro-batch through the layers of one part of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) way: Way,
    pub(super) micro_batch: u32,
    /// Which part of those of the stage.
    pub(super) chunk: u32,
}

/// What a schedule is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) schedule: Schedule,
    pub(super) stages: u32,
    pub(super) micro_batches: u32,
    /// Parts of the model at each stage.
    pub(super) chunks: u32,
}

impl Shape {
    /// The passes of a stage, in order.
    pub(super) fn passes(&self, stage: u32) -> Vec<Pass> {
        let all = self.micro_batches * self.chunks;
        let behind = self.stages - 1 - stage;
        let warm_up = match self.schedule {
            Schedule::GPipe => all,
            Schedule::OneByOne => behind,
            Schedule::Interleaved => 2 * behind + (self.chunks - 1) * self.stages,
        };
        let ahead = warm_up.min(all);
        let mut passes: Vec<Pass> = (0..ahead).map(|k| self.pass(Way::Forward, k)).collect();
        for k in 0..all - ahead {
            passes.push(self.pass(Way::Forward, ahead + k));
            passes.push(self.pass(Way::Backward, k));
        }
        passes.extend((all - ahead..all).map(|k| self.pass(Way::Backward, k)));
        passes
    }

    /// The k-th of a way: as many micro-batches as there are stages go through one part, then through
    /// the next.
    fn pass(&self, way: Way, k: u32) -> Pass {
        let Self { stages, chunks, .. } = *self;
        let round = k / (stages * chunks);
        let chunk = k % (stages * chunks) / stages;
        let chunk = if way == Way::Forward { chunk } else { chunks - 1 - chunk };
        Pass { way, micro_batch: round * stages + k % stages, chunk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(schedule: Schedule, micro_batches: u32, chunks: u32, stage: u32) -> String {
        let shape = Shape { schedule, stages: 2, micro_batches, chunks };
        let of = |pass: Pass| {
            let way = if pass.way == Way::Forward { 'F' } else { 'B' };
            format!("{way}{}{}", pass.micro_batch, ["a", "b"][pass.chunk as usize])
        };
        shape.passes(stage).into_iter().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_stage_does_its_passes_in_order() {
        assert_eq!(passes(Schedule::OneByOne, 3, 1, 0), "F0a F1a B0a F2a B1a B2a");
        assert_eq!(passes(Schedule::OneByOne, 3, 1, 1), "F0a B0a F1a B1a F2a B2a");
        assert_eq!(passes(Schedule::GPipe, 3, 1, 1), "F0a F1a F2a B0a B1a B2a");
        assert_eq!(
            passes(Schedule::Interleaved, 4, 2, 1),
            "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a"
        );
    }
}
