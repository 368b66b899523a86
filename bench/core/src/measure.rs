//! Measuring one configuration in a process of its own.
//!
//! Peak memory is a property of a process, and what one configuration leaves in the allocator must
//! not help the next. So the benchmark starts itself again for each configuration; the child
//! prints one line of JSON.

use crate::shape::Shape;
use crate::work::{Program, Work};
use heddle_check::check;
use heddle_core::{Certainty, Finding, Guarantee, OrderChoice, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

/// The first argument of a child.
pub const CHILD: &str = "--child";

/// The orders measured, with their names in tables.
pub const ORDERS: [(OrderChoice, &str); 3] = [
    (OrderChoice::Bags, "bags"),
    (OrderChoice::Tree, "tree"),
    (OrderChoice::Graph, "graph"),
];

/// One program under one order.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Who decides what is parallel.
    pub order: OrderChoice,
    /// What runs.
    pub program: Program,
}

/// What a child found out.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
pub struct Measurement {
    /// Median time of one checked run.
    pub seconds: f64,
    /// How many runs were timed.
    pub runs: usize,
    /// The most memory the process ever had in use.
    pub peak_bytes: u64,
}

/// Measures in a child process.
pub fn in_child(configuration: Configuration) -> Result<Measurement, String> {
    let me = std::env::current_exe().map_err(|e| format!("cannot find myself: {e}"))?;
    let output = Command::new(me)
        .arg(CHILD)
        .args(configuration.to_arguments())
        .output()
        .map_err(|e| format!("cannot start a child: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{configuration:?}: {}\n{said}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("a child's answer: {e}"))
}

/// The child's part: measures, verifies, and returns the line to print.
pub fn as_child(arguments: &[String]) -> Result<String, String> {
    let configuration = Configuration::from_arguments(arguments).ok_or("bad child arguments")?;
    let measurement = configuration.measure()?;
    serde_json::to_string(&measurement).map_err(|e| e.to_string())
}

impl Configuration {
    fn to_arguments(self) -> [String; 4] {
        let order = ORDERS.iter().position(|&(order, _)| order == self.order);
        let shape = Shape::ALL
            .iter()
            .position(|&(shape, _)| shape == self.program.shape);
        let work = [Work::Nothing, Work::Ordered]
            .iter()
            .position(|&w| w == self.program.work);
        [order, shape, work, Some(self.program.tasks as usize)]
            .map(|number| number.unwrap_or_default().to_string())
    }

    fn from_arguments(arguments: &[String]) -> Option<Self> {
        let [order, shape, work, tasks] = arguments else {
            return None;
        };
        Some(Self {
            order: ORDERS.get(order.parse::<usize>().ok()?)?.0,
            program: Program {
                shape: Shape::ALL.get(shape.parse::<usize>().ok()?)?.0,
                work: *[Work::Nothing, Work::Ordered].get(work.parse::<usize>().ok()?)?,
                tasks: tasks.parse().ok()?,
            },
        })
    }

    fn measure(self) -> Result<Measurement, String> {
        self.timed()?; // Warms caches and the allocator.
        let runs = (5_000_000 / self.program.tasks).clamp(3, 101) as usize;
        let mut times = (0..runs)
            .map(|_| self.timed())
            .collect::<Result<Vec<_>, _>>()?;
        let peak_bytes = peak_bytes()?;
        if self.program.work == Work::Ordered {
            self.racy().timed()?;
        }
        times.sort_by(f64::total_cmp);
        Ok(Measurement {
            seconds: times[runs / 2],
            runs,
            peak_bytes,
        })
    }

    fn racy(self) -> Self {
        let program = Program {
            work: Work::Racy,
            ..self.program
        };
        Self { program, ..self }
    }

    /// The time of one checked run whose result was right.
    fn timed(self) -> Result<f64, String> {
        let mut program = self.program;
        let start = Instant::now();
        let outcome = check(&mut program, self.order).map_err(|e| format!("{e:?}"))?;
        let seconds = start.elapsed().as_secs_f64();
        self.verify(&outcome)?;
        Ok(seconds)
    }

    fn verify(self, outcome: &Outcome) -> Result<(), String> {
        let places = racy_places(outcome)?;
        let expected = (self.program.work.races(), u64::from(self.program.tasks) + 1);
        let found = (places, outcome.counts.tasks);
        if found != expected {
            return Err(format!(
                "(racy places, tasks): expected {expected:?}, found {found:?}"
            ));
        }
        if outcome.guarantee != Guarantee::AllSchedules {
            return Err(format!("the guarantee is {:?}", outcome.guarantee));
        }
        Ok(())
    }
}

/// How many places have a race; anything but certain races is wrong.
fn racy_places(outcome: &Outcome) -> Result<usize, String> {
    let mut places = BTreeSet::new();
    for finding in &outcome.findings {
        match finding {
            Finding::Race {
                certainty: Certainty::Certain,
                place,
                ..
            } => places.insert(place.location),
            other => return Err(format!("unexpected finding {other:?}")),
        };
    }
    Ok(places.len())
}

/// The high-water mark of resident memory, as the kernel keeps it.
pub fn peak_bytes() -> Result<u64, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.map(|kib| kib * 1024)
        .ok_or_else(|| "no VmHWM in /proc/self/status".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configurations(work: Work) -> impl Iterator<Item = Configuration> {
        crate::options::all_series().map(move |series| Configuration {
            order: series.order,
            program: Program {
                shape: series.shape,
                tasks: 1000,
                work,
            },
        })
    }

    #[test]
    fn every_order_finds_exactly_the_races_of_every_shape() {
        for work in [Work::Nothing, Work::Ordered, Work::Racy] {
            for configuration in configurations(work) {
                let result = configuration.timed();
                assert!(result.is_ok(), "{configuration:?}: {result:?}");
            }
        }
    }

    #[test]
    fn a_configuration_survives_the_way_to_the_child() {
        for configuration in configurations(Work::Ordered).chain(configurations(Work::Nothing)) {
            let there = Configuration::from_arguments(&configuration.to_arguments());
            assert_eq!(format!("{there:?}"), format!("{:?}", Some(configuration)));
        }
    }
}
