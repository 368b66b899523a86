//! Certain or possible: whether a schedule of this input shows two accesses side by side.
//!
//! Two accesses that no task order puts one before the other may still exclude each other: one of them may
//! happen only because of a value that the other's task wrote first. A race is *certain* if a **witness** can
//! be built, a schedule in which everything that critical sections read before the two accesses is what they read in
//! the run, so that it happens as it did, and both accesses come next.
//!
//! # Construction
//! 1. Take all that task order puts before the accesses `x` and `y`.
//! 2. Until nothing is added: the writer of every value in it that was read in a critical section or in a race, and the
//!    rest of every critical section begun in it, other than those that `x` and `y` stand in; each with all that task
//!    order puts before.
//! 3. If `x` or `y` came in, there is no witness.
//! 4. Run what was taken in the sequence of the run, the sections that `x` and `y` stand in last (or, if that
//!    fails, one or both of them in their places). It is a witness if task order is kept, no lock is taken while
//!    another task excludes it, and every read in a section or in a race sees the writer it saw.
//!
//! # Guarantee
//! What a witness shows happens in that schedule. Not complete: a schedule that shows the race may read other values on its
//! way; then the race is called possible, and exploring the schedules settles it.
//!
//! # Cost
//! Linear in the events of the run for each pair tried, of which there are at most `PAIRS` per finding. Findings that are
//! still to be settled after [`EFFORT`] events stay what the engine has said of them: a thousand tasks that race
//! at a thousand places of the program are half a million findings.

use crate::event::{Event, Listener, LockMode};
use crate::finding::{Access, Certainty, Finding};
use crate::id::{FinishId, Location, LockId, SiteId, TaskId, TokenId};
use crate::{AccessKind, Extent};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of accesses tried for one finding.
const PAIRS: usize = 64;

/// Events and touched locations of the longest run that is settled.
const LONGEST: u64 = 1 << 22;

/// Events looked at for all findings of a run.
pub const EFFORT: u64 = 1 << 29;

/// No event.
const NONE: u32 = u32::MAX;

/// Remembers the events of a run, unless there are too many.
#[derive(Debug, Default)]
pub struct Memory {
    events: Vec<Event>,
    /// Events, and locations that they touch.
    size: u64,
}

impl Memory {
    /// The events; none if there were more than can be settled.
    pub fn events(&self) -> Option<&[Event]> {
        (self.size <= LONGEST).then_some(&self.events)
    }
}

impl Listener for Memory {
    fn on(&mut self, event: Event) {
        let touched = match event {
            Event::Read { extent, .. }
            | Event::Write { extent, .. }
            | Event::Alloc { extent, .. }
            | Event::Free { extent, .. } => extent.len,
            _ => 0,
        };
        self.size = self.size.saturating_add(touched).saturating_add(1);
        if self.size <= LONGEST {
            self.events.push(event);
        }
    }
}

/// Settles which races among the findings of a run are certain. `events` are those of the run.
pub fn settle(events: &[Event], findings: &mut [Finding]) {
    settle_within(EFFORT, events, findings);
}

/// The same, and no more findings once so many events were looked at.
fn settle_within(effort: u64, events: &[Event], findings: &mut [Finding]) {
    let racy = findings.iter().filter_map(|finding| match finding {
        Finding::Race { place, .. } => Some(Location(place.location)),
        _ => None,
    });
    let course = Course::new(events, &racy.collect());
    let mut search = Search::new(&course);
    for finding in findings {
        if search.effort >= effort {
            return;
        }
        if let Finding::Race {
            certainty,
            place,
            accesses,
            ..
        } = finding
        {
            *certainty = match search.shows(Location(place.location), accesses) {
                true => Certainty::Certain,
                false => Certainty::Possible,
            };
        }
    }
}

/// What happened in a run, and what each event needs before it.
struct Course<'a> {
    events: &'a [Event],
    /// The task that acts in each event.
    tasks: Vec<TaskId>,
    /// Events that task order puts directly before each.
    before: Lists<u32>,
    /// By read in a critical section or in a race: each location with the event that wrote its value.
    seen: Lists<(Location, u32)>,
    /// By acquire: the release that ends the section.
    ends: FxHashMap<u32, u32>,
    /// Accesses to racy locations, with the sections they stand in.
    accesses: FxHashMap<(Location, SiteId, AccessKind), Vec<Candidate>>,
    /// The same by location alone.
    at_location: FxHashMap<Location, Vec<Candidate>>,
}

