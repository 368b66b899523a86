//! Every way of making tasks orders what it says it orders, and nothing else, in every mode.

use heddle::{
    Checker, Event, Guarantee, Order, Report, Shared, SharedVec, finish, future, join, par_chunks,
    par_for,
};

/// Checks the program serially and on threads; the verdict must be the same.
#[track_caller]
fn races_everywhere(program: impl Fn() + Sync) -> usize {
    let races = |report: Report| report.races().count();
    let serial = races(Checker::new().parallel(0).check(&program));
    let graph = races(
        Checker::new()
            .parallel(0)
            .order(Order::Graph)
            .check(&program),
    );
    assert_eq!(serial, graph, "serial and recorded");
    for threads in [1, 2, 4] {
        let parallel = races(Checker::new().parallel(threads).check(&program));
        assert_eq!(serial, parallel, "serial and {threads} threads");
    }
    serial
}

#[test]
fn siblings_race_and_a_finish_between_them_orders() {
    let racy = |ordered: bool| {
        let x = Shared::new(0);
        finish(|s| {
            match ordered {
                true => finish(|s| s.spawn(|_| x.set(1))),
                false => s.spawn(|_| x.set(1)),
            }
            s.spawn(|_| x.set(2));
        });
    };
    assert_eq!(races_everywhere(|| racy(false)), 1);
    assert_eq!(races_everywhere(|| racy(true)), 0);
}

#[test]
fn a_task_races_with_what_follows_its_spawn_but_not_with_what_precedes_it() {
    let program = |before: bool| {
        let x = Shared::new(0);
        finish(|s| {
            if before {
                x.set(1);
            }
            s.spawn(|_| assert!(x.get() >= 0));
            if !before {
                x.set(1);
            }
        });
    };
    assert_eq!(races_everywhere(|| program(true)), 0);
    assert_eq!(races_everywhere(|| program(false)), 1);
}

#[test]
fn an_inner_finish_does_not_order_tasks_of_an_outer_scope() {
    let program = || {
        let x = Shared::new(0);
        finish(|outer| {
            finish(|_| outer.spawn(|_| x.set(1)));
            x.set(2);
        });
        x.set(3);
    };
    assert_eq!(races_everywhere(program), 1);
}

#[test]
fn a_scope_handle_works_from_inner_tasks() {
    let program = || {
        let hits = SharedVec::new(2, 0);
        finish(|outer| {
            outer.spawn(|_| {
                finish(|inner| {
                    inner.spawn(|_| outer.spawn(|_| hits.set(0, 1)));
                });
                hits.set(1, 1);
            });
        });
        assert_eq!(hits.get(0) + hits.get(1), 2);
    };
    assert_eq!(races_everywhere(program), 0);
}

#[test]
fn join_orders_what_follows_and_not_its_two_sides() {
    let program = |left: usize, right: usize| {
        let v = SharedVec::new(2, 0);
        let got = join(|| v.set(left, 1), || v.set(right, 2));
        assert_eq!(got, ((), ()));
        v.set(0, 3);
    };
    assert_eq!(races_everywhere(|| program(0, 1)), 0);
    assert_eq!(races_everywhere(|| program(0, 0)), 1);
}

#[test]
fn getting_a_future_orders_and_not_getting_it_does_not() {
    let program = |get: bool| {
        let x = Shared::new(0);
        finish(|s| {
            let value = s.future(|| {
                x.set(1);
                7
            });
            if get {
                assert_eq!(value.get(), 7);
            }
            x.set(2);
        });
    };
    assert_eq!(races_everywhere(|| program(true)), 0);
    assert_eq!(races_everywhere(|| program(false)), 1);
}

#[test]
fn several_tasks_get_one_shared_future() {
    let program = || {
        let (x, sum) = (Shared::new(0), SharedVec::new(2, 0));
        finish(|s| {
            let made = s.future(|| x.set(5)).shared();
            let other = made.clone();
            let (x, sum) = (&x, &sum);
            s.spawn(move |_| {
                made.get();
                sum.set(0, x.get());
            });
            s.spawn(move |_| {
                other.get();
                sum.set(1, x.get());
            });
        });
        assert_eq!(sum.get(0) + sum.get(1), 10);
    };
    assert_eq!(races_everywhere(program), 0);
}

