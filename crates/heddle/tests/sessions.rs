//! Each check is a session of its own; nesting them is refused.

use heddle::{Checker, Shared, SharedVec, finish, join};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn a_check_inside_of_a_checked_task_is_refused_and_the_outer_one_goes_on() {
    for threads in [0, 2] {
        let report = Checker::new().parallel(threads).check(|| {
            let x = Shared::new(0);
            let nested = || drop(heddle::check(|| ()));
            let refused = catch_unwind(AssertUnwindSafe(nested)).expect_err("nested");
            let text = refused.downcast_ref::<String>().expect("a message");
            assert!(text.contains("cannot be nested"), "{text}");
            join(|| x.set(1), || x.set(2));
        });
        assert_eq!(report.races().count(), 1);
    }
}

#[test]
fn checks_on_several_threads_at_once_do_not_see_each_other() {
    let v = SharedVec::new(8, 0);
    let check = |threads: usize, racy: bool| {
        let report = Checker::new().parallel(threads).check(|| {
            finish(|s| {
                s.spawn(|_| (0..8).for_each(|i| v.set(i, 1)));
                if racy {
                    s.spawn(|_| (0..8).for_each(|i| v.set(i, 2)));
                }
            });
        });
        assert_eq!(report.races().count(), if racy { 8 } else { 0 });
    };
    std::thread::scope(|scope| {
        for n in 0..8 {
            let check = &check;
            scope.spawn(move || (0..10).for_each(|_| check(n % 3, n % 2 == 0)));
        }
    });
}

#[test]
fn a_value_may_outlive_a_check_and_be_used_in_the_next() {
    let x = Shared::new(0);
    for round in 0..3 {
        let report = heddle::check(|| {
            join(|| x.set(round), || x.get());
        });
        assert_eq!(report.races().count(), 1);
    }
    heddle::check(|| x.set(9)).assert_clean();
    assert_eq!(x.get(), 9);
}

#[test]
fn threads_that_are_not_tasks_are_not_checked() {
    let report = heddle::check(|| {
        let x = Shared::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| x.set(1));
            scope.spawn(|| finish(|s| s.spawn(|_| x.set(2))));
        });
    });
    report.assert_clean();
}

#[test]
fn a_scope_of_one_check_cannot_be_used_in_another() {
    let result = catch_unwind(|| {
        heddle::check(|| {
            finish(|s| {
                let other = || drop(heddle::check(|| s.spawn(|_| ())));
                std::thread::scope(|threads| threads.spawn(other).join()).expect_err("refused");
            });
        })
    });
    result.expect("the outer check goes on").assert_clean();
}

#[test]
fn the_same_findings_come_every_time() {
    let program = || {
        let v = SharedVec::new(16, 0);
        finish(|s| {
            for n in 0..8 {
                let v = &v;
                s.spawn(move |_| (0..3).for_each(|i| v.set(n * 2 + i - n / 7, n)));
            }
        });
    };
    let first = heddle::check(program).races().count();
    assert!(first > 0);
    for round in 0..100 {
        let report = Checker::new().parallel(round % 3).check(program);
        assert_eq!(report.races().count(), first);
    }
}
