//! Formats for other tools: what their standards ask for, and that all say the same.

use crate::scene::{Scene, access, element, scalar};
use heddle_core::{
    AccessKind::{Read, Write},
    Certainty, Finding, FinishId, TaskId, TaskKind, Why,
};
use heddle_report::baseline::{Baseline, Difference};
use heddle_report::saved::Saved;
use heddle_report::{Report, Settings, junit, sarif, text};
use serde_json::Value;
use std::collections::BTreeSet;

const SOURCE: &str = "finish {\n  async T { x = 1; A[0] = 2; }\n  read x;\n  read A[0];\n}\n";

/// A race on `x`, one on three elements of `A`, and a possible one.
fn scene(source: &str) -> Scene {
    let mut scene = Scene::new(source);
    let (x, a) = (scene.name("x"), scene.name("A"));
    let spawn = scene.site("async", 5);
    let task = scene.task(
        TaskKind::Async,
        Some("T"),
        TaskId::MAIN,
        FinishId::MAIN,
        spawn,
    );
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: task,
        finish: FinishId::MAIN,
        side: 0,
    };
    let (write_x, read_x) = (scene.site("x = 1", 1), scene.site("x;", 1));
    let (write_a, read_a) = (scene.site("A[0] = 2", 4), scene.site("A[0];", 4));
    let pair = |write, read| {
        [
            access(Write, write, task, &[]),
            access(Read, read, TaskId::MAIN, &[]),
        ]
    };
    scene.race(scalar(x), pair(write_x, read_x), why);
    for index in 0..3 {
        scene.race(element(a, index), pair(write_a, read_a), why);
    }
    scene.outcome.findings.push(Finding::Race {
        certainty: Certainty::Possible,
        place: scalar(x),
        accesses: pair(write_x, read_a),
        why,
        count: 1,
    });
    scene
}

fn saved(report: &Report) -> Saved {
    Saved::new(report)
}

#[test]
fn sarif_has_what_its_schema_asks_for() {
    let log = sarif::log(&[saved(&scene(SOURCE).report())]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string());
    let rules = driver["rules"].as_array().expect("a list of rules");
    let ids: BTreeSet<&str> = rules
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    assert_eq!(ids.len(), rules.len(), "every rule has an id of its own");
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    let results = run["results"].as_array().expect("a list of results");
    assert_eq!(results.len(), 3);
    for result in results {
        assert!(result["message"]["text"].is_string());
        let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(result["ruleId"], rules[rule]["id"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().expect("a level")));
        assert!(result["occurrenceCount"].as_u64() >= Some(1));
        let prints = result["partialFingerprints"].as_object().expect("prints");
        assert!(prints.values().all(Value::is_string));
        check_locations(&result["locations"]);
        check_locations(&result["relatedLocations"]);
        let flows = result["codeFlows"].as_array().expect("code flows");
        for flow in flows
            .iter()
            .flat_map(|flow| flow["threadFlows"].as_array())
            .flatten()
        {
            let steps = flow["locations"].as_array().expect("steps");
            assert!(!steps.is_empty(), "a thread flow has a step");
            for step in steps {
                check_location(&step["location"]);
            }
        }
    }
}

#[test]
fn every_format_says_how_far_the_guarantee_reaches() {
    let mut report = scene(SOURCE).report();
    report.threads = Some(2);
    report.not_covered = vec!["libz.so".into()];
    let reach = "all schedules of this input with 2 threads (not covered: libz.so)";
    assert!(text::render(&report, text::Colour::Plain).contains(&format!("guarantee: {reach}")));
    let saved = [saved(&report)];
    let log = sarif::log(&saved).to_string();
    assert!(log.contains(&format!("guarantee: {reach}")), "{log}");
    let xml = junit::document(&saved);
    assert!(xml.contains(&format!("guarantee: {reach}")), "{xml}");
}

fn check_locations(list: &Value) {
    let list = list.as_array().expect("a list of locations");
    let ids: Vec<_> = list.iter().filter_map(|one| one["id"].as_u64()).collect();
    let different: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), different.len(), "ids are different");
    list.iter().for_each(check_location);
}

