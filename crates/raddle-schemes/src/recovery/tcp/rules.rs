//! The rules of the RFCs of TCP's loss recovery.

use crate::rule::{Rule, Rulebook};

/// What TCP's loss recovery follows.
pub const RULES: &[Rulebook] = &[
    Rulebook { document: "RFC 6298", rules: RFC_6298 },
    Rulebook { document: "RFC 6675", rules: RFC_6675 },
    Rulebook { document: "RFC 6937", rules: RFC_6937 },
    Rulebook { document: "RFC 8985", rules: RFC_8985 },
];

const RFC_6298: &[Rule] = &[
    Rule::read(
        "2.1",
        "Before the first sample of the round trip the timeout is a second",
        "three unloaded round trips, what a handshake would leave, and `min_rto` at least",
    ),
    Rule::shown(
        "2.2",
        "The first sample R makes SRTT R, RTTVAR R / 2 and the timeout SRTT + 4 RTTVAR",
        "the_timeout_is_the_smoothed_round_trip_and_four_deviations",
    ),
    Rule::shown(
        "2.3",
        "Further ones count by a quarter in RTTVAR, then by an eighth in SRTT",
        "the_timeout_is_the_smoothed_round_trip_and_four_deviations",
    ),
    Rule::read(
        "2.4",
        "The timeout is a second at least",
        "`min_rto` at least, 10 ms unless it is set",
    ),
    Rule::read(
        "2.5",
        "The longest timeout, if there is one, is 60 seconds at least",
        "`max_rto`, 64 times `min_rto` unless it is set",
    ),
    Rule::shown(
        "3",
        "A packet that was sent again is no sample of the round trip",
        "a_timeout_doubles_until_a_packet_that_was_sent_once_is_acknowledged",
    ),
    Rule::read(
        "5.1",
        "A packet that is sent starts the timer, unless it runs",
        "the first missing packet starts it anew, too, when it is sent again, as in Linux",
    ),
    Rule::shown(
        "5.2",
        "When everything is acknowledged the timer stops",
        "the_timer_stops_when_everything_is_acknowledged",
    ),
    Rule::shown(
        "5.3",
        "An ACK of new data starts it anew",
        "the_timeout_follows_round_trips_and_starts_anew_with_the_first_missing_packet",
    ),
    Rule::shown(
        "5.4",
        "When it runs out, the first packet that is not acknowledged goes again",
        "after_a_timeout_one_packet_goes_and_then_two",
    ),
    Rule::shown(
        "5.5",
        "The timeout doubles each time, up to the longest",
        "doubling_ends_at_the_longest_timeout",
    ),
    Rule::shown(
        "5.6",
        "The timer starts anew with the doubled timeout",
        "a_timeout_doubles_until_a_packet_that_was_sent_once_is_acknowledged",
    ),
    Rule::absent(
        "5.7",
        "A lost SYN makes the timeout 3 seconds for what follows",
        "connections begin without a handshake",
    ),
];

const RFC_6675: &[Rule] = &[
    Rule::shown(
        "4, IsLost",
        "A packet is lost when DupThresh, 3, have arrived beyond it (profile `ns3`)",
        "three_later_packets_tell_a_loss_and_two_let_new_ones_go",
    ),
    Rule::shown(
        "4, SetPipe",
        "What has arrived and what was found lost is not in flight, what was sent again is",
        "three_later_packets_tell_a_loss_and_two_let_new_ones_go",
    ),
    Rule::shown(
        "4, NextSeg rules 1 and 2",
        "Lost packets go first, then new ones",
        "three_later_packets_tell_a_loss_and_two_let_new_ones_go",
    ),
    Rule::read(
        "4, NextSeg rules 3 and 4",
        "With nothing else to send, one packet goes again that was not found lost",
        "the first missing one, when some of what was in flight has arrived (`ns3`)",
    ),
    Rule::shown(
        "5, step 4.1",
        "A recovery ends when all that was sent before it is acknowledged",
        "a_recovery_ends_when_all_that_was_sent_before_it_has_arrived",
    ),
    Rule::read(
        "5, step 4.2",
        "ssthresh and the window become half of what is in flight",
        "the congestion control says where the window goes, PRR how it gets there",
    ),
];

