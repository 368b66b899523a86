//! What memory is called that is kept by something else: containers, references, arrays of variable length.

use super::{report, report_of_cxx};

const VECTORS: &str = "\
#include <map>
#include <thread>
#include <vector>
struct Grid { std::vector<double> cells; std::vector<int> rows; };
static std::map<int, int> table;
static void fill(Grid& g, int from)
{
    for (int i = from; i < from + 30; i++) {
        g.cells[i] = i;
        g.rows[i / 10] = i;
    }
    table[from]++;
}
int main()
{
    Grid g;
    g.cells.resize(60);
    g.rows.resize(6);
    // With these it is not known which call has led to an allocation.
    std::vector<double> doubles(8);
    std::vector<int> numbers(8);
    std::thread one([&] { fill(g, 0); }), two([&] { fill(g, 20); });
    one.join();
    two.join();
}
";

#[test]
fn what_the_library_allocates_is_called_by_what_the_program_accesses() {
    for level in ["-O0", "-O2"] {
        for compiler in ["clang-22", "gcc"] {
            let option = format!("--compiler={compiler}");
            let flags = [
                &option,
                level,
                "-xc++",
                "-pthread",
                "-Wl,--no-as-needed",
                "-lstdc++",
            ];
            let name = format!("vectors{level}-{compiler}");
            let printed = report(&name, &flags, VECTORS);
            let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
            says("race: g.cells[20], g.cells[21], g.cells[22] and 7 more are written in parallel");
            says("= g.cells is a heap block of 480 bytes, allocated ");
            assert!(!printed.contains("heap@"), "{name}: {printed}");
        }
    }
}

const JOBS: &str = "\
#include <thread>
struct Job { int id, result; };
int main()
{
    Job jobs[4] = {};
    std::thread worker([&] { for (auto& job : jobs) job.result = 1; });
    int sum = 0;
    for (auto& job : jobs) sum += job.result;
    worker.join();
    return sum > 9;
}
";

#[test]
fn a_reference_is_not_taken_for_a_variable_of_its_own() {
    for level in ["-O0", "-O2"] {
        let printed = report_of_cxx(&format!("jobs{level}"), level, JOBS);
        assert!(printed.contains("race: job.result is "), "{printed}");
        assert!(!printed.contains("job is a local variable"), "{printed}");
    }
}

const VARIABLE_LENGTH: &str = "\
static int smooth(int n)
{
    int row[n];
    for (int i = 0; i < n; i++)
        row[i] = 0;
    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < n; j++)
            row[j] += i;
    return row[0];
}
int main(int argc, char **argv) { return smooth(argc + 7) > 9; }
";

#[test]
fn an_array_of_variable_length_is_told_with_its_declaration() {
    for level in ["-O0", "-O2"] {
        for compiler in ["clang-22", "gcc"] {
            let option = format!("--compiler={compiler}");
            let name = format!("variable{level}-{compiler}");
            let printed = report(&name, &[&option, level, "-fopenmp"], VARIABLE_LENGTH);
            let says = |text: &str| assert!(printed.contains(text), "{name}: {text}\n{printed}");
            says("race: row[...] is ");
            says("= row is a local variable, declared at ");
            says(".c:3:9");
        }
    }
}
