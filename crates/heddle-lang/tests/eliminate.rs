//! Which checks each elimination drops, and where it must not: tiny programs, one rule each.

use heddle_core::AccessKind;
use heddle_lang::compile;
use heddle_lang::eliminate::{Counts, Eliminations, UnknownElimination, eliminate};
use heddle_lang::ir::{Elimination, Program};

/// The program with these eliminations applied.
fn apply(source: &str, names: &[&str]) -> (Program, Counts) {
    let mut program = compile("test.task", source).unwrap_or_else(|errors| panic!("{errors:?}"));
    let which = Eliminations::from_names(names.iter().copied()).expect("known names");
    let counts = eliminate(&mut program, which);
    (program, counts)
}

/// The checks left, in source order, as `read x`; those moved in front of a loop as `moved read x`.
fn left(source: &str, names: &[&str]) -> Vec<String> {
    let all = apply(source, &[]).0.accesses.len();
    let (program, _) = apply(source, names);
    let mut checks: Vec<_> = program
        .accesses
        .iter()
        .enumerate()
        .filter(|(_, info)| info.eliminated.is_none())
        .map(|(row, info)| {
            let site = program
                .legend
                .site(info.site)
                .expect("a site of the source");
            let text = text_at(source, site);
            let verb = match info.kind {
                AccessKind::Read => "read",
                AccessKind::Write => "write",
            };
            let moved = if row < all { "" } else { "moved " };
            (site, format!("{moved}{verb} {text}"))
        })
        .collect();
    checks.sort();
    checks.into_iter().map(|(_, text)| text).collect()
}

fn text_at(source: &str, site: heddle_core::Site) -> String {
    let line = source.lines().nth(site.line as usize - 1).expect("a line");
    let width = (site.end_column - site.column) as usize;
    line.chars()
        .skip(site.column as usize - 1)
        .take(width)
        .collect()
}

/// Checks left in a task that runs beside a copy of itself.
fn left_in_task(declarations: &str, body: &str, names: &[&str]) -> Vec<String> {
    let source = format!("{declarations}\nfinish {{ for k in 0..2 {{ async {{\n{body}\n}} }} }}");
    left(&source, names)
}

const NOTHING: [&str; 0] = [];

mod figures {
    use super::*;

    const FIGURE_8: &str = include_str!("../../../examples/000-fig8-checks.task");

    fn left_after(steps: usize) -> Vec<String> {
        let names = Elimination::ALL.map(Elimination::name);
        left(FIGURE_8, &names[..steps])
    }

    #[test]
    fn figure_8_checks_every_access() {
        let all = [
            "write p",
            "write p",
            "read A[ind]",
            "read B[ind]",
            "write q[0]",
            "read p",
            "write B[j]",
            "read q[1]",
        ];
        assert_eq!(left_after(0), all);
    }

    #[test]
    fn figure_9_main_task() {
        let all = [
            "write p",
            "read A[ind]",
            "read B[ind]",
            "write q[0]",
            "read p",
            "write B[j]",
            "read q[1]",
        ];
        assert_eq!(left_after(1), all);
    }

    #[test]
    fn figure_10_read_only() {
        let all = [
            "write p",
            "read B[ind]",
            "write q[0]",
            "read p",
            "write B[j]",
            "read q[1]",
        ];
        assert_eq!(left_after(2), all);
    }

    #[test]
    fn figure_11_escape() {
        assert_eq!(
            left_after(3),
            ["write p", "read B[ind]", "read p", "write B[j]"]
        );
    }

    #[test]
    fn figure_12_loop_invariant() {
        assert_eq!(
            left_after(4),
            ["write p", "read B[ind]", "moved read p", "write B[j]"]
        );
    }

    #[test]
    fn figure_13_read_write() {
        assert_eq!(left_after(5), ["write p", "read B[ind]", "write B[j]"]);
    }

    #[test]
    fn each_elimination_is_counted() {
        let (_, counts) = apply(FIGURE_8, &Elimination::ALL.map(Elimination::name));
        let each = Elimination::ALL.map(|elimination| counts.get(elimination));
        assert_eq!(each, [1, 1, 2, 1, 1]);
        assert_eq!(counts.total(), 6);
    }
}

