//! What a receiving host notes of marked packets, where it notifies their senders of congestion: at
//! most one notification (CNP) of a message in an interval, and each after a delay (DCQCN, SIGCOMM
//! 2015, section 3.1).

use crate::congestion::CnpPlan;
use crate::units::Time;
use alloc::collections::BTreeMap;

/// The notifications of a host, each message under a number of the caller's. A `T` is what the
/// caller sends.
#[derive(Clone, Debug)]
pub struct Notifier<T> {
    /// Of messages whose senders are notified: how, and the last marked packet that brought one.
    messages: BTreeMap<u32, (CnpPlan, Option<Time>)>,
    /// Those that are still to leave, by when they do.
    waiting: BTreeMap<(Time, u32), T>,
}

impl<T> Default for Notifier<T> {
    fn default() -> Self {
        Self { messages: BTreeMap::new(), waiting: BTreeMap::new() }
    }
}

impl<T> Notifier<T> {
    /// A message begins to arrive whose sender is notified.
    pub fn begin(&mut self, message: u32, plan: CnpPlan) {
        self.messages.insert(message, (plan, None));
    }

    /// A marked packet has come. Returns when the notification that it brings leaves, if it brings
    /// one, which is then made.
    pub fn on_mark(&mut self, now: Time, message: u32, make: impl FnOnce() -> T) -> Option<Time> {
        let (plan, last) = self.messages.get_mut(&message)?;
        if last.is_some_and(|last| now < last + plan.interval) {
            return None;
        }
        *last = Some(now);
        let at = now + plan.delay;
        self.waiting.insert((at, message), make());
        Some(at)
    }

    /// When the next one leaves.
    pub fn due(&self) -> Option<Time> {
        self.waiting.first_key_value().map(|((at, _), _)| *at)
    }

    /// That of a message which leaves at this time.
    pub fn take(&mut self, at: Time, message: u32) -> Option<T> {
        self.waiting.remove(&(at, message))
    }

    /// One that has to leave by now, and its message.
    pub fn poll(&mut self, now: Time) -> Option<(u32, T)> {
        let first = self.waiting.first_entry().filter(|first| first.key().0 <= now)?;
        let ((_, message), own) = first.remove_entry();
        Some((message, own))
    }

    /// All of the message has arrived.
    pub fn end(&mut self, message: u32) {
        self.messages.remove(&message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn a_message_has_a_notification_in_an_interval_and_each_is_late_by_the_delay() {
        let mut notifier = Notifier::default();
        let plan = CnpPlan { interval: Span::us(50), delay: Span::us(1) };
        notifier.begin(3, plan);
        let at = |us| Time::ZERO + Span::us(us);
        assert_eq!(notifier.on_mark(at(10), 3, || 'a'), Some(at(11)));
        assert_eq!(notifier.on_mark(at(59), 3, || 'b'), None);
        assert_eq!(notifier.on_mark(at(60), 3, || 'c'), Some(at(61)));
        assert_eq!(notifier.on_mark(at(60), 4, || 'd'), None, "not notified");
        assert_eq!((notifier.due(), notifier.poll(at(10))), (Some(at(11)), None));
        assert_eq!(notifier.poll(at(70)), Some((3, 'a')));
        assert_eq!((notifier.take(at(61), 3), notifier.due()), (Some('c'), None));
        notifier.end(3);
        assert_eq!(notifier.on_mark(at(200), 3, || 'e'), None);
    }
}
