//! The scaling benchmark of the engine: does the cost of an access and of a spawn stay flat from a
//! thousand to ten million tasks, wide and deep, under every order?
//!
//! Programs are made as event streams in memory, without any language in front, so that the table
//! shows the engine and nothing else. Every run's result is verified: no finding in the ordered
//! program, exactly the racy places in its racy variant.

mod figures;
mod machine;
mod measure;
mod options;
mod shape;
mod work;

use figures::Row;
use machine::Machine;
use measure::Configuration;
use options::{Options, Series};
use std::process::ExitCode;
use work::{Program, Work};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((measure::CHILD, rest)) = arguments.split_first().map(|(a, b)| (a.as_str(), b)) {
        return bench_harness::finish(measure::as_child(rest).map(|line| println!("{line}")));
    }
    bench_harness::run(options::parse, options::USAGE, bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let machine = Machine::here();
    println!("{machine}\n\n{}", figures::heading());
    let rows = measure_all(options)?;
    let ratios = figures::ratios(&rows);
    println!("\nlargest over smallest size");
    ratios
        .iter()
        .for_each(|ratio| println!("{}", figures::ratio_line(ratio)));
    println!("\ntargets");
    figures::targets(&rows, &ratios)
        .iter()
        .for_each(|line| println!("{line}"));
    let figures = serde_json::json!({ "machine": machine, "rows": rows, "ratios": ratios });
    bench_harness::write_json("core", &figures)
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
