//! Sets of instants as disjoint windows in time order.

use raddle_schemes::units::Time;

/// From an instant, included, until another, excluded; [`Time::NEVER`] for a window without end.
pub(crate) type Window = (Time, Time);

/// The same instants as disjoint windows in time order; windows that touch become one.
pub(crate) fn merge(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_unstable();
    let mut merged: Vec<Window> = Vec::with_capacity(windows.len());
    for (from, until) in windows {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => merged.push((from, until)),
        }
    }
    merged
}

/// Whether merged `windows` contain the instant.
pub(crate) fn covers(windows: &[Window], at: Time) -> bool {
    let later = windows.partition_point(|&(from, _)| from <= at);
    later > 0 && at < windows[later - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_overlap_or_touch_become_one() {
        let window = |from, until| (Time(from), Time(until));
        let merged = merge(vec![window(7, 9), window(0, 2), window(2, 3), window(1, 2)]);
        assert_eq!(merged, [window(0, 3), window(7, 9)]);
        assert_eq!(
            [0, 2, 3, 6, 7, 8, 9].map(|t| covers(&merged, Time(t))),
            [true, true, false, false, true, true, false]
        );
        let endless = merge(vec![(Time(5), Time::NEVER), window(6, 9)]);
        assert_eq!(endless, [(Time(5), Time::NEVER)]);
        assert!(covers(&endless, Time(1 << 60)));
    }
}
