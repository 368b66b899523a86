//! How often each program calls its checker: what the time of a checked run is made of.

use crate::kernel::Kernel;
use crate::measure::start;
use crate::toolchain::{Stub, Toolchain};
use crate::way::{Reports, Way};
use serde_json::{Map, Value};

/// The calls of one program, by kind.
pub type Counts = Map<String, Value>;

/// Columns of the table: what to add up, and what to call it.
const COLUMNS: [(&str, &[&str]); 9] = [
    ("reads", &["reads"]),
    ("writes", &["writes"]),
    ("ranges", &["ranges"]),
    ("atomics", &["atomics"]),
    ("entries", &["entries"]),
    ("tasks", &["tasks"]),
    ("depends", &["dependences"]),
    ("waits", &["waits", "barriers"]),
    ("pieces", &["chunks", "singles", "locks"]),
];

/// Counts the calls of one program.
pub fn count(tools: &Toolchain, kernel: &Kernel, size: usize) -> Result<Counts, String> {
    let program = tools.build_with(Stub::Count, kernel)?;
    let run = start(&program, Way::Null, size, Reports::Printed)?;
    let last = run.errors.lines().next_back().unwrap_or_default();
    serde_json::from_str(last).map_err(|e| format!("{}: no counts: {e}", kernel.name))
}

/// The heading above the rows.
pub fn heading() -> String {
    let names = COLUMNS.map(|(name, _)| format!("{name:>11}"));
    format!("{:<11}{}", "calls", names.concat())
}

/// One row of the printed table.
pub fn line(kernel: &str, counts: &Counts) -> String {
    let get = |key: &&str| counts.get(*key).and_then(Value::as_u64).unwrap_or(0);
    let columns = COLUMNS.map(|(_, keys)| format!("{:>11}", keys.iter().map(get).sum::<u64>()));
    format!("{kernel:<11}{}", columns.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_add_up_their_kinds() {
        let counts = serde_json::json!({ "waits": 2, "barriers": 3 });
        let counts = counts.as_object().expect("an object");
        let line = line("k", counts);
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(fields, ["k", "0", "0", "0", "0", "0", "0", "0", "5", "0"]);
    }
}
