//! Known bugs that no race detector sees, each with its mended twin.

use super::*;
use heddle::{AtomicGroup, Mutex, RwLock, Shared, isolated};
use std::collections::HashMap;

#[test]
fn a_withdrawal_that_is_checked_and_then_made() {
    let program = |in_one: bool| {
        let account = Mutex::named("account", 100);
        let withdraw = |amount| {
            if in_one {
                let mut account = account.lock().unwrap();
                if *account >= amount {
                    *account -= amount;
                }
            } else if *account.lock().unwrap() >= amount {
                *account.lock().unwrap() -= amount;
            }
        };
        both(|| withdraw(30), || withdraw(40));
    };
    assert_eq!(torn(|| program(false)), only("account"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn a_transfer_that_an_audit_sees_half_made() {
    let program = |in_one: bool| {
        let (from, to) = (Shared::new(100).named("from"), Shared::new(0).named("to"));
        AtomicGroup::new().with(&from).with(&to);
        let transfer = || match in_one {
            true => isolated(|| {
                from.add(-10);
                to.add(10);
            }),
            false => {
                isolated(|| from.add(-10));
                isolated(|| to.add(10));
            }
        };
        both(transfer, || isolated(|| from.get() + to.get()));
    };
    assert_eq!(torn(|| program(false)), only("from,to"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn a_table_that_is_looked_up_as_a_reader_and_filled_as_a_writer() {
    let program = |in_one: bool| {
        let table = RwLock::named("table", HashMap::new());
        let number = |word: &'static str| match in_one {
            true => {
                let mut table = table.write().unwrap();
                let next = table.len();
                table.insert(word, next);
            }
            false => {
                let next = table.read().unwrap().len();
                table.write().unwrap().insert(word, next);
            }
        };
        both(|| number("warp"), || number("weft"));
    };
    assert_eq!(torn(|| program(false)), only("table"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn a_stack_that_is_asked_whether_it_is_empty() {
    let program = |in_one: bool| {
        let stack = Mutex::named("stack", vec![1, 2, 3]);
        let pop = || {
            let is_empty = !in_one && stack.lock().unwrap().is_empty();
            if !is_empty {
                stack.lock().unwrap().pop();
            }
        };
        both(pop, pop);
    };
    assert_eq!(torn(|| program(false)), only("stack"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}
