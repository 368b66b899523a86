//! What programs read: keys, values and their sequence.

use crate::scene::{Scene, access, element};
use heddle_core::{
    AccessKind::{Read, Write},
    Certainty, FaultKind, Finding, FinishId, Guarantee, TaskId, TaskKind, Why,
};
use heddle_report::json::{Layout, write};
use heddle_report::{Grouping, Report, Settings, Strictness, Verdict};
use serde_json::{Value, json};

fn racy() -> Scene {
    let mut scene = Scene::new("async { A[0] = 1; }\nread A[0];\n");
    let a = scene.name("A");
    let (spawn, write, read) = (
        scene.site("async", 5),
        scene.site("A[0] = 1", 4),
        scene.raw_site(2, 6, 2, 10),
    );
    let task = scene.task(TaskKind::Async, None, TaskId::MAIN, FinishId::MAIN, spawn);
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: task,
        finish: FinishId::MAIN,
        side: 0,
    };
    for index in [1, 0] {
        let accesses = [
            access(Write, write, task, &[]),
            access(Read, read, TaskId::MAIN, &[]),
        ];
        scene.race(element(a, index), accesses, why);
    }
    scene
}

fn render(report: &Report, layout: Layout) -> String {
    let mut bytes = Vec::new();
    write(report, layout, &mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("the output is text")
}

fn parsed(scene: &Scene) -> Value {
    serde_json::from_str(&render(&scene.report(), Layout::Line)).expect("the output is JSON")
}

#[test]
fn racy_locations_at_one_pair_of_positions_are_one_entry() {
    let report = parsed(&racy());
    assert_eq!(report["schema"], 1);
    assert_eq!(report["program"], "a.task");
    assert_eq!(report["verdict"], "findings");
    assert_eq!(report["guarantee"], "all schedules of this input");
    let locations: Vec<_> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| {
            (
                &finding["kind"],
                &finding["certainty"],
                &finding["location"],
            )
        })
        .collect();
    let (race, certain) = (json!("race"), json!("certain"));
    assert_eq!(locations, [(&race, &certain, &json!("A[0]"))]);
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["count"], &finding["locations"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(finding["samples"], json!(["A[0]", "A[1]"]));
    assert_eq!(
        finding["message"],
        "A[0] and A[1] are written and read in parallel"
    );
}

#[test]
fn every_racy_location_can_be_an_entry_of_its_own() {
    let settings = Settings {
        grouping: Grouping::Locations,
        ..Settings::default()
    };
    let findings = racy().report_with(settings).findings;
    let locations = findings.iter().map(|finding| finding.location.as_deref());
    assert_eq!(locations.collect::<Vec<_>>(), [Some("A[0]"), Some("A[1]")]);
}

#[test]
fn an_entry_carries_accesses_tasks_and_reasons_with_positions() {
    let report = parsed(&racy());
    let finding = &report["findings"][0];
    let position = |line, column, end_column| {
        json!({ "file": "a.task", "line": line, "column": column,
                "end_line": line, "end_column": end_column })
    };
    assert_eq!(
        finding["accesses"],
        json!([
            { "operation": "write", "position": position(1, 9, 13), "locks": [],
              "task": { "id": 1, "name": "#1", "spawned": [
                  { "task": "#1", "construct": "async", "position": position(1, 1, 6), "by": "main" }
              ] } },
            { "operation": "read", "position": position(2, 6, 10), "locks": [],
              "task": { "id": 0, "name": "main", "spawned": [] } },
        ])
    );
    assert_eq!(
        finding["why"],
        json!([
            { "text": "task #1 is spawned at 1:1 and nothing joins it until the program ends",
              "position": position(1, 1, 6) },
            { "text": "main makes the read at 2:6 before that", "position": position(2, 6, 10) },
        ])
    );
}

#[test]
fn keys_come_in_a_fixed_sequence() {
    let json = render(&racy().report(), Layout::Line);
    let keys = ["schema", "program", "verdict", "guarantee", "findings"];
    let places: Vec<_> = keys
        .iter()
        .map(|key| json.find(&format!("\"{key}\":")).expect("the key is there"))
        .collect();
    assert!(places.is_sorted(), "{json}");
    assert!(json.starts_with("{\"schema\":1,"));
}

#[test]
fn the_same_outcome_gives_the_same_bytes() {
    assert_eq!(
        render(&racy().report(), Layout::Pretty),
        render(&racy().report(), Layout::Pretty)
    );
}

#[test]
fn a_finding_without_location_says_null() {
    let mut scene = Scene::new("assert 0;\n");
    let site = scene.site("assert", 6);
    scene.outcome.findings.push(Finding::Assertion {
        site,
        task: TaskId::MAIN,
        count: 2,
    });
    let report = parsed(&scene);
    let finding = report["findings"][0].as_object().expect("an object");
    assert_eq!(finding["kind"], "assertion");
    assert_eq!(finding.get("location"), Some(&Value::Null));
    assert_eq!(finding["position"]["line"], 1);
}

#[test]
fn a_fault_is_an_error_beside_what_was_found() {
    let mut scene = racy();
    let site = scene.site("async", 5);
    scene.outcome.fault = Some((site, FaultKind::IndexOutOfRange { index: -1, len: 4 }));
    scene.outcome.guarantee = Guarantee::UpToHere;
    let report = parsed(&scene);
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        report["error"]["message"],
        "index -1 is out of range for an array of length 4"
    );
    assert_eq!(report["error"]["position"]["line"], 1);
}

#[test]
fn possible_findings_change_the_verdict_only_when_strict() {
    let mut scene = racy();
    for finding in &mut scene.outcome.findings {
        let Finding::Race { certainty, .. } = finding else {
            panic!("races were put in");
        };
        *certainty = Certainty::Possible;
    }
    assert_eq!(scene.report().verdict, Verdict::Clean);
    assert_eq!(scene.report().findings.len(), 1);
    let settings = Settings {
        strictness: Strictness::Strict,
        limit: Some(0),
        ..Settings::default()
    };
    assert_eq!(scene.report_with(settings).verdict, Verdict::Findings);
}

#[test]
fn harmful_characters_are_escaped_and_survive_a_round_trip() {
    let path = "a\u{1b}\u{7f}\u{9b}\u{202e}.task";
    let json = render(&Scene::at_path(path, "").report(), Layout::Line);
    assert!(
        json.trim_end().is_ascii() && !json.trim_end().contains(char::is_control),
        "{json:?}"
    );
    let report: Value = serde_json::from_str(&json).expect("the output is JSON");
    assert_eq!(report["program"], path);
}

#[test]
fn deep_spawn_chains_are_cut_and_say_so() {
    let mut scene = racy();
    let site = scene.site("async", 5);
    let mut task = TaskId::new(1);
    for _ in 0..100_000 {
        task = scene.task(TaskKind::Async, None, task, FinishId::MAIN, site);
    }
    // The first location stands for the finding.
    let Finding::Race { accesses, .. } = &mut scene.outcome.findings[1] else {
        panic!("a race was put in");
    };
    accesses[0].task = task;
    let report = parsed(&scene);
    let task = &report["findings"][0]["accesses"][0]["task"];
    assert_eq!(task["spawned"].as_array().map(Vec::len), Some(16));
    assert_eq!(task["spawned_left_out"], 100_001 - 16);
}
