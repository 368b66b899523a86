//! A compiled `.task` program as something `heddle_check::check` can run.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use heddle_core::{Features, Listener, Run, SiteId};
use heddle_lang::Program;
use heddle_lang::cuts::Cuts;
use heddle_lang::machine::{Code, Plan, RunCounts};
use heddle_trace::Writer;

use crate::progress::Progress;

/// A program run by itself, whose prints nobody sees.
pub struct Silent {
    code: Code,
    features: Features,
}

impl Silent {
    /// The program, about to be run.
    pub fn new(program: &Program) -> Self {
        Self {
            code: Code::new(program),
            features: program.features,
        }
    }
}

impl Run for Silent {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

/// A program that is run for real. A check may run it more than once; only the first run prints
/// and is recorded, since all are the same.
pub struct Live<'a> {
    code: Code,
    /// The same with every access, checked or not.
    full: Code,
    features: Features,
    recorder: Option<Writer<File>>,
    progress: &'a Progress,
    has_run: bool,
    counts: RunCounts,
}

impl<'a> Live<'a> {
    /// The program, about to be run; `full` is the same without eliminations.
    pub fn new(
        program: &Program,
        full: &Program,
        cuts: Cuts,
        recorder: Option<Writer<File>>,
        progress: &'a Progress,
    ) -> Self {
        Self {
            code: Code::with_cuts(program, cuts),
            full: Code::with_cuts(full, cuts),
            features: program.features,
            recorder,
            progress,
            has_run: false,
            counts: RunCounts::default(),
        }
    }

    /// Leaves out the cuts at these sites from here on.
    pub fn leave_out_cuts(&mut self, sites: &BTreeSet<SiteId>) {
        self.code.leave_out_cuts(|site| sites.contains(&site));
    }

    /// Runs the program under a schedule; whether it came to its end.
    pub fn run_planned<L: Listener>(&self, plan: &Plan, listener: &mut L) -> bool {
        self.code.run_planned(plan, listener)
    }

    /// What the last run counted.
    pub fn counts(&self) -> RunCounts {
        self.counts
    }

    /// The recorder, to be finished.
    pub fn into_recorder(self) -> Option<Writer<File>> {
        self.recorder
    }

    fn first_run<L: Listener>(&mut self, listener: &mut L) -> RunCounts {
        let mut printer = Printer::new(self.progress);
        let mut print = |value| printer.print(value);
        match &mut self.recorder {
            Some(recorder) => self.code.run(&mut (recorder, listener), &mut print),
            None => self.code.run(listener, &mut print),
        }
    }
}

impl Run for Live<'_> {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.counts = match self.has_run {
            false => self.first_run(listener),
            true => self.code.run(listener, &mut |_| {}),
        };
        self.has_run = true;
    }

    fn run_in_full<L: Listener>(&mut self, listener: &mut L) {
        self.full.run(listener, &mut |_| {});
    }
}

/// What the program prints goes to standard error, one value per line.
struct Printer<'a> {
    progress: &'a Progress,
    out: BufWriter<io::Stderr>,
}

impl<'a> Printer<'a> {
    fn new(progress: &'a Progress) -> Self {
        Self {
            progress,
            out: BufWriter::new(io::stderr()),
        }
    }

    fn print(&mut self, value: i64) {
        // Output of its own shows well enough that the program is alive.
        self.progress.stop();
        // A closed standard error must not stop the check.
        let _ = writeln!(self.out, "{value}");
    }
}
