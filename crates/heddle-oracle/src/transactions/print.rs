//! The explicit model as `.task` source: each thread a task that starts after those it has a thread constraint from.

use std::fmt;

use heddle_core::AccessKind;

use super::model::{Access, Atomization, Thread, Transaction};

impl fmt::Display for Atomization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let accesses = self.transactions();
        let cells = accesses.flat_map(|transaction| self.accesses(transaction));
        let cells = cells.map(|access| access.cell.0 + 1).max().unwrap_or(1);
        let names: Vec<String> = (0..cells).map(|n| format!("x{n}")).collect();
        writeln!(f, "shared {};", names.join(", "))?;
        self.threads()
            .try_for_each(|thread| write_thread(f, self, thread))
    }
}

fn write_thread(f: &mut fmt::Formatter<'_>, program: &Atomization, thread: Thread) -> fmt::Result {
    let before = program.before(thread).iter();
    let before: Vec<String> = before.map(|thread| format!("T{}", thread.0)).collect();
    let after = match before.is_empty() {
        true => String::new(),
        false => format!(" after {}", before.join(", ")),
    };
    writeln!(f, "task T{}{after} {{", thread.0)?;
    for transaction in program.of(thread) {
        write_transaction(f, program, transaction)?;
    }
    writeln!(f, "}}")
}

fn write_transaction(
    f: &mut fmt::Formatter<'_>,
    program: &Atomization,
    transaction: Transaction,
) -> fmt::Result {
    if transaction.index > 0 {
        writeln!(f, "  cut;")?;
    }
    for Access { cell, kind, .. } in program.accesses(transaction) {
        let verb = match kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
        };
        writeln!(f, "  {verb} x{};", cell.0)?;
    }
    Ok(())
}
