//! The compiled form of a program: one flat sequence of register instructions.
//!
//! Registers are numbered from the base of the running frame: first the body's locals, then the
//! register that holds its result, then temporaries. An instruction that may have to wait can be
//! executed again from the start when the wait is over.

use heddle_core::{Extent, GroupId, LockId, NameId, SiteId, TaskKind, TokenId};

use crate::ir::{Binary, Dependence, Elimination, RegionId, Shared, Unary};

use super::problem::Blame;

/// A register of the running frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reg(pub u32);

/// A position in [`Code::instructions`].
pub(super) type Pc = u32;

/// What happens to the check of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Delivery {
    /// Delivered with the access.
    Plain,
    /// Not delivered: 6.1.
    MainTask,
    /// Not delivered: 6.2.
    ReadOnly,
    /// Not delivered: 6.3.
    Escape,
    /// Not delivered: 6.4.
    LoopInvariant,
    /// Not delivered: 6.5.
    ReadWrite,
    /// Delivered without the access.
    Moved,
}

impl Delivery {
    /// Number of variants.
    pub const COUNT: usize = 7;

    /// Whether the listener hears of it.
    #[inline(always)]
    pub fn delivers(self) -> bool {
        matches!(self, Self::Plain | Self::Moved)
    }
}

impl From<Option<Elimination>> for Delivery {
    fn from(eliminated: Option<Elimination>) -> Self {
        match eliminated {
            None => Self::Plain,
            Some(Elimination::MainTask) => Self::MainTask,
            Some(Elimination::ReadOnly) => Self::ReadOnly,
            Some(Elimination::Escape) => Self::Escape,
            Some(Elimination::LoopInvariant) => Self::LoopInvariant,
            Some(Elimination::ReadWrite) => Self::ReadWrite,
        }
    }
}

/// Whether a branch is taken on zero or on anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    Zero,
    NotZero,
}

impl When {
    /// The other one.
    pub fn opposite(self) -> Self {
        match self {
            Self::Zero => Self::NotZero,
            Self::NotZero => Self::Zero,
        }
    }
}

/// One step of a task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instruction {
    // Values and control.
    Int {
        to: Reg,
        value: i64,
    },
    Copy {
        to: Reg,
        from: Reg,
    },
    Unary {
        operator: Unary,
        to: Reg,
        a: Reg,
    },
    Binary {
        operator: Binary,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    BinaryConstant {
        operator: Binary,
        to: Reg,
        a: Reg,
        b: i32,
    },
    /// Faults unless the register holds an integer.
    NeedInteger {
        a: Reg,
    },
    Jump {
        to: Pc,
    },
    Branch {
        when: When,
        a: Reg,
        to: Pc,
    },
    BranchCompare {
        operator: Binary,
        a: Reg,
        b: Reg,
        to: Pc,
    },
    /// If `counter` is below its neighbour, the limit: copies it to `local`, counts, jumps.
    Count {
        counter: Reg,
        local: Reg,
        to: Pc,
    },

    // Accesses.
    LoadScalar {
        to: Reg,
        delivery: Delivery,
        location: u64,
    },
    LoadElement {
        to: Reg,
        delivery: Delivery,
        array: u32,
        index: Reg,
    },
    LoadHeap {
        to: Reg,
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    },
    StoreScalar {
        from: Reg,
        delivery: Delivery,
        location: u64,
    },
    StoreElement {
        from: Reg,
        delivery: Delivery,
        array: u32,
        index: Reg,
    },
    StoreHeap {
        from: Reg,
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    },
    /// `read`, `write` and moved checks: an access that leaves all values alone.
    ReadScalar {
        delivery: Delivery,
        location: u64,
    },
    ReadElement {
        delivery: Delivery,
        array: u32,
        index: Reg,
    },
    ReadHeap {
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    },
    WriteScalar {
        delivery: Delivery,
        location: u64,
    },
    WriteElement {
        delivery: Delivery,
        array: u32,
        index: Reg,
    },
    WriteHeap {
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    },

    // Objects and procedures.
    New {
        to: Reg,
        len: Reg,
    },
    /// Names the array in the register unless it has a name.
    Name {
        a: Reg,
        name: NameId,
    },
    /// Arguments start at `first`, which also receives the result.
    Call {
        procedure: u32,
        first: Reg,
    },
    /// Leaves the body; its result is in the result register.
    Return {
        result: Reg,
    },

    // Tasks.
    Spawn {
        spawn: u32,
    },
    FinishBegin,
    FinishEnd,
    Sync,
    Satisfy {
        token: TokenId,
    },
    Get {
        to: Reg,
        from: Reg,
    },
    Await {
        region: RegionId,
    },
    AwaitAny {
        region: RegionId,
    },

    // Mutual exclusion and the rest.
    EnterIsolated,
    LeaveIsolated,
    Acquire {
        lock: LockId,
    },
    Release {
        lock: LockId,
    },
    Cut,
    /// A cut made by a rule: not inside a critical section.
    RuleCut,
    Assert {
        a: Reg,
    },
    Print {
        a: Reg,
    },
}

