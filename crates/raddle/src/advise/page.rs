//! The answer as a page that opens offline, on which rates, weights and costs of stops can be changed.

use super::answer::Answer;
use crate::report::{escape, fill, script_safe};
use crate::study::VERSION;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str =
    concat!("'use strict';\n", include_str!("page/estimate.js"), include_str!("page/page.js"),);

impl Answer {
    /// One HTML file that needs nothing else.
    pub fn page(&self) -> String {
        let data = script_safe(&self.to_json().to_string());
        let sentences = |list: Vec<String>| -> String {
            list.iter().map(|own| format!("<li>{}</li>\n", escape(own))).collect()
        };
        fill(TEMPLATE, |name| match name {
            "title" => escape(&self.sentence()),
            "why" => sentences(self.why()),
            "changes" => sentences(self.changes()),
            "reduced" => sentences(self.reduced()),
            "published" => sentences(self.published.clone()),
            "text" => escape(&self.text(110)),
            "version" => VERSION.to_owned(),
            "style" => STYLE.to_owned(),
            "data" => data.clone(),
            "script" => SCRIPT.to_owned(),
            other => format!("[[{other}]]"),
        })
    }

    /// Which is first, in a line.
    pub fn sentence(&self) -> String {
        let Some(first) = self.standings.first() else {
            return "No candidate finishes its work".to_owned();
        };
        let name = self.name(first.candidate);
        let others = self.standings.iter().skip(1);
        match others.filter(|own| !self.is_told(own)).count() {
            _ if self.standings.len() == 1 => format!("{name} is the only candidate with numbers"),
            0 => format!("{name} is first"),
            1 => format!("{name} is first; one other is not told from it"),
            more => format!("{name} is first; {more} others are not told from it"),
        }
    }
}
