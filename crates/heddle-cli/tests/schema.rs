//! What `--format json` prints is what `docs/report.schema.json` says, and what `--format sarif` prints is what the SARIF
//! standard says of it (`schemas/sarif.schema.json`), over all examples.

mod validate;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use validate::root;

const REPORT: &str = "docs/report.schema.json";
const SARIF: &str = "crates/heddle-cli/tests/schemas/sarif.schema.json";

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples")).expect("there are examples");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ext| ext == "task"))
        .collect();
    paths.sort();
    paths
}

/// What is printed in a format: one JSON object per line, or one document.
fn printed(words: &[&str], format: &str, files: &[PathBuf]) -> Vec<u8> {
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let mut command = Command::new(heddle);
    command.args(words).args(["--format", format]).args(files);
    let output = command.output().expect("heddle can be started");
    assert!(!output.stdout.is_empty(), "{words:?} says something");
    output.stdout
}

fn validated(lines: &[u8]) -> Result<(), String> {
    validate::validated(REPORT, lines)
}

/// Whether a log is what the standard says, also of what no schema can say.
fn is_sarif(log: &Value) -> Result<(), String> {
    validate::validated(SARIF, format!("{log}\n").as_bytes())?;
    let run = &log["runs"][0];
    let results = run["results"].as_array().into_iter().flatten();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap_or(u64::MAX) as usize;
        let rule = &run["tool"]["driver"]["rules"][index]["id"];
        if *rule != result["ruleId"] {
            return Err(format!("{rule} is not the rule of {result}"));
        }
        let related = result["relatedLocations"].as_array();
        let ids = related.into_iter().flatten().map(|one| one["id"].as_u64());
        if !ids.eq((1..=related.map_or(0, Vec::len) as u64).map(Some)) {
            return Err(format!("not every related location has an id: {result}"));
        }
    }
    Ok(())
}

#[test]
fn checks_print_what_the_schema_says() {
    let printed = printed(&["check", "--stats"], "json", &examples());
    assert_eq!(validated(&printed), Ok(()));
}

#[test]
fn explorations_print_what_the_schema_says() {
    let printed = printed(&["explore", "--max-schedules", "20"], "json", &examples());
    assert_eq!(validated(&printed), Ok(()));
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    for line in [
        "{}\n",
        "{\"schema\":2,\"program\":\"p\",\"verdict\":\"clean\",\"guarantee\":\"g\",\"findings\":[]}\n",
        "{\"schema\":1,\"program\":\"p\",\"verdict\":\"clean\",\"guarantee\":\"g\",\"findings\":[{}]}\n",
    ] {
        assert!(validated(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn logs_are_what_the_sarif_standard_says() {
    for words in [&["check"][..], &["explore", "--max-schedules", "20"]] {
        let printed = printed(words, "sarif", &examples());
        let log: Value = serde_json::from_slice(&printed).expect("it is JSON");
        assert!(
            log["runs"][0]["results"]
                .as_array()
                .is_some_and(|all| all.len() > 20)
        );
        assert_eq!(is_sarif(&log), Ok(()), "{words:?}");
    }
}

#[test]
fn a_log_that_breaks_a_rule_of_the_standard_is_refused() {
    let file = vec![root().join("examples/000-fig2.task")];
    let printed = printed(&["check"], "sarif", &file);
    let log: Value = serde_json::from_slice(&printed).expect("it is JSON");
    assert_eq!(is_sarif(&log), Ok(()));
    let result = "/runs/0/results/0";
    for (path, value) in [
        ("/version".to_owned(), "2.0.0".into()),
        ("/runs/0/columnKind".to_owned(), "bytes".into()),
        (format!("{result}/level"), "fatal".into()),
        (format!("{result}/message"), "text".into()),
        (format!("{result}/occurrenceCount"), 0.into()),
        (format!("{result}/ruleIndex"), 3.into()),
        (format!("{result}/relatedLocations/0/id"), 2.into()),
        (format!("{result}/codeFlows/0/threadFlows"), Value::Null),
        (
            format!("{result}/locations/0/physicalLocation/region/startLine"),
            0.into(),
        ),
        (
            format!("{result}/locations/0/physicalLocation/artifactLocation/uri"),
            "a b.task".into(),
        ),
    ] {
        let mut wrong = log.clone();
        *wrong.pointer_mut(&path).expect("it is there") = value;
        assert!(is_sarif(&wrong).is_err(), "{path}");
    }
}
