//! The tests of the crate from outside, linked once: `cargo test -p raddle-sim --test suite wrap::`
//! runs one file. Only `memory.rs` is a program of its own, since it counts what is allocated.

mod adaptive_roce;
mod all_reduce;
mod collectives;
mod common;
mod compute;
mod connections;
mod conservation;
mod corner_cases;
mod credits;
mod custom_scheme;
mod determinism;
mod disciplines;
mod engine_layers;
mod engines_agree;
mod every_flow_ends;
mod fair_ties;
mod flow_control;
mod hosts;
mod ideal_stack;
mod layers;
mod limits;
mod load_balance_study;
mod middleware;
mod outside;
mod pair_order;
mod parts;
mod physics;
mod policies;
mod random;
mod routes_fit;
mod shared_memory;
mod source_routing;
mod threads;
mod windows;
mod wrap;
