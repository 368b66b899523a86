//! `heddle merge`: the parts of an exploration put together.
//!
//! The results are merged as JSON: every finding once, counts added up. "All schedules" is said
//! only if every part is there and was explored to its end.

use std::collections::BTreeMap;
use std::path::Path;

use heddle_report::Problem;
use heddle_report::saved::Saved;
use serde_json::{Value, json};

use super::options::{MergeOptions, Shard};
use crate::arguments::Format;
use crate::console::{Console, reason};
use crate::showing::Collected;
use crate::status::Status;

/// The whole command.
pub fn run(options: &MergeOptions) -> Status {
    let mut console = Console::new(options.color);
    let merged = read_all(&options.files).and_then(|parts| merge(&parts));
    let merged = match merged {
        Ok(merged) => merged,
        Err(problem) => {
            console.problems(&[problem]);
            return Status::Error;
        }
    };
    match options.format {
        Format::Json => console.print(&format!("{merged:#}\n")),
        Format::Text => console.print(&text(&merged)),
        format => document(format, &merged, &mut console),
    }
    match (&merged["error"], merged["verdict"].as_str()) {
        (Value::Null, Some("clean")) => Status::Clean,
        (Value::Null, _) => Status::Findings,
        _ => Status::Error,
    }
}

/// Prints a result in a format that is one document.
pub(super) fn document(format: Format, result: &Value, console: &mut Console) {
    match Saved::read(&result.to_string()) {
        Ok(saved) => {
            let document = Collected::new(saved).document(format);
            console.print_with(|out| out.write_all(&document));
        }
        Err(error) => console.problems(&[Problem::plain(format!("not a report: {error}"))]),
    }
}

/// One result: where it is from, and what it says.
type Part = (String, Value);

fn read_all(files: &[std::path::PathBuf]) -> Result<Vec<Part>, Problem> {
    let mut parts: Vec<Part> = Vec::new();
    for file in files {
        parts.push((file.display().to_string(), read(file)?));
    }
    Ok(parts)
}

fn read(file: &Path) -> Result<Value, Problem> {
    let text = heddle_report::read::text(file).map_err(|error| {
        Problem::plain(format!(
            "cannot read {}: {}",
            file.display(),
            reason(&error)
        ))
    })?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        Problem::plain(format!(
            "{}: not a result of heddle ({error})",
            file.display()
        ))
    })?;
    match value["schema"].as_u64() == Some(1) && value["exploration"].is_object() {
        true => Ok(value),
        false => Err(Problem::plain(format!(
            "{}: not a result of heddle explore --format json",
            file.display()
        ))),
    }
}

fn merge(parts: &[Part]) -> Result<Value, Problem> {
    let Some((first_file, first)) = parts.first() else {
        return Err(Problem::plain("there is nothing to merge"));
    };
    let mut shards: BTreeMap<u32, &str> = BTreeMap::new();
    let mut count = None;
    let mut findings: Vec<Value> = Vec::new();
    let mut exploration = Counts::default();
    let mut error = Value::Null;
    for (file, part) in parts {
        if part["program"] != first["program"] {
            let message = format!("{file} and {first_file} are of different programs");
            return Err(Problem::plain(message));
        }
        let shard = shard_of(file, part)?;
        if *count.get_or_insert(shard.count) != shard.count {
            let message = format!("{file} and {first_file} are parts of different divisions");
            return Err(Problem::plain(message));
        }
        // A part that was run again says the same.
        if shards.insert(shard.index, file).is_none() {
            exploration.add(&part["exploration"]);
        }
        if error.is_null() {
            error = part["error"].clone();
        }
        for finding in part["findings"].as_array().into_iter().flatten() {
            if !findings.iter().any(|known| key(known) == key(finding)) {
                findings.push(finding.clone());
            }
        }
    }
    let count = count.unwrap_or(1);
    let missing: Vec<String> = (1..=count)
        .filter(|index| !shards.contains_key(index))
        .map(|index| format!("{index}/{count}"))
        .collect();
    findings.sort_by_key(|finding| key(finding).to_string());
    let complete = exploration.complete && missing.is_empty();
    let guarantee = guarantee(complete, exploration.schedules);
    Ok(json!({
        "schema": 1,
        "program": first["program"],
        "verdict": if findings.is_empty() { "clean" } else { "findings" },
        "guarantee": guarantee,
        "findings": findings,
        "exploration": {
            "reduction": first["exploration"]["reduction"],
            "schedules": exploration.schedules,
            "states": exploration.states,
            "transitions": exploration.transitions,
            "complete": complete,
            "shards": count,
            "missing": missing,
            "seconds": exploration.seconds,
        },
        "error": error,
    }))
}

