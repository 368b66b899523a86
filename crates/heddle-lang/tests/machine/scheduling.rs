//! Who runs next when a task has to wait, locks, and that runs repeat.

use heddle_lang::machine::{self, Code};

use super::{check, check_output, compiled};

#[test]
fn a_task_that_must_wait_returns_to_its_creator_first() {
    check(
        "event e; shared x;
         task t after e { skip; }
         async { async { get(t); x = 3; } x = 2; }
         x = 1; satisfy e;",
        "dependent T1 t in F0, async T2 in F0, begin T2, async T3 in F0, begin T3,
         resume T2, write x, end T2, resume T0, write x, signal e,
         begin T1, wait e, end T1, resume T3, join T1, write x, end T3, resume T0, end T0",
    );
}

#[test]
fn ready_tasks_run_in_the_sequence_in_which_they_became_ready() {
    check(
        "event e; event f; shared x;
         task a after e { x = 1; }
         task b after f { x = 2; }
         task c after e { x = 3; }
         satisfy f; satisfy e;",
        "dependent T1 a in F0, dependent T2 b in F0, dependent T3 c in F0, signal f, signal e,
         begin T2, wait f, write x, end T2, begin T1, wait e, write x, end T1,
         begin T3, wait e, write x, end T3, resume T0, end T0",
    );
}

#[test]
fn a_finish_waits_for_tasks_that_wait() {
    check(
        "event e; shared x;
         async { finish { task t after e { x = 1; } } x = 2; }
         satisfy e;",
        "async T1 in F0, begin T1, finish F1, dependent T2 t in F1, resume T0, signal e,
         begin T2, wait e, write x, end T2, resume T1, close F1, write x, end T1,
         resume T0, end T0",
    );
}

#[test]
fn a_child_that_needs_its_creators_lock_waits_until_it_is_free() {
    check(
        "lock L; shared x;
         with L { async { with L { x = 1; } } x = 2; }
         x = 3;",
        "acquire L, async T1 in F0, begin T1, resume T0, write x, release L, write x,
         resume T1, acquire L, write x, release L, end T1, resume T0, end T0",
    );
}

#[test]
fn a_free_lock_is_not_reserved_for_who_waits_for_it() {
    check(
        "lock L; shared x;
         acquire L;
         async { with L { x = 1; } }
         async { with L { x = 2; } }
         release L;
         with L { x = 3; }",
        "acquire L, async T1 in F0, begin T1, resume T0, async T2 in F0, begin T2, resume T0,
         release L, acquire L, write x, release L,
         resume T1, acquire L, write x, release L, end T1,
         resume T2, acquire L, write x, release L, end T2, resume T0, end T0",
    );
}

#[test]
fn a_task_woken_in_vain_waits_again() {
    check(
        "lock L; event e;
         acquire L;
         async { with L { skip; } }
         async { skip; }
         release L; acquire L;
         task t after e { skip; }
         async { get(t); }
         finish { async { skip; } }
         release L; satisfy e;",
        "acquire L, async T1 in F0, begin T1, resume T0, async T2 in F0, begin T2, end T2,
         resume T0, release L, acquire L, dependent T3 t in F0, async T4 in F0, begin T4,
         resume T0, finish F1, async T5 in F1, begin T5, end T5, resume T0, close F1, release L,
         signal e, resume T1, acquire L, release L, end T1, begin T3, wait e, end T3,
         resume T4, join T3, end T4, resume T0, end T0",
    );
    check(
        "lock L; event e;
         acquire L;
         async { with L { skip; } }
         release L; acquire L;
         task t after e { skip; }
         async { satisfy e; }
         get(t);
         release L;",
        "acquire L, async T1 in F0, begin T1, resume T0, release L, acquire L,
         dependent T2 t in F0, async T3 in F0, begin T3, signal e, end T3, resume T0,
         resume T1, begin T2, wait e, end T2, resume T0, join T2, release L,
         resume T1, acquire L, release L, end T1, resume T0, end T0",
    );
}

#[test]
fn isolated_nests_and_waits_like_a_lock() {
    check(
        "lock L; shared x;
         proc bump() { isolated { x = x + 1; } }
         acquire L;
         async { isolated { with L { bump(); } } }
         async { bump(); }
         release L;",
        "acquire L, async T1 in F0, begin T1, acquire isolated, resume T0,
         async T2 in F0, begin T2, resume T0, release L,
         resume T1, acquire L, read x, write x, release L, release isolated, end T1,
         resume T2, acquire isolated, read x, write x, release isolated, end T2,
         resume T0, end T0",
    );
}

#[test]
fn every_run_of_the_same_code_gives_the_same_events() {
    let program = compiled(
        "lock L; event e; region r; shared x;
         acquire L;
         for i in 0..20 {
           post r { with L { x = x + i; } let q = new[i]; finish { async { skip; } } }
           task t after e { x = i; }
         }
         release L; satisfy e;
         ewait r; await r;",
    );
    let code = Code::new(&program);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let counts = code.run(&mut first, &mut |_| {});
    assert_eq!(counts, machine::run(&program, &mut second, &mut |_| {}));
    assert!(first.len() > 200);
    assert_eq!(first, second);
}

#[test]
fn locals_are_captured_by_value() {
    check_output(
        "let a = 1;
         async { a = a + 1; print a; }
         print a;
         for i in 0..3 { async { i = i * 10; print i; } }
         for i in 0..2 { i = 7; print i; }",
        &[2, 1, 0, 10, 20, 7, 7],
    );
}
