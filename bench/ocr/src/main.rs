//! `cargo xtask bench ocr`: event-driven tasks, as Tables 6.1 and 6.2 of Yu's thesis.
//!
//! First, programs of ours are built plain, instrumented with a runtime that does nothing, and checked; all three execute
//! on the same runtime of event-driven tasks. Then loads of the same shapes are judged by the product's engine and by
//! the thesis' search with none, one, two and three of its optimisations. All that finish must name the same racy
//! locations, of the load as it is (none) and with a defect, else the benchmark fails.

mod load;
mod ours;
mod programs;
mod search;

use load::{Load, grid, look_ups, tree_search, with_defect};
use search::{LEVELS, Level};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// How long a baseline may take, unless `--patience SECONDS` says otherwise.
const PATIENCE: u64 = 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench ocr: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut words = std::env::args().skip(1);
    let (mut patience, mut only_orders) = (PATIENCE, false);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--patience" => {
                let seconds = words.next().and_then(|text| text.parse().ok());
                patience = seconds.ok_or("--patience takes a number of seconds")?;
            }
            "--orders" => only_orders = true,
            _ => {
                return Err(format!(
                    "no option {word} (there are: --patience N, --orders)"
                ));
            }
        }
    }
    let programs = match only_orders {
        true => Value::Null,
        false => programs::run()?,
    };
    let orders = orders(Duration::from_secs(patience))?;
    let path = "target/bench/ocr.json";
    let figures = json!({"programs": programs, "orders": orders});
    std::fs::create_dir_all("target/bench").map_err(|error| error.to_string())?;
    std::fs::write(path, figures.to_string()).map_err(|error| format!("{path}: {error}"))?;
    println!("\nfigures: {path}");
    Ok(())
}

fn orders(patience: Duration) -> Result<Value, String> {
    println!("\nquestions of order, seconds (- : more than {patience:?})");
    println!(
        "{:<14} {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9} {:>9}  {:>8}",
        "load", "EDTs", "edges", "heddle", "bfs", "+cache", "+reversed", "+compress", "factor"
    );
    let loads: [fn() -> Load; 5] = [
        || tree_search(5_000),
        || look_ups("RSBench-like", 10, 1000, 200),
        || look_ups("XSBench-like", 12, 1000, 100),
        || grid(150),
        || look_ups("large", 333, 1000, 4),
    ];
    let mut rows = Vec::new();
    for (at, make) in loads.into_iter().enumerate() {
        let largest = at + 1 == loads.len();
        check_verdicts(make, patience, largest)?;
        rows.push(row(&make(), patience, largest)?);
    }
    Ok(Value::Array(rows))
}

/// One line of the table. The baselines are not asked about the largest load.
fn row(load: &Load, patience: Duration, is_largest: bool) -> Result<Value, String> {
    let own = ours::run(load)?;
    let seconds = own.time.as_secs_f64();
    let mut line = format!(
        "{:<14} {:>9} {:>9} {seconds:>9.3} ",
        load.name,
        load.edts.len(),
        load.edges()
    );
    let mut times = serde_json::Map::new();
    let mut best = None;
    for level in LEVELS {
        if is_largest {
            line += &format!(" {:>9}", "");
            continue;
        }
        let searched = search::run(load, level, patience);
        let time = searched.time.as_secs_f64();
        line += &match &searched.racy {
            Some(_) => format!(" {time:>9.2}"),
            None => format!(" {:>9}", "-"),
        };
        times.insert(
            level.name().into(),
            json!(searched.racy.is_some().then_some(time)),
        );
        if level == Level::Compress {
            best = Some((time, searched.racy.is_some(), searched.questions));
        }
    }
    if let Some((time, is_done, questions)) = best {
        let mark = if is_done { " " } else { ">" };
        line += &format!(" {mark}{:>7.0}x", time / seconds);
        times.insert("questions".into(), json!(questions));
    }
    println!("{line}");
    Ok(json!({
        "load": load.name, "edts": load.edts.len(), "edges": load.edges(), "heddle": seconds, "searches": times,
    }))
}

/// Everyone must say the same.
fn check_verdicts(make: fn() -> Load, patience: Duration, is_largest: bool) -> Result<(), String> {
    let clean = ours::run(&make())?;
    if !clean.racy.is_empty() {
        return Err(format!("{}: races in a load without any", make().name));
    }
    let defective = with_defect(make());
    let own = ours::run(&defective)?;
    if own.racy.is_empty() {
        return Err(format!("{}: the defect is not found", defective.name));
    }
    if is_largest {
        return Ok(());
    }
    let searched = search::run(&defective, Level::Compress, patience);
    match searched.racy {
        Some(racy) if racy != own.racy => Err(format!(
            "{}: {:?} and {racy:?} are said to be racy",
            defective.name, own.racy
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_and_every_search_name_the_same_racy_locations() {
        let loads: [fn() -> Load; 3] = [
            || tree_search(300),
            || look_ups("small", 3, 8, 20),
            || grid(8),
        ];
        for make in loads {
            for load in [make(), with_defect(make())] {
                let own = ours::run(&load).expect("there is address space");
                for level in LEVELS {
                    let searched = search::run(&load, level, Duration::from_secs(60));
                    assert_eq!(
                        searched.racy,
                        Some(own.racy.clone()),
                        "{} {level:?}",
                        load.name
                    );
                }
            }
        }
    }
}
