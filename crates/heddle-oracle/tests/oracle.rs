//! The oracle itself, on streams whose answers are known by hand.

use heddle_core::{
    Certainty::{self, Certain, Possible},
    Event, Extent, FinishId, FinishKind, Location, LockId, LockMode, SiteId, TaskId, TaskKind,
    TokenId,
};
use heddle_oracle::Oracle;

const SITE: SiteId = SiteId::new(0);
const X: u64 = 0;
const Y: u64 = 1;

fn task(n: u32) -> TaskId {
    TaskId::new(n)
}

fn at(location: u64) -> Extent {
    Extent::one(Location(location))
}

fn spawn_into(n: u32, finish: u32) -> Event {
    Event::Spawn {
        task: task(n),
        finish: FinishId::new(finish),
        kind: TaskKind::Async,
        site: SITE,
        name: None,
    }
}

/// A task of the implicit finish that runs at once; the task that spawned it goes on.
fn spawned(n: u32, finish: u32, parent: u32, body: &[Event]) -> Vec<Event> {
    let before = [spawn_into(n, finish), begin(n)];
    let after = [end(n), resume(parent)];
    [&before, body, &after].concat()
}

fn begin(n: u32) -> Event {
    Event::Begin { task: task(n) }
}

fn end(n: u32) -> Event {
    Event::End { task: task(n) }
}

fn resume(n: u32) -> Event {
    Event::Resume { task: task(n) }
}

fn read(location: u64) -> Event {
    Event::Read {
        extent: at(location),
        site: SITE,
    }
}

fn write(location: u64) -> Event {
    Event::Write {
        extent: at(location),
        site: SITE,
    }
}

fn alloc(location: u64) -> Event {
    Event::Alloc {
        extent: at(location),
        name: None,
        site: SITE,
    }
}

fn free(location: u64) -> Event {
    Event::Free {
        extent: at(location),
        site: SITE,
    }
}

fn finish(n: u32, body: &[Event]) -> Vec<Event> {
    let begin = Event::FinishBegin {
        finish: FinishId::new(n),
        kind: FinishKind::Finish,
        site: SITE,
    };
    let end = Event::FinishEnd {
        finish: FinishId::new(n),
    };
    [&[begin], body, &[end]].concat()
}

fn with(lock: u32, body: &[Event]) -> Vec<Event> {
    let lock = LockId::new(lock);
    let (mode, site) = (LockMode::Exclusive, SITE);
    let acquire = Event::Acquire { lock, mode, site };
    let release = Event::Release { lock, site: SITE };
    [&[acquire], body, &[release]].concat()
}

fn join(n: u32) -> Event {
    Event::Join {
        task: task(n),
        site: SITE,
    }
}

fn signal(n: u32) -> Event {
    Event::Signal {
        token: TokenId::new(n),
        site: SITE,
    }
}

fn wait(n: u32) -> Event {
    Event::Wait {
        token: TokenId::new(n),
        site: SITE,
    }
}

/// Runs the pieces one after the other and compares the verdicts.
#[track_caller]
fn check(pieces: &[&[Event]], expected: &[(u64, Certainty)]) {
    let expected = expected.iter().map(|&(n, verdict)| (Location(n), verdict));
    let verdicts = Oracle::of(&pieces.concat()).verdicts();
    assert_eq!(verdicts, expected.collect());
}

#[test]
fn a_child_is_parallel_with_what_follows_its_spawn_only() {
    let child = spawned(1, 0, 0, &[write(X), write(Y)]);
    check(&[&[write(Y)], &child, &[write(X)]], &[(X, Certain)]);
}

#[test]
fn a_child_that_begins_late_is_parallel_with_what_its_parent_did_since_the_spawn() {
    let late = [begin(1), write(X), write(Y), end(1)];
    check(
        &[&[write(Y), spawn_into(1, 0), write(X)], &late],
        &[(X, Certain)],
    );
}

#[test]
fn two_reads_never_race() {
    check(&[&spawned(1, 0, 0, &[read(X)]), &[read(X)]], &[]);
}

#[test]
fn the_end_of_a_finish_comes_after_all_its_tasks() {
    let grandchild = spawned(2, 1, 1, &[write(X)]);
    let child = spawned(1, 1, 0, &grandchild);
    check(&[&finish(1, &child), &[write(X)]], &[]);
}

#[test]
fn the_end_of_an_inner_finish_does_not_order_a_task_of_the_outer_one() {
    let escaping = spawned(1, 0, 0, &[write(X)]);
    check(&[&finish(1, &escaping), &[write(X)]], &[(X, Certain)]);
}

#[test]
fn siblings_race_and_their_finish_does_not_help() {
    let first = spawned(1, 1, 0, &[write(X)]);
    let second = spawned(2, 1, 0, &[read(X)]);
    let both = [first, second].concat();
    check(&[&finish(1, &both)], &[(X, Certain)]);
}

#[test]
fn a_join_orders_the_joined_task_and_nothing_it_left_behind() {
    let grandchild = spawned(2, 0, 1, &[write(Y)]);
    let child = spawned(1, 0, 0, &[&[write(X)], grandchild.as_slice()].concat());
    check(&[&child, &[join(1), write(X), write(Y)]], &[(Y, Certain)]);
}

