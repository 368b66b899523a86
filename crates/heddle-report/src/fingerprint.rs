//! What tells one finding from others, whatever happens elsewhere in the source.
//!
//! A fingerprint is made of what the defect is: its kind and certainty, the variable, and for each place the
//! file's name, the function and the text of the line, blanks aside. There is no line number in it, so it stays the same
//! when lines come or go around it, and no folder, so it stays the same in another checkout. Findings that are
//! alike in all of that are numbered in source order.

use std::collections::HashMap;

use crate::model::{Finding, Kind, Operation};
use crate::position::Position;

/// The findings, each with its fingerprint.
pub fn stamped(findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
    let mut alike: HashMap<u128, u32> = HashMap::new();
    let stamp = |mut finding: Finding| {
        let print = of(&finding);
        let number = alike.entry(print).or_default();
        *number += 1;
        finding.fingerprint = match *number {
            1 => format!("{print:032x}"),
            again => format!("{print:032x}-{again}"),
        };
        finding
    };
    findings.map(stamp).collect()
}

fn of(finding: &Finding) -> u128 {
    let mut print = Print::default();
    print.add(&format!("{:?} {:?}", finding.kind, finding.certainty));
    print.add(variable(finding.location.as_deref().unwrap_or_default()));
    for access in finding.accesses.iter() {
        print.add(match access.operation {
            Operation::Read => "read",
            Operation::Write | Operation::Free => "write",
        });
        print.add(access.function.as_deref().unwrap_or_default());
        print.add_place(access.position.as_ref());
    }
    if finding.accesses.is_empty() {
        print.add_place(finding.position.as_ref());
    }
    for wait in &finding.waits {
        print.add_place(wait.position.as_ref());
    }
    // What a rule of the runtime says is all that tells two misuses in one line apart.
    if finding.kind == Kind::Misuse || finding.position.is_none() {
        print.add(&finding.message);
    }
    print.0
}

/// The variable without the element: which elements race can depend on the input.
fn variable(location: &str) -> &str {
    location.split('[').next().unwrap_or_default()
}

/// FNV-1a with 128 bits.
struct Print(u128);

impl Default for Print {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Print {
    fn add(&mut self, part: &str) {
        // No text has this byte in it, so it ends a part.
        for byte in part.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }

    fn add_place(&mut self, position: Option<&Position>) {
        let Some(position) = position else {
            return self.add("");
        };
        let path = position.file.path();
        self.add(path.rsplit('/').next().unwrap_or(path));
        match position.file.line(position.line) {
            Some(line) => self.add(&line.split_whitespace().collect::<Vec<_>>().join(" ")),
            None => self.add(&position.to_string()),
        }
    }
}
