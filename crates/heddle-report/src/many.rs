//! The words of a finding at many locations.

use crate::model::{Finding, Kind};
use crate::text::grouped;
use crate::torn;

/// Locations a message lists before it says how many more there are.
const LISTED: usize = 3;

/// Locations of a finding that are listed by name.
pub const SAMPLES: usize = 8;

/// The whole defect in one sentence, with the first of its locations.
pub fn message(finding: &Finding, names: &[String]) -> String {
    match (finding.kind, &*finding.accesses) {
        (Kind::Race, [first, second]) if names.len() > 1 => {
            let (one, two) = (first.operation.participle(), second.operation.participle());
            let what = match one == two {
                true => one.to_owned(),
                false => format!("{one} and {two}"),
            };
            format!("{} are {what} in parallel", list(finding, names))
        }
        (Kind::Atomicity, accesses) => torn::message(&list(finding, names), accesses),
        _ => finding.message.clone(),
    }
}

/// `B[0], B[1], B[2] and 7 more`.
fn list(finding: &Finding, names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= LISTED => format!("{} and {last}", first.join(", ")),
        _ => {
            let more = finding.locations - LISTED as u64;
            format!("{} and {} more", names[..LISTED].join(", "), grouped(more))
        }
    }
}
