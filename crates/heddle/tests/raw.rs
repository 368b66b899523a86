//! Accesses told by hand.

use heddle::{Checker, Report, finish, fresh, read, write};

/// The reports of a serial run and of one on two threads.
fn reports(program: impl Fn() + Sync) -> [Report; 2] {
    [Checker::new(), Checker::new().parallel(2)].map(|checker| checker.check(&program))
}

fn assert_clean(program: impl Fn() + Sync) {
    reports(program).iter().for_each(Report::assert_clean);
}

fn assert_racy(program: impl Fn() + Sync) {
    for report in reports(program) {
        assert!(!report.is_clean(), "{report}");
    }
}

fn both<A, B>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) {
    finish(|s| {
        s.spawn(|_| drop(a()));
        s.spawn(|_| drop(b()));
    });
}

#[test]
fn neighbours_in_one_word_are_apart() {
    let bytes = [0u8; 8];
    assert_clean(|| both(|| write(&bytes[0]), || write(&bytes[1])));
    assert_racy(|| both(|| write(&bytes[1]), || read(&bytes[..2])));
}

#[test]
fn objects_of_different_sizes_race_where_they_overlap() {
    let pairs = [(0u32, 0u32); 10];
    assert_racy(|| both(|| write(&pairs[3]), || read(&pairs[3].1)));
    assert_clean(|| both(|| write(&pairs[3].0), || read(&pairs[3].1)));
}

#[test]
fn an_object_of_many_pages_is_one_of_all_its_bytes() {
    let large = vec![0u8; 20_000];
    for at in [0, 5_000, 19_999] {
        assert_racy(|| both(|| write(large.as_slice()), || read(&large[at])));
    }
    assert_clean(|| both(|| write(&large[..10_000]), || write(&large[10_000..])));
}

#[test]
fn nothing_is_read_of_what_has_no_size() {
    assert_clean(|| both(|| write(&()), || write(&())));
}

#[test]
fn a_fresh_object_has_no_past() {
    let place = 0u64;
    let use_again = || {
        fresh(&place);
        write(&place);
    };
    let serially = Checker::new().parallel(0);
    serially
        .check(|| both(|| write(&place), use_again))
        .assert_clean();
}

#[test]
fn positions_are_those_of_the_calls() {
    let x = 0u8;
    let line = line!() + 1;
    for report in reports(|| both(|| read(&x), || write(&x))) {
        let race = report.races().next().expect("they race");
        let lines = race.accesses.iter().flat_map(|access| &access.position);
        assert!(
            lines.map(|position| position.line).eq([line; 2]),
            "{report}"
        );
    }
}

#[test]
fn outside_of_a_check_nothing_happens() {
    let x = 0;
    both(|| read(&x), || write(&x));
}
