//! The page: a template, a style sheet, scripts, the chart library and the data, in one file.

use super::data::{Claim, Claims, Look, Report};
use super::json;
use std::fmt::Write;

const TEMPLATE: &str = include_str!("page/page.html");
const RUNS: &str = include_str!("page/runs.html");
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
    include_str!("page/probes.js"),
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
        fill(TEMPLATE, |name| match name {
            "title" => escape(&self.title),
            "question" => escape(&self.question),
            "links" => self.links(),
            "sections" => self.claims.as_ref().map(claims).unwrap_or_default() + &self.runs(),
            "version" => escape(&self.provenance.version),
            "style" => STYLE.to_owned(),
            "licences" => LIBRARY_LICENCES.to_owned(),
            "library" => LIBRARY.to_owned(),
            "data" => data.clone(),
            "script" => SCRIPT.to_owned(),
            other => format!("[[{other}]]"),
        })
    }

    /// Links to the sections that there are.
    fn links(&self) -> String {
        let claims = self.claims.iter().map(|_| ("claims", "The claims"));
        let runs = [("wins", "The answer"), ("why", "Why"), ("whom", "Tail or everybody")];
        let runs = runs.into_iter().filter(|_| !self.cells.is_empty());
        let all = claims.chain(runs).chain([("what", "What was run")]);
        let links: Vec<String> =
            all.map(|(id, words)| format!("<a href=\"#{id}\">{words}</a>")).collect();
        links.join(" ")
    }

    /// The sections on the runs; none without any.
    fn runs(&self) -> String {
        if self.cells.is_empty() {
            return String::new();
        }
        let answer: String =
            self.answer.iter().map(|sentence| format!("<p>{}</p>\n", escape(sentence))).collect();
        fill(RUNS, |name| match name {
            "wins" => self.first_heading().to_owned(),
            "answer" => answer.clone(),
            "look" => self.look.as_ref().map(look).unwrap_or_default(),
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

/// Where one looks into a run.
fn look(look: &Look) -> String {
    match look {
        Look::Page { file, of } => format!(
            "<p><a href=\"{}\">Look into {}</a>: every link over time, flows, and why the last was \
             late.</p>\n",
            escape(file),
            escape(of)
        ),
        Look::Command(command) => format!(
            "<p>To look into two runs, link by link over time: <code>{}</code></p>\n",
            escape(command)
        ),
    }
}

/// The section on what was published.
fn claims(claims: &Claims) -> String {
    let mut html = String::from(
        "<section id=\"claims\" aria-labelledby=\"claims-h\">\n<h2 id=\"claims-h\">Does it agree \
         with what was published?</h2>\n",
    );
    let _ = writeln!(html, "<div class=\"answer\"><p>{}</p></div>", escape(&claims.summary));
    if let Some(reduced) = &claims.reduced {
        let _ = writeln!(html, "<p class=\"note\">Reduced: {}</p>", escape(reduced));
    }
    html.push_str(
        "<table class=\"claims\">\n<thead><tr><th scope=\"col\">claim</th><th \
         scope=\"col\">held against</th><th scope=\"col\">expected</th><th scope=\"col\" class=\"n\">measured</th><th \
         scope=\"col\">agrees if</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
    );
    for row in &claims.rows {
        claim(&mut html, row);
    }
    html.push_str("</tbody>\n</table>\n</section>\n");
    html
}

fn claim(html: &mut String, claim: &Claim) {
    let notes = claim.notes.iter();
    let notes: String =
        notes.map(|note| format!("<p class=\"note\">{}</p>", escape(note))).collect();
    let class = match claim.holds {
        Some(true) => " class=\"holds\"",
        Some(false) => " class=\"differs\"",
        None => "",
    };
    let _ = writeln!(
        html,
        "<tr{class}><td>{} <span class=\"note\">({})</span>{notes}</td><td>{}</td><td>{}</td><td \
         class=\"n\">{}</td><td>{}</td><td class=\"verdict\">{}</td></tr>",
        escape(&claim.text),
        escape(&claim.source),
        escape(&claim.kind),
        escape(&claim.expected),
        escape(&claim.measured),
        escape(&claim.band),
        escape(&claim.verdict),
    );
}

/// `template` with every `[[name]]` replaced. What is put in is not looked at again.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
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
pub fn escape(text: &str) -> String {
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
pub(crate) fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::super::data::Cell;
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
    fn a_page_has_the_sections_that_it_has_something_for() {
        let row = Claim { text: "a < b".into(), holds: Some(false), ..Claim::default() };
        let claims = Some(Claims { rows: vec![row], ..Claims::default() });
        let model = Report { claims, ..Report::default() }.html();
        assert!(model.contains("a &lt; b") && model.contains("<tr class=\"differs\">"));
        assert!(model.contains("href=\"#claims\"") && !model.contains("id=\"wins\""));
        let runs = Report { cells: vec![Cell::default()], ..Report::default() };
        let page = runs.html();
        assert!(page.contains("id=\"wins\"") && !page.contains("id=\"claims\""));
        assert!(!page.contains("To look into") && !page.contains(">Look into"));
        let command = Some(Look::Command("raddle view 'a & b'".to_owned()));
        let page = Report { look: command, ..runs.clone() }.html();
        assert!(page.contains("<code>raddle view &#39;a &amp; b&#39;</code>"));
        let beside = Look::Page { file: "view.html".to_owned(), of: "ecmp and reps".to_owned() };
        let page = Report { look: Some(beside), ..runs }.html();
        assert!(page.contains("<a href=\"view.html\">Look into ecmp and reps</a>"));
    }

    #[test]
    fn text_becomes_html() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
