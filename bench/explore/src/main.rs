//! `cargo xtask bench explore`: classic problems, explored by Heddle, loom and shuttle (depth first).
//!
//! All three must come to the same verdict, else the benchmark fails. Executions are complete or
//! partial runs of the program; times are of one exploration each, on this machine, one after the other.

mod heddles;
mod threads;

use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs of shuttle end here; it then says nothing.
const MOST_SHUTTLE: usize = 2_000_000;

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
struct Outcome {
    executions: u64,
    time: Duration,
    is_clean: bool,
}

/// loom and shuttle want what lives for ever.
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

fn measure(explore: impl FnOnce() -> bool) -> Outcome {
    EXECUTIONS.store(0, Ordering::Relaxed);
    let begin = Instant::now();
    let is_clean = explore();
    Outcome {
        executions: EXECUTIONS.load(Ordering::Relaxed),
        time: begin.elapsed(),
        is_clean,
    }
}

fn counted(body: fn()) -> impl Fn() + Copy + Send + Sync + 'static {
    move || {
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        body();
    }
}

fn by_heddle(problem: &Problem) -> Outcome {
    let body = counted(problem.heddle);
    measure(|| heddle::explore(body).is_clean())
}

fn by_loom(problem: &Problem) -> Outcome {
    let body = counted(problem.loom);
    measure(|| catch_unwind(AssertUnwindSafe(|| loom::model(body))).is_ok())
}

fn by_shuttle(problem: &Problem) -> Outcome {
    let body = counted(problem.shuttle);
    let explore = || shuttle::check_dfs(body, Some(MOST_SHUTTLE));
    measure(|| catch_unwind(AssertUnwindSafe(explore)).is_ok())
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| ()));
    let mut rows = Vec::new();
    let mut agree = true;
    println!("| problem | Heddle | | loom | | shuttle, depth first | |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for problem in &PROBLEMS {
        let outcomes = [by_heddle(problem), by_loom(problem), by_shuttle(problem)];
        let cells = outcomes
            .each_ref()
            .map(|outcome| format!("{} | {:.1?}", outcome.executions, outcome.time));
        println!("| {} | {} |", problem.name, cells.join(" | "));
        agree &= outcomes
            .iter()
            .all(|outcome| outcome.is_clean == problem.is_correct);
        let figures = |outcome: &Outcome| json!({ "executions": outcome.executions, "seconds": outcome.time.as_secs_f64() });
        let [heddle, loom, shuttle] = outcomes.each_ref().map(figures);
        rows.push(
            json!({ "problem": problem.name, "heddle": heddle, "loom": loom, "shuttle": shuttle }),
        );
    }
    let written = std::fs::create_dir_all("target/bench")
        .and_then(|()| std::fs::write("target/bench/explore.json", format!("{:#}\n", json!(rows))));
    match (agree, written) {
        (true, Ok(())) => ExitCode::SUCCESS,
        (false, _) => {
            eprintln!("the verdicts differ");
            ExitCode::FAILURE
        }
        (_, Err(problem)) => {
            eprintln!("target/bench/explore.json: {problem}");
            ExitCode::FAILURE
        }
    }
}