mod sets {
    use super::*;

    #[test]
    fn a_set_is_what_its_names_say() {
        let set = Eliminations::from_names(["escape", "main-task"]).expect("known names");
        let members: Vec<_> = set.iter().collect();
        assert_eq!(members, [Elimination::MainTask, Elimination::Escape]);
        assert_eq!(
            set.without(Elimination::Escape).with(Elimination::Escape),
            set
        );
        assert_eq!(Eliminations::all().iter().count(), 5);
        assert_eq!(Eliminations::none().iter().count(), 0);
    }

    #[test]
    fn an_unknown_name_is_told() {
        let unknown = Eliminations::from_names(["escape", "magic"]);
        assert_eq!(unknown, Err(UnknownElimination("magic".to_owned())));
        let text = unknown.expect_err("unknown").to_string();
        assert!(
            text.contains("`magic`") && text.contains("read-write"),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_dropped_in_a_program_with_transactions() {
        let source = "shared x; x = 1; cut; x = 2; finish { async { x = 3; cut; x = x + 1; } }";
        let all = Elimination::ALL.map(Elimination::name);
        assert_eq!(left(source, &all), left(source, &[]));
    }

    #[test]
    fn atomic_locations_keep_every_check() {
        let body = "x = x + 1; x = 2; y = y + 1; for i in 0..3 { read x; read A[0]; }";
        let declarations = "shared x, y, A[2]; atomic x; atomic A; x = 0; y = 0;";
        let all = Elimination::ALL.map(Elimination::name);
        assert_eq!(
            left_in_task(declarations, body, &all),
            [
                "write x",
                "write x",
                "read x",
                "write x",
                "write y",
                "read x",
                "read A[0]"
            ]
        );
    }
}

mod main_task {
    use super::*;

    fn kept(source: &str) -> Vec<String> {
        left(source, &["main-task"])
    }

    #[test]
    fn code_before_the_first_task_and_after_its_finish_is_sequential() {
        let source = "shared x, y; x = 1; finish { x = 2; async { y = 1; } x = 3; } x = y;";
        assert_eq!(kept(source), ["write y", "write x"]);
    }

    #[test]
    fn a_task_outside_any_finish_lives_on() {
        let source =
            "shared x, y; x = 1; async { y = 1; } x = 2; finish { async { skip; } } x = 3;";
        assert_eq!(kept(source), ["write y", "write x", "write x"]);
    }

    #[test]
    fn a_finish_joins_tasks_created_by_its_tasks() {
        let source = "shared x; finish { async { async { x = 1; } } } x = 2;";
        assert_eq!(kept(source), ["write x"]);
    }

    #[test]
    fn an_inner_finish_does_not_join_the_outer_ones_tasks() {
        let source =
            "shared x, y; finish { async { y = 1; } finish { async { y = 2; } } x = 1; } x = 2;";
        assert_eq!(kept(source), ["write y", "write y", "write x"]);
    }

    #[test]
    fn a_later_iteration_runs_beside_tasks_of_earlier_ones() {
        let source = "shared x; finish { for i in 0..2 { x = 1; async { skip; } } } x = 2;";
        assert_eq!(kept(source), ["write x"]);
    }

    #[test]
    fn iterations_that_finish_their_tasks_stay_sequential() {
        let source = "shared x, y; for i in 0..2 { x = y; finish { async { y = 1; } } }";
        assert_eq!(kept(source), ["write y"]);
    }

    #[test]
    fn sync_joins_spawned_children_but_not_other_tasks() {
        let joined = "shared x; spawn { x = 1; } sync; x = 2;";
        assert_eq!(kept(joined), ["write x"]);
        let other = "shared x; async { x = 1; } spawn { skip; } sync; x = 2;";
        assert_eq!(kept(other), ["write x", "write x"]);
    }

    #[test]
    fn a_finish_does_not_join_children_spawned_before_it() {
        let source =
            "shared x, y; spawn { y = 1; } finish { spawn { y = 2; } } x = 1; sync; x = 2;";
        assert_eq!(kept(source), ["write y", "write y", "write x"]);
    }

    #[test]
    fn a_sync_inside_a_finish_is_not_relied_on() {
        let source = "shared x, y; spawn { y = 1; } finish { sync; } x = 1;";
        assert_eq!(kept(source), ["write y", "write x"]);
    }

    #[test]
    fn a_future_that_was_got_may_have_left_tasks() {
        let source = "shared x, y; future f { async { y = 1; } return 1; } let v = get(f); x = v;";
        assert_eq!(kept(source), ["write y", "write x"]);
    }

    #[test]
    fn posted_and_dependent_tasks_live_on() {
        let posted = "shared x; region r; post r { skip; } await r; x = 1;";
        assert_eq!(kept(posted), ["write x"]);
        let dependent = "shared x; event e; satisfy e; task T after e { skip; } x = 1;";
        assert_eq!(kept(dependent), ["write x"]);
    }

    #[test]
    fn a_task_created_on_one_way_may_live() {
        let source = "shared x, c; if (c) { async { skip; } } x = 1;";
        assert_eq!(kept(source), ["write x"]);
    }

    #[test]
    fn a_procedure_called_only_from_sequential_code_is_sequential() {
        let source = "shared x; proc p() { x = 1; q(); } proc q() { x = 2; } p(); finish { async { skip; } } p();";
        assert_eq!(kept(source), NOTHING);
    }

    #[test]
    fn a_procedure_called_from_parallel_code_is_parallel_with_all_it_calls() {
        let source = "shared x; proc p() { x = 1; q(); } proc q() { x = 2; } p(); async { p(); }";
        assert_eq!(kept(source), ["write x", "write x"]);
    }

    #[test]
    fn a_spawned_procedure_is_parallel() {
        let source = "shared x; proc p() { x = 1; } spawn p(); sync; x = 2;";
        assert_eq!(kept(source), ["write x"]);
    }

    #[test]
    fn a_call_may_leave_tasks_behind() {
        let source = "shared x, y; proc p() { async { y = 1; } } x = 1; p(); x = 2;";
        assert_eq!(kept(source), ["write y", "write x"]);
        let inside = "shared x, y; proc p() { async { y = 1; } } finish { p(); } x = 2;";
        assert_eq!(kept(inside), ["write y"]);
        let joined = "shared x, y; proc p() { finish { async { y = 1; } } } p(); x = 2;";
        assert_eq!(kept(joined), ["write y"]);
    }

    #[test]
    fn children_of_a_procedure_end_with_it() {
        let source = "shared x, y; proc p() { spawn { y = 1; } x = 1; } p(); x = 2;";
        assert_eq!(kept(source), ["write y", "write x"]);
    }

    #[test]
    fn a_call_within_an_expression_counts_from_there_on() {
        let source = "shared x, y, z; proc p() { async { skip; } return 1; } z = x + p() + y;";
        assert_eq!(kept(source), ["write z", "read y"]);
    }

    #[test]
    fn recursion_that_leaves_tasks_is_parallel_from_the_call_on() {
        let source = "shared x, y; proc p(n) { x = n; if (n > 0) { async { skip; } p(n - 1); } } y = 1; p(3); y = 2;";
        assert_eq!(kept(source), ["write x", "write y"]);
    }
}

mod read_only {
    use super::*;

    fn kept(source: &str) -> Vec<String> {
        left(source, &["read-only"])
    }

    #[test]
    fn reads_of_what_only_sequential_code_writes_need_no_check() {
        let source = "shared A[4], s; A[1] = 7; finish { async { s = A[1] + A[2]; } } A[1] = s;";
        assert_eq!(
            kept(source),
            ["write A[1]", "write s", "write A[1]", "read s"]
        );
    }

    #[test]
    fn a_parallel_write_keeps_every_read() {
        let source = "shared A[4]; finish { async { A[0] = 1; } async { read A[3]; } }";
        assert_eq!(kept(source), ["write A[0]", "read A[3]"]);
    }

    #[test]
    fn a_write_in_a_procedure_called_in_parallel_counts() {
        let source = "shared x; proc p() { write x; } p(); finish { async { p(); } read x; }";
        assert_eq!(kept(source), ["write x", "read x"]);
    }

    #[test]
    fn reads_under_locks_too() {
        let source = "shared x, y; lock L; x = 1; finish { async { with L { y = x; } } }";
        assert_eq!(kept(source), ["write x", "write y"]);
    }

    #[test]
    fn but_not_reads_that_can_receive_a_hand_off() {
        let source =
            "shared x, y; lock L; with L { x = 1; } finish { async { with L { y = x; } } }";
        assert_eq!(kept(source), ["write x", "write y", "read x"]);
    }
}

mod escape {
    use super::*;

    fn kept(body: &str) -> Vec<String> {
        let procs = "proc touch(a) { a[0] = 1; } proc hand(a) { async { read a[0]; } } \
                     proc same(a) { return a; } proc on(a) { hand(a); }";
        let left = left_in_task(procs, body, &["escape"]);
        left.into_iter()
            .filter(|check| !check.contains(" a["))
            .collect()
    }

    #[test]
    fn an_array_that_stays_needs_no_checks() {
        assert_eq!(
            kept("let q = new[2]; q[0] = 1; let r = q; r[1] = q[0];"),
            NOTHING
        );
    }

    #[test]
    fn a_captured_array_keeps_them_in_both_tasks() {
        let body = "let q = new[2]; q[0] = 1; async { q[1] = 2; }";
        assert_eq!(kept(body), ["write q[0]", "write q[1]"]);
    }

    #[test]
    fn a_captured_alias_counts() {
        let body = "let q = new[2]; q[0] = 1; let r = q; async { r[1] = 2; }";
        assert_eq!(kept(body), ["write q[0]", "write r[1]"]);
        let later = "let r = 0; let q = new[2]; q[0] = 1; async { skip; } if (1) { r = q; } async { print r; }";
        assert_eq!(kept(later), ["write q[0]"]);
    }

    #[test]
    fn a_returned_array_keeps_its_checks() {
        let source =
            "proc make() { let q = new[2]; q[0] = 1; return q; } let a = make(); a[1] = 2;";
        assert_eq!(left(source, &["escape"]), ["write q[0]", "write a[1]"]);
    }

    #[test]
    fn a_futures_value_is_foreign() {
        let source = "future f { let q = new[2]; q[0] = 1; return q; } let a = get(f); a[1] = 2;";
        assert_eq!(left(source, &["escape"]), ["write q[0]", "write a[1]"]);
    }

    #[test]
    fn passing_an_array_matters_only_if_the_callee_hands_it_on() {
        assert_eq!(kept("let q = new[2]; touch(q); q[1] = 1;"), NOTHING);
        assert_eq!(kept("let q = new[2]; hand(q); q[1] = 1;"), ["write q[1]"]);
        assert_eq!(kept("let q = new[2]; on(q); q[1] = 1;"), ["write q[1]"]);
        assert_eq!(
            kept("let q = new[2]; let r = same(q); q[1] = 1;"),
            ["write q[1]"]
        );
    }

    #[test]
    fn a_local_that_may_hold_a_foreign_array_keeps_its_checks() {
        let body = "let q = new[2]; async { let r = new[2]; if (1) { r = q; } r[0] = 1; }";
        assert_eq!(kept(body), ["write r[0]"]);
    }

    #[test]
    fn a_recursive_procedure_that_keeps_its_array() {
        let source = "proc p(n, a) { a[0] = n; let q = new[2]; q[1] = n; if (n > 0) { p(n - 1, q); } } p(3, new[1]);";
        assert_eq!(left(source, &["escape"]), ["write a[0]"]);
    }
}

mod loop_invariant {
    use super::*;

    const DECLARED: &str = "shared x, y, n, A[4], B[4]; lock L; event e; proc f() { return 1; } proc g() { with L { skip; } }";

    fn kept(body: &str) -> Vec<String> {
        left_in_task(DECLARED, body, &["loop-invariant"])
    }

    #[test]
    fn a_scalar_is_checked_once_in_front() {
        assert_eq!(kept("for i in 0..9 { read x; }"), ["moved read x"]);
        assert_eq!(
            kept("let m = 3; for i in m..9 { x = i; }"),
            ["moved write x"]
        );
    }

    #[test]
    fn both_kinds_move_each_once() {
        let body = "for i in 0..9 { x = x + 1; x = x + 2; }";
        assert_eq!(kept(body), ["moved write x", "moved read x"]);
    }

    #[test]
    fn a_loop_that_never_runs_keeps_its_check() {
        assert_eq!(kept("for i in 3..3 { read x; }"), ["read x"]);
    }

    #[test]
    fn bounds_are_evaluated_once_before_the_check() {
        assert_eq!(
            kept("for i in 0..n { x = i; }"),
            ["read n", "moved write x"]
        );
        assert_eq!(kept("for i in 0..f() { x = i; }"), ["write x"]);
        assert_eq!(kept("for i in 0..f() + 1 { x = i; }"), ["moved write x"]);
    }

    #[test]
    fn a_while_moves_if_its_condition_has_only_locals() {
        assert_eq!(
            kept("let i = 0; while (i < 3) { i = i + 1; x = i; }"),
            ["moved write x"]
        );
        assert_eq!(
            kept("while (y < 3) { y = y + 1; }"),
            ["moved read y", "write y", "read y"]
        );
        assert_eq!(
            kept("let i = 9; while (9 / i) { i = i - 1; x = i; }"),
            ["write x"]
        );
    }

    #[test]
    fn an_element_moves_with_a_constant_or_unchanged_index() {
        assert_eq!(kept("for i in 0..3 { read A[2]; }"), ["moved read A[2]"]);
        assert_eq!(kept("for i in 0..3 { read A[k]; }"), ["moved read A[k]"]);
        assert_eq!(kept("for i in 0..3 { read A[i]; }"), ["read A[i]"]);
        assert_eq!(kept("for i in 0..3 { read A[k + 1]; }"), ["read A[k + 1]"]);
        assert_eq!(
            kept("let j = 0; for i in 0..3 { read A[j]; j = i; }"),
            ["read A[j]"]
        );
    }

    #[test]
    fn an_element_out_of_range_does_not_move() {
        assert_eq!(kept("for i in 0..3 { read A[4]; }"), ["read A[4]"]);
    }

    #[test]
    fn an_index_that_may_be_no_integer_does_not_move() {
        assert_eq!(
            kept("let j = f(); for i in 0..3 { read A[j]; }"),
            ["read A[j]"]
        );
        assert_eq!(
            kept("let j = f() + 0; for i in 0..3 { read A[j]; }"),
            ["moved read A[j]"]
        );
    }

    #[test]
    fn a_heap_element_moves_where_its_length_is_known() {
        let known = "let q = new[2]; for i in 0..3 { q[1] = i; }";
        assert_eq!(kept(known), ["moved write q[1]"]);
        let captured = "let q = new[2]; async { for i in 0..3 { q[1] = i; } }";
        assert_eq!(kept(captured), ["moved write q[1]"]);
        assert_eq!(
            kept("let q = new[n]; for i in 0..3 { q[1] = i; }"),
            ["read n", "write q[1]"]
        );
        assert_eq!(
            kept("let q = new[2]; for i in 0..3 { q[1] = i; q = new[2]; }"),
            ["write q[1]"]
        );
    }

    #[test]
    fn a_conditional_access_stays() {
        assert_eq!(kept("for i in 0..3 { if (i) { x = 1; } }"), ["write x"]);
        assert_eq!(kept("for i in 0..3 { let v = i && x; }"), ["read x"]);
    }

    #[test]
    fn an_access_after_a_harmless_branch_moves() {
        let body = "for i in 0..3 { let v = 0; if (i) { v = 1; } x = v; }";
        assert_eq!(kept(body), ["moved write x"]);
    }

    #[test]
    fn what_may_fault_before_the_access_holds_it_back() {
        assert_eq!(kept("for i in 0..3 { let v = 6 / i; x = v; }"), ["write x"]);
        assert_eq!(
            kept("for i in 0..3 { let v = 6 / 2; x = v; }"),
            ["moved write x"]
        );
        assert_eq!(
            kept("for i in 0..3 { let v = A[i]; x = v; }"),
            ["read A[i]", "write x"]
        );
        assert_eq!(
            kept("for i in 0..3 { A[i] = x; }"),
            ["write A[i]", "read x"]
        );
        assert_eq!(
            kept("for i in 0..3 { let q = new[i]; x = 1; }"),
            ["write x"]
        );
    }

    #[test]
    fn calls_loops_and_returns_before_the_access_hold_it_back() {
        assert_eq!(kept("for i in 0..3 { f(); x = 1; }"), ["write x"]);
        assert_eq!(
            kept("for i in 0..3 { while (i < 0) { skip; } x = 1; }"),
            ["write x"]
        );
        assert_eq!(
            kept("for i in 0..3 { if (i) { return; } x = 1; }"),
            ["write x"]
        );
    }

    #[test]
    fn calls_and_returns_after_the_access_do_not() {
        assert_eq!(kept("for i in 0..3 { x = 1; f(); }"), ["moved write x"]);
        assert_eq!(
            kept("for i in 0..3 { x = 1; if (i) { return; } }"),
            ["moved write x"]
        );
    }

    #[test]
    fn a_task_operation_anywhere_in_the_loop_keeps_all_its_checks() {
        for operation in [
            "async { skip; }",
            "finish { skip; }",
            "spawn { skip; }",
            "sync;",
            "satisfy e;",
            "future h { return 1; } let v = get(h);",
        ] {
            assert_eq!(
                kept(&format!("for i in 0..3 {{ x = 1; {operation} }}")),
                ["write x"]
            );
        }
    }

    #[test]
    fn a_lock_operation_anywhere_in_the_loop_keeps_all_its_checks() {
        for operation in [
            "with L { skip; }",
            "isolated { skip; }",
            "g();",
            "acquire L; release L;",
        ] {
            assert_eq!(
                kept(&format!("for i in 0..3 {{ x = 1; {operation} }}")),
                ["write x"]
            );
        }
    }

    #[test]
    fn a_loop_under_a_lock_keeps_its_checks() {
        assert_eq!(kept("with L { for i in 0..3 { x = 1; } }"), ["write x"]);
        assert_eq!(kept("isolated { for i in 0..3 { x = 1; } }"), ["write x"]);
        assert_eq!(
            kept("acquire L; for i in 0..3 { x = 1; } release L;"),
            ["write x"]
        );
        assert_eq!(
            kept("acquire L; release L; for i in 0..3 { x = 1; }"),
            ["moved write x"]
        );
    }

    #[test]
    fn a_procedure_called_under_a_lock_keeps_its_checks() {
        let source = "shared x; lock L; proc p() { for i in 0..3 { x = i; } } proc q() { p(); } with L { q(); }";
        assert_eq!(left(source, &["loop-invariant"]), ["write x"]);
        let unlocked =
            "shared x; lock L; proc p() { for i in 0..3 { x = i; } } with L { skip; } p();";
        assert_eq!(left(unlocked, &["loop-invariant"]), ["moved write x"]);
    }

    #[test]
    fn a_lock_left_held_by_a_callee_counts() {
        let source = "shared x; lock L; proc take() { acquire L; } take(); for i in 0..3 { x = i; } release L;";
        assert_eq!(left(source, &["loop-invariant"]), ["write x"]);
    }

    #[test]
    fn a_check_moves_out_of_all_loops_that_certainly_run() {
        assert_eq!(
            kept("for i in 0..3 { for j in 0..3 { x = 1; } }"),
            ["moved write x"]
        );
        let inner_may_not_run = "for i in 0..3 { for j in 0..i { x = 1; } }";
        assert_eq!(kept(inner_may_not_run), ["moved write x"]);
    }
}

mod read_write {
    use super::*;

    const DECLARED: &str = "shared x, y, n, A[4]; lock L; event e; \
        proc f() { return 1; } proc g() { with L { skip; } } proc h() { async { skip; } }";

    fn kept(body: &str) -> Vec<String> {
        left_in_task(DECLARED, body, &["read-write"])
    }

    #[test]
    fn a_read_after_any_access_is_covered() {
        assert_eq!(kept("x = 1; read x;"), ["write x"]);
        assert_eq!(kept("read x; read x;"), ["read x"]);
    }

    #[test]
    fn a_write_is_covered_by_a_write_before_it_only() {
        assert_eq!(kept("x = 1; x = 2;"), ["write x"]);
        assert_eq!(kept("read y; x = 1; y = 2;"), ["write x", "write y"]);
        assert_eq!(kept("with L { read x; write x; }"), ["read x", "write x"]);
    }

    #[test]
    fn a_read_before_a_certain_access_is_covered() {
        assert_eq!(kept("x = x + 1;"), ["write x"]);
        assert_eq!(kept("let v = x; y = 2; x = v;"), ["write y", "write x"]);
        assert_eq!(kept("A[k] = A[k] + 1;"), ["write A[k]"]);
    }

    #[test]
    fn a_read_before_an_uncertain_access_is_not() {
        assert_eq!(kept("let v = x; if (k) { x = 1; }"), ["read x", "write x"]);
        assert_eq!(
            kept("let v = x; let w = 1 / k; x = 1;"),
            ["read x", "write x"]
        );
        assert_eq!(
            kept("let v = x; read A[k]; x = 1;"),
            ["read x", "read A[k]", "write x"]
        );
        assert_eq!(kept("let v = x; f(); x = 1;"), ["read x", "write x"]);
        assert_eq!(
            kept("let v = x; for i in 0..3 { skip; } x = 1;"),
            ["read x", "write x"]
        );
        assert_eq!(
            kept("let v = x; if (k) { return; } x = 1;"),
            ["read x", "write x"]
        );
        assert_eq!(
            kept("let v = x; let w = k && y / k; x = 1;"),
            ["read x", "read y", "write x"]
        );
    }

    #[test]
    fn a_read_on_one_way_is_covered_by_an_access_after_both() {
        assert_eq!(kept("let v = 0; if (k) { v = x; } read x;"), ["read x"]);
        assert_eq!(kept("let v = x; if (k) { v = 2; } x = v;"), ["write x"]);
    }

    #[test]
    fn an_access_on_one_way_covers_nothing_after_it() {
        assert_eq!(kept("if (k) { x = 1; } read x;"), ["write x", "read x"]);
        assert_eq!(kept("let v = k || x; read x;"), ["read x"]);
        assert_eq!(
            kept("if (k) { x = 1; } else { write x; } read x;"),
            ["write x", "write x"]
        );
        assert_eq!(
            kept("if (k) { x = 1; } else { y = x; } x = 2;"),
            ["write x", "write y", "write x"]
        );
    }

    #[test]
    fn a_loop_that_may_not_run_covers_nothing_after_it() {
        assert_eq!(
            kept("for i in 0..k { x = 1; } read x;"),
            ["write x", "read x"]
        );
        assert_eq!(kept("while (x < 3) { read x; } read x;"), ["read x"]);
    }

    #[test]
    fn an_access_before_a_loop_covers_those_in_it() {
        assert_eq!(kept("x = 1; for i in 0..k { read x; x = 2; }"), ["write x"]);
    }

    #[test]
    fn a_task_operation_in_between_ends_the_strand() {
        for operation in [
            "async { skip; }",
            "finish { skip; }",
            "spawn { skip; }",
            "sync;",
            "satisfy e;",
            "task T after e { skip; }",
            "h();",
        ] {
            assert_eq!(
                kept(&format!("x = 1; {operation} read x;")),
                ["write x", "read x"]
            );
            assert_eq!(
                kept(&format!("let v = x; {operation} x = 1;")),
                ["read x", "write x"]
            );
        }
        assert_eq!(
            kept("x = 1; future t { return 1; } read x; let v = get(t); read x;"),
            ["write x", "read x", "read x"]
        );
        assert_eq!(kept("future t { return 1; } x = get(t) + x;"), ["write x"]);
        assert_eq!(
            kept("future t { return 1; } x = x + get(t);"),
            ["write x", "read x"]
        );
    }

    #[test]
    fn the_edges_of_a_finish_end_the_strand() {
        assert_eq!(
            kept("x = 1; finish { read x; } read x;"),
            ["write x", "read x", "read x"]
        );
    }

    #[test]
    fn a_task_operation_later_in_the_loop_ends_the_strand_before_it() {
        let body = "x = 1; for i in 0..3 { read x; async { skip; } }";
        assert_eq!(kept(body), ["write x", "read x"]);
    }

    #[test]
    fn a_lock_operation_in_between_separates() {
        for operation in [
            "with L { skip; }",
            "isolated { skip; }",
            "acquire L; release L;",
            "g();",
        ] {
            assert_eq!(
                kept(&format!("x = 1; {operation} read x;")),
                ["write x", "read x"]
            );
            assert_eq!(
                kept(&format!("let v = x; {operation} x = 1;")),
                ["read x", "write x"]
            );
        }
        assert_eq!(
            kept("x = 1; with L { read x; } read x;"),
            ["write x", "read x", "read x"]
        );
        assert_eq!(
            kept("with L { x = 1; } with L { x = 2; }"),
            ["write x", "write x"]
        );
    }

    #[test]
    fn within_one_acquisition_earlier_accesses_cover() {
        assert_eq!(kept("with L { x = 1; read x; x = 2; }"), ["write x"]);
        assert_eq!(kept("isolated { read x; read x; }"), ["read x"]);
    }

    #[test]
    fn a_read_under_a_lock_is_never_dropped_for_a_later_access() {
        assert_eq!(kept("with L { x = x + 1; }"), ["write x", "read x"]);
        let called = "shared x; lock L; proc p() { x = x + 1; } with L { p(); }";
        assert_eq!(left(called, &["read-write"]), ["write x", "read x"]);
        let free = "shared x; lock L; proc p() { x = x + 1; } p();";
        assert_eq!(left(free, &["read-write"]), ["write x"]);
    }

    #[test]
    fn elements_are_the_same_only_with_the_same_index() {
        assert_eq!(
            kept("A[1] = 1; read A[1]; read A[2];"),
            ["write A[1]", "read A[2]"]
        );
        assert_eq!(
            kept("A[k] = 1; read A[k]; read A[1];"),
            ["write A[k]", "read A[1]"]
        );
        assert_eq!(
            kept("A[k + 1] = 1; read A[k + 1];"),
            ["write A[k + 1]", "read A[k + 1]"]
        );
    }

    #[test]
    fn a_reassigned_index_or_handle_is_another_location() {
        assert_eq!(
            kept("let i = 0; A[i] = 1; i = 1; read A[i];"),
            ["write A[i]", "read A[i]"]
        );
        assert_eq!(
            kept("let i = 0; let v = A[i]; i = 1; A[i] = v;"),
            ["read A[i]", "write A[i]"]
        );
        let branch = "let i = 0; let v = A[i]; if (k) { i = 1; } A[i] = v;";
        assert_eq!(kept(branch), ["read A[i]", "write A[i]"]);
        let looping = "let i = 0; A[i] = 1; while (i < 3) { read A[i]; i = i + 1; }";
        assert_eq!(kept(looping), ["write A[i]", "read A[i]"]);
        let handle = "let q = new[1]; q[0] = 1; q = new[1]; read q[0];";
        assert_eq!(kept(handle), ["write q[0]", "read q[0]"]);
    }

    #[test]
    fn a_heap_element_through_the_same_handle_is_covered() {
        assert_eq!(kept("let q = new[1]; q[0] = 1; read q[0];"), ["write q[0]"]);
        let alias = "let q = new[1]; let r = q; q[0] = 1; read r[0];";
        assert_eq!(kept(alias), ["write q[0]", "read r[0]"]);
    }

    #[test]
    fn a_harmless_call_in_between_keeps_the_strand() {
        assert_eq!(kept("x = 1; f(); read x;"), ["write x"]);
    }

    #[test]
    fn of_a_chain_of_reads_and_a_write_the_write_is_left() {
        assert_eq!(kept("let v = x; let w = x; x = v + w;"), ["write x"]);
    }
}