/// An access to a racy location.
#[derive(Clone)]
struct Candidate {
    at: u32,
    /// The acquire of each section it stands in.
    sections: Vec<u32>,
}

/// Lists of different lengths, one after the other.
struct Lists<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn new() -> Self {
        Self {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }

    fn close(&mut self) {
        self.ends.push(self.items.len() as u32);
    }

    fn get(&self, index: u32) -> &[T] {
        let index = index as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[index] as usize]
    }
}

/// What a pass over the events remembers.
struct Pass {
    running: Option<TaskId>,
    latest: FxHashMap<TaskId, u32>,
    spawns: FxHashMap<TaskId, u32>,
    task_ends: FxHashMap<TaskId, u32>,
    members: FxHashMap<FinishId, Vec<TaskId>>,
    signals: FxHashMap<TokenId, Vec<u32>>,
    held: FxHashMap<TaskId, Vec<(LockId, u32)>>,
    writers: FxHashMap<Location, u32>,
}

impl<'a> Course<'a> {
    fn new(events: &'a [Event], racy: &FxHashSet<Location>) -> Self {
        let mut course = Self {
            events,
            tasks: Vec::with_capacity(events.len()),
            before: Lists::new(),
            seen: Lists::new(),
            ends: FxHashMap::default(),
            accesses: FxHashMap::default(),
            at_location: FxHashMap::default(),
        };
        let mut pass = Pass {
            running: Some(TaskId::MAIN),
            latest: FxHashMap::default(),
            spawns: FxHashMap::default(),
            task_ends: FxHashMap::default(),
            members: FxHashMap::default(),
            signals: FxHashMap::default(),
            held: FxHashMap::default(),
            writers: FxHashMap::default(),
        };
        for (at, &event) in events.iter().enumerate() {
            course.add(&mut pass, racy, at as u32, event);
            course.before.close();
            course.seen.close();
        }
        course
    }

    fn add(&mut self, pass: &mut Pass, racy: &FxHashSet<Location>, at: u32, event: Event) {
        if let Event::Begin { task } | Event::Resume { task } = event {
            pass.running = Some(task);
        }
        let Some(task) = pass.running else {
            return self.tasks.push(TaskId::MAIN);
        };
        self.tasks.push(task);
        let latest = pass.latest.insert(task, at);
        self.before.items.extend(latest);
        match event {
            Event::Begin { task } => self.before.items.extend(pass.spawns.get(&task)),
            Event::Spawn { task, finish, .. } => {
                pass.spawns.insert(task, at);
                pass.members.entry(finish).or_default().push(task);
            }
            Event::End { task } => {
                pass.task_ends.insert(task, at);
                pass.running = None;
            }
            Event::FinishEnd { finish } => {
                let members = pass.members.remove(&finish).unwrap_or_default();
                let ends = members.iter().filter_map(|task| pass.task_ends.get(task));
                self.before.items.extend(ends);
            }
            Event::Join { task, .. } => self.before.items.extend(pass.task_ends.get(&task)),
            Event::Signal { token, .. } => pass.signals.entry(token).or_default().push(at),
            Event::Wait { token, .. } => {
                let signals = pass.signals.get(&token).into_iter().flatten();
                self.before.items.extend(signals);
            }
            Event::Acquire { lock, .. } => pass.held.entry(task).or_default().push((lock, at)),
            Event::Release { lock, .. } => {
                let held = pass.held.entry(task).or_default();
                if let Some(found) = held.iter().rposition(|&(other, _)| other == lock) {
                    self.ends.insert(held.remove(found).1, at);
                }
            }
            Event::Read { extent, site } => {
                let is_in_section = pass.held.get(&task).is_some_and(|held| !held.is_empty());
                let may_differ = |location: &Location| is_in_section || racy.contains(location);
                for location in extent.locations().filter(may_differ) {
                    let writer = pass.writers.get(&location).copied().unwrap_or(NONE);
                    self.seen.items.push((location, writer));
                }
                self.note(pass, racy, at, task, (extent, site, AccessKind::Read));
            }
            Event::Write { extent, site } | Event::Free { extent, site } => {
                self.note(pass, racy, at, task, (extent, site, AccessKind::Write));
                pass.write(extent, at);
            }
            Event::Alloc { extent, .. } => pass.write(extent, at),
            _ => {}
        }
    }

