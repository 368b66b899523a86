//! Writing a serial run down as the events of `heddle-core`, to be judged by another order.

use heddle_core::{
    Event, Extent, Features, Listener, Location, LockId, LockMode, NameId, Run, SiteId, TaskId,
    TokenId,
};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The events of one run, as they come.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    recording: Mutex<Recording>,
}

#[derive(Debug, Default)]
struct Recording {
    events: Vec<Event>,
    /// Locks and tokens are numbered densely in events, in the sequence they are first used.
    locks: FxHashMap<LockId, LockId>,
    tokens: FxHashMap<u32, TokenId>,
    /// How often a task has taken a lock that it shares.
    taken: FxHashMap<(TaskId, LockId), u32>,
    unsupported: Option<&'static str>,
}

/// Names are put in by the report; the events need some.
const UNNAMED: NameId = NameId::new(0);
/// Where a value's drop is not known, the first position of the run stands for it.
const SOMEWHERE: SiteId = SiteId::new(0);

impl Recorder {
    fn recording(&self) -> MutexGuard<'_, Recording> {
        let recording = self.recording.lock();
        recording.unwrap_or_else(PoisonError::into_inner)
    }

    /// The next event.
    pub(crate) fn on(&self, event: Event) {
        self.recording().events.push(event);
    }

    /// The running task takes this lock.
    pub(crate) fn acquire(&self, task: TaskId, lock: LockId, mode: LockMode) {
        let mut recording = self.recording();
        let lock = recording.lock(lock);
        let taken = recording.taken.entry((task, lock)).or_insert(0);
        *taken += 1;
        if *taken == 1 {
            let site = SOMEWHERE;
            recording.events.push(Event::Acquire { lock, mode, site });
        }
    }

    /// The running task gives this lock back.
    pub(crate) fn release(&self, task: TaskId, lock: LockId) {
        let mut recording = self.recording();
        let lock = recording.lock(lock);
        let taken = recording.taken.entry((task, lock)).or_insert(1);
        *taken -= 1;
        if *taken == 0 {
            recording.taken.remove(&(task, lock));
            let site = SOMEWHERE;
            recording.events.push(Event::Release { lock, site });
        }
    }

    /// The running task gave this signal.
    pub(crate) fn signal(&self, signal: u32) {
        let mut recording = self.recording();
        let token = recording.token(signal);
        let site = SOMEWHERE;
        recording.events.push(Event::Signal { token, site });
    }

    /// The running task has waited for this signal.
    pub(crate) fn wait(&self, signal: u32) {
        let mut recording = self.recording();
        let token = recording.token(signal);
        let site = SOMEWHERE;
        recording.events.push(Event::Wait { token, site });
    }

    /// These locations belong to nobody any more.
    pub(crate) fn forget(&self, start: u64, len: u64) {
        self.on(Event::Alloc {
            extent: Extent::new(Location(start), len),
            name: None,
            site: SOMEWHERE,
        });
    }

    /// The lock that has this number in the events.
    pub(crate) fn lock_of(&self, number: LockId) -> LockId {
        let recording = self.recording();
        let mut locks = recording.locks.iter();
        let found = locks.find(|&(_, &in_events)| in_events == number);
        found.map_or(number, |(&lock, _)| lock)
    }

    /// The program does what events cannot say.
    pub(crate) fn give_up(&self, what: &'static str) {
        self.recording().unsupported.get_or_insert(what);
    }

    /// The run so far, or what of it cannot be judged.
    pub(crate) fn recorded(&self, features: Features) -> Result<Recorded, &'static str> {
        let mut recording = self.recording();
        match recording.unsupported {
            Some(what) => Err(what),
            None => Ok(Recorded {
                events: std::mem::take(&mut recording.events),
                features,
            }),
        }
    }
}

impl Recording {
    fn lock(&mut self, lock: LockId) -> LockId {
        if lock == LockId::ISOLATED {
            return lock;
        }
        let next = LockId::new(self.locks.len() as u32 + 1);
        *self.locks.entry(lock).or_insert_with(|| {
            let name = UNNAMED;
            self.events.push(Event::DeclareLock { lock: next, name });
            next
        })
    }

    fn token(&mut self, signal: u32) -> TokenId {
        let next = TokenId::new(self.tokens.len() as u32);
        *self.tokens.entry(signal).or_insert_with(|| {
            let (token, name) = (next, UNNAMED);
            self.events.push(Event::DeclareToken { token, name });
            next
        })
    }
}

/// A recorded run.
#[derive(Debug)]
pub(crate) struct Recorded {
    events: Vec<Event>,
    features: Features,
}

impl Run for Recorded {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.events.iter().for_each(|&event| listener.on(event));
    }
}
