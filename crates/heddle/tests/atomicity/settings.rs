//! What a checker looks for, and by which order.

use super::*;
use heddle::{Analysis, Mutex, Order, Shared, isolated};

/// Both a race on y and a torn x.
fn both_defects() {
    let (x, y) = (
        Shared::new(0).named("x").atomic(),
        Shared::new(0).named("y"),
    );
    let work = || {
        let seen = isolated(|| x.get());
        isolated(|| x.set(seen + 1));
        y.set(1);
    };
    both(work, work);
}

#[test]
fn analyses_can_be_chosen() {
    let found = |analyses: &[Analysis]| {
        let checker = Checker::new().analyses(analyses.iter().copied());
        let report = checker.check(both_defects);
        (report.races().count(), report.torn().count())
    };
    assert_eq!(found(&[Analysis::Races]), (1, 0));
    assert_eq!(found(&[Analysis::Atomicity]), (0, 1));
    assert_eq!(found(&[Analysis::Races, Analysis::Atomicity]), (1, 1));
}

#[test]
fn with_all_data_atomic_undeclared_updates_are_found_and_ranked() {
    let program = || {
        let x = Shared::new(0).named("x");
        let update = || {
            let seen = isolated(|| x.get());
            isolated(|| x.set(seen + 1));
        };
        both(update, update);
    };
    let report = Checker::new().atomic_all().check(program);
    assert!(report.torn().map(location).eq(["x"]), "{report}");
    assert!(report.torn().all(|finding| finding.rank == 1), "{report}");
    Checker::new().check(program).assert_clean();
}

#[test]
fn with_all_data_atomic_independent_sections_of_a_lock_stay_clean() {
    let program = || {
        let (total, log) = (Mutex::new(0), Mutex::new(vec![0]).independent());
        let add = || {
            *total.lock().unwrap() += 1;
            *total.lock().unwrap() += 2;
            let len = log.lock().unwrap().len();
            log.lock().unwrap().push(len);
        };
        both(add, add);
    };
    Checker::new().atomic_all().check(program).assert_clean();
}

#[test]
fn orders_by_name_find_the_same() {
    for order in [Order::Auto, Order::Bags, Order::Tree, Order::Graph] {
        let checker = Checker::new().parallel(0).order(order);
        let report = checker.check(both_defects);
        assert_eq!(certain(&report), only("x"), "{order:?}");
    }
}

#[test]
fn an_atomic_lock_is_left_to_the_default_order() {
    let lock = Mutex::new(0).atomic();
    let checker = Checker::new().parallel(0).order(Order::Graph);
    let run = std::panic::AssertUnwindSafe(|| checker.check(|| drop(lock.lock())));
    let message = std::panic::catch_unwind(run).expect_err("it cannot be judged");
    let message = message.downcast::<String>().expect("a text");
    assert!(
        message.contains("only Order::Auto can judge a lock whose value is atomic"),
        "{message}"
    );
}