/// What the result means.
pub(super) fn guarantee(complete: bool, schedules: u64) -> String {
    match complete {
        true => "all schedules, explored".to_owned(),
        false if schedules == 1 => "1 schedule, not all".to_owned(),
        false => format!("{schedules} schedules, not all"),
    }
}

fn shard_of(file: &str, part: &Value) -> Result<Shard, Problem> {
    match &part["exploration"]["shard"] {
        Value::Null => Ok(Shard { index: 1, count: 1 }),
        shard => shard
            .as_str()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Problem::plain(format!("{file}: a part that is no part: {shard}"))),
    }
}

/// What tells one finding from another; task numbers differ between schedules.
pub(super) fn key(finding: &Value) -> Value {
    let positions = |list: &Value| -> Vec<Value> {
        let list = list.as_array().into_iter().flatten();
        list.map(|item| item["position"].clone()).collect()
    };
    json!([
        finding["position"]["line"],
        finding["position"]["column"],
        finding["kind"],
        finding["location"],
        match finding["position"] {
            Value::Null => finding["message"].clone(),
            _ => Value::Null,
        },
        positions(&finding["accesses"]),
        positions(&finding["waits"]),
    ])
}

struct Counts {
    schedules: u64,
    states: u64,
    transitions: u64,
    seconds: f64,
    complete: bool,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            schedules: 0,
            states: 0,
            transitions: 0,
            seconds: 0.0,
            complete: true,
        }
    }
}

impl Counts {
    fn add(&mut self, part: &Value) {
        let number = |name: &str| part[name].as_u64().unwrap_or(0);
        self.schedules += number("schedules");
        self.states += number("states");
        self.transitions += number("transitions");
        self.seconds += part["seconds"].as_f64().unwrap_or(0.0);
        self.complete &= part["complete"].as_bool().unwrap_or(false);
    }
}

/// The merged result for people.
pub(super) fn text(merged: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let program = word(&merged["program"]);
    let mut text = String::new();
    let findings = merged["findings"].as_array().map_or(&[][..], Vec::as_slice);
    for finding in findings {
        let at = &finding["position"];
        text += &format!(
            "{}: {}\n",
            word(&finding["kind"]),
            word(&finding["message"])
        );
        if at.is_object() {
            let file = at["file"].as_str().unwrap_or(&program);
            text += &format!("  --> {file}:{}:{}\n", at["line"], at["column"]);
        }
        for step in finding["schedule"].as_array().into_iter().flatten() {
            text += &format!("   = schedule: {}\n", word(&step["text"]));
        }
        text += &format!("   = replay: {}\n\n", word(&finding["replay"]["command"]));
    }
    let exploration = &merged["exploration"];
    let missing = exploration["missing"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    text += &format!(
        "explored: {} schedules, {} states ({})",
        exploration["schedules"],
        exploration["states"],
        word(&exploration["reduction"]),
    );
    if let Some(shards) = exploration["shards"].as_u64() {
        text += &format!(", {shards} shards");
    }
    let limits = exploration["limits"].as_array();
    let limits: Vec<String> = limits.into_iter().flatten().map(word).collect();
    if !limits.is_empty() {
        text += &format!("; stopped by {}", limits.join(", "));
    }
    text.push('\n');
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(word).collect();
        text += &format!("missing: shard {}\n", names.join(", "));
    }
    let result = match findings.len() {
        0 => "clean".to_owned(),
        1 => "1 finding".to_owned(),
        many => format!("{many} findings"),
    };
    text += &format!(
        "{program}: {result}\nguarantee: {}\n",
        word(&merged["guarantee"])
    );
    for gap in merged["not_covered"].as_array().into_iter().flatten() {
        text += &format!("not covered: {}\n", word(gap));
    }
    text
}
