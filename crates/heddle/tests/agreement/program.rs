//! Random task programs.

/// How many locations, locks and source positions of each kind of access there are.
pub const LOCATIONS: usize = 5;
pub const LOCKS: usize = 2;
pub const PLACES: usize = 6;

/// The first locations are each atomic, the next are together, and the rest are not.
pub const ALONE: usize = 2;
pub const TOGETHER: usize = 2;

/// How many values behind locks of their own there are.
pub const CELLS: usize = 2;

/// An access: a read or a write of a location, at one of the positions for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub operation: Operation,
    pub location: usize,
    pub place: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operation {
    Read,
    Write,
}

/// What a section does with the value behind its lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Look,
    Change,
    LookThenChange,
    ChangeThenLook,
}

/// What a task does next.
#[derive(Clone, Debug)]
pub enum Step {
    Access(Access),
    Spawn(Vec<Step>),
    /// Spawn into the finish outside of the innermost one.
    SpawnOuter(Vec<Step>),
    Finish(Vec<Step>),
    Join(Vec<Step>, Vec<Step>),
    Future(Vec<Step>),
    /// Get the value of one of the futures the task knows of.
    Get(usize),
    /// Post two tasks to a group of its own and wait for them.
    Group(Vec<Access>, Vec<Access>),
    Isolated(Vec<Access>),
    Locked(usize, Vec<Access>),
    /// Sections of cells, one after the other, perhaps all under a lock.
    Cells(Option<usize>, Vec<(usize, Use)>),
}

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Structured,
    Edges,
    Exclusion,
}

/// Random numbers, the same every time.
pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        Self(0x1234_5678_9ABC_DEF1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % limit
    }

    pub fn program(&mut self, class: Class) -> Vec<Step> {
        self.steps(class, 4)
    }

    fn steps(&mut self, class: Class, depth: usize) -> Vec<Step> {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.step(class, depth)).collect()
    }

    fn accesses(&mut self) -> Vec<Access> {
        (0..=self.below(2)).map(|_| self.access()).collect()
    }

    fn cells(&mut self) -> Step {
        let lock = self.below(LOCKS + 2);
        let uses = [
            Use::Look,
            Use::Change,
            Use::LookThenChange,
            Use::ChangeThenLook,
        ];
        let sections = 1 + self.below(3);
        let sections = (0..sections).map(|_| (self.below(CELLS), uses[self.below(4)]));
        Step::Cells((lock < LOCKS).then_some(lock), sections.collect())
    }

    fn access(&mut self) -> Access {
        Access {
            operation: match self.below(3) {
                0 => Operation::Write,
                _ => Operation::Read,
            },
            location: self.below(LOCATIONS),
            place: self.below(PLACES),
        }
    }

    fn step(&mut self, class: Class, depth: usize) -> Step {
        if depth == 0 {
            return Step::Access(self.access());
        }
        match (self.below(11), class) {
            (0 | 1, _) => Step::Spawn(self.steps(class, depth - 1)),
            (2 | 3, _) => Step::Finish(self.steps(class, depth - 1)),
            (4, _) => Step::Join(self.steps(class, depth - 1), self.steps(class, depth - 1)),
            (5, Class::Edges) => Step::SpawnOuter(self.steps(class, depth - 1)),
            (6, Class::Edges) => Step::Future(self.steps(class, depth - 1)),
            (7, Class::Edges) => Step::Get(self.below(4)),
            (8, Class::Edges) => Step::Group(self.accesses(), self.accesses()),
            (5 | 6, Class::Exclusion) => Step::Isolated(self.accesses()),
            (7 | 8, Class::Exclusion) => Step::Locked(self.below(LOCKS), self.accesses()),
            (9, Class::Exclusion) => self.cells(),
            _ => Step::Access(self.access()),
        }
    }
}
