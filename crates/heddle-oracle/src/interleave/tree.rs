//! Small programs as trees, and how they are written in the `.task` language.
//!
//! Any tree is a program: what would be undefined (a task operation in isolated, taking one's own
//! lock again, `get` without a future) is left out when the tree is tidied.

use std::fmt;

use crate::draw::{Simpler, simpler_list};

/// Shared variables `x0` to `x3`.
pub(super) const VARIABLES: u8 = 4;
/// Locals `a` and `b`, zero at the start, copied into tasks.
pub(super) const LOCALS: u8 = 2;
/// Locks, regions and events: two of each.
pub(super) const EACH: u8 = 2;

/// One statement. Numbers are taken modulo what there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// `a = x;`
    Read(u8, u8),
    /// `x = 1;`
    Set(u8, u8),
    /// `x = a + 1;`
    Add(u8, u8),
    /// `if (a == c) { } else { }`
    If(u8, u8, Vec<Stmt>, Vec<Stmt>),
    /// `isolated { }`
    Isolated(Vec<Stmt>),
    /// `with L { }`
    With(u8, Vec<Stmt>),
    /// `async { }`
    Async(Vec<Stmt>),
    /// `finish { }`
    Finish(Vec<Stmt>),
    /// `future f { return a; }`
    Future(Vec<Stmt>),
    /// `a = get(f);` of the latest visible future but so many.
    Get(u8, u8),
    /// `post r { }`, perhaps passing a region.
    Post(u8, Option<u8>, Vec<Stmt>),
    /// `await r;`
    Await(u8),
    /// `ewait r;`
    AwaitAny(u8),
    /// `task T after e { }`
    After(u8, Vec<Stmt>),
    /// `satisfy e;`, of which the first in the text stays.
    Satisfy(u8),
    /// `assert a != c;`
    Assert(u8, u8),
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree(pub Vec<Stmt>);

/// What is open around a statement.
#[derive(Clone, Default)]
struct Around {
    isolated: bool,
    locks: Vec<u8>,
    futures: u8,
}

impl Tree {
    /// The program without what would be undefined; numbers are in range.
    pub fn tidy(&self) -> Self {
        let mut satisfied = [false; EACH as usize];
        Self(tidy(&self.0, Around::default(), &mut satisfied))
    }
}

fn tidy(stmts: &[Stmt], mut around: Around, satisfied: &mut [bool]) -> Vec<Stmt> {
    let mut tidied = Vec::new();
    for stmt in stmts {
        if let Some(stmt) = tidy_one(stmt, &around, satisfied) {
            around.futures += u8::from(matches!(stmt, Stmt::Future(_)));
            tidied.push(stmt);
        }
    }
    tidied
}

fn tidy_one(stmt: &Stmt, around: &Around, satisfied: &mut [bool]) -> Option<Stmt> {
    let task = Around {
        futures: around.futures,
        ..Around::default()
    };
    let may_act = !around.isolated;
    let local = |number: &u8| number % LOCALS;
    let place = |number: &u8| number % VARIABLES;
    Some(match stmt {
        Stmt::Read(a, x) => Stmt::Read(local(a), place(x)),
        Stmt::Set(x, value) => Stmt::Set(place(x), value % 3),
        Stmt::Add(x, a) => Stmt::Add(place(x), local(a)),
        Stmt::Assert(a, value) => Stmt::Assert(local(a), value % 3),
        Stmt::If(a, value, then, otherwise) => {
            let then = tidy(then, around.clone(), satisfied);
            let otherwise = tidy(otherwise, around.clone(), satisfied);
            Stmt::If(local(a), value % 3, then, otherwise)
        }
        Stmt::Isolated(body) => {
            let inside = Around {
                isolated: true,
                ..around.clone()
            };
            Stmt::Isolated(tidy(body, inside, satisfied))
        }
        Stmt::With(lock, body) => {
            let lock = lock % EACH;
            let mut inside = around.clone();
            if inside.locks.contains(&lock) {
                return None;
            }
            inside.locks.push(lock);
            Stmt::With(lock, tidy(body, inside, satisfied))
        }
        _ if !may_act => return None,
        Stmt::Finish(body) => Stmt::Finish(tidy(body, around.clone(), satisfied)),
        Stmt::Async(body) => Stmt::Async(tidy(body, task, satisfied)),
        Stmt::Future(body) => Stmt::Future(tidy(body, task, satisfied)),
        Stmt::Get(a, back) if around.futures > 0 => Stmt::Get(local(a), back % around.futures),
        Stmt::Get(..) => return None,
        Stmt::Post(region, passing, body) => Stmt::Post(
            region % EACH,
            passing.map(|region| region % EACH),
            tidy(body, task, satisfied),
        ),
        Stmt::Await(region) => Stmt::Await(region % EACH),
        Stmt::AwaitAny(region) => Stmt::AwaitAny(region % EACH),
        Stmt::After(event, body) => Stmt::After(event % EACH, tidy(body, task, satisfied)),
        Stmt::Satisfy(event) => {
            let event = event % EACH;
            if std::mem::replace(&mut satisfied[event as usize], true) {
                return None;
            }
            Stmt::Satisfy(event)
        }
    })
}

