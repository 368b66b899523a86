//! A million tasks side by side, recursion a hundred thousand deep: in every mode.

use heddle::{Checker, Shared, SharedVec, finish, join, par_for};

const WIDE: usize = 1_000_000;
const DEEP: usize = 100_000;

fn wide() {
    let v = SharedVec::new(1000, 0u32);
    finish(|s| {
        for n in 0..WIDE {
            let v = &v;
            s.spawn(move |_| {
                v.get(n % 1000);
            });
        }
    });
    v.set(0, 1);
}

fn deep(x: &Shared<usize>, level: usize) {
    if level < DEEP {
        finish(|s| s.spawn(|_| deep(x, level + 1)));
        x.set(level);
    }
}

fn deep_join(level: usize) -> usize {
    match level {
        0 => 0,
        _ => join(|| deep_join(level - 1), || 1).0 + 1,
    }
}

/// Tasks that spawn into one finish, each the next.
fn chain() {
    fn next<'scope>(s: &'scope heddle::Scope<'scope, '_>, x: &'scope Shared<usize>, level: usize) {
        x.set(level);
        if level < DEEP {
            s.spawn(move |s| next(s, x, level + 1));
        }
    }
    let x = Shared::new(0);
    finish(|s| next(s, &x, 0));
    assert_eq!(x.get(), DEEP);
}

#[test]
fn a_million_tasks_are_checked_serially_and_in_parallel() {
    for threads in [0, 2] {
        let report = Checker::new().parallel(threads).check(wide);
        report.assert_clean();
        assert_eq!(report.stats().tasks as usize, WIDE + 1);
    }
}

#[test]
fn tasks_that_race_on_one_location_may_be_many() {
    for threads in [0, 2] {
        let report = Checker::new().parallel(threads).check(|| {
            let last = Shared::new(0);
            par_for(0..WIDE / 4, |n| last.set(n));
        });
        assert_eq!(report.races().count(), 1);
    }
}

#[test]
fn recursion_may_be_deep() {
    for threads in [0, 2] {
        let checker = Checker::new().parallel(threads);
        let report = checker.check(|| deep(&Shared::new(0), 0));
        report.assert_clean();
        assert_eq!(report.stats().tasks as usize, DEEP + 1);
        checker
            .check(|| assert_eq!(deep_join(DEEP), DEEP))
            .assert_clean();
        checker.check(chain).assert_clean();
    }
}

#[test]
fn recursion_may_be_deep_outside_of_a_check_too() {
    deep(&Shared::new(0), 0);
    heddle::sequential(|| deep(&Shared::new(0), 0));
    chain();
    assert_eq!(deep_join(DEEP), DEEP);
}

#[test]
fn a_panic_comes_up_from_the_depth() {
    fn dive(level: usize) {
        match level {
            0 => panic!("bottom"),
            _ => finish(|s| s.spawn(move |_| dive(level - 1))),
        }
    }
    for threads in [0, 2] {
        let checker = Checker::new().parallel(threads);
        let result = std::panic::catch_unwind(|| checker.check(|| dive(5_000)));
        let payload = result.expect_err("it panics");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"bottom"));
    }
}
