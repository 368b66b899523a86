//! Cuts of native programs: by hand and by the compiler, recorded while the program runs and judged when it has
//! ended.

mod harness;

use serde_json::Value;
use std::path::{Path, PathBuf};

const LIST: &str = "\
#include <heddle.h>
int head, next[2], data[2];
static void insert(int k) {
    next[k] = head;
    MIDDLE
    data[k] = k;
    END
    head = k + 1;
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        insert(0);
#pragma omp task
        insert(1);
    }
    return 0;
}
";

fn program(dir: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let (file, program) = (dir.join(format!("{name}.c")), dir.join(name));
    std::fs::write(&file, source).expect("the folder is writable");
    let mut command = harness::heddle();
    command.arg("cc").args(flags).args(["-O1", "-fopenmp"]);
    harness::succeed(command.arg(&file).arg("-o").arg(&program));
    program
}

fn judged(dir: &Path, program: &Path) -> (Option<i32>, Value) {
    let output = dir.join("report.json");
    let mut command = harness::run(&["--analysis", "transactions", "--format", "json"]);
    command.arg("--output").arg(&output).arg("--").arg(program);
    let finished = harness::finished(&mut command);
    let text = std::fs::read_to_string(&output).expect("there is a report");
    let report = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {}", harness::all(&finished)));
    (finished.status.code(), report)
}

fn kinds(report: &Value) -> Vec<(&str, &str)> {
    let findings = report["findings"]
        .as_array()
        .expect("a report has findings");
    let text = |value: &'static str| move |one: &'_ Value| one[value].as_str().is_some();
    assert!(findings.iter().all(text("kind")));
    findings
        .iter()
        .map(|one| {
            let word = |key: &str| one[key].as_str().unwrap_or_default();
            (word("kind"), word("location"))
        })
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

#[test]
fn a_cut_between_the_accesses_to_head_can_be_seen_and_one_before_them_cannot() {
    let dir = harness::scratch("transactions");
    let cut = "HEDDLE_CUT();";
    let wrong = LIST.replace("MIDDLE", cut).replace("END", "");
    let (status, report) = judged(&dir, &program(&dir, "wrong", &wrong, &[]));
    assert_eq!(kinds(&report), [("transaction", "head")], "{report}");
    assert_eq!(status, Some(1));
    let right = LIST.replace("MIDDLE", "").replace("END", "");
    let (status, report) = judged(&dir, &program(&dir, "right", &right, &[]));
    assert_eq!(kinds(&report), [], "{report}");
    assert_eq!(status, Some(0));
}

#[test]
fn the_compiler_cuts_behind_every_access() {
    let dir = harness::scratch("transactions-by-rule");
    let source = LIST.replace("MIDDLE", "").replace("END", "");
    let program = program(&dir, "access", &source, &["--cuts=access"]);
    let (_, report) = judged(&dir, &program);
    assert_eq!(kinds(&report), [("transaction", "head")], "{report}");
}

#[test]
fn the_compiler_cuts_around_calls_and_iterations() {
    let dir = harness::scratch("transactions-by-menier");
    let call = "process();";
    let source = "__attribute__((noinline)) void process(void) { __asm__ volatile(\"\"); }\n"
        .to_owned()
        + &LIST.replace("MIDDLE", call).replace("END", "");
    let program = program(&dir, "menier", &source, &["--cuts=menier"]);
    let (_, report) = judged(&dir, &program);
    assert_eq!(kinds(&report), [("transaction", "head")], "{report}");
}
