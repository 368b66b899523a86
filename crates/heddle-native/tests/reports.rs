//! What reports on native programs say, in the program's own words.

mod harness;

use harness::{compiled, finished, run, scratch, text};

/// The report on a program given as text, with two threads.
fn report(name: &str, flags: &[&str], source: &str) -> String {
    let dir = scratch(&format!("report-{name}"));
    let program = compiled(&dir, name, flags, source);
    text(&finished(run(&["--threads", "2", "--"]).arg(&program)).stdout)
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
