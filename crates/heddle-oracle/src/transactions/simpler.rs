//! How cut programs, models and formulas shrink: steps, transactions, threads and clauses go one by one.

use super::formula::{Clause, Formula, Literal};
use super::model::{Access, Atomization, Thread};
use super::tree::{CutProgram, Item, Style};
use crate::draw::{Simpler, simpler_list};

impl Simpler for CutProgram {
    fn simpler(&self) -> Vec<Self> {
        let mains = simpler_items(&self.main).into_iter();
        let mains = mains.map(|main| Self {
            main,
            ..self.clone()
        });
        let cilk = Self {
            style: Style::Cilk,
            ..self.clone()
        };
        mains.chain((cilk != *self).then_some(cilk)).collect()
    }
}

impl Simpler for Item {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Read(x) => map(x, Self::Read),
            Self::Write(x) => map(x, Self::Write),
            Self::Update(x) => {
                [vec![Self::Read(*x), Self::Write(*x)], map(x, Self::Update)].concat()
            }
            Self::Cut => Vec::new(),
            Self::Wait(n) => map(n, Self::Wait),
            Self::Task(body) => wrapped(body, Self::Task),
            Self::Finish(body) => wrapped(body, Self::Finish),
            Self::Future(body) => {
                [vec![Self::Task(body.clone())], wrapped(body, Self::Future)].concat()
            }
        }
    }
}

fn simpler_items(items: &[Item]) -> Vec<Vec<Item>> {
    simpler_list(items, |item| match item {
        Item::Task(body) | Item::Finish(body) | Item::Future(body) => body.clone(),
        _ => Vec::new(),
    })
}

fn wrapped(body: &[Item], wrap: impl Fn(Vec<Item>) -> Item) -> Vec<Item> {
    simpler_items(body).into_iter().map(wrap).collect()
}

fn map<U>(value: &u8, wrap: impl Fn(u8) -> U) -> Vec<U> {
    value.simpler().into_iter().map(wrap).collect()
}

impl Simpler for Atomization {
    fn simpler(&self) -> Vec<Self> {
        let mut simpler = Vec::new();
        for thread in self.threads() {
            simpler.push(self.changed(|at, _, _| at != thread));
            for earlier in self.before(thread).to_vec() {
                simpler.push(self.changed(|at, _, before| {
                    before.retain(|&from| at != thread || from != earlier);
                    true
                }));
            }
        }
        for transaction in self.transactions() {
            for n in 0..self.accesses(transaction).len() {
                simpler.push(self.changed(|at, transactions, _| {
                    if at == transaction.thread {
                        transactions[transaction.index].remove(n);
                    }
                    true
                }));
            }
        }
        simpler
    }
}

impl Atomization {
    /// The program with each thread changed, or left out where `change` says so.
    fn changed(
        &self,
        change: impl Fn(Thread, &mut Vec<Vec<Access>>, &mut Vec<Thread>) -> bool,
    ) -> Self {
        let mut kept: Vec<Option<Thread>> = Vec::new();
        let mut program = Self::default();
        for thread in self.threads() {
            let transactions = self.of(thread);
            let mut transactions: Vec<Vec<Access>> = transactions
                .map(|transaction| self.accesses(transaction).to_vec())
                .collect();
            let mut before = self.before(thread).to_vec();
            let stays = change(thread, &mut transactions, &mut before);
            let before: Vec<Thread> = before.iter().filter_map(|from| kept[from.0]).collect();
            kept.push(stays.then(|| program.add(transactions, &before)));
        }
        program.without_empty()
    }
}

impl Simpler for Formula {
    fn simpler(&self) -> Vec<Self> {
        let lists = simpler_list(&self.clauses, |_| Vec::new()).into_iter();
        let lists = lists.filter(|clauses| !clauses.is_empty());
        lists.map(|clauses| Self { clauses }).collect()
    }
}

impl Simpler for Clause {
    fn simpler(&self) -> Vec<Self> {
        let [a, b, c] = self.0;
        let simpler = [Self([a, a, a]), Self([b, b, b]), Self([c, c, c])];
        let is_simpler = |clause: &Self| clause != self && a != b;
        simpler.into_iter().filter(is_simpler).collect()
    }
}

impl Simpler for Literal {
    fn simpler(&self) -> Vec<Self> {
        Vec::new()
    }
}
