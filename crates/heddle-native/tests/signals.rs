//! Whatever signal comes, and whenever: the process ends as it would have, the report is written, and the
//! program's own handlers are its own.

mod harness;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use harness::{all, compiled, finished, run, scratch, text};

const SIGTERM: i32 = 15;

/// A race, in line 10 or 11.
const RACE: &str = "\
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
int x; static void *write_x(void *unused) { x++; return unused; }
static void race(void) { pthread_t t; pthread_create(&t, 0, write_x, 0); x++; pthread_join(t, 0); }
#include <unistd.h>
";

fn program(name: &str, rest: &str) -> PathBuf {
    let dir = scratch(&format!("signal-{name}"));
    compiled(
        &dir,
        "program",
        &["-O1", "-pthread"],
        &format!("{RACE}{rest}"),
    )
}

/// Runs the program itself, with a report in a file of its own: what it printed, and the report.
fn alone(program: &Path, words: &[&str]) -> (Output, String) {
    let report = program.with_extension("report");
    let _ = std::fs::remove_file(&report);
    let mut command = Command::new("timeout");
    command.args(["-k", "1", "60"]).arg(program).args(words);
    command.env("HEDDLE_OPTIONS", format!("report={}", report.display()));
    let output = finished(&mut command);
    (output, std::fs::read_to_string(report).unwrap_or_default())
}

#[test]
fn every_signal_that_ends_a_process_leaves_a_report() {
    let program = program(
        "every",
        "int main(int n, char **words) { (void)n; race(); raise(atoi(words[1])); return 0; }\n",
    );
    let harmless = [9, 17, 18, 19, 20, 21, 22, 23, 28, 32, 33];
    for signal in (1..=64).filter(|signal| !harmless.contains(signal)) {
        let report = program.with_extension("report");
        let _ = std::fs::remove_file(&report);
        // Whoever runs the tests may have been told to ignore some signals (`nohup`).
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(&program);
        command.arg(signal.to_string());
        command.env("HEDDLE_OPTIONS", format!("report={}", report.display()));
        let output = finished(&mut command);
        assert_eq!(
            output.status.signal(),
            Some(signal),
            "{signal}: {}",
            all(&output)
        );
        let report = std::fs::read_to_string(report).unwrap_or_default();
        assert!(report.contains("race: x is"), "{signal}: {report}");
        assert!(
            report.contains("up to where it stopped"),
            "{signal}: {report}"
        );
    }
}

#[test]
fn what_the_system_does_to_a_process_leaves_a_report() {
    let overflow = "static int down(int n) { volatile char room[512]; room[n % 512] = 1; return down(n + 1) + room[3]; }\n";
    for (name, rest, signal) in [
        (
            "pipe",
            "int main(void) { race(); int p[2]; if (pipe(p)) return 3; close(p[0]); return write(p[1], \"\", 1) != 1; }\n",
            13,
        ),
        (
            "alarm",
            "int main(void) { race(); alarm(1); pause(); return 0; }\n",
            14,
        ),
        (
            "time",
            "int main(void) { race(); struct itimerval t = {{0}, {0, 20000}}; setitimer(ITIMER_PROF, &t, 0); for (;;); }\n",
            27,
        ),
        (
            "overflow",
            &format!("{overflow}int main(void) {{ race(); return down(0); }}\n"),
            11,
        ),
        (
            "overflow-thread",
            &format!(
                "{overflow}static void *deep(void *unused) {{ return (void *)(long)(down(0) + (unused != 0)); }}\nint main(void) {{ race(); pthread_t t; pthread_create(&t, 0, deep, 0); pthread_join(t, 0); return 0; }}\n"
            ),
            11,
        ),
    ] {
        let program = program(name, rest);
        let output = finished(run(&["--"]).arg(&program));
        assert_eq!(
            output.status.code(),
            Some(128 + signal),
            "{name}: {}",
            all(&output)
        );
        assert!(
            text(&output.stdout).contains("race: x is"),
            "{name}: {}",
            all(&output)
        );
    }
}

