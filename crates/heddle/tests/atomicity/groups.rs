//! Data that belongs together.

use super::*;
use heddle::{AtomicGroup, Shared, Shared2d, SharedVec, isolated};

/// A task that does one thing and another, in one section or in two, beside one that does a third.
fn beside<A, B, C>(
    sections: u32,
    one: impl Fn() -> A + Sync,
    other: impl Fn() -> B + Sync,
    third: impl Fn() -> C + Sync,
) {
    both(
        || match sections {
            1 => isolated(|| {
                one();
                other();
            }),
            _ => {
                isolated(&one);
                isolated(&other);
            }
        },
        || isolated(&third),
    );
}

#[test]
fn members_are_torn_by_whoever_comes_between_accesses_to_two_of_them() {
    for (sections, expected) in [(1, BTreeSet::new()), (2, only("x,y"))] {
        let program = |reads: bool| {
            let (x, y) = (Shared::new(0).named("x"), Shared::new(0).named("y"));
            AtomicGroup::new().with(&x).with(&y);
            match reads {
                true => beside(sections, || x.get(), || y.get(), || y.set(1)),
                false => beside(sections, || x.set(1), || y.set(2), || x.get()),
            }
        };
        assert_eq!(torn(|| program(true)), expected);
        assert_eq!(torn(|| program(false)), expected);
    }
}

#[test]
fn without_a_group_two_variables_are_no_pair() {
    let found = torn(|| {
        let (x, y) = (Shared::new(0).atomic(), Shared::new(0).atomic());
        beside(2, || x.get(), || y.get(), || y.set(1));
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_buffer_and_its_length_belong_together() {
    let found = torn(|| {
        let (len, buffer) = (
            Shared::new(0).named("len"),
            SharedVec::new(4, 0).named("buffer"),
        );
        AtomicGroup::new().with(&len).with(&buffer);
        let push = || {
            let at = isolated(|| len.get());
            isolated(|| {
                buffer.set(at, 7);
                len.set(at + 1);
            });
        };
        both(push, || isolated(|| len.set(0)));
    });
    assert_eq!(found, only("len,buffer"));
}

#[test]
fn two_groups_do_not_concern_each_other() {
    let found = torn(|| {
        let [a, b, c, d] = [1, 2, 3, 4].map(Shared::new);
        AtomicGroup::new().with(&a).with(&b);
        AtomicGroup::new().with(&c).with(&d);
        beside(2, || a.get(), || c.get(), || b.set(1));
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn rows_of_a_grid_can_be_members() {
    let found = torn(|| {
        let grid = Shared2d::new(3, 3, 0).named("grid");
        AtomicGroup::new().with(&grid.row(0)).with(&grid.row(2));
        beside(
            2,
            || grid.set(0, 1, 5),
            || grid.set(2, 0, 5),
            || grid.get(2, 2),
        );
        beside(
            2,
            || grid.set(1, 1, 5),
            || grid.set(1, 0, 5),
            || grid.get(1, 1),
        );
    });
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn what_is_declared_before_a_check_counts_in_it_and_only_while_it_lives() {
    let x = Shared::new(0).named("x").atomic();
    assert_eq!(
        torn(|| beside(2, || x.set(1), || x.set(2), || x.set(3))),
        only("x")
    );
    drop(x);
    let found = torn(|| {
        let y = Shared::new(0);
        beside(2, || y.set(1), || y.set(2), || y.set(3));
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn names_of_what_was_torn_survive_its_drop() {
    let report = heddle::check(|| {
        let (x, y) = (Shared::new(0).named("x"), Shared::new(0).named("y"));
        AtomicGroup::new().with(&x).with(&y);
        beside(2, || x.set(1), || y.set(2), || y.get());
        drop((x, y));
        let _others = [1, 2].map(|value| Shared::new(value).named("z"));
    });
    assert_eq!(certain(&report), only("x,y"));
    assert!(report.to_string().contains("writes x"), "{report}");
}
