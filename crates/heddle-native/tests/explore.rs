//! `heddle explore -- ./prog`: every schedule of programs with tasks of `heddle.h`, `heddle.hpp` and `ocr.h`.

mod harness;

use harness::{compiled, heddle, scratch};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Tasks that run `first` and `second`, then `after`.
fn source(globals: &str, first: &str, second: &str, after: &str) -> String {
    format!(
        "#include <assert.h>
#include <heddle.h>
{globals}
static void first(void *p) {{ {first} }}
static void second(void *p) {{ {second} }}
int main(void) {{
  heddle_finish_begin();
  heddle_async(first, 0);
  heddle_async(second, 0);
  heddle_finish_end();
  {after}
  return 0;
}}
"
    )
}

fn explored(program: &Path, words: &[&str]) -> Output {
    let mut command = heddle();
    command.arg("explore").args(words).arg("--").arg(program);
    harness::finished(&mut command)
}

/// The report, and what was found by kind.
fn report(name: &str, source: &str) -> (Value, Vec<String>) {
    let dir = scratch(&format!("explore-{name}"));
    judged(&compiled(&dir, name, &[], source))
}

/// The same of a program that is built.
fn judged(program: &Path) -> (Value, Vec<String>) {
    let output = explored(program, &["--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", harness::all(&output)));
    let findings = report["findings"].as_array().expect("findings").iter();
    let kinds = findings.map(|finding| finding["kind"].as_str().expect("a kind").to_owned());
    let kinds = kinds.collect();
    let status = if report["verdict"] == "clean" { 0 } else { 1 };
    assert_eq!(output.status.code(), Some(status), "{report:#}");
    assert_eq!(report["guarantee"], "all schedules, explored", "{report:#}");
    (report, kinds)
}

/// Follows the schedule of the first finding by the command that the report names; what it says.
fn replayed(report: &Value, folder: &Path) -> String {
    let command = report["findings"][0]["replay"]["command"].as_str();
    let command = command.expect("a command").replace(
        "heddle explore",
        &format!("{} explore", harness::tool().display()),
    );
    let mut shell = std::process::Command::new("sh");
    let output = harness::finished(shell.arg("-c").arg(&command).current_dir(folder));
    let text = harness::all(&output);
    assert_eq!(output.status.code(), Some(1), "{command}: {text}");
    assert!(text.contains("goes on at"), "{text}");
    text
}

const ISOLATED: &str = "#define ISOLATED(x) heddle_isolated_begin(); x; heddle_isolated_end();
int n, x;";

#[test]
fn a_lost_update_is_found_and_its_schedule_shows_it_again() {
    let update = "int seen; ISOLATED(seen = n) ISOLATED(n = seen + 1)";
    let lost = source(ISOLATED, update, update, "assert(n == 2);");
    let (report, kinds) = report("lost", &lost);
    assert_eq!(kinds, ["assertion"]);
    assert_eq!(report["exploration"]["schedules"], 6);
    let schedule = report["findings"][0]["replay"]["schedule"].as_str();
    let schedule = schedule.expect("a schedule").to_owned();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-lost/lost");
    let again = explored(&program, &["--replay", &schedule]);
    assert_eq!(again.status.code(), Some(1));
    let text = harness::all(&again);
    assert!(
        text.contains("goes on at") && text.contains("SIGABRT"),
        "{text}"
    );
    let whole = "ISOLATED(n = n + 1)";
    let kept = source(ISOLATED, whole, whole, "assert(n == 2);");
    assert_eq!(self::report("kept", &kept).1, Vec::<String>::new());
}

