//! Blocks that are atomic as a whole.

use super::*;
use heddle::{Shared, atomically, isolated};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads and writes `x` around a task operation.
fn update(x: &Shared<i32>) {
    let seen = isolated(|| x.get());
    finish(|s| s.spawn(|_| ()));
    isolated(|| x.set(seen + 1));
}

#[test]
fn a_block_goes_on_across_task_operations() {
    let program = |block: bool| {
        let x = Shared::new(0).named("x").atomic();
        both(
            || match block {
                true => atomically(|| update(&x)),
                false => update(&x),
            },
            || isolated(|| x.set(7)),
        );
    };
    assert_eq!(torn(|| program(true)), only("x"));
    assert_eq!(torn(|| program(false)), BTreeSet::new());
}

#[test]
fn what_lies_behind_a_block_is_another_region() {
    let program = |ends: bool| {
        let x = Shared::new(0).named("x").atomic();
        both(
            || {
                atomically(|| {
                    isolated(|| x.set(1));
                    if !ends {
                        isolated(|| x.set(2));
                    }
                });
                isolated(|| x.set(3));
            },
            || isolated(|| x.get()),
        );
    };
    assert_eq!(torn(|| program(false)), only("x"));
    assert_eq!(torn(|| program(true)), BTreeSet::new());
}

#[test]
fn of_nested_blocks_the_outermost_counts() {
    let found = torn(|| {
        let x = Shared::new(0).named("x").atomic();
        both(
            || {
                atomically(|| {
                    atomically(|| isolated(|| x.set(1)));
                    atomically(|| isolated(|| x.get()));
                })
            },
            || isolated(|| x.set(3)),
        );
    });
    assert_eq!(found, only("x"));
}

#[test]
fn a_block_can_be_torn_by_a_task_it_spawns() {
    let found = torn(|| {
        let x = Shared::new(0).named("x").atomic();
        finish(|s| {
            atomically(|| {
                isolated(|| x.get());
                s.spawn(|_| isolated(|| x.set(1)));
                isolated(|| x.get());
            });
        });
    });
    assert_eq!(found, only("x"));
}

#[test]
fn a_panic_ends_its_block() {
    let found = torn(|| {
        let x = Shared::new(0).atomic();
        let caught = || {
            let block = AssertUnwindSafe(|| {
                atomically(|| {
                    isolated(|| x.set(1));
                    std::panic::resume_unwind(Box::new("in the block"));
                })
            });
            let result: Result<(), _> = catch_unwind(block);
            assert!(result.is_err());
            isolated(|| x.set(2));
        };
        both(caught, || isolated(|| x.get()));
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn outside_of_a_check_a_block_is_its_body() {
    assert_eq!(atomically(|| 7), 7);
}
