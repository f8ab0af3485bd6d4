//! `raddle theory`: the numbers of a model, without a simulation.

use super::output::print_line;
use super::{End, input};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};
use raddle::study::text::{digits, left, right, width, wrap};
use raddle_sim::theory::{Listed, MODELS, Model, find};

/// Arguments of `raddle theory`: a subcommand for each model, an option for each parameter.
pub(super) struct Arguments {
    /// The model and what was typed for its parameters; all models are listed without.
    model: Option<(&'static Listed, Vec<(&'static str, String)>)>,
    seed: u64,
    json: bool,
}

impl Args for Arguments {
    fn augment_args(command: Command) -> Command {
        let seed = Arg::new("seed").long("seed").value_name("N").global(true).default_value("1");
        let json = Arg::new("json").long("json").global(true).action(ArgAction::SetTrue);
        command
            .arg(seed.value_parser(value_parser!(u64)).help("Seed of what is drawn"))
            .arg(json.help("Print one JSON object (`raddle.theory/1`) and nothing else"))
            .subcommand_value_name("MODEL")
            .subcommand_help_heading("Models")
            .disable_help_subcommand(true)
            .subcommands(MODELS.iter().map(subcommand))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn subcommand(model: &Listed) -> Command {
    let parameter = |p: raddle_schemes::family::ParameterInfo| {
        let help = format!("{} [default: {}]", p.doc, p.default.trim_matches('"'));
        Arg::new(p.name).long(p.name).value_name(kind_name(p.kind)).help(help)
    };
    let arguments = (model.parameters)().into_iter().map(parameter);
    Command::new(model.card.name).about(sentence(model.card.title)).args(
        // Negative numbers are refused by the parameter, which says what it takes.
        arguments.map(|argument| argument.allow_hyphen_values(true)),
    )
}

/// `time` as a placeholder: `TIME`.
fn kind_name(kind: &'static str) -> clap::builder::Str {
    clap::builder::Str::from(match kind {
        "time" => "TIME",
        "size" => "SIZE",
        "number" => "X",
        _ => "N",
    })
}

/// The text with a capital letter in front.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl FromArgMatches for Arguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let model = matches.subcommand().and_then(|(name, own)| {
            let model = find(name)?;
            let typed = (model.parameters)().into_iter().filter_map(|parameter| {
                let by_hand = own.value_source(parameter.name) == Some(ValueSource::CommandLine);
                let value = own.get_one::<String>(parameter.name).filter(|_| by_hand)?;
                Some((parameter.name, value.clone()))
            });
            Some((model, typed.collect()))
        });
        let seed = matches.get_one("seed").copied().unwrap_or(1);
        Ok(Self { model, seed, json: matches.get_flag("json") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(super) fn theory(arguments: &Arguments) -> End {
    let Some((listed, typed)) = &arguments.model else {
        catalogue(arguments.json);
        return End::Done;
    };
    let mut model = (listed.default)();
    for (name, text) in typed {
        if let Err(why) = raddle::theory::set(&mut *model, name, text) {
            return input::refuse_text(&format!("--{name} {text}: {why}"));
        }
    }
    if let Err(why) = model.check() {
        return input::refuse_text(&why);
    }
    let values = model.values(arguments.seed);
    if arguments.json {
        print_line!("{}", raddle::theory::object(listed, &*model, &values, arguments.seed));
    } else {
        show(listed, &*model, &values);
    }
    End::Done
}

fn catalogue(as_json: bool) {
    if as_json {
        print_line!("{}", raddle::theory::catalogue());
        return;
    }
    let names = MODELS.iter().map(|listed| width(listed.card.name)).max().unwrap_or(0);
    for listed in MODELS {
        print_line!("  {}  {}", left(listed.card.name, names), listed.card.title);
    }
    print_line!("`raddle theory MODEL` gives its numbers, with `--help` its parameters.");
}

fn show(listed: &Listed, model: &dyn Model, values: &[f64]) {
    let card = listed.card;
    print_line!("{}: {}", card.name, card.title);
    print_line!("  {}", card.paper);
    let parameters: Vec<String> =
        model.parameters().into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    for line in wrap(&parameters.join(", "), input::columns() - 2) {
        print_line!("  {line}");
    }
    let numbers: Vec<String> = values.iter().map(|value| digits(*value, 5)).collect();
    let names = card.quantities.iter().map(|quantity| width(quantity.name)).max().unwrap_or(0);
    let columns = numbers.iter().map(|number| width(number)).max().unwrap_or(0);
    for (quantity, number) in card.quantities.iter().zip(&numbers) {
        let mut head = format!("  {}  {}  ", left(quantity.name, names), right(number, columns));
        let indent = width(&head);
        for line in wrap(quantity.doc, input::columns().saturating_sub(indent).max(20)) {
            print_line!("{}{line}", left(&head, indent));
            head.clear();
        }
    }
}
