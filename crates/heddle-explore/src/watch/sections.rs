//! Which sections of a recorded run precede which, by the rules of the parent module.

use heddle_core::{AccessKind, Event, Location, LockId, LockMode, TaskId};
use rustc_hash::FxHashMap;

/// The sections of a run, numbered as they began.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// By section: the earlier sections of its lock that it comes after.
    pub before: Vec<Vec<usize>>,
    /// The sections in the sequence in which they ended.
    pub released: Vec<usize>,
}

#[derive(Default)]
struct Section {
    lock: u32,
    mode: Option<LockMode>,
    is_closed: bool,
    touched: Vec<(Location, AccessKind)>,
}

impl Sections {
    /// Of a run.
    pub fn of(events: &[Event]) -> Self {
        let mut reader = Reader::default();
        for &event in events {
            reader.on(event);
        }
        reader.open_running();
        let mut result = Self {
            released: reader.released,
            ..Self::default()
        };
        let mut by_lock: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, section) in reader.sections.iter().enumerate() {
            let earlier = by_lock.entry(section.lock).or_default();
            let precedes = |row: &usize| reader.sections[*row].precedes(section);
            let before = earlier.iter().copied().filter(precedes);
            result.before.push(before.collect());
            earlier.push(number);
        }
        result
    }
}

impl Section {
    /// Whether the two, of one lock, must not be swapped.
    fn precedes(&self, later: &Self) -> bool {
        let conflict = |(place, kind): &(Location, AccessKind)| {
            later.touched.iter().any(|(other, how)| {
                place == other && (*kind == AccessKind::Write || *how == AccessKind::Write)
            })
        };
        let exclude = |mode: LockMode| later.mode.is_none_or(|other| mode.excludes(other));
        self.mode.is_none_or(exclude)
            && (!self.is_closed || !later.is_closed || self.touched.iter().any(conflict))
    }
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    /// By task: the sections it is in.
    held: FxHashMap<TaskId, Vec<usize>>,
    released: Vec<usize>,
    running: Option<TaskId>,
}

impl Reader {
    fn mine(&mut self) -> &mut Vec<usize> {
        let running = self.running.unwrap_or(TaskId::MAIN);
        self.held.entry(running).or_default()
    }

    fn open_running(&mut self) {
        for section in self.mine().clone() {
            self.sections[section].is_closed = false;
        }
    }

    fn on(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => {
                self.open_running();
                self.running = Some(task);
            }
            Event::Acquire { lock, mode, .. } => self.acquire(lock, mode),
            Event::Release { lock, .. } => self.release(lock),
            Event::Read { extent, .. } => self.touch(extent, AccessKind::Read),
            Event::Write { extent, .. } | Event::Free { extent, .. } => {
                self.touch(extent, AccessKind::Write);
            }
            Event::Fault { .. } => self.open_running(),
            event if super::is_task_operation(event) => self.open_running(),
            _ => {}
        }
    }

    fn acquire(&mut self, lock: LockId, mode: LockMode) {
        self.open_running();
        let number = self.sections.len();
        self.sections.push(Section {
            lock: lock.raw(),
            mode: Some(mode),
            is_closed: true,
            touched: Vec::new(),
        });
        self.mine().push(number);
    }

    fn release(&mut self, lock: LockId) {
        let mine = self.mine().clone();
        let found = mine
            .iter()
            .rposition(|&row| self.sections[row].lock == lock.raw());
        let Some(row) = found else { return };
        if row + 1 < mine.len() {
            self.open_running();
        }
        let section = self.mine().remove(row);
        self.released.push(section);
    }

    fn touch(&mut self, extent: heddle_core::Extent, kind: AccessKind) {
        let Some(&section) = self.mine().last() else {
            return;
        };
        let touched = &mut self.sections[section].touched;
        for location in extent.locations() {
            if !touched.contains(&(location, kind)) {
                touched.push((location, kind));
            }
        }
    }
}
