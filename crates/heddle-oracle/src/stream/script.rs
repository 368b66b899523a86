//! The tree a random event stream is made from, and how it reads.
//!
//! Numbers in steps are raw choices: the simulator takes them modulo what there is at that
//! point, so every script is valid and stays valid while it shrinks. A block shrinks to
//! [`Block::Plain`], which leaves its steps in place and drops what surrounded them.

use std::fmt;

use heddle_core::Location;

/// A tree of steps and the schedule it runs under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// What the main task does.
    pub main: Vec<Step>,
    /// What is declared atomic: some locations, each by itself or as members of a group.
    pub atomics: Vec<(Span, Option<u8>)>,
    /// Who runs when.
    pub schedule: Schedule,
    /// Whether the run is cut short.
    pub stop: Stop,
    /// Where the locations lie.
    pub layout: Layout,
    /// How many source positions the accesses are spread over; few make pairs coincide.
    pub sites: u32,
}

/// Who runs when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Depth first.
    Serial,
    /// The n-th choice picks among the tasks that can run; 0 stays with the running one.
    /// After the last choice it starts over.
    Interleaved(Vec<u8>),
}

/// Where the locations of a script lie among all locations there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// At the start.
    Low,
    /// From here on, except that the last one lies far off and shares its lower half with the
    /// first one.
    From(u64),
}

impl Layout {
    /// The number of a script's location.
    pub fn location(self, number: u8) -> Location {
        match self {
            Self::Low => Location(u64::from(number)),
            Self::From(base) if number == FLAG => Location(base ^ (1 << 32)),
            Self::From(base) => Location(base + u64::from(number)),
        }
    }
}

/// The location kept for messages between sections.
pub const FLAG: u8 = 250;

/// Whether the run is cut short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It runs to its end.
    Never,
    /// A fault stops it after so many events.
    Fault(u32),
}

/// One step of a task.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Reads locations.
    Read(Span),
    /// Writes locations.
    Write(Span),
    /// Starts a new life of locations.
    Alloc(Span),
    /// Gives locations back.
    Free(Span),
    /// Waits for the end of some task spawned so far.
    Join(u8),
    /// Signals a token.
    Signal(u8),
    /// Waits for a token.
    Wait(u8),
    /// Takes a lock alone, unless it has it.
    Acquire(u8),
    /// Takes a lock together with other readers, unless it has it.
    Share(u8),
    /// Gives a lock back, if it has it.
    Release(u8),
    /// Steps inside a construct.
    Block(Block, Vec<Step>),
}

/// What surrounds the steps of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block {
    /// Nothing.
    Plain,
    /// A finish.
    Finish,
    /// A new task of the innermost finish.
    Async,
    /// A new task of some finish further out.
    Escaping(u8),
    /// A new task of the innermost finish that starts once a token is signalled.
    After(u8),
    /// `isolated`.
    Isolated,
    /// A lock.
    With(u8),
    /// A lock, shared with other readers.
    Sharing(u8),
    /// An atomic block.
    Atomic,
}

/// Some neighbouring locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The first one.
    pub start: u8,
    /// How many.
    pub len: u8,
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "// {:?}, {:?}, {:?}, {} sites",
            self.schedule, self.stop, self.layout, self.sites
        )?;
        for (span, group) in &self.atomics {
            match group {
                Some(group) => writeln!(f, "atomic {span} in group #{group};")?,
                None => writeln!(f, "atomic {span};")?,
            }
        }
        write_steps(f, &self.main, 0)
    }
}

fn write_steps(f: &mut fmt::Formatter<'_>, steps: &[Step], depth: usize) -> fmt::Result {
    steps.iter().try_for_each(|step| write_step(f, step, depth))
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
    let Step::Block(block, steps) = step else {
        return writeln!(f, "{:1$}{step};", "", 2 * depth);
    };
    if *block == Block::Plain {
        return write_steps(f, steps, depth);
    }
    writeln!(f, "{:1$}{block} {{", "", 2 * depth)?;
    write_steps(f, steps, depth + 1)?;
    writeln!(f, "{:1$}}}", "", 2 * depth)
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(span) => write!(f, "read {span}"),
            Self::Write(span) => write!(f, "write {span}"),
            Self::Alloc(span) => write!(f, "alloc {span}"),
            Self::Free(span) => write!(f, "free {span}"),
            Self::Join(task) => write!(f, "join #{task}"),
            Self::Signal(token) => write!(f, "signal #{token}"),
            Self::Wait(token) => write!(f, "wait #{token}"),
            Self::Acquire(lock) => write!(f, "acquire #{lock}"),
            Self::Share(lock) => write!(f, "share #{lock}"),
            Self::Release(lock) => write!(f, "release #{lock}"),
            Self::Block(block, _) => write!(f, "{block} {{ ... }}"),
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("plain"),
            Self::Finish => f.write_str("finish"),
            Self::Async => f.write_str("async"),
            Self::Escaping(finish) => write!(f, "async into outer #{finish}"),
            Self::After(token) => write!(f, "task after #{token}"),
            Self::Isolated => f.write_str("isolated"),
            Self::With(lock) => write!(f, "with #{lock}"),
            Self::Sharing(lock) => write!(f, "sharing #{lock}"),
            Self::Atomic => f.write_str("atomic"),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.len {
            1 => write!(f, "{}", self.start),
            len => write!(
                f,
                "{}..{}",
                self.start,
                u16::from(self.start) + u16::from(len)
            ),
        }
    }
}
