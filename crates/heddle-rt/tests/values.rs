//! Values behind locks: which sections of two parallel tasks tear which.
#![cfg(not(feature = "shuttle"))]

use heddle_core::AccessKind::{Read, Write};
use heddle_core::{Certainty, Finding, FinishKind, LockId, SiteId, TaskKind, roster::Roster};
use heddle_rt::{Cursor, Engine, HANDED, LockMode, Pairs, ThreadCache, Touch, VALUE};

const SITE: SiteId = SiteId::new(0);
const LOCK: LockId = LockId::new(1);
const OUTER: LockId = LockId::new(2);
/// After so many sections a task comes back to the same positions.
const LOOP: usize = 3;
/// The value's granule.
const CELL: u64 = 5;

/// What a section does with the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Look,
    Change,
    /// First the one, then the other.
    Both,
}
use Use::{Both, Change, Look};

struct Run {
    engine: Engine,
    cache: ThreadCache,
}

impl Run {
    fn touch(&mut self, cursor: &mut Cursor, what: Use, site: u32) {
        let kind = if what == Look { Read } else { Write };
        let mask = if what == Look { VALUE } else { VALUE | HANDED };
        let touch = Touch {
            kind,
            granule: CELL,
            mask,
        };
        self.engine.touch(&mut self.cache, cursor, touch, site);
    }

    fn section(&mut self, cursor: &mut Cursor, what: Use, site: u32) {
        self.engine.acquire(cursor, LOCK, LockMode::Exclusive);
        let received = Touch {
            kind: Read,
            granule: CELL,
            mask: HANDED,
        };
        self.engine.touch(&mut self.cache, cursor, received, 0);
        if what != Change {
            self.touch(cursor, Look, site);
        }
        if what != Look {
            self.touch(cursor, Change, site);
        }
        self.engine.release(cursor, LOCK);
    }

    fn task(&mut self, cursor: &mut Cursor, uses: &[Use], outer: Option<LockId>) {
        if let Some(lock) = outer {
            self.engine.acquire(cursor, lock, LockMode::Exclusive);
        }
        for (at, &what) in uses.iter().enumerate() {
            self.section(cursor, what, (at % LOOP) as u32 + 1);
        }
        if let Some(lock) = outer {
            self.engine.release(cursor, lock);
        }
    }
}

/// What is found if one task makes these sections beside another that makes those.
fn torn(pairs: Pairs, tasks: [&[Use]; 2], outer: Option<LockId>) -> Vec<Certainty> {
    let engine = Engine::new().expect("address space");
    engine.watch_value(CELL, pairs);
    let mut run = Run {
        engine,
        cache: ThreadCache::new(),
    };
    let mut main = run.engine.main_task();
    let scope = run.engine.finish_begin(&mut main, FinishKind::Finish, SITE);
    for uses in tasks {
        let mut cursor = run
            .engine
            .spawn(&mut main, None, TaskKind::Async, SITE, None);
        run.task(&mut cursor, uses, outer);
        run.engine.end(cursor);
    }
    run.engine.finish_end(&mut main, scope);
    assert!(!run.engine.gave_up());
    assert!(run.engine.races(&Roster::new().ancestry()).is_empty());
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = run.engine.participants();
    let tears = run.engine.tears(&roster.ancestry()).into_iter();
    let certainties = tears.map(|tear| match tear {
        Finding::Atomicity { certainty, .. } => certainty,
        other => panic!("{other:?} is no tear"),
    });
    certainties.collect()
}

fn is_torn(pairs: Pairs, first: &[Use], second: &[Use]) -> bool {
    let found = [[first, second], [second, first]].map(|tasks| torn(pairs, tasks, None));
    assert_eq!(found[0], found[1], "the other way round");
    let is_certain = |certainty: &Certainty| *certainty == Certainty::Certain;
    assert!(found[0].iter().all(is_certain), "{found:?}");
    !found[0].is_empty()
}

#[test]
fn only_a_change_after_a_look_in_an_earlier_section_is_an_update() {
    let is_torn = |uses: &[Use]| is_torn(Pairs::Updates, uses, &[Change]);
    assert!(is_torn(&[Look, Change]));
    assert!(is_torn(&[Change, Look, Change]) && is_torn(&[Look, Look, Change]));
    for right in [
        &[Change, Change][..],
        &[Look, Look],
        &[Change, Look],
        &[Both, Both],
        &[Look, Both],
        &[Look, Both, Change],
    ] {
        assert!(!is_torn(right), "{right:?}");
    }
}

#[test]
fn a_look_behind_the_change_of_a_loop_is_no_base_for_its_next_turn() {
    let is_torn = |uses: &[Use]| is_torn(Pairs::Updates, uses, &[Change]);
    let turn = [Change, Change, Look];
    assert!(!is_torn(&[turn, turn].concat()));
    let turn = [Look, Change, Look];
    assert!(is_torn(&[turn, turn].concat()));
}

#[test]
fn an_update_is_torn_by_changes_and_not_by_looks() {
    let is_torn = |uses: &[Use]| is_torn(Pairs::Updates, &[Look, Change], uses);
    assert!(is_torn(&[Change]) && is_torn(&[Both]));
    assert!(!is_torn(&[Look]) && !is_torn(&[]));
}

#[test]
fn a_lock_around_both_sections_keeps_out_who_takes_it() {
    let update = &[Look, Change][..];
    assert!(torn(Pairs::Updates, [update, update], Some(OUTER)).is_empty());
    assert!(!torn(Pairs::Updates, [update, update], None).is_empty());
}

#[test]
fn of_all_pairs_two_changes_are_one_and_of_none_nothing_is() {
    assert!(is_torn(Pairs::All, &[Change, Change], &[Look]));
    assert!(is_torn(Pairs::All, &[Look, Look], &[Change]));
    assert!(!is_torn(Pairs::All, &[Look, Change], &[Look]));
    assert!(!is_torn(Pairs::None, &[Look, Change], &[Change]));
}
