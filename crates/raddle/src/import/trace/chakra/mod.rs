//! Chakra execution traces: a file for each rank, each a stream of protobuf messages.
//!
//! The messages are those of `et_def.proto` of mlcommons/chakra (commit 21585d8). What nodes mean and
//! which edges hold is as ASTRA-sim (commit 518bd51) has it.

mod build;
mod groups;
mod node;
mod order;
mod wire;
pub(super) mod write;

use super::mistakes::{At, Mistakes};
use super::{Options, Parsed, TraceError};
use node::{Node, Version};

/// Whether bytes look like it: a first message that is read whole, with nothing but metadata. One that is
/// empty is no sign of it where no node follows: any file may begin with a zero.
pub(super) fn is_it(bytes: &[u8]) -> bool {
    let mut stream = wire::Stream::new(bytes);
    let Some(Ok((_, first))) = stream.next() else { return false };
    let is_node = |next: Result<(u64, &[u8]), wire::Wrong>| {
        next.is_ok_and(|(at, message)| node::node(message, at).is_ok())
    };
    node::version(first).is_ok() && (!first.is_empty() || stream.next().is_none_or(is_node))
}

/// Reads the files of all ranks.
pub(super) fn parse(files: &[&[u8]], options: &Options) -> Result<Parsed, Vec<TraceError>> {
    let mut mistakes = Mistakes::default();
    let mut ranks: Vec<Vec<Node>> = Vec::new();
    let mut first: Option<Version> = None;
    for (file, bytes) in files.iter().enumerate() {
        mistakes.file = file;
        let (version, nodes) = rank(bytes, &mut mistakes);
        first.get_or_insert(version);
        ranks.push(nodes);
        if mistakes.enough() {
            break;
        }
    }
    let version = first.unwrap_or_default();
    build::job(ranks, &version, options, mistakes)
}

/// The nodes of a file.
fn rank(bytes: &[u8], mistakes: &mut Mistakes) -> (Version, Vec<Node>) {
    let (mut version, mut nodes) = (Version::default(), Vec::new());
    for (number, message) in wire::Stream::new(bytes).enumerate() {
        let read = message.and_then(|(at, message)| {
            let wrong =
                |wire::Wrong { at: within, message }| wire::Wrong { at: at + within, message };
            if number == 0 {
                version = node::version(message).map_err(wrong)?;
            } else {
                nodes.push(node::node(message, at).map_err(wrong)?);
            }
            Ok(())
        });
        if let Err(wire::Wrong { at, message }) = read {
            let help = "export the trace again: it may have been cut off";
            mistakes.error(At::Byte(at), message, help);
            break;
        }
    }
    (version, nodes)
}