#[test]
fn a_race_that_one_order_hides_is_found() {
    let first = "ISOLATED(n = 1)";
    let hidden = |after: &str| {
        source(
            ISOLATED,
            first,
            &format!("int seen; ISOLATED(seen = n) {after}"),
            "",
        )
    };
    // The second task writes x only if it comes first; the main task's write is parallel to it.
    let racy =
        hidden("if (!seen) x = 1;").replace("heddle_finish_end();", "x = 2; heddle_finish_end();");
    assert_eq!(report("racy", &racy).1, ["race"]);
    let twin =
        hidden("if (!seen) x = 1;").replace("heddle_finish_end();", "heddle_finish_end(); x = 2;");
    assert_eq!(report("ordered", &twin).1, Vec::<String>::new());
}

const LOCKS: &str = "heddle_lock a = HEDDLE_LOCK_INIT, b = HEDDLE_LOCK_INIT;
static void both(heddle_lock *one, heddle_lock *other) {
  heddle_lock_acquire(one); heddle_lock_acquire(other);
  heddle_lock_release(other); heddle_lock_release(one);
}";

#[test]
fn locks_in_opposite_sequence_deadlock_and_in_the_same_do_not() {
    let crossed = source(LOCKS, "both(&a, &b);", "both(&b, &a);", "");
    let (report, kinds) = report("crossed", &crossed);
    assert_eq!(kinds, ["deadlock"]);
    assert_eq!(
        report["findings"][0]["waits"].as_array().map(Vec::len),
        Some(3),
        "{report:#}"
    );
    let same = source(LOCKS, "both(&a, &b);", "both(&a, &b);", "");
    assert_eq!(self::report("same", &same).1, Vec::<String>::new());
}

/// Two futures that run `first` and `second`; the second's value is `seen`.
fn futures(first: &str, second: &str, after: &str) -> String {
    format!(
        "#include <assert.h>
#include <heddle.h>
{ISOLATED}
static void *first(void *p) {{ {first} return 0; }}
static void *second(void *p) {{ long seen = 0; {second} return (void *)seen; }}
int main(void) {{
  heddle_future *one = heddle_future_create(first, 0);
  heddle_future *other = heddle_future_create(second, one);
  {after}
  heddle_future_free(one);
  heddle_future_free(other);
  return 0;
}}
"
    )
}

#[test]
fn the_value_of_a_future_may_depend_on_the_order_of_sections() {
    let (set, see) = ("ISOLATED(n = 1)", "ISOLATED(seen = n)");
    let get = "long seen = (long)heddle_future_get(other); assert(seen == 1);";
    let (report, kinds) = report("future", &futures(set, see, get));
    assert_eq!(kinds, ["assertion"]);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-future");
    assert!(replayed(&report, &dir).contains("SIGABRT"));
    let after = format!("heddle_future_get(p); {see}");
    let (report, kinds) = self::report("future-after", &futures(set, &after, get));
    assert_eq!(kinds, Vec::<String>::new());
    assert_eq!(report["exploration"]["schedules"], 1);
}

#[test]
fn a_race_behind_the_value_of_a_future_is_found() {
    let (set, see) = ("ISOLATED(n = 1) x = 1;", "ISOLATED(seen = n)");
    let racy = "if (!heddle_future_get(other)) x = 2; heddle_future_get(one);";
    assert_eq!(report("future-racy", &futures(set, see, racy)).1, ["race"]);
    let ordered = "heddle_future_get(one); if (!heddle_future_get(other)) x = 2;";
    let ordered = futures(set, see, ordered);
    assert_eq!(report("future-ordered", &ordered).1, Vec::<String>::new());
}

#[test]
fn futures_of_cxx_are_explored() {
    let source = |last: &str| {
        format!(
            "#include <cassert>
#include <heddle.hpp>
int main() {{
  int n = 0;
  auto take = [&n] {{ return heddle::isolated([&n] {{ return n++; }}); }};
  auto one = heddle::async_future(take), other = heddle::async_future(take);
  int first = one.get(), second = other.get();
  assert({last});
}}
"
        )
    };
    let dir = scratch("explore-cxx");
    let build = |name: &str, last: &str| {
        let (file, program) = (dir.join(format!("{name}.cpp")), dir.join(name));
        std::fs::write(&file, source(last)).expect("the folder is writable");
        let mut command = heddle();
        harness::succeed(command.arg("c++").arg(file).arg("-o").arg(&program));
        program
    };
    assert_eq!(judged(&build("ordered", "first < second")).1, ["assertion"]);
    let either = build("either", "first + second == 1");
    assert_eq!(judged(&either).1, Vec::<String>::new());
}

