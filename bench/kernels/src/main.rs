//! `cargo xtask bench rust`: what checking costs a Rust program.
//!
//! Each kernel runs unchecked, sequentially and on two threads, and checked, serially and on two
//! threads, one after the other in every repetition, so that a slow spell of the machine hits all
//! four. Each result is compared with the plain sequential version, and each checked run must be
//! clean.

mod control;
mod figures;
mod measure;
mod options;

use bench_kernels::KERNELS;
use figures::Row;
use options::Options;
use std::process::ExitCode;

fn main() -> ExitCode {
    bench_harness::run(options::parse, options::USAGE, bench)
}

fn bench(options: &Options) -> Result<(), String> {
    println!("{}", figures::heading());
    let mut rows: Vec<Row> = Vec::new();
    for kernel in KERNELS.iter().filter(|kernel| options.wants(kernel.name)) {
        let row = measure::measure(kernel, options.runs)?;
        println!("{}", figures::line(&row));
        rows.push(row);
    }
    let control = control::gain_of_two_threads();
    println!("{}", figures::mean_line(&rows));
    println!("two threads without any tasks gain {control:.2}x on this machine now\n\ntargets");
    figures::targets(&rows)
        .iter()
        .for_each(|line| println!("{line}"));
    let means = figures::means(&rows);
    let figures =
        serde_json::json!({ "rows": rows, "means": means, "plain_threads_gain": control });
    bench_harness::write_json("rust", &figures)
}
