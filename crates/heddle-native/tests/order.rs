//! `--analysis velodrome` says what the order that ran shows, beside what any order can.

mod harness;

use harness::{all, compiled, finished, run, scratch, text};
use std::process::Output;

/// Two threads that take turns: the second writes between the first one's read and its write.
const TURNS: &str = "\
#include <heddle.h>
#include <omp.h>
static int turn, x, y[4];
static omp_lock_t lock;
static void until(int wanted) { while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted) {} }
static void next(int wanted) { __atomic_store_n(&turn, wanted, __ATOMIC_RELEASE); }
static void set(int value) { omp_set_lock(&lock); x = value; y[1] = value; omp_unset_lock(&lock); }
int main(void) {
  omp_init_lock(&lock);
  HEDDLE_ATOMIC(x);
  HEDDLE_ATOMIC_RANGE(y, 4);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    omp_set_lock(&lock);
    int old = x + y[1];
    omp_unset_lock(&lock);
    next(1);
    until(2);
    set(old + 1);
  } else {
    until(1);
    SECOND
    next(2);
  }
  return 0;
}
";

fn checked(name: &str, second: &str, analysis: &str) -> Output {
    let dir = scratch(&format!("order-{name}"));
    let source = TURNS.replace("SECOND", second);
    let program = compiled(&dir, name, &["-fopenmp"], &source);
    finished(run(&["--analysis", analysis, "--"]).arg(program))
}

#[test]
fn a_cycle_in_the_order_that_ran_is_named_beside_the_findings() {
    let output = checked("torn", "set(7);", "velodrome");
    let printed = text(&output.stdout);
    let line = "velodrome: torn in the order that ran: x; y[1]\n";
    assert!(printed.contains(line), "{}", all(&output));
    assert!(printed.contains("atomicity"), "{}", all(&output));
}

#[test]
fn an_order_that_tears_nothing_has_no_cycle() {
    let output = checked("whole", "", "velodrome");
    let line = "velodrome: torn in the order that ran: nothing\n";
    assert!(text(&output.stdout).contains(line), "{}", all(&output));
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
}

#[test]
fn nobody_hears_of_the_order_unasked() {
    let output = checked("unasked", "set(7);", "all");
    assert!(
        !text(&output.stdout).contains("velodrome"),
        "{}",
        all(&output)
    );
}
