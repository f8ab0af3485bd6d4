//! The rules of Ultra Ethernet's section 3.6, each by the function of the consortium's simulator that has
//! it: the specification's text is not at hand.

use crate::rule::{Rule, Rulebook};

/// What NSCC follows.
pub const RULES: &[Rulebook] =
    &[Rulebook { document: "Ultra Ethernet 1.0, by uet-htsim at 40ccb05", rules: NSCC }];

const NSCC: &[Rule] = &[
    Rule::shown(
        "3.6, initNsccParams: target",
        "The target delay is 0.75 unloaded round trips of the network where switches trim, else one",
        "the_target_is_three_quarters_of_the_round_trip_if_switches_trim_else_all_of_it",
    ),
    Rule::read(
        "3.6, initNsccParams: scale",
        "Constants scale with the network's bandwidth-delay product over 150 kB",
        "with the flow's own, as a scheme knows its own path",
    ),
    Rule::shown(
        "3.6, initNscc: window",
        "The window begins at 1.5 bandwidth-delay products and never exceeds them",
        "it_starts_at_one_and_a_half_bdp_and_never_exceeds_it",
    ),
    Rule::read(
        "3.6, base delay",
        "The unloaded round trip is the smallest that was seen",
        "it is known exactly",
    ),
    Rule::shown(
        "3.6, updateCwndOnAck_NSCC: quadrants",
        "A clean ACK below the target brings proportional increase, one above it fair increase; a \
         marked one below the target nothing",
        "the_quadrants_grow_the_window_by_their_constants",
    ),
    Rule::shown(
        "3.6, updateCwndOnAck_NSCC: no round trip",
        "An ACK without a round trip counts as one of the average delay",
        "an_ack_without_a_round_trip_counts_as_the_average_delay",
    ),
    Rule::shown(
        "3.6, fast_increase",
        "After a window of delays below 1 us the window grows by a quarter of what is acknowledged",
        "a_window_of_empty_queues_makes_it_grow_by_a_quarter_of_the_bytes",
    ),
    Rule::shown(
        "3.6, fulfill_adjustment",
        "Increases are summed and take effect after 8 packets or a round trip, with the steady \
         increase once a round trip",
        "the_quadrants_grow_the_window_by_their_constants",
    ),
    Rule::shown(
        "3.6, multiplicative_decrease",
        "A marked ACK above the target takes 0.8 of the average delay's excess, at most half the \
         window, once a round trip",
        "marks_above_the_target_shrink_with_the_average_excess_once_per_round_trip",
    ),
    Rule::shown(
        "3.6, update_delay",
        "The average moves by 0.0125 per sample; a clean sample above the target counts as a quarter \
         of the unloaded round trip, a trimmed packet as one",
        "the_average_takes_clean_long_delays_for_short_ones_and_trims_for_long_ones",
    ),
    Rule::shown(
        "3.6, quick_adapt: when",
        "Once in an unloaded round trip and the target, after a trim or a delay above four targets, \
         where less than an eighth of the maximum got through",
        "quick_adapt_lets_be_a_flow_that_got_an_eighth_through_or_lost_nothing",
    ),
    Rule::shown(
        "3.6, quick_adapt: what",
        "The window becomes what got through, and marks of what is in flight then say nothing new",
        "quick_adapt_sets_the_window_to_what_got_through_and_then_ignores_marks",
    ),
    Rule::shown(
        "3.6, updateCwndOnNack_NSCC",
        "A lost packet costs its bytes; a packet is the least window",
        "a_lost_packet_costs_its_bytes_and_one_packet_is_the_least",
    ),
    Rule::read(
        "3.6, mark_packet_for_retransmission",
        "A packet found lost by a timeout costs its bytes",
        "so does one found lost by reordering",
    ),
    Rule::absent(
        "3.6, rcv_wnd_pen",
        "A receiver that is slow takes a share of what it acknowledges from the window",
        "no host here is slow",
    ),
];
