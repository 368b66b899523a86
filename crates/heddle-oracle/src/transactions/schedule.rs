//! All schedules of a program (Definition 4), by trying at each step every transaction that may be next.

use super::model::{Atomization, Transaction};

/// A total ordering of the transactions that keeps the thread and transaction constraints.
pub type Schedule = Vec<Transaction>;

/// All schedules; `None` if there are more than `limit`.
pub fn schedules(program: &Atomization, limit: usize) -> Option<Vec<Schedule>> {
    let transactions: Vec<Transaction> = program.transactions().collect();
    let mut found = Vec::new();
    let mut prefix = Vec::new();
    extend(program, &transactions, &mut prefix, limit, &mut found).then_some(found)
}

/// Adds every schedule that starts like this; false once there are too many.
fn extend(
    program: &Atomization,
    transactions: &[Transaction],
    prefix: &mut Schedule,
    limit: usize,
    found: &mut Vec<Schedule>,
) -> bool {
    if prefix.len() == transactions.len() {
        found.push(prefix.clone());
        return found.len() <= limit;
    }
    for &next in transactions {
        if prefix.contains(&next) || !may_be_next(program, transactions, prefix, next) {
            continue;
        }
        prefix.push(next);
        let goes_on = extend(program, transactions, prefix, limit, found);
        prefix.pop();
        if !goes_on {
            return false;
        }
    }
    true
}

/// Whether all that must come before it has come.
fn may_be_next(
    program: &Atomization,
    transactions: &[Transaction],
    prefix: &[Transaction],
    next: Transaction,
) -> bool {
    let must_come_first = |one: &&Transaction| {
        let same_thread = one.thread == next.thread && one.index < next.index;
        same_thread || program.precedes(one.thread, next.thread)
    };
    let mut first = transactions.iter().filter(must_come_first);
    first.all(|one| prefix.contains(one))
}
