//! The rules of RFC 9438.

use crate::rule::{Rule, Rulebook};

/// What CUBIC follows.
pub const RULES: &[Rulebook] = &[Rulebook { document: "RFC 9438", rules: RFC_9438 }];

const RFC_9438: &[Rule] = &[
    Rule::shown(
        "4.2, growth",
        "The window follows C (t - K)^3 + W_max; K is the cube root of (W_max - cwnd_epoch) / C",
        "after_a_loss_the_window_is_back_at_its_maximum_after_k",
    ),
    Rule::shown(
        "4.2, target",
        "What it is to be a round trip later lies between the window and 1.5 times the window",
        "a_target_lies_between_the_window_and_half_as_much_again",
    ),
    Rule::read(
        "4.2, time",
        "Time in which the sender does not use its window does not count",
        "none does while less than half of it is in flight, but for marks of a window of data that \
         was answered",
    ),
    Rule::shown(
        "4.3, W_est",
        "Where W(t) is less, the window is W_est, which begins at cwnd_epoch and grows by \
         3 (1 - beta) / (1 + beta) of a packet for a window of ACKs",
        "small_windows_grow_as_renos_do",
    ),
    Rule::shown(
        "4.3, alpha",
        "Once W_est has reached cwnd_prior it grows by a packet for a window of ACKs",
        "past_the_window_before_the_loss_renos_estimate_grows_by_a_packet",
    ),
    Rule::shown(
        "4.4",
        "Below W_max the window grows by (target - cwnd) / cwnd for each packet acknowledged",
        "after_a_loss_the_window_is_back_at_its_maximum_after_k",
    ),
    Rule::shown(
        "4.5",
        "From W_max on it grows by the same",
        "slow_start_that_no_loss_ended_goes_on_from_the_plateau",
    ),
    Rule::shown(
        "4.6, beta",
        "A loss takes the window to 0.7 times itself at once",
        "after_a_loss_the_window_is_back_at_its_maximum_after_k",
    ),
    Rule::read(
        "4.6, flight_size",
        "ssthresh becomes beta times what is in flight",
        "beta times the window, which the RFC allows where a window that is not used does not grow",
    ),
    Rule::read(
        "4.6, unused",
        "Where the window is what is reduced, it does not grow while less than it is in flight",
        "it does not grow while less than half of it is in flight, as in RFC 7661",
    ),
    Rule::shown(
        "4.6, least",
        "A loss leaves at least 2 packets, a mark 1",
        "a_loss_leaves_two_packets_and_a_mark_one",
    ),
    Rule::absent(
        "4.6, ECN-Echo",
        "Where marks persist at a window of one packet, the rate goes further down",
        "a marked flow has one packet in flight at least; RFC 3168 would have a timer back off",
    ),
    Rule::shown(
        "4.7",
        "A loss below W_max makes W_max (1 + beta) / 2 times the window",
        "a_second_loss_below_the_maximum_makes_room",
    ),
    Rule::read(
        "4.7, alone",
        "A flow alone in its network has no fast convergence",
        "a flow does not know: `fast_convergence = false` says so",
    ),
    Rule::shown(
        "4.8, window",
        "A timeout takes the window to one packet, and ssthresh to what a loss would",
        "it_starts_slowly_and_again_after_a_timeout",
    ),
    Rule::shown(
        "4.8, avoidance",
        "After it the first avoidance has K = 0; W_max and W_est are the window at its beginning",
        "after_a_timeout_avoidance_begins_at_the_plateau",
    ),
    Rule::absent(
        "4.9",
        "A reduction that proves spurious may be undone",
        "packets that arrive after they were found lost leave the window as it is",
    ),
    Rule::shown(
        "4.10, ssthresh",
        "Up to ssthresh the window grows by slow start",
        "it_starts_slowly_and_again_after_a_timeout",
    ),
    Rule::read(
        "4.10, HyStart++",
        "Slow start ends by HyStart++, in rare cases as Reno's",
        "it ends as Reno's, or with `hystart` by the HyStart of 2011, before HyStart++",
    ),
    Rule::shown(
        "4.10, no loss",
        "Slow start that no loss ended goes on with K = 0; W_max is the window at that time",
        "slow_start_that_no_loss_ended_goes_on_from_the_plateau",
    ),
];
