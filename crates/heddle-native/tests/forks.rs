//! Processes that make others: each reports what it found itself, and none loses anything or hangs.

mod harness;

use std::path::PathBuf;
use std::process::{Command, Output};

use harness::{all, compiled, finished, run, scratch, text};

/// A race in line 12 or 13.
const RACE: &str = "\
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int x; static void *write_x(void *unused) { x++; return unused; }
static void race(void) { pthread_t t; pthread_create(&t, 0, write_x, 0); x++; pthread_join(t, 0); }
";

fn program(name: &str, rest: &str) -> PathBuf {
    let dir = scratch(&format!("fork-{name}"));
    compiled(
        &dir,
        "program",
        &["-O1", "-pthread"],
        &format!("{RACE}{rest}"),
    )
}

fn checked(name: &str, rest: &str) -> Output {
    finished(run(&["--"]).arg(program(name, rest)))
}

#[test]
fn a_child_in_its_parents_memory_takes_no_finding_away() {
    for (name, child) in [
        (
            "vfork-exit",
            "pid_t p = vfork(); if (p == 0) _exit(0); waitpid(p, &status, 0);",
        ),
        (
            "vfork-exec",
            "pid_t p = vfork(); if (p == 0) { execl(\"/bin/true\", \"true\", (char *)0); _exit(9); } waitpid(p, &status, 0);",
        ),
        (
            "vfork-fails",
            "pid_t p = vfork(); if (p == 0) { execl(\"/no/such\", \"no\", (char *)0); _exit(0); } waitpid(p, &status, 0);",
        ),
        (
            "spawn",
            "pid_t p; char *words[] = {\"true\", 0}; if (posix_spawn(&p, \"/bin/true\", 0, 0, words, environ)) return 7; waitpid(p, &status, 0);",
        ),
        ("system", "status = system(\"true\");"),
        (
            "popen",
            "FILE *f = popen(\"true\", \"r\"); status = pclose(f);",
        ),
    ] {
        let rest = format!(
            "int main(void) {{ int status = 1; {child} if (status) return 8; race(); return 0; }}\n"
        );
        let output = checked(name, &rest);
        let printed = text(&output.stdout);
        assert!(printed.contains("race: x is"), "{name}: {}", all(&output));
        assert_eq!(output.status.code(), Some(1), "{name}: {}", all(&output));
        assert_eq!(
            printed.matches("guarantee:").count(),
            1,
            "{name}: {printed}"
        );
    }
}

#[test]
fn a_child_made_past_the_c_library_reports_too() {
    let rest = "int main(void) { int status; pid_t p = syscall(SYS_fork); if (p == 0) { race(); exit(0); } waitpid(p, &status, 0); return WEXITSTATUS(status) == 1 ? 0 : 9; }\n";
    let output = checked("raw", rest);
    let printed = text(&output.stdout);
    assert!(printed.contains("race: x is"), "{}", all(&output));
    assert_eq!(printed.matches("guarantee:").count(), 2, "{printed}");
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
}

/// Forks `FORKS` times while other threads allocate, lock and touch memory; each child does so, too.
const UNDER_LOAD: &str = r#"
static volatile int stop;
static int room[1 << 16];
static pthread_mutex_t locks[64];
static void touch(unsigned n)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    int *block = malloc(40 + n % 4000);
    block[0] = n;
    free(block);
    pthread_mutex_unlock(&own);
}
static void *work(void *seed)
{
    unsigned n = (unsigned)(long)seed;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        n = n * 1664525 + 1013904223;
        touch(n >> 8);
        pthread_mutex_lock(&locks[n >> 26]);
        room[n >> 16]++;
        pthread_mutex_unlock(&locks[n >> 26]);
    }
    return 0;
}
int main(int count, char **words)
{
    pthread_t threads[4];
    int forks = count > 1 ? atoi(words[1]) : 300;
    for (int n = 0; n < 64; n++)
        pthread_mutex_init(&locks[n], 0);
    for (long n = 0; n < 4; n++)
        pthread_create(&threads[n], 0, work, (void *)n);
    for (int n = 0; n < forks; n++) {
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 20; i++)
                touch(i);
            x = n;
            _exit(n % 7);
        }
        int status = 0;
        // A child that hangs is ended by its alarm.
        if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != n % 7 || WIFSIGNALED(status)) {
            printf("fork %d: status %x\n", n, status);
            return 9;
        }
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], 0);
    puts("done");
    return 0;
}
"#;

#[test]
fn a_race_of_a_child_alone_decides_the_status_of_the_command() {
    for (n, (words, status)) in [
        (&["--"] as &[&str], 1),
        (&["--exit-status", "66", "--"], 66),
        (&["--format", "json", "--"], 1),
    ]
    .into_iter()
    .enumerate()
    {
        let rest = format!(
            "int main(void) {{ int status; pid_t p = fork(); if (p == 0) {{ race(); exit(0); }} \
             waitpid(p, &status, 0); return WEXITSTATUS(status) == {status} ? 0 : 9; }}\n"
        );
        let output = finished(run(words).arg(program(&format!("child-alone-{n}"), &rest)));
        assert_eq!(output.status.code(), Some(status), "{}", all(&output));
    }
    let clean = "int main(void) { int status; pid_t p = fork(); if (p == 0) exit(0); waitpid(p, &status, 0); return 0; }\n";
    let output = checked("child-clean", clean);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
}

#[test]
fn forks_under_load_do_not_hang() {
    let program = program("load", UNDER_LOAD);
    let mut command = Command::new("timeout");
    command.args(["-k", "1", "120"]).arg(&program).arg("300");
    command.env("HEDDLE_OPTIONS", "report=/dev/null:exitcode=0");
    let output = finished(&mut command);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert_eq!(text(&output.stdout), "done\n");
}

/// Tasks are put into a queue and taken out of it all the time, while a thread forks 300 times. `cargo xtask soak
/// faults` has it fork more often.
const BESIDE_TASKS: &str = include_str!("../../../xtask/faults/tasks.c");

#[test]
fn a_child_can_make_tasks_whatever_the_queue_of_its_parent_was_about() {
    let program = program("tasks", BESIDE_TASKS);
    let mut command = Command::new("timeout");
    command.args(["-k", "1", "120"]).arg(&program);
    command.env("HEDDLE_THREADS", "4");
    command.env("HEDDLE_OPTIONS", "report=/dev/null:exitcode=0");
    let output = finished(&mut command);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert_eq!(text(&output.stdout), "done\n");
}
