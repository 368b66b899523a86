//! Accesses, evaluation order, arithmetic, and the checks that elimination leaves.

use heddle_core::{AccessKind, Event};
use heddle_lang::Program;
use heddle_lang::ir::{AccessId, AccessInfo, Elimination, Expr, ExprKind, Place, Stmt, StmtKind};
use heddle_lang::machine;

use super::{check, check_output, compiled, rendering, rules, run};

#[test]
fn operands_are_read_left_to_right_and_an_index_before_the_value() {
    check(
        "shared x, y, A[4]; A[x] = y + A[y + 1] * x; read A[2]; write A[3]; write x;",
        "read x, read y, read y, read A[1], read x, write A[0], read A[2], write A[3], write x,
         end T0",
    );
}

#[test]
fn short_circuit_operators_skip_reads() {
    check(
        "shared x, y;
         if (x && y) { skip; }
         if (!x || y) { write x; }
         let a = x && y; let b = y || !x;",
        "read x, read x, write x, read x, read y, read x, end T0",
    );
}

#[test]
fn conditions_are_evaluated_before_every_iteration_and_ranges_once() {
    check(
        "shared n = 1; while (n < 3) { n = n + 1; } for i in n..n + 1 { write n; }",
        "read n, read n, write n, read n, read n, write n, read n, read n, read n, write n,
         end T0",
    );
}

#[test]
fn arithmetic_is_that_of_wrapping_64_bit_integers() {
    check_output(
        "let big = 9223372036854775807;
         print big + 1; print -big - 2; print (-big - 1) / -1; print (-big - 1) % -1;
         print -7 / 2; print -7 % 2; print 1 < 2; print 2 <= 1; print 3 != 3; print 4 == 4;
         print 5 > 4; print 5 >= 6; print !5; print !0; print 2 && 3; print 0 || 0;
         let x = 1; x = x && !x || x; print x;",
        &[
            i64::MIN,
            i64::MAX,
            i64::MIN,
            0,
            -3,
            -1,
            1,
            0,
            0,
            1,
            1,
            0,
            0,
            1,
            1,
            0,
            1,
        ],
    );
}

#[test]
fn procedures_have_locals_of_their_own_and_start_them_at_zero() {
    check_output(
        "proc fib(n) { if (n < 2) { return n; } return fib(n - 1) + fib(n - 2); }
         proc dirty(a, b) { let c = 9; let d = 8; return a + b + c + d; }
         proc nothing(a) { if (a) { return 5; } }
         print fib(15); print dirty(1, 2); print nothing(1); print nothing(0);
         print 1000 + dirty(fib(7), nothing(1)) * 2;",
        &[610, 20, 5, 0, 1070],
    );
}

#[test]
fn declarations_come_first() {
    let (events, _) = run(&compiled("shared x, A[3]; lock L, M; event e; lock N;"));
    let declared: Vec<String> = events[..6]
        .iter()
        .map(|event| format!("{event:?}"))
        .collect();
    let starts = [
        "Declare { extent: Extent { start: Location(0), len: 1 }",
        "Declare { extent: Extent { start: Location(1), len: 3 }",
        "DeclareLock { lock: LockId(1)",
        "DeclareLock { lock: LockId(2)",
        "DeclareLock { lock: LockId(3)",
        "DeclareToken { token: TokenId(0)",
    ];
    for (event, start) in declared.iter().zip(starts) {
        assert!(event.starts_with(start), "{event}");
    }
    assert_eq!(events.len(), 7);
}

#[test]
fn an_assertion_that_fails_is_reported_and_the_run_goes_on() {
    check(
        "shared x; assert 1; assert x == 1; write x;",
        "read x, failed @1:21, write x, end T0",
    );
}

#[test]
fn cut_and_print_are_what_they_are() {
    check(
        "cut; isolated { cut; } print 3;",
        "cut, acquire isolated, cut, release isolated, end T0",
    );
    check_output(
        "for i in 0..3 { print i; } for i in 3..0 { print i; }",
        &[0, 1, 2],
    );
}

/// Marks the accesses of these rows.
fn eliminate(program: &mut Program, rows: &[(usize, Elimination)]) {
    for &(row, elimination) in rows {
        program.accesses[row].eliminated = Some(elimination);
    }
}

