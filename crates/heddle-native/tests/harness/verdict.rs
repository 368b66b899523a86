//! Comparing a report with what the program's header says.

use std::collections::BTreeSet;

use serde_json::Value;

use super::header::{Expect, Header, Mark};

/// Says how the report of the program called `file` differs from what is expected, if it does.
pub fn compare(header: &Header, file: &str, report: &Value) -> Result<(), String> {
    let none = Vec::new();
    let findings = report["findings"].as_array().unwrap_or(&none);
    let certain = findings
        .iter()
        .any(|finding| finding["certainty"] == "certain");
    let found = match (findings.is_empty(), certain) {
        (true, _) => Expect::Clean,
        (_, true) => Expect::Race,
        (_, false) => Expect::Possible,
    };
    if found != header.expect {
        let told = told(file, findings);
        return Err(format!(
            "expected {:?}, found {found:?} {told}",
            header.expect
        ));
    }
    compare_lines(header, file, findings)
}

fn compare_lines(header: &Header, file: &str, findings: &[Value]) -> Result<(), String> {
    if header.lines.is_empty() {
        return Ok(());
    }
    let found = marks(file, findings);
    let unexpected = found.iter().any(|mark| !covers(&header.lines, *mark));
    let missing = header.lines.iter().any(|mark| !covers(&found, *mark));
    let lost = findings
        .iter()
        .flat_map(accesses)
        .any(|access| mark(file, access).is_none());
    match unexpected || missing || lost {
        false => Ok(()),
        true => Err(format!(
            "expected {}, found {}",
            shown(&header.lines),
            told(file, findings)
        )),
    }
}

fn covers<'a>(marks: impl IntoIterator<Item = &'a Mark>, mark: Mark) -> bool {
    marks.into_iter().any(|one| one.covers(mark))
}

fn marks(file: &str, findings: &[Value]) -> BTreeSet<Mark> {
    let accesses = findings.iter().flat_map(accesses);
    accesses.filter_map(|access| mark(file, access)).collect()
}

fn accesses(finding: &Value) -> impl Iterator<Item = &Value> {
    finding["accesses"].as_array().into_iter().flatten()
}

/// Where in the program an access is: in a header, the innermost call from the program counts.
fn mark(file: &str, access: &Value) -> Option<Mark> {
    let frames = access["stack"].as_array().into_iter().flatten();
    let mut places = std::iter::once(access)
        .chain(frames)
        .map(|place| &place["position"]);
    let place = places.find(|place| {
        place["file"]
            .as_str()
            .is_some_and(|path| path.ends_with(file))
    })?;
    Some(Mark {
        line: place["line"].as_u64()?,
        column: place["column"].as_u64(),
    })
}

fn told(file: &str, findings: &[Value]) -> String {
    let pair = |finding: &Value| {
        let marks = accesses(finding).map(|access| match mark(file, access) {
            Some(mark) => mark.to_string(),
            None => access["position"].to_string(),
        });
        let certainty = finding["certainty"].as_str().unwrap_or("?");
        format!("{certainty} {}", marks.collect::<Vec<_>>().join(" "))
    };
    let told: BTreeSet<_> = findings.iter().map(pair).collect();
    format!("[{}]", told.into_iter().collect::<Vec<_>>().join(", "))
}

fn shown(marks: &[Mark]) -> String {
    let marks: Vec<_> = marks.iter().map(Mark::to_string).collect();
    marks.join(" ")
}
