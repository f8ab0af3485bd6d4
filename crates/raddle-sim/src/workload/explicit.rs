//! Flows listed one by one.

use super::{Flow, Start, Traffic, WorkloadError};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Time};

/// One flow of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitFlow {
    /// The sender.
    pub source: HostId,
    /// The receiver.
    pub destination: HostId,
    /// Application bytes.
    pub message: Bytes,
    /// The class its data travels in.
    pub class: u8,
    /// When it starts.
    pub start: Time,
}

/// The traffic of a list, flows in its order.
///
/// # Errors
/// For the first flow whose hosts do not exist or are the same, or whose message is empty; its
/// position is in the error. Also for more than 2^32 flows, and for none.
pub fn traffic(hosts: u32, list: &[ExplicitFlow]) -> Result<Traffic, WorkloadError> {
    if list.is_empty() || u32::try_from(list.len()).is_err() {
        return Err(WorkloadError::new("flows", list.len(), "1 to 4294967295 flows"));
    }
    let flows = list.iter().enumerate().map(|(position, flow)| {
        convert(hosts, flow).map_err(|error| WorkloadError { flow: Some(position), ..error })
    });
    Ok(flows.collect::<Result<Vec<_>, _>>()?.into())
}

fn convert(hosts: u32, flow: &ExplicitFlow) -> Result<Flow, WorkloadError> {
    for (quantity, host) in [("source", flow.source), ("destination", flow.destination)] {
        if host.0 >= hosts {
            let fits = format!("a host below {hosts}");
            return Err(WorkloadError::new(quantity, host.0, fits));
        }
    }
    if flow.source == flow.destination {
        let fits = "a host other than the source";
        return Err(WorkloadError::new("destination", flow.destination.0, fits));
    }
    super::check_message(flow.message)?;
    let at_zero = Flow::at_zero(flow.source.0, flow.destination.0, flow.message);
    Ok(Flow { start: Start::At(flow.start), class: flow.class, ..at_zero })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(source: u32, destination: u32, message: u64) -> ExplicitFlow {
        ExplicitFlow {
            source: HostId(source),
            destination: HostId(destination),
            message: Bytes(message),
            class: 0,
            start: Time(7),
        }
    }

    #[test]
    fn a_list_becomes_flows_in_its_order() {
        let traffic = traffic(4, &[flow(3, 0, 5), flow(0, 1, 6)]).unwrap();
        assert_eq!(traffic.flows[0].source, HostId(3));
        assert_eq!(traffic.flows[1].bytes, Bytes(6));
        assert_eq!(traffic.flows[1].start, Start::At(Time(7)));
    }

    #[test]
    fn the_wrong_flow_is_named() {
        let refuse = |bad| traffic(4, &[flow(0, 1, 1), bad]).unwrap_err().to_string();
        assert_eq!(refuse(flow(4, 0, 1)), "flow 1: `source` is 4; expected a host below 4");
        assert_eq!(
            refuse(flow(2, 2, 1)),
            "flow 1: `destination` is 2; expected a host other than the source"
        );
        assert_eq!(refuse(flow(1, 2, 0)), "flow 1: `message` is 0 B; expected at least 1 B");
        assert_eq!(traffic(4, &[]).unwrap_err().quantity, "flows");
    }
}
