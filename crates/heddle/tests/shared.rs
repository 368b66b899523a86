//! Shared data: every access is checked, at its own position, element by element, in both ways of
//! running tasks; and nothing else is.

use heddle::{Checker, Report, Shared, Shared2d, SharedVec, check, finish, sequential};
use std::collections::BTreeSet;
use std::ops::Bound;

/// The reports of a serial run and of one on two threads.
fn reports(program: impl Fn() + Sync) -> [Report; 2] {
    [Checker::new(), Checker::new().parallel(2)].map(|checker| checker.check(&program))
}

fn assert_clean(program: impl Fn() + Sync) {
    reports(program).iter().for_each(Report::assert_clean);
}

/// Fails unless both runs find races on exactly these numbers of elements.
fn assert_racy(elements: usize, program: impl Fn() + Sync) {
    for report in reports(program) {
        let locations: BTreeSet<_> = report.races().map(|race| &race.location).collect();
        assert_eq!(locations.len(), elements, "{report}");
    }
}

/// Runs two tasks beside each other.
fn both<A, B>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) {
    finish(|s| {
        s.spawn(|_| drop(a()));
        s.spawn(|_| drop(b()));
    });
}

#[test]
fn an_update_is_a_read_and_a_write() {
    assert_racy(1, || {
        let x = Shared::new(0);
        both(|| x.update(|x| x + 1), || x.get());
    });
    assert_clean(|| {
        let x = Shared::new(0);
        both(|| x.get(), || x.get());
    });
}

#[test]
fn elements_of_a_vec_are_apart() {
    assert_clean(|| {
        let v = SharedVec::new(2, 0u8);
        both(|| v.set(0, 1), || v.add(1, 1));
    });
    assert_racy(1, || {
        let v = SharedVec::new(3, 0u8);
        both(|| v.set(1, 1), || v.swap(1, 2));
    });
}

#[test]
fn both_sides_of_a_race_have_the_position_of_the_call() {
    let v = SharedVec::new(4, 0);
    let line = line!() + 1;
    let report = check(|| both(|| v.fill(1..3, 1), || assert_eq!(v.get(3) + v.get(2), 1)));
    let races: Vec<_> = report.races().collect();
    let [race] = races[..] else {
        panic!("{report}");
    };
    let positions = race.accesses.iter().flat_map(|access| &access.position);
    for position in positions {
        assert!(
            position.file.path().ends_with("tests/shared.rs"),
            "{report}"
        );
        assert_eq!(position.line, line, "{report}");
    }
}

#[test]
fn range_operations_touch_their_range_and_nothing_else() {
    let clean_beside = |touch: fn(&SharedVec<u32>)| {
        assert_clean(|| {
            let v = SharedVec::new(9, 0);
            both(|| touch(&v), || v.fill(..3, 1));
        });
        assert_clean(|| {
            let v = SharedVec::new(9, 0);
            both(|| v.fill(6.., 1), || touch(&v));
        });
        assert_racy(3, || {
            let v = SharedVec::new(9, 0);
            both(|| v.fill(.., 1), || touch(&v));
        });
    };
    clean_beside(|v| v.fill(3..6, 2));
    clean_beside(|v| v.map_range(3..6, |_, x| x + 1));
    clean_beside(|v| v.write_from(3..6, &[1, 2, 3]));
    clean_beside(|v| v.read_into(3..6, &mut [0; 3]));
    clean_beside(|v| drop(v.slice(3..6).to_vec()));
    clean_beside(|v| assert!(v.iter_range(3..=5).max() < Some(9)));
    let open_interval = (Bound::Excluded(1), Bound::Excluded(5));
    assert_eq!(
        SharedVec::from([0, 1, 2, 3, 4, 5, 6])
            .slice(1..)
            .slice(open_interval)
            .to_vec(),
        [3, 4, 5]
    );
}

#[test]
fn an_iterator_that_outlives_its_strand_is_checked_again() {
    assert_racy(2, || {
        let v = SharedVec::new(3, 0);
        let mut values = v.iter();
        values.next();
        finish(|s| {
            s.spawn(|_| v.fill(.., 1));
            values.next();
        });
    });
}

#[test]
fn a_map_whose_function_spawns_is_checked_again() {
    assert_racy(2, || {
        let v = SharedVec::new(3, 0);
        finish(|s| {
            v.map_range(.., |i, x| {
                if i == 1 {
                    s.spawn(|_| v.fill(.., 1));
                }
                x
            });
        });
    });
}

#[test]
fn an_iterator_moved_into_a_task_reads_as_that_task() {
    let v = SharedVec::new(3, 0);
    let values = v.iter();
    let report = check(|| both(|| values.sum::<i32>(), || v.set(2, 1)));
    assert_eq!(report.races().count(), 1, "{report}");
}