const TRIES: &str = "heddle_lock a = HEDDLE_LOCK_INIT; int got, n;
static void hold(void) { heddle_lock_acquire(&a); n++; heddle_lock_release(&a); }
static void attempt(void) { if (heddle_lock_try(&a)) { n++; got = 1; heddle_lock_release(&a); } }";

#[test]
fn a_lock_that_is_tried_is_had_in_one_schedule_and_not_in_another() {
    let had = source(TRIES, "hold();", "attempt();", "assert(got == 1);");
    let (report, kinds) = report("tried", &had);
    assert_eq!(kinds, ["assertion"]);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-tried");
    assert!(replayed(&report, &dir).contains("SIGABRT"));
    let missed = source(TRIES, "hold();", "attempt();", "assert(got == 0);");
    assert_eq!(self::report("missed", &missed).1, ["assertion"]);
    let both = source(TRIES, "hold();", "attempt();", "assert(n == 1 + got);");
    assert_eq!(self::report("both", &both).1, Vec::<String>::new());
}

/// Tasks of OCR that have one number for themselves: `first` and `second` change it, `last` looks at it.
fn event_driven(globals: &str, first: &str, second: &str, last: &str) -> String {
    let edt = |name: &str, body: &str| {
        format!(
            "static ocrGuid_t {name}(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {{
  int *n = depv[0].ptr; (void)n; {body} return NULL_GUID; }}\n"
        )
    };
    let bodies = [("first", first), ("second", second), ("last", last)];
    let edts: String = bodies.iter().map(|(name, body)| edt(name, body)).collect();
    format!(
        "#include <ocr.h>
#include <assert.h>
{globals}
static ocrGuid_t create(ocrEdt_t function, u32 depc, ocrGuid_t *output) {{
  ocrGuid_t template, edt;
  ocrEdtTemplateCreate(&template, function, 0, depc);
  ocrEdtCreate(&edt, template, 0, NULL, depc, NULL, EDT_PROP_NONE, NULL_HINT, output);
  return edt;
}}
{edts}
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {{
  ocrGuid_t block, done[2]; int *place;
  ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *place = 1;
  ocrDbRelease(block);
  ocrGuid_t at_end = create(last, 3, NULL), one = create(first, 1, &done[0]), other = create(second, 1, &done[1]);
  ocrAddDependence(done[0], at_end, 1, DB_MODE_NULL);
  ocrAddDependence(done[1], at_end, 2, DB_MODE_NULL);
  ocrAddDependence(block, one, 0, DB_MODE_EW);
  ocrAddDependence(block, other, 0, DB_MODE_EW);
  ocrAddDependence(block, at_end, 0, DB_MODE_CONST);
  return NULL_GUID;
}}
"
    )
}

fn explored_ocr(name: &str, source: &str) -> (Value, Vec<String>) {
    let dir = scratch(&format!("explore-ocr-{name}"));
    judged(&compiled(&dir, name, &["--ocr"], source))
}

#[test]
fn event_driven_tasks_have_a_block_in_either_order() {
    let shut = "ocrShutdown();";
    let order = event_driven(
        "",
        "*n += 1;",
        "*n *= 2;",
        &format!("assert(*n == 4); {shut}"),
    );
    let (report, kinds) = explored_ocr("order", &order);
    assert_eq!(kinds, ["assertion"]);
    assert_eq!(report["exploration"]["schedules"], 2);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-ocr-order");
    assert!(replayed(&report, &dir).contains("SIGABRT"));
    let either = event_driven(
        "",
        "*n += 1;",
        "*n += 2;",
        &format!("assert(*n == 4); {shut}"),
    );
    assert_eq!(explored_ocr("either", &either).1, Vec::<String>::new());
}

