//! Programs whose findings are answered in `heddle.toml`, beside this file.

use super::check;
use heddle::{Shared, cut, join};

#[test]
fn what_is_marked_harmless_is_counted_and_not_reported() {
    let hits = Shared::new(0).named("hits");
    let count = || {
        let seen = hits.get();
        cut();
        hits.set(seen + 1);
    };
    let report = check(|| {
        join(count, count);
    });
    report.assert_clean();
    assert_eq!(report.visible_cuts().count(), 0);
    assert!(report.to_string().contains("1 suppressed"), "{report}");
    assert!(report.to_json().contains("\"suppressed\": 1"));
    assert_eq!(report.unused_answers().count(), 0);
}

#[test]
fn what_is_to_be_merged_is_checked_as_one_transaction() {
    let head = Shared::new(0).named("head");
    let insert = |node| {
        let next = head.get();
        cut();
        head.set(node);
        next
    };
    let report = check(|| {
        join(|| insert(1), || insert(2));
    });
    report.assert_clean();
    assert!(!report.to_string().contains("suppressed"), "{report}");
    assert_eq!(report.unused_answers().count(), 0);
}

#[test]
fn an_answer_for_which_there_is_no_finding_is_told() {
    let total = Shared::new(0).named("total");
    let report = check(|| {
        let before = total.get();
        cut();
        total.set(before + 2);
    });
    report.assert_clean();
    let unused: Vec<&str> = report.unused_answers().collect();
    let [warning] = unused.as_slice() else {
        panic!("{unused:?}");
    };
    for part in [
        "unused harmless: there is no such finding",
        "answered/heddle.toml:",
    ] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
}

#[test]
fn answers_for_what_did_not_run_are_left_alone() {
    let other = Shared::new(0).named("other");
    let report = check(|| {
        join(|| other.get(), cut);
    });
    assert_eq!(report.unused_answers().count(), 0);
}
