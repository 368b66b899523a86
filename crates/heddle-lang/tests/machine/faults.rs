//! What stops a run, and where it is blamed.

use heddle_core::{Event, FaultKind};

use super::{check, compiled, run};

#[test]
fn a_fault_ends_the_run_where_it_happens() {
    check(
        "shared x; async { x = 1; x = 2 / (x - 1); } x = 3;",
        "async T1 in F0, begin T1, write x, read x, DivisionByZero @1:30",
    );
    check("let a = 1; print 5 % (a - 1);", "DivisionByZero @1:18");
}

#[test]
fn an_index_out_of_range_is_a_fault_at_the_mention() {
    check(
        "shared A[3]; let i = -1; read A[2]; A[i + 4] = 1;",
        "read A[2], IndexOutOfRange { index: 3; len: 3 } @1:37",
    );
    check(
        "let q = new[1]; print 1 + q[0 - 1];",
        "alloc 0+1, bind 0 q, IndexOutOfRange { index: -1; len: 1 } @1:27",
    );
}

#[test]
fn an_absurd_length_is_a_fault() {
    check("let q = new[0 - 3];", "BadLength { len: -3 } @1:9");
    check(
        "let q = new[9000000000000000000];",
        "BadLength { len: 9000000000000000000 } @1:9",
    );
}

#[test]
fn locks_are_not_reentrant_and_belong_to_their_holder() {
    check(
        "lock L; acquire L; with L { skip; }",
        "acquire L, LockAlreadyHeld { lock: LockId(1) } @1:20",
    );
    check(
        "lock K, L; release L;",
        "LockNotHeld { lock: LockId(2) } @1:12",
    );
    check(
        "lock L; acquire L; async { release L; }",
        "acquire L, async T1 in F0, begin T1, LockNotHeld { lock: LockId(1) } @1:28",
    );
}

#[test]
fn a_task_must_not_end_with_a_lock() {
    check(
        "lock L;
         async { acquire L; if (1) { return; } }",
        "async T1 in F0, begin T1, acquire L, LockHeldAtEnd { lock: LockId(1) } @2:48",
    );
    check(
        "lock L; async { skip; } acquire L; async { with L { skip; } }",
        "async T1 in F0, begin T1, end T1, resume T0, acquire L,
         async T2 in F0, begin T2, resume T0, LockHeldAtEnd { lock: LockId(1) } @1:62",
    );
}

#[test]
fn an_event_is_satisfied_once() {
    check(
        "event e; satisfy e; satisfy e;",
        "signal e, AlreadySatisfied { token: TokenId(0) } @1:21",
    );
}

#[test]
fn task_operations_in_isolated_are_caught_behind_a_call() {
    for (operation, column) in [
        ("async { skip; }", 1),
        ("spawn { skip; }", 1),
        ("task t { skip; }", 1),
        ("post r { skip; }", 1),
        ("future g { skip; }", 1),
        ("finish { skip; }", 1),
        ("sync;", 1),
        ("satisfy e;", 1),
        ("await r;", 1),
        ("ewait r;", 1),
        ("let v = get(f);", 9),
    ] {
        check(
            &format!(
                "region r; event e; proc p(f) {{
{operation}
                 }}
                 future f {{ return 1; }}
                 isolated {{ p(f); }}"
            ),
            &format!(
                "future T1 f in F0, begin T1, end T1, resume T0, acquire isolated,
                 TaskOperationInIsolated @2:{column}"
            ),
        );
    }
}

#[test]
fn an_operand_of_the_wrong_sort_is_blamed_itself() {
    for (statement, column) in [
        ("print 1 + q;", 11),
        ("print q * 1;", 7),
        ("print -q;", 8),
        ("print q;", 7),
        ("assert q;", 8),
        ("if (q) { skip; }", 5),
        ("while (1 && q) { skip; }", 13),
        ("if (1 < q) { skip; }", 9),
        ("for i in q..2 { skip; }", 10),
        ("for i in 0..q { skip; }", 13),
        ("x = q;", 5),
        ("q[q] = 1;", 3),
        ("q[0] = q;", 8),
        ("print q[q];", 9),
        ("read q[q];", 8),
        ("let p = new[q];", 13),
    ] {
        check(
            &format!("shared x; let q = new[1];\n{statement}"),
            &format!("alloc 1+1, bind 1 q, WrongValue(NotAnInteger) @2:{column}"),
        );
    }
}

#[test]
fn a_dependence_on_something_that_is_no_task_is_blamed_by_name() {
    let program = compiled("proc p(a) { task t after a { skip; } } p(1);");
    let (events, _) = run(&program);
    let Some(&Event::Fault { site, message }) = events.last() else {
        panic!("{events:?}");
    };
    let FaultKind::NoSuchTask { name } = message else {
        panic!("{message:?}");
    };
    assert_eq!(program.legend.name(name), Some("a"));
    assert_eq!(program.legend.site(site).map(|site| site.column), Some(26));
}

#[test]
fn handles_are_not_interchangeable() {
    check("let a = 1; print a[0];", "WrongValue(NotAnArray) @1:18");
    check("let a = 1; print get(a);", "WrongValue(NotAFuture) @1:18");
}

#[test]
fn endless_recursion_stops_at_the_limit() {
    let program = compiled("proc p(n) { p(n + 1); } p(0);");
    let (events, _) = run(&program);
    let last = format!("{:?}", events.last());
    assert!(last.contains("LimitReached"), "{last}");
}

#[test]
fn endless_allocation_stops_at_the_limit() {
    let program = compiled(
        "proc hold(a) { hold(new[1000000]); }
         hold(0);",
    );
    let (events, _) = run(&program);
    let last = format!("{:?}", events.last());
    assert!(last.contains("LimitReached"), "{last}");
}

#[test]
fn more_shared_memory_than_there_can_be_stops_the_run_at_its_start() {
    let mut program = compiled("shared A[10]; read A[0];");
    program.shared[0].len = u64::MAX;
    let (events, _) = run(&program);
    assert_eq!(events.len(), 2);
    let last = format!("{:?}", events.last());
    assert!(last.contains("LimitReached"), "{last}");
}
