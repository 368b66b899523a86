//! Locks and `isolated` in programs with cuts.

use heddle_core::LockId;
use heddle_lang::cuts::Cuts;
use heddle_transactions::Exact;

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
fn a_rule_does_not_cut_a_section() {
    let source = "shared x; finish {
        async { isolated { x = x + 1; } }
        async { isolated { x = x + 1; } } }";
    assert_eq!(found_with(source, Cuts::Access), []);
    let source = "shared x; finish { async { x = x + 1; } async { x = x + 1; } }";
    assert_eq!(found_with(source, Cuts::Access).len(), 1);
}
