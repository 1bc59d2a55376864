//! The `ide-index-mcp` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ide_server::cli::run()
}
