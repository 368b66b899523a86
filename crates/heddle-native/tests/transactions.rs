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
    let level = (!flags.contains(&"-O0")).then_some("-O1");
    command.arg("cc").args(flags).args(level).arg("-fopenmp");
    harness::succeed(command.arg(&file).arg("-o").arg(&program));
    program
}

fn judged(dir: &Path, program: &Path) -> (Option<i32>, Value) {
    let output = dir.join("report.json");
    let mut command = harness::run(&["--analysis", "transactions", "--format", "json"]);
    command.arg("--output").arg(&output).arg("--").arg(program);
    command.current_dir(dir).env("PWD", dir);
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
    let uncut = program(&dir, "uncut", &wrong, &["--cuts=none"]);
    let (status, report) = judged(&dir, &uncut);
    assert_eq!((kinds(&report), status), (vec![], Some(0)), "{report}");
    let right = LIST.replace("MIDDLE", "").replace("END", "");
    let (status, report) = judged(&dir, &program(&dir, "right", &right, &[]));
    assert_eq!(kinds(&report), [], "{report}");
    assert_eq!(status, Some(0));
}

#[test]
fn the_compiler_cuts_behind_every_access() {
    let dir = harness::scratch("transactions-by-rule");
    let source = LIST.replace("MIDDLE", "").replace("END", "");
    for level in ["-O0", "-O1"] {
        let program = program(&dir, "access", &source, &["--cuts=access", level]);
        let (_, report) = judged(&dir, &program);
        assert_eq!(
            kinds(&report),
            [("transaction", "head")],
            "{level}: {report}"
        );
    }
}

/// `head` is read, then what stands in the middle, then written.
fn menier(dir: &Path, name: &str, middle: &str, level: &str) -> Value {
    let before = "static int process(int k) { return k + 1; }\n";
    let source = before.to_owned() + &LIST.replace("MIDDLE", middle).replace("END", "");
    judged(dir, &program(dir, name, &source, &["--cuts=menier", level])).1
}

#[test]
fn the_compiler_cuts_around_calls_iterations_and_jumps() {
    let dir = harness::scratch("transactions-by-menier");
    for (name, middle) in [
        ("call", "k = process(k) - 1;"),
        ("iteration", "for (int i = 0; i < 2; i++) data[k] += i;"),
        ("while", "int i = 0; while (i < 2) { data[k] += i; i++; }"),
        ("break", "while (1) { data[k] = 1; if (k < 2) break; }"),
        (
            "continue",
            "do { if (k < 2) continue; data[k] = 1; } while (0);",
        ),
        ("goto", "if (k < 2) goto out; data[k] = 2; out:;"),
        ("label", "out: data[k] = 2; if (k > 2) goto out;"),
        (
            "case",
            "switch (k) { case 0: data[k] = 1; default: data[k] = 2; }",
        ),
    ] {
        for level in ["-O0", "-O1"] {
            let report = menier(&dir, name, middle, level);
            assert_eq!(
                kinds(&report),
                [("transaction", "head")],
                "{name} {level}: {report}"
            );
        }
    }
}

#[test]
fn the_compiler_cuts_nothing_else_by_that_rule() {
    let dir = harness::scratch("transactions-by-menier-nothing");
    for (name, middle) in [
        ("plain", "data[k] = 1; data[k] = 2;"),
        ("if", "if (k < 2) data[k] = 1; else data[k] = 2;"),
        ("section", "_Pragma(\"omp critical\") { data[k] = 1; }"),
    ] {
        let report = menier(&dir, name, middle, "-O1");
        assert_eq!(kinds(&report), [], "{name}: {report}");
    }
}

#[test]
fn a_lock_held_across_a_task_operation_is_refused_with_its_place() {
    let dir = harness::scratch("transactions-lock-across");
    let source = "\
#include <heddle.h>
#include <omp.h>
int x;
int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_set_lock(&lock);
        x = 1;
#pragma omp task
        x = 2;
        omp_unset_lock(&lock);
    }
    return 0;
}
";
    let program = program(&dir, "across", source, &[]);
    let mut command = harness::run(&["--analysis", "transactions"]);
    let finished = harness::finished(command.arg("--").arg(&program));
    let said = harness::all(&finished);
    assert_eq!(finished.status.code(), Some(2), "{said}");
    assert!(said.contains("a task operation"), "{said}");
    assert!(said.contains("across.c:12:"), "{said}");
}

