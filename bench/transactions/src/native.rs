//! C programs with OpenMP under the compiler's strategies.
//!
//! Each kernel of `bench/native` and its twin with the seeded defect is compiled with cuts, run at its small
//! size and judged as a user would do it. A native run is not run again under a schedule, so nothing is replayed.
//! The time is the processor time of the whole command: the run, its recording and the judgement.

use bench_native::kernel::{KERNELS, Kernel};
use bench_native::process;
use bench_native::toolchain::Toolchain;
use bench_native::way::{THREADS, Variant};
use serde_json::{Value, json};
use std::process::Command;

/// Strategies, as the compiler is told.
pub const STRATEGIES: [&str; 3] = ["none", "menier", "access"];

const COMPILER: &str = "clang-22";

/// The figures of all kernels; each row is shown when it is known.
pub fn rows(show: impl Fn(&Value)) -> Result<Vec<Value>, String> {
    let tools = Toolchain::new(COMPILER)?;
    tools.build_heddle()?;
    let mut rows = Vec::new();
    for kernel in &KERNELS {
        for variant in [Variant::Sound, Variant::Seeded] {
            for strategy in STRATEGIES {
                if let Some(row) = measure(&tools, kernel, variant, strategy)? {
                    show(&row);
                    rows.push(row);
                }
            }
        }
    }
    Ok(rows)
}

/// Its small size, or less where that makes tens of millions of transactions.
fn size(kernel: &Kernel) -> usize {
    match kernel.stem {
        "strassen" => kernel.small / 2,
        _ => kernel.small,
    }
}

/// The figures of a kernel; none if it is refused, for holding a lock across a task operation.
fn measure(
    tools: &Toolchain,
    kernel: &Kernel,
    variant: Variant,
    strategy: &str,
) -> Result<Option<Value>, String> {
    let name = format!("{}{}", kernel.stem, variant.suffix());
    let wrong = |what: &dyn std::fmt::Display| format!("{name}, {strategy}: {what}");
    let program = tools.build_cut(kernel, variant, strategy)?;
    let mut command = Command::new(tools.heddle());
    command.args(["run", "--analysis", "transactions", "--format", "json"]);
    let output = program.with_extension("json");
    command.args(["--stats", "--output"]).arg(&output);
    command
        .arg("--")
        .arg(&program)
        .arg(size(kernel).to_string());
    command.env("OMP_NUM_THREADS", THREADS);
    let done = process::run(&mut command, &program).map_err(|error| wrong(&error))?;
    if done.status.code() == Some(2) {
        return Ok(None);
    }
    let report = std::fs::read_to_string(&output).map_err(|_| wrong(&done.errors))?;
    let report: Value = serde_json::from_str(&report).map_err(|error| wrong(&error))?;
    let count = |what: &str| report["transactions"][what].as_u64().unwrap_or(0);
    if count("transactions") == 0 {
        return Err(wrong(&"no transaction was seen"));
    }
    if strategy == "none" && count("confirmed") + count("undecided") > 0 {
        return Err(wrong(&"uncut strands are seen apart"));
    }
    Ok(Some(json!({
        "program": name,
        "strategy": strategy,
        "transactions": count("transactions"),
        "interactions": count("interactions"),
        "confirmed": count("confirmed"),
        "replayed": 0,
        "diverged": 0,
        "refuted": count("refuted"),
        "undecided": count("undecided"),
        "milliseconds": done.processor_seconds * 1000.0,
    })))
}
