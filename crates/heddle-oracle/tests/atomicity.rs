//! Every history gives the oracle's verdicts on random event streams with atomic locations.

#[macro_use]
mod classes;

use heddle_oracle::stream::{Class, Mode, Size};
use heddle_oracle::{cases, soak_atomicity, soak_traces, try_atomic_programs, try_atomic_streams};

fn histories_agree(class: Class, mode: Mode) {
    if let Err(wrong) = try_atomic_streams(class, mode, cases(150), 1) {
        panic!("{wrong}");
    }
}

in_every_class!(histories_agree);

/// Also that eliminations and recording change nothing.
#[test]
fn histories_agree_on_random_programs() {
    for class in Class::ALL {
        if let Err(wrong) = try_atomic_programs(class, cases(100), 1) {
            panic!("{wrong}");
        }
    }
}

/// As in section 4 of Yoga and Nagarakatte.
#[test]
fn ten_thousand_generated_traces_each_show_all_that_can_be_torn() {
    let size = Size {
        tasks: 8,
        accesses: 16,
    };
    let torn = soak_traces(10_000, size, 1).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!((5_000..15_000).contains(&torn), "{torn} torn units");
}

#[test]
fn the_printed_history_misses_some_but_not_all() {
    let all = soak_atomicity(1200, 1).unwrap_or_else(|wrong| panic!("{wrong}"));
    for misses in &all {
        let units = misses.units;
        assert!(units.torn > 20, "too little to find: {misses}");
        assert!(units.missed < units.torn, "everything missed: {misses}");
        assert_eq!(units.missed > 0, misses.smallest.is_some(), "{misses}");
    }
    assert!(all.iter().any(|misses| misses.units.missed > 0));
}
