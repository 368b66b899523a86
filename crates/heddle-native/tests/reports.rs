//! What reports on native programs say, in the program's own words.

mod harness;
#[path = "reports/moved.rs"]
mod moved;
#[path = "reports/recursion.rs"]
mod recursion;
#[path = "reports/storage.rs"]
mod storage;
#[path = "reports/words.rs"]
mod words;

use harness::{compiled, finished, run, scratch, text};

/// The report on a program given as text, with two threads.
fn report(name: &str, flags: &[&str], source: &str) -> String {
    let dir = scratch(&format!("report-{name}"));
    let program = compiled(&dir, name, flags, source);
    // PWD stays what it was for this process: only the real folder counts.
    let mut run = run(&["--threads", "2", "--"]);
    text(&finished(run.arg(&program).current_dir(&dir)).stdout)
}

const SECTIONS: &str = "\
#include <omp.h>
int x;
void f(void) { x++; }
int main(void)
{
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            #pragma omp critical(first)
            f();
        } else {
            #pragma omp critical(second)
            f();
        }
    }
}
";

#[test]
fn critical_sections_have_the_names_the_program_gives_them() {
    for compiler in ["clang-22", "gcc"] {
        let option = format!("--compiler={compiler}");
        let printed = report(compiler, &[&option, "-fopenmp"], SECTIONS);
        assert!(printed.contains("critical(first)"), "{printed}");
        assert!(printed.contains("critical(second)"), "{printed}");
    }
}

#[test]
fn a_function_with_a_short_name_keeps_it() {
    let printed = report("short", &["-fopenmp"], SECTIONS);
    assert!(printed.contains("in f at "), "{printed}");
}

const POOL: &str = "\
#include <omp.h>
int main(void)
{
    int *block = omp_alloc(48, omp_default_mem_alloc);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        *block = 1;
        omp_free(block, omp_default_mem_alloc);
    }
}
";

#[test]
fn a_block_of_openmps_allocators_is_the_programs() {
    let printed = report("pool", &["-fopenmp"], POOL);
    assert!(printed.contains("of 48 bytes, allocated at "), "{printed}");
    assert!(printed.contains("pool.c:4:"), "{printed}");
}

