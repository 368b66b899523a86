//! How programs shrink: statements go, blocks leave their statements behind, expressions become
//! constants, numbers become 0.

use super::tree::{Block, Bound, Expr, Index, Label, Place, Proc, Program, Sort, Stmt, Style};
use crate::draw::{Simpler, simpler_list};

impl Simpler for Program {
    fn simpler(&self) -> Vec<Self> {
        let procs = simpler_list(&self.procs, |_| Vec::new()).into_iter();
        let procs = procs.map(|procs| Self {
            procs,
            ..self.clone()
        });
        let mains = simpler_stmts(&self.main).into_iter();
        let mains = mains.map(|main| Self {
            main,
            ..self.clone()
        });
        let scalars = self.scalars.saturating_sub(1).max(1);
        let arrays = self.arrays.saturating_sub(1);
        let others = [
            Self {
                style: Style::Async,
                ..self.clone()
            },
            Self {
                scalars,
                ..self.clone()
            },
            Self {
                arrays,
                ..self.clone()
            },
        ];
        let others = others.into_iter().filter(|other| other != self);
        mains.chain(procs).chain(others).collect()
    }
}

impl Simpler for Proc {
    fn simpler(&self) -> Vec<Self> {
        let bodies = simpler_stmts(&self.body).into_iter();
        let bodies = bodies.map(|body| Self {
            body,
            ..self.clone()
        });
        let params = simpler_list(&self.params, |_| Vec::new()).into_iter();
        let params = params.map(|params| Self {
            params,
            ..self.clone()
        });
        let results = self.result.simpler().into_iter();
        let results = results.map(|result| Self {
            result,
            ..self.clone()
        });
        bodies.chain(params).chain(results).collect()
    }
}

impl Simpler for Sort {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Integer => Vec::new(),
            _ => vec![Self::Integer],
        }
    }
}

impl Simpler for Stmt {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Skip | Self::New | Self::Sync => Vec::new(),
            Self::Read(place) => map(place, Self::Read),
            Self::Write(place) => map(place, Self::Write),
            Self::Store(place, value) => {
                let simpler = vec![Self::Write(place.clone())];
                let pairs = (place.clone(), value.clone()).simpler().into_iter();
                simpler
                    .into_iter()
                    .chain(pairs.map(|(place, value)| Self::Store(place, value)))
                    .collect()
            }
            Self::Let(value) => map(value, Self::Let),
            Self::Shadow(value) => {
                [vec![Self::Let(value.clone())], map(value, Self::Shadow)].concat()
            }
            Self::Assign(local, value) => map(&(*local, value.clone()), |(local, value)| {
                Self::Assign(local, value)
            }),
            Self::Copy(local) => map(local, Self::Copy),
            Self::GetArray(future) => map(future, Self::GetArray),
            Self::Block(block, stmts) => simpler_block(block, stmts),
            Self::If(test, then, other) => simpler_branch(test, then, other),
            Self::Satisfy(event) => map(event, Self::Satisfy),
            Self::Await(region) => map(region, Self::Await),
            Self::AwaitAny(region) => map(region, Self::AwaitAny),
            Self::Call(proc, args) => map(&(*proc, *args), |(proc, args)| Self::Call(proc, args)),
            Self::SpawnCall(proc, args) => {
                map(&(*proc, *args), |(proc, args)| Self::SpawnCall(proc, args))
            }
            Self::Return(value) => map(value, Self::Return),
            Self::Assert(value) => map(value, Self::Assert),
            Self::Print(value) => map(value, Self::Print),
        }
    }
}

fn simpler_block(block: &Block, stmts: &[Stmt]) -> Vec<Stmt> {
    let inside = simpler_stmts(stmts).into_iter();
    let inside = inside.map(|stmts| Stmt::Block(block.clone(), stmts));
    let around = map(block, |block| Stmt::Block(block, stmts.to_vec()));
    inside.chain(around).collect()
}

fn simpler_branch(test: &Expr, then: &[Stmt], other: &[Stmt]) -> Vec<Stmt> {
    let with_then = |then| Stmt::If(test.clone(), then, other.to_vec());
    let with_other = |other| Stmt::If(test.clone(), then.to_vec(), other);
    let thens = simpler_stmts(then).into_iter().map(with_then);
    let others = simpler_stmts(other).into_iter().map(with_other);
    let tests = map(test, |test| Stmt::If(test, then.to_vec(), other.to_vec()));
    thens.chain(others).chain(tests).collect()
}

