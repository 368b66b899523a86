//! Locks taken crosswise: reported from a run that got through, and from one that hangs.

mod harness;

use std::process::Stdio;
use std::time::{Duration, Instant};

use harness::{all, compiled, finished, run, scratch, text};

/// Two threads, the second of which starts when the first has given everything back.
const APART: &str = "\
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
int turn;
static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
  GATE_IN
  pthread_mutex_lock(one);
  TAKE(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
  GATE_OUT
}
static void *first(void *p) { both(&a, &b); __atomic_store_n(&turn, 1, __ATOMIC_RELAXED); return p; }
static void *second(void *p) { while (!__atomic_load_n(&turn, __ATOMIC_RELAXED)) usleep(1000); both(SECOND); return p; }
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
";

/// The same with a lock on the heap that is freed in between, or not; the next one comes to be where it was.
const RENEWED: &str = "\
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, *b;
int turn;
static pthread_mutex_t *made(void) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); return m; }
static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}
static void *first(void *p) {
  both(&a, b);
  RENEW
  __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
  return p;
}
static void *second(void *p) {
  while (!__atomic_load_n(&turn, __ATOMIC_ACQUIRE)) usleep(1000);
  both(b, &a);
  return p;
}
int main(void) {
  pthread_t one, two;
  b = made();
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
";

#[test]
fn a_lock_in_the_place_of_one_that_was_freed_is_another() {
    for (name, renew, is_one) in [
        ("renewed", "free(b); b = made();", false),
        ("kept", "", true),
    ] {
        let dir = scratch(&format!("locks-{name}"));
        let program = compiled(&dir, name, &["-pthread"], &RENEWED.replace("RENEW", renew));
        let found = all(&finished(run(&["--possible", "--"]).arg(program)));
        assert_eq!(found.contains("possible deadlock"), is_one, "{found}");
    }
}

/// What is printed about the program, with these pieces.
fn report(name: &str, second: &str, take: &str, gate: bool) -> String {
    let (enter, leave) = match gate {
        true => ("pthread_mutex_lock(&gate);", "pthread_mutex_unlock(&gate);"),
        false => ("", ""),
    };
    let source = APART
        .replace("SECOND", second)
        .replace("TAKE", take)
        .replace("GATE_IN", enter)
        .replace("GATE_OUT", leave);
    let dir = scratch(&format!("locks-{name}"));
    let program = compiled(&dir, name, &["-pthread"], &source);
    all(&finished(run(&["--possible", "--"]).arg(program)))
}

#[test]
fn locks_in_opposite_sequence_are_a_possible_deadlock() {
    let found = report("crosswise", "&b, &a", "pthread_mutex_lock", false);
    assert!(found.contains("possible deadlock"), "{found}");
    assert!(
        found.contains("mutex a") && found.contains("mutex b"),
        "{found}"
    );
    assert!(
        found.contains("crosswise.c:7:") && found.contains("pthread_mutex_lock(other)"),
        "{found}"
    );
}

#[test]
fn the_same_sequence_a_gate_and_attempts_are_none() {
    let same = report("same", "&a, &b", "pthread_mutex_lock", false);
    assert!(!same.contains("deadlock"), "{same}");
    let gate = report("gate", "&b, &a", "pthread_mutex_lock", true);
    assert!(!gate.contains("deadlock"), "{gate}");
    let tried = report("tried", "&b, &a", "pthread_mutex_trylock", false);
    assert!(!tried.contains("deadlock"), "{tried}");
}

#[test]
fn a_program_that_hangs_and_is_interrupted_says_who_waits_for_what() {
    let source = "\
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;
static void *first(void *p) {
  pthread_mutex_lock(&a); pthread_barrier_wait(&both);
  pthread_mutex_lock(&b); return p;
}
static void *second(void *p) {
  pthread_mutex_lock(&b); pthread_barrier_wait(&both);
  pthread_mutex_lock(&a); return p;
}
int main(void) {
  pthread_t one, two;
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
";
    let dir = scratch("locks-hangs");
    let program = compiled(&dir, "hangs", &["-pthread"], source);
    let mut command = run(&["--"]);
    let child = command
        .arg(program)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = child.spawn().expect("it starts");
    std::thread::sleep(Duration::from_secs(3));
    let begin = Instant::now();
    let killed = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert!(begin.elapsed() < Duration::from_secs(60));
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(
        printed.contains("deadlock: 2 tasks wait forever"),
        "{printed}"
    );
    assert!(
        printed.contains("hangs.c:6:") && printed.contains("10 |"),
        "{printed}"
    );
    assert!(!printed.contains(": clean"), "{printed}");
}
