//! Programs made to exhaust the stack or the patience of check elimination. Each runs in a thread
//! with a quarter of the usual stack.

use heddle_lang::compile;
use heddle_lang::eliminate::{Eliminations, eliminate};
use std::fmt::Write;
use std::time::{Duration, Instant};

const STACK: usize = 512 * 1024;

/// Accesses of the program and how many of them keep their check.
fn eliminated(source: String) -> (usize, usize) {
    let worker = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let mut program = compile("test.task", &source).unwrap_or_else(|e| panic!("{e:?}"));
            let accesses = program.accesses.len();
            let started = Instant::now();
            eliminate(&mut program, Eliminations::all());
            assert!(started.elapsed() < Duration::from_secs(20));
            let left = program
                .accesses
                .iter()
                .filter(|info| info.eliminated.is_none());
            (accesses, left.count())
        });
    worker.expect("a thread").join().expect("no panic")
}

fn text(write: impl FnOnce(&mut String) -> std::fmt::Result) -> String {
    let mut text = String::new();
    write(&mut text).expect("memory");
    text
}

#[test]
fn deeply_nested_loops_take_no_longer_than_their_text() {
    let depth = 180;
    let source = text(|out| {
        write!(out, "shared x, A[9]; finish {{ async {{ let v = 0; ")?;
        for level in 0..depth {
            write!(out, "for i{level} in 0..2 {{ write A[v]; ")?;
        }
        write!(out, "x = v; v = 1;")?;
        write!(out, "{} }} }}", "}".repeat(depth))
    });
    // The index changes in every loop, and a bad one would keep `x` from being written.
    assert_eq!(eliminated(source), (depth + 1, depth + 1));
}

#[test]
fn deeply_nested_tasks_and_branches_are_no_harm() {
    let source = format!(
        "shared x; let v = 1; {} x = v; {}",
        "async { if (v) {".repeat(90),
        "} }".repeat(90)
    );
    assert_eq!(eliminated(source), (1, 1));
}

#[test]
fn long_expressions_are_no_harm() {
    let source = format!(
        "shared x, y; finish {{ async {{ y = {} x; }} }}",
        "x + ".repeat(150)
    );
    assert_eq!(eliminated(source), (152, 1));
}

#[test]
fn many_procedures_that_call_each_other_are_settled() {
    let many = 1500;
    let source = text(|out| {
        write!(out, "shared x; lock L; ")?;
        for row in 0..many {
            let next = (row + 1) % many;
            write!(
                out,
                "proc p{row}(a, b) {{ acquire L; x = a; p{next}(b, a); }} "
            )?;
        }
        write!(out, "async {{ p0(1, new[2]); }}")
    });
    assert_eq!(eliminated(source), (many, many));
}

#[test]
fn many_locations_and_branches_are_no_harm() {
    let many = 3000;
    let source = text(|out| {
        writeln!(out, "shared A[{many}]; finish {{ async {{ let v = 1;")?;
        for row in 0..many {
            writeln!(out, "A[{row}] = v; if (v) {{ read A[{row}]; }}")?;
        }
        write!(out, "}} }}")
    });
    let (accesses, left) = eliminated(source);
    assert_eq!(accesses, 2 * many);
    assert!(left < accesses, "{left} of {accesses}");
}

#[test]
fn long_chains_of_copies_are_settled() {
    let many = 3000;
    let source = text(|out| {
        writeln!(out, "finish {{ async {{ let v0 = new[1]; let w0 = 0;")?;
        for row in 1..many {
            writeln!(out, "let v{row} = v{}; let w{row} = 0;", row - 1)?;
        }
        for row in 1..many {
            writeln!(out, "w{} = w{row};", row - 1)?;
        }
        write!(
            out,
            "w{} = v0; v{}[0] = 1; async {{ read w0[0]; }} }} }}",
            many - 1,
            many - 1
        )
    });
    assert_eq!(eliminated(source), (2, 2));
}
