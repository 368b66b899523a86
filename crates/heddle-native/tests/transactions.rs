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

/// The compilers that cut by a rule, as options.
const COMPILERS: [&str; 2] = ["--compiler=clang-22", "--compiler=gcc"];

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
    for (compiler, level) in ways() {
        let flags = [compiler, "--cuts=access", level];
        let program = program(&dir, "access", &source, &flags);
        let (_, report) = judged(&dir, &program);
        assert_eq!(
            kinds(&report),
            [("transaction", "head")],
            "{compiler} {level}: {report}"
        );
    }
}

/// Compilers and levels at which the rules cut the same.
fn ways() -> impl Iterator<Item = (&'static str, &'static str)> {
    let levels = |compiler| ["-O0", "-O1"].map(|level| (compiler, level));
    COMPILERS.into_iter().flat_map(levels)
}

/// `head` is read, then what stands in the middle, then written.
fn menier(dir: &Path, name: &str, middle: &str, (compiler, level): (&str, &str)) -> Value {
    let before = "static int process(int k) { return k + 1; }\n";
    let source = before.to_owned() + &LIST.replace("MIDDLE", middle).replace("END", "");
    let flags = [compiler, "--cuts=menier", level];
    judged(dir, &program(dir, name, &source, &flags)).1
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
        (
            "declaration",
            "switch (k) { case 0: { int i = k; data[i] = 1; } }",
        ),
    ] {
        // gcc's text does not tell a case that begins with a declaration.
        let is_told =
            |(compiler, _): &(&str, &str)| name != "declaration" || !compiler.contains("gcc");
        for way in ways().filter(is_told) {
            let report = menier(&dir, name, middle, way);
            assert_eq!(
                kinds(&report),
                [("transaction", "head")],
                "{name} {way:?}: {report}"
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
        ("no-iteration", "while (k > 5) k--;"),
        ("no-case", "switch (k) { case 7: data[k] = 1; }"),
    ] {
        for compiler in COMPILERS {
            let report = menier(&dir, name, middle, (compiler, "-O1"));
            assert_eq!(kinds(&report), [], "{name} {compiler}: {report}");
        }
    }
}

#[test]
fn shared_libraries_are_cut_by_the_same_rules() {
    let dir = harness::scratch("transactions-shared");
    let library = "\
int head, next[2], data[2];
int process(int k) { return k + 1; }
void insert(int k) {
    next[k] = head;
    MIDDLE
    head = k + 1;
}
";
    let program = LIST.replace("static void insert", "void insert");
    let (body, rest) = program.split_once("void insert(int k) {").expect("a body");
    let (_, main) = rest.split_once("}\n").expect("its end");
    let program = format!("{body}void insert(int k);\n{main}").replace("int head,", "extern int");
    let program = program.replace("next[2], data[2];", "head;");
    std::fs::write(dir.join("main.c"), program).expect("the folder is writable");
    for (compiler, level) in ways() {
        for (rule, middle, expected) in [
            ("access", "data[k] = 1;", 1),
            ("menier", "data[k] = process(k);", 1),
            ("menier", "data[k] = 1;", 0),
        ] {
            std::fs::write(dir.join("list.c"), library.replace("MIDDLE", middle))
                .expect("the folder is writable");
            let rule = format!("--cuts={rule}");
            let mut command = harness::heddle();
            command
                .current_dir(&dir)
                .args(["cc", compiler, &rule, level]);
            harness::succeed(command.args(["-shared", "-fPIC", "list.c", "-o", "liblist.so"]));
            let mut command = harness::heddle();
            command
                .current_dir(&dir)
                .args(["cc", compiler, level, "-fopenmp", "main.c"]);
            harness::succeed(command.args(["-L.", "-llist", "-Wl,-rpath,$ORIGIN", "-o", "main"]));
            let (_, report) = judged(&dir, &dir.join("main"));
            assert_eq!(
                kinds(&report).len(),
                expected,
                "{compiler} {rule} {level} {middle}: {report}"
            );
        }
    }
}

/// Arguments and results are in registers of all kinds where a cut comes.
#[test]
fn cuts_in_assembly_leave_registers_as_they_are() {
    let dir = harness::scratch("transactions-registers");
    let source = "\
#include <stdarg.h>
#include <stdio.h>
struct pair { double a; long b; };
static long sum(int a, long b, int c, long d, int e, long f, int g, double h, float i) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)h + (long)i;
}
static long double wide(long double x) { return x + 1; }
static struct pair both(double a, long b) { return (struct pair){a + 1, b + 1}; }
static double many(int count, ...) {
    va_list list;
    double all = 0;
    va_start(list, count);
    while (count-- > 0) all += va_arg(list, double);
    va_end(list);
    return all;
}
int main(void) {
    long (*through)(int, long, int, long, int, long, int, double, float) = sum;
    struct pair pair = both(1.5, 41);
    int steps = 0, n = 5;
    do { steps++; } while (--n > 0 && steps < 100);
    printf(\"%ld %ld %.1Lf %.1f %ld %.1f %d\\n\", sum(1, 2, 3, 4, 5, 6, 7, 8, 9),
           through(1, 2, 3, 4, 5, 6, 7, 8, 9), wide(2.5L), pair.a, pair.b, many(3, 1.0, 2.0, 3.5), steps);
    return 0;
}
";
    let flags = [COMPILERS[1], "--cuts=menier"];
    let program = program(&dir, "registers", source, &flags);
    let output = harness::finished(&mut std::process::Command::new(program));
    let said = harness::text(&output.stdout);
    assert!(said.contains("157 157 3.5 2.5 42 6.5 5"), "{said}");
}

