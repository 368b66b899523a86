//! Operations on atomics, and what their orderings hand over.

use super::*;
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

#[test]
fn operations_on_an_atomic_never_race() {
    assert_clean(|| {
        let count = AtomicUsize::new(0);
        let add = || {
            count.fetch_add(1, Relaxed);
            count.fetch_max(1, SeqCst);
        };
        both(add, add);
        assert_eq!(count.load(Relaxed), 2);
    });
}

/// The certainty of a race on data that a flag is set for with `store` and looked at with `load`.
fn flagged(store: Ordering, load: Ordering) -> Vec<Certainty> {
    let (data, ready) = (Shared::new(0), AtomicBool::new(false));
    certainties(|| {
        both(
            || {
                data.set(1);
                ready.store(true, store);
            },
            || ready.load(load).then(|| data.get()),
        )
    })
}

#[test]
fn a_release_seen_by_an_acquire_is_a_hand_off() {
    assert_eq!(flagged(Release, Acquire), [Certainty::Possible]);
    assert_eq!(flagged(SeqCst, SeqCst), [Certainty::Possible]);
}

#[test]
fn with_a_relaxed_side_there_is_none() {
    assert_eq!(flagged(Relaxed, Acquire), [Certainty::Certain]);
    assert_eq!(flagged(Release, Relaxed), [Certainty::Certain]);
    assert_eq!(flagged(Relaxed, Relaxed), [Certainty::Certain]);
}

#[test]
fn a_relaxed_store_covers_an_earlier_release() {
    let (data, flag) = (Shared::new(0), AtomicUsize::new(0));
    let found = certainties(|| {
        both(
            || {
                data.set(1);
                flag.store(1, Release);
                flag.store(2, Relaxed);
            },
            || {
                flag.load(Acquire);
                data.get();
            },
        )
    });
    assert_eq!(found, [Certainty::Certain]);
}

#[test]
fn a_relaxed_change_does_not() {
    let (data, flag) = (Shared::new(0), AtomicUsize::new(0));
    let found = certainties(|| {
        both(
            || {
                data.set(1);
                flag.store(1, Release);
                flag.fetch_add(1, Relaxed);
            },
            || {
                flag.load(Acquire);
                data.get();
            },
        )
    });
    assert_eq!(found, [Certainty::Possible]);
}

#[test]
fn whoever_acquires_last_sees_all_releases_of_a_chain() {
    let (a, b, arrived) = (Shared::new(0), Shared::new(0), AtomicUsize::new(0));
    let found = certainties(|| {
        finish(|s| {
            for x in [&a, &b] {
                let arrived = &arrived;
                s.spawn(move |_| {
                    x.set(1);
                    arrived.fetch_add(1, Release);
                });
            }
            s.spawn(|_| {
                if arrived.load(Acquire) == 2 {
                    a.get();
                    b.get();
                }
            });
        });
    });
    assert_eq!(found, [Certainty::Possible; 2]);
}

#[test]
fn a_failed_exchange_only_loads() {
    let (data, flag) = (Shared::new(0), AtomicUsize::new(0));
    let found = certainties(|| {
        both(
            || {
                data.set(1);
                assert!(flag.compare_exchange(5, 6, AcqRel, Acquire).is_err());
            },
            || {
                assert_eq!(flag.load(Acquire), 0);
                data.get();
            },
        )
    });
    assert_eq!(found, [Certainty::Certain]);
}

#[test]
fn a_wrong_ordering_panics_as_in_std_and_harms_nothing() {
    let flag = AtomicBool::new(false);
    check(|| {
        let wrong = AssertUnwindSafe(|| flag.load(Release));
        assert!(catch_unwind(wrong).is_err());
        flag.store(true, Release);
        assert!(flag.load(Acquire));
    })
    .assert_clean();
}
