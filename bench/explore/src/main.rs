//! `cargo xtask bench explore`: classic problems, explored by Heddle, loom and shuttle (depth first).
//!
//! All three must come to the same verdict, else the benchmark fails. Executions are complete or
//! partial runs of the program; times are of one exploration each, on this machine, one after the other.
//! What loom and shuttle find ends their search; Heddle goes on to the end.

mod heddles;
mod threads;

use serde_json::json;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs of shuttle end here; more are to be done then.
const MOST_SHUTTLE: usize = 500_000;

/// A problem, as each of the three wants it.
struct Problem {
    name: &'static str,
    is_correct: bool,
    heddle: fn(),
    loom: fn(),
    shuttle: fn(),
}

const PROBLEMS: [Problem; 6] = [
    Problem {
        name: "counter, 3 threads",
        is_correct: true,
        heddle: heddles::counter,
        loom: threads::of_loom::counter,
        shuttle: threads::of_shuttle::counter,
    },
    Problem {
        name: "bank transfer, 3 threads",
        is_correct: true,
        heddle: heddles::bank,
        loom: threads::of_loom::bank,
        shuttle: threads::of_shuttle::bank,
    },
    Problem {
        name: "dining philosophers, 3",
        is_correct: true,
        heddle: heddles::philosophers,
        loom: threads::of_loom::philosophers,
        shuttle: threads::of_shuttle::philosophers,
    },
    Problem {
        name: "dining philosophers, 3, deadlock",
        is_correct: false,
        heddle: heddles::hungry_philosophers,
        loom: threads::of_loom::hungry_philosophers,
        shuttle: threads::of_shuttle::hungry_philosophers,
    },
    Problem {
        name: "producer and consumer",
        is_correct: true,
        heddle: heddles::queue,
        loom: threads::of_loom::queue,
        shuttle: threads::of_shuttle::queue,
    },
    Problem {
        name: "stack, 2 threads push and pop",
        is_correct: true,
        heddle: heddles::stack,
        loom: threads::of_loom::stack,
        shuttle: threads::of_shuttle::stack,
    },
];

/// What one tool did.
#[derive(Clone, Copy)]
struct Outcome {
    executions: u64,
    time: Duration,
    is_clean: bool,
}

impl Outcome {
    fn now(begin: Instant, is_clean: bool) -> Self {
        Self {
            executions: EXECUTIONS.load(Ordering::Relaxed),
            time: begin.elapsed(),
            is_clean,
        }
    }

    /// As a process tells it.
    fn line(self) -> String {
        format!(
            "{} {} {}",
            self.executions,
            self.time.as_nanos(),
            u8::from(self.is_clean)
        )
    }

    fn of_line(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace().map(str::parse::<u64>);
        let mut next = || words.next()?.ok();
        Some(Self {
            executions: next()?,
            time: Duration::from_nanos(next()?),
            is_clean: next()? == 1,
        })
    }
}

/// loom and shuttle want what lives for ever.
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

fn counted(body: fn()) -> impl Fn() + Copy + Send + Sync + 'static {
    move || {
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        body();
    }
}

/// Explores a problem. Whether nothing is found.
type Tool = fn(&Problem) -> bool;

/// The three, by the names of their columns.
const TOOLS: [(&str, Tool); 3] = [
    ("heddle", |problem| {
        heddle::explore(counted(problem.heddle)).is_clean()
    }),
    ("loom", |problem| {
        loom::model(counted(problem.loom));
        true
    }),
    ("shuttle", |problem| {
        shuttle::check_dfs(counted(problem.shuttle), Some(MOST_SHUTTLE));
        true
    }),
];

/// Explores one problem with one tool, and prints what came of it. loom and shuttle panic at what they find, and
/// may abort as they unwind from a deadlock: so they tell it as the panic begins, in a process of their own.
fn explore_one(problem: &Problem, tool: usize) {
    let begin = Instant::now();
    if tool > 0 {
        std::panic::set_hook(Box::new(move |_| {
            println!("{}", Outcome::now(begin, false).line());
            std::process::exit(0);
        }));
    }
    let is_clean = TOOLS[tool].1(problem);
    println!("{}", Outcome::now(begin, is_clean).line());
}

fn measured(row: usize, tool: usize) -> Result<Outcome, String> {
    let program = std::env::current_exe().map_err(|problem| problem.to_string())?;
    let child = Command::new(program)
        .args([row.to_string(), tool.to_string()])
        .stderr(Stdio::null())
        .output()
        .map_err(|problem| problem.to_string())?;
    let text = String::from_utf8_lossy(&child.stdout);
    Outcome::of_line(&text).ok_or_else(|| format!("{} did not end: {text}", TOOLS[tool].0))
}

fn table() -> Result<(), String> {
    let mut rows = Vec::new();
    println!("| problem | Heddle | | loom | | shuttle, depth first | |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (row, problem) in PROBLEMS.iter().enumerate() {
        let outcomes = [measured(row, 0)?, measured(row, 1)?, measured(row, 2)?];
        let cells = outcomes.map(|outcome| {
            let more = if outcome.executions >= MOST_SHUTTLE as u64 {
                "> "
            } else {
                ""
            };
            format!("{more}{} | {:.1?}", outcome.executions, outcome.time)
        });
        println!("| {} | {} |", problem.name, cells.join(" | "));
        if outcomes
            .iter()
            .any(|outcome| outcome.is_clean != problem.is_correct)
        {
            return Err(format!("{}: the verdicts differ", problem.name));
        }
        let [heddle, loom, shuttle] = outcomes.map(
            |outcome| json!({ "executions": outcome.executions, "seconds": outcome.time.as_secs_f64() }),
        );
        rows.push(
            json!({ "problem": problem.name, "heddle": heddle, "loom": loom, "shuttle": shuttle }),
        );
    }
    std::fs::create_dir_all("target/bench")
        .and_then(|()| std::fs::write("target/bench/explore.json", format!("{:#}\n", json!(rows))))
        .map_err(|problem| format!("target/bench/explore.json: {problem}"))
}

fn main() -> ExitCode {
    let arguments: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse().ok())
        .collect();
    if let [row, tool] = arguments[..]
        && row < PROBLEMS.len()
        && tool < TOOLS.len()
    {
        explore_one(&PROBLEMS[row], tool);
        return ExitCode::SUCCESS;
    }
    match table() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