const THREADS: &str = "\
#include <pthread.h>
#include <stdio.h>
struct stats { long samples; double mean; };
static struct stats st;
static void record(struct stats *s, double v)
{
    s->samples++;
    s->mean += v;
}
static void *worker(void *arg)
{
    record(&st, *(double *)arg);
    return NULL;
}
int main(void)
{
    pthread_t t;
    double v = 1.5;
    pthread_create(&t, NULL, worker, &v);
    printf(\"%ld\\n\", st.samples);
    pthread_join(t, NULL);
    printf(\"%f\\n\", st.mean);
}
";

#[test]
fn members_joins_and_stacks_are_told_at_every_optimisation_level() {
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let printed = report(&format!("threads{level}"), &[level, "-pthread"], THREADS);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says("race: st.samples is ");
        says("in record at threads-");
        says("in worker at threads-");
        says("the thread created at 19:5 runs until it is joined at 21:5");
        says("help: move the join at 21:5 before the read at 20:");
        assert!(!printed.contains("st.mean is"), "{level}: {printed}");
    }
}

const HEAP: &str = "\
#include <stdlib.h>
typedef struct { float re, im; } number;
int main(void)
{
    number *m = calloc(400, sizeof(number));
    double *row = malloc(20 * sizeof *row);
    #pragma omp parallel num_threads(2)
    for (int j = 3; j < 5; j++) {
        m[j].im = j;
        row[j] = 1;
    }
    free(m);
    free(row);
}
";

#[test]
fn elements_of_heap_blocks_are_named_in_their_own_type() {
    for level in ["-O0", "-O2"] {
        let printed = report(&format!("heap{level}"), &[level, "-fopenmp"], HEAP);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says("race: m[3].im and m[4].im are written");
        says("race: row[3] and row[4] are written");
        says("m is a heap block of 3200 bytes, allocated at heap-");
        assert!(!printed.contains("indexed by bytes"), "{level}: {printed}");
    }
}

const CARRIED: &str = "\
double a[1000];
int main(void)
{
    int sum = 0;
    #pragma omp parallel for num_threads(2)
    for (int i = 1; i < 1000; i++) {
        a[i] = a[i - 1] + 1;
        sum += i;
    }
    return sum == 7;
}
";

const LOCALS: &str = "\
#include <stdio.h>
struct pair { int first, second; };
static void fill(float *buf)
{
    #pragma omp parallel num_threads(2)
    buf[2] = 1;
}
int main(void)
{
    int a[100] = {0};
    struct pair pairs[4] = {{0}};
    float passed[8] = {0};
    #pragma omp parallel num_threads(2)
    {
        a[50] = 1;
        pairs[3].second = 1;
    }
    fill(passed);
    printf(\"%d %d %f\\n\", a[50], pairs[3].second, passed[2]);
}
";

#[test]
fn elements_of_local_arrays_have_their_index() {
    for level in ["-O0", "-O1", "-O2"] {
        let printed = report(&format!("locals{level}"), &["-fopenmp", level], LOCALS);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        // Words on the stack may look like another frame: then there is no index.
        let is_named =
            |exact: &str, plain: &str| printed.contains(exact) || printed.contains(plain);
        assert!(is_named("race: a[50] is ", "race: a[...] is "), "{printed}");
        let second = is_named("race: pairs[3].second is ", "race: pairs[...].second is ");
        assert!(second, "{printed}");
        says("a is a local variable of 400 bytes, declared at locals-");
        // It lies behind a pointer: of the pointer itself there is nothing to say.
        says("race: buf[...] is written by two threads");
        assert!(!printed.contains("buf is a local variable"), "{printed}");
    }
}

#[test]
fn suggestions_fit_the_dependence_of_a_loop() {
    for level in ["-O0", "-O2"] {
        let printed = report(&format!("carried{level}"), &[level, "-fopenmp"], CARRIED);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says("help: one iteration uses what another one writes: run this loop serially");
        says("help: add reduction(+: sum) to the loop at line 5");
        says("race: sum is ");
    }
}

const NESTED: &str = "\
int total;
static void leaf(int i)
{
    #pragma omp task
    total = i;
}
int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        leaf(1);
        #pragma omp taskwait
        total++;
    }
}
";

#[test]
fn a_taskwait_is_not_suggested_for_tasks_of_tasks() {
    let printed = report("nested", &["-fopenmp"], NESTED);
    let says = |text: &str| assert!(printed.contains(text), "{text}\n{printed}");
    says("help: put the task created at 12:9 in a taskgroup that ends before");
    says(
        "a taskwait there would wait for the task created at 12:9, but not for tasks created in it",
    );
    assert!(!printed.contains("until the program ends"), "{printed}");
}

const MEMBERS: &str = "\
struct stats { long n; double samples; };
static struct stats st;
static int count;
static void record(struct stats *s, double v)
{
    s->samples += v;
    count++;
}
int main(void)
{
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
        record(&st, i);
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
        count += i;
}
";

#[test]
fn a_clause_is_suggested_only_for_what_the_construct_itself_names() {
    for level in ["-O0", "-O2"] {
        let printed = report(&format!("members{level}"), &[level, "-fopenmp"], MEMBERS);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says("help: put `#pragma omp atomic` before the update at 6:16");
        says("help: put `#pragma omp atomic` before the update at 7:10");
        says("help: add reduction(+: count) to the loop at line 14");
        assert!(!printed.contains("samples)"), "{printed}");
    }
}

const TASKS: &str = "\
int main(int argc, char **argv)
{
    double vla[argc + 19];
    int slots[8];
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp taskloop grainsize(1)
        for (int i = 0; i < 20; i++)
            vla[i / 2] = i;
        for (int i = 0; i < 20; i++)
        {
            #pragma omp task
            slots[i % 8] = i;
        }
    }
    return vla[0] + slots[0] > 1e9;
}
";

