//! Trees as flat sequences of operations, each of which makes at most one access.

use super::tree::{HEAD, Stmt, Tree};

/// A position in the code.
pub(super) type Pc = usize;

/// How a task is created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Creation {
    Async,
    /// Its handle goes to this slot of the creator.
    Future(usize),
    Post {
        region: u8,
        passing: Option<u8>,
    },
    After(u8),
}

/// One operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Read(u8, u8),
    Set(u8, i64),
    Add(u8, u8),
    /// Go on at the position unless the local has the value.
    Unless(u8, i64, Pc),
    Jump(Pc),
    /// In a line of the text.
    Assert(u8, i64, u32),
    EnterIsolated,
    LeaveIsolated,
    Acquire(u8),
    Release(u8),
    Create(Creation, Pc),
    BeginFinish,
    EndFinish,
    Get(u8, usize),
    Await(u8),
    AwaitAny(u8),
    Satisfy(u8),
    End,
}

/// A flattened program; the main task starts at 0.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub ops: Vec<Op>,
    line: u32,
    futures: usize,
}

impl Flat {
    pub fn new(tree: &Tree) -> Self {
        let mut flat = Self {
            line: HEAD,
            ..Self::default()
        };
        flat.block(&tree.tidy().0, &mut Vec::new());
        flat.ops.push(Op::End);
        flat
    }

    fn block(&mut self, stmts: &[Stmt], visible: &mut Vec<usize>) {
        let outer = visible.len();
        for stmt in stmts {
            self.line += 1;
            self.stmt(stmt, visible);
        }
        visible.truncate(outer);
    }

    /// A block in braces: its closing brace is a line.
    fn body(&mut self, stmts: &[Stmt], visible: &mut Vec<usize>) {
        self.block(stmts, visible);
        self.line += 1;
    }

    fn create(&mut self, creation: Creation, body: &[Stmt], visible: &mut Vec<usize>) {
        let at = self.ops.len();
        self.ops.push(Op::Create(creation, at + 2));
        self.ops.push(Op::Jump(0));
        self.body(body, visible);
        self.ops.push(Op::End);
        self.ops[at + 1] = Op::Jump(self.ops.len());
    }

    fn around(&mut self, enter: Op, body: &[Stmt], leave: Op, visible: &mut Vec<usize>) {
        self.ops.push(enter);
        self.body(body, visible);
        self.ops.push(leave);
    }

    fn branch(
        &mut self,
        (local, value): (u8, u8),
        then: &[Stmt],
        otherwise: &[Stmt],
        visible: &mut Vec<usize>,
    ) {
        let at = self.ops.len();
        self.ops.push(Op::Jump(0));
        self.body(then, visible);
        let over = self.ops.len();
        self.ops.push(Op::Jump(0));
        self.ops[at] = Op::Unless(local, value.into(), self.ops.len());
        self.body(otherwise, visible);
        self.ops[over] = Op::Jump(self.ops.len());
    }

    fn stmt(&mut self, stmt: &Stmt, visible: &mut Vec<usize>) {
        match stmt {
            Stmt::Read(a, x) => self.ops.push(Op::Read(*a, *x)),
            Stmt::Set(x, value) => self.ops.push(Op::Set(*x, (*value).into())),
            Stmt::Add(x, a) => self.ops.push(Op::Add(*x, *a)),
            Stmt::Assert(a, value) => self.ops.push(Op::Assert(*a, (*value).into(), self.line)),
            Stmt::If(a, value, then, otherwise) => {
                self.branch((*a, *value), then, otherwise, visible);
            }
            Stmt::Isolated(body) => {
                self.around(Op::EnterIsolated, body, Op::LeaveIsolated, visible);
            }
            Stmt::With(lock, body) => {
                self.around(Op::Acquire(*lock), body, Op::Release(*lock), visible);
            }
            Stmt::Finish(body) => self.around(Op::BeginFinish, body, Op::EndFinish, visible),
            Stmt::Async(body) => self.create(Creation::Async, body, visible),
            Stmt::Future(body) => {
                let number = self.futures;
                self.futures += 1;
                self.create(Creation::Future(number), body, visible);
                visible.push(number);
            }
            Stmt::Get(a, back) => {
                let number = visible[visible.len() - 1 - usize::from(*back)];
                self.ops.push(Op::Get(*a, number));
            }
            Stmt::Post(region, passing, body) => {
                let (region, passing) = (*region, *passing);
                self.create(Creation::Post { region, passing }, body, visible);
            }
            Stmt::Await(region) => self.ops.push(Op::Await(*region)),
            Stmt::AwaitAny(region) => self.ops.push(Op::AwaitAny(*region)),
            Stmt::After(event, body) => self.create(Creation::After(*event), body, visible),
            Stmt::Satisfy(event) => self.ops.push(Op::Satisfy(*event)),
        }
    }
}
