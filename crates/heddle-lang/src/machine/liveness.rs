//! Which registers may still be read, at each instruction.
//!
//! Two states that differ only in values nobody will read again are one state. The usual backward
//! analysis over the flat code; sets are of the registers of the frame that executes.

use std::collections::BTreeSet;

use crate::ir::Dependence;

use super::code::{Code, Instruction, Pc, Reg};

/// The live registers before each instruction.
#[derive(Clone, Debug)]
pub struct Liveness {
    before: Vec<BTreeSet<u32>>,
}

impl Liveness {
    /// Analyses all bodies.
    pub fn new(code: &Code) -> Self {
        let mut before = vec![BTreeSet::new(); code.instructions.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for pc in (0..code.instructions.len()).rev() {
                let live = live_before(code, pc as Pc, &before);
                if live != before[pc] {
                    before[pc] = live;
                    changed = true;
                }
            }
        }
        Self { before }
    }

    /// The registers that may be read from `pc` on, ascending.
    pub(super) fn before(&self, pc: Pc) -> impl Iterator<Item = Reg> {
        let live = self.before.get(pc as usize);
        live.into_iter().flatten().map(|&register| Reg(register))
    }

    /// The registers a caller may read once the call at `pc` has returned, but for the result.
    pub(super) fn across_call(&self, code: &Code, pc: Pc) -> impl Iterator<Item = Reg> {
        let result = match code.instructions[pc as usize] {
            Instruction::Call { first, .. } => Some(first),
            _ => None,
        };
        self.before(pc + 1)
            .filter(move |&register| Some(register) != result)
    }
}

fn live_before(code: &Code, pc: Pc, before: &[BTreeSet<u32>]) -> BTreeSet<u32> {
    let instruction = code.instructions[pc as usize];
    let mut live = BTreeSet::new();
    for next in successors(instruction, pc).into_iter().flatten() {
        if let Some(after) = before.get(next as usize) {
            live.extend(after);
        }
    }
    for register in defined(code, instruction).into_iter().flatten() {
        live.remove(&register.0);
    }
    live.extend(used(code, instruction).iter().map(|register| register.0));
    live
}

fn successors(instruction: Instruction, pc: Pc) -> [Option<Pc>; 2] {
    match instruction {
        Instruction::Jump { to } => [Some(to), None],
        Instruction::Branch { to, .. }
        | Instruction::BranchCompare { to, .. }
        | Instruction::Count { to, .. } => [Some(to), Some(pc + 1)],
        Instruction::Return { .. } => [None, None],
        _ => [Some(pc + 1), None],
    }
}

fn defined(code: &Code, instruction: Instruction) -> [Option<Reg>; 2] {
    use Instruction as I;
    match instruction {
        I::Int { to, .. }
        | I::Copy { to, .. }
        | I::Unary { to, .. }
        | I::Binary { to, .. }
        | I::BinaryConstant { to, .. }
        | I::LoadScalar { to, .. }
        | I::LoadElement { to, .. }
        | I::LoadHeap { to, .. }
        | I::New { to, .. }
        | I::Get { to, .. }
        | I::Call { first: to, .. } => [Some(to), None],
        I::Spawn { spawn } => [code.spawns[spawn as usize].handle, None],
        // A loop's counter is used as well, and its local is only set if there is an iteration.
        _ => [None, None],
    }
}

fn used(code: &Code, instruction: Instruction) -> Vec<Reg> {
    use Instruction as I;
    match instruction {
        I::Copy { from: a, .. }
        | I::Unary { a, .. }
        | I::BinaryConstant { a, .. }
        | I::NeedInteger { a }
        | I::Branch { a, .. }
        | I::LoadElement { index: a, .. }
        | I::StoreScalar { from: a, .. }
        | I::ReadElement { index: a, .. }
        | I::WriteElement { index: a, .. }
        | I::New { len: a, .. }
        | I::Name { a, .. }
        | I::Return { result: a }
        | I::Get { from: a, .. }
        | I::Assert { a }
        | I::Print { a } => vec![a],
        I::Binary { a, b, .. } | I::BranchCompare { a, b, .. } => vec![a, b],
        I::Count { counter, .. } => vec![counter, Reg(counter.0 + 1)],
        I::StoreElement { from, index, .. } => vec![from, index],
        I::LoadHeap { handle, index, .. }
        | I::ReadHeap { handle, index, .. }
        | I::WriteHeap { handle, index, .. } => vec![handle, index],
        I::StoreHeap {
            from,
            handle,
            index,
            ..
        } => vec![from, handle, index],
        I::Call { procedure, first } => {
            let passed = code.procedures[procedure as usize].passed;
            (first.0..first.0 + passed).map(Reg).collect()
        }
        I::Spawn { spawn } => spawn_uses(code, spawn),
        _ => Vec::new(),
    }
}

/// What is captured; the task's own handle is set before.
fn spawn_uses(code: &Code, spawn: u32) -> Vec<Reg> {
    let spawn = &code.spawns[spawn as usize];
    let captured = spawn.captures.iter().map(|&(from, _)| from);
    let after = spawn
        .after
        .iter()
        .filter_map(|dependence| match dependence {
            Dependence::Task { local, .. } => Some(Reg(local.0)),
            Dependence::Event { .. } => None,
        });
    captured.chain(after).collect()
}
