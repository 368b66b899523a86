//! The ways a program is built and run: what is compared with what.

use crate::figures::{Column, Quotient};
use serde::Serialize;

/// One column of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// As compiled without a checker.
    Plain,
    /// Instrumented, with a runtime that does nothing.
    Null,
    /// Checked by Heddle.
    Heddle,
    /// Checked by ThreadSanitizer, to which Archer explains OpenMP.
    Archer,
}

/// All of them, in the sequence of a repetition.
pub const WAYS: [Way; 4] = [Way::Plain, Way::Null, Way::Heddle, Way::Archer];

/// Which program is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// The race-free program.
    Sound,
    /// The same program with its seeded defect.
    Seeded,
    /// The race-free program, with what tasks share declared to be atomic.
    Annotated,
}

impl Variant {
    /// What the compiler is told.
    pub fn definition(self) -> Option<&'static str> {
        match self {
            Self::Sound => None,
            Self::Seeded => Some("-DRACY"),
            Self::Annotated => Some("-DANNOTATE"),
        }
    }

    /// What the program's name ends with.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Sound => "",
            Self::Seeded => "-racy",
            Self::Annotated => "-annotated",
        }
    }
}

/// Whether ThreadSanitizer may print what it finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reports {
    /// It may.
    Printed,
    /// It looks for races but prints none. Its false alarms (Archer does not know that libomp uses
    /// task descriptors again) would cost it seconds in a symbolizer.
    Withheld,
}

/// Threads of every run.
pub const THREADS: &str = "2";

const ARCHER: &str = "/usr/lib/llvm-22/lib/libarcher.so";

impl Column for Way {
    const ALL: &'static [Self] = &WAYS;
    const TIMES: &'static [Quotient<Self>] = &[
        (Self::Null, Self::Plain, None),
        (Self::Heddle, Self::Plain, None),
        (Self::Archer, Self::Plain, None),
        (Self::Heddle, Self::Null, Some(1.6)),
        (Self::Heddle, Self::Archer, Some(0.6)),
    ];
    const MEMORY: &'static [Quotient<Self>] = &[(Self::Heddle, Self::Archer, Some(1.0))];
    const TOGETHER: &'static str = "ways";
    const WIDTHS: [usize; 2] = [14, 10];

    /// Also on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Null => "null",
            Self::Heddle => "heddle",
            Self::Archer => "archer",
        }
    }
}

impl Way {
    /// The way of this name.
    pub fn named(name: &str) -> Option<Self> {
        WAYS.into_iter().find(|way| way.name() == name)
    }

    /// What the environment of a run must hold.
    pub fn environment(self, reports: Reports) -> Vec<(&'static str, String)> {
        let mut variables = vec![("OMP_NUM_THREADS", THREADS.to_owned())];
        if self == Self::Archer {
            let printed = u8::from(reports == Reports::Printed);
            let options = format!("ignore_noninstrumented_modules=1 report_bugs={printed}");
            variables.push(("OMP_TOOL_LIBRARIES", ARCHER.to_owned()));
            variables.push(("TSAN_OPTIONS", options));
        }
        variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_found_by_its_name() {
        assert!(WAYS.iter().all(|way| Way::named(way.name()) == Some(*way)));
        assert_eq!(Way::named("fast"), None);
    }
}
