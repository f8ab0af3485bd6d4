//! A schedule as a picture: what every node sends to, switch by switch, over time.

use crate::svg::{INK, SOFT, Svg, Tenth, WHITE};
use raddle::study::text::plural;
use raddle_circuits::schedule::{Schedule, Steps};

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 12.0;
const TOP: f64 = 66.0;
const GAP: f64 = 14.0;
/// Of all panels together, where rows are not at their least.
const TALL: f64 = 720.0;
const ROWS: (f64, f64) = (3.0, 16.0);
const LETTER: f64 = 6.5;
const DARK: &str = "#9aa0a8";
/// More cells than this no viewer draws at once.
const CELLS: usize = 20_000;

/// A page of the schedule's period, or of as much of it as can be drawn.
pub fn picture(title: &str, schedule: &Schedule) -> String {
    let nodes = schedule.nodes();
    let switches = schedule.switches().len().min((CELLS / nodes).max(1));
    let slots = schedule.period_slots().min((CELLS / (nodes * switches)).max(1));
    let row = (TALL / (nodes * switches) as f64).clamp(ROWS.0, ROWS.1);
    let panel = row * nodes as f64;
    let bottom = TOP + (panel + GAP) * switches as f64;
    let mut svg = Svg::page(format_args!("viewBox=\"0 0 {WIDTH} {}\"", Tenth(bottom + 44.0)), 12);
    let bold = format_args!("fill=\"{INK}\" font-size=\"14\" font-weight=\"600\"");
    svg.text((4, 18), bold, title);
    svg.text((4, 36), format_args!("fill=\"{SOFT}\""), &shape(schedule));
    let legend = "A row is a sending node, a colour and a number its receiver; white: idle; grey: \
                  dark, while the switch reconfigures.";
    svg.text((4, 52), format_args!("fill=\"{SOFT}\""), legend);
    let starts = starts(schedule);
    let scale = (RIGHT - LEFT) / starts[slots];
    let x = |us: f64| LEFT + us * scale;
    for (switch, list) in schedule.switches().iter().take(switches).enumerate() {
        let y = TOP + (panel + GAP) * switch as f64;
        let name = format!("switch {switch}");
        svg.text((4, Tenth(y + 11.0)), format_args!("fill=\"{INK}\""), &name);
        for (slot, matching) in list.iter().take(slots).enumerate() {
            let (from, until) = (starts[slot], starts[slot + 1]);
            let dark = schedule.is_dark(switch, slot);
            let lit = from + if dark { schedule.dark().as_us() } else { 0.0 };
            if lit > from {
                let size = (Tenth((lit - from) * scale), Tenth(panel));
                svg.rect((Tenth(x(from)), Tenth(y)), size, format_args!("fill=\"{DARK}\""));
            }
            let wide = (until - lit) * scale;
            for (node, target) in matching.circuits() {
                let y = y + row * node as f64;
                let colour = colour(target, nodes);
                let size = (Tenth(wide), Tenth(row));
                svg.rect((Tenth(x(lit)), Tenth(y)), size, format_args!("fill=\"{colour}\""));
                let word = target.to_string();
                if row >= 11.0 && wide >= word.len() as f64 * LETTER + 2.0 {
                    let place = (Tenth(x(lit) + wide / 2.0), Tenth(y + row / 2.0 + 3.5));
                    let font = "text-anchor=\"middle\" font-size=\"10\"";
                    svg.text(place, format_args!("fill=\"{WHITE}\" {font}"), &word);
                }
            }
        }
        let frame = format!("M{LEFT} {y:.1}V{:.1}H{RIGHT}", y + panel);
        svg.path(frame, format_args!("stroke=\"{SOFT}\" fill=\"none\""));
    }
    axis(&mut svg, bottom - GAP, &starts[..=slots], x);
    if slots < schedule.period_slots() || switches < schedule.switches().len() {
        let of = |shown: usize, all: usize| format!("{shown} of {all}");
        let shown = format!(
            "Shown: {} switches, {} slots.",
            of(switches, schedule.switches().len()),
            of(slots, schedule.period_slots())
        );
        svg.text((4, Tenth(bottom + 36.0)), format_args!("fill=\"{SOFT}\""), &shown);
    }
    svg.end()
}

