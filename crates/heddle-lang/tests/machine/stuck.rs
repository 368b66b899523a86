//! Deadlocks: every task that waits is reported by id, with what it waits for and where.

use super::check;

#[test]
fn a_dependent_task_is_stuck_for_each_unmet_dependence() {
    check(
        "event e; event f;
         task a { skip; }
         task b after a, e, f { skip; }
         satisfy f;
         task c after b { skip; }",
        "dependent T1 a in F0, begin T1, end T1, resume T0, dependent T2 b in F0, signal f,
         dependent T3 c in F0,
         T0 stuck for F0 @5:34, T2 stuck for e @3:26, T3 stuck for T2 @5:23",
    );
}

#[test]
fn a_future_that_gets_itself_or_who_waits_for_it_is_stuck() {
    check(
        "future f { return get(f); }",
        "future T1 f in F0, begin T1, resume T0, T0 stuck for F0 @1:28, T1 stuck for T1 @1:19",
    );
    check(
        "future f {
           future g { get(f); }
           return get(g);
         }",
        "future T1 f in F0, begin T1, future T2 g in F0, begin T2, resume T1, resume T0,
         T0 stuck for F0 @4:11, T1 stuck for T2 @3:19, T2 stuck for T1 @2:23",
    );
}

#[test]
fn everyone_behind_an_event_that_never_comes_is_stuck() {
    check(
        "event e;
         task t after e { skip; }
         async { finish { async { get(t); } } }
         get(t);",
        "dependent T1 t in F0, async T2 in F0, begin T2, finish F1, async T3 in F1, begin T3,
         resume T2, resume T0,
         T0 stuck for T1 @4:10, T1 stuck for e @2:23, T2 stuck for F1 @3:18,
         T3 stuck for T1 @3:35",
    );
}

#[test]
fn sync_and_the_end_of_a_body_can_be_stuck() {
    check(
        "event e;
         proc p() { spawn { task t after e { skip; } } }
         async { p(); }
         spawn { task t after e { skip; } }
         sync;",
        "async T1 in F0, begin T1, block F1, spawn T2 in F1, begin T2, dependent T3 t in F1,
         end T2, resume T1, resume T0, block F2, spawn T4 in F2, begin T4,
         dependent T5 t in F2, end T4, resume T0,
         T0 stuck for F2 @5:10, T1 stuck for F1 @2:56, T3 stuck for e @2:42,
         T5 stuck for e @4:31",
    );
}

#[test]
fn two_locks_taken_crosswise_are_stuck() {
    check(
        "lock L, M; event e;
         async { acquire L; finish { task t after e { skip; } } acquire M; }
         acquire M;
         satisfy e;
         finish { async { skip; } }
         acquire L;",
        "async T1 in F0, begin T1, acquire L, finish F1, dependent T2 t in F1, resume T0,
         acquire M, signal e, finish F2, async T3 in F2, begin T3, end T3, resume T0, close F2,
         begin T2, wait e, end T2, resume T1, close F1,
         T0 stuck for L @6:10, T1 stuck for M @2:65",
    );
}

#[test]
fn isolated_can_be_stuck_on_a_lock_inside() {
    check(
        "lock L;
         acquire L;
         async { isolated { acquire L; release L; } }
         isolated { skip; }
         release L;",
        "acquire L, async T1 in F0, begin T1, acquire isolated, resume T0,
         T0 stuck for isolated @4:10, T1 stuck for L @3:29",
    );
}

#[test]
fn ewait_on_an_empty_region_is_stuck() {
    check(
        "region r; post r { skip; } ewait r; ewait r;",
        "post T1 in F0, begin T1, end T1, resume T0, join T1, T0 stuck for r @1:37",
    );
}

#[test]
fn ewait_is_stuck_for_every_task_of_the_region_and_await_for_the_first() {
    let posts = "region r; event e;
         post r { task a after e { skip; } get(a); }
         post r { task b after e { skip; } get(b); }";
    let before = "post T1 in F0, begin T1, dependent T2 a in F0, resume T0,
         post T3 in F0, begin T3, dependent T4 b in F0, resume T0,";
    let others = "T1 stuck for T2 @2:44, T2 stuck for e @2:32,
         T3 stuck for T4 @3:44, T4 stuck for e @3:32";
    check(
        &format!("{posts}\newait r;"),
        &format!("{before} T0 stuck for T1 @4:1, T0 stuck for T3 @4:1, {others}"),
    );
    check(
        &format!("{posts}\nawait r;"),
        &format!("{before} T0 stuck for T1 @4:1, {others}"),
    );
}
