//! Cut programs as trees, which are `.task` source and the explicit model at once.
//!
//! The model is built here from the meaning of the constructs (Definition 1 and its like for finishes and
//! futures), not from a run, so that it also holds [`of_events`](super::of_events) to account.
//! Numbers are raw choices, taken modulo what there is, so every tree is a valid program and stays one
//! while it shrinks.

use std::fmt::{self, Write as _};

use super::model::{Access, Atomization, Thread};

/// A cut program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutProgram {
    /// Which constructs create tasks.
    pub style: Style,
    /// How many shared variables there are, at least one.
    pub variables: u8,
    /// What the main task does.
    pub main: Vec<Item>,
}

/// Which constructs create tasks and wait for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `spawn` and `sync`, as in the thesis; other constructs stand for these.
    Cilk,
    /// `async`, `finish`, `future` and `get`; other constructs stand for these.
    Finish,
}

/// One step of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `read x;`
    Read(u8),
    /// `write x;`
    Write(u8),
    /// `x = x + 1;`
    Update(u8),
    /// `cut;`
    Cut,
    /// `sync;`; a `get` of some visible future.
    Wait(u8),
    /// `spawn { }`; `async { }`.
    Task(Vec<Item>),
    /// `finish { }`; in Cilk the steps, then `sync;`.
    Finish(Vec<Item>),
    /// `future f { }`; in Cilk `spawn { }`.
    Future(Vec<Item>),
}

impl CutProgram {
    /// The explicit model of the program, without what accesses nothing.
    pub fn atomization(&self) -> Atomization {
        let strands = self.built().strands;
        let mut program = Atomization::default();
        for (transactions, after) in strands {
            program.add(transactions, &after);
        }
        program.without_empty()
    }

    fn built(&self) -> Builder {
        let mut builder = Builder {
            style: self.style,
            variables: self.variables.max(1),
            strands: Vec::new(),
            text: String::new(),
            depth: 0,
            futures: Vec::new(),
            visible: Vec::new(),
        };
        builder.declare();
        let start = builder.strand(&[]);
        builder.task(&self.main, start, &mut Vec::new());
        builder
    }
}

/// The program as `.task` source.
impl fmt::Display for CutProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.built().text)
    }
}

struct Builder {
    style: Style,
    variables: u8,
    strands: Vec<(Vec<Vec<Access>>, Vec<Thread>)>,
    text: String,
    depth: usize,
    /// The last strand of every future.
    futures: Vec<Thread>,
    /// The futures whose labels are visible.
    visible: Vec<usize>,
}

impl Builder {
    fn declare(&mut self) {
        let names: Vec<String> = (0..self.variables).map(|n| format!("x{n}")).collect();
        let names = names.join(", ");
        self.line(&format!("shared {names};"));
    }

    /// What a task does from its first strand on; gives its last. `scope` takes the last strands of the
    /// tasks that its finish waits for.
    fn task(&mut self, items: &[Item], start: Thread, scope: &mut Vec<Thread>) -> Thread {
        let mut children = Vec::new();
        let end = self.items(items, start, scope, &mut children);
        self.sync(end, &mut children)
    }

    fn items(
        &mut self,
        items: &[Item],
        start: Thread,
        scope: &mut Vec<Thread>,
        children: &mut Vec<Thread>,
    ) -> Thread {
        let visible = self.visible.len();
        let mut strand = start;
        for item in items {
            strand = self.item(item, strand, scope, children);
        }
        self.visible.truncate(visible);
        strand
    }

