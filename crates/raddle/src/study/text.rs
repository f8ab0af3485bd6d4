//! Numbers and columns for people: counts, times, percentages, and text that lines up.

use unicode_width::UnicodeWidthStr;

/// A whole number with its digits in groups of three: `262 144`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number with three digits and a decimal prefix: `48.2 M`; small whole numbers as they are.
pub fn short(value: f64) -> String {
    let scales = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match scales.iter().find(|(scale, _)| value.abs() >= 0.9995 * scale) {
        Some((scale, prefix)) => format!("{} {prefix}", digits(value / scale, 3)),
        None if value.fract() == 0.0 => format!("{value}"),
        None => digits(value, 3),
    }
}

/// `value` with so many significant digits, or more if it is that large: `742`, `0.21`.
pub fn digits(value: f64, significant: usize) -> String {
    // The exponent of the rounded value: 9.996 with three digits is 10.0.
    let rounded = format!("{value:.*e}", significant.saturating_sub(1));
    let exponent = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    let decimals = (significant as i32 - 1 - exponent.unwrap_or(0)).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

/// The unit in which times of about `us` microseconds read best, and its length in microseconds.
pub fn time_unit(us: f64) -> (&'static str, f64) {
    match us.abs() {
        us if us >= 1e7 => ("s", 1e6),
        us if us >= 1e4 => ("ms", 1e3),
        us if us >= 1.0 || us == 0.0 => ("us", 1.0),
        _ => ("ns", 1e-3),
    }
}

/// A time with four digits and its unit: `196.3 us`, `12.40 ms`.
pub fn time(us: f64) -> String {
    let (unit, scale) = time_unit(us);
    format!("{} {unit}", digits(us / scale, 4))
}

/// A percentage with its sign: `+5.2 %`, `+319 %`.
pub fn percent(value: f64) -> String {
    let decimals = if value.abs() < 9.95 { 1 } else { 0 };
    format!("{value:+.decimals$} %")
}

/// A probability as papers state it: `p < 0.001`, `p = 0.03`.
pub fn probability(p: f64) -> String {
    match p {
        p if p < 0.001 => "p < 0.001".to_string(),
        p if p < 0.01 => "p < 0.01".to_string(),
        p => format!("p = {}", digits(p, 2)),
    }
}

/// `1 run`, `2 runs`, `2 switches`.
pub fn plural(n: u64, noun: &str) -> String {
    let ending = match n {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", count(n))
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_string(),
        [head @ .., last] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", head.join(", "), last.as_ref())
        }
    }
}

/// Settings of a scenario of a sweep, as messages name them.
pub fn settings(settings: &[(String, String)]) -> String {
    let settings: Vec<String> =
        settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
    settings.join(", ")
}

/// Terminal cells that `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` with spaces behind it, up to `cells` terminal cells.
pub fn left(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(width(text))))
}

/// `text` with spaces before it, up to `cells` terminal cells.
pub fn right(text: &str, cells: usize) -> String {
    format!("{}{text}", " ".repeat(cells.saturating_sub(width(text))))
}

/// `text` in lines of at most `cells` terminal cells, broken at spaces.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= cells => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(262_144), "262 144");
        assert_eq!(count(1_000_000), "1 000 000");
        assert_eq!(short(48_234_000.0), "48.2 M");
        assert_eq!(short(999_600.0), "1.00 M");
        assert_eq!(short(12.0), "12");
        assert_eq!(short(12.34), "12.3");
        assert_eq!(digits(742.4, 3), "742");
        assert_eq!(digits(0.2134, 2), "0.21");
        assert_eq!(digits(9.996, 3), "10.0");
        assert_eq!(digits(99.96, 3), "100");
        assert_eq!(digits(1234.5, 3), "1234");
        assert_eq!(time(196.31), "196.3 us");
        assert_eq!(time(12_400.0), "12.40 ms");
        assert_eq!(time(0.5), "500.0 ns");
        assert_eq!(percent(319.4), "+319 %");
        assert_eq!(percent(5.23), "+5.2 %");
        assert_eq!(percent(-0.4), "-0.4 %");
    }

    #[test]
    fn probabilities_read_as_in_papers() {
        assert_eq!(probability(0.0002), "p < 0.001");
        assert_eq!(probability(0.004), "p < 0.01");
        assert_eq!(probability(0.0312), "p = 0.031");
        assert_eq!(probability(0.5), "p = 0.50");
        assert_eq!(probability(1.0), "p = 1.0");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("indivisible words", 3), ["indivisible", "words"]);
    }

    #[test]
    fn padding_counts_terminal_cells() {
        assert_eq!(left("±4", 4), "±4  ");
        assert_eq!(right("µs", 4), "  µs");
        assert_eq!(left("帯域", 6), "帯域  ");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
