//! The flags of `heddle explore` and `heddle merge`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use heddle_explore::Schedule;

use crate::arguments::{Color, Format};
use crate::showing::Showing;

pub const EXPLORE_EXAMPLES: &str = "\
Examples:
  heddle explore prog.task                     all schedules that can differ
  heddle explore prog.task --replay 3:1,7:2    one of them, step by step
  heddle explore prog.task --max-time 10m --checkpoint prog.cp
                                               stop after ten minutes; the same command goes on
  heddle explore prog.task --jobs 8            on eight threads
  heddle explore prog.task --shard 3/16 --format json > 3.json
                                               the third of sixteen parts, on any machine
  heddle merge *.json                          put the parts together
  heddle explore --expect examples/*.task      compare with the files' `// explore:` lines";

/// The flags of `heddle explore`.
#[derive(Args, Debug)]
pub struct ExploreOptions {
    /// Programs.
    #[arg(value_name = "FILE", required_unless_present = "command")]
    pub files: Vec<PathBuf>,

    /// How to leave out schedules that cannot differ.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Reduce::Auto)]
    pub reduction: Reduce,

    /// Run this one schedule and show it step by step.
    #[arg(long, value_name = "SCHEDULE")]
    pub replay: Option<Schedule>,

    /// Stop after N schedules.
    #[arg(long, value_name = "N")]
    pub max_schedules: Option<u64>,

    /// Stop after this long: 90, 90s, 5m, 2h.
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<Time>,

    /// Leave out schedules that switch away from a task that could go on more than N times.
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,

    /// Explore on N threads (0: one for each processor).
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,

    /// Explore only part I of N, from 1 on.
    ///
    /// The parts are the same on every machine and need not know of each other. Put the results
    /// (--format json) together with heddle merge.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Keep what is done in FILE, and go on from there if it exists.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,

    #[command(flatten)]
    pub show: Showing,

    /// Compare what is found with the files' `// explore:` lines.
    #[arg(long)]
    pub expect: bool,

    /// Show at most N findings (0: all). Never changes verdict or exit status.
    #[arg(long, value_name = "N")]
    pub max_findings: Option<usize>,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,

    /// A native program built with heddle.h, and its arguments.
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "files")]
    pub command: Vec<std::ffi::OsString>,
}

/// The flags of `heddle merge`.
#[derive(Args, Debug)]
pub struct MergeOptions {
    /// Results of heddle explore --shard I/N --format json.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// How to print findings.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// How schedules are left out.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduce {
    /// Dpor and states in turn, with growing bounds, until one is done.
    Auto,
    /// Not at all: every order of sections.
    None,
    /// Only orders of sections that conflict.
    Dpor,
    /// No state is entered twice.
    States,
}

/// A span of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time(pub Duration);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("'{text}' is no time: say 90, 90s, 5m or 2h");
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: f64 = digits.parse().map_err(|_| bad())?;
        let seconds = match &text[digits.len()..] {
            "" | "s" => number,
            "ms" => number / 1000.0,
            "m" | "min" => number * 60.0,
            "h" => number * 3600.0,
            _ => return Err(bad()),
        };
        Duration::try_from_secs_f64(seconds)
            .map(Self)
            .map_err(|_| bad())
    }
}

/// One part of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// From 1 on.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

/// More parts than anyone has machines for.
const MOST_SHARDS: u32 = 100_000;

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("'{text}' is no part: say 3/16 for the third of sixteen");
        let (index, count) = text.split_once('/').ok_or_else(bad)?;
        let index = index.parse().map_err(|_| bad())?;
        let count = count.parse().map_err(|_| bad())?;
        match (1..=count).contains(&index) && count <= MOST_SHARDS {
            true => Ok(Self { index, count }),
            false => Err(bad()),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let seconds = |text: &str| text.parse::<Time>().map(|time| time.0.as_secs_f64());
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("1.5m"), Ok(90.0));
        assert_eq!(seconds("2h"), Ok(7200.0));
        for text in ["", "m", "-1", "1x", "1e999"] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for text in ["", "0/3", "4/3", "1", "1/0", "a/b", "1/999999999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
