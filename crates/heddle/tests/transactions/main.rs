//! Transactions of Rust programs: which cuts can be seen, and the programmer's answers beside the source.

mod answered;
mod wrong;

use heddle::{Analysis, Checker, Guarantee, Mutex, Report, Shared, SharedVec, cut, finish, join};

fn check(body: impl FnOnce() + Send) -> Report {
    Checker::new()
        .parallel(0)
        .analyses([Analysis::Transactions])
        .check(body)
}

/// Huang, chapter 1: two inserts at the head of a list, cut in the given places.
fn inserts(before: fn(), between: fn()) -> Report {
    let head = Shared::new(0).named("head");
    let next = SharedVec::new(2, 0).named("next");
    let data = SharedVec::new(2, 0).named("data");
    let insert = |node: usize| {
        data.set(node, 1);
        before();
        next.set(node, head.get());
        between();
        head.set(node + 1);
    };
    check(|| {
        join(|| insert(0), || insert(1));
    })
}

fn nothing() {}

#[test]
fn a_list_insert_is_right_uncut_and_cut_before_it_reads_the_head() {
    for before in [nothing, cut as fn()] {
        let report = inserts(before, nothing);
        assert_eq!(report.visible_cuts().count(), 0, "{report}");
        assert_eq!(report.guarantee(), Guarantee::KeepingAccesses);
    }
}

#[test]
fn a_cut_between_the_two_accesses_to_the_head_can_be_seen() {
    let head = Shared::new(0).named("head");
    let insert = |node: usize| {
        let _next = head.get();
        cut();
        head.set(node);
    };
    let report = check(|| {
        join(|| insert(1), || insert(2));
    });
    let seen: Vec<_> = report.visible_cuts().collect();
    let [finding] = seen.as_slice() else {
        panic!("{report}");
    };
    assert_eq!(finding.location.as_deref(), Some("head"));
    assert_eq!(finding.decision, Some("confirmed"));
    assert_eq!((finding.cuts.len(), finding.schedule.len()), (1, 3));
    let text = report.to_string();
    for part in [
        "is not atomic from the read of head at",
        "can come between",
        "take away the cut at",
        "heddle accept --harmless crates/heddle/tests/transactions/main.rs",
        "guarantee: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = report.to_json();
    for part in ["\"kind\": \"transaction\"", "\"decision\": \"confirmed\""] {
        assert!(json.contains(part), "{part}: {json}");
    }
}

#[test]
fn a_cycle_over_three_tasks_is_found() {
    let [x, y] = [Shared::new(0).named("x"), Shared::new(0).named("y")];
    let report = check(|| {
        finish(|s| {
            s.spawn(|_| {
                x.set(1);
                cut();
                y.get();
            });
            s.spawn(|_| {
                x.get();
                y.set(1);
            });
        });
    });
    assert_eq!(report.visible_cuts().count(), 1, "{report}");
}

#[test]
#[should_panic(expected = "a cut at crates/heddle/tests/transactions/main.rs")]
fn a_cut_while_a_lock_is_held_is_refused() {
    let lock = Mutex::new(0);
    check(|| {
        let _held = lock.lock();
        cut();
    });
}