    fn note(
        &mut self,
        pass: &Pass,
        racy: &FxHashSet<Location>,
        at: u32,
        task: TaskId,
        (extent, site, kind): (Extent, SiteId, AccessKind),
    ) {
        for location in extent.locations().filter(|at| racy.contains(at)) {
            let held = pass.held.get(&task).into_iter().flatten();
            let sections = held.map(|&(_, acquire)| acquire).collect();
            let candidate = Candidate { at, sections };
            let of_location = self.at_location.entry(location).or_default();
            of_location.push(candidate.clone());
            let candidates = self.accesses.entry((location, site, kind)).or_default();
            candidates.push(candidate);
        }
    }
}

impl Pass {
    fn write(&mut self, extent: Extent, at: u32) {
        for location in extent.locations() {
            self.writers.insert(location, at);
        }
    }
}

/// Which sections of the two accesses are run last.
#[derive(Clone, Copy)]
struct Last {
    x: bool,
    y: bool,
}

/// Looks for witnesses.
struct Search<'a> {
    course: &'a Course<'a>,
    /// The question in which each event was taken last, and run last.
    taken: Vec<u32>,
    done: Vec<u32>,
    question: u32,
    attempt: u32,
    /// Events looked at so far.
    effort: u64,
}

impl<'a> Search<'a> {
    fn new(course: &'a Course<'a>) -> Self {
        Self {
            course,
            taken: vec![0; course.events.len()],
            done: vec![0; course.events.len()],
            question: 0,
            attempt: 0,
            effort: 0,
        }
    }

    /// Whether a witness is found for some accesses at these places of the program.
    fn shows(&mut self, location: Location, accesses: &[Access; 2]) -> bool {
        let course = self.course;
        let candidates = |access: &Access| {
            let key = (location, access.site, access.kind);
            course.accesses.get(&key).map_or(&[][..], Vec::as_slice)
        };
        let [first, second] = accesses.each_ref().map(candidates);
        // The accesses that were reported come first.
        let is_reported = |candidate: &&Candidate, access: &Access| {
            course.tasks[candidate.at as usize] == access.task
        };
        let reported = first.iter().filter(|x| is_reported(x, &accesses[0]));
        let reported = reported.flat_map(|x| {
            let others = second.iter().filter(|y| is_reported(y, &accesses[1]));
            others.map(move |y| (x, y))
        });
        let all = first
            .iter()
            .flat_map(|x| second.iter().map(move |y| (x, y)));
        let half = PAIRS / 2;
        let pairs: Vec<_> = reported.take(half).chain(all.take(half)).collect();
        pairs.into_iter().any(|(x, y)| self.is_shown(x, y)) || self.shows_beside(location, accesses)
    }

    /// The same for other accesses of these tasks to the location: a check may stand for those before it in its strand.
    fn shows_beside(&mut self, location: Location, accesses: &[Access; 2]) -> bool {
        let course = self.course;
        let of_task = |access: &Access| -> Vec<&Candidate> {
            let here = course.at_location.get(&location).into_iter().flatten();
            let own = here.filter(|other| course.tasks[other.at as usize] == access.task);
            own.take(PAIRS / 4).collect()
        };
        let is_read = |of: &Candidate| matches!(course.events[of.at as usize], Event::Read { .. });
        let [first, second] = accesses.each_ref().map(of_task);
        let pairs = first
            .iter()
            .flat_map(|x| second.iter().map(move |y| (*x, *y)));
        let mut pairs = pairs.filter(|(x, y)| x.at != y.at && !(is_read(x) && is_read(y)));
        pairs.any(|(x, y)| self.is_shown(x, y))
    }