#[test]
fn tasks_that_can_depend_are_told_on_what() {
    let printed = report("tasks", &["-fopenmp", "-O1"], TASKS);
    let says = |text: &str| assert!(printed.contains(text), "{text}\n{printed}");
    says("help: put both accesses under `#pragma omp critical`");
    says("help: give these tasks depend(inout: slots[i % 8]), so that they run in turn");
    // How large it is, only the running program knew.
    says("= vla is a local variable, declared at ");
}

const BRANCHES: &str = "\
int main(void)
{
    int total = 0, first = 0, second = 0;
    #pragma omp parallel sections num_threads(2)
    {
        #pragma omp section
        { first = 1; total += 1; }
        #pragma omp section
        { second = first; total += 2; }
    }
    return total + first + second > 9;
}
";

#[test]
fn accesses_of_different_branches_keep_their_lines() {
    let printed = report("branches", &["-fopenmp", "-O2"], BRANCHES);
    let says = |text: &str| assert!(printed.contains(text), "{text}\n{printed}");
    says("race: first is written and read by two sections");
    says("race: total is written by two sections");
    says("{ first = 1; total += 1; }");
    says("{ second = first; total += 2; }");
    assert!(!printed.contains("first is written by two"), "{printed}");
}

const QUEUE: &str = "\
#include <pthread.h>
#include <stdio.h>
static struct { int tail, items[16]; } q;
static void push(int x)
{
    q.items[q.tail++ % 16] = x;
}
static int peek(void) { return q.items[0]; }
static void *producer(void *arg)
{
    for (int i = 0; i < 10; i++) push(i);
    return arg;
}
static void *consumer(void *arg)
{
    int *sum = arg;
    for (int i = 0; i < 10; i++) *sum += peek();
    return 0;
}
int main(void)
{
    int sum = 0;
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, &sum);
    printf(\"so far %d\\n\", sum);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

#[test]
fn both_stacks_are_shown_where_only_one_way_leads_there() {
    for level in ["-O0", "-O2"] {
        for fixed in ["-fPIE", "-no-pie"] {
            let flags = [level, "-pthread", fixed];
            let printed = report(&format!("queue{level}{fixed}"), &flags, QUEUE);
            let says = |text: &str| assert!(printed.contains(text), "{flags:?}: {text}\n{printed}");
            says("    in push at ");
            says("    in producer at ");
            // The optimiser takes the read out of its loop.
            if level == "-O0" {
                says("    in peek at ");
                says("    in consumer at ");
            }
        }
    }
}

#[test]
fn what_a_pointer_leads_to_is_not_taken_for_the_pointer() {
    for level in ["-O0", "-O2"] {
        let printed = report(&format!("pointer{level}"), &[level, "-pthread"], QUEUE);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says("= sum is a local variable of 4 bytes, declared at ");
        says(".c:22:");
    }
}

/// The report on a program in C++.
fn report_of_cxx(name: &str, level: &str, source: &str) -> String {
    let flags = [level, "-xc++", "-pthread", "-Wl,--no-as-needed", "-lstdc++"];
    report(name, &flags, source)
}

const CONTAINERS: &str = "\
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
static std::vector<std::string> lines;
static std::shared_mutex rw;
static long hits;
static void worker()
{
    lines.push_back(\"x\");
    std::shared_lock<std::shared_mutex> held(rw);
    hits++;
}
int main()
{
    std::thread one(worker), two(worker);
    one.join();
    two.join();
}
";

#[test]
fn races_in_containers_are_told_in_the_programs_lines() {
    for level in ["-O0", "-O2"] {
        // The stack of the earlier access is not known in every run: then the library's own line is told.
        let runs =
            (0..8).map(|run| report_of_cxx(&format!("containers{level}-{run}"), level, CONTAINERS));
        let mut others = Vec::new();
        let is_told = |printed: &String| {
            let is_known = !printed.contains("/usr/include");
            if !is_known {
                others.push(printed.clone());
            }
            is_known
        };
        let printed = runs.into_iter().find(is_told);
        let Some(printed) = printed else {
            panic!("{level}: never told: {}", others.join("\n"));
        };
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says("10 |     lines.push_back(\"x\");");
        says("race: lines is ");
        says("by the thread created at 16:");
        assert!(!printed.contains("basic_string<"), "{printed}");
        let of_lines = printed.matches("race: lines is ").count();
        assert_eq!(of_lines, 1, "one cause, one finding: {printed}");
    }
}

#[test]
fn a_lock_held_for_reading_does_not_protect_a_write() {
    let printed = report_of_cxx("shared", "-O1", CONTAINERS);
    let help = "help: take rwlock rw for writing at the write at 12:9";
    assert!(printed.contains(help), "{printed}");
}

const ON_STACK: &str = "\
#include <mutex>
#include <thread>
class Account {
public:
    void deposit(int amount) { std::lock_guard<std::mutex> held(m); balance += amount; }
    int read() const { return balance; }
private:
    std::mutex m;
    int balance = 0;
};
int main()
{
    Account account;
    std::thread one([&] { account.deposit(5); });
    int seen = account.read();
    one.join();
    return seen > 5;
}
";

/// Two tasks reach one function on different ways, and the last call of each is one that a compiler may make a jump.
const WAYS: &str = "\
#define APART __attribute__((noinline)) static void
static int total;
APART bump(int by) { total += by; }
APART deposit(int x) { bump(x); }
APART withdraw(int x) { bump(-x); }
int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        deposit(3);
        #pragma omp task
        withdraw(2);
    }
    return total;
}
";