#[test]
fn storage_of_a_thread_is_of_each_task_its_own() {
    let dir = harness::scratch("transactions-thread-local");
    let source = "\
#include <heddle.h>
static _Thread_local int local;
int x, y;
int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
    {
#pragma omp task
        { local = 1; HEDDLE_CUT(); local = 2; x = 1; HEDDLE_CUT(); x = 2; }
#pragma omp task
        { local = 3; HEDDLE_CUT(); local = 4; x = 3; }
    }
    return 0;
}
";
    let (_, report) = judged(&dir, &program(&dir, "local", source, &[]));
    assert_eq!(kinds(&report), [("transaction", "x")], "{report}");
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

#[test]
fn an_answer_may_name_positions_in_two_files() {
    let dir = harness::scratch("transactions-two-files");
    let header = "static inline void keep(int *place, int value) { *place = value + 1; }\n";
    let folder = dir.join("include");
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    std::fs::write(folder.join("keep.h"), header).expect("the folder is writable");
    let source = "\
#include \"include/keep.h\"
#include <heddle.h>
int n;
static void add(void *unused) { (void)unused; int v = n; HEDDLE_CUT(); keep(&n, v); }
int main(void) {
    heddle_finish_begin();
    heddle_async(add, 0);
    heddle_async(add, 0);
    heddle_finish_end();
    return 0;
}
";
    let program = program(&dir, "two", source, &[]);
    let (status, report) = judged(&dir, &program);
    assert_eq!(status, Some(1), "{report}");
    let help = report["findings"][0]["help"].as_str().expect("a help");
    let (_, answer) = help.split_once("heddle accept ").expect("the command");
    assert!(answer.contains("keep.h:1:"), "{answer}");
    let mut command = harness::heddle();
    command.arg("accept").args(answer.split(' '));
    harness::succeed(command.current_dir(&dir));
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

/// Both accounts are behind locks, so there is no race that would name them. The second critical section gets something from
/// the first.
#[test]
fn what_locks_protect_has_names_and_what_they_hand_over_is_no_access() {
    let dir = harness::scratch("transactions-locks");
    let source = "\
#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long saved, *loan, sum;
static void add(long *to, long n) {
    pthread_mutex_lock(&lock);
    *to += n;
    pthread_mutex_unlock(&lock);
}
static long get(long *of) {
    pthread_mutex_lock(&lock);
    long value = *of;
    pthread_mutex_unlock(&lock);
    return value;
}
static void move_some(void *unused) { (void)unused; add(&saved, -5); HEDDLE_CUT(); add(loan, -5); }
static void audit(void *unused) { (void)unused; sum = get(&saved); sum -= get(loan); }
int main(void) {
    loan = calloc(1, sizeof *loan);
    heddle_finish_begin();
    heddle_async(move_some, 0);
    heddle_async(audit, 0);
    heddle_finish_end();
    return sum != 0;
}
";
    for level in ["-O0", "-O1"] {
        let program = program(&dir, &format!("accounts{level}"), source, &[level]);
        let (_, report) = judged(&dir, &program);
        assert_eq!(kinds(&report), [("transaction", "saved,loan")], "{report}");
    }
}

#[test]
fn tasks_of_one_place_are_told_apart_in_the_story() {
    let dir = harness::scratch("transactions-alike");
    let source = "\
#include <heddle.h>
int x;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task
        { x = 1; HEDDLE_CUT(); x = 2; }
    }
    return 0;
}
";
    let (_, report) = judged(&dir, &program(&dir, "alike", source, &[]));
    let schedule = report["findings"][0]["schedule"].as_array();
    let schedule = schedule.expect("it is certain").iter();
    let told: Vec<&str> = schedule.filter_map(|one| one["text"].as_str()).collect();
    let numbers = ["(1) writes", "(2) writes", "(1) writes"];
    let agree = |(text, number): (&&str, &str)| text.contains(number);
    assert!(
        told.len() == 3 && told.iter().zip(numbers).all(agree),
        "{told:?}"
    );
}
