//! Which finish a task belongs to, and when finishes and sync blocks end.

use super::{check, check_output};

#[test]
fn a_task_runs_at_once_and_its_creator_goes_on_afterwards() {
    check(
        "shared x; async T { x = 1; } x = 2;",
        "async T1 T in F0, begin T1, write x, end T1, resume T0, write x, end T0",
    );
}

#[test]
fn async_belongs_to_the_innermost_finish_of_its_creator_or_to_its_creators() {
    check(
        "finish { async { async { skip; } finish { async { skip; } } } } async { skip; }",
        "finish F1, async T1 in F1, begin T1, async T2 in F1, begin T2, end T2, resume T1,
         finish F2, async T3 in F2, begin T3, end T3, resume T1, close F2, end T1, resume T0,
         close F1, async T4 in F0, begin T4, end T4, resume T0, end T0",
    );
}

#[test]
fn a_finish_around_a_call_takes_the_tasks_of_the_callee() {
    check(
        "proc p() { async { skip; } } finish { p(); }",
        "finish F1, async T1 in F1, begin T1, end T1, resume T0, close F1, end T0",
    );
}

#[test]
fn the_sync_block_opens_at_the_first_spawn_and_a_sync_without_one_is_an_empty_block() {
    check(
        "shared x; sync; spawn { x = 1; } spawn { x = 2; } sync; x = 3; sync; spawn { skip; }",
        "block F1, close F1, block F2, spawn T1 in F2, begin T1, write x, end T1, resume T0,
         spawn T2 in F2, begin T2, write x, end T2, resume T0, close F2, write x,
         block F3, close F3,
         block F4, spawn T3 in F4, begin T3, end T3, resume T0, close F4, end T0",
    );
}

#[test]
fn a_procedure_joins_its_children_when_it_returns() {
    check(
        "shared x; proc p() { spawn { skip; } return 1; } x = p(); sync;",
        "block F1, spawn T1 in F1, begin T1, end T1, resume T0, close F1, write x,
         block F2, close F2, end T0",
    );
}

#[test]
fn sync_in_a_callee_leaves_the_callers_block_open() {
    check(
        "proc p() { sync; spawn { skip; } sync; } spawn { skip; } p(); spawn { skip; } sync;",
        "block F1, spawn T1 in F1, begin T1, end T1, resume T0,
         block F2, close F2, block F3, spawn T2 in F3, begin T2, end T2, resume T0, close F3,
         spawn T3 in F1, begin T3, end T3, resume T0, close F1, end T0",
    );
}

#[test]
fn a_finish_ends_the_sync_block_opened_inside_it() {
    check(
        "finish { spawn { skip; } async { skip; } }",
        "finish F1, block F2, spawn T1 in F2, begin T1, end T1, resume T0,
         async T2 in F1, begin T2, end T2, resume T0, close F2, close F1, end T0",
    );
}

#[test]
fn sync_inside_a_finish_joins_the_tasks_of_a_block_it_cannot_end() {
    check(
        "spawn { skip; } finish { spawn { skip; } sync; sync; } sync;",
        "block F1, spawn T1 in F1, begin T1, end T1, resume T0,
         finish F2, block F3, spawn T2 in F3, begin T2, end T2, resume T0, close F3, join T1,
         block F4, close F4, close F2, close F1, end T0",
    );
}

#[test]
fn sync_inside_a_finish_waits_for_the_whole_outer_block() {
    check(
        "event e; spawn { task after e { skip; } } finish { async { satisfy e; } sync; }",
        "block F1, spawn T1 in F1, begin T1, dependent T2 in F1, end T1, resume T0,
         finish F2, async T3 in F2, begin T3, signal e, end T3, resume T0,
         begin T2, wait e, end T2, resume T0, join T1, join T2, block F3, close F3,
         close F2, close F1, end T0",
    );
}

#[test]
fn async_ignores_the_sync_blocks_of_its_creator() {
    check(
        "finish { spawn { async { skip; } } async { skip; } } spawn { skip; } async { skip; }",
        "finish F1, block F2, spawn T1 in F2, begin T1, async T2 in F2, begin T2, end T2,
         resume T1, end T1, resume T0, async T3 in F1, begin T3, end T3, resume T0,
         close F2, close F1, block F3, spawn T4 in F3, begin T4, end T4, resume T0,
         async T5 in F0, begin T5, end T5, resume T0, close F3, end T0",
    );
}

#[test]
fn return_ends_blocks_from_the_inside_out() {
    check(
        "lock L;
         proc p() {
           with L { finish { isolated { isolated { return 1; } } } }
           return 2;
         }
         proc q() { finish { spawn { skip; } with L { return; } } }
         p(); q();",
        "acquire L, finish F1, acquire isolated, release isolated, close F1, release L,
         finish F2, block F3, spawn T1 in F3, begin T1, end T1, resume T0,
         acquire L, release L, close F3, close F2, end T0",
    );
}

#[test]
fn return_gives_its_value_from_any_depth() {
    check_output(
        "proc q() { skip; }
         proc p(a) {
           for i in 0..10 {
             while (1) {
               if (i == a) { finish { return i * 10; } } else { skip; }
               if (a) { return a - 100; }
             }
           }
         }
         print p(0); print p(3); print q();",
        &[0, -97, 0],
    );
}