#[test]
fn a_jump_out_of_a_handler_leaves_nothing_unchecked() {
    // The handler interrupts hooks and library calls at all places; afterwards the race must still be found.
    let rest = r#"
static sigjmp_buf back;
static int room[4096];
static void handler(int signal) { siglongjmp(back, signal); }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGPROF, &action, 0);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    volatile int jumps = 0;
    volatile unsigned at = 0;
    setitimer(ITIMER_PROF, &often, 0);
    if (sigsetjmp(back, 1)) {
        jumps++;
        pthread_mutex_trylock(&lock);
        pthread_mutex_unlock(&lock);
    }
    while (jumps < 300) {
        at++;
        room[at % 4096]++;
        room[at * 7 % 4096] = at;
        pthread_mutex_trylock(&lock);
        pthread_mutex_unlock(&lock);
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, 0);
    race();
    return 0;
}
"#;
    let program = program("jump", rest);
    for _ in 0..3 {
        let (output, report) = alone(&program, &[]);
        assert_eq!(output.status.code(), Some(1), "{}", all(&output));
        assert!(report.contains("race: x is"), "{report}");
    }
}

#[test]
fn a_handler_that_jumps_out_of_a_fault_may_do_so() {
    let rest = r#"
static sigjmp_buf back;
static void handler(int signal) { siglongjmp(back, signal); }
int main(void)
{
    signal(SIGSEGV, handler);
    volatile int faults = 0;
    for (volatile int i = 0; i < 50; i++) {
        if (sigsetjmp(back, 1) == 0)
            *(volatile int *)8 = 1;
        else
            faults++;
        if (sigsetjmp(back, 1) == 0)
            memcpy((void *)8, &x, sizeof x);
        else
            faults++;
    }
    race();
    return faults == 100 ? 0 : 9;
}
"#;
    let (output, report) = alone(&program("fault-jump", rest), &[]);
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    assert!(report.contains("race: x is"), "{report}");
}