#[test]
fn a_wait_comes_after_what_preceded_the_signals_so_far() {
    let first = spawned(1, 0, 0, &[write(X), signal(0), write(Y)]);
    let second = spawned(2, 0, 0, &[wait(0), write(X), write(Y)]);
    check(&[&first, &second], &[(Y, Certain)]);
}

#[test]
fn one_common_lock_protects() {
    let both = with(1, &with(2, &[write(X)]));
    let one = with(2, &[write(X)]);
    check(&[&spawned(1, 0, 0, &both), &one], &[]);
    let other = with(3, &[write(X)]);
    check(&[&spawned(1, 0, 0, &both), &other], &[(X, Certain)]);
}

#[test]
fn a_child_does_not_hold_the_locks_of_its_parent() {
    let child = spawned(1, 0, 0, &[write(X)]);
    let locked = [child.as_slice(), &[write(X)]].concat();
    check(&[&with(1, &locked)], &[(X, Certain)]);
}

#[test]
fn a_race_undone_by_a_hand_off_is_possible() {
    let sender = [&[write(X)], with(0, &[write(Y)]).as_slice()].concat();
    let receiver = [&with(0, &[read(Y)]), &[read(X)][..]].concat();
    check(&[&spawned(1, 0, 0, &sender), &receiver], &[(X, Possible)]);
}

#[test]
fn a_section_that_writes_blindly_receives_nothing() {
    let sender = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let blind = [&with(1, &[write(Y)]), &[read(X)][..]].concat();
    check(&[&spawned(1, 0, 0, &sender), &blind], &[(X, Certain)]);
}

#[test]
fn what_precedes_the_read_in_its_section_is_not_handed_anything() {
    let sender = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let early = with(1, &[read(X), read(Y)]);
    check(&[&spawned(1, 0, 0, &sender), &early], &[(X, Certain)]);
}

#[test]
fn what_follows_the_write_in_its_section_is_handed_over_too() {
    let sender = with(1, &[write(Y), write(X)]);
    let receiver = [&with(1, &[read(Y)]), &[read(X)][..]].concat();
    check(&[&spawned(1, 0, 0, &sender), &receiver], &[(X, Possible)]);
}

#[test]
fn only_the_last_write_is_handed_over() {
    let first = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let second = with(1, &[write(Y)]);
    let receiver = [&with(1, &[read(Y)]), &[read(X)][..]].concat();
    check(
        &[
            &spawned(1, 0, 0, &first),
            &spawned(2, 0, 0, &second),
            &receiver,
        ],
        &[(X, Certain)],
    );
}

#[test]
fn a_write_without_the_lock_breaks_the_hand_off() {
    let sender = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let receiver = [&with(1, &[read(Y)]), &[read(X)][..]].concat();
    let plain = spawned(2, 0, 0, &[write(Y)]);
    check(
        &[&spawned(1, 0, 0, &sender), &plain, &receiver],
        &[(X, Certain), (Y, Certain)],
    );
}

#[test]
fn hand_offs_chain_through_several_sections() {
    let first = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let second = with(1, &[read(Y), write(2)]);
    let third = [&with(1, &[read(2)]), &[read(X)][..]].concat();
    check(
        &[
            &spawned(1, 0, 0, &first),
            &spawned(2, 0, 0, &second),
            &third,
        ],
        &[(X, Possible)],
    );
}

#[test]
fn a_location_with_one_certain_race_is_certain() {
    let sender = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let receiver = [&with(1, &[read(Y)]), &[read(X)][..]].concat();
    let stranger = spawned(2, 0, 0, &[write(X)]);
    check(
        &[&spawned(1, 0, 0, &sender), &stranger, &receiver],
        &[(X, Certain)],
    );
}

#[test]
fn an_allocation_starts_a_new_life() {
    let child = spawned(1, 0, 0, &[write(X)]);
    check(&[&child, &[alloc(X), write(X)]], &[]);
    let again = spawned(2, 0, 0, &[write(X)]);
    check(&[&child, &[alloc(X)], &again, &[write(X)]], &[(X, Certain)]);
}

#[test]
fn a_free_is_a_write() {
    check(
        &[&spawned(1, 0, 0, &[read(X)]), &[free(X)]],
        &[(X, Certain)],
    );
}

#[test]
fn an_allocation_forgets_what_was_handed_over() {
    let sender = [&[write(X)], with(1, &[write(Y)]).as_slice()].concat();
    let receiver = [&with(1, &[alloc(Y), read(Y)]), &[read(X)][..]].concat();
    check(&[&spawned(1, 0, 0, &sender), &receiver], &[(X, Certain)]);
}

#[test]
fn overlapping_extents_race_where_they_overlap() {
    let extent = |start, len| Extent::new(Location(start), len);
    let left = Event::Write {
        extent: extent(0, 3),
        site: SITE,
    };
    let right = Event::Read {
        extent: extent(2, 3),
        site: SITE,
    };
    check(&[&spawned(1, 0, 0, &[left]), &[right]], &[(2, Certain)]);
}
