//! `cargo xtask bench native`: what checking costs a C program with OpenMP.
//!
//! Each kernel is compiled and run four ways (plain, with a runtime that does nothing, with Heddle,
//! with ThreadSanitizer and Archer), one after the other in every repetition. Each result is compared
//! with that of the sequential program; Heddle must call each kernel clean, and must find the defect
//! seeded into its twin.

use bench_harness::print_all;
use bench_native::options::{self, Options, Task};
use bench_native::toolchain::{Stub, Toolchain};
use bench_native::way::Way;
use bench_native::{counts, defects, figures, measure};
use serde_json::json;
use std::process::ExitCode;

fn main() -> ExitCode {
    bench_harness::run(options::parse, options::USAGE, bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let tools = Toolchain::new(&options.compiler)?;
    if options.task == Task::Count {
        return count(&tools, options);
    }
    prepare(&tools, options)?;
    let measure = |kernel| measure::measure(&tools, kernel, options);
    let (rows, means) = figures::table(options.kernels(), measure)?;
    if options.task == Task::Measure {
        print_all("targets", &figures::targets(&means));
    }
    let defects = defects(&tools, options)?;
    if options.task == Task::Measure {
        let figures = json!({ "rows": rows, "means": means, "defects": defects });
        bench_harness::write_json("native", &figures)?;
    }
    defects::missed(&defects)
}

fn prepare(tools: &Toolchain, options: &Options) -> Result<(), String> {
    if options.ways.contains(&Way::Null) {
        tools.build_stub(Stub::Null)?;
    }
    if options.ways.contains(&Way::Heddle) {
        tools.build_heddle()?;
    }
    Ok(())
}

fn defects(tools: &Toolchain, options: &Options) -> Result<Vec<defects::Defect>, String> {
    let look = |kernel| defects::look(tools, kernel, &options.ways);
    let defects: Vec<_> = options.kernels().map(look).collect::<Result<_, _>>()?;
    print_all("seeded defects", &defects::lines(&defects));
    Ok(defects)
}

fn count(tools: &Toolchain, options: &Options) -> Result<(), String> {
    tools.build_stub(Stub::Count)?;
    println!("{}", counts::heading());
    for kernel in options.kernels() {
        let counts = counts::count(tools, kernel, options.size(kernel))?;
        println!("{}", counts::line(kernel.name, &counts));
    }
    Ok(())
}
