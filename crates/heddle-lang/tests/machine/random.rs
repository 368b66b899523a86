//! Random programs with every construct: whatever they do, their events obey the rules.

use std::fmt::Write;

use heddle_lang::machine;
use proptest::prelude::*;

use super::{compiled, run};

/// Where a statement is to stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    Plain,
    /// No task operation may stand here.
    Isolated,
}

/// Writes a program, taking each decision from `choices`; without any left it comes to an end.
struct Author<'c> {
    choices: &'c [u8],
    text: String,
    /// Labels that can be named here.
    labels: Vec<String>,
    next_label: u32,
}

const DECLARATIONS: &str =
    "shared x = 1, y, A[3]; lock L, M, L1, L2, L3, L4; event e, f; region r, s;
    proc leaf(n) { x = x + n; isolated { y = y + 1; } return x; }
    proc tree(n) { if (n > 0) { spawn { tree(n - 1); } async { leaf(n); } tree(n - 2); } }
    proc fails(n) { if (n == 3) { with L { finish { spawn { leaf(1); } return n; } } } sync; }\n";

impl Author<'_> {
    fn choose(&mut self, among: u8) -> u8 {
        match self.choices.split_first() {
            Some((first, rest)) => {
                self.choices = rest;
                first % among
            }
            None => 0,
        }
    }

    fn block(&mut self, depth: u32, surroundings: Surroundings) {
        let visible = self.labels.len();
        self.text.push_str("{ ");
        for _ in 0..self.choose(4) {
            self.statement(depth, surroundings);
        }
        self.text.push_str("} ");
        self.labels.truncate(visible);
    }

    fn statement(&mut self, depth: u32, surroundings: Surroundings) {
        let simple = [
            "x = x + 1; ",
            "A[x % 3] = y; ",
            "read y; ",
            "leaf(2); ",
            "cut; ",
            "write A[1]; ",
            "if (1) { let q = new[2]; q[1] = x; } ",
        ];
        let tasks = [
            "sync; ",
            "await r; ",
            "await s; ",
            "ewait r; ",
            "tree(3); ",
            "fails(3); ",
            "fails(1); ",
            "acquire M; x = 1; release M; ",
        ];
        let kind = self.choose(14);
        match (kind, surroundings) {
            (0..=2, _) => self.one_of(&simple),
            (3, Surroundings::Plain) => self.one_of(&tasks),
            (4, Surroundings::Plain) => self.get(),
            (5, _) if depth > 0 => self.enclose("isolated ", depth, Surroundings::Isolated),
            (6, _) if depth > 0 => self.enclose(&format!("with L{depth} "), depth, surroundings),
            (7, _) if depth > 0 => self.enclose("for i in 0..3 ", depth, surroundings),
            (8, Surroundings::Plain) if depth > 0 => self.enclose("finish ", depth, surroundings),
            (9.., Surroundings::Plain) if depth > 0 => self.task(depth),
            _ => self.one_of(&simple),
        }
    }

    fn one_of(&mut self, texts: &[&str]) {
        let chosen = self.choose(texts.len() as u8);
        self.text.push_str(texts[usize::from(chosen)]);
    }

    fn enclose(&mut self, head: &str, depth: u32, surroundings: Surroundings) {
        self.text.push_str(head);
        self.block(depth - 1, surroundings);
    }

    fn get(&mut self) {
        if let Some(label) = self.label() {
            write!(self.text, "x = x + get({label}); ").unwrap();
        }
    }

    /// A label that is visible here, if there is any.
    fn label(&mut self) -> Option<String> {
        let count = self.labels.len().min(250) as u8;
        let row = self.choose(count.max(1));
        self.labels.get(usize::from(row)).cloned()
    }

    fn task(&mut self, depth: u32) {
        let own = format!("t{}", self.next_label);
        self.next_label += 1;
        let head = match self.choose(8) {
            0 => format!("async {own} "),
            1 => format!("future {own} "),
            2 => format!("task {own} after e "),
            3 => match self.label() {
                Some(label) => format!("task {own} after {label}, f "),
                None => format!("task {own} "),
            },
            4 => "spawn ".to_owned(),
            5 => "post r passing r ".to_owned(),
            6 => "post r passing s ".to_owned(),
            _ => "post s ".to_owned(),
        };
        self.text.push_str(&head);
        self.block(depth - 1, Surroundings::Plain);
        if head.contains(&own) {
            self.labels.push(own);
        }
    }
}

fn program(choices: &[u8]) -> String {
    let mut author = Author {
        choices,
        text: DECLARATIONS.to_owned(),
        labels: Vec::new(),
        next_label: 0,
    };
    while !author.choices.is_empty() {
        author.statement(4, Surroundings::Plain);
    }
    author.text.push_str("satisfy e; satisfy f; ");
    author.text
}

const CASES: u32 = if cfg!(debug_assertions) { 500 } else { 5000 };

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_run_obeys_the_rules_and_repeats(choices in prop::collection::vec(any::<u8>(), 0..200)) {
        let program = compiled(&program(&choices));
        let (events, _) = run(&program);
        let mut again = Vec::new();
        machine::run(&program, &mut again, &mut |_| {});
        prop_assert_eq!(events, again);
    }
}
