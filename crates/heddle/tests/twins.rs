//! A random program, once as `.task` and once in Rust: both explorations find the same.

use heddle::{Explorer, Mutex, Reduction, SharedVec, finish, isolated};
use heddle_explore::{Settings, Verdict, explore};
use heddle_lang::TaskProgram;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// Shared variables `A[0] .. A[2]`.
const VARIABLES: usize = 3;
/// Locks `L0`, `L1`.
const LOCKS: usize = 2;

#[derive(Clone, Debug)]
enum Statement {
    /// `A[to] = A[from] + add`.
    Set(usize, usize, i64),
    /// Only if `A[at]` is this.
    If(usize, i64, Vec<Statement>),
    Isolated(Vec<Statement>),
    With(usize, Vec<Statement>),
    /// `assert A[at] < bound`.
    Assert(usize, i64),
}

type Tasks = Vec<Vec<Statement>>;

fn text(tasks: &Tasks) -> String {
    let mut text = format!("shared A[{VARIABLES}];\nlock L0, L1;\nfinish {{\n");
    for body in tasks {
        text.push_str("async {\n");
        body.iter()
            .for_each(|statement| print(statement, &mut text));
        text.push_str("}\n");
    }
    text + "}\n"
}

fn print(statement: &Statement, text: &mut String) {
    let mut block = |head: String, body: &[Statement]| {
        let _ = writeln!(text, "{head} {{");
        body.iter().for_each(|inner| print(inner, text));
        text.push_str("}\n");
    };
    match statement {
        Statement::Set(to, from, add) => {
            let _ = writeln!(text, "A[{to}] = A[{from}] + {add};");
        }
        Statement::If(at, is, body) => block(format!("if (A[{at}] == {is})"), body),
        Statement::Isolated(body) => block("isolated".into(), body),
        Statement::With(lock, body) => block(format!("with L{lock}"), body),
        Statement::Assert(at, bound) => {
            let _ = writeln!(text, "assert A[{at}] < {bound};");
        }
    }
}

struct World {
    values: SharedVec<i64>,
    locks: [Mutex<()>; LOCKS],
}

fn run(body: &[Statement], world: &World) {
    for statement in body {
        match statement {
            Statement::Set(to, from, add) => {
                let value = world.values.get(*from);
                world.values.set(*to, value + add);
            }
            Statement::If(at, is, body) => {
                if world.values.get(*at) == *is {
                    run(body, world);
                }
            }
            Statement::Isolated(body) => isolated(|| run(body, world)),
            Statement::With(lock, body) => {
                let _held = world.locks[*lock].lock();
                run(body, world);
            }
            Statement::Assert(at, bound) => {
                // Assertions of `.task` do not end their task.
                let holds = world.values.get(*at) < *bound;
                let _ = std::panic::catch_unwind(|| assert!(holds));
            }
        }
    }
}

fn in_rust(tasks: &Tasks, reduction: Reduction) -> BTreeSet<String> {
    let exploration = Explorer::new().reduction(reduction).explore(|| {
        let world = World {
            values: SharedVec::new(VARIABLES, 0).named("A"),
            locks: [Mutex::new(()), Mutex::new(())],
        };
        finish(|s| {
            for body in tasks {
                let world = &world;
                s.spawn(move |_| run(body, world));
            }
        });
    });
    assert!(exploration.is_complete());
    let found = exploration.findings().iter();
    let found = found.map(|found| match &found.finding.location {
        Some(location) => format!("race {location}"),
        None => format!("{:?}", found.finding.kind).to_lowercase(),
    });
    found.collect()
}

fn in_task(tasks: &Tasks) -> BTreeSet<String> {
    let program = heddle_lang::compile("twin", &text(tasks)).expect("it is well formed");
    let program = TaskProgram::new(&program);
    let stop = AtomicBool::new(false);
    let summary = explore(&program, &Settings::default(), &stop, &mut ());
    assert!(summary.is_complete());
    let found = summary.found.into_iter().map(|found| match found.verdict {
        Verdict::Race(race) => format!("race A[{}]", race.location),
        Verdict::Assertion { .. } => "assertion".into(),
        Verdict::Deadlock { .. } => "deadlock".into(),
        Verdict::Fault { .. } => "fault".into(),
    });
    found.collect()
}

fn simple() -> impl Strategy<Value = Statement> {
    prop_oneof![
        4 => (0..VARIABLES, 0..VARIABLES, 0..2i64).prop_map(|(to, from, add)| Statement::Set(to, from, add)),
        1 => (0..VARIABLES, 1..3i64).prop_map(|(at, bound)| Statement::Assert(at, bound)),
    ]
}

fn body(depth: u32) -> BoxedStrategy<Vec<Statement>> {
    let inner = match depth {
        0 => prop::collection::vec(simple(), 1..3).boxed(),
        _ => body(depth - 1),
    };
    // A lock that is held already is not taken again: see `without_repeats`.
    let statement = prop_oneof![
        1 => simple(),
        2 => (0..VARIABLES, 0..2i64, inner.clone()).prop_map(|(at, is, body)| Statement::If(at, is, body)),
        4 => inner.clone().prop_map(Statement::Isolated),
        4 => (0..LOCKS, inner).prop_map(|(lock, body)| Statement::With(lock, body)),
    ];
    prop::collection::vec(statement, 1..3).boxed()
}

/// Taking a lock again is an error in one language and a deadlock in the other.
fn without_repeats(body: Vec<Statement>, held: &mut Vec<usize>) -> Vec<Statement> {
    let inner = |body, held: &mut Vec<usize>| without_repeats(body, held);
    let statements = body.into_iter().flat_map(|statement| match statement {
        Statement::With(lock, body) if held.contains(&lock) => inner(body, held),
        Statement::With(lock, body) => {
            held.push(lock);
            let body = inner(body, held);
            held.pop();
            vec![Statement::With(lock, body)]
        }
        Statement::If(at, is, body) => vec![Statement::If(at, is, inner(body, held))],
        Statement::Isolated(body) => vec![Statement::Isolated(inner(body, held))],
        other => vec![other],
    });
    statements.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn both_find_the_same(tasks in prop::collection::vec(body(1), 2..4)) {
        let tasks: Tasks = tasks.into_iter().map(|body| without_repeats(body, &mut Vec::new())).collect();
        let expected = in_task(&tasks);
        let found = in_rust(&tasks, Reduction::Dpor);
        // What a program with a race does after it depends on the order of accesses, which is none.
        let races = |found: &BTreeSet<String>| found.iter().any(|one| one.starts_with("race"));
        prop_assert_eq!(races(&found), races(&expected), "{}", text(&tasks));
        if !races(&expected) {
            prop_assert_eq!(&found, &expected, "{}", text(&tasks));
        }
    }
}
