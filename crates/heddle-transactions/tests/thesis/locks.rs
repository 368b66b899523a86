//! Locks and `isolated` in programs with cuts.

use heddle_core::LockId;
use heddle_lang::cuts::Cuts;
use heddle_transactions::{EndedBy, Exact};

use crate::{found, found_with, try_with};

#[test]
fn a_section_within_a_transaction_changes_nothing() {
    let source = "shared x; lock L; finish {
        async { with L { x = x + 1; } cut; skip; }
        async { with L { x = x + 1; } } }";
    assert_eq!(found(source), []);
    let source = "shared x; finish {
        async { isolated { read x; } cut; isolated { x = 1; } }
        async { isolated { x = 2; } } }";
    assert_eq!(found(source).len(), 1, "sections do not join transactions");
}

#[test]
fn a_cut_in_a_section_is_rejected() {
    let source = "shared x; lock L; with L { x = 1; cut; x = 2; }";
    let rejected = try_with(source, Cuts::Manual, Exact::Quick).err();
    assert_eq!(rejected.map(|why| why.lock), Some(LockId::new(1)));
    let source = "shared x; isolated { x = 1; cut; x = 2; }";
    let rejected = try_with(source, Cuts::Manual, Exact::Quick).err();
    assert_eq!(rejected.map(|why| why.lock), Some(LockId::ISOLATED));
}

#[test]
fn a_lock_held_across_a_task_operation_is_rejected() {
    for operation in [
        "async { skip; }",
        "finish { skip; }",
        "await r;",
        "let v = get(f);",
    ] {
        let source = format!(
            "shared x; lock L; event e; region r; future f {{ return 1; }} post r {{ skip; }}
             finish {{ x = 1; cut; with L {{ x = 2; {operation} x = 3; }} }}"
        );
        let rejected = try_with(&source, Cuts::Manual, Exact::Quick).err();
        let why = rejected.map(|why| (why.by, why.lock));
        let expected = Some((EndedBy::TaskOperation, LockId::new(1)));
        assert_eq!(why, expected, "{operation}");
    }
    let source = "shared x; lock L; event e; finish {
        async { x = 1; cut; with L { x = 2; satisfy e; x = 3; } }
        task W after e { skip; } }";
    let rejected = try_with(source, Cuts::Manual, Exact::Quick).err();
    assert_eq!(rejected.map(|why| why.lock), Some(LockId::new(1)));
    let source = source.replace(" after e", "");
    assert_eq!(found(&source), [], "nobody waits for the event");
    let source = "shared x; lock L; finish {
        async { with L { x = 1; } finish { async { with L { x = 2; } } } cut; } }";
    assert_eq!(found(source), [], "given back before");
}

#[test]
fn a_rule_does_not_cut_a_section() {
    let source = "shared x; finish {
        async { isolated { x = x + 1; } }
        async { isolated { x = x + 1; } } }";
    assert_eq!(found_with(source, Cuts::Access), []);
    let source = "shared x; finish { async { x = x + 1; } async { x = x + 1; } }";
    assert_eq!(found_with(source, Cuts::Access).len(), 1);
}