const RFC_6937: &[Rule] = &[
    Rule::shown(
        "3, RecoverFS",
        "It is what was sent and not acknowledged in order when recovery begins",
        "one_packet_leaves_for_every_two_that_arrive",
    ),
    Rule::shown(
        "3, proportional",
        "While more than ssthresh is in flight, ssthresh / RecoverFS of what arrives is sent",
        "one_packet_leaves_for_every_two_that_arrive",
    ),
    Rule::shown(
        "3, PRR-SSRB",
        "Below ssthresh at most a packet more than arrives is sent for an ACK",
        "below_the_target_it_grows_as_slow_start_does",
    ),
    Rule::absent(
        "3, PRR-CRB",
        "Or, in the conservative form, as much as arrives",
        "the other form is built, the better one by the measurements of the RFC",
    ),
];

const RFC_8985: &[Rule] = &[
    Rule::shown(
        "6.1",
        "Each transmission of a packet, the first or another, notes its time",
        "with_rack_a_packet_sent_again_is_lost_again_when_a_later_one_has_arrived",
    ),
    Rule::read(
        "6.2, step 1",
        "The shortest round trip is that of a recent time",
        "that of all: a path that gets longer keeps it",
    ),
    Rule::shown(
        "6.2, step 2",
        "Of what has arrived the packet that was sent last is known, with its round trip; an ACK \
         sooner than the shortest round trip after a packet was sent again says nothing",
        "an_ack_too_soon_for_what_was_sent_again_says_nothing",
    ),
    Rule::shown(
        "6.2, step 3",
        "A packet that was sent once and arrives after a higher one tells of reordering",
        "with_rack_what_was_reordered_may_be_reordered_again",
    ),
    Rule::shown(
        "6.2, step 4, window",
        "A packet may be late by a quarter of the shortest round trip; by nothing where no \
         reordering was seen and three packets have arrived beyond it or a recovery is on",
        "with_rack_a_packet_may_be_late_by_a_quarter_of_a_round_trip",
    ),
    Rule::shown(
        "6.2, step 4, DSACK",
        "A packet that arrives twice adds a quarter, once in a round trip and up to SRTT, for 16 \
         recoveries",
        "a_packet_that_arrives_twice_adds_a_quarter_for_sixteen_recoveries",
    ),
    Rule::shown(
        "6.2, step 5",
        "A packet sent before that one and late by more is lost",
        "with_rack_a_packet_may_be_late_by_a_quarter_of_a_round_trip",
    ),
    Rule::read(
        "6.2, step 5, timer",
        "A timer runs until the last of them would be late",
        "until the first would be, and then for the next",
    ),
    Rule::shown(
        "6.3",
        "After a timeout the first missing packet is lost, others when they are late",
        "after_a_timeout_the_head_is_lost_and_what_is_late",
    ),
    Rule::shown(
        "7.2, when",
        "Two SRTT after the newest packet or the last ACK of new data a probe is due",
        "the_newest_packet_goes_again_after_two_round_trips_and_once",
    ),
    Rule::shown(
        "7.2, unless",
        "None is where a recovery is on or packets have arrived beyond a missing one",
        "no_probe_is_due_in_a_recovery_or_beyond_a_missing_packet",
    ),
    Rule::absent(
        "7.2, one packet",
        "With one packet in flight the probe waits for a delayed ACK, too",
        "receivers acknowledge each packet at once",
    ),
    Rule::read(
        "7.2, no SRTT",
        "Before the first round trip is known the probe is due after a second",
        "there is none before: the timeout sees to losses",
    ),
    Rule::read(
        "7.3",
        "The probe is a new packet, or the newest again where there is none",
        "always the newest again: what new may be sent is up to the congestion control",
    ),
    Rule::shown(
        "7.4.1",
        "By the probe's ACK losses before it are found as by any other",
        "a_probe_finds_a_lost_tail",
    ),
    Rule::shown(
        "7.4.2",
        "Where the probe has repaired the one loss, the congestion control hears of it; not where \
         the packet has arrived twice",
        "a_loss_that_the_probe_has_repaired_is_reported",
    ),
];
