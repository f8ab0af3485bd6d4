//! `raddle trace`: what there is in a trace, without a run.

use super::output::print_line;
use super::{End, input};
use raddle::import::trace::{
    self, AllGatherSize, Deps, Layout, Options, RunAs, Trace, Units, Unknown,
};
use raddle_schemes::family::{Parameter, ParameterError, Raw};
use raddle_sim::workload::job_graph::style::Rails;
use std::path::PathBuf;

/// A trace, and how it is read.
#[derive(clap::Args)]
pub(super) struct TraceArguments {
    /// The trace: a file, of a Chakra trace that of one rank, or what stands before `.0.et`.
    file: PathBuf,
    /// Its format, if that is not found from the file: goal, goal_binary, chakra, simai, flows_csv.
    #[arg(long)]
    format: Option<String>,
    /// A key of `kind = "trace"`, as in `--set deps=data`; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = input::assignment)]
    set: Vec<(String, String)>,
}

/// Arguments of `raddle trace`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    trace: TraceArguments,
    /// Print one JSON object (`raddle.trace/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

/// The keys that `--set` takes.
const KEYS: [&str; 15] = [
    "all_gather_size",
    "all_gpus",
    "channels",
    "compat",
    "deps",
    "element",
    "gpus",
    "group_file",
    "layout",
    "pxn_join",
    "rails",
    "run_as",
    "unit",
    "units",
    "unknown",
];

/// A value of a key.
fn value<T: Parameter>(key: &str, text: &str) -> Result<T, String> {
    let raw = match text {
        "true" => Raw::Flag(true),
        "false" => Raw::Flag(false),
        _ => text.parse().map_or(Raw::Text(text), Raw::Integer),
    };
    T::read(raw).map_err(|error| match error {
        ParameterError::Value(expected) => format!("wrong value `{text}` for `{key}`: {expected}"),
        ParameterError::Word(words) => {
            format!("unknown word `{text}` for `{key}`; expected one of {}", words.join(", "))
        }
        ParameterError::Unknown => format!("unknown key `{key}`"),
    })
}

fn options(set: &[(String, String)]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut channels: Option<u32> = None;
    for (key, text) in set {
        let text = text.trim_matches('"');
        match &key[..] {
            "all_gather_size" => options.all_gather_size = value::<AllGatherSize>(key, text)?,
            "all_gpus" => options.all_gpus = Some(value(key, text)?),
            "channels" => channels = Some(value(key, text)?),
            "compat" => options.compat = value(key, text)?,
            "deps" => options.deps = Some(value::<Deps>(key, text)?),
            "element" => options.element = value(key, text)?,
            "gpus" => options.style.gpus = value(key, text)?,
            "group_file" => {
                let read = std::fs::read_to_string(text);
                let read = read.map_err(|error| format!("cannot read `{text}`: {error}"))?;
                options.groups = Some(read);
            }
            "layout" => options.layout = Some(value::<Layout>(key, text)?),
            "pxn_join" => options.style.apart = !value::<bool>(key, text)?,
            "rails" => options.style.rails = value::<Rails>(key, text)?,
            "run_as" => options.run_as = Some(value::<RunAs>(key, text)?),
            "unit" => options.unit = value(key, text)?,
            "units" => options.units = value::<Units>(key, text)?,
            "unknown" => options.unknown = value::<Unknown>(key, text)?,
            _ => return Err(format!("unknown key `{key}`; expected one of {}", KEYS.join(", "))),
        }
    }
    check_servers(set, &options)?;
    // As in a run: a channel for each GPU of a server.
    options.channels = channels.unwrap_or(options.style.gpus.max(1));
    Ok(options)
}

/// What scenarios refuse of servers and rails, is refused here, too.
fn check_servers(set: &[(String, String)], options: &Options) -> Result<(), String> {
    let is_set = |key: &str| set.iter().any(|(own, _)| own == key);
    let (gpus, rails) = (options.style.gpus, options.style.rails);
    if is_set("gpus") && gpus < 2 {
        return Err(format!("`gpus` is {gpus}; expected at least 2, the GPUs of a server"));
    }
    let alone = ["rails", "pxn_join"].into_iter().find(|key| gpus == 0 && is_set(key));
    if let Some(key) = alone {
        return Err(format!("`{key}` has no effect where each GPU is alone; expected `gpus`, too"));
    }
    if rails == Rails::Alternate && !gpus.is_multiple_of(2) {
        let fits = "expected `pxn` or `cross`, or an even number of `gpus`";
        return Err(format!("`alternate` pairs rails, and a server has {gpus}; {fits}"));
    }
    if rails != Rails::Pxn && is_set("pxn_join") {
        return Err("`pxn_join` has no effect with these `rails`; it goes with `pxn`".to_owned());
    }
    Ok(())
}

/// Reads a trace.
///
/// # Errors
/// What is wrong with it, which has been told.
pub(super) fn read(arguments: &TraceArguments) -> Result<Trace, End> {
    let options = options(&arguments.set).map_err(|why| input::refuse_text(&why))?;
    if let Some(word) = arguments.format.as_deref().filter(|word| !trace::WORDS.contains(word)) {
        let words = trace::WORDS.join(", ");
        let message = format!("unknown format `{word}`; expected one of {words}");
        return Err(input::refuse_text(&message));
    }
    let opened = trace::open(&arguments.file).map_err(|(path, error)| {
        input::refuse_text(&format!("cannot read {}: {error}", path.display()))
    })?;
    trace::read(&opened, arguments.format.as_deref(), &options).map_err(|errors| {
        let lines = errors.iter().map(|error| {
            let path = opened.paths.get(error.file).unwrap_or(&arguments.file);
            format!("{}: {error}", path.display())
        });
        input::refuse_text(&lines.collect::<Vec<_>>().join("\n"))
    })
}

pub(super) fn trace(arguments: &Arguments) -> End {
    let trace = match read(&arguments.trace) {
        Ok(trace) => trace,
        Err(end) => return end,
    };
    if arguments.json {
        print_line!("{}", trace.to_json());
    } else {
        print_line!("{}", trace.to_string().trim_end());
    }
    End::Done
}
