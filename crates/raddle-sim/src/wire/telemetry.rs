//! In-band telemetry: what a data frame carries of the switches that it has passed.

use raddle_schemes::congestion::Hop;

/// The records of the switches so far, the first one first.
pub(crate) type Note = Vec<Hop>;
