//! The page as a server has it: words first, numbers when they are asked for.

use super::blocks::Blocks;
use super::run::{self, Known, Place};
use super::times::Times;
use super::{Content, PAGE, SERVED, ViewError};
use crate::results::{Fabric, Kept};

/// What lets the page ask the server it comes from.
const ASKS: &str = "default-src 'none'; connect-src 'self';";

/// One or two runs, read once, and what their page asks for later. Of packets and hops those row groups are
/// read that a flow is in, when it is asked for; `probes` is read whole.
pub struct Served {
    runs: Vec<Kept>,
    page: String,
    blocks: Vec<u8>,
    times: Times,
    fabrics: Vec<Fabric>,
    of_run: Vec<usize>,
    known: Vec<Known>,
}

impl Served {
    /// Reads all but packets.
    ///
    /// # Errors
    /// Runs whose tables are CSV or damaged.
    pub fn new(runs: Vec<Kept>) -> Result<Self, ViewError> {
        let Content { head, blocks, times, fabrics, of_run } = Content::of(&runs, &SERVED)?;
        let page = PAGE.replacen("default-src 'none';", ASKS, 1);
        let page = page.replacen("[[blocks]]", "", 1).replacen("[[head]]", &head, 1);
        let known = runs.iter().map(|run| Known::of(run, &times)).collect::<Result<_, _>>()?;
        Ok(Self { runs, page, blocks: blocks.into_bytes(), times, fabrics, of_run, known })
    }

    /// The page: `GET /`.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The numbers that its head names: `GET /blocks`.
    pub fn blocks(&self) -> &[u8] {
        &self.blocks
    }

    /// Packets, rate and probes of a flow: `GET /flow/RUN/FLOW`. A length in four bytes, so much JSON with
    /// the place of each block, then the blocks. Nothing of a run that there is not.
    ///
    /// # Errors
    /// Tables that have gone, are damaged, or are of another run by now.
    pub fn flow(&self, index: usize, flow: u64) -> Result<Option<Vec<u8>>, ViewError> {
        let (Some(run), Some(&fabric_at)) = (self.runs.get(index), self.of_run.get(index)) else {
            return Ok(None);
        };
        let place = Place { index, fabric_at, fabric: &self.fabrics[fabric_at] };
        let mut blocks = Blocks::default();
        run::followed(run, &place, flow, (&self.times, &self.known[index]), &mut blocks)?;
        Ok(Some(blocks.with_places()))
    }
}
