//! Sections of a mutex, and what is handed over from one to the next.

use super::*;

#[test]
fn sections_of_one_mutex_do_not_race() {
    assert_clean(|| {
        let (m, x) = (Mutex::new(()), Shared::new(0));
        let add = || {
            let _guard = m.lock().unwrap();
            x.add(1);
        };
        both(add, add);
        assert_eq!(x.get(), 2);
    });
}

#[test]
fn sections_of_two_mutexes_race() {
    let (m, n, x) = (Mutex::new(()), Mutex::new(()), Shared::new(0));
    let add = |m: &Mutex<()>| {
        let _guard = m.lock().unwrap();
        x.set(1);
    };
    let found = certainties(|| both(|| add(&m), || add(&n)));
    assert_eq!(found, [Certainty::Certain]);
}

#[test]
fn a_race_after_sections_that_hand_nothing_over_is_certain() {
    let (m, x) = (Mutex::new(0), Shared::new(0));
    let look = || drop(m.lock().unwrap());
    let found = certainties(|| {
        both(
            || {
                x.set(1);
                look();
            },
            || {
                look();
                x.set(2);
            },
        )
    });
    assert_eq!(found, [Certainty::Certain]);
}

#[test]
fn a_race_that_a_hand_off_forbids_is_possible() {
    let (m, x) = (Mutex::new(false), Shared::new(0));
    let found = certainties(|| {
        both(
            || {
                x.set(1);
                *m.lock().unwrap() = true;
            },
            || {
                if *m.lock().unwrap() {
                    x.set(2);
                }
            },
        )
    });
    assert_eq!(found, [Certainty::Possible]);
}

#[test]
fn a_mutex_that_the_spawner_holds_is_a_deadlock_and_said_so() {
    let m = Mutex::new(0);
    let line = line!() + 3;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        Checker::new().parallel(0).check(|| {
            let guard = m.lock().unwrap();
            finish(|s| s.spawn(|_| drop(m.lock())));
            drop(guard);
        })
    }));
    let message = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("deadlock: this Mutex is held since"),
        "{message}"
    );
    assert!(message.contains(&format!("mutex.rs:{line}:")), "{message}");
}

#[test]
#[should_panic(expected = "deadlock: this Mutex is already held here, since")]
fn taking_a_mutex_twice_is_a_deadlock() {
    let m = Mutex::new(0);
    let _first = m.lock();
    drop(m.lock());
}

#[test]
fn a_holder_that_panics_poisons_and_the_section_is_over() {
    let (m, x) = (Mutex::new(0), Shared::new(0));
    check(|| {
        let holder = AssertUnwindSafe(|| {
            let _guard = m.lock().unwrap();
            panic!("in the section");
        });
        assert!(catch_unwind(holder).is_err());
        assert!(m.is_poisoned() && m.lock().is_err());
        m.clear_poison();
        *m.lock().unwrap() += 1;
    })
    .assert_clean();
    let found = certainties(|| both(|| x.set(1), || x.set(2)));
    assert_eq!(found, [Certainty::Certain]);
}

#[test]
fn a_guard_from_before_the_check_is_no_section_of_it() {
    let m = Mutex::new(0);
    let guard = m.lock().unwrap();
    let x = Shared::new(0);
    let report = check(|| both(|| x.set(1), || x.set(2)));
    drop(guard);
    assert!(!report.is_clean());
}

#[test]
fn a_taken_mutex_is_not_taken_by_trying() {
    let m = Mutex::new(0);
    check(|| {
        let guard = m.try_lock().unwrap();
        assert!(m.try_lock().is_err());
        drop(guard);
        assert!(m.try_lock().is_ok());
    })
    .assert_clean();
}