fn shape(schedule: &Schedule) -> String {
    let steps = match schedule.steps() {
        Steps::Static => "static",
        Steps::Together => "all switches step together",
        Steps::Staggered => "switches step in turn",
    };
    format!(
        "{}, {}, period of {} in {}; {steps}",
        plural(schedule.nodes() as u64, "node"),
        plural(schedule.switches().len() as u64, "switch"),
        schedule.period(),
        plural(schedule.period_slots() as u64, "slot"),
    )
}

/// When each slot starts, in microseconds, and when the last ends.
fn starts(schedule: &Schedule) -> Vec<f64> {
    let mut starts = vec![0.0];
    for slot in schedule.slots() {
        starts.push(starts.last().copied().unwrap_or(0.0) + slot.as_us());
    }
    starts
}

/// Times at the starts of slots, as many as there is room for.
fn axis(svg: &mut Svg, y: f64, starts: &[f64], x: impl Fn(f64) -> f64) {
    let mut free = 0.0;
    for &start in starts {
        let word = format!("{}", (start * 1000.0).round() / 1000.0);
        let half = word.len() as f64 * LETTER / 2.0;
        svg.path(format_args!("M{:.1} {y:.1}v4", x(start)), format_args!("stroke=\"{SOFT}\""));
        if x(start) - half >= free {
            let middle = format_args!("fill=\"{SOFT}\" text-anchor=\"middle\"");
            svg.text((Tenth(x(start)), Tenth(y + 16.0)), middle, &word);
            free = x(start) + half + 6.0;
        }
    }
    let middle = format_args!("fill=\"{INK}\" text-anchor=\"middle\"");
    svg.text((Tenth(f64::midpoint(LEFT, RIGHT)), Tenth(y + 32.0)), middle, "time, us");
}

/// Hues around the wheel; neighbours differ in lightness, too, so that they are told apart without.
/// In hexadecimal: not every viewer knows `hsl()`.
fn colour(target: usize, nodes: usize) -> String {
    let hue = target as f64 * 5.0 / nodes as f64;
    let light = if target.is_multiple_of(2) { 0.34 } else { 0.47 };
    let chroma = 0.55 * 2.0 * light;
    let part = |shift: f64| {
        // A channel is full within a sixth of the wheel of its own hue, and off beyond two.
        let away = (hue - shift + 9.0) % 6.0 - 3.0;
        let share = (2.0 - away.abs()).clamp(0.0, 1.0);
        ((light - chroma / 2.0 + chroma * share) * 255.0).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", part(0.0), part(2.0), part(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_circuits::matching::Matching;
    use raddle_schemes::units::Span;

    #[test]
    fn a_circuit_is_a_cell_and_dark_time_a_strip_of_each_slot() {
        let matchings: Vec<Matching> = (0..4).map(|by| Matching::shift(4, by)).collect();
        let schedule = Schedule::dealt(&matchings, 2, Span::us(100), Span::us(10)).unwrap();
        let svg = picture("a<b", &schedule);
        // One of the four matchings is idle.
        let circuits: usize =
            (0..4).map(|to| svg.matches(&format!("\"{}\"/>", colour(to, 4))).count()).sum();
        assert_eq!(circuits, 12);
        assert_eq!(svg.matches(DARK).count(), 4);
        for words in ["a&lt;b", ">switch 1<", "4 nodes, 2 switches", ">100<", ">200<"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }

    #[test]
    fn receivers_have_colours_of_their_own() {
        let mut colours: Vec<String> = (0..16).map(|to| colour(to, 16)).collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), 16);
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        let matchings: Vec<Matching> = (0..500).map(|by| Matching::shift(500, by)).collect();
        let schedule = Schedule::dealt(&matchings, 4, Span::us(5), Span::ns(500)).unwrap();
        let svg = picture("long", &schedule);
        assert!(svg.contains("Shown: 4 of 4 switches, 10 of 125 slots."));
    }
}
