//! The machine as its listeners see it.

mod accesses;
mod examples;
mod faults;
mod objects;
mod random;
mod rendering;
mod rules;
mod scale;
mod scheduling;
mod scopes;
mod stuck;
mod waiting;

use heddle_core::Event;
use heddle_lang::{Program, compile, machine};

/// The checked form of a program that has no static errors.
fn compiled(source: &str) -> Program {
    match compile("test.task", source) {
        Ok(program) => program,
        Err(diagnostics) => panic!("{source}\n{}", diagnostics[0]),
    }
}

/// Every event of a run, which must be well formed, and what it printed.
fn run(program: &Program) -> (Vec<Event>, Vec<i64>) {
    let (mut events, mut output) = (Vec::new(), Vec::new());
    machine::run(program, &mut events, &mut |value| output.push(value));
    rules::assert_well_formed(program, &events);
    (events, output)
}

/// Asserts what the program's run looks like; see [`rendering`].
#[track_caller]
fn check(source: &str, expected: &str) {
    let program = compiled(source);
    let (events, _) = run(&program);
    let found = rendering::render(&program, &events);
    let expected: Vec<&str> = expected.split(',').map(str::trim).collect();
    assert_eq!(found, expected, "\nfound: {}\n", found.join(", "));
}

/// Asserts what the program prints.
#[track_caller]
fn check_output(source: &str, expected: &[i64]) {
    let (_, output) = run(&compiled(source));
    assert_eq!(output, expected);
}
