//! From the structured form to flat code.
//!
//! Bodies are compiled one after the other: the main task, the procedures, then task bodies in
//! the sequence in which their `spawn` was met. Temporaries are handed out like a stack, so a
//! call's arguments lie side by side at the top of the frame and become the callee's first locals.

mod expression;
mod statement;

use std::collections::VecDeque;

use heddle_core::{Extent, GroupId, LockId, SiteId};

use crate::cuts::Cuts;
use crate::ir::{AccessId, AccessInfo, Body, Program};

use super::code::{Code, Entry, Instruction, Pc, Reg, SyncInFinish};

const NOT_COMPILED: Entry = Entry {
    pc: 0,
    passed: 0,
    locals: 0,
    registers: 0,
};

impl Code {
    /// Compiles a checked program.
    pub fn new(program: &Program) -> Self {
        Self::with_cuts(program, Cuts::Manual)
    }

    /// Compiles a checked program, cut by this strategy.
    pub fn with_cuts(program: &Program, cuts: Cuts) -> Self {
        let mut compiler = Compiler::new(program, cuts);
        compiler.code.main = compiler.body(&program.main, 0);
        for procedure in &program.procs {
            let entry = compiler.body(&procedure.body, procedure.params);
            compiler.code.procedures.push(entry);
        }
        while let Some((spawn, body)) = compiler.waiting.pop_front() {
            compiler.code.spawns[spawn].entry = compiler.body(body, 0);
        }
        compiler.code
    }
}

/// An array by itself is checked element by element, in a group of several as one.
fn atomics(program: &Program) -> Vec<(Extent, Option<GroupId>)> {
    let groups = (0..).zip(&program.atomics);
    let members = groups.flat_map(|(number, members)| {
        let group = (members.len() > 1).then_some(GroupId::new(number));
        members.iter().map(move |member| (member, group))
    });
    members
        .map(|(member, group)| {
            let shared = &program.shared[member.0 as usize];
            (Extent::new(shared.start, shared.len), group)
        })
        .collect()
}

/// What is shared by the bodies of one program.
struct Compiler<'p> {
    code: Code,
    accesses: &'p [AccessInfo],
    /// Task bodies still to compile, with their row in [`Code::spawns`].
    waiting: VecDeque<(usize, &'p Body)>,
    cuts: Cuts,
}

impl<'p> Compiler<'p> {
    fn new(program: &'p Program, cuts: Cuts) -> Self {
        let code = Code {
            instructions: Vec::new(),
            sites: Vec::new(),
            operands: Vec::new(),
            main: NOT_COMPILED,
            procedures: Vec::new(),
            spawns: Vec::new(),
            shared: program.shared.clone(),
            atomics: atomics(program),
            locks: program.locks.clone(),
            events: program.events.clone(),
            regions: program.regions.clone(),
            sync_in_finish: SyncInFinish::Never,
        };
        Self {
            code,
            accesses: &program.accesses,
            waiting: VecDeque::new(),
            cuts,
        }
    }

    fn body(&mut self, body: &'p Body, passed: u32) -> Entry {
        let pc = self.here();
        let mut compiler = BodyCompiler::new(self, body);
        compiler.block(&body.block);
        compiler.epilogue(body.end);
        Entry {
            pc,
            passed,
            locals: body.locals + 1,
            registers: compiler.most_registers,
        }
    }

    fn here(&self) -> Pc {
        Pc::try_from(self.code.instructions.len()).expect("fewer instructions than source bytes")
    }

    fn access(&self, access: AccessId) -> AccessInfo {
        self.accesses[access.0 as usize]
    }
}

/// A block the statement being compiled stands in, which `return` must leave.
#[derive(Clone, Copy)]
enum Enclosing {
    Finish(SiteId),
    Isolated(SiteId),
    With(LockId, SiteId),
}

/// A place in the code that may be jumped to before it is known.
#[derive(Default)]
struct Label {
    bound: Option<Pc>,
    jumps: Vec<Pc>,
}

/// What belongs to one body.
struct BodyCompiler<'c, 'p> {
    program: &'c mut Compiler<'p>,
    result: Reg,
    next_register: u32,
    most_registers: u32,
    enclosing: Vec<Enclosing>,
    epilogue: Label,
}

impl<'c, 'p> BodyCompiler<'c, 'p> {
    fn new(program: &'c mut Compiler<'p>, body: &Body) -> Self {
        Self {
            program,
            result: Reg(body.locals),
            next_register: body.locals + 1,
            most_registers: body.locals + 1,
            enclosing: Vec::new(),
            epilogue: Label::default(),
        }
    }

    fn epilogue(&mut self, end: SiteId) {
        let mut epilogue = std::mem::take(&mut self.epilogue);
        self.bind(&mut epilogue);
        let result = self.result;
        self.emit(Instruction::Return { result }, end);
    }

    /// A fresh temporary; freed by setting `next_register` back.
    fn temporary(&mut self) -> Reg {
        let register = Reg(self.next_register);
        self.next_register += 1;
        self.most_registers = self.most_registers.max(self.next_register);
        register
    }

    fn emit(&mut self, instruction: Instruction, site: SiteId) {
        self.program.code.instructions.push(instruction);
        self.program.code.sites.push(site);
    }

    /// Like `emit`, for an instruction whose operands have positions of their own.
    fn emit_with_operands(
        &mut self,
        instruction: Instruction,
        site: SiteId,
        operands: [SiteId; 2],
    ) {
        let pc = self.program.here();
        self.program.code.operands.push((pc, operands));
        self.emit(instruction, site);
    }

    /// A cut, if this is the strategy.
    fn rule_cut(&mut self, strategy: Cuts, site: SiteId) {
        if self.program.cuts == strategy {
            self.emit(Instruction::RuleCut, site);
        }
    }

    /// Emits a jump (with any target), to go where `label` is or will be.
    fn emit_jump(&mut self, instruction: Instruction, site: SiteId, label: &mut Label) {
        let pc = self.program.here();
        self.emit(instruction, site);
        match label.bound {
            Some(target) => self.patch(pc, target),
            None => label.jumps.push(pc),
        }
    }

    fn bind(&mut self, label: &mut Label) {
        let target = self.program.here();
        label.bound = Some(target);
        for pc in label.jumps.drain(..) {
            self.patch(pc, target);
        }
    }

    fn patch(&mut self, pc: Pc, target: Pc) {
        match &mut self.program.code.instructions[pc as usize] {
            Instruction::Jump { to }
            | Instruction::Branch { to, .. }
            | Instruction::BranchCompare { to, .. }
            | Instruction::Count { to, .. } => *to = target,
            other => unreachable!("only jumps are patched, not {other:?}"),
        }
    }
}
