//! `heddle explore -- ./prog`: every schedule of programs with tasks of `heddle.h`.

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
    let program = compiled(&dir, name, &[], source);
    let output = explored(&program, &["--format", "json"]);
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
