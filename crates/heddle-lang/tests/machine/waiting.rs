//! Futures, dependences, events and regions.

use super::{check, check_output};

#[test]
fn get_joins_an_ended_future_and_has_its_value() {
    check(
        "shared x; future f { return 5; } x = get(f) + get(f);",
        "future T1 f in F0, begin T1, end T1, resume T0, join T1, join T1, write x, end T0",
    );
    check_output(
        "future f { return 5; } future g { skip; } async h { skip; }
         print get(f); print get(g); print get(h);",
        &[5, 0, 0],
    );
}

#[test]
fn get_waits_for_a_future_that_waits() {
    check(
        "event e;
         shared x;
         task t after e { skip; }
         future f { return get(t) + 1; }
         async { x = get(f); }
         satisfy e;",
        "dependent T1 t in F0, future T2 f in F0, begin T2, resume T0,
         async T3 in F0, begin T3, resume T0, signal e,
         begin T1, wait e, end T1, resume T2, join T1, end T2,
         resume T3, join T2, write x, end T3, resume T0, end T0",
    );
}

#[test]
fn registers_survive_a_wait_in_the_middle_of_an_expression() {
    check_output(
        "event e;
         shared x = 3;
         proc p(a, b) { return a * 10 + b; }
         task t after e { skip; }
         async { print p(x + 1, get(t) + x) + x; }
         satisfy e;",
        &[46],
    );
}

#[test]
fn a_task_begins_with_the_edges_of_all_its_dependences() {
    check(
        "event e;
         task a { skip; }
         satisfy e;
         task b after a, e { skip; }",
        "dependent T1 a in F0, begin T1, end T1, resume T0, signal e,
         dependent T2 b in F0, begin T2, join T1, wait e, end T2, resume T0, end T0",
    );
}

#[test]
fn a_dependent_task_starts_once_the_last_of_its_dependences_has_come() {
    check(
        "event e; event f;
         task a after e { skip; }
         task b after e, a, f, a { skip; }
         satisfy f;
         satisfy e;",
        "dependent T1 a in F0, dependent T2 b in F0, signal f, signal e,
         begin T1, wait e, end T1,
         begin T2, wait e, join T1, wait f, join T1, end T2, resume T0, end T0",
    );
}

#[test]
fn a_label_in_a_loop_names_the_latest_task() {
    check(
        "for i in 0..2 { task t { skip; } task u after t { skip; } }",
        "dependent T1 t in F0, begin T1, end T1, resume T0,
         dependent T2 u in F0, begin T2, join T1, end T2, resume T0,
         dependent T3 t in F0, begin T3, end T3, resume T0,
         dependent T4 u in F0, begin T4, join T3, end T4, resume T0, end T0",
    );
}

#[test]
fn await_joins_the_callers_tasks_in_post_order() {
    check(
        "region r; region s;
         post r { skip; } post s { skip; } post r { skip; }
         await r; await r;",
        "post T1 in F0, begin T1, end T1, resume T0, post T2 in F0, begin T2, end T2, resume T0,
         post T3 in F0, begin T3, end T3, resume T0, join T1, join T3, end T0",
    );
}

#[test]
fn await_waits_in_post_order_and_ewait_takes_the_first_that_ended() {
    let posts = "region r; event e; event f;
         post r { task a after e { skip; } get(a); }
         post r { task b after f { skip; } get(b); }
         post r { skip; }
         async { satisfy f; satisfy e; }";
    let before = "post T1 in F0, begin T1, dependent T2 a in F0, resume T0,
         post T3 in F0, begin T3, dependent T4 b in F0, resume T0,
         post T5 in F0, begin T5, end T5, resume T0,
         async T6 in F0, begin T6, signal f, signal e, end T6, resume T0, ";
    check(
        &format!("{posts} await r;"),
        &format!(
            "{before} begin T4, wait f, end T4, begin T2, wait e, end T2,
             resume T3, join T4, end T3, resume T1, join T2, end T1,
             resume T0, join T1, join T3, join T5, end T0"
        ),
    );
    check(
        &format!("{posts} ewait r; ewait r; ewait r;"),
        &format!(
            "{before} join T5, begin T4, wait f, end T4, begin T2, wait e, end T2,
             resume T3, join T4, end T3, resume T1, join T2, end T1,
             resume T0, join T3, join T1, end T0"
        ),
    );
}

#[test]
fn who_joins_a_posted_task_takes_over_what_it_did_not_await() {
    check(
        "region r; region s;
         post r { post r { post s { skip; } } post s { skip; } }
         await r; await s;",
        "post T1 in F0, begin T1, post T2 in F0, begin T2, post T3 in F0, begin T3, end T3,
         resume T2, end T2, resume T1, post T4 in F0, begin T4, end T4, resume T1, end T1,
         resume T0, join T1, join T2, join T4, join T3, end T0",
    );
}

#[test]
fn passed_tasks_leave_the_caller() {
    check(
        "region r; region s;
         post s { skip; }
         post r passing s { await s; }
         await s; await r;",
        "post T1 in F0, begin T1, end T1, resume T0,
         post T2 in F0, begin T2, join T1, end T2, resume T0, join T2, end T0",
    );
}

#[test]
fn a_region_passed_into_itself_moves_before_the_new_task_joins_it() {
    check(
        "region r;
         post r { skip; }
         post r passing r { skip; }
         ewait r; ewait r;",
        "post T1 in F0, begin T1, end T1, resume T0, post T2 in F0, begin T2, end T2, resume T0,
         join T2, join T1, end T0",
    );
}
