//! Raddle with a scheme more in every family, none of which it has heard of. Copy this folder, keep
//! the file that you need, and write your scheme into it.
//!
//! | file | family | the trait |
//! |---|---|---|
//! | `fickle.rs` | paths that hosts choose | `load_balance::host::PathSelector` |
//! | `shorter_line.rs` | planes of hosts with several ports | `load_balance::plane::PlaneSelector` |
//! | `emptiest.rs` | ports that switches choose | `load_balance::switch::PortSelector` |
//! | `cautious.rs` | congestion control | `congestion::CongestionControl` |
//! | `patient.rs` | recovery | `recovery::Recovery` |
//! | `ramp.rs` | marking | `marking::Marker` |
//! | `newcomers.rs` | shared memory | `buffer::BufferPolicy` |
//! | `late.rs` | middleware in ToRs | `tor::TorHook` |
//! | `halves.rs` | planners | `planner::Planner` |
//!
//! The program has every command of `raddle`:
//!
//! ```sh
//! cargo run --release -- run stack.toml
//! cargo run --release -- schemes cautious
//! ```

mod cautious;
mod emptiest;
mod fickle;
mod halves;
mod late;
mod newcomers;
mod patient;
mod ramp;
mod shorter_line;

use raddle::plugins::Plugins;
use std::process::ExitCode;

fn main() -> ExitCode {
    let plugins = Plugins::new()
        .with(fickle::plugin())
        .with(shorter_line::plugin())
        .with(emptiest::plugin())
        .with(cautious::plugin())
        .with(patient::plugin())
        .with(ramp::plugin())
        .with(newcomers::plugin())
        .with(late::plugin())
        .with(halves::plugin());
    raddle_cli::main_with(plugins)
}
