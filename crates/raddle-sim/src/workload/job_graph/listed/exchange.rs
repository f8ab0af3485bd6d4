//! Each to all others, and barriers.

use super::Making;
use crate::workload::job_graph::style::Rails;
use raddle_schemes::units::Bytes;
use std::collections::BTreeMap;

impl Making<'_> {
    /// Every rank to every other at once, from the next one on. What goes to another server on another
    /// rail is handed to the GPU of that rail; what a GPU has then for one receiver goes on as one message,
    /// with its own.
    pub(super) fn exchange(&mut self) {
        let n = self.n();
        let joins = !self.style.apart;
        // By sender and receiver on a rail: what goes from the one to the other, and after what.
        let mut joined: BTreeMap<(u32, u32), (u64, Vec<u32>)> = BTreeMap::new();
        for from in 0..n {
            for to in (1..n).map(|by| (from + by) % n) {
                let bytes = self.part(to, n);
                match self.relay(from, to) {
                    None if joins && self.is_joined(from, to) => {
                        joined.entry((from, to)).or_default().0 += bytes.0;
                    }
                    None => _ = self.send(0, (from, to), bytes, &[]),
                    Some(relay) => {
                        let handed = self.send(0, (from, relay), bytes, &[]);
                        if joins {
                            let (all, after) = joined.entry((relay, to)).or_default();
                            *all += bytes.0;
                            after.push(handed);
                        } else {
                            self.send(0, (relay, to), bytes, &[handed]);
                        }
                    }
                }
            }
        }
        for from in 0..n {
            for to in (1..n).map(|by| (from + by) % n) {
                if let Some((bytes, after)) = joined.remove(&(from, to)) {
                    self.send(0, (from, to), Bytes(bytes), &after);
                }
            }
        }
    }

    /// Whether what a GPU has for another goes with what others of its server hand to it.
    fn is_joined(&self, from: u32, to: u32) -> bool {
        let [from, to] = [from, to].map(|place| self.hosts[place as usize]);
        let style = self.style;
        style.gpus > 0
            && style.rails == Rails::Pxn
            && style.server(from) != style.server(to)
            && from.0 % style.gpus == to.0 % style.gpus
    }

    /// Round k tells the rank 2^k further on, when all that came before has been heard of.
    pub(super) fn barrier(&mut self) {
        let n = self.n();
        let mut heard: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
        let mut by = 1;
        while by < n {
            let mut next = heard.clone();
            for from in 0..n {
                let to = (from + by) % n;
                let sent = self.message(0, (from, to), Bytes(1), &heard[from as usize]);
                next[to as usize].push(sent);
            }
            heard = next;
            by *= 2;
        }
    }
}