#[test]
fn rows_and_blocks_are_apart_where_they_do_not_overlap() {
    assert_clean(|| {
        let grid = Shared2d::new(4, 4, 0.0);
        both(|| grid.row(1).fill(.., 1.0), || grid.row(2).fill(.., 1.0));
        both(
            || grid.block(.., ..2).fill(1.0),
            || grid.block(1.., 2..).fill(1.0),
        );
    });
    assert_racy(2, || {
        let grid = Shared2d::new(4, 4, 0.0);
        both(
            || grid.block(..3, 1..=1).fill(1.0),
            || grid.block(1.., ..).fill(1.0),
        );
    });
}

#[test]
fn exclusive_access_needs_no_check() {
    let mut v = SharedVec::new(2, 0);
    let mut x = Shared::new(0);
    check(|| {
        both(|| v.set(0, 1), || x.set(1));
        v.as_mut_slice()[1] = 2;
        *x.get_mut() += 1;
        both(|| v.get(1), || v.get(1));
    })
    .assert_clean();
    assert_eq!((v.into_vec(), x.into_inner()), (vec![1, 2], 2));
}

#[test]
fn values_made_and_dropped_in_parallel_tasks_never_race() {
    let work = |len: usize| {
        for round in 0..20 {
            let v = SharedVec::new(len, round);
            v.map_range(.., |i, x| x + i);
            let x = Shared::new(v.iter().sum::<usize>());
            assert_eq!(x.get(), len * round + len * (len - 1) / 2);
        }
    };
    assert_clean(|| {
        finish(|s| {
            for i in 0..50 {
                s.spawn(move |_| work(1 + i % 3));
            }
        });
    });
}

#[test]
fn what_was_known_of_a_dropped_value_is_not_held_against_its_successor() {
    assert_clean(|| {
        finish(|s| {
            s.spawn(|_| SharedVec::new(5, 0).fill(.., 1));
            SharedVec::new(5, 0).fill(.., 1);
        });
    });
}

#[test]
fn values_may_outlive_checks_and_be_used_in_several() {
    let v = SharedVec::new(2, 0);
    for _ in 0..3 {
        check(|| both(|| v.add(0, 1), || v.add(1, 2))).assert_clean();
        assert_eq!(
            check(|| both(|| v.add(0, 1), || v.add(0, 1)))
                .races()
                .count(),
            1
        );
    }
    assert_eq!(v.get(1), 6);
}

#[test]
fn outside_of_a_check_everything_works_the_same() {
    let program = || {
        let v = SharedVec::from_fn(100, |i| i as u64);
        both(
            || v.map_range(..50, |_, x| x * 2),
            || v.slice(50..).fill(.., 0),
        );
        assert_eq!(v.iter().sum::<u64>(), 49 * 50);
    };
    program();
    sequential(program);
    assert_clean(program);
}

#[test]
fn racing_on_large_elements_is_defined() {
    let x = Shared::new([0u64; 5]);
    finish(|s| {
        for i in 1..4 {
            let x = &x;
            s.spawn(move |_| (0..1000).for_each(|_| x.set([i; 5])));
        }
    });
    assert!(x.get().iter().all(|part| (1..4).contains(part)));
}

#[test]
fn elements_may_be_structs_of_plain_data() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(C)]
    struct Particle {
        at: [f64; 3],
        mass: f64,
    }
    // SAFETY: four numbers without padding, whatever their bits.
    unsafe impl bytemuck::Zeroable for Particle {}
    // SAFETY: as above.
    unsafe impl bytemuck::Pod for Particle {}

    let particles = SharedVec::<Particle>::zeroed(3);
    let heavy = Particle {
        at: [1.0, 2.0, 3.0],
        mass: 1e9,
    };
    particles.set(1, heavy);
    assert_eq!(particles.get(1), heavy);
}

mod bounds {
    use heddle::{Shared2d, SharedVec};

    #[test]
    #[should_panic(expected = "index out of bounds: the len is 3 but the index is 3")]
    fn an_element_past_the_end_panics_as_of_a_vec() {
        SharedVec::new(3, 0).get(3);
    }

    #[test]
    #[should_panic(expected = "range end index 4 out of range for slice of length 3")]
    fn a_range_past_the_end_panics_as_of_a_vec() {
        SharedVec::new(3, 0).fill(1..4, 0);
    }

    #[test]
    #[should_panic(expected = "(0, 3) of 2 rows and 3 columns")]
    fn a_column_past_the_end_is_not_the_next_row() {
        Shared2d::new(2, 3, 0).get(0, 3);
    }

    #[test]
    #[should_panic(expected = "range 1..4 of 3 indices")]
    fn a_block_past_the_end_panics() {
        Shared2d::new(2, 3, 0).block(.., 1..4);
    }

    #[test]
    #[should_panic(expected = "a range of 2 elements and a slice of 3")]
    fn copies_must_have_equal_lengths() {
        SharedVec::new(3, 0).write_from(1.., &[1, 2, 3]);
    }
}
