//! Races that are only counted: an engine that tells few locations apart knows the same racy bytes as one that tells all.
#![cfg(not(feature = "shuttle"))]

use heddle_core::AccessKind::{Read, Write};
use heddle_core::{AccessKind, Finding, FinishKind, SiteId, TaskKind, roster::Roster};
use heddle_rt::{Engine, ThreadCache, Touch};
use std::collections::{BTreeMap, BTreeSet};

const SITE: SiteId = SiteId::new(1);

/// One access of a task: a place of the program, what it does, and to which bytes of which granule.
#[derive(Clone, Copy, Debug)]
struct Step {
    site: u32,
    kind: AccessKind,
    granule: u64,
    mask: u8,
}

/// Racy bytes by pair of places, as a set of addresses.
type Racy = BTreeMap<[u32; 2], BTreeSet<u64>>;

/// What is found if these tasks run beside each other, with all locations told apart or few.
fn found(tasks: &[Vec<Step>], bound: Option<usize>) -> (Racy, usize) {
    let mut engine = Engine::new().expect("address space");
    if let Some(bound) = bound {
        engine.bound_race_locations(bound);
    }
    let mut cache = ThreadCache::new();
    let mut main = engine.main_task();
    let scope = engine.finish_begin(&mut main, FinishKind::Finish, SITE);
    for steps in tasks {
        let mut cursor = engine.spawn(&mut main, None, TaskKind::Async, SITE, None);
        for step in steps {
            let touch = Touch {
                kind: step.kind,
                granule: step.granule,
                mask: step.mask,
            };
            let quick = engine.touch_quickly(&mut cache, &mut cursor, touch, step.site);
            if quick.is_none() {
                engine.touch(&mut cache, &mut cursor, touch, step.site);
            }
        }
        engine.end(cursor);
    }
    engine.finish_end(&mut main, scope);
    assert!(!engine.gave_up());
    let mut roster = Roster::new();
    (roster.tasks, roster.finishes) = engine.participants();
    let races = engine.races(&roster.ancestry());
    let mut racy = Racy::new();
    for (race, mask) in races.iter().zip(engine.race_bytes()) {
        let Finding::Race {
            place, accesses, ..
        } = race
        else {
            panic!("{race:?} is no race");
        };
        let mut sites = [accesses[0].site.raw(), accesses[1].site.raw()];
        sites.sort_unstable();
        let bytes = (0..8).filter(|bit| mask >> bit & 1 == 1);
        let bytes = bytes.map(|bit| place.location * 8 + bit);
        racy.entry(sites).or_default().extend(bytes);
    }
    for bytes in engine.racy_bytes() {
        let all = bytes.bytes.ranges();
        let all = all.into_iter().flat_map(|(from, to)| from..to);
        racy.entry(bytes.sites).or_default().extend(all);
    }
    (racy, races.len())
}

fn is_same(tasks: &[Vec<Step>]) {
    let (all, _) = found(tasks, None);
    let (few, told_apart) = found(tasks, Some(4));
    assert_eq!(few, all, "{tasks:?}");
    assert!(told_apart <= 5 * all.len(), "{told_apart} of {}", all.len());
}

/// A loop over elements at equal distances.
fn looped(site: u32, kind: AccessKind, mask: u8, granules: impl Iterator<Item = u64>) -> Vec<Step> {
    let step = |granule| Step {
        site,
        kind,
        granule,
        mask,
    };
    granules.map(step).collect()
}

#[test]
fn a_racy_loop_is_known_to_its_last_byte() {
    for kinds in [[Write, Write], [Write, Read], [Read, Write]] {
        let [one, other] = kinds;
        let first = looped(10, one, 0xff, 100..600);
        for second in [
            looped(20, other, 0xff, 100..600),
            looped(20, other, 0xff, (100..600).rev()),
            looped(20, other, 0xff, (100..600).step_by(3)),
            looped(20, other, 0x0f, 100..600),
            looped(20, other, 0xff, (0..500).map(|at| 100 + at * 7 % 500)),
        ] {
            is_same(&[first.clone(), second]);
        }
    }
}

#[test]
fn elements_of_half_a_granule_are_told_from_their_neighbours() {
    let halves = |site: u32, masks: &[u8]| {
        let steps = (0..300u64).flat_map(|granule| masks.iter().map(move |&mask| (granule, mask)));
        let steps = steps.map(|(granule, mask)| Step {
            site,
            kind: Write,
            granule,
            mask,
        });
        steps.collect::<Vec<_>>()
    };
    is_same(&[halves(10, &[0x0f, 0xf0]), halves(20, &[0x0f, 0xf0])]);
    is_same(&[halves(10, &[0x0f, 0xf0]), halves(20, &[0xf0])]);
    is_same(&[
        halves(10, &[0x0f]),
        halves(20, &[0x0f, 0xf0]),
        halves(30, &[0xf0]),
    ]);
}

#[test]
fn random_loops_race_on_the_same_bytes_whether_they_are_told_apart_or_counted() {
    let mut random = 7u64;
    let mut draw = |below: u64| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    for _ in 0..150 {
        let tasks = (0..2 + draw(2)).map(|task| {
            let mut steps = Vec::new();
            for part in 0..1 + draw(3) {
                let kind = if draw(2) == 0 { Read } else { Write };
                let mask = [0xff, 0x0f, 0xf0, 0x3c][draw(4) as usize];
                let (start, stride, len) = (draw(60), 1 + draw(3), 20 + draw(80));
                let granules = (0..len).map(|at| start + at * stride);
                steps.extend(looped((task * 10 + part) as u32, kind, mask, granules));
            }
            steps
        });
        let tasks: Vec<_> = tasks.collect();
        // Of three tasks not every pair is found in either way, but every racy byte is.
        let bytes = |racy: Racy| racy.into_values().flatten().collect::<BTreeSet<u64>>();
        let (all, few) = (found(&tasks, None).0, found(&tasks, Some(4)).0);
        assert_eq!(bytes(few), bytes(all), "{tasks:?}");
    }
}