#[test]
fn a_free_future_belongs_to_the_innermost_finish() {
    let program = || {
        let x = std::sync::Arc::new(Shared::new(0));
        let inner = std::sync::Arc::clone(&x);
        finish(|_| drop(future(move || inner.set(1))));
        x.set(2);
    };
    assert_eq!(races_everywhere(program), 0);
    let unordered = || {
        let x = std::sync::Arc::new(Shared::new(0));
        let inner = std::sync::Arc::clone(&x);
        let _free = future(move || inner.set(1));
        x.set(2);
    };
    assert_eq!(races_everywhere(unordered), 1);
}

#[test]
fn futures_may_wait_for_futures_inside_finishes() {
    // Threads that wait at the inner finish must not pick up a task that waits for them.
    let program = || {
        finish(|s| {
            let mut last = s.future(|| 0).shared();
            for n in 1..60 {
                let before = last.clone();
                let next = s.future(move || {
                    finish(|t| (0..3).for_each(|_| t.spawn(|_| std::thread::yield_now())));
                    before.get() + n
                });
                last = next.shared();
            }
            assert_eq!(last.get(), (0..60).sum::<i32>());
        });
    };
    assert_eq!(races_everywhere(program), 0);
}

#[test]
fn a_group_orders_what_waited_for_it_also_in_a_child() {
    let program = |wait: bool| {
        let x = Shared::new(0);
        finish(|s| {
            let group = s.group();
            group.post(|| x.set(1));
            s.spawn(|_| {
                let group = group;
                if wait {
                    group.wait_all();
                }
                x.set(2);
            });
        });
    };
    assert_eq!(races_everywhere(|| program(true)), 0);
    assert_eq!(races_everywhere(|| program(false)), 1);
}

#[test]
fn waiting_for_any_orders_one_task_and_lowers_the_guarantee() {
    let program = || {
        let v = SharedVec::new(2, 0);
        finish(|s| {
            let group = s.group();
            group.post(|| v.set(0, 1));
            assert!(group.wait_any());
            v.set(0, 2);
            group.post(|| v.set(1, 1));
            assert!(group.wait_any() && !group.wait_any());
            v.set(1, 2);
        });
    };
    assert_eq!(races_everywhere(program), 0);
    let report = heddle::check(program);
    assert_eq!(report.guarantee(), Guarantee::KeepingAccesses);
}

#[test]
fn dependences_order_tasks_whenever_they_come() {
    let program = |ordered: bool| {
        let (x, go) = (Shared::new(0), Event::new());
        finish(|s| {
            let first = s.task_after(&[&go], || x.set(2));
            let second = s.task_after(&[&first, &go], || x.set(3));
            match ordered {
                true => s.task_after(&[&second], || x.set(4)),
                false => s.task_after(&[&go], || x.set(4)),
            };
            s.spawn(|_| {
                x.set(1);
                go.satisfy();
            });
        });
    };
    assert_eq!(races_everywhere(|| program(true)), 0);
    assert_ne!(races_everywhere(|| program(false)), 0);
}

#[test]
fn loops_give_every_index_and_every_chunk_its_task() {
    let program = |clash: bool| {
        let v = SharedVec::new(100, 0);
        par_for(0..100, |i| v.set(i, 1));
        par_chunks(0..100, 7, |chunk| {
            let end = if clash {
                chunk.end.min(99)
            } else {
                chunk.end - 1
            };
            (chunk.start..=end).for_each(|i| v.set(i, 2));
        });
        assert_eq!(v.to_vec(), [2; 100]);
    };
    assert_eq!(races_everywhere(|| program(false)), 0);
    assert_eq!(races_everywhere(|| program(true)), 14);
}