    fn item(
        &mut self,
        item: &Item,
        strand: Thread,
        scope: &mut Vec<Thread>,
        children: &mut Vec<Thread>,
    ) -> Thread {
        match (item, self.style) {
            (Item::Read(x), _) => self.access(strand, *x, "read x", &[Access::read]),
            (Item::Write(x), _) => self.access(strand, *x, "write x", &[Access::write]),
            (Item::Update(x), _) => self.access(strand, *x, "", &[Access::read, Access::write]),
            (Item::Cut, _) => {
                self.line("cut;");
                self.strands[strand.0].0.push(Vec::new());
                strand
            }
            (Item::Wait(_), Style::Cilk) => {
                self.line("sync;");
                self.sync(strand, children)
            }
            (Item::Wait(n), Style::Finish) => self.get(strand, *n),
            (Item::Task(body) | Item::Future(body), Style::Cilk) => {
                let (next, end) = self.spawn("spawn {", body, strand, scope);
                children.push(end);
                next
            }
            (Item::Task(body), Style::Finish) => {
                let (next, end) = self.spawn("async {", body, strand, scope);
                scope.push(end);
                next
            }
            (Item::Future(body), Style::Finish) => self.future(body, strand, scope),
            (Item::Finish(body), Style::Cilk) => {
                let end = self.items(body, strand, scope, children);
                self.line("sync;");
                self.sync(end, children)
            }
            (Item::Finish(body), Style::Finish) => self.finish(body, strand, children),
        }
    }

    fn access(
        &mut self,
        strand: Thread,
        choice: u8,
        text: &str,
        accesses: &[fn(u32) -> Access],
    ) -> Thread {
        let x = choice % self.variables;
        match text {
            "" => self.line(&format!("x{x} = x{x} + 1;")),
            text => self.line(&format!("{text}{x};")),
        }
        let transaction = self.strands[strand.0].0.last_mut();
        let transaction = transaction.expect("a strand has a transaction");
        transaction.extend(accesses.iter().map(|access| access(u32::from(x))));
        strand
    }

    /// A task beside the strand that follows; gives that one and the last of the task.
    fn spawn(
        &mut self,
        opening: &str,
        body: &[Item],
        before: Thread,
        scope: &mut Vec<Thread>,
    ) -> (Thread, Thread) {
        let next = self.strand(&[before]);
        let first = self.strand(&[before]);
        self.line(opening);
        self.depth += 1;
        let end = self.task(body, first, scope);
        self.depth -= 1;
        self.line("}");
        (next, end)
    }

    fn future(&mut self, body: &[Item], strand: Thread, scope: &mut Vec<Thread>) -> Thread {
        let label = self.futures.len();
        // Its own label is not visible inside; those of futures in it get later numbers.
        self.futures.push(strand);
        let opening = format!("future f{label} {{");
        let (next, end) = self.spawn(&opening, body, strand, scope);
        self.futures[label] = end;
        self.visible.push(label);
        scope.push(end);
        next
    }

    fn get(&mut self, strand: Thread, choice: u8) -> Thread {
        if self.visible.is_empty() {
            return strand;
        }
        let label = self.visible[usize::from(choice) % self.visible.len()];
        // Another name for each, so that none is declared twice in a block.
        let strands = self.strands.len();
        self.line(&format!("let v{strands} = get(f{label});"));
        self.strand(&[strand, self.futures[label]])
    }

    fn finish(&mut self, body: &[Item], strand: Thread, children: &mut Vec<Thread>) -> Thread {
        let first = self.strand(&[strand]);
        self.line("finish {");
        self.depth += 1;
        let mut inside = Vec::new();
        let end = self.items(body, first, &mut inside, children);
        self.depth -= 1;
        self.line("}");
        self.strand(&[&[end], &inside[..]].concat())
    }

    /// A sync ends the strand, whether or not there is somebody to wait for.
    fn sync(&mut self, strand: Thread, children: &mut Vec<Thread>) -> Thread {
        let children = std::mem::take(children);
        self.strand(&[&[strand], &children[..]].concat())
    }

    fn strand(&mut self, after: &[Thread]) -> Thread {
        self.strands.push((vec![Vec::new()], after.to_vec()));
        Thread(self.strands.len() - 1)
    }

    fn line(&mut self, text: &str) {
        let depth = 2 * self.depth;
        let _ = writeln!(self.text, "{:depth$}{text}", "");
    }
}
