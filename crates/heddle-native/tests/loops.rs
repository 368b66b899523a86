//! Loops drawn at random touch what they touch, at any level of optimisation: two of them in parallel race
//! exactly where a simulation of both says so, and the report names lines that touch what it names.
//!
//! The compiler unrolls and vectorises loops, and a check of a whole range may stand for checks of its
//! elements. None of that may show.

#[path = "loops/code.rs"]
mod code;
#[path = "loops/compare.rs"]
mod compare;
#[path = "loops/draw.rs"]
mod draw;
mod harness;
#[path = "loops/oracle.rs"]
mod oracle;
#[path = "loops/program.rs"]
mod program;

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use compare::{Complaint, complaints, racy};
use program::Program;
use serde_json::Value;

const FUNCTIONS: usize = 42;
const PAIRS: usize = 300;

/// Levels of optimisation, and numbers of threads.
const RUNS: [[&str; 2]; 4] = [["-O0", "2"], ["-O1", "1"], ["-O2", "2"], ["-O3", "1"]];

#[test]
fn two_loops_race_where_a_simulation_says_so_at_any_level() {
    let dir = harness::scratch("loops");
    harness::tool();
    let (seeds, failures) = (Mutex::new(seeds()), Mutex::new(Vec::new()));
    let next = || seeds.lock().expect("no worker panics").next();
    let worker = || {
        while let Some(seed) = next() {
            let found = failures_of(&dir, seed);
            failures.lock().expect("no worker panics").extend(found);
        }
    };
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    let failures = failures.into_inner().expect("no worker panics");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_loop_of_one_iteration_more_or_less_is_noticed() {
    let dir = harness::scratch("loops-wrong");
    let program = Program::draw(3, FUNCTIONS, PAIRS);
    let report = report(&dir, "right", ["-O2", "1"], &program);
    assert_eq!(complaints(&program, &report), []);
    for by in [-1, 1] {
        let mut wrong = program.clone();
        wrong.pairs.iter_mut().for_each(|pair| pair[0].to += by);
        let all = 0..program.pairs.len();
        let differ: Vec<_> = all
            .filter(|pair| racy(&wrong, *pair) != racy(&program, *pair))
            .collect();
        let found = complaints(&wrong, &report);
        let noticed = |pair: &&usize| found.iter().any(|one| one.pair == Some(**pair));
        let noticed = differ.iter().filter(noticed).count();
        // A change inside eight bytes of which another is racy anyway does not show.
        assert!(noticed > 10 && noticed * 4 > differ.len() * 3);
    }
}

/// The seeds to try; `HEDDLE_SEEDS=100..200` tries others.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("HEDDLE_SEEDS").ok();
    let asked = asked.as_deref().and_then(|text| text.split_once(".."));
    let number = |text: &str| text.parse().expect("HEDDLE_SEEDS is FIRST..END");
    asked.map_or(1..5, |(first, end)| number(first)..number(end))
}

/// What is wrong about the program that is drawn with this seed.
fn failures_of(dir: &Path, seed: u64) -> Vec<String> {
    let program = Program::draw(seed, FUNCTIONS, PAIRS);
    let all = program.pairs.len();
    let races = (0..all).filter(|pair| !racy(&program, *pair).is_empty());
    let races = races.count();
    if races < all / 8 || races > all / 2 {
        return vec![format!("seed {seed}: {races} of {all} pairs race")];
    }
    let told = RUNS.iter().filter_map(|run| {
        let name = format!("{seed}{}", run[0]);
        let found = complaints(&program, &report(dir, &name, *run, &program));
        let told = told(&program, &found)?;
        Some(format!("seed {seed}, {run:?}: {told}"))
    });
    told.collect()
}

/// The report on a program, compiled at this level and run with this many threads.
fn report(dir: &Path, name: &str, [level, threads]: [&str; 2], program: &Program) -> Value {
    let flags = ["--compiler=clang-22", "-fopenmp", "-w", level];
    let built = harness::compiled(dir, name, &flags, &program.text());
    let file = dir.join(format!("{name}.json"));
    let mut command = harness::run(&["--format", "json", "--max-findings", "0", "--threads"]);
    command.arg(threads).arg("--output").arg(&file);
    // Every element is compared.
    command.env("HEDDLE_OPTIONS", "locations=apart");
    let output = harness::finished(command.arg("--").arg(built));
    let report = harness::report(&file);
    report.unwrap_or_else(|error| panic!("{error}: {}", harness::all(&output)))
}

/// The first of the complaints, with a program of nothing but the pair that it is about.
fn told(program: &Program, found: &[Complaint]) -> Option<String> {
    let Complaint { pair, text } = found.first()?;
    let about = pair.map(|pair| program.only(pair).text());
    let (count, about) = (found.len(), about.unwrap_or_default());
    Some(format!("{count} complaints, first: {text}\n{about}"))
}
