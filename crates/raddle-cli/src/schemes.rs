//! `raddle schemes`: the catalogue.

use super::output::print_line;
use super::{End, input};
use raddle::study::text::{left, wrap};
use raddle_schemes::family::Scheme;
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::{Need, buffer, congestion, marking, recovery};

/// Arguments of `raddle schemes`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A scheme to show with its parameters.
    name: Option<String>,
}

/// The families: title, where a scenario selects one, schemes.
const FAMILIES: [(&str, &str, &[Scheme]); 6] = [
    ("Host load balancing", "transport.load_balance", host::SCHEMES),
    ("Switch load balancing", "fabric.load_balance", switch::SCHEMES),
    ("Congestion control", "transport.congestion", congestion::SCHEMES),
    ("Recovery", "transport.recovery", recovery::SCHEMES),
    ("Marking", "fabric.queue.marking", marking::SCHEMES),
    ("Shared memory", "fabric.buffer", buffer::SCHEMES),
];

pub(super) fn schemes(arguments: &Arguments) -> End {
    match &arguments.name {
        None => catalogue(),
        Some(name) => one(name),
    }
}

fn catalogue() -> End {
    let lists = FAMILIES.iter().flat_map(|(_, _, list)| list.iter());
    let width = lists.map(|scheme| scheme.card.name.len()).max().unwrap_or(0);
    for (title, key, list) in FAMILIES {
        print_line!("{title} ({key})");
        for scheme in list {
            listed(scheme.card.name, width + 4, scheme.card.summary);
        }
        print_line!();
    }
    print_line!("`raddle schemes NAME` shows a scheme's parameters, needs and paper.");
    End::Done
}

/// A name, and behind it a text whose lines all begin in column `indent`.
fn listed(name: &str, indent: usize, text: &str) {
    let mut head = format!("  {name}");
    for line in wrap(text, input::columns().saturating_sub(indent).max(20)) {
        print_line!("{}{line}", left(&head, indent));
        head.clear();
    }
}

fn one(name: &str) -> End {
    let named = |scheme: &&Scheme| scheme.card.name == name;
    let mut found = false;
    for (title, key, list) in FAMILIES {
        let Some(scheme) = list.iter().find(named) else { continue };
        if found {
            print_line!();
        }
        found = true;
        show(title, key, scheme);
    }
    if found {
        return End::Done;
    }
    let names = || FAMILIES.iter().flat_map(|(_, _, list)| list.iter()).map(|s| s.card.name);
    let nearest = names()
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    input::refuse_text(&format!(
        "unknown scheme `{name}`; nearest: `{}` (`raddle schemes` lists all)",
        nearest.unwrap_or_default()
    ))
}

fn show(title: &str, key: &str, scheme: &Scheme) {
    let card = scheme.card;
    print_line!("{}: {}", card.name, card.title);
    print_line!("  family  {title}: {key} = {{ scheme = \"{}\" }}", card.name);
    listed("paper", 10, card.paper);
    if !card.needs.is_empty() {
        let needs: Vec<&str> = card.needs.iter().map(|need: &Need| need.text()).collect();
        listed("needs", 10, &needs.join(", "));
    }
    listed("does", 10, card.summary);
    let parameters = (scheme.parameters)();
    if parameters.is_empty() {
        print_line!("  no parameters");
        return;
    }
    let width = |of: fn(&raddle_schemes::family::ParameterInfo) -> usize| {
        parameters.iter().map(of).max().unwrap_or(0)
    };
    let (names, defaults) = (width(|p| p.name.len()), width(|p| p.default.len()));
    print_line!("  parameters, with their defaults:");
    for parameter in &parameters {
        let head = format!("  {:names$} = {:defaults$}", parameter.name, parameter.default);
        listed(&head, names + defaults + 9, &parameter.doc);
    }
}