/// Where a body starts and how many registers it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub pc: Pc,
    /// Registers set by the caller.
    pub passed: u32,
    /// Locals and the result: those not passed are zero at entry.
    pub locals: u32,
    /// All registers.
    pub registers: u32,
}

/// How a task is created.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SpawnCode {
    pub kind: TaskKind,
    pub name: Option<NameId>,
    pub handle: Option<Reg>,
    /// From the creating frame to the task's.
    pub captures: Vec<(Reg, Reg)>,
    pub after: Vec<Dependence>,
    pub region: Option<RegionId>,
    pub passing: Option<RegionId>,
    pub entry: Entry,
}

/// Whether some `sync` stands inside a `finish` of the same body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SyncInFinish {
    Never,
    Somewhere,
}

/// A compiled program: can be run any number of times.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// Row `n` is the position that instruction `n` delivers and is blamed at.
    pub(super) sites: Vec<SiteId>,
    /// Positions of the operands of some instructions, ascending by instruction.
    pub(super) operands: Vec<(Pc, [SiteId; 2])>,
    pub(super) main: Entry,
    pub(super) procedures: Vec<Entry>,
    pub(super) spawns: Vec<SpawnCode>,
    pub(super) shared: Vec<Shared>,
    /// What is declared atomic; members of a group have its number.
    pub(super) atomics: Vec<(Extent, Option<GroupId>)>,
    pub(super) locks: Vec<NameId>,
    pub(super) events: Vec<NameId>,
    pub(super) regions: Vec<NameId>,
    pub(super) sync_in_finish: SyncInFinish,
}

impl Code {
    /// Leaves out the cuts at these sites, as if they did not stand in the source.
    pub fn leave_out_cuts(&mut self, is_left_out: impl Fn(SiteId) -> bool) {
        for (pc, instruction) in self.instructions.iter_mut().enumerate() {
            let is_cut = matches!(instruction, Instruction::Cut | Instruction::RuleCut);
            if is_cut && is_left_out(self.sites[pc]) {
                let to = pc as Pc + 1;
                *instruction = Instruction::Jump { to };
            }
        }
    }

    /// Where the instruction at `pc` stands in the source.
    #[inline(always)]
    pub(super) fn site(&self, pc: Pc) -> SiteId {
        self.sites[pc as usize]
    }

    /// Where the part of the instruction that is to blame stands in the source.
    #[cold]
    pub(super) fn blamed_site(&self, pc: Pc, blame: Blame) -> SiteId {
        let row = self.operands.binary_search_by_key(&pc, |&(row, _)| row);
        match (row, blame) {
            (_, Blame::Mention(site)) => site,
            (Ok(row), Blame::First) => self.operands[row].1[0],
            (Ok(row), Blame::Second) => self.operands[row].1[1],
            _ => self.site(pc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_small() {
        assert!(
            size_of::<Instruction>() <= 16,
            "{}",
            size_of::<Instruction>()
        );
    }
}
