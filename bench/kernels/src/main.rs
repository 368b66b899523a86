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
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match options::parse(&arguments) {
        Ok(options) => finish(bench(&options)),
        Err(message) => {
            eprintln!("{message}\n{}", options::USAGE);
            ExitCode::from(2)
        }
    }
}

fn finish(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
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
    write_json(&serde_json::json!({ "rows": rows, "means": means, "plain_threads_gain": control }))
}

fn write_json(figures: &serde_json::Value) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let file = target.join("bench/rust.json");
    let written = std::fs::create_dir_all(target.join("bench"))
        .and_then(|()| std::fs::write(&file, format!("{figures:#}\n")));
    written.map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    println!("\nwritten to {}", file.display());
    Ok(())
}
