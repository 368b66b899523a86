//! Sizes: what must stay quick, told by counting, not by the clock.

use heddle_core::Decision;
use heddle_lang::cuts::Cuts;
use heddle_transactions::Exact;

use crate::{found, separations, try_with};

#[test]
fn a_hundred_thousand_transactions_with_a_million_accesses_are_checked() {
    let source = "shared a[10000], total; finish {
        for i in 0..10000 { async {
            for k in 0..10 {
                for j in 0..9 { a[i] = a[i] + 1; }
                cut;
            }
            total = total + a[i];
        } } }";
    let (_, checked) = try_with(source, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    assert_eq!(separations(&checked).count(), 0);
    let counts = checked
        .outcome
        .transactions
        .expect("transactions were checked");
    assert!(counts.transactions >= 100_000, "{counts:?}");
}

#[test]
fn neighbours_in_a_chain_are_not_searched_from_end_to_end() {
    // Every task shares a cell with the next one: one component, but no cycle.
    let source = "shared a[20001]; finish {
        for i in 0..20000 { async { write a[i]; cut; write a[i + 1]; } } }";
    assert_eq!(found(source), []);
}

#[test]
fn a_cycle_over_twelve_tasks_is_confirmed() {
    let tasks: String = (0..12)
        .map(|i| format!("async {{ write a[{i}]; cut; write a[{}]; }} ", (i + 1) % 12))
        .collect();
    let found = found(&format!("shared a[12]; finish {{ {tasks} }}"));
    assert_eq!(found.len(), 12, "each task's separation is one: {found:?}");
    assert!(found.iter().all(|one| one.1 == Decision::Replayed));
}

#[test]
fn many_tasks_with_the_same_defect_are_one_finding() {
    let source = "shared x, y; finish {
        for i in 0..2000 { async { x = x + 1; cut; y = y + 1; } } }";
    assert_eq!(found(source).len(), 1);
}
