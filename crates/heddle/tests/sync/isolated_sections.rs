//! Sections that exclude each other all over the program.

use super::*;

#[test]
fn sections_do_not_race_and_may_be_nested() {
    assert_clean(|| {
        let x = Shared::new(0);
        let add = || isolated(|| isolated(|| x.add(1)));
        both(add, add);
        assert_eq!(x.get(), 2);
    });
}

#[test]
fn an_inner_section_does_not_end_the_outer_one() {
    assert_clean(|| {
        let x = Shared::new(0);
        let add = || {
            isolated(|| {
                isolated(|| ());
                x.add(1);
            });
        };
        both(add, add);
    });
}

#[test]
fn a_section_excludes_sections_only() {
    let x = Shared::new(0);
    let found = certainties(|| both(|| isolated(|| x.set(1)), || x.set(2)));
    assert_eq!(found, [Certainty::Certain]);
}

#[test]
fn a_section_that_panics_is_over() {
    let failed = catch_unwind(|| isolated(|| panic!("inside")));
    assert!(failed.is_err());
    assert_eq!(isolated(|| 5), 5);
}

#[test]
#[should_panic(expected = "deadlock: this isolated section is held since")]
fn a_task_spawned_in_a_section_cannot_enter_one() {
    Checker::new().parallel(0).check(|| {
        isolated(|| finish(|s| s.spawn(|_| isolated(|| ()))));
    });
}
