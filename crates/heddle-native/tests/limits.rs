//! Programs that have little, ask for much, or ask for nonsense: they behave as they would unchecked, and
//! what was not checked is said.

mod harness;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use harness::{all, compiled, finished, heddle, run, scratch, succeed, text};

fn program(name: &str, flags: &[&str], rest: &str) -> PathBuf {
    let dir = scratch(&format!("limit-{name}"));
    let start = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include <ucontext.h>\nint x, y;\n";
    compiled(
        &dir,
        name,
        &[&["-O1", "-pthread"], flags].concat(),
        &format!("{start}{rest}"),
    )
}

/// The program under `sh`, which sets limits and redirects.
fn shell(script: &str, program: &Path) -> Output {
    let mut command = Command::new("timeout");
    command
        .args(["-k", "1", "60", "sh", "-c", script, "sh"])
        .arg(program);
    command.env_remove("HEDDLE_OPTIONS");
    finished(&mut command)
}

#[test]
fn the_smallest_stacks_suffice() {
    let rest = r#"
static void *work(void *unused)
{
    char text[64];
    x++;
    snprintf(text, sizeof text, "%d %f", x, 1.5);
    free(malloc(strlen(text)));
    return unused;
}
static int run(pthread_attr_t *attributes)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], attributes, work, 0))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
int main(void)
{
    for (size_t size = 16384; size <= 65536; size *= 2) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        if (pthread_attr_setstacksize(&attributes, size) || run(&attributes))
            return 3;
    }
    for (size_t size = 16384; size <= 262144; size *= 4) {
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        void *own = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pthread_attr_setstack(&attributes, own, size) || pthread_create(&thread, &attributes, work, 0))
            return 4;
        pthread_join(thread, 0);
    }
    puts("done");
    return 0;
}
"#;
    let output = finished(run(&["--"]).arg(program("stacks", &[], rest)));
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let printed = text(&output.stdout);
    assert!(
        printed.starts_with("done\n") && printed.contains("race: x "),
        "{printed}"
    );
}

#[test]
fn a_small_stack_of_the_main_thread_suffices() {
    let rest = r#"
static void *work(void *unused) { x++; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    x++;
    pthread_join(thread, 0);
    puts("done");
    return 0;
}
"#;
    let program = program("main", &[], rest);
    for kilobytes in [64, 100, 128] {
        let output = shell(&format!("ulimit -s {kilobytes}; \"$1\""), &program);
        assert_eq!(output.status.code(), Some(1), "{}", all(&output));
        assert_eq!(text(&output.stdout), "done\n");
        assert!(
            text(&output.stderr).contains("race: x "),
            "{}",
            all(&output)
        );
    }
}

#[test]
fn a_small_stack_of_openmp_suffices() {
    let rest = "int main(void) {\n#pragma omp parallel num_threads(4)\nx++;\nputs(\"done\"); return 0; }\n";
    let program = program("openmp", &["-fopenmp"], rest);
    for size in ["32k", "64k"] {
        let output = finished(run(&["--"]).arg(&program).env("OMP_STACKSIZE", size));
        assert_eq!(output.status.code(), Some(1), "{size}: {}", all(&output));
        assert!(
            text(&output.stdout).contains("race: x "),
            "{size}: {}",
            all(&output)
        );
    }
}

#[test]
fn a_race_met_on_a_fibre_of_a_page_is_reported() {
    let rest = r#"
static char stacks[2][4096] __attribute__((aligned(16)));
static ucontext_t home, fibres[2];
static void body(void) { x++; y += x; }
static void *other(void *unused) { x++; y++; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    for (int i = 0; i < 2; i++) {
        getcontext(&fibres[i]);
        fibres[i].uc_stack.ss_sp = stacks[i];
        fibres[i].uc_stack.ss_size = sizeof stacks[i];
        fibres[i].uc_link = &home;
        makecontext(&fibres[i], body, 0);
        swapcontext(&home, &fibres[i]);
    }
    pthread_join(thread, 0);
    puts("done");
    return 0;
}
"#;
    let output = finished(run(&["--"]).arg(program("fibres", &[], rest)));
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let printed = text(&output.stdout);
    assert!(
        printed.starts_with("done\n") && printed.contains("race: x "),
        "{printed}"
    );
}