#[test]
fn a_race_is_reported_with_the_positions_and_the_name_of_its_place() {
    let mut lines = [0, 0];
    let report = heddle::check(|| {
        let v = SharedVec::new(5, 0);
        finish(|s| {
            lines = [line!() + 1, line!() + 2];
            s.spawn(|_| v.set(3, 1));
            s.spawn(|_| assert!(v.get(3) >= 0));
        });
    });
    let [race] = report.races().collect::<Vec<_>>()[..] else {
        panic!("one race in {report}");
    };
    assert_eq!(race.location.as_deref(), Some("v[3]"));
    let text = report.to_string();
    for line in lines {
        assert!(text.contains(&format!("\n{line} |")), "{text}");
    }
    assert!(text.contains("s.spawn(|_| v.set(3, 1));"), "{text}");
    assert!(text.contains("^^^ written by task"), "{text}");
    assert!(report.to_json().contains("v[3]"));
}

#[test]
fn a_value_that_no_variable_keeps_is_called_by_where_it_was_made() {
    let mut made = 0;
    let report = heddle::check(|| {
        made = line!() + 1;
        race_on(&SharedVec::new(5, 0));
    });
    let [race] = report.races().collect::<Vec<_>>()[..] else {
        panic!("one race in {report}");
    };
    let place = format!("SharedVec@crates/heddle/tests/tasks.rs:{made}[3]");
    assert_eq!(race.location.as_deref(), Some(&*place));
}

fn race_on(v: &SharedVec<i32>) {
    finish(|s| {
        s.spawn(|_| v.set(3, 1));
        s.spawn(|_| assert!(v.get(3) >= 0));
    });
}

#[test]
fn places_keep_their_names_when_their_value_is_dropped_and_its_numbers_are_reused() {
    let report = heddle::check(|| {
        for _ in 0..2 {
            let x = Shared::new(0);
            finish(|s| {
                s.spawn(|_| x.set(1));
                s.spawn(|_| x.set(2));
            });
        }
        let other = Shared::new(0);
        other.set(1);
    });
    assert!(report.races().count() > 0);
    for race in report.races() {
        assert_eq!(race.location.as_deref(), Some("x"));
    }
}

#[test]
fn reused_numbers_carry_no_history() {
    let program = || {
        finish(|s| {
            for _ in 0..50 {
                s.spawn(|_| {
                    let own = SharedVec::new(3, 0);
                    own.set(1, 1);
                    assert_eq!(own.get(1), 1);
                });
            }
        });
    };
    assert_eq!(races_everywhere(program), 0);
}

#[test]
fn outside_of_a_check_everything_runs_unchecked() {
    let v = SharedVec::new(64, 0);
    let program = || {
        par_for(0..64, |i| v.set(i, v.get(i) + 1));
        let total = finish(|s| {
            let half = s.future(|| (0..32).map(|i| v.get(i)).sum::<i32>());
            let (a, b) = join(|| half.get(), || (32..64).map(|i| v.get(i)).sum::<i32>());
            a + b
        });
        let go = Event::new();
        finish(|s| {
            s.task_after(&[&go], || v.set(0, 100));
            let group = s.group();
            group.post(|| go.satisfy());
            group.wait_all();
        });
        v.set(0, v.get(1));
        total
    };
    assert_eq!(program(), 64);
    assert_eq!(heddle::sequential(program), 128);
}

#[test]
fn an_order_that_cannot_judge_the_program_says_so() {
    let program = || {
        finish(|s| s.future(|| 1).get());
    };
    let checker = Checker::new().parallel(0).order(Order::Bags);
    let panic = std::panic::catch_unwind(|| checker.check(program)).expect_err("it needs a graph");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("Order::Graph"), "{message}");
}

#[test]
fn at_most_so_many_findings_are_reported() {
    let program = || {
        let v = SharedVec::new(2, 0);
        finish(|s| {
            s.spawn(|_| v.set(0, 1));
            s.spawn(|_| v.set(0, 2));
            s.spawn(|_| v.set(0, 3));
        });
    };
    let all = heddle::check(program);
    assert!(all.races().count() > 1);
    let few = Checker::new().max_findings(1).check(program);
    assert_eq!((few.races().count(), few.is_clean()), (1, false));
}
