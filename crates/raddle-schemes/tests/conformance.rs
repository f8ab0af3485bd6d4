//! What every registered scheme must do, whatever it is.

mod driver;

use driver::{Paths, Queue, Window};
use raddle_schemes::buffer::{self, Arriving, BufferContext};
use raddle_schemes::family::{ParameterError, Raw};
use raddle_schemes::probe::{Probe, Probes};
use raddle_schemes::units::{Bytes, Time};
use raddle_schemes::{Need, congestion, load_balance, marking, planner, recovery, tor};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

const STEPS: u32 = 20_000;

/// The system's allocator, counting per thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches only a
// thread-local number that needs no allocation and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above, hence from the system, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `work` allocated.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// A scenario's value as its text stands there.
fn raw(text: &str) -> Raw<'_> {
    if let Some(quoted) = text.strip_prefix('"') {
        return Raw::Text(quoted.strip_suffix('"').unwrap_or(quoted));
    }
    match (text, text.parse(), text.parse()) {
        ("true", ..) => Raw::Flag(true),
        ("false", ..) => Raw::Flag(false),
        (_, Ok(integer), _) => Raw::Integer(integer),
        (_, _, Ok(float)) => Raw::Float(float),
        _ => panic!("{text} is no value of a scenario"),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Checks that ask for nothing but a family's list, made for each family.
macro_rules! registered {
    ($($family:ident: $module:path;)*) => {$(
        mod $family {
            use super::*;
            use $module::{Config, SCHEMES};

            #[test]
            fn cards_are_complete_and_names_are_words_used_once() {
                for (i, scheme) in SCHEMES.iter().enumerate() {
                    let card = scheme.card;
                    assert!(is_word(card.name), "{}", card.name);
                    for text in [card.title, card.paper, card.summary] {
                        let is_line = !text.is_empty() && text.trim() == text;
                        assert!(is_line && !text.contains(['\n', '\t']), "{}: {text}", card.name);
                        assert!(!text.contains("  "), "{}: {text}", card.name);
                    }
                    assert!(card.summary.ends_with('.'), "{}: {}", card.name, card.summary);
                    assert!(SCHEMES[..i].iter().all(|other| other.card.name != card.name));
                }
            }

            #[test]
            fn a_name_selects_its_scheme_and_no_other() {
                for scheme in SCHEMES {
                    let config = Config::named(scheme.card.name).unwrap();
                    assert_eq!(config.card(), scheme.card);
                }
                assert_eq!(Config::named("no_such_scheme"), None);
            }

            #[test]
            fn parameters_are_documented_and_accept_their_own_defaults() {
                for scheme in SCHEMES {
                    let default = Config::named(scheme.card.name).unwrap();
                    let parameters = (scheme.parameters)();
                    // Quiet parameters are listed and not shown.
                    let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
                    assert!(default.values().iter().all(|(name, _)| names.contains(name)));
                    let shown = default.values();
                    let is_shown = |name: &str| shown.iter().any(|(shown, _)| *shown == name);
                    let parameters = parameters.iter().filter(|parameter| is_shown(parameter.name));
                    for (parameter, (name, value)) in parameters.zip(default.values()) {
                        let place = format!("{}.{}", scheme.card.name, parameter.name);
                        assert_eq!((parameter.name, &parameter.default), (name, &value), "{place}");
                        assert!(is_word(parameter.name), "{place}");
                        assert!(parameter.doc.ends_with('.') && !parameter.kind.is_empty());
                        let mut config = default.clone();
                        assert_eq!(config.set(name, raw(&value)), Ok(()), "{place}");
                        assert_eq!(config, default, "{place}");
                    }
                }
            }

            #[test]
            fn unknown_parameters_and_wrong_values_are_refused_and_change_nothing() {
                for scheme in SCHEMES {
                    let default = Config::named(scheme.card.name).unwrap();
                    let mut config = default.clone();
                    let unknown = config.set("no_such_parameter", Raw::Integer(1));
                    assert_eq!(unknown, Err(ParameterError::Unknown));
                    for parameter in config.parameters() {
                        let refused = config.set(parameter.name, Raw::Text("no such value"));
                        match refused {
                            Err(ParameterError::Value(text)) => assert!(!text.is_empty()),
                            Err(ParameterError::Word(words)) => assert!(!words.is_empty()),
                            other => panic!("{}: {other:?}", parameter.name),
                        }
                    }
                    assert_eq!(config, default);
                }
            }
        }
    )*};
}

registered! {
    host_load_balancers: load_balance::host;
    switch_load_balancers: load_balance::switch;
    plane_selectors: load_balance::plane;
    congestion_controls: congestion;
    markers: marking;
    buffer_policies: buffer;
    recoveries: recovery;
    planners: planner;
    tor_middleware: tor;
}

#[test]
fn load_balancers_draw_from_the_entropies_they_are_given() {
    for default in driver::path_configs() {
        let mut few = default.clone();
        let limited = match few.set("entropies", Raw::Integer(32)) {
            Ok(()) => 32,
            Err(ParameterError::Unknown) => 1 << 16,
            Err(other) => panic!("{}: {other:?}", default.card().name),
        };
        let mut scheme = few.build(&driver::flow_context(false));
        let mut course = Paths::new(1, Time::ZERO);
        for _ in 0..STEPS {
            if let Some(entropy) = course.step(&mut scheme) {
                assert!(u32::from(entropy.0) < limited, "{few:?} gave {entropy:?}");
            }
        }
    }
}

#[test]
fn windows_hold_at_least_one_packet_and_rates_are_not_zero() {
    let context = driver::flow_context(true);
    for config in driver::congestion_configs() {
        let mut scheme = config.build(&context);
        let mut course = Window::new(2, Time::ZERO);
        for _ in 0..STEPS {
            let limits = course.step(&mut scheme);
            // Where receivers pace, a sender without credit has no window.
            let paced = scheme.pulls().is_some();
            assert!(paced || limits.window >= context.packet(), "{config:?}: {limits:?}");
            assert!(limits.rate.is_none_or(|rate| rate.0 > 0), "{config:?}: {limits:?}");
        }
    }
}

/// All that a scheme shows.
#[derive(Default, PartialEq)]
struct Shown(Vec<Probe>);

impl Probes for Shown {
    fn take(&mut self, probe: Probe) {
        assert!(is_word(probe.name) && probe.value.is_finite(), "{probe:?}");
        self.0.push(probe);
    }
}

/// Whether what is shown moves in a course of events. It has the same words all along: who asks for
/// one that there is not is told so before the run.
fn moves(words: &[&str], mut step: impl FnMut(&mut Shown)) -> bool {
    let mut look = || {
        let mut shown = Shown::default();
        step(&mut shown);
        let mut names: Vec<_> = shown.0.iter().map(|probe| probe.name).collect();
        names.dedup();
        assert_eq!(names, words);
        shown
    };
    let first = look();
    (0..STEPS).any(|_| look() != first)
}

#[test]
fn schemes_show_the_same_words_all_along_and_numbers_that_move() {
    for config in driver::path_configs() {
        let mut scheme = config.build(&driver::flow_context(true));
        let mut course = Paths::new(5, Time::ZERO);
        let words = config.probes();
        let moved = moves(&words, |to| {
            scheme.probes(to);
            course.step(&mut scheme);
        });
        // A planner alone moves a flow on a planned path.
        let is_planned = config.card().needs.contains(&Need::Planner);
        assert!(moved || words.is_empty() || is_planned, "{config:?} shows what never moves");
    }
    for config in driver::congestion_configs() {
        let mut scheme = config.build(&driver::flow_context(true));
        let mut course = Window::new(5, Time::ZERO);
        let words = config.probes();
        let moved = moves(&words, |to| {
            scheme.probes(to);
            course.step(&mut scheme);
        });
        assert!(moved || words.is_empty(), "{config:?} shows what never moves");
    }
}

/// In the released code that these three come from, and in none of the others'.
#[test]
fn a_new_rate_moves_the_packet_that_waits_under_hpcc_and_both_powertcps_alone() {
    let names = congestion::SCHEMES.iter().map(|scheme| scheme.card.name);
    let moves = |name: &&str| {
        let config = congestion::Config::named(name).expect("a listed name");
        config.build(&driver::flow_context(false)).retimes()
    };
    let names: Vec<_> = names.filter(moves).collect();
    assert_eq!(names, ["hpcc", "powertcp", "theta_powertcp"]);
}

#[test]
fn empty_queues_are_never_marked() {
    for config in driver::marking_configs() {
        let scheme = config.build(&driver::queue_base());
        let mut course = Queue::new(3, Time::ZERO);
        for _ in 0..STEPS {
            let (bytes, mark) = course.step(&scheme);
            assert!(!(mark && bytes == Bytes(0)), "{config:?}");
        }
    }
}

/// [`buffer::BufferPolicy::admits`]: engines rely on it.
#[test]
fn what_is_admitted_is_admitted_with_fewer_bytes_used() {
    let context = BufferContext { size: Bytes(100_000), ..BufferContext::NOMINAL };
    for scheme in buffer::SCHEMES {
        let policy = buffer::Config::named(scheme.card.name).unwrap().build(&context);
        for (bytes, queued) in [(64, 0), (4160, 0), (4160, 40_000), (4160, 12_000)] {
            let admits = |used| {
                let [bytes, queued, used] = [bytes, queued, used].map(Bytes);
                policy.admits(&Arriving { bytes, queued, used })
            };
            let answers = (queued..=100_000 - bytes).step_by(97).map(admits);
            assert!(answers.is_sorted_by(|a, b| a >= b), "{}", scheme.card.name);
        }
        let first = Arriving { bytes: Bytes(4160), queued: Bytes(0), used: Bytes(0) };
        assert!(policy.admits(&first), "{}", scheme.card.name);
    }
}

/// Whoever makes a plan holds lists against the classes that there are.
#[test]
fn a_list_of_a_buffer_policy_has_a_value_for_each_class_and_says_for_how_many() {
    let mut lists = 0;
    for scheme in buffer::SCHEMES {
        let default = buffer::Config::named(scheme.card.name).unwrap();
        assert_eq!(default.per_class(), [], "{default:?}");
        for parameter in default.parameters() {
            for value in [Raw::Float(0.5), Raw::Flag(false)] {
                let mut config = default.clone();
                if config.set(parameter.name, Raw::List(&[value, value, value])).is_ok() {
                    assert_eq!(config.per_class(), [(parameter.name, 3)], "{config:?}");
                    lists += 1;
                }
            }
        }
    }
    assert!(lists >= 8, "{lists}");
}

#[test]
fn nothing_is_allocated_once_a_scheme_is_built() {
    for config in driver::path_configs() {
        let mut scheme = config.build(&driver::flow_context(true));
        let mut course = Paths::new(4, Time::ZERO);
        // With its first packet it knows of its paths.
        course.run(&mut scheme, 1);
        let count = allocations(|| _ = course.run(&mut scheme, STEPS));
        assert_eq!(count, 0, "{config:?}");
    }
    for config in driver::congestion_configs() {
        let mut scheme = config.build(&driver::flow_context(true));
        let mut course = Window::new(4, Time::ZERO);
        let count = allocations(|| _ = course.run(&mut scheme, STEPS));
        assert_eq!(count, 0, "{config:?}");
    }
    for config in driver::marking_configs() {
        let scheme = config.build(&driver::queue_base());
        let mut course = Queue::new(4, Time::ZERO);
        let count = allocations(|| _ = course.run(&scheme, STEPS));
        assert_eq!(count, 0, "{config:?}");
    }
}

#[test]
fn the_count_of_allocations_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 100]))), 1);
}
