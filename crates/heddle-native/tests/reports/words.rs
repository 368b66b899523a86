//! Names and suggestions that once were wrong, with each compiler.

use super::{ON_STACK, report, report_of_cxx};

const UPDATES: &str = "\
static struct { int samples; double mean; } st;
static char buf[64];
static int len;
static int next(int n) { return n + 1; }
static void leaf(int *sum) { *sum += 1; }
int main(void)
{
    int x, sum = 0;
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp taskloop grainsize(1)
        for (int i = 0; i < 4; i++) {
            st.samples += i;
            st.mean += (i - st.mean) / 2;
            buf[len++] = 'a';
        }
        #pragma omp task shared(x)
        x = next(1);
        #pragma omp task shared(sum)
        leaf(&sum);
        #pragma omp task shared(sum)
        leaf(&sum);
        x = next(2);
    }
    return x + sum > 9;
}
";

#[test]
fn updates_that_are_statements_are_made_atomic_and_no_others() {
    for compiler in ["clang-22", "gcc"] {
        let option = format!("--compiler={compiler}");
        let printed = report(
            &format!("updates-{compiler}"),
            &[&option, "-fopenmp"],
            UPDATES,
        );
        let says = |text: &str| assert!(printed.contains(text), "{compiler}: {text}\n{printed}");
        let atomic = "help: put `#pragma omp atomic` before the update at";
        says("race: st.samples is ");
        says(&format!("{atomic} 14:24"));
        says("race: x is written by ");
        says("declared at updates-");
        says(":8:9");
        // What a function does to its argument, no clause of the construct can name.
        says(&format!("{atomic} 5:"));
        assert!(!printed.contains("libomp"), "{compiler}: {printed}");
        // It is updated by a value that is made of it; and the other is a part of an expression.
        for line in [15, 16] {
            let wrong = format!("{atomic} {line}:");
            assert!(!printed.contains(&wrong), "{compiler}: {printed}");
        }
    }
}

const NESTED: &str = "\
static int total;
static void node(int depth)
{
    if (depth == 0) {
        total = depth;
        return;
    }
    #pragma omp task
    node(depth - 1);
    #pragma omp task
    node(depth - 1);
}
int main(void)
{
    #pragma omp parallel num_threads(1)
    #pragma omp single
    node(2);
}
";

#[test]
fn a_task_is_told_from_its_creator_that_was_created_at_the_same_place() {
    // On one thread it is always the same two that are met first.
    let printed = report("nested", &["-fopenmp"], NESTED);
    let line = |text: &str| printed.lines().find(|line| line.contains(text));
    let parting = line("common ancestor: ").expect("two tasks part");
    let creator = parting.split("ancestor: ").nth(1).unwrap_or_default();
    let creator = creator.split(',').next().unwrap_or_default();
    // Both sides are named by their places, so one of the two is called like their creator.
    assert!(creator.starts_with("another task created at"), "{printed}");
    let witness = line("witness:").expect("two schedules");
    assert!(witness.contains(creator), "{printed}");
}

#[test]
fn a_lock_is_called_by_its_name_in_the_object_that_is_raced_on() {
    for level in ["-O0", "-O2"] {
        let printed = report_of_cxx(&format!("member-lock{level}"), level, ON_STACK);
        let says = |text: &str| assert!(printed.contains(text), "{level}: {text}\n{printed}");
        says(" holding mutex m");
        says("help: hold mutex m at the read at 6:31 too");
    }
}

const LOCAL: &str = "\
#include <memory>
#include <mutex>
#include <thread>
struct Config { int level = 0; double factor[4] = {}; };
int main()
{
    std::mutex m;
    auto config = std::make_shared<Config>();
    std::thread one([&] { std::lock_guard<std::mutex> held(m); config->level = 3; });
    int seen = config->level;
    one.join();
    return seen > 5;
}
";

#[test]
fn a_lock_without_a_name_is_one_to_hold_and_shared_objects_have_members() {
    let printed = report_of_cxx("local-lock", "-O1", LOCAL);
    let says = |text: &str| assert!(printed.contains(text), "{text}\n{printed}");
    says("race: config->level is ");
    says(" holding a mutex");
    says("help: hold the same mutex at the read at 10:24 too");
}

const FITTING: &str = "\
static float points[300];
static int a[100], b[100];
int main(void)
{
    float best = -1;
    int x = 0, y = 0;
    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < 300; i++) {
        if (points[i] > best)
            best = points[i];
    }
    #pragma omp parallel num_threads(2)
    {
        #pragma omp for nowait
        for (int i = 0; i < 100; i++)
            a[i] = i;
        #pragma omp for
        for (int i = 0; i < 100; i++)
            b[i] = a[99 - i];
    }
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task shared(x) depend(out: x)
        x = 1;
        #pragma omp task shared(x, y)
        y = x + 1;
        #pragma omp taskwait
    }
    return y + best + b[3] > 9;
}
";

#[test]
fn suggestions_know_what_the_constructs_say_already() {
    for compiler in ["clang-22", "gcc"] {
        for level in ["-O0", "-O1"] {
            let option = format!("--compiler={compiler}");
            let name = format!("fitting-{compiler}{level}");
            let printed = report(&name, &[&option, level, "-fopenmp"], FITTING);
            let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
            says("help: add reduction(max: best) to the loop at line 7");
            says(
                "help: take nowait away at line 14, or put a barrier between the write at 16:18 and",
            );
            says("help: give the task created at 26:");
            says(" depend(in: x)\n");
            assert!(!printed.contains("depend(inout: x)"), "{name}: {printed}");
        }
    }
}

/// A task's private variables lie in memory that OpenMP's runtime has allocated for many tasks.
const PRIVATE: &str = "
int main(void)
{
    char board[100];
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task private(board)
        {
            char *shown = board;
            #pragma omp task firstprivate(shown)
            shown[3] = 1;
            board[3] = 2;
            #pragma omp taskwait
        }
    }
    return 0;
}
";

#[test]
fn private_variables_of_tasks_are_called_as_the_program_calls_them() {
    for compiler in ["clang-22", "gcc"] {
        for level in ["-O0", "-O2"] {
            let option = format!("--compiler={compiler}");
            let name = format!("private-{compiler}{level}");
            let printed = report(&name, &[&option, level, "-fopenmp"], PRIVATE);
            let names = ["race: shown[", "race: board["];
            assert!(
                names.iter().any(|start| printed.contains(start)),
                "{name}: {printed}"
            );
            assert!(!printed.contains("heap"), "{name}: {printed}");
        }
    }
}
