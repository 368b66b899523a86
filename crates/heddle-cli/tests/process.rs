//! What sessions cannot show: pipes, binary input, recordings.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn heddle() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.env("NO_COLOR", "1");
    command
}

fn check(arguments: &[&str]) -> Output {
    let mut command = heddle();
    command.arg("check").args(arguments);
    command.output().expect("heddle starts")
}

/// Checks standard input.
fn check_text(flags: &[&str], input: &[u8]) -> Output {
    let mut child = heddle()
        .arg("check")
        .args(flags)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("heddle starts");
    let mut stdin = child.stdin.take().expect("it is a pipe");
    // Heddle may know enough before it has read everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("heddle ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("the errors are text")
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}.task", env!("CARGO_MANIFEST_DIR"))
}

/// A file of this test's own.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

const RACY: &[u8] = b"shared x;\nasync { x = 1; }\nx = 2;\n";

#[test]
fn standard_input_is_a_program_called_stdin() {
    let output = check_text(&[], RACY);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains(" --> <stdin>:2:9\n"));
    assert!(stdout(&output).ends_with("<stdin>: 1 race\nguarantee: all schedules of this input\n"));
    assert_eq!(stderr(&output), "");
}

#[test]
fn an_empty_program_is_clean() {
    let output = check_text(&[], b"");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_the_program_prints_goes_to_standard_error_once() {
    // The race in a program with isolated bodies makes the check run it again.
    let output = check_text(
        &[],
        b"shared x, y;\nisolated { y = 1; }\nasync { x = 1; }\nx = 2;\nprint 7;\n",
    );
    assert_eq!(stderr(&output), "7\n");
    assert!(!stdout(&output).contains('7'));
}

#[test]
fn bytes_that_are_no_text_are_an_error_with_their_position() {
    let output = check_text(&[], b"shared x;\nx = \xff;\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(
        stderr(&output).starts_with("error: <stdin>:2:5: not UTF-8\n"),
        "{output:?}"
    );
}

#[test]
fn what_another_command_is_for_is_one_error_that_names_it() {
    let source = scratch("loop.c");
    fs::write(
        &source,
        "int main(void) { for (int i = 0; i < 9; i++) ; }\n",
    )
    .expect("writable");
    let output = check(&[&source.display().to_string()]);
    assert_eq!(output.status.code(), Some(2));
    let errors = stderr(&output);
    assert!(errors.contains("heddle cc"), "{errors}");
    assert_eq!(errors.matches("error").count(), 1, "{errors}");
    let output = check(&[env!("CARGO_BIN_EXE_heddle")]);
    assert_eq!(output.status.code(), Some(2));
    let errors = stderr(&output);
    assert!(
        errors.contains("heddle run") && !errors.contains("UTF-8"),
        "{errors}"
    );
}

#[test]
fn a_declaration_of_another_language_is_answered_by_the_own_one() {
    for text in ["int y;\n", "shared x;\nx = 1;\nint y = 2;\n"] {
        let output = check_text(&[], text.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        let errors = stderr(&output);
        assert!(!errors.contains("`in`"), "{errors}");
        assert!(
            errors.contains("shared") || errors.contains("let"),
            "{errors}"
        );
    }
}

#[test]
fn hostile_input_is_an_error_and_never_a_crash() {
    let deep = "(".repeat(200_000);
    let nested = "finish { ".repeat(100_000);
    let cases: [&[u8]; 6] = [
        b"\0\x01\x02\x1b[2J",
        b"\x1b]0;title\x07",
        &[0x80; 4096],
        b"HEDDLE\r\n",
        deep.as_bytes(),
        nested.as_bytes(),
    ];
    for input in cases {
        let output = check_text(&[], input);
        assert_eq!(output.status.code(), Some(2), "{:?}", stderr(&output));
        let errors = stderr(&output);
        let raw = |c: char| c.is_control() && c != '\n';
        assert!(
            !errors.contains(raw) && !errors.contains("internal"),
            "{errors:?}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = heddle()
        .args(["check", "-", &example("000-fig2-fixed")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("heddle starts");
    // It cannot print anything before it has read its input, and by then nobody listens.
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("it is a pipe");
    stdin.write_all(RACY).expect("heddle reads");
    drop(stdin);
    let output = child.wait_with_output().expect("heddle ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = heddle();
    command.args(["check", &example("000-fig2-fixed")]);
    command.stdout(full.expect("every Linux has /dev/full"));
    command.stderr(Stdio::piped());
    let output = command.output().expect("heddle starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: cannot write the results"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for name in ["000-fig8-checks", "002-handoff", "004-late-write"] {
        for format in ["text", "json"] {
            let again = || check(&["--format", format, &example(name)]);
            assert_eq!(again(), again());
        }
    }
}

#[test]
fn colour_is_used_only_when_asked_for_or_on_a_terminal() {
    let plain = check(&[&example("000-fig2")]);
    assert!(!stdout(&plain).contains('\u{1b}'));
    let coloured = check(&["--color", "always", &example("000-fig2")]);
    assert!(stdout(&coloured).contains('\u{1b}'));
}

#[test]
fn a_recorded_run_gives_the_same_report_as_the_live_one() {
    for name in [
        "000-fig2",
        "000-fig8-checks",
        "001-fig1",
        "002-handoff",
        "002-ewait",
        "004-late-write",
    ] {
        let (program, recording) = (example(name), scratch(&format!("{name}.run")));
        let recording = recording.to_str().expect("the path is text");
        let live = check(&["--record", recording, &program]);
        let replayed = check(&[recording]);
        assert_eq!(live.status, replayed.status);
        let report = stdout(&replayed).replace(recording, &program);
        // A program can be run again, a recording cannot.
        let live = stdout(&live);
        let live: String = live
            .split_inclusive('\n')
            .filter(|line| !line.contains("= replay: "))
            .collect();
        assert_eq!(report, live, "{name}");
    }
}

#[test]
fn a_recording_knows_what_its_program_expects() {
    let recording = scratch("expect.run");
    let recording = recording.to_str().expect("the path is text");
    check(&["--record", recording, &example("000-fig2")]);
    let output = check(&["--expect", recording]);
    assert_eq!(stdout(&output), "1 file as expected\n");
}

#[test]
fn of_a_damaged_recording_the_good_part_is_checked() {
    let recording = scratch("damaged.run");
    let path = recording.to_str().expect("the path is text");
    check(&["--record", path, &example("000-fig2")]);
    let mut bytes = fs::read(&recording).expect("it was recorded");
    bytes.truncate(bytes.len() - 3);
    fs::write(&recording, bytes).expect("it can be written");
    let output = check(&["--format", "json", path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("damaged recording, at byte "),
        "{output:?}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    assert_eq!(report["findings"][0]["location"], "B[0]");
    assert_eq!(report["guarantee"], "only the run up to where it stopped");
    assert!(report["error"]["message"].is_string());
}

#[test]
fn every_truncation_of_a_recording_is_survived() {
    let recording = scratch("cut.run");
    let path = recording.to_str().expect("the path is text");
    check(&["--record", path, &example("002-handoff")]);
    let bytes = fs::read(&recording).expect("it was recorded");
    for len in (1..bytes.len()).step_by(bytes.len() / 20) {
        fs::write(&recording, &bytes[..len]).expect("it can be written");
        let output = check(&[path]);
        assert_eq!(output.status.code(), Some(2), "{len}: {output:?}");
        assert!(!stderr(&output).contains("internal"), "{len}: {output:?}");
    }
}

#[test]
fn a_fault_is_reported_behind_what_was_found() {
    let program = b"shared x;\nfinish { async { x = 1; } x = 2; }\nx = 1 / 0;\n";
    let output = check_text(&["--format", "json"], program);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: division by zero\n"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    assert_eq!(report["verdict"], "findings");
    assert_eq!(report["error"]["position"]["line"], 3);
}

#[test]
fn several_files_give_one_json_object_per_line() {
    let output = check(&[
        "--format",
        "json",
        &example("000-fig2"),
        &example("000-fig2-fixed"),
    ]);
    let verdicts: Vec<_> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON"))
        .map(|report| report["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["findings", "clean"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn turning_eliminations_off_finds_the_same_locations() {
    for name in ["000-fig8-checks", "000-fig2", "001-fig1", "002-fig6"] {
        let locations = |flags: &[&str]| -> Vec<String> {
            let file = example(name);
            let arguments = [&["--format", "json"], flags, &[file.as_str()]].concat();
            let report: Value =
                serde_json::from_slice(&check(&arguments).stdout).expect("the output is JSON");
            let findings = report["findings"].as_array().expect("a list").clone();
            let mut found: Vec<_> = findings.iter().map(|f| f["location"].to_string()).collect();
            found.sort();
            found.dedup();
            found
        };
        assert_eq!(locations(&[]), locations(&["--no-opt"]), "{name}");
    }
}

#[test]
fn the_figures_name_the_order_that_decided() {
    let order = |arguments: &[&str]| {
        let output = check(&[&["--stats", "--format", "json"], arguments].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
        report["stats"]["order"].as_str().map(str::to_owned)
    };
    let named = |name| Some(String::from(name));
    assert_eq!(order(&[&example("000-fig2-fixed")]), named("bags"));
    assert_eq!(order(&[&example("000-fig2")]), named("bags, then tree"));
    assert_eq!(
        order(&["--order", "tree", &example("000-fig2")]),
        named("tree")
    );
    assert_eq!(order(&[&example("002-handoff")]), named("bags, then graph"));
    assert_eq!(order(&[&example("002-fig6")]), named("graph"));
    assert_eq!(order(&[&example("003-list-insert")]), named("tree"));
}

#[test]
fn completions_and_manual_pages_are_printed() {
    for arguments in [
        ["completions", "bash"].as_slice(),
        &["completions", "zsh"],
        &["completions", "fish"],
        &["man"],
        &["man", "check"],
        &["man", "cc"],
        &["man", "c++"],
        &["man", "run"],
    ] {
        let output = heddle().args(arguments).output().expect("heddle starts");
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("heddle"), "{arguments:?}");
    }
}

#[test]
fn without_address_space_for_the_tables_nothing_is_called_clean() {
    for (command, name) in [("check", "001-fig11-locks"), ("explore", "002-lost-update")] {
        let program = example(name);
        let heddle = env!("CARGO_BIN_EXE_heddle");
        let limited = format!("ulimit -v 4000000 && exec {heddle} {command} {program}");
        let output = Command::new("sh").args(["-c", &limited]).output();
        let output = output.expect("sh starts");
        assert_eq!(output.status.code(), Some(2), "{command}: {output:?}");
        assert!(stdout(&output).is_empty(), "{command}: {output:?}");
        assert!(stderr(&output).contains("no address space"), "{output:?}");
    }
}

#[test]
fn of_a_location_with_very_many_races_so_many_are_told_and_the_guarantee_says_so() {
    let mut program = String::from("shared x;\nfinish {\n");
    program.push_str(&"  async { x = 1; }\n".repeat(3_000));
    program.push_str("}\n");
    let output = check_text(&["--format", "json"], program.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("findings are a list");
    assert_eq!(findings.len(), 1_000);
    assert!(
        report["not_covered"]
            .to_string()
            .contains("pairs of positions beyond 1 000 races of one location (1 location)"),
        "{}",
        report["not_covered"]
    );
}