fn check_location(location: &Value) {
    let place = &location["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(!uri.contains([' ', '\\']), "{uri}");
    for key in ["startLine", "startColumn", "endLine", "endColumn"] {
        assert!(place["region"][key].as_u64() >= Some(1), "{location}");
    }
}

#[test]
fn fingerprints_stay_over_edits_elsewhere_and_change_with_the_line() {
    let prints = |source: &str| -> Vec<String> {
        let report = scene(source).report();
        let prints = report.findings.iter().map(|one| one.fingerprint.clone());
        prints.collect()
    };
    let before = prints(SOURCE);
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 3);
    let moved = format!(
        "// one\n\n{}",
        SOURCE.replace("  read x", "\n      read  x")
    );
    assert_eq!(before, prints(&moved));
    let changed = prints(&SOURCE.replace("  read x;", "  y = 2; read x;"));
    let same = before.iter().zip(&changed).filter(|(one, two)| one == two);
    assert_eq!(same.count(), 2, "only the race of that line is another");
}

#[test]
fn alike_findings_are_numbered() {
    let mut scene =
        scene("finish {\n  async T { x = 1; A[0] = 2; }\n  read x;\n  read A[0];\n  read x;\n}\n");
    let again = scene.raw_site(5, 8, 5, 9);
    let mut copy = scene.outcome.findings[0].clone();
    if let Finding::Race { accesses, .. } = &mut copy {
        accesses[1].site = again;
    }
    scene.outcome.findings.push(copy);
    let report = scene.report();
    let prints: BTreeSet<_> = report.findings.iter().map(|one| &one.fingerprint).collect();
    assert_eq!(prints.len(), report.findings.len());
    assert!(
        prints.iter().any(|print| print.ends_with("-2")),
        "{prints:?}"
    );
}

#[test]
fn what_a_baseline_has_is_left_out_and_counted() {
    let scene = scene(SOURCE);
    let mut known = saved(&scene.report());
    known.findings.remove(0);
    let baseline = Baseline::of(&[known]);
    let settings = Settings {
        baseline: Some(&baseline),
        ..Settings::default()
    };
    let report = scene.report_with(settings);
    assert_eq!((report.findings.len(), report.known), (1, 2));
    let text = text::render(&report, text::Colour::Plain);
    assert!(text.contains("a.task: 1 race, 2 known\n"), "{text}");
    let all = Baseline::of(&[saved(&scene.report())]);
    let settings = Settings {
        baseline: Some(&all),
        ..Settings::default()
    };
    let text = text::render(&scene.report_with(settings), text::Colour::Plain);
    assert!(text.starts_with("a.task: nothing new, 3 known\n"), "{text}");
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    for text in ["", "{}", "[1]", "x"] {
        assert!(Baseline::read(text).is_err(), "{text}");
    }
    let settings = Settings {
        limit: Some(1),
        ..Settings::default()
    };
    let report = scene(SOURCE).report_with(settings);
    let cut = serde_json::to_string(&report).expect("it has a JSON form");
    assert!(Baseline::read(&cut).is_err_and(|why| why.contains("--max-findings")));
}

#[test]
fn a_difference_tells_new_gone_and_same() {
    let before = [saved(&scene(SOURCE).report())];
    let mut after = before.clone();
    let gone = after[0].findings.remove(0);
    let difference = Difference::new(&before, &after);
    assert_eq!(difference.gone, [&gone]);
    assert_eq!((difference.new.len(), difference.same.len()), (0, 2));
    let back = Difference::new(&after, &before);
    assert_eq!((back.new, back.gone.len()), (vec![&gone], 0));
}

#[test]
fn junit_counts_what_fails_and_escapes_what_xml_cannot_have() {
    let mut report = saved(&scene(SOURCE).report());
    report.program = "a<&\">\u{1b}\u{0}.task".into();
    let xml = junit::document(&[report]);
    assert!(
        xml.contains("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"1\""),
        "{xml}"
    );
    assert!(
        xml.contains("name=\"a&lt;&amp;&quot;&gt;\u{fffd}\u{fffd}.task\""),
        "{xml}"
    );
    assert_eq!(
        xml.matches("<testcase ").count(),
        xml.matches("</testcase>").count()
    );
}

#[test]
fn a_clean_program_is_one_passed_case() {
    let report = saved(&Scene::new("x = 1;\n").report());
    let xml = junit::document(&[report]);
    assert!(
        xml.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""),
        "{xml}"
    );
    assert!(
        xml.contains("name=\"clean: all schedules of this input\""),
        "{xml}"
    );
}
