//! `heddle check` says of a recording what was said of the run that was recorded: the same pairs of
//! positions race.

mod harness;
#[allow(dead_code, reason = "what is expected does not matter here")]
#[path = "harness/header.rs"]
mod header;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use header::Header;
use serde_json::Value;

/// One for each thing that a recording must spell out; each has a racy and a clean form.
const PROGRAMS: [&str; 15] = [
    "loops/each_element_from_the_next",
    "loops/first_middle_and_last_element",
    "loops/loop_that_runs_backwards",
    "openmp/linked_list_traversal_with_tasks",
    "openmp/taskwait_does_not_join_grandchildren",
    "openmp/depend_out_before_in",
    "openmp/depend_mutexinoutset_excludes_each_other",
    "openmp/barrier_between_phases",
    "openmp/barrier_completes_all_tasks",
    "openmp/critical_names_are_different_locks",
    "openmp/dynamic_chunks_that_happen_to_run_on_one_thread",
    "openmp/dynamic_loop_with_scratch_of_its_thread_on_the_stack",
    "pthread/readers_writer_lock",
    "pthread/mutex_around_both_accesses",
    "pthread/semaphore_hands_over",
];

type Pair = Vec<(u64, u64)>;

#[test]
fn a_recording_is_judged_as_its_run_was() {
    let dir = harness::scratch("record");
    for program in PROGRAMS {
        for form in ["racy", "clean"] {
            agrees(&dir, &format!("{program}_{form}.c"));
        }
    }
}

#[test]
fn a_recording_that_cannot_be_written_does_not_stop_the_program() {
    let dir = harness::scratch("record-nowhere");
    let text = "#include <stdio.h>\nint main(void) { puts(\"done\"); }\n";
    let program = harness::compiled(&dir, "program", &[], text);
    let mut command = harness::run(&["--record"]);
    command
        .arg(dir.join("missing/run.hdl"))
        .arg("--")
        .arg(program);
    let output = harness::finished(&mut command);
    assert!(harness::text(&output.stdout).contains("done"));
    assert!(harness::text(&output.stderr).contains("cannot record"));
}

/// A race, a few events more, and an end that nothing can see.
const KILLED: &str = "\
#include <pthread.h>
#include <signal.h>
int x;
static void *write_x(void *unused) { x = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, 0, write_x, 0);
    x = 2;
    pthread_join(thread, 0);
    for (int n = 0; n < 100; n++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    raise(SIGKILL);
}
";

#[test]
fn what_a_killed_program_recorded_is_looked_at_for_races() {
    let dir = harness::scratch("record-killed");
    let program = harness::compiled(&dir, "program", &["-pthread"], KILLED);
    let recording = dir.join("run.hdl");
    let mut command = harness::run(&["--record"]);
    harness::finished(command.arg(&recording).arg("--").arg(program));
    let output = harness::finished(harness::heddle().arg("check").arg(&recording));
    let said = harness::all(&output);
    assert!(said.contains("race: "), "{said}");
    assert!(said.contains("the file is cut short"), "{said}");
    let shown = format!("{}: 1 race", recording.display());
    assert!(said.contains(&shown), "{said}");
}

fn agrees(dir: &Path, name: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name);
    let header = Header::read(&source).expect("the program has a header");
    let program = build(dir, &source, &header);
    for threads in [1, 4] {
        let (live, recording) = (dir.join("live.json"), dir.join("run.hdl"));
        let mut command = harness::run(&["--format", "json", "--max-findings", "0"]);
        command
            .arg("--output")
            .arg(&live)
            .arg("--record")
            .arg(&recording);
        command
            .args(["--threads", &threads.to_string(), "--"])
            .arg(&program);
        let output = harness::finished(&mut command);
        let live = harness::report(&live);
        let live = live.unwrap_or_else(|error| panic!("{error}: {}", harness::all(&output)));
        let mut command = harness::heddle();
        command.args(["check", "--format", "json", "--max-findings", "0"]);
        let output = harness::finished(command.arg(&recording));
        let checked: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}: {}", harness::all(&output)));
        assert_eq!(
            pairs(&live),
            pairs(&checked),
            "{name} with {threads} threads"
        );
    }
}

fn build(dir: &Path, source: &Path, header: &Header) -> PathBuf {
    let program = dir.join("program");
    let mut command = harness::heddle();
    command.args(["cc", "-O1"]).args(&header.flags);
    command.arg(source).arg("-o").arg(&program).arg("-lm");
    harness::succeed(&mut command);
    program
}

/// The pairs of positions that race.
fn pairs(report: &Value) -> BTreeSet<Pair> {
    let findings = report["findings"]
        .as_array()
        .expect("a report has findings");
    let number = |value: &Value| value.as_u64().expect("positions are numbers");
    let position = |access: &Value| {
        let at = &access["position"];
        (number(&at["line"]), number(&at["column"]))
    };
    let pair = |finding: &Value| {
        let accesses = finding["accesses"].as_array().expect("a race has accesses");
        let mut pair: Pair = accesses.iter().map(position).collect();
        pair.sort_unstable();
        pair
    };
    findings.iter().map(pair).collect()
}
