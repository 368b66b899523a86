//! However a program ends, its own status and output stand, and the report is written.

mod harness;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use harness::{all, compiled, finished, run, scratch, text};

/// A race in line 5, then `END`.
const RACY: &str = "\
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x; void race(void) { _Pragma(\"omp parallel num_threads(2)\") x++; }
#include <signal.h>
#include <sys/wait.h>
int main(int count, char **words) { (void)count; (void)words; race(); puts(\"before\"); fflush(stdout); END }
";
const RACE: &str = ".c:5:";

/// The racy program with this ending.
fn racy(name: &str, end: &str) -> PathBuf {
    let dir = scratch(&format!("ending-{name}"));
    compiled(&dir, name, &["-fopenmp"], &RACY.replace("END", end))
}

/// The same without a race.
fn clean(name: &str, end: &str) -> PathBuf {
    let dir = scratch(&format!("ending-{name}"));
    let text = RACY.replace("race(); ", "").replace("END", end);
    compiled(&dir, name, &["-fopenmp"], &text)
}

fn checked(program: &Path) -> Output {
    finished(run(&["--"]).arg(program))
}

fn assert_reported(output: &Output, status: i32) {
    let printed = text(&output.stdout);
    assert!(printed.starts_with("before\n"), "{}", all(output));
    assert_eq!(printed.matches("guarantee:").count(), 1, "{}", all(output));
    assert!(printed.contains(RACE), "{}", all(output));
    assert_eq!(output.status.code(), Some(status), "{}", all(output));
}

#[test]
fn a_clean_program_keeps_its_status_and_output() {
    for status in [0, 7, 255] {
        let program = clean(&format!("status-{status}"), &format!("return {status};"));
        let output = checked(&program);
        assert_eq!(output.status.code(), Some(status), "{}", all(&output));
        assert!(text(&output.stdout).starts_with("before\n"));
        assert_eq!(text(&output.stderr), "");
    }
}

#[test]
fn findings_make_the_status_one_or_what_is_asked_for() {
    let program = racy("findings", "return 0;");
    assert_reported(&checked(&program), 1);
    let output = finished(run(&["--exit-status", "42", "--"]).arg(&program));
    assert_reported(&output, 42);
    let output = finished(run(&["--exit-status", "0", "--"]).arg(&program));
    assert_reported(&output, 0);
}

#[test]
fn a_program_that_fails_by_itself_keeps_its_status() {
    let program = racy("fails", "return 9;");
    assert_reported(&checked(&program), 9);
    let output = finished(run(&["--exit-status", "42", "--"]).arg(&program));
    assert_reported(&output, 9);
}

#[test]
fn the_report_is_written_at_every_ordinary_end() {
    for (name, end) in [
        ("return", "return 0;"),
        ("exit", "exit(0);"),
        ("_exit", "_exit(0);"),
        ("_Exit", "_Exit(0);"),
        ("quick_exit", "quick_exit(0);"),
    ] {
        assert_reported(&checked(&racy(name, end)), 1);
    }
}

#[test]
fn the_report_is_written_at_a_crash() {
    for (name, end, signal) in [
        ("abort", "abort();", 6),
        ("fault", "*(volatile int *)0 = 1;", 11),
        ("trap", "__builtin_trap();", 4),
        ("raise", "raise(SIGFPE);", 8),
        ("terminate", "raise(SIGTERM);", 15),
    ] {
        let output = checked(&racy(name, end));
        assert_reported(&output, 128 + signal);
        let line = text(&output.stderr);
        assert!(
            line.contains("was killed by SIG") && line.lines().count() == 1,
            "{line}"
        );
        let guarantee = "guarantee: only the run up to where it stopped";
        assert!(text(&output.stdout).contains(guarantee), "{}", all(&output));
    }
}

#[test]
fn a_killed_program_leaves_no_report_and_that_is_said() {
    let output = checked(&racy("killed", "raise(SIGKILL);"));
    assert_eq!(output.status.code(), Some(128 + 9));
    assert!(
        text(&output.stderr).contains("killed by SIGKILL"),
        "{}",
        all(&output)
    );
}

#[test]
fn the_report_is_written_before_another_program_takes_over() {
    let output = checked(&racy(
        "exec",
        "execlp(\"echo\", \"echo\", \"after\", (char *)0);",
    ));
    let printed = text(&output.stdout);
    assert!(
        printed.starts_with("before\nafter\n") && printed.contains(RACE),
        "{}",
        all(&output)
    );
}

#[test]
fn each_program_that_follows_in_the_process_adds_its_report() {
    let end = "if (count > 1) return 0; execl(words[0], words[0], \"again\", (char *)0); return 2;";
    let program = racy("exec-again", end);
    let printed = text(&checked(&program).stdout);
    assert_eq!(printed.matches("guarantee:").count(), 2, "{printed}");
    assert_eq!(printed.matches(": 1 race\n").count(), 2, "{printed}");
    let report = program.with_extension("txt");
    std::fs::write(&report, "stale").expect("the folder is writable");
    let options = format!("report={}", report.display());
    finished(Command::new(&program).env("HEDDLE_OPTIONS", options));
    let kept = std::fs::read_to_string(&report).expect("it was written");
    assert_eq!(kept.matches("guarantee:").count(), 2, "{kept}");
    assert!(!kept.contains("stale"), "{kept}");
}

#[test]
fn an_exec_that_fails_takes_nothing_away() {
    let end = "execl(\"/no/such/program\", \"x\", (char *)0); return 0;";
    assert_reported(&checked(&racy("exec-fails", end)), 1);
}

#[test]
fn parent_and_child_report_what_each_found() {
    let end = "int status; if (fork() == 0) _exit(0); wait(&status); return 0;";
    let output = checked(&racy("fork", end));
    let printed = text(&output.stdout);
    assert_eq!(printed.matches("guarantee:").count(), 2, "{printed}");
    assert_eq!(printed.matches(": 1 race\n").count(), 1, "{printed}");
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let end = "int status; if (fork() == 0) { race(); exit(0); } wait(&status); return WEXITSTATUS(status);";
    let output = checked(&clean("fork-child", end));
    assert!(text(&output.stdout).contains(RACE), "{}", all(&output));
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
}

#[test]
fn a_signal_sent_to_heddle_reaches_the_program() {
    let program = racy("signal", "pause(); return 0;");
    let mut command = Command::new(harness::tool());
    command
        .args(["run", "--"])
        .arg(&program)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("heddle starts");
    let mut first = [0; 7];
    let stdout = child.stdout.as_mut().expect("it is a pipe");
    std::io::Read::read_exact(stdout, &mut first).expect("the program prints");
    std::thread::sleep(Duration::from_millis(100));
    harness::succeed(Command::new("kill").args(["-TERM", &child.id().to_string()]));
    let output = child.wait_with_output().expect("heddle ends");
    assert_eq!(output.status.signal(), None);
    assert_eq!(output.status.code(), Some(128 + 15), "{}", all(&output));
    assert!(text(&output.stdout).contains(RACE), "{}", all(&output));
}

#[test]
fn a_program_with_a_handler_of_its_own_handles_its_signals() {
    let end = "signal(SIGTERM, SIG_IGN); raise(SIGTERM); puts(\"survived\"); return 3;";
    let output = checked(&clean("handler", end));
    assert_eq!(output.status.code(), Some(3), "{}", all(&output));
    assert!(text(&output.stdout).contains("survived"));
}

#[test]
fn standard_input_is_the_programs() {
    let program = clean("stdin", "return getchar();");
    let dir = program.parent().expect("it is in a folder");
    std::fs::write(dir.join("input"), "A").expect("the folder is writable");
    let input = std::fs::File::open(dir.join("input")).expect("it was just written");
    let output = finished(run(&["--"]).arg(&program).stdin(input));
    assert_eq!(output.status.code(), Some(65), "{}", all(&output));
}

#[test]
fn a_program_run_by_itself_reports_too() {
    let program = racy("direct", "return 0;");
    let mut command = Command::new(&program);
    command.env_remove("HEDDLE_OPTIONS");
    let output = finished(&mut command);
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    assert_eq!(text(&output.stdout), "before\n");
    assert!(text(&output.stderr).contains(RACE), "{}", all(&output));
    let report = program.with_extension("json");
    let options = format!("report={}:format=json:exitcode=5", report.display());
    let output = finished(Command::new(&program).env("HEDDLE_OPTIONS", options));
    assert_eq!(output.status.code(), Some(5), "{}", all(&output));
    let report = harness::report(&report).expect("it was written");
    assert_eq!(report["verdict"], "findings");
}

#[test]
fn a_recorded_run_is_judged_the_same_later() {
    let program = racy("record", "return 0;");
    let recording = program.with_extension("hdl");
    let recording = recording.to_str().expect("the path is text");
    assert_reported(
        &finished(run(&["--record", recording, "--"]).arg(&program)),
        1,
    );
    let output = finished(harness::heddle().args(["check", recording]));
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    assert!(text(&output.stdout).contains(RACE), "{}", all(&output));
}

#[test]
fn what_is_suppressed_is_left_out() {
    let program = racy("suppress", "return 0;");
    let list = program.with_extension("txt");
    std::fs::write(&list, "# known\nrace:race\n").expect("the folder is writable");
    let list = list.to_str().expect("the path is text");
    let output = finished(run(&["--suppress", list, "--"]).arg(&program));
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert!(!text(&output.stdout).contains(RACE), "{}", all(&output));
}

#[test]
fn a_signal_after_the_program_has_ended_ends_the_command() {
    let program = clean("waits", "return 0;");
    let fifo = scratch("ending-fifo").join("report");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo is there").success());
    let mut command = run(&["--output"]);
    command.arg(&fifo).arg("--").arg(program);
    let mut heddle = command
        .stdout(Stdio::null())
        .spawn()
        .expect("heddle is there");
    // First it is looked whether the report can be written. Then nobody reads it, and the command waits for ever.
    std::fs::read(&fifo).expect("it can be read");
    let status = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let kill = Command::new("kill").arg(heddle.id().to_string()).status();
        assert!(kill.expect("kill is there").success());
        heddle.try_wait().expect("it is our child")
    });
    heddle.kill().expect("it is our child");
    let signal = status.and_then(|status| status.signal());
    assert_eq!(signal, Some(15), "{status:?}");
}
