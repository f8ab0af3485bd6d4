//! The page: a template, a style sheet, scripts, the chart library and the data, in one file.

use super::data::Report;
use super::json;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("page/base.js"),
    include_str!("page/tables.js"),
    include_str!("page/completion.js"),
    include_str!("page/timeline_data.js"),
    include_str!("page/timeline.js"),
    include_str!("page/timeline_pointer.js"),
    include_str!("page/timeline_controls.js"),
    include_str!("page/distribution.js"),
    include_str!("page/page.js"),
);
const LIBRARY: &str = include_str!("../../vendor/echarts/echarts.min.js");
const LIBRARY_LICENCES: &str = concat!(
    include_str!("../../vendor/echarts/NOTICE"),
    "\n",
    include_str!("../../vendor/echarts/LICENSE"),
    "\n",
    include_str!("../../vendor/echarts/LICENSE-d3"),
);

impl Report {
    /// The report as one HTML file that needs nothing else. Time series are thinned to what a
    /// screen can show, with minima and maxima kept.
    pub fn html(&self) -> String {
        let data = script_safe(&json::report(self).to_string());
        let answer: String =
            self.answer.iter().map(|sentence| format!("<p>{}</p>\n", escape(sentence))).collect();
        fill(TEMPLATE, |name| match name {
            "title" => escape(&self.title),
            "question" => escape(&self.question),
            "wins" => self.first_heading().to_owned(),
            "answer" => answer.clone(),
            "version" => escape(&self.provenance.version),
            "style" => STYLE.to_owned(),
            "licences" => LIBRARY_LICENCES.to_owned(),
            "library" => LIBRARY.to_owned(),
            "data" => data.clone(),
            "script" => SCRIPT.to_owned(),
            other => format!("[[{other}]]"),
        })
    }

    fn first_heading(&self) -> &'static str {
        if self.schemes.len() > 1 {
            "Which wins, by how much, how sure?"
        } else {
            "How long does it take, how sure?"
        }
    }
}

/// `template` with every `[[name]]` replaced. What is put in is not looked at again.
fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut page = String::with_capacity(2 << 20);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((name, after)) = after.split_once("]]") else { break };
        page.push_str(before);
        page.push_str(&value(name));
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

/// JSON that cannot end the script element it stands in: `<` only occurs inside strings, where it
/// may be written as an escape.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_once() {
        let page = fill("a [[x]] b [[y]] c", |name| format!("<[[{name}]]>"));
        assert_eq!(page, "a <[[x]]> b <[[y]]> c");
    }

    #[test]
    fn the_template_names_nothing_unknown() {
        let page = Report::default().html();
        let (page, _) = page.split_once("<script").unwrap();
        assert!(!page.contains("[["));
    }

    #[test]
    fn text_becomes_html() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