#[test]
fn an_answer_beside_the_source_counts_although_a_header_comes_first() {
    let dir = harness::scratch("transactions-answers");
    let source = "\
#include <heddle.hpp>
int head, a, b;
int main() {
    heddle::finish([&] {
        heddle::async([&] { int h = head; heddle::cut(); head = 1; a = h; });
        heddle::async([&] { int h = head; head = 2; b = h; });
    });
}
";
    let (file, program) = (dir.join("answer.cpp"), dir.join("answer"));
    std::fs::write(&file, source).expect("the folder is writable");
    let mut command = harness::heddle();
    command.args(["c++", "-O1"]).arg(&file);
    harness::succeed(command.arg("-o").arg(&program));
    let (status, report) = judged(&dir, &program);
    assert_eq!(status, Some(1), "{report}");
    let cut = &report["findings"][0]["cuts"][0];
    let file = cut["file"].as_str().expect("a cut has a position");
    assert!(file.ends_with("answer.cpp"), "{report}");
    let help = report["findings"][0]["help"].as_str().expect("a help");
    let (_, answer) = help.split_once("heddle accept ").expect("the command");
    let mut command = harness::heddle();
    let words: Vec<&str> = answer.split(' ').collect();
    let [flag, _, first, second] = words[..] else {
        panic!("{answer}");
    };
    command.current_dir(&dir);
    command.args(["accept", flag]).arg(file);
    harness::succeed(command.args([first, second]));
    let (status, report) = judged(&dir, &program);
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(report["suppressed"], 1, "{report}");
}

/// A strand that is cut at its end, so that transactions are asked for, and one that comes between.
#[test]
fn a_wait_for_nobody_ends_the_strand() {
    let dir = harness::scratch("transactions-empty-waits");
    let openmp = "\
#include <heddle.h>
int x;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            x = 1;
            MIDDLE
            x = 2;
            HEDDLE_CUT();
        }
#pragma omp task
        x = 3;
    }
    return 0;
}
";
    let api = "\
#include <heddle.h>
int x;
static void one(void *unused) { (void)unused; x = 1; MIDDLE x = 2; HEDDLE_CUT(); }
static void two(void *unused) { (void)unused; x = 3; }
int main(void) {
    heddle_spawn(one, 0);
    heddle_spawn(two, 0);
    heddle_sync();
    return 0;
}
";
    let wait = "_Pragma(\"omp taskwait\");";
    for (name, source, wait) in [("taskwait", openmp, wait), ("sync", api, "heddle_sync();")] {
        let waits = source.replace("MIDDLE", wait);
        let (_, report) = judged(&dir, &program(&dir, name, &waits, &[]));
        assert_eq!(kinds(&report), [], "{name}: {report}");
        let cuts = source.replace("MIDDLE", "HEDDLE_CUT();");
        let (_, report) = judged(&dir, &program(&dir, &format!("{name}-cut"), &cuts, &[]));
        assert_eq!(kinds(&report), [("transaction", "x")], "{name}: {report}");
    }
}

/// Such a section is several strands in the recording.
#[test]
fn a_critical_section_that_counts_lies_within_a_transaction() {
    let dir = harness::scratch("transactions-critical");
    let source = "\
#include <heddle.h>
int x, y;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            HEDDLE_CUT();
#pragma omp critical(outer)
            {
                x++;
#pragma omp critical(inner)
                y++;
            }
            MIDDLE
            x++;
        }
#pragma omp task
        {
#pragma omp critical(outer)
            x++;
        }
    }
    return 0;
}
";
    for (name, middle, expected) in [
        ("whole", "", vec![]),
        ("cut", "HEDDLE_CUT();", vec![("transaction", "x")]),
    ] {
        let program = program(&dir, name, &source.replace("MIDDLE", middle), &[]);
        let (_, report) = judged(&dir, &program);
        assert_eq!(kinds(&report), expected, "{name}: {report}");
    }
}
