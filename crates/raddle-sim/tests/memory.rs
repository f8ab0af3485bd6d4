//! How much memory a run takes: what is in flight, what each flow leaves, and no more.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

#[path = "suite/common/mod.rs"]
mod common;

use common::{fat_tree, permutation, plan};
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::plan::Plan;
use raddle_sim::workload::Flow;
use raddle_sim::workload::law::{Law, Sampling};
use raddle_sim::workload::poisson::{LoadBase, Poisson, Receivers};
use raddle_sim::{bound, engine};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which knows what each thread has and has had at most.
struct Measuring;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
    static MOST: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; measuring touches only
// thread-local numbers that need no allocation and have no destructor.
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.get() + layout.size() as u64;
        NOW.set(now);
        MOST.set(MOST.get().max(now));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // What another thread allocated, this one may free.
        NOW.set(NOW.get().saturating_sub(layout.size() as u64));
        // SAFETY: `pointer` came from `alloc` above, hence from the system, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks move without a copy: pages change hands.
        let now = (NOW.get() + size as u64).saturating_sub(layout.size() as u64);
        NOW.set(now);
        MOST.set(MOST.get().max(now));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`; see `dealloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

/// Most bytes that `work` has at once, what it returns included.
fn most_of<T>(work: impl FnOnce() -> T) -> u64 {
    let before = NOW.get();
    MOST.set(before);
    drop(work());
    MOST.get() - before
}

/// Most bytes that a run has at once, its outcome included, its plan not.
fn most(plan: &Plan) -> u64 {
    most_of(|| engine::run(plan, &mut ()))
}

/// 16 hosts at 40 % load with flows of 1 to 16 packets until `until`.
fn open_loop(until: Time) -> Plan {
    let fabric = fat_tree(2, 16);
    let law = Law::from_csv("size_bytes,cdf\n4096,0\n65536,1\n").unwrap();
    let (sampling, base) = (Sampling::Linear, LoadBase::HostLink);
    let arrivals = Poisson {
        law,
        sampling,
        load: 0.4,
        base,
        senders: None,
        receivers: Receivers::Any,
        destinations: None,
        horizon: until,
        at_least: Bytes(0),
        below: None,
    };
    let traffic = arrivals.generate(&fabric, 1).unwrap();
    plan(fabric, traffic, "reps", 1)
}

#[test]
fn a_longer_open_loop_takes_only_what_each_flow_leaves() {
    let [short, long] = [Time(2_000_000_000), Time(10_000_000_000)].map(open_loop);
    let more = (long.traffic.flows.len() - short.traffic.flows.len()) as u64;
    assert!(more > 10_000, "{more} flows more");
    let each = (most(&long) - most(&short)) as f64 / more as f64;
    // Numbers in the tables of both ends and among starts (12), slots of both ends (48), and what is
    // kept of the record (32); the flow itself is in the plan. The rest is luck: how many are under way
    // at most.
    assert!((90.0..100.0).contains(&each), "{each} B for each flow more");
}

#[test]
fn bounds_of_a_longer_open_loop_take_less_than_its_run() {
    let [short, long] = [Time(2_000_000_000), Time(10_000_000_000)].map(open_loop);
    let more = (long.traffic.flows.len() - short.traffic.flows.len()) as u64;
    let [few, many] = [short, long].map(|plan| most_of(|| bound::of_plan(&plan)));
    let each = (many - few) as f64 / more as f64;
    assert!(each < 90.0, "{each} B for each flow more");
}

#[test]
fn a_longer_message_takes_no_more() {
    let [short, long] =
        [4, 64].map(|mib| most(&permutation(fat_tree(3, 16), Bytes::mib(mib), "reps", 1)));
    assert!(long < short + short / 10, "{short} B with 4 MiB, {long} B with 64 MiB");
}

#[test]
fn a_flow_of_an_all_to_all_takes_little_over_half_a_kilobyte() {
    // Each host has sent one packet of every flow before it sends the second of any.
    let flows = |hosts: u32, per_pair: u32| {
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to)));
        let pairs = pairs.filter(|(from, to)| from != to);
        let of_pair =
            |(from, to)| (0..per_pair).map(move |_| Flow::at_zero(from, to, Bytes(16_384)));
        plan(fat_tree(3, hosts), pairs.flat_map(of_pair).collect::<Vec<_>>().into(), "reps", 1)
    };
    let [few, many] = [flows(54, 1), flows(54, 5)];
    let more = (many.traffic.flows.len() - few.traffic.flows.len()) as f64;
    let each = (most(&many) - most(&few)) as f64 / more;
    // 420 and more, in blocks of memory that double when full: how full these are is luck of the sizes.
    assert!(each < 575.0, "{each} B for each flow more");
}
