//! Fingerprints of states, and names of tasks and objects that do not depend on the schedule.
//!
//! Ids are handed out in the sequence of the run, so one task has different ids in different
//! schedules. Its *name* is the same in all: made of its creator's name and the number of tasks
//! that one created before. The same goes for objects that tasks allocate.

use heddle_core::{Event, Extent, Location, TaskId};
use std::rc::Rc;

/// The name of the main task.
const MAIN: u64 = 0x6D61_696E;

/// A 128-bit hash of a state, built word by word.
///
/// Two states with one fingerprint are taken for the same. With a billion states the chance that
/// any two different ones meet is below 10⁻¹⁹.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint {
    low: u64,
    high: u64,
}

impl Fingerprint {
    /// Of nothing.
    pub fn new() -> Self {
        Self {
            low: 0x243F_6A88_85A3_08D3,
            high: 0x1319_8A2E_0370_7344,
        }
    }

    /// Adds one word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.low = mix(self.low ^ word, 0x9E37_79B9_7F4A_7C15);
        self.high = mix(
            self.high.rotate_left(29) ^ word ^ self.low,
            0xC2B2_AE3D_27D4_EB4F,
        );
    }

    /// The fingerprint with these words.
    pub fn from_words([low, high]: [u64; 2]) -> Self {
        Self { low, high }
    }

    /// The two words.
    pub fn words(self) -> [u64; 2] {
        [self.low, self.high]
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

/// The state of a run as it is added up.
#[derive(Clone, Debug, Default)]
pub struct State {
    hash: Fingerprint,
    joinable: Vec<TaskId>,
}

impl State {
    /// Of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.hash.add(word);
    }

    /// Notes an ended task that a live one can still wait for by its handle.
    pub fn joinable(&mut self, task: TaskId) {
        self.joinable.push(task);
    }

    /// What was added up, and the tasks noted.
    pub(crate) fn parts(self) -> (Fingerprint, Vec<TaskId>) {
        (self.hash, self.joinable)
    }
}

/// Mixes all bits of both words (the folded multiplication of wyhash, then a finaliser).
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0xA076_1D64_78BD_642F) * u128::from(b);
    let folded = (wide as u64) ^ (wide >> 64) as u64;
    let shuffled = (folded ^ a.rotate_left(32)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    shuffled ^ (shuffled >> 33)
}

/// A hash of two words.
pub(crate) fn pair(a: u64, b: u64) -> u64 {
    mix(mix(a, 0x9E37_79B9_7F4A_7C15) ^ b, 0xE703_7ED1_A0B4_28DB)
}

#[derive(Clone, Copy, Debug)]
struct TaskName {
    name: u64,
    parent: TaskId,
    depth: u32,
    /// How many tasks and objects it has created.
    created: u32,
    allocated: u32,
}

/// An object that a task allocated: where, how long, and its name.
#[derive(Clone, Copy, Debug)]
struct Object {
    start: u64,
    len: u64,
    name: u64,
}

/// Names of the tasks and objects of one run.
#[derive(Clone, Debug)]
pub struct Names {
    tasks: Vec<TaskName>,
    /// Ascending by start.
    objects: Rc<Vec<Object>>,
    running: TaskId,
}

impl Names {
    /// Only the main task.
    pub fn new() -> Self {
        let main = TaskName {
            name: MAIN,
            parent: TaskId::MAIN,
            depth: 0,
            created: 0,
            allocated: 0,
        };
        Self {
            tasks: vec![main],
            objects: Rc::default(),
            running: TaskId::MAIN,
        }
    }

    /// The name of a task.
    #[inline]
    pub fn task(&self, task: TaskId) -> u64 {
        self.tasks[task.index()].name
    }

    /// The name of a location: its number where it was declared, else made of its object's name.
    pub fn location(&self, location: Location) -> u64 {
        let after = self
            .objects
            .partition_point(|object| object.start <= location.0);
        match after.checked_sub(1).map(|row| self.objects[row]) {
            Some(object) if location.0 - object.start < object.len.max(1) => {
                pair(object.name, location.0 - object.start)
            }
            _ => location.0,
        }
    }

    /// Whether `a` comes before `b` in a serial depth-first run: a task before its creator, and
    /// of two others the one whose branch was created first.
    pub fn is_before(&self, a: TaskId, b: TaskId) -> bool {
        let (mut left, mut right) = (a, b);
        while self.depth(left) > self.depth(right) {
            left = self.parent(left);
        }
        while self.depth(right) > self.depth(left) {
            right = self.parent(right);
        }
        if left == right {
            return self.depth(a) > self.depth(b);
        }
        while self.parent(left) != self.parent(right) {
            (left, right) = (self.parent(left), self.parent(right));
        }
        left < right
    }

    fn depth(&self, task: TaskId) -> u32 {
        self.tasks[task.index()].depth
    }

    fn parent(&self, task: TaskId) -> TaskId {
        self.tasks[task.index()].parent
    }

    /// Follows the run.
    #[inline]
    pub(crate) fn on(&mut self, event: Event) {
        match event {
            Event::Begin { task } | Event::Resume { task } => self.running = task,
            Event::Spawn { .. } => self.spawn(),
            Event::Alloc { extent, .. } => self.allocate(extent),
            _ => {}
        }
    }

    fn spawn(&mut self) {
        let parent = self.running;
        let creator = &mut self.tasks[parent.index()];
        creator.created += 1;
        let name = pair(creator.name, u64::from(creator.created));
        let depth = creator.depth + 1;
        self.tasks.push(TaskName {
            name,
            parent,
            depth,
            created: 0,
            allocated: 0,
        });
    }

    fn allocate(&mut self, extent: Extent) {
        let creator = &mut self.tasks[self.running.index()];
        creator.allocated += 1;
        let name = pair(!creator.name, u64::from(creator.allocated));
        let objects = Rc::make_mut(&mut self.objects);
        let start = extent.start.0;
        let row = objects.partition_point(|object| object.start < start);
        let len = extent.len;
        objects.insert(row, Object { start, len, name });
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}
