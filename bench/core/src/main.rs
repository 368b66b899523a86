//! The scaling benchmark of the engine: does the cost of an access and of a spawn stay flat from a
//! thousand to ten million tasks, wide and deep, under every order?
//!
//! Programs are made as event streams in memory, without any language in front, so that the table
//! shows the engine and nothing else. Every run's result is verified: no finding in the ordered
//! program, exactly the racy places in its racy variant.
//!
//! A second table is about the engine that checks running programs, driven from the `heddle` crate on one thread and on two (`engine`).

mod engine;
mod figures;
mod machine;
mod measure;
mod options;
mod shape;
mod work;

use bench_harness::print_all;
use figures::Row;
use machine::Machine;
use measure::Configuration;
use options::{Options, Series};
use serde_json::json;
use std::process::ExitCode;
use work::{Program, Work};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let answer = match arguments.split_first().map(|(a, b)| (a.as_str(), b)) {
        Some((measure::CHILD, rest)) => Some(measure::as_child(rest)),
        Some((engine::CHILD, rest)) => Some(engine::as_child(rest)),
        _ => None,
    };
    if let Some(answer) = answer {
        return bench_harness::finish(answer.map(|line| println!("{line}")));
    }
    bench_harness::run(options::parse, options::USAGE, bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let machine = Machine::here();
    println!("{machine}\n");
    let streams = streams(options)?;
    let engine = running_programs(options)?;
    let mut figures = serde_json::json!({ "machine": machine });
    for (key, value) in streams.into_iter().chain(engine) {
        figures[key] = value;
    }
    bench_harness::write_json("core", &figures)
}

/// Figures for the file, by name.
type Figures = Vec<(&'static str, serde_json::Value)>;

/// The table of event streams, unless nothing of it is wanted.
fn streams(options: &Options) -> Result<Figures, String> {
    if options.series().next().is_none() {
        return Ok(Vec::new());
    }
    println!("{}", figures::heading());
    let rows = measure_all(options)?;
    let ratios = figures::ratios(&rows);
    let lines: Vec<String> = ratios.iter().map(figures::ratio_line).collect();
    print_all("\nlargest over smallest size", &lines);
    print_all("targets", &figures::targets(&rows, &ratios));
    Ok(vec![("rows", json!(rows)), ("ratios", json!(ratios))])
}

/// The table of running programs, unless nothing of it is wanted.
fn running_programs(options: &Options) -> Result<Figures, String> {
    if options.engine_series().next().is_none() {
        return Ok(Vec::new());
    }
    println!("{}", engine::figures::heading());
    let rows = engine::measure_all(options)?;
    let ratios = engine::figures::ratios(&rows);
    let lines: Vec<String> = ratios.iter().map(engine::figures::ratio_line).collect();
    print_all("\nmost expensive over smallest size", &lines);
    print_all("targets", &engine::figures::targets(&rows, &ratios));
    Ok(vec![
        ("engine_rows", json!(rows)),
        ("engine_ratios", json!(ratios)),
    ])
}

fn measure_all(options: &Options) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for series in options.series() {
        for tasks in options.sizes(series.shape) {
            let row = measure_row(series, tasks)?;
            println!("{}", figures::line(&row));
            rows.push(row);
        }
    }
    Ok(rows)
}

fn measure_row(series: Series, tasks: u32) -> Result<Row, String> {
    let Series {
        order,
        shape,
        names: [order_name, shape_name],
    } = series;
    let measured = |work| {
        let program = Program { shape, tasks, work };
        measure::in_child(Configuration { order, program })
    };
    let (accesses, spawns) = (measured(Work::Ordered)?, measured(Work::Nothing)?);
    Ok(Row::new((order_name, shape_name, tasks), accesses, spawns))
}
