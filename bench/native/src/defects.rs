//! The seeded defects: Heddle must find every one. Whether ThreadSanitizer does is told for
//! comparison; it sees one schedule, so what it finds may change from run to run.

use crate::figures::Column;
use crate::kernel::Kernel;
use crate::measure::start;
use crate::process::Run;
use crate::toolchain::Toolchain;
use crate::way::{Reports, Variant, Way};
use serde::Serialize;

/// Who found the seeded defect of one kernel.
#[derive(Clone, Serialize, Debug)]
pub struct Defect {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// The ways that reported it.
    pub found_by: Vec<Way>,
    /// The ways that checked for it.
    pub checked_by: Vec<Way>,
}

/// Runs the defective twin of a kernel with each checker among the ways.
pub fn look(tools: &Toolchain, kernel: &Kernel, ways: &[Way]) -> Result<Defect, String> {
    let checkers = ways.iter().filter(|way| is_checker(**way)).copied();
    let checked_by: Vec<Way> = checkers.collect();
    let lines = kernel.racy_lines()?;
    let mut found_by = Vec::new();
    for &way in &checked_by {
        let program = tools.build(kernel, way, Variant::Seeded)?;
        let run = start(&program, way, kernel.small, Reports::Printed)?;
        if names_one_of(&run, &lines) {
            found_by.push(way);
        }
    }
    Ok(Defect {
        kernel: kernel.name,
        found_by,
        checked_by,
    })
}

/// One line per checker.
pub fn lines(defects: &[Defect]) -> Vec<String> {
    let checkers = [Way::Heddle, Way::Archer].into_iter();
    checkers.filter_map(|way| line(defects, way)).collect()
}

/// What Heddle should have found and did not.
pub fn missed(defects: &[Defect]) -> Result<(), String> {
    let missed = missed_by(defects, Way::Heddle);
    match missed.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "Heddle missed the defects of {}",
            missed.join(", ")
        )),
    }
}

fn is_checker(way: Way) -> bool {
    matches!(way, Way::Heddle | Way::Archer)
}

/// A false alarm elsewhere in the program does not count.
fn names_one_of(run: &Run, lines: &[String]) -> bool {
    let follows = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
    let named = |line: &String| {
        let mut places = run.errors.match_indices(line.as_str());
        places.any(|(at, _)| follows(&run.errors[at + line.len()..]))
    };
    !run.status.success() && lines.iter().any(named)
}

fn missed_by(defects: &[Defect], way: Way) -> Vec<&'static str> {
    let missed =
        |defect: &&Defect| defect.checked_by.contains(&way) && !defect.found_by.contains(&way);
    defects.iter().filter(missed).map(|d| d.kernel).collect()
}

fn line(defects: &[Defect], way: Way) -> Option<String> {
    let checked = defects.iter().filter(|d| d.checked_by.contains(&way));
    let checked = checked.count();
    let missed = missed_by(defects, way);
    let found = checked - missed.len();
    let but = match missed.is_empty() {
        true => String::new(),
        false => format!(", not {}", missed.join(", ")),
    };
    let line = format!("{:<7} finds {found} of {checked}{but}", way.name());
    (checked > 0).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn run(errors: &str, status: i32) -> Run {
        Run {
            output: String::new(),
            errors: errors.to_owned(),
            status: ExitStatus::from_raw(status << 8),
            seconds: 0.0,
            processor_seconds: 0.0,
            peak_bytes: 0,
        }
    }

    #[test]
    fn a_defect_is_found_only_where_it_is() {
        let lines = ["fib.c:2".to_owned()];
        assert!(names_one_of(&run("at fib.c:2:5", 1), &lines));
        assert!(!names_one_of(&run("at fib.c:21:5", 1), &lines));
        assert!(!names_one_of(&run("at fib.c:2:5", 0), &lines));
    }

    #[test]
    fn what_heddle_misses_is_a_failure_and_what_archer_misses_is_not() {
        let defect = |found_by| Defect {
            kernel: "Fib",
            found_by,
            checked_by: vec![Way::Heddle, Way::Archer],
        };
        assert!(missed(&[defect(vec![Way::Heddle])]).is_ok());
        assert!(missed(&[defect(vec![Way::Archer])]).is_err());
        let lines = lines(&[defect(vec![Way::Heddle])]);
        assert_eq!(lines[0], "heddle  finds 1 of 1");
        assert_eq!(lines[1], "archer  finds 0 of 1, not Fib");
    }
}
