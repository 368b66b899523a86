//! `heddle demo`: the tour holds what it promises, also where nobody presses keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn demo(flags: &[&str]) -> Output {
    let mut heddle = Command::new(env!("CARGO_BIN_EXE_heddle"));
    heddle.arg("demo").args(flags).stdin(Stdio::null());
    heddle.output().expect("heddle starts")
}

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is not there at the first run.
    let _ = fs::remove_dir_all(&dir);
    dir
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

#[test]
fn the_tour_shows_each_defect_and_its_fix_and_ends_well() {
    let output = demo(&[]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut rest = shown.as_str();
    // In this sequence.
    for part in [
        "1. A data race",
        "\nrace: total is ",
        "race-fixed.task: clean",
        "2. An atomicity violation",
        "\natomicity: balance can be written by task withdraw",
        "account-fixed.task: clean",
        "3. A failure that only some schedules have",
        "not covered: other orders of the isolated bodies",
        "\nassertion: the assertion does not hold",
        "= replay: ",
        "guarantee: all schedules, explored",
        "4. A transaction that ends too early",
        "\ntransaction: ",
        "list-fixed.task: clean",
        "That was the tour",
    ] {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("no {part:?} in\n{rest}\nof\n{shown}"));
        rest = &rest[at + part.len()..];
    }
    assert!(
        !shown.contains("[Enter") && !shown.contains('\x1b'),
        "{shown}"
    );
    for line in shown.lines().filter(|line| !line.starts_with([' ', '='])) {
        assert!(line.chars().count() <= 100 || line.contains(": "), "{line}");
    }
}

#[test]
fn the_programs_can_be_kept_and_are_not_put_over_others() {
    let dir = scratch("demo-kept");
    let words = ["--keep", dir.to_str().expect("the path is text")];
    // Twice: the same programs may be there.
    for _ in 0..2 {
        assert_eq!(demo(&words).status.code(), Some(0));
    }
    assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 8);
    let own = dir.join("race.task");
    fs::write(&own, "shared mine;\n").expect("the folder is writable");
    let output = demo(&words);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("race.task"));
    assert_eq!(
        fs::read_to_string(own).expect("it is there"),
        "shared mine;\n"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut heddle = Command::new(env!("CARGO_BIN_EXE_heddle"));
    heddle.arg("demo").stdin(Stdio::null());
    let mut child = heddle
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("heddle starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("heddle ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
