//! The random programs are worth trying: every construct occurs, and every verdict.

use std::collections::BTreeMap;

use heddle_core::{Certainty, Event};
use heddle_lang::machine;
use heddle_oracle::program::program;
use heddle_oracle::property::compiled;
use heddle_oracle::stream::{Class, Mode, script, simulate};
use heddle_oracle::{Oracle, is_depth_first, runner};
use proptest::strategy::{Strategy, ValueTree};

const SAMPLES: usize = 400;

/// How often each thing was seen.
#[derive(Debug, Default)]
struct Tally(BTreeMap<String, usize>);

impl Tally {
    fn see(&mut self, what: &str) {
        *self.0.entry(what.to_string()).or_default() += 1;
    }

    fn see_verdict(&mut self, events: &[Event]) {
        let verdicts = Oracle::of(events).verdicts();
        if verdicts
            .values()
            .any(|&verdict| verdict == Certainty::Possible)
        {
            self.see("possible");
        }
        let strongest = verdicts.into_values().max();
        self.see(match strongest {
            None => "clean",
            Some(Certainty::Possible) => "only possible",
            Some(Certainty::Certain) => "certain",
        });
    }

    fn of(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or_default()
    }

    #[track_caller]
    fn expect_all_verdicts(&self, class: Class) {
        self.expect("clean", SAMPLES * 3 / 10, SAMPLES * 6 / 10);
        self.expect("certain", SAMPLES * 3 / 10, SAMPLES * 7 / 10);
        if class.features().excludes() {
            self.expect("possible", 1, SAMPLES / 4);
        }
    }

    #[track_caller]
    fn expect(&self, what: &str, at_least: usize, at_most: usize) {
        let seen = self.of(what);
        assert!(
            (at_least..=at_most).contains(&seen),
            "{what}: {seen} of {SAMPLES} in {self:?}"
        );
    }
}

fn samples<S: Strategy>(strategy: S) -> Vec<S::Value> {
    let mut runner = runner(1, 3);
    let draw = |_| strategy.new_tree(&mut runner).expect("a value").current();
    (0..SAMPLES).map(draw).collect()
}

#[test]
fn streams_are_clean_and_racy_in_every_class() {
    for class in Class::ALL {
        for mode in Mode::ALL {
            let mut tally = Tally::default();
            for script in samples(script(class, mode)) {
                tally.see_verdict(&simulate(&script));
            }
            tally.expect_all_verdicts(class);
        }
    }
}

#[test]
fn streams_contain_every_kind_of_event() {
    let mut tally = Tally::default();
    for script in samples(script(Class::Everything, Mode::Interleaved)) {
        let events = simulate(&script);
        tally.see(if is_depth_first(&events) {
            "depth first"
        } else {
            "interleaved"
        });
        events.iter().for_each(|event| tally.see(kind(event)));
    }
    let common = [
        "Spawn",
        "Begin",
        "End",
        "Resume",
        "FinishBegin",
        "FinishEnd",
        "Join",
        "Signal",
        "Wait",
        "Acquire",
        "Release",
        "Read",
        "Write",
        "Alloc",
        "Free",
        "Fault",
        "interleaved",
    ];
    for kind in common {
        tally.expect(kind, 10, usize::MAX);
    }
}

#[test]
fn programs_are_clean_and_racy_in_every_class() {
    for class in Class::ALL {
        let tally = tally_of_programs(class);
        tally.expect_all_verdicts(class);
        tally.expect("Fault", 0, SAMPLES / 20);
        tally.expect("Stuck", 0, SAMPLES / 10);
    }
}

#[test]
fn programs_contain_every_construct() {
    let mut tally = Tally::default();
    for program in samples(program(Class::Everything)) {
        let text = program.to_string();
        CONSTRUCTS
            .iter()
            .filter(|word| text.contains(**word))
            .for_each(|word| tally.see(word));
    }
    for construct in CONSTRUCTS {
        tally.expect(construct, 5, SAMPLES);
    }
}

const CONSTRUCTS: [&str; 38] = [
    "proc ",
    "async {",
    "async T",
    "finish {",
    "spawn {",
    "spawn work",
    "sync;",
    "future ",
    "get(",
    "task ",
    " after e",
    " after T",
    " after f",
    "satisfy ",
    "post r0 {",
    " passing ",
    "await ",
    "ewait ",
    "isolated {",
    "acquire ",
    "release ",
    "with ",
    "let q",
    "new[",
    "read ",
    "write ",
    "if (",
    "else {",
    "while (",
    "for ",
    "return ",
    "assert ",
    "print ",
    "skip;",
    " && ",
    " || ",
    "(!",
    "% 3",
];

fn tally_of_programs(class: Class) -> Tally {
    let mut tally = Tally::default();
    for program in samples(program(class)) {
        let program = compiled(&program.to_string()).expect("a valid program");
        let mut events = Vec::new();
        machine::run(&program, &mut events, &mut |_| {});
        tally.see_verdict(&events);
        if let Some(last @ (Event::Fault { .. } | Event::Stuck { .. })) = events.last() {
            tally.see(kind(last));
        }
    }
    tally
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::Spawn { .. } => "Spawn",
        Event::Begin { .. } => "Begin",
        Event::End { .. } => "End",
        Event::Resume { .. } => "Resume",
        Event::FinishBegin { .. } => "FinishBegin",
        Event::FinishEnd { .. } => "FinishEnd",
        Event::Join { .. } => "Join",
        Event::Signal { .. } => "Signal",
        Event::Wait { .. } => "Wait",
        Event::Acquire { .. } => "Acquire",
        Event::Release { .. } => "Release",
        Event::Read { .. } => "Read",
        Event::Write { .. } => "Write",
        Event::Alloc { .. } => "Alloc",
        Event::Free { .. } => "Free",
        Event::Fault { .. } => "Fault",
        Event::Stuck { .. } => "Stuck",
        _ => "other",
    }
}