#[test]
fn an_eliminated_access_is_executed_counted_and_not_delivered() {
    let mut program = compiled(
        "shared x, A[2];
         x = 4;
         for i in 0..2 { A[i] = x + i; }
         let q = new[1];
         q[0] = A[1];
         print q[0];",
    );
    let kinds = [
        Elimination::MainTask,
        Elimination::LoopInvariant,
        Elimination::ReadOnly,
        Elimination::Escape,
        Elimination::ReadWrite,
    ];
    let rows: Vec<_> = kinds.into_iter().enumerate().collect();
    eliminate(&mut program, &rows);
    let (mut events, mut output) = (Vec::new(), Vec::new());
    let counts = machine::run(&program, &mut events, &mut |value| output.push(value));
    rules::assert_well_formed(&program, &events);
    assert_eq!(output, [5]);
    let delivered = rendering::render(&program, &events);
    assert_eq!(delivered, ["alloc 3+1", "bind 3 q", "read q[0]", "end T0"]);
    assert_eq!((counts.accesses, counts.checks), (8, 1));
    assert_eq!(counts.eliminated.iter().sum::<u64>(), 7);
    for elimination in kinds {
        assert!(counts.eliminated_by(elimination) > 0, "{elimination:?}");
    }
}

/// The program with a moved check of `place` behind everything else.
fn with_check(source: &str, kind: AccessKind, place: Place) -> Program {
    let mut program = compiled(source);
    let site = program.main.block[0].site;
    let access = AccessId(program.accesses.len() as u32);
    program.accesses.push(AccessInfo {
        site,
        kind,
        eliminated: Some(Elimination::LoopInvariant),
    });
    let kind = StmtKind::Check { place, access };
    program.main.block.push(Stmt { kind, site });
    program
}

fn element(program: &str, index: i64) -> Program {
    let site = compiled(program).main.block[0].site;
    let index = Box::new(Expr {
        kind: ExprKind::Int(index),
        site,
    });
    let array = heddle_lang::ir::SharedId(0);
    with_check(program, AccessKind::Write, Place::Element { array, index })
}

fn checks(program: &Program) -> (Vec<String>, u64, u64) {
    let mut events: Vec<Event> = Vec::new();
    let counts = machine::run(program, &mut events, &mut |_| {});
    let delivered = rendering::render(program, &events);
    (delivered, counts.accesses, counts.checks)
}

#[test]
fn a_moved_check_is_delivered_and_not_executed() {
    let (delivered, accesses, checked) = checks(&element("shared A[2]; read A[1];", 1));
    assert_eq!(delivered, ["read A[1]", "write A[1]", "end T0"]);
    assert_eq!((accesses, checked), (1, 2));
    let scalar = Place::Scalar(heddle_lang::ir::SharedId(0));
    let program = with_check("shared x; skip;", AccessKind::Read, scalar);
    assert_eq!(checks(&program).0, ["read x", "end T0"]);
}

#[test]
fn a_moved_check_of_a_place_that_does_not_exist_is_left_to_the_access() {
    for index in [-1, 2] {
        let (delivered, _, checked) = checks(&element("shared A[2]; skip;", index));
        assert_eq!(delivered, ["end T0"]);
        assert_eq!(checked, 0);
    }
}

#[test]
fn a_moved_check_of_a_heap_array_follows_its_handle() {
    let source = "let q = new[2]; skip;";
    let program = compiled(source);
    let StmtKind::SetLocal { local: handle, .. } = program.main.block[0].kind else {
        panic!("the first statement binds q");
    };
    let site = program.main.block[0].site;
    for (index, expected) in [(1, Some("read q[1]")), (5, None)] {
        let index = Box::new(Expr {
            kind: ExprKind::Int(index),
            site,
        });
        let program = with_check(source, AccessKind::Read, Place::Heap { handle, index });
        let (delivered, ..) = checks(&program);
        let reads = delivered.iter().map(String::as_str);
        let reads: Vec<&str> = reads.filter(|event| event.starts_with("read")).collect();
        assert_eq!(reads, Vec::from_iter(expected));
    }
}