#[test]
fn a_program_sees_its_own_handlers_and_no_others() {
    let rest = r#"
static int seen;
static void once(int signal) { seen += signal; }
static void more(int signal, siginfo_t *info, void *context) { seen += info->si_signo == signal && context; }
#define MUST(what) do { if (!(what)) { printf("line %d\n", __LINE__); return 4; } } while (0)
int main(void)
{
    struct sigaction now, old;
    stack_t stack;
    for (int s = 1; s < 32; s++) {
        MUST(sigaction(s, 0, &old) == 0);
        MUST(old.sa_handler == SIG_DFL);
    }
    MUST(sigaltstack(0, &stack) == 0 && (stack.ss_flags & SS_DISABLE));
    MUST(signal(SIGUSR1, once) == SIG_DFL);
    MUST(signal(SIGUSR1, SIG_IGN) == once);
    MUST(raise(SIGUSR1) == 0 && seen == 0);
    MUST(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    memset(&now, 0, sizeof now);
    now.sa_handler = once;
    now.sa_flags = SA_RESETHAND | SA_NODEFER;
    sigaddset(&now.sa_mask, SIGUSR2);
    MUST(sigaction(SIGUSR1, &now, 0) == 0);
    MUST(sigaction(SIGUSR1, 0, &old) == 0);
    MUST(old.sa_handler == once && (old.sa_flags & SA_RESETHAND) && sigismember(&old.sa_mask, SIGUSR2));
    MUST(raise(SIGUSR1) == 0 && seen == SIGUSR1);
    MUST(sigaction(SIGUSR1, 0, &old) == 0 && old.sa_handler == SIG_DFL);
    now.sa_sigaction = more;
    now.sa_flags = SA_SIGINFO;
    seen = 0;
    MUST(sigaction(SIGRTMIN + 3, &now, 0) == 0 && raise(SIGRTMIN + 3) == 0 && seen == 1);
    MUST(sigaction(SIGKILL, &now, 0) == -1 && sigaction(99, &now, 0) == -1);
    MUST(signal(SIGCHLD, SIG_DFL) == SIG_DFL && raise(SIGCHLD) == 0);
    puts("all well");
    return 0;
}
"#;
    let (output, _) = alone(&program("own", rest), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert_eq!(text(&output.stdout), "all well\n");
}

/// Busy in the checker all the time, on four threads, with a race at the start.
const BUSY: &str = r#"
static int *shared[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *seed)
{
    for (unsigned n = (unsigned)(long)seed;; n = n * 1664525 + 1013904223) {
        pthread_mutex_lock(&lock);
        int **at = &shared[n >> 26];
        free(*at);
        *at = malloc(64 + n % 512);
        if (*at)
            **at = n;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void)
{
    race();
    puts("ready");
    fflush(stdout);
    pthread_t t;
    for (long n = 0; n < 3; n++)
        pthread_create(&t, 0, work, (void *)n);
    work((void *)99);
}
"#;

#[test]
fn a_kill_at_any_moment_leaves_a_report() {
    let program = program("kill", BUSY);
    for round in 0..30 {
        assert_a_kill_is_reported(&program, SIGTERM, round);
    }
}

#[test]
fn a_signal_that_looks_like_a_fault_is_no_different_when_somebody_sends_it() {
    let program = program("sent", BUSY);
    for round in 0..30 {
        let signal = [4, 5, 7, 8, 11, 31][round as usize % 6];
        assert_a_kill_is_reported(&program, signal, round);
    }
}

/// Starts the busy program and sends the signal to it, later in every round.
fn assert_a_kill_is_reported(program: &Path, signal: i32, round: u64) {
    let report = program.with_extension("report");
    let _ = std::fs::remove_file(&report);
    let mut command = Command::new(program);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("HEDDLE_OPTIONS", format!("report={}", report.display()));
    let mut child = command.spawn().expect("the program starts");
    let mut ready = [0; 6];
    let stdout = child.stdout.as_mut().expect("it is a pipe");
    std::io::Read::read_exact(stdout, &mut ready).expect("the program prints");
    std::thread::sleep(Duration::from_micros(round * 1700 % 20000));
    let words = [format!("-{signal}"), child.id().to_string()];
    harness::succeed(Command::new("kill").args(words));
    assert_ends(&mut child, signal, round);
    let written = std::fs::read_to_string(&report).unwrap_or_default();
    assert!(
        written.contains("race: x is"),
        "{signal}, {round}: {written}"
    );
    assert!(
        !written.contains("deadlock"),
        "{signal}, {round}: {written}"
    );
}

#[test]
fn a_report_needs_nothing_of_the_programs_allocator() {
    // The signal comes while the allocator is locked by the very thread that then writes the report.
    let rest = r#"
static char room[1 << 22];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_armed, is_inside;
void *malloc(size_t size)
{
    if (is_inside)
        __builtin_trap();
    pthread_mutex_lock(&lock);
    if (is_armed) {
        is_inside = 1;
        raise(SIGTERM);
    }
    void *block = room + used;
    used += (size + 31) & ~15ul;
    pthread_mutex_unlock(&lock);
    return used <= sizeof room ? block : 0;
}
void free(void *block) { if (block && is_inside) __builtin_trap(); }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *old, size_t size)
{
    void *block = malloc(size);
    return old && block ? memmove(block, old, size) : block;
}
int main(void)
{
    race();
    is_armed = 1;
    return malloc(10) != 0;
}
"#;
    let (output, report) = alone(&program("allocator", rest), &[]);
    assert_eq!(output.status.signal(), Some(15), "{}", all(&output));
    assert!(report.contains("race: x is"), "{report}");
}

/// The program must end within a minute, by the signal.
fn assert_ends(child: &mut std::process::Child, signal: i32, round: u64) {
    for _ in 0..6000 {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert_eq!(status.signal(), Some(signal), "round {round}: {status}");
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    panic!("signal {signal}, round {round}: it hangs");
}
