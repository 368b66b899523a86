//! `cargo xtask bench atomicity`: what it costs to look for torn regions, beside Velodrome.
//!
//! The kernels of `bench/native`, with everything that tasks share declared to be atomic. Each is run without
//! a checker, with instrumentation that does nothing, with Heddle's analysis of all schedules, and with Velodrome's
//! of the one that runs, one after the other in every repetition. Each result is compared with that of the
//! sequential program, and nothing may be found: the kernels have no defect.
//!
//! Two more tables are those of Yoga and Nagarakatte, *Atomicity Violation Checker for Task Parallel Programs*: how
//! often the order of two strands is asked for (Table 1), and what the layout of the tree and the cache of
//! answers gain (Fig. 14). For them a library is built that counts and knows other layouts.

mod column;
mod layout;
mod measure;
mod options;
mod questions;

use bench_harness::print_all;
use bench_native::figures;
use bench_native::toolchain::{Stub, Toolchain};
use options::{Options, Part};
use serde_json::{Value, json};
use std::process::ExitCode;

fn main() -> ExitCode {
    bench_harness::run(options::parse, options::USAGE, bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let tools = Toolchain::new(&options.compiler)?;
    tools.build_heddle()?;
    let mut figures = json!({});
    if options.wants(Part::Cost) {
        figures["cost"] = cost(&tools, options)?;
    }
    if options.wants(Part::Questions) || options.wants(Part::Layout) {
        tools.build_study()?;
    }
    if options.wants(Part::Questions) {
        figures["questions"] = questions(&tools, options)?;
    }
    if options.wants(Part::Layout) {
        figures["layout"] = layout(&tools, options)?;
    }
    match options.is_check {
        true => Ok(()),
        false => bench_harness::write_json("atomicity", &figures),
    }
}

fn cost(tools: &Toolchain, options: &Options) -> Result<Value, String> {
    tools.build_stub(Stub::Null)?;
    let measure = |kernel| measure::measure(tools, kernel, options);
    let (rows, means) = figures::table(options.kernels(), measure)?;
    if !options.is_check {
        print_all("targets", &figures::targets(&means));
    }
    Ok(json!({ "rows": rows, "means": means }))
}

fn questions(tools: &Toolchain, options: &Options) -> Result<Value, String> {
    println!("{}", questions::heading());
    let mut rows = Vec::new();
    for kernel in options.kernels() {
        let row = questions::ask(tools, kernel, options)?;
        println!("{}", questions::line(&row));
        rows.push(row);
    }
    println!();
    Ok(json!(rows))
}

fn layout(tools: &Toolchain, options: &Options) -> Result<Value, String> {
    println!("{}", layout::heading());
    let mut rows = Vec::new();
    for kernel in options.kernels() {
        let row = layout::measure(tools, kernel, options)?;
        println!("{}", layout::line(&row));
        rows.push(row);
    }
    let means = layout::means(&rows);
    println!("{}\n", layout::mean_line(&means));
    Ok(json!({ "rows": rows, "means": means }))
}
