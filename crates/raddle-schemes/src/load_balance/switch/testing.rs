//! One switch on a bench: a scheme, packets for it, and the fabric as the test wants it.

use super::{
    AnyPortSelector, Choices, Group, Header, PortSelector, Queue, Surroundings, SwitchContext,
};
use crate::SwitchCx;
use crate::ids::{Entropy, SwitchId};
use crate::rng::{Rng, stream};
use crate::units::{Bytes, Time};
use alloc::vec::Vec;

/// Queues are in per cent of a buffer of 100 bytes.
pub(super) struct Bench<S> {
    scheme: S,
    rng: Rng,
    now: Time,
    packet: Header,
    epoch: u32,
    weights: Option<Vec<u32>>,
    fabric: Fabric,
}

struct Fabric {
    queues: Vec<u64>,
    ports: Vec<u32>,
    group: Group,
    pod: Vec<(u32, u32)>,
}

impl Surroundings for Fabric {
    fn port(&self, choice: usize) -> u32 {
        self.ports.get(choice).copied().unwrap_or(choice as u32)
    }

    fn group(&self) -> Group {
        self.group
    }

    fn queue(&mut self, choice: usize) -> Queue {
        let bytes = self.queues.get(choice).copied().unwrap_or(0);
        Queue { bytes: Bytes(bytes), capacity: Bytes(100) }
    }

    fn towards_pod(&self) -> Vec<(u32, u32)> {
        self.pod.clone()
    }
}

impl<S: PortSelector> Bench<S> {
    /// An edge switch, number 0, that runs what `build` makes of `config`.
    pub(super) fn new<C>(config: &C, build: impl Fn(&C, &SwitchContext) -> S) -> Self {
        Self::of(0, config, build)
    }

    /// Switch number `switch`.
    pub(super) fn of<C>(switch: u32, config: &C, build: impl Fn(&C, &SwitchContext) -> S) -> Self {
        let stream = stream(1, "switch", u64::from(switch));
        let context = SwitchContext { switch: SwitchId(switch), edge: true, pod: Some(0), stream };
        Self {
            scheme: build(config, &context),
            rng: Rng::new(1, "test", u64::from(switch)),
            now: Time(0),
            packet: Header {
                flow_key: 7,
                entropy: Entropy(3),
                bytes: Bytes(4160),
                control: false,
                hashed: false,
            },
            epoch: 0,
            weights: None,
            fabric: Fabric {
                queues: Vec::new(),
                ports: Vec::new(),
                group: Group { edge: 0, pod: 0 },
                pod: Vec::new(),
            },
        }
    }

    /// From now on these are the queues.
    pub(super) fn queues(mut self, queues: &[u64]) -> Self {
        self.fabric.queues = queues.to_vec();
        self
    }

    /// Routes have changed: choices have these weights.
    pub(super) fn weights(mut self, weights: &[u32]) -> Self {
        self.weights = Some(weights.to_vec());
        self.epoch += 1;
        self
    }

    /// From now on the choices are these ports.
    pub(super) fn ports(&mut self, ports: &[u32]) -> &mut Self {
        self.fabric.ports = ports.to_vec();
        self
    }

    /// From now on packets go to this pod, whatever the edge switch.
    pub(super) fn within(&mut self, pod: u32) -> &mut Self {
        self.fabric.group.pod = pod;
        self
    }

    /// From now on this is what leads to the destination's pod.
    pub(super) fn pod(&mut self, pod: &[(u32, u32)]) -> &mut Self {
        self.fabric.pod = pod.to_vec();
        self
    }

    /// From now on packets go to hosts of this edge switch, in a pod of the same number.
    pub(super) fn to(&mut self, edge: u32) -> &mut Self {
        self.fabric.group = Group { edge, pod: edge };
        self.packet.flow_key = edge * 1_000;
        self
    }

    /// From now on packets are this large.
    pub(super) fn size(&mut self, bytes: u64) -> &mut Self {
        self.packet.bytes = Bytes(bytes);
        self
    }

    /// From now on packets have this entropy.
    pub(super) fn entropy(&mut self, entropy: Entropy) -> &mut Self {
        self.packet.entropy = entropy;
        self
    }

    /// It is this time from now on.
    pub(super) fn at(&mut self, now: Time) -> &mut Self {
        self.now = now;
        self
    }

    /// Whether packets are left to ECMP from now on.
    pub(super) fn hashed(&mut self, hashed: bool) -> &mut Self {
        self.packet.hashed = hashed;
        self
    }

    /// The choice that takes the next packet.
    pub(super) fn select(&mut self, count: usize) -> usize {
        let cx = &mut SwitchCx { now: self.now, rng: &mut self.rng };
        let mut choices = Choices {
            count,
            next_hops: 0,
            epoch: self.epoch,
            weights: self.weights.as_deref(),
            fabric: &mut self.fabric,
        };
        let choice = self.scheme.select(cx, &self.packet, &mut choices);
        assert!(choice < count);
        choice
    }

    /// The scheme itself.
    pub(super) fn scheme(&mut self) -> &mut S {
        &mut self.scheme
    }
}

/// Any scheme on the bench.
pub(super) struct Running(pub(super) AnyPortSelector);

impl PortSelector for Running {
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        self.0.select(cx, packet, choices)
    }
}