#[test]
fn threads_that_are_over_cost_no_memory() {
    let rest = r#"
static void *work(void *unused) { x++; return unused; }
int main(void)
{
    for (int i = 0; i < 4000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, 0, work, 0))
            return 3;
        pthread_join(thread, 0);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss / 1024);
    return 0;
}
"#;
    let output = finished(&mut Command::new(program("over", &[], rest)));
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    let megabytes: u64 = text(&output.stdout).trim().parse().expect("a number");
    assert!(megabytes < 50, "{megabytes} MB");
}

#[test]
fn a_thousand_threads_at_once_are_no_burden() {
    let rest = r#"
static int slots[1000];
static pthread_barrier_t barrier;
static void *work(void *slot) { slots[(long)slot] = 1; pthread_barrier_wait(&barrier); return 0; }
int main(void)
{
    static pthread_t threads[1000];
    pthread_barrier_init(&barrier, 0, 1000);
    for (long i = 0; i < 1000; i++)
        if (pthread_create(&threads[i], 0, work, (void *)i))
            return 3;
    for (int i = 0; i < 1000; i++)
        pthread_join(threads[i], 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    return 0;
}
"#;
    let output = finished(
        Command::new("timeout")
            .arg("120")
            .arg(program("thousand", &[], rest)),
    );
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    let seconds: u64 = text(&output.stdout).trim().parse().expect("a number");
    // It was three minutes when waiting threads did not sleep.
    assert!(seconds < 30, "{seconds} s of processor time");
}

#[test]
fn without_shadow_memory_status_and_one_line_say_so() {
    for (status, expected) in [(0, 2), (7, 7)] {
        let program = program(
            &format!("shadow-{status}"),
            &[],
            &format!("int main(void) {{ puts(\"ran\"); return {status}; }}\n"),
        );
        for limit in ["ulimit -v 4000000", "ulimit -d 1000000"] {
            let output = shell(&format!("{limit}; \"$1\""), &program);
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{limit}: {}",
                all(&output)
            );
            assert_eq!(text(&output.stdout), "ran\n");
            let said = text(&output.stderr);
            assert!(
                said.contains("NOT CHECKED") && said.lines().count() == 1,
                "{said}"
            );
            let tool = harness::tool().display();
            let output = shell(&format!("{limit}; {tool} run -- \"$1\""), &program);
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{limit}: {}",
                all(&output)
            );
            assert!(
                text(&output.stdout).contains("NOT CHECKED"),
                "{}",
                all(&output)
            );
        }
    }
}

#[test]
fn without_shadow_memory_the_statuses_of_children_stay() {
    let rest = "#include <sys/wait.h>\nint main(void) { int status = 1; pid_t p = fork(); if (p == 0) _exit(0); waitpid(p, &status, 0); return status ? 9 : 7; }\n";
    let program = program("shadow-child", &[], rest);
    let output = shell("ulimit -v 4000000; \"$1\"", &program);
    assert_eq!(output.status.code(), Some(7), "{}", all(&output));
}

#[test]
fn a_report_that_cannot_be_written_changes_nothing() {
    let clean = program("unwritable", &[], "int main(void) { return 7; }\n");
    for redirection in ["2>/dev/full", "2>&-", "1>&- 2>&-", "2>/dev/null"] {
        let output = shell(&format!("\"$1\" {redirection}"), &clean);
        assert_eq!(
            output.status.code(),
            Some(7),
            "{redirection}: {}",
            all(&output)
        );
    }
    // Nobody reads from the pipe any more when the report is written.
    let script = "{ { sleep 1; \"$1\" 2>&1 >/dev/null; echo $? >&3; } | true; } 3>&1";
    let output = shell(script, &clean);
    assert_eq!(text(&output.stdout), "7\n", "{}", all(&output));
    // The report's file may not grow.
    let report = scratch("limit-unwritable-report").join("report");
    let script = format!(
        "ulimit -f 0; HEDDLE_OPTIONS=report={} \"$1\"",
        report.display()
    );
    let output = shell(&script, &clean);
    assert_eq!(output.status.code(), Some(7), "{}", all(&output));
}

