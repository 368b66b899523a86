//! Tasks of a recursion: what they are called, and what to do about their races.

use super::report;

const SUMS: &str = "\
static void fib(int n, long *out)
{
    if (n < 2) {
        *out = n;
        return;
    }
    long x, y;
    #pragma omp task shared(x)
    fib(n - 1, &x);
    fib(n - 2, &y);
    #pragma omp taskwait
    *out = y;
    *out += x;
}
struct node { struct node *left, *right; int value, sum; };
static struct node nodes[7];
static void add(struct node *n)
{
    if (!n)
        return;
    #pragma omp task
    add(n->left);
    n->sum = n->value + (n->left ? n->left->sum : 0);
}
int main(void)
{
    long out;
    for (int i = 0; i < 3; i++)
        nodes[i].left = &nodes[2 * i + 1];
    #pragma omp parallel
    #pragma omp single
    {
        fib(3, &out);
        add(nodes);
    }
    return 0;
}
";

#[test]
fn a_wait_is_suggested_where_a_task_is_waited_for_by_nobody_who_uses_what_it_made() {
    // With the wait of `fib` the program ends as it should; without that of `add` its sums are wrong.
    let printed = report("sums", &["-fopenmp"], SUMS);
    assert!(printed.contains("sums.c:23:"), "{printed}");
    assert!(
        printed.contains("help: add `#pragma omp taskwait` before the read at 23:"),
        "{printed}"
    );
    assert!(!printed.contains("omp critical"), "{printed}");
}

const NESTED: &str = "\
static int x;
static int begun;
static void inner(void)
{
    __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < 2)
        ;
    #pragma omp task
    x = 1;
    #pragma omp task
    x = 2;
}
int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single nowait
    {
        #pragma omp task
        inner();
        #pragma omp task
        inner();
    }
    return 0;
}
";

#[test]
fn tasks_created_while_a_thread_waits_at_the_end_of_a_region_have_their_own_places() {
    // Each thread executes one of the outer tasks: one of them while it waits at the end of the region.
    for compiler in ["clang-22", "gcc"] {
        let option = format!("--compiler={compiler}");
        let name = format!("nested-{compiler}");
        let printed = report(&name, &[&option, "-fopenmp"], NESTED);
        let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
        says("the task created at 8:5");
        says("the task created at 10:5");
        assert!(!printed.contains("task created at 15:"), "{printed}");
    }
}
