//! Pictures as SVG: one page, its elements, and the colours that all pictures have.
//!
//! Places and lengths are written as their types are displayed; [`Tenth`] is a number with one digit
//! behind the point.

use raddle::report::escape;
use std::fmt::{Display, Formatter, Result, Write};

/// Of names and numbers.
pub(crate) const INK: &str = "#1c1f23";
/// Of axes and notes.
pub(crate) const SOFT: &str = "#5a606a";
/// Of lines behind a picture.
pub(crate) const GRID: &str = "#e3e6ea";
/// Colours that colour-blind people tell apart (Okabe and Ito, grey for their yellow).
pub(crate) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a8f98"];
/// Of notes beside dark cells.
pub(crate) const GREY: &str = "#555";
/// Of a page, and of letters in dark cells.
pub(crate) const WHITE: &str = "#fff";

/// A number with one digit behind the point.
#[derive(Clone, Copy)]
pub(crate) struct Tenth(pub(crate) f64);

impl Display for Tenth {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{:.1}", self.0)
    }
}

/// Elements of a picture, and the page they are on.
#[derive(Default)]
pub(crate) struct Svg(String);

impl Svg {
    /// A white page. `frame` is its `viewBox`, and its `width` if it has one.
    pub(crate) fn page(frame: impl Display, font_size: u32) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {frame} font-family=\"system-ui, \
             sans-serif\" font-size=\"{font_size}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{WHITE}\"/>\n"
        ))
    }

    /// Words; `attributes` are their colour, their anchor and their font.
    pub(crate) fn text(
        &mut self,
        (x, y): (impl Display, impl Display),
        attributes: impl Display,
        words: &str,
    ) {
        let words = escape(words);
        self.line(format_args!("<text x=\"{x}\" y=\"{y}\" {attributes}>{words}</text>"));
    }

    /// A rectangle.
    pub(crate) fn rect(
        &mut self,
        (x, y): (impl Display, impl Display),
        (width, height): (impl Display, impl Display),
        attributes: impl Display,
    ) {
        self.line(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {attributes}/>"
        ));
    }

    /// A path.
    pub(crate) fn path(&mut self, path: impl Display, attributes: impl Display) {
        self.line(format_args!("<path d=\"{path}\" {attributes}/>"));
    }

    /// A filled circle.
    pub(crate) fn dot(&mut self, (x, y): (f64, f64), radius: f64, fill: &str) {
        let (x, y) = (Tenth(x), Tenth(y));
        self.line(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>"));
    }

    /// The elements of another picture that is no page.
    pub(crate) fn add(&mut self, part: &Self) {
        self.0.push_str(&part.0);
    }

    /// The whole page.
    pub(crate) fn end(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn line(&mut self, element: impl Display) {
        let _ = writeln!(self.0, "{element}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_white_and_its_words_are_escaped() {
        let mut svg = Svg::page("viewBox=\"0 0 9 9\"", 12);
        svg.text((Tenth(1.0), 2), format_args!("fill=\"{INK}\""), "a<b");
        svg.path("M1 2", "stroke=\"#000\"");
        let expected = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\" \
            font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
            <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
            <text x=\"1.0\" y=\"2\" fill=\"#1c1f23\">a&lt;b</text>\n\
            <path d=\"M1 2\" stroke=\"#000\"/>\n</svg>\n";
        assert_eq!(svg.end(), expected);
    }
}
