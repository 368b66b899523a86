//! The experiment that Huang's thesis ends with: programs under each atomization strategy. How many cuts can
//! be seen, and how many of the thread cycles that the printed algorithm would report are none?
//!
//! The programs are those of `programs/`, the examples of mutual exclusion (`examples/002*`), and the OpenMP
//! kernels of `bench/native`, each with its seeded defect as well ([`native`]). Every result is verified: uncut
//! strands show nothing, and what is confirmed in the interpreter is run again under its schedule. Before them come
//! programs whose size is the point ([`scale`]).

mod native;
mod scale;

use heddle_core::{Decision, Features, Finding, Listener, Run, TransactionCounts};
use heddle_lang::cuts::Cuts;
use heddle_lang::machine::{Code, Plan};
use heddle_transactions::{EndedBy, Exact, Options, check, settle};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const STRATEGIES: [(&str, Cuts); 4] = [
    ("none", Cuts::None),
    ("manual", Cuts::Manual),
    ("menier", Cuts::Menier),
    ("access", Cuts::Access),
];

fn main() -> ExitCode {
    bench_harness::run(
        |arguments| match arguments {
            [] => Ok(()),
            _ => Err("there are no options".into()),
        },
        "usage: cargo xtask bench transactions",
        |()| bench(),
    )
}

fn bench() -> Result<(), String> {
    println!("{}", heading());
    let sizes = sizes()?;
    println!("\n{}", heading());
    let mut rows = Vec::new();
    for path in programs()? {
        for (strategy, cuts) in STRATEGIES {
            let Some(row) = measure(&path, strategy, cuts)? else {
                println!("| {} holds a lock across a task operation", path.display());
                break;
            };
            println!("{}", line(&row));
            rows.push(row);
        }
    }
    totals(&rows, &STRATEGIES.map(|(strategy, _)| strategy));
    println!();
    let native = native::rows(|row| println!("{}", line(row)))?;
    totals(&native, &native::STRATEGIES);
    let figures = json!({ "sizes": sizes, "rows": rows, "native": native });
    bench_harness::write_json("transactions", &figures)
}

/// Programs of some size, decided within the bound that holds by default.
fn sizes() -> Result<Vec<Value>, String> {
    let mut rows = Vec::new();
    for sized in scale::programs() {
        let row = measured(
            &sized.name,
            &sized.source,
            ("manual", Cuts::Manual),
            Exact::Quick,
        )?;
        let mut row = row.ok_or("a sized program is refused")?;
        let cycles = ["confirmed", "undecided"].map(|what| row[what].as_u64().unwrap_or(0));
        let cycles: u64 = cycles.iter().sum();
        if sized.cycles.is_some_and(|known| known != cycles) {
            return Err(format!("{}: {cycles} cycles", sized.name));
        }
        row["peak_kilobytes"] = json!(peak_kilobytes());
        println!("{}", line(&row));
        rows.push(row);
    }
    let most = rows.first().and_then(|row| row["peak_kilobytes"].as_u64());
    println!("peak memory of the first: {} kB", most.unwrap_or(0));
    Ok(rows)
}

/// Processor time of this thread: what else runs on the machine does not count.
fn processor_seconds() -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = nanoseconds.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(0.0, |time| time / 1e9)
}

/// The most memory that this process has had so far.
fn peak_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn totals(rows: &[Value], strategies: &[&str]) {
    println!("\n{}", heading());
    for strategy in strategies {
        println!("{}", line(&total(rows, strategy)));
    }
}

fn programs() -> Result<Vec<PathBuf>, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for (folder, start) in [("programs", ""), ("../../examples", "002")] {
        let folder = here.join(folder);
        let entries = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(start) && name.ends_with(".task") {
                paths.push(path.clone());
            }
        }
    }
    paths.sort();
    Ok(paths)
}

struct Live {
    code: Code,
    features: Features,
}

impl Run for Live {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

/// The figures of a program; none if it is refused.
fn measure(path: &Path, strategy: &str, cuts: Cuts) -> Result<Option<Value>, String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    measured(&name, &text, (strategy, cuts), Exact::Always)
}

fn measured(
    name: &str,
    text: &str,
    (strategy, cuts): (&str, Cuts),
    exact: Exact,
) -> Result<Option<Value>, String> {
    let program = heddle_lang::compile(name, text)
        .map_err(|wrong| format!("{name}: {}", wrong[0].message))?;
    let mut live = Live {
        code: Code::with_cuts(&program, cuts),
        features: Features {
            cuts: true,
            ..program.features
        },
    };
    let options = Options {
        exact,
        count: true,
        ..Options::default()
    };
    let start = processor_seconds();
    let checked = check(&mut live, &options);
    let elapsed = processor_seconds() - start;
    let mut checked = match checked {
        Ok(checked) => checked,
        Err(rejected) if rejected.by == EndedBy::TaskOperation => return Ok(None),
        Err(_) => return Err(format!("{name}: a cut in a critical section")),
    };
    settle(&mut checked, |witness, log| {
        let plan = Plan {
            tasks: witness
                .tasks
                .iter()
                .map(|(&key, &task)| (key, task))
                .collect(),
            turns: witness.turns.clone(),
        };
        live.code.run_planned(&plan, log)
    });
    let count = |wanted: fn(Decision) -> bool| {
        let findings = checked.outcome.findings.iter();
        let decisions = findings.filter_map(|finding| match finding {
            Finding::Transaction(separation) => Some(separation.decision),
            _ => None,
        });
        decisions.filter(|&decision| wanted(decision)).count()
    };
    let TransactionCounts {
        transactions,
        interactions,
        confirmed,
        refuted,
        undecided,
        ..
    } = checked.outcome.transactions.unwrap_or_default();
    if cuts == Cuts::None && confirmed + undecided > 0 {
        return Err(format!("{name}: uncut strands are seen apart"));
    }
    Ok(Some(json!({
        "program": name,
        "strategy": strategy,
        "transactions": transactions,
        "interactions": interactions,
        "confirmed": confirmed,
        "replayed": count(|decision| decision == Decision::Replayed),
        "diverged": count(|decision| decision == Decision::Diverged),
        "refuted": refuted,
        "undecided": undecided,
        "milliseconds": elapsed * 1000.0,
    })))
}

const COLUMNS: [&str; 8] = [
    "transactions",
    "interactions",
    "confirmed",
    "replayed",
    "diverged",
    "refuted",
    "undecided",
    "milliseconds",
];

fn heading() -> String {
    let columns = COLUMNS.map(|column| format!(" {column:>12} |")).concat();
    format!("| {:<34} | {:<8} |{columns}", "program", "cuts")
}

fn line(row: &Value) -> String {
    let cells = COLUMNS.map(|column| match row[column].as_u64() {
        Some(number) => format!(" {number:>12} |"),
        None => format!(" {:>12.1} |", row[column].as_f64().unwrap_or(0.0)),
    });
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    format!(
        "| {:<34} | {:<8} |{}",
        text("program"),
        text("strategy"),
        cells.concat()
    )
}

fn total(rows: &[Value], strategy: &str) -> Value {
    let mut total = json!({ "program": "all", "strategy": strategy });
    for column in COLUMNS {
        let of_strategy = rows.iter().filter(|row| row["strategy"] == strategy);
        let sum: f64 = of_strategy.filter_map(|row| row[column].as_f64()).sum();
        total[column] = match column {
            "milliseconds" => json!(sum),
            _ => json!(sum as u64),
        };
    }
    total
}