#[test]
fn a_race_of_event_driven_tasks_that_one_order_hides_is_found() {
    let look = "int seen = *n; ocrDbRelease(depv[0].guid); if (seen == 1) x = 1;";
    let racy = event_driven(
        "int x;",
        "*n += 1; ocrDbRelease(depv[0].guid); x = 2;",
        look,
        "ocrShutdown();",
    );
    assert_eq!(explored_ocr("racy", &racy).1, ["race"]);
    let apart = event_driven(
        "int x, y;",
        "*n += 1; ocrDbRelease(depv[0].guid); y = 2;",
        look,
        "ocrShutdown();",
    );
    assert_eq!(explored_ocr("apart", &apart).1, Vec::<String>::new());
    // With the block kept, what the second writes is written before the first gets it, or not at all.
    let kept = event_driven(
        "int x;",
        "*n += 1; ocrDbRelease(depv[0].guid); x = 2;",
        "if (*n == 1) x = 1;",
        "ocrShutdown();",
    );
    assert_eq!(explored_ocr("kept", &kept).1, Vec::<String>::new());
}

#[test]
fn who_satisfies_an_idempotent_event_first_is_explored() {
    // The tasks that satisfy it have no block for themselves, so that every task is a choice.
    let source = |check: &str| {
        let text = event_driven(
            "static ocrGuid_t event, blocks[2]; int chosen;",
            "blocks[0] = depv[0].guid; ocrEventSatisfy(event, NULL_GUID);",
            "ocrEventSatisfy(event, depv[0].guid);",
            &format!("assert({check}); ocrShutdown();"),
        );
        let text = text.replace("DB_MODE_EW", "DB_MODE_RO");
        let text = text.replace("create(last, 3, NULL)", "create(last, 4, NULL)");
        text.replace(
            "  ocrAddDependence(done[0]",
            "  ocrEventCreate(&event, OCR_EVENT_IDEM_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(event, at_end, 3, DB_MODE_CONST);
  ocrAddDependence(done[0]",
        )
    };
    let (report, kinds) = explored_ocr("idem", &source("depv[3].ptr != NULL"));
    assert_eq!(kinds, ["assertion"]);
    let command = report["findings"][0]["replay"]["command"].as_str();
    assert!(command.expect("a command").starts_with("HEDDLE_TURNS=wide"));
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-ocr-idem");
    assert!(replayed(&report, &dir).contains("SIGABRT"));
    let (_, kinds) = explored_ocr("idem-either", &source("depv[0].ptr != NULL"));
    assert_eq!(kinds, Vec::<String>::new());
}

#[test]
fn the_examples_of_event_driven_tasks_are_explored_with_the_same_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ocr");
    let dir = scratch("explore-ocr-examples");
    for name in ["exclusive-write", "idem-event", "channel-event", "finish"] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("c"));
        let text = text.expect("the example is there");
        let right = compiled(&dir, name, &["--ocr"], &text);
        assert_eq!(judged(&right).1, Vec::<String>::new(), "{name}");
        let racy = compiled(&dir, &format!("{name}-racy"), &["--ocr", "-DRACY"], &text);
        assert_eq!(judged(&racy).1[0], "race", "{name}");
    }
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let dir = scratch("explore-openmp");
    let openmp = "int main(void) { int n = 0;
#pragma omp parallel
#pragma omp critical
n++;
return n == 0; }
";
    let program = compiled(&dir, "openmp", &["-fopenmp"], openmp);
    let output = explored(&program, &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = harness::all(&output);
    assert!(
        text.contains("an OpenMP program cannot be explored yet"),
        "{text}"
    );
}
