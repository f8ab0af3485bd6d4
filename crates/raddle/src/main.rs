//! The `raddle` command.

fn main() -> std::process::ExitCode {
    raddle::cli::main()
}
