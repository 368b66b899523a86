//! What is visible at one point of the program being printed.

use std::collections::BTreeSet;

use super::tree::Sort;

/// How many regions are declared.
pub const REGIONS: usize = 2;

/// A local name.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its spelling.
    pub name: String,
    /// What it holds.
    pub sort: Sort,
    /// What may be done with it.
    pub role: Role,
}

/// What may be done with a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Anything.
    Variable,
    /// It is never negative and must not be assigned: loops and recursion end by it.
    Counter,
    /// It names a task: usable in `after`, never assigned.
    Label,
}

/// The locals declared so far, block by block.
#[derive(Debug, Default)]
pub struct Scope {
    locals: Vec<Local>,
    blocks: Vec<usize>,
}

impl Scope {
    /// Opens a block.
    pub fn open(&mut self) {
        self.blocks.push(self.locals.len());
    }

    /// Closes the innermost block and forgets its locals.
    pub fn close(&mut self) {
        self.locals.truncate(self.blocks.pop().unwrap_or(0));
    }

    /// Declares a local in the innermost block.
    pub fn declare(&mut self, name: &str, sort: Sort, role: Role) {
        self.locals.push(Local {
            name: name.into(),
            sort,
            role,
        });
    }

    /// The `choice`-th of the visible locals that `wanted` accepts, counted around.
    pub fn pick(&self, choice: u8, wanted: impl Fn(&Local) -> bool) -> Option<Local> {
        let visible: Vec<&Local> = self.visible().filter(|local| wanted(local)).collect();
        let index = usize::from(choice).checked_rem(visible.len())?;
        visible.get(index).map(|&local| local.clone())
    }

    /// A name of an outer block that the innermost block may declare anew.
    pub fn shadowable(&self) -> Option<String> {
        let outer = self.blocks.last().copied().unwrap_or(0);
        let (outer, own) = self.locals.split_at(outer);
        let free = |local: &&Local| {
            local.role == Role::Variable && own.iter().all(|other| other.name != local.name)
        };
        outer
            .iter()
            .rev()
            .find(free)
            .map(|local| local.name.clone())
    }

    fn visible(&self) -> impl Iterator<Item = &Local> {
        let locals = self.locals.iter().enumerate();
        locals
            .filter(|(n, local)| !self.is_shadowed(*n, &local.name))
            .map(|(_, local)| local)
    }

    fn is_shadowed(&self, n: usize, name: &str) -> bool {
        self.locals
            .iter()
            .skip(n + 1)
            .any(|later| later.name == name)
    }
}

/// What the language allows at one point of a body.
#[derive(Clone, Debug, Default)]
pub struct Spot {
    /// What `return` returns here, where it may stand.
    pub result: Option<Sort>,
    /// Inside `isolated`: no task operations.
    pub isolated: bool,
    /// Locks the body holds.
    pub held: BTreeSet<u8>,
    /// Between `acquire` and `release`, which `return` must not skip.
    pub holding: bool,
    /// May run more than once: no `satisfy`.
    pub repeated: bool,
    /// Inside a task that waits to start: it cannot satisfy what it may be waiting for.
    pub dependent: bool,
    /// How many tasks are surely in each region.
    pub pending: [u32; REGIONS],
}

impl Spot {
    /// The start of a task created here.
    pub fn task(&self, result: Option<Sort>) -> Self {
        Self {
            result,
            repeated: self.repeated,
            dependent: self.dependent,
            ..Self::default()
        }
    }
}

/// What a procedure does, its callees included; callers must mind it.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Locks it takes.
    pub locks: BTreeSet<u8>,
    /// Whether it creates tasks or waits for some.
    pub task_operations: bool,
}

impl Effects {
    /// Adds what a callee does.
    pub fn include(&mut self, callee: &Effects) {
        self.locks.extend(&callee.locks);
        self.task_operations |= callee.task_operations;
    }
}