impl fmt::Display for Tree {
    /// One statement a line, so that lines name statements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "shared x0, x1, x2, x3;")?;
        writeln!(f, "lock L0, L1;")?;
        writeln!(f, "region r0, r1;")?;
        writeln!(f, "event e0, e1;")?;
        writeln!(f, "let a = 0;")?;
        writeln!(f, "let b = 0;")?;
        let mut printer = Printer { f, futures: 0 };
        printer.block(&self.tidy().0, 0, &mut Vec::new())
    }
}

/// Lines before the first statement.
pub(super) const HEAD: u32 = 6;

struct Printer<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    futures: u32,
}

impl Printer<'_, '_> {
    fn block(&mut self, stmts: &[Stmt], depth: usize, visible: &mut Vec<u32>) -> fmt::Result {
        let outer = visible.len();
        for stmt in stmts {
            self.stmt(stmt, depth, visible)?;
        }
        visible.truncate(outer);
        Ok(())
    }

    fn around(
        &mut self,
        head: &str,
        body: &[Stmt],
        tail: &str,
        depth: usize,
        visible: &mut Vec<u32>,
    ) -> fmt::Result {
        let indent = "  ".repeat(depth);
        writeln!(self.f, "{indent}{head} {{")?;
        self.block(body, depth + 1, visible)?;
        writeln!(self.f, "{indent}{tail}}}")
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize, visible: &mut Vec<u32>) -> fmt::Result {
        let indent = "  ".repeat(depth);
        let name = |local: &u8| ["a", "b"][usize::from(*local)];
        match stmt {
            Stmt::Read(a, x) => writeln!(self.f, "{indent}{} = x{x};", name(a)),
            Stmt::Set(x, value) => writeln!(self.f, "{indent}x{x} = {value};"),
            Stmt::Add(x, a) => writeln!(self.f, "{indent}x{x} = {} + 1;", name(a)),
            Stmt::Assert(a, value) => writeln!(self.f, "{indent}assert {} != {value};", name(a)),
            Stmt::If(a, value, then, otherwise) => {
                let head = format!("if ({} == {value})", name(a));
                writeln!(self.f, "{indent}{head} {{")?;
                self.block(then, depth + 1, visible)?;
                writeln!(self.f, "{indent}}} else {{")?;
                self.block(otherwise, depth + 1, visible)?;
                writeln!(self.f, "{indent}}}")
            }
            Stmt::Isolated(body) => self.around("isolated", body, "", depth, visible),
            Stmt::With(lock, body) => {
                self.around(&format!("with L{lock}"), body, "", depth, visible)
            }
            Stmt::Async(body) => self.around("async", body, "", depth, visible),
            Stmt::Finish(body) => self.around("finish", body, "", depth, visible),
            Stmt::Future(body) => {
                let number = self.futures;
                self.futures += 1;
                let head = format!("future f{number}");
                self.around(&head, body, "return a; ", depth, visible)?;
                visible.push(number);
                Ok(())
            }
            Stmt::Get(a, back) => {
                let number = visible[visible.len() - 1 - usize::from(*back)];
                writeln!(self.f, "{indent}{} = get(f{number});", name(a))
            }
            Stmt::Post(region, passing, body) => {
                let passing = passing.map(|region| format!(" passing r{region}"));
                let head = format!("post r{region}{}", passing.unwrap_or_default());
                self.around(&head, body, "", depth, visible)
            }
            Stmt::Await(region) => writeln!(self.f, "{indent}await r{region};"),
            Stmt::AwaitAny(region) => writeln!(self.f, "{indent}ewait r{region};"),
            Stmt::After(event, body) => {
                self.around(&format!("task after e{event}"), body, "", depth, visible)
            }
            Stmt::Satisfy(event) => writeln!(self.f, "{indent}satisfy e{event};"),
        }
    }
}

impl Stmt {
    /// The blocks inside.
    pub(super) fn blocks(&self) -> Vec<&Vec<Self>> {
        match self {
            Self::If(_, _, then, otherwise) => vec![then, otherwise],
            Self::Isolated(body)
            | Self::With(_, body)
            | Self::Async(body)
            | Self::Finish(body)
            | Self::Future(body)
            | Self::Post(_, _, body)
            | Self::After(_, body) => vec![body],
            _ => Vec::new(),
        }
    }

    fn with_block(&self, at: usize, block: Vec<Self>) -> Self {
        let mut stmt = self.clone();
        match &mut stmt {
            Self::If(_, _, then, otherwise) => *[then, otherwise][at] = block,
            Self::Isolated(body)
            | Self::With(_, body)
            | Self::Async(body)
            | Self::Finish(body)
            | Self::Future(body)
            | Self::Post(_, _, body)
            | Self::After(_, body) => *body = block,
            _ => {}
        }
        stmt
    }
}

impl Simpler for Stmt {
    fn simpler(&self) -> Vec<Self> {
        let mut simpler = Vec::new();
        if let Self::Post(region, Some(_), body) = self {
            simpler.push(Self::Post(*region, None, body.clone()));
        }
        for (at, block) in self.blocks().into_iter().enumerate() {
            let blocks = simpler_list(block, contents);
            simpler.extend(blocks.into_iter().map(|block| self.with_block(at, block)));
        }
        simpler
    }
}

fn contents(stmt: &Stmt) -> Vec<Stmt> {
    stmt.blocks().into_iter().flatten().cloned().collect()
}

impl Simpler for Tree {
    fn simpler(&self) -> Vec<Self> {
        let lists = simpler_list(&self.tidy().0, contents);
        lists.into_iter().map(Self).collect()
    }
}