    fn is_shown(&mut self, x: &Candidate, y: &Candidate) -> bool {
        let Some(mut taken) = self.take(x, y) else {
            return false;
        };
        taken.sort_unstable();
        let orders = [(true, true), (true, false), (false, true), (false, false)];
        orders.into_iter().any(|(last_x, last_y)| {
            self.runs(
                &taken,
                x,
                y,
                Last {
                    x: last_x,
                    y: last_y,
                },
            )
        })
    }

    /// What must come before both; none if that includes one of them.
    fn take(&mut self, x: &Candidate, y: &Candidate) -> Option<Vec<u32>> {
        self.question += 1;
        let course = self.course;
        if x.at == y.at || course.tasks[x.at as usize] == course.tasks[y.at as usize] {
            return None;
        }
        let mut taken = Vec::new();
        let mut work: Vec<u32> = Vec::new();
        work.extend(course.before.get(x.at));
        work.extend(course.before.get(y.at));
        while let Some(at) = work.pop() {
            self.effort += 1;
            if at == x.at || at == y.at {
                return None;
            }
            if std::mem::replace(&mut self.taken[at as usize], self.question) == self.question {
                continue;
            }
            taken.push(at);
            work.extend(course.before.get(at));
            let writers = course.seen.get(at).iter().map(|&(_, writer)| writer);
            work.extend(writers.filter(|&writer| writer != NONE));
            if let Event::Acquire { .. } = course.events[at as usize]
                && !x.sections.contains(&at)
                && !y.sections.contains(&at)
            {
                work.push(*course.ends.get(&at)?);
            }
        }
        Some(taken)
    }

    /// Whether what was taken can run like this.
    fn runs(&mut self, taken: &[u32], x: &Candidate, y: &Candidate, last: Last) -> bool {
        let course = self.course;
        let start = |access: &Candidate, is_last: bool| {
            let first = access.sections.iter().copied().min();
            let task = course.tasks[access.at as usize];
            first.filter(|_| is_last).map(|first| (task, first))
        };
        let (of_x, of_y) = (start(x, last.x), start(y, last.y));
        let is_late = |at: u32| {
            let task = course.tasks[at as usize];
            [of_x, of_y]
                .into_iter()
                .flatten()
                .any(|(late, first)| late == task && at >= first)
        };
        let early = taken.iter().copied().filter(|&at| !is_late(at));
        let late = taken.iter().copied().filter(|&at| is_late(at));
        self.attempt += 1;
        let mut state = State::default();
        for at in early.chain(late) {
            self.effort += 1;
            let is_next = |&before: &u32| self.done[before as usize] == self.attempt;
            if !course.before.get(at).iter().all(is_next) || !state.runs(course, at) {
                return false;
            }
            self.done[at as usize] = self.attempt;
        }
        true
    }
}

/// Who holds which lock and who wrote what, while a witness is run.
#[derive(Default)]
struct State {
    held: FxHashMap<LockId, Vec<(TaskId, LockMode)>>,
    writers: FxHashMap<Location, u32>,
}

impl State {
    /// Runs an event; no if it cannot run now, or reads another value.
    fn runs(&mut self, course: &Course<'_>, at: u32) -> bool {
        let task = course.tasks[at as usize];
        match course.events[at as usize] {
            Event::Acquire { lock, mode, .. } => {
                let held = self.held.entry(lock).or_default();
                let is_free = held
                    .iter()
                    .all(|&(other, how)| other == task || !how.excludes(mode));
                held.push((task, mode));
                is_free
            }
            Event::Release { lock, .. } => {
                let held = self.held.entry(lock).or_default();
                if let Some(found) = held.iter().rposition(|&(other, _)| other == task) {
                    held.remove(found);
                }
                true
            }
            Event::Read { .. } => course.seen.get(at).iter().all(|(location, writer)| {
                self.writers.get(location).copied().unwrap_or(NONE) == *writer
            }),
            Event::Write { extent, .. }
            | Event::Free { extent, .. }
            | Event::Alloc { extent, .. } => {
                for location in extent.locations() {
                    self.writers.insert(location, at);
                }
                true
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