/// What a statement leaves behind when it goes.
fn contents(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::Block(_, stmts) => stmts.clone(),
        Stmt::If(_, then, other) => [then.as_slice(), other].concat(),
        _ => Vec::new(),
    }
}

fn simpler_stmts(stmts: &[Stmt]) -> Vec<Vec<Stmt>> {
    simpler_list(stmts, contents)
}

impl Simpler for Block {
    fn simpler(&self) -> Vec<Self> {
        let task = || Self::Async(Label::Absent);
        match self {
            Self::Plain | Self::Finish | Self::Isolated | Self::Async(Label::Absent) => Vec::new(),
            Self::Async(Label::Present) | Self::Spawn => vec![task()],
            Self::Future(sort) => [vec![task()], map(sort, Self::Future)].concat(),
            Self::Task(after) => {
                let after = simpler_list(after, |_| Vec::new()).into_iter();
                [task()].into_iter().chain(after.map(Self::Task)).collect()
            }
            Self::Post(region, Some(passing)) => {
                let simpler = map(passing, |passing| Self::Post(*region, Some(passing)));
                [vec![task(), Self::Post(*region, None)], simpler].concat()
            }
            Self::Post(region, None) => {
                [vec![task()], map(region, |region| Self::Post(region, None))].concat()
            }
            Self::With(lock) => map(lock, Self::With),
            Self::Hold(lock) => [vec![Self::With(*lock)], map(lock, Self::Hold)].concat(),
            Self::For(bound) => map(bound, Self::For),
            Self::While(times, test) => {
                let simpler = vec![Self::For(Bound::Constant(*times))];
                [simpler, map(test, |test| Self::While(*times, test))].concat()
            }
        }
    }
}

impl Simpler for Bound {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Constant(times) => map(times, Self::Constant),
            Self::Load(place) => [vec![Self::Constant(2)], map(place, Self::Load)].concat(),
        }
    }
}

impl Simpler for Place {
    fn simpler(&self) -> Vec<Self> {
        match *self {
            Self::Scalar(scalar) => map(&scalar, Self::Scalar),
            Self::Element(array, index) => {
                let simpler = map(&(array, index), |(array, index)| {
                    Self::Element(array, index)
                });
                [vec![Self::Scalar(1)], simpler].concat()
            }
            Self::Heap(array, index) => {
                let simpler = map(&(array, index), |(array, index)| Self::Heap(array, index));
                [vec![Self::Scalar(1)], simpler].concat()
            }
        }
    }
}

impl Simpler for Index {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Constant(constant) => map(constant, Self::Constant),
            Self::Counter(counter) => {
                [vec![Self::Constant(0)], map(counter, Self::Counter)].concat()
            }
            Self::Load(scalar) => [vec![Self::Constant(0)], map(scalar, Self::Load)].concat(),
        }
    }
}

impl Simpler for Expr {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Int(0) => Vec::new(),
            Self::Int(1) => vec![Self::Int(0)],
            Self::Int(_) => vec![Self::Int(0), Self::Int(1)],
            Self::Local(local) => [constants(), map(local, Self::Local)].concat(),
            Self::Load(place) => [constants(), map(place, Self::Load)].concat(),
            Self::Get(future) => [constants(), map(future, Self::Get)].concat(),
            Self::Call(proc, args) => {
                let calls = map(&(*proc, *args), |(proc, args)| Self::Call(proc, args));
                [constants(), calls].concat()
            }
            Self::Negate(operand) | Self::Not(operand) => {
                [constants(), vec![(**operand).clone()]].concat()
            }
            Self::Binary(_, left, right) => {
                [constants(), vec![(**left).clone(), (**right).clone()]].concat()
            }
        }
    }
}

fn constants() -> Vec<Expr> {
    vec![Expr::Int(0), Expr::Int(1)]
}

fn map<T: Simpler, U>(value: &T, wrap: impl Fn(T) -> U) -> Vec<U> {
    value.simpler().into_iter().map(wrap).collect()
}
