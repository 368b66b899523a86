//! What reports on native programs say, in the program's own words.

mod harness;

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
