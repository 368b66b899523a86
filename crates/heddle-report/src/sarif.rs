//! SARIF 2.1.0, the form that code hosts and editors read.
//!
//! Each finding is a result with its accesses as related locations and, as a code flow, one thread flow per task: how the task
//! came to be, then its access. `partialFingerprints` carries the finding's fingerprint, which edits elsewhere in
//! the source leave alone. Findings that the user asked not to see are in the log with their suppression, as the standard wants it.

use serde_json::{Map, Value, json};

use crate::chains::another;
use crate::locks::held;
use crate::printable::printable;
use crate::saved::{Saved, SavedAccess, SavedFinding, SavedNote, SavedPosition, SavedTask};

/// The schema that a log names.
pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The fingerprint's name, with the version of how it is made.
const FINGERPRINT: &str = "heddle/v1";

/// The rules: id, name, what it is, what it means.
const RULES: [(&str, &str, &str, &str); 6] = [
    (
        "race",
        "DataRace",
        "Two parallel accesses to the same memory, at least one of them a write.",
        "Nothing orders the two accesses and no lock protects both, so some schedule of this input makes them in either order.",
    ),
    (
        "atomicity",
        "AtomicityViolation",
        "An access can come between two accesses that belong together.",
        "The two accesses are meant to be one step, and a schedule of this input puts another access between them.",
    ),
    (
        "transaction",
        "VisibleCut",
        "A cut between two transactions can be seen.",
        "With the cut, the program can do what it cannot do without it.",
    ),
    (
        "assertion",
        "FailedAssertion",
        "An assertion of the program does not hold.",
        "A schedule of this input fails the assertion.",
    ),
    (
        "deadlock",
        "Deadlock",
        "Tasks wait for each other forever.",
        "In a schedule of this input, nothing can run and tasks remain.",
    ),
    (
        "misuse",
        "RuntimeMisuse",
        "A rule of the runtime is broken.",
        "The program uses its tasking runtime in a way that the runtime's documentation excludes.",
    ),
];

/// One log with one run, which has the findings of all reports.
pub fn log(reports: &[Saved]) -> Value {
    let results = reports.iter().flat_map(|report| {
        let found = report.findings.iter().map(|one| result(report, one, false));
        let suppressed = report.suppressed_findings.iter();
        found.chain(suppressed.map(|one| result(report, one, true)))
    });
    let results: Vec<Value> = results.collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Heddle",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.map(rule),
            } },
            "invocations": [invocation(reports)],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule((id, name, short, full): (&str, &str, &str, &str)) -> Value {
    json!({
        "id": id,
        "name": name,
        "shortDescription": { "text": short },
        "fullDescription": { "text": full },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": ["concurrency"] },
    })
}

/// Whether the runs came to their end, what they cover, and how many findings are not in the log.
fn invocation(reports: &[Saved]) -> Value {
    let is_whole = reports.iter().all(|report| report.error.is_none());
    let notes = reports.iter().flat_map(|report| {
        let error = report.error.iter();
        let error = error.map(|error| notification("error", &error.message, &error.position));
        let covered = format!("{}: guarantee: {}", report.program, report.covered());
        let left_out = (report.left_out > 0)
            .then(|| format!("{}: {} more findings", report.program, report.left_out));
        let notes = [covered].into_iter().chain(left_out);
        let notes = notes.map(|text| notification("note", &text, &None));
        error.chain(notes).collect::<Vec<_>>()
    });
    json!({
        "executionSuccessful": is_whole,
        "toolExecutionNotifications": notes.collect::<Vec<_>>(),
    })
}

fn notification(level: &str, text: &str, position: &Option<SavedPosition>) -> Value {
    let mut notification = object(json!({ "level": level, "message": message(text) }));
    if let Some(position) = position {
        notification.insert(
            "locations".into(),
            json!([{ "physicalLocation": place(position) }]),
        );
    }
    notification.into()
}

fn result(report: &Saved, finding: &SavedFinding, is_suppressed: bool) -> Value {
    let rule = RULES.iter().position(|(id, ..)| *id == finding.kind);
    let mut result = object(json!({
        "ruleId": finding.kind,
        "level": if finding.is_certain() { "error" } else { "warning" },
        "message": message(&words(finding)),
        "occurrenceCount": finding.count.max(1),
        "partialFingerprints": { FINGERPRINT: finding.identity() },
        "properties": {
            "certainty": finding.certainty,
            "guarantee": report.guarantee,
            "locations": finding.locations,
            "program": report.program,
        },
    }));
    if let Some(rule) = rule {
        result.insert("ruleIndex".into(), rule.into());
    }
    let locations = finding.position.iter().map(|position| {
        let mut location = object(json!({ "physicalLocation": place(position) }));
        if let Some(variable) = &finding.location {
            let name = printable(variable);
            location.insert(
                "logicalLocations".into(),
                json!([{ "name": name, "kind": "variable" }]),
            );
        }
        Value::from(location)
    });
    result.insert("locations".into(), locations.collect());
    let related = related(finding);
    if !related.is_empty() {
        result.insert("relatedLocations".into(), related.into());
    }
    let flows = flows(finding);
    if !flows.is_empty() {
        result.insert("codeFlows".into(), flows.into());
    }
    if is_suppressed {
        let kind = json!([{ "kind": "external", "status": "accepted" }]);
        result.insert("suppressions".into(), kind);
    }
    result.into()
}

