//! Comparing a report with what the program's header says.

use std::collections::BTreeSet;

use serde_json::Value;

use super::header::{Expect, Header, Mark};

/// Says how the report of the program called `file` differs from what is expected, if it does.
pub fn compare(header: &Header, file: &str, report: &Value) -> Result<(), String> {
    let all = report["findings"].as_array().into_iter().flatten();
    let (torn, races): (Vec<&Value>, Vec<&Value>) =
        all.partition(|finding| finding["kind"] == "atomicity");
    compare_races(header, file, &races)?;
    compare_torn(header, file, &torn)
}

fn compare_races(header: &Header, file: &str, findings: &[&Value]) -> Result<(), String> {
    let is_certain = |finding: &&Value| finding["certainty"] == "certain";
    let found = match (findings.is_empty(), findings.iter().any(is_certain)) {
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
    let told: Vec<&Value> = match header.only_certain {
        true => findings.iter().copied().filter(is_certain).collect(),
        false => findings.to_vec(),
    };
    compare_lines(&header.lines, file, &told)
}

/// One unit may be torn in several ways, but nothing else may be.
fn compare_torn(header: &Header, file: &str, findings: &[&Value]) -> Result<(), String> {
    let told = || told(file, findings);
    let Some(torn) = &header.torn else {
        return match findings.is_empty() {
            true => Ok(()),
            false => Err(format!("expected nothing torn, found {}", told())),
        };
    };
    let is_right = |finding: &&Value| {
        let unit = finding["location"]
            .as_str()
            .map(|unit| unit.replace(' ', ""));
        let is_unit = torn.unit.is_none() || torn.unit == unit;
        finding["certainty"] == torn.certainty && is_unit
    };
    if findings.is_empty() || !findings.iter().all(is_right) {
        return Err(format!("expected {torn:?}, found {}", told()));
    }
    compare_lines(&torn.lines, file, findings)
}

fn compare_lines(lines: &[Mark], file: &str, findings: &[&Value]) -> Result<(), String> {
    if lines.is_empty() {
        return Ok(());
    }
    let found = marks(file, findings);
    let unexpected = found.iter().any(|mark| !covers(lines, *mark));
    let missing = lines.iter().any(|mark| !covers(&found, *mark));
    let lost = findings
        .iter()
        .flat_map(|finding| accesses(finding))
        .any(|access| mark(file, access).is_none());
    match unexpected || missing || lost {
        false => Ok(()),
        true => Err(format!(
            "expected {}, found {}",
            shown(lines),
            told(file, findings)
        )),
    }
}

fn covers<'a>(marks: impl IntoIterator<Item = &'a Mark>, mark: Mark) -> bool {
    marks.into_iter().any(|one| one.covers(mark))
}

fn marks(file: &str, findings: &[&Value]) -> BTreeSet<Mark> {
    let told = findings.iter().flat_map(|finding| accesses(finding));
    let told = told.filter_map(|access| mark(file, access));
    let also = findings.iter().flat_map(|finding| same_cause(finding));
    told.chain(also.filter_map(|place| place_in(file, place)))
        .collect()
}

/// Where the accesses of findings are that are told as one with this, because they have the same cause.
fn same_cause(finding: &Value) -> impl Iterator<Item = &Value> {
    let others = finding["same_cause"].as_array().into_iter().flatten();
    others.flat_map(|other| other["positions"].as_array().into_iter().flatten())
}

fn accesses(finding: &Value) -> impl Iterator<Item = &Value> {
    finding["accesses"].as_array().into_iter().flatten()
}

/// Where in the program an access is: in a header, the innermost call from the program counts.
fn mark(file: &str, access: &Value) -> Option<Mark> {
    let frames = access["stack"].as_array().into_iter().flatten();
    let places = std::iter::once(access).chain(frames);
    places
        .map(|place| &place["position"])
        .find_map(|place| place_in(file, place))
}

/// A place in the program, unless it is in another file.
fn place_in(file: &str, place: &Value) -> Option<Mark> {
    let is_here = |path: &str| path.ends_with(file);
    place["file"].as_str().filter(|path| is_here(path))?;
    Some(Mark {
        line: place["line"].as_u64()?,
        column: place["column"].as_u64(),
    })
}

fn told(file: &str, findings: &[&Value]) -> String {
    let one = |finding: &&Value| {
        let marks = accesses(finding).map(|access| match mark(file, access) {
            Some(mark) => mark.to_string(),
            None => access["position"].to_string(),
        });
        let word = |key: &str| finding[key].as_str().unwrap_or("?");
        let (certainty, location) = (word("certainty"), word("location"));
        let marks = marks.collect::<Vec<_>>().join(" ");
        format!("{certainty} {location} {marks}")
    };
    let told: BTreeSet<_> = findings.iter().map(one).collect();
    format!("[{}]", told.into_iter().collect::<Vec<_>>().join(", "))
}

fn shown(marks: &[Mark]) -> String {
    let marks: Vec<_> = marks.iter().map(Mark::to_string).collect();
    marks.join(" ")
}
