//! How often the order of two strands is asked for: Table 1 of the paper.

use crate::column::Column;
use crate::options::Options;
use bench_native::kernel::Kernel;
use bench_native::measure::{check, sequential};
use bench_native::process;
use bench_native::toolchain::Toolchain;
use serde::{Deserialize, Serialize};

/// One line of the table.
#[derive(Clone, Serialize, Debug)]
pub struct Row {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// What was counted.
    #[serde(flatten)]
    pub counted: Counted,
}

/// What the library prints.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Counted {
    /// Declared locations, of eight bytes, that were accessed.
    pub locations: u64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Questions for the order of two strands of different tasks.
    pub queries: u64,
    /// How many of them were different.
    pub unique: u64,
}

/// Counts for one program.
pub fn ask(tools: &Toolchain, kernel: &Kernel, options: &Options) -> Result<Row, String> {
    let size = options.size(kernel);
    let expected = sequential(tools, kernel, size)?;
    let program = Column::Atomicity.build(tools, kernel)?;
    let mut command = Column::Atomicity.command(&program, size);
    command.env("HEDDLE_STUDY", "count");
    let run = process::run(tools.study(&mut command), &program)?;
    check(&run, &expected).map_err(|e| format!("{}: {e}", kernel.name))?;
    let counted = run
        .errors
        .lines()
        .find_map(|line| serde_json::from_str(line).ok());
    Ok(Row {
        kernel: kernel.name,
        counted: counted.ok_or_else(|| format!("{}: no counts\n{}", kernel.name, run.errors))?,
    })
}

/// The heading above the rows.
pub fn heading() -> String {
    format!(
        "{:<11}{:>14}{:>14}{:>14}{:>14}",
        "kernel", "locations", "nodes", "questions", "unique"
    )
}

/// One row of the printed table.
pub fn line(row: &Row) -> String {
    let Counted {
        locations,
        nodes,
        queries,
        unique,
    } = row.counted;
    let share = match queries {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", 100.0 * unique as f64 / queries as f64),
    };
    format!(
        "{:<11}{locations:>14}{nodes:>14}{queries:>14}{share:>14}",
        row.kernel
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_unique_questions_is_that_of_all() {
        let text = r#"{"locations": 5, "nodes": 6, "queries": 8, "unique": 2}"#;
        let counted = serde_json::from_str(text).expect("what the library prints");
        let row = Row {
            kernel: "k",
            counted,
        };
        assert!(line(&row).ends_with("25.0 %"));
        let nothing = Counted {
            queries: 0,
            ..counted
        };
        let row = Row {
            kernel: "k",
            counted: nothing,
        };
        assert!(line(&row).ends_with('-'));
    }
}