/// The finding in words, with what to do.
fn words(finding: &SavedFinding) -> String {
    let mut text = finding.message.clone();
    if !finding.is_certain() {
        text = format!("possible: {text}");
    }
    let sentences: Vec<&str> = finding.why.iter().map(|note| note.text.as_str()).collect();
    if !sentences.is_empty() {
        text += &format!(": {}", sentences.join(", "));
    }
    text.push('.');
    text.extend(finding.help.iter().map(|help| format!(" Help: {help}.")));
    text
}

/// The accesses, the waits, and what the explanation speaks of, each place once.
fn related(finding: &SavedFinding) -> Vec<Value> {
    let accesses = finding.accesses.iter().enumerate();
    let accesses = accesses.map(|(number, access)| {
        let words = access_words(access, &called(finding, number));
        (access.position.as_ref(), words)
    });
    let waits = finding.waits.iter().map(|wait| {
        let text = format!("{} waits for {}", wait.task.called(), wait.awaited);
        (wait.position.as_ref(), text)
    });
    let why = finding.why.iter();
    let why = why.map(|note| (note.position.as_ref(), note.text.clone()));
    let mut related: Vec<Value> = Vec::new();
    for (position, text) in accesses.chain(waits).chain(why) {
        let Some(position) = position else { continue };
        let mut location = located(position, &text);
        // A location says its id once; two at one place with one text are one.
        if !related.iter().any(|other| is_alike(other, &location)) {
            location["id"] = (related.len() + 1).into();
            related.push(location);
        }
    }
    related
}

fn is_alike(one: &Value, two: &Value) -> bool {
    one["message"] == two["message"] && one["physicalLocation"] == two["physicalLocation"]
}

/// Who makes an access, told from whoever makes the one before it.
fn called(finding: &SavedFinding, number: usize) -> String {
    let task = &finding.accesses[number].task;
    let earlier = finding.accesses[..number].iter().map(|other| &other.task);
    let is_alike = |other: &SavedTask| other.called() == task.called() && other.id != task.id;
    match earlier.clone().any(is_alike) {
        true => another(task.called()),
        false => task.called().to_owned(),
    }
}

fn access_words(access: &SavedAccess, task: &str) -> String {
    let verb = match access.noun() {
        "read" => "read",
        "free" => "freed",
        _ => "written",
    };
    let mut text = format!("{verb} by {task}");
    text.extend(access.function.iter().map(|name| format!(" in {name}")));
    if !access.locks.is_empty() {
        text += &format!(" holding {}", held(&access.locks));
    }
    text
}

/// One flow: for each task how it came to be and what it does; or the schedule, where there is one.
fn flows(finding: &SavedFinding) -> Vec<Value> {
    let steps: Vec<Value> = finding.schedule.iter().filter_map(step).collect();
    if !steps.is_empty() {
        return vec![json!({
            "message": message("a schedule that shows it"),
            "threadFlows": [{ "locations": steps }],
        })];
    }
    let flows = finding.accesses.iter().enumerate().map(|(number, access)| {
        let words = access_words(access, &called(finding, number));
        let last = access.position.as_ref();
        let last = last.map(|at| json!({ "location": located(at, &words) }));
        let mut steps: Vec<Value> = spawns(&access.task).chain(last).collect();
        for (row, step) in steps.iter_mut().enumerate() {
            step["nestingLevel"] = row.into();
        }
        (format!("{} {}", access.task.name, number + 1), steps)
    });
    let flows = flows.filter(|(_, steps)| !steps.is_empty());
    let flows: Vec<Value> = flows
        .map(|(id, steps)| json!({ "id": printable(&id), "locations": steps }))
        .collect();
    match flows.is_empty() {
        true => Vec::new(),
        false => vec![json!({
            "message": message("the tasks up to their accesses; nothing orders one before the other"),
            "threadFlows": flows,
        })],
    }
}

/// The spawns that lead to a task, from the main task on.
fn spawns(task: &SavedTask) -> impl Iterator<Item = Value> {
    let steps = task.spawned.iter().rev().filter_map(|step| {
        let text = format!("{} creates {} ({})", step.by, step.task, step.construct);
        let position = step.position.as_ref()?;
        Some(json!({ "location": located(position, &text) }))
    });
    steps.collect::<Vec<_>>().into_iter()
}

fn step(note: &SavedNote) -> Option<Value> {
    let position = note.position.as_ref()?;
    Some(json!({ "location": located(position, &note.text) }))
}

fn located(position: &SavedPosition, text: &str) -> Value {
    json!({ "physicalLocation": place(position), "message": message(text) })
}

fn place(position: &SavedPosition) -> Value {
    let mut region = object(json!({ "startLine": position.line.max(1) }));
    if position.column > 0 {
        region.insert("startColumn".into(), position.column.into());
    }
    if position.end_line >= position.line && position.end_column > 0 {
        region.insert("endLine".into(), position.end_line.max(1).into());
        region.insert("endColumn".into(), position.end_column.into());
    }
    json!({ "artifactLocation": { "uri": uri(&position.file) }, "region": region })
}

/// The path as a URI reference: relative paths stay relative.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'+' => {
                uri.push(byte.into());
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn message(text: &str) -> Value {
    json!({ "text": printable(text) })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