#[test]
fn a_length_that_went_wrong_crashes_as_it_would_have() {
    let rest = "int main(int n, char **words) { (void)words; char *p = malloc(100); memset(p, 0, (size_t)-n); return p[3]; }\n";
    let program = program("length", &[], rest);
    let begun = Instant::now();
    let output = finished(Command::new("timeout").arg("50").arg(&program));
    assert_eq!(
        output
            .status
            .signal()
            .or(output.status.code().map(|code| code - 128)),
        Some(11),
        "{}",
        all(&output)
    );
    assert!(begun.elapsed().as_secs() < 40);
}

#[test]
fn what_was_not_seen_is_said() {
    // Another object, built plainly.
    let dir = scratch("limit-unseen");
    std::fs::write(
        dir.join("main.c"),
        "int plain(int *); int x; int main(void) { return plain(&x); }\n",
    )
    .expect("writable");
    std::fs::write(
        dir.join("plain.c"),
        "int plain(int *p) { (*p)++; return 0; }\n",
    )
    .expect("writable");
    succeed(
        Command::new("clang-22")
            .current_dir(&dir)
            .args(["-c", "plain.c"]),
    );
    for compiler in ["clang-22", "gcc"] {
        succeed(heddle().current_dir(&dir).args([
            "cc",
            "--compiler",
            compiler,
            "main.c",
            "plain.o",
            "-o",
            "mixed",
        ]));
        let output = finished(run(&["--"]).arg(dir.join("mixed")));
        let printed = text(&output.stdout);
        assert!(
            printed.contains("not covered: plain.c, built without heddle cc"),
            "{compiler}: {printed}"
        );
        succeed(heddle().current_dir(&dir).args([
            "cc",
            "--compiler",
            compiler,
            "main.c",
            "plain.c",
            "-o",
            "whole",
        ]));
        let printed = text(&finished(run(&["--"]).arg(dir.join("whole"))).stdout);
        assert!(!printed.contains("not covered"), "{compiler}: {printed}");
    }
    succeed(heddle().current_dir(&dir).args([
        "cc",
        "main.c",
        "plain.c",
        "-fno-sanitize=thread",
        "-o",
        "off",
    ]));
    let printed = text(&finished(run(&["--"]).arg(dir.join("off"))).stdout);
    assert!(
        printed.contains("not covered: main.c and plain.c, built without"),
        "{printed}"
    );
    // Tasks and threads that are cut off.
    let tasks = "int main(void) {\n#pragma omp parallel num_threads(2)\n#pragma omp single\nfor (int i = 0; i < 9; i++) {\n#pragma omp task\n{ if (i == 3) exit(0); usleep(1000); }\n}\nreturn 0; }\n";
    let output = finished(run(&["--"]).arg(program("exit", &["-fopenmp"], tasks)));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("not covered: the rest of") && printed.contains("parallel region"),
        "{printed}"
    );
    let threads = "static void *wait(void *unused) { pause(); return unused; }\nint main(void) { pthread_t t; pthread_create(&t, 0, wait, 0); return 0; }\n";
    let output = finished(run(&["--"]).arg(program("running", &[], threads)));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("not covered: the rest of 1 thread that was not over"),
        "{printed}"
    );
}

#[test]
fn memory_touched_here_and_there_costs_a_page_for_a_page() {
    let rest = r#"
int main(void)
{
    size_t size = 1ul << 30, step = 1 << 16;
    char *room = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t at = 0; at < size; at += step)
        room[at] = 1;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss >> 10);
    return 0;
}
"#;
    let output = finished(run(&["--"]).arg(program("sparse", &[], rest)));
    let printed = text(&output.stdout);
    let megabytes: Option<u64> = printed.lines().next().and_then(|line| line.parse().ok());
    // The program itself touches 64.
    assert!(
        megabytes.is_some_and(|megabytes| megabytes < 250),
        "{}",
        all(&output)
    );
}