#[test]
fn both_stacks_are_told_where_a_function_has_several_callers() {
    for compiler in ["clang-22", "gcc"] {
        // Above that gcc makes copies of functions, with what they are called with put in.
        for level in ["-O0", "-O1"] {
            let option = format!("--compiler={compiler}");
            let name = format!("ways-{compiler}{level}");
            let printed = report(&name, &[&option, "-fopenmp", level], WAYS);
            let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
            says("in deposit at ways-");
            says("in withdraw at ways-");
        }
    }
}

#[test]
fn constructs_stand_at_their_pragmas_with_both_compilers() {
    for compiler in ["clang-22", "gcc"] {
        for level in ["-O0", "-O1", "-O2"] {
            let option = format!("--compiler={compiler}");
            let name = format!("pragmas-{compiler}{level}");
            let printed = report(&name, &[&option, "-fopenmp", level], WAYS);
            let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
            says("the task created at 11:9");
            says("the task created at 13:9");
            says("a thread of the parallel region at 8:5");
        }
    }
}

const IN_SECTIONS: &str = "\
static int x;
int main(void)
{
    #pragma omp parallel sections
    {
        #pragma omp section
        x = 1;
        #pragma omp section
        x = 2;
    }
    #pragma omp parallel
    {
        #pragma omp sections
        {
            #pragma omp section
            x = 3;
            #pragma omp section
            x = 4;
        }
    }
    return x;
}
";

#[test]
fn sections_are_called_sections_with_both_compilers() {
    for compiler in ["clang-22", "gcc"] {
        let option = format!("--compiler={compiler}");
        let name = format!("sections-{compiler}");
        let printed = report(&name, &[&option, "-fopenmp"], IN_SECTIONS);
        let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
        says("two sections at 4:5");
        assert_eq!(
            printed
                .matches("race: x is written by two sections")
                .count(),
            2,
            "{printed}"
        );
        assert!(!printed.contains("iteration"), "{name}: {printed}");
    }
}

const WALK: &str = "\
static int count;
static void walk(int depth)
{
    if (!depth)
        return;
    #pragma omp task
    walk(depth - 1);
    #pragma omp task
    walk(depth - 1);
    if (depth > count)
        count = depth;
}
int main(void)
{
    #pragma omp parallel
    #pragma omp single
    walk(4);
}
";

#[test]
fn a_wait_is_not_suggested_where_tasks_of_a_recursion_race_with_each_other() {
    let printed = report("walk", &["-fopenmp"], WALK);
    assert!(printed.contains("race: count is"), "{printed}");
    assert!(
        !printed.contains("help: add `#pragma omp taskwait`"),
        "{printed}"
    );
    assert!(
        printed.contains("under `#pragma omp critical`"),
        "{printed}"
    );
}
