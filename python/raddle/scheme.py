"""Schemes in Python, for prototypes: what `raddle.run(.., load_balance=.., congestion=..)` calls.

A class is called with a `Flow` for every flow, and its instance hears of that flow alone. Times are
picoseconds. The same class, scenario and seed give the same run, as long as the class draws chance
from `draw` alone. Each call costs some 0.2 us, a packet two of them; docs/python.md says how to port a
class to Rust.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, Union

Fate = Literal["clean", "marked", "trimmed", "timed_out"]
"""What became of a packet: acknowledged, with a congestion mark, trimmed, or not heard of."""

Cause = Literal["trim", "timeout", "reordering", "nack", "switch_nack"]
"""How the sender knows of a loss."""


@dataclass(frozen=True)
class Flow:
    """What a flow's scheme may know of its path."""

    source: int
    destination: int
    """Numbers of the hosts."""
    payload_bytes: int
    header_bytes: int
    """Of a full packet."""
    base_rtt_ps: int
    """Round trip of a full packet and its ACK through empty queues."""
    rate_bps: int
    """Of the slowest link that every path crosses."""
    bdp_bytes: int
    """What that carries in a base round trip."""
    rto_ps: int
    """Retransmission timeout."""
    trimming: bool
    """Whether switches trim what does not fit."""

    @property
    def packet_bytes(self) -> int:
        """A full packet on the wire."""
        return self.payload_bytes + self.header_bytes


Scheme = TypeVar("Scheme")

Class = Union[Callable[[Flow], Scheme], Mapping[str, Callable[[Flow], Scheme]]]
"""A class of schemes, or the same by the word of the scheme that it stands in for."""


class PathSelector(Protocol):
    """A host load balancer."""

    def next_path(self, now_ps: int, psn: int, again: bool, draw: int) -> int:
        """The entropy, 0 to 65535, of the packet that leaves now; `again` if it was sent before.
        `draw` has 64 random bits."""

    def on_feedback(
        self,
        now_ps: int,
        path: int,
        fate: Fate,
        rtt_ps: int | None,
        window_bytes: int,
        in_flight_bytes: int,
    ) -> None:
        """News of a packet that was sent with the entropy `path`; the round trip where an ACK gives
        one, window and bytes in flight after the news."""


class CongestionControl(Protocol):
    """A congestion control."""

    def on_ack(
        self, now_ps: int, bytes: int, marked: bool, rtt_ps: int | None, in_flight_bytes: int
    ) -> None:
        """An ACK for so many new bytes, headers included; the round trip of a packet that was sent
        once."""

    def on_loss(
        self, now_ps: int, bytes: int, packets: int, cause: Cause, in_flight_bytes: int
    ) -> None:
        """So many packets were found lost."""

    def limits(self) -> tuple[int, int | None]:
        """The window in bytes, at least a packet, and the rate in bits per second, `None` for that
        of the line. Asked for after each of the other calls."""