#[test]
fn an_executable_without_symbols_is_said_to_be_one() {
    let program = program("stripped", &[], "int main(void) { return 0; }\n");
    succeed(Command::new("strip").arg(&program));
    let printed = text(&finished(run(&["--"]).arg(&program)).stdout);
    assert!(
        printed.contains("not covered: files built without heddle cc, if any: the executable is"),
        "{printed}"
    );
}

#[test]
fn tasks_of_our_interface_that_an_exit_cuts_off_are_counted() {
    let rest = "#include <heddle.h>\nstatic void work(void *n) { if ((long)n == 3) exit(0); x += 0 * (long)n; }\nint main(void) { heddle_finish_begin(); for (long n = 0; n < 9; n++) heddle_async(work, (void *)n); heddle_finish_end(); return 0; }\n";
    let program = program("own-tasks", &[], rest);
    let printed = text(&finished(run(&["--threads", "1", "--"]).arg(&program)).stdout);
    assert!(
        printed.contains("the rest of 1 task that was not over"),
        "{printed}"
    );
    let rest = rest.replace("exit(0)", "x++");
    let program = self::program("own-tasks-over", &[], &rest);
    for threads in ["1", "3"] {
        let printed = text(&finished(run(&["--threads", threads, "--"]).arg(&program)).stdout);
        assert!(!printed.contains("not over"), "{printed}");
    }
}

#[test]
fn a_stack_that_leads_nowhere_is_no_end_of_the_program() {
    // The frame pointer has other uses for code that is written by hand.
    let rest = r#"
__attribute__((noinline, used)) void count(void) { x++; }
static __attribute__((noinline)) void *strange(void *unused)
{
    asm volatile("sub $8, %%rsp\n push %%rbp\n movabs $0x7000000000000000, %%rbp\n"
                 "call count\n pop %%rbp\n add $8, %%rsp"
                 ::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, strange, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    puts("done");
    return 0;
}
"#;
    let output = finished(run(&["--"]).arg(program("strange", &["-mno-red-zone"], rest)));
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    assert!(
        printed.contains("done\n") && printed.contains("race: x is"),
        "{printed}"
    );
}

#[test]
fn a_library_that_is_closed_again_is_named() {
    let dir = scratch("limit-closed");
    std::fs::write(dir.join("part.c"), "int z; void bump(void) { z++; }\n").expect("writable");
    let main = r#"
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("./libpart.so", RTLD_NOW);
    ((void (*)(void))dlsym(library, "bump"))();
    return dlclose(library);
}
"#;
    let main = compiled(&dir, "main", &[], main);
    let shared = ["-shared", "-fPIC", "part.c", "-o", "libpart.so"];
    succeed(Command::new("clang-22").current_dir(&dir).args(shared));
    let printed = text(&finished(run(&["--"]).current_dir(&dir).arg(&main)).stdout);
    assert!(
        printed.contains("what libpart.so does: not built with heddle cc"),
        "{printed}"
    );
    succeed(heddle().current_dir(&dir).args(["cc"]).args(shared));
    let printed = text(&finished(run(&["--"]).current_dir(&dir).arg(&main)).stdout);
    assert!(!printed.contains("not covered"), "{printed}");
}

#[test]
fn a_library_that_was_built_otherwise_is_named_once() {
    let dir = scratch("limit-library");
    std::fs::write(dir.join("part.c"), "int part(void) { return 0; }\n").expect("writable");
    std::fs::write(
        dir.join("main.c"),
        "int part(void); int main(void) { return part(); }\n",
    )
    .expect("writable");
    let shared = ["-shared", "-fPIC", "part.c", "-o", "libpart.so"];
    succeed(Command::new("clang-22").current_dir(&dir).args(shared));
    let built = [
        "cc",
        "main.c",
        "-L.",
        "-lpart",
        "-Wl,-rpath,.",
        "-o",
        "main",
    ];
    succeed(heddle().current_dir(&dir).args(built));
    let printed = text(&finished(run(&["--"]).current_dir(&dir).arg("./main")).stdout);
    assert!(
        printed.contains("what libpart.so does: not built with heddle cc"),
        "{printed}"
    );
    assert_eq!(printed.matches("libpart.so").count(), 1, "{printed}");
}
