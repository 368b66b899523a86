//! `cargo xtask bench atomicity`: what it costs to look for atomicity violations.
//!
//! The kernels of `bench/native`, with everything that tasks share declared to be atomic. Each is run without
//! a checker, with instrumentation that does nothing, and with Heddle's analysis of all schedules, one after the other
//! in every repetition. Each result is compared with that of the sequential program, and nothing may be found: the
//! kernels have no defect.

mod column;
mod measure;
mod options;

use bench_harness::print_all;
use bench_native::figures;
use bench_native::toolchain::{Stub, Toolchain};
use options::Options;
use serde_json::json;
use std::process::ExitCode;

fn main() -> ExitCode {
    bench_harness::run(options::parse, options::USAGE, bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let tools = Toolchain::new(&options.compiler)?;
    tools.build_heddle()?;
    tools.build_stub(Stub::Null)?;
    let measure = |kernel| measure::measure(&tools, kernel, options);
    let (rows, means) = figures::table(options.kernels(), measure)?;
    if options.is_check {
        return Ok(());
    }
    print_all("targets", &figures::targets(&means));
    let cost = json!({ "rows": rows, "means": means });
    bench_harness::write_json("atomicity", &json!({ "cost": cost }))
}
