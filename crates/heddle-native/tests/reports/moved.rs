//! Where accesses stand that the optimiser moved or joined, and how gcc's are called.

use super::{compiled, finished, report, run, scratch, text};

/// The optimiser reads both variables before the loop, where no line of the source does.
const LOOP: &str = "\
#include <pthread.h>
#include <stdio.h>

static struct { int verbose; double scale; } current = {1, 2.0};
static double factor = 1;
static double data[100];

static double get_factor(void)
{
    return factor;
}

static void *compute(void *arg)
{
    double *out = arg;
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += data[i]
            * current.scale
            * get_factor();
    *out = sum;
    return NULL;
}

int main(void)
{
    pthread_t t;
    double out;
    pthread_create(&t, NULL, compute, &out);
    current.scale = 3;
    factor = 2;
    pthread_join(t, NULL);
    printf(\"%g\\n\", out);
    return 0;
}
";

#[test]
fn what_is_read_before_a_loop_is_told_by_the_line_that_reads_it() {
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let name = format!("loop{level}");
        let printed = report(&name, &[level, "-pthread"], LOOP);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says(&format!("--> {name}.c:10:12"));
        says(&format!("in get_factor at {name}.c:10:12"));
        says(&format!("--> {name}.c:19:23"));
        says("in compute\n");
        // The line of the store, of the return, and of the function.
        for line in ["13", "21", "22"] {
            let wrong = format!("{name}.c:{line}:");
            assert!(!printed.contains(&wrong), "{level}: {wrong}\n{printed}");
        }
    }
}

const CARRIED: &str = "\
#include <stdlib.h>
int main(void)
{
    int n = 64;
    double *h = calloc(n, sizeof(double));
    #pragma omp parallel for num_threads(2)
    for (int i = 1; i < n; i++)
        h[i] = 0.5 * (h[i] + h[i - 1]);
    free(h);
}
";

#[test]
fn what_an_iteration_hands_to_the_next_is_told_by_its_line() {
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let name = format!("carried{level}");
        let printed = report(&name, &[level, "-fopenmp"], CARRIED);
        assert!(printed.contains("race: h[32] is "), "{level}: {printed}");
        let place = format!("--> {name}.c:8:");
        assert!(printed.contains(&place), "{level}: {printed}");
    }
}

const FLAGS: &str = "\
#include <stdio.h>
static int ready, value;
int main(void)
{
    #pragma omp parallel sections num_threads(2)
    {
        #pragma omp section
        {
            value = 42;
            ready = 1;
        }
        #pragma omp section
        {
            if (ready)
                printf(\"%d\\n\", value);
        }
    }
}
";

#[test]
fn a_variable_that_the_optimiser_keeps_in_a_byte_is_what_the_source_declares() {
    for level in ["-O0", "-O1", "-O2"] {
        let name = format!("flags{level}");
        let printed = report(&name, &[level, "-fopenmp"], FLAGS);
        for (variable, column) in [("ready", 12), ("value", 19)] {
            let line = format!(
                "= {variable} is a global variable of 4 bytes, declared at {name}.c:2:{column}"
            );
            assert!(printed.contains(&line), "{level}: {line}\n{printed}");
        }
    }
}

const INDEX: &str = "\
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>
class Index {
    std::map<std::string, int> words_;
    std::vector<int> order_;

  public:
    void add(const std::string &word) {
        words_[word]++;
        order_.push_back(1);
    }
    size_t size() const { return words_.size(); }
};
int main() {
    Index index;
    index.add(\"zero\");
    std::thread one([&] { index.add(\"one\"); });
    std::thread two([&] { index.add(\"two\"); });
    one.join();
    two.join();
    std::printf(\"%zu\\n\", index.size());
}
";

#[test]
fn containers_are_told_by_the_programs_lines_and_names_with_each_compiler() {
    for compiler in ["clang-22", "gcc"] {
        for level in ["-O0", "-O1", "-O2"] {
            let name = format!("index-{compiler}{level}");
            let option = format!("--compiler={compiler}");
            let flags = [&option, level, "-xc++", "-pthread", "-lstdc++"];
            let printed = report(&name, &flags, INDEX);
            let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
            says(&format!("--> {name}.c:12:"));
            says("race: words_[...] is ");
            says("in a lambda in main at ");
            for theirs in [
                "/usr/include",
                "_M_",
                "_Rb_tree",
                "heap@",
                "memory on a stack",
            ] {
                assert!(!printed.contains(theirs), "{name}: {theirs}\n{printed}");
            }
        }
    }
}

/// What is behind another race counts only if hand-offs are looked into.
#[test]
fn a_node_of_a_container_is_no_object_of_the_program() {
    for level in ["-O0", "-O1", "-O2"] {
        let name = format!("node{level}");
        let dir = scratch(&format!("report-{name}"));
        let flags = [level, "-xc++", "-pthread", "-lstdc++"];
        let program = compiled(&dir, &name, &flags, INDEX);
        let mut run = run(&["--strict", "--threads", "2", "--"]);
        let printed = text(&finished(run.arg(&program).current_dir(&dir)).stdout);
        assert!(printed.contains("words_[...]"), "{level}: {printed}");
        assert!(!printed.contains("heap@"), "{level}: {printed}");
    }
}

const FREED: &str = "\
#include <cstdlib>
#include <thread>
static unsigned char *body;
static unsigned sum;
static void add() { sum += body[0] + body[1]; }
int main() {
    body = static_cast<unsigned char *>(std::calloc(10, 1));
    int *one = new int(1);
    std::thread adds(add);
    std::thread looks([=] { sum = *one; });
    std::free(body);
    delete one;
    adds.join();
    looks.join();
}
";

#[test]
fn memory_is_freed_and_not_written() {
    for compiler in ["clang-22", "gcc"] {
        let name = format!("freed-{compiler}");
        let option = format!("--compiler={compiler}");
        let flags = [&option, "-O1", "-xc++", "-pthread", "-lstdc++"];
        let printed = report(&name, &flags, FREED);
        let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
        says("freed by the main task in main");
        says(" and freed ");
        says("before the free at 11:");
        says("before the free at 12:");
        assert!(
            !printed.contains("written by the main task"),
            "{name}: {printed}"
        );
    }
}
