//! Projects are built as they are: only the compiler's name changes.

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{all, finished, scratch, succeed, text, tool};

const COMPILERS: [&str; 2] = ["clang-22", "gcc"];

/// Two parts that meet in one variable, with the work in a library.
const COUNT: &str = "\
#include \"count.h\"
int count;
void add(int n)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        count++;
}
";
const HEADER: &str = "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid add(int n);\n";
const MAIN: &str = "#include \"count.h\"\nint main() { add(100); return 0; }\n";

const MAKEFILE: &str = "\
CFLAGS = -O1 -fopenmp -Wall -Werror
prog: main.o count.o
\t$(CC) $(CFLAGS) -o $@ $^ -lm
%.o: %.c
\t$(CC) $(CFLAGS) -MMD -c -o $@ $<
";

const CMAKE: &str = "\
cmake_minimum_required(VERSION 3.16)
project(Count C CXX)
find_package(OpenMP REQUIRED)
add_library(count SHARED count.c)
target_link_libraries(count PRIVATE OpenMP::OpenMP_C)
add_executable(prog main.cc)
target_link_libraries(prog count OpenMP::OpenMP_CXX)
";

/// The project's folder.
fn project(name: &str) -> PathBuf {
    let dir = scratch(name);
    let main = ["main.c", "main.cc"].map(|file| (file, MAIN));
    let files = [
        ("count.c", COUNT),
        ("count.h", HEADER),
        ("Makefile", MAKEFILE),
        ("CMakeLists.txt", CMAKE),
    ];
    for (file, contents) in main.into_iter().chain(files) {
        std::fs::write(dir.join(file), contents).expect("the folder is writable");
    }
    dir
}

fn in_dir(dir: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir);
    command
}

/// The race must be found, in the right line.
fn assert_found(program: &Path) {
    let output = finished(harness::run(&["--threads", "2", "--"]).arg(program));
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", harness::all(&output));
    assert!(printed.contains("count.c:7:"), "{printed}");
}

#[test]
fn a_makefile_needs_only_the_compilers_name() {
    for compiler in COMPILERS {
        let dir = project(&format!("make-{compiler}"));
        let name = format!("CC={} cc --compiler={compiler}", tool().display());
        succeed(in_dir(&dir, "make").arg(name));
        assert!(
            dir.join("count.d").is_file(),
            "the list of dependences is written"
        );
        assert_found(&dir.join("prog"));
    }
}

#[test]
fn a_makefile_that_looks_for_the_compilers_name_finds_it_in_the_link() {
    let asking = "\
ifneq (,$(findstring clang,$(CC)))
CFLAGS = -O1 -fopenmp
endif
ifneq (,$(findstring gcc,$(CC)))
CFLAGS = -O2 -fopenmp
endif
prog: main.c count.c
\t$(CC) $(CFLAGS) -o $@ $^
";
    for link in ["heddle-clang", "heddle-gcc"] {
        let dir = project(&format!("asking-{link}"));
        std::fs::write(dir.join("Makefile"), asking).expect("the folder is writable");
        succeed(harness::heddle().arg("cc").arg("--install-links").arg(&dir));
        succeed(in_dir(&dir, "make").arg(format!("CC=./{link}")));
        assert_found(&dir.join("prog"));
    }
}

#[test]
fn a_compiler_leaves_no_temporary_files() {
    for compiler in COMPILERS {
        let dir = project(&format!("left-{compiler}"));
        let temporary = dir.join("temporary");
        std::fs::create_dir(&temporary).expect("the folder is writable");
        for optimised in ["-O0", "-O2"] {
            let mut command = harness::heddle();
            command.args(["cc", "--compiler", compiler, optimised, "-fopenmp"]);
            command.args(["main.c", "count.c", "-o", "prog"]);
            command.current_dir(&dir).env("TMPDIR", &temporary);
            succeed(&mut command);
        }
        let left = std::fs::read_dir(&temporary).expect("the folder is there");
        let left: Vec<_> = left.flatten().map(|entry| entry.file_name()).collect();
        assert!(left.is_empty(), "{compiler}: {left:?}");
    }
}

#[test]
fn an_installed_command_finds_its_parts() {
    let dir = scratch("installed");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = harness::tool().parent().expect("it is in a folder");
    for (from, to) in [
        (built.join("heddle"), "bin/heddle"),
        (built.join("libheddle_native.so"), "lib/libheddle_native.so"),
        (sources.join("include/heddle.h"), "include/heddle.h"),
    ] {
        let to = dir.join(to);
        std::fs::create_dir_all(to.parent().expect("it is in a folder")).expect("it is writable");
        std::fs::copy(from, to).expect("all parts are there");
    }
    let heddle = dir.join("bin/heddle");
    std::fs::write(
        dir.join("prog.c"),
        "#include <heddle.h>\nint main(void) { return 0; }\n",
    )
    .expect("the folder is writable");
    let mut compile = in_dir(&dir, heddle.to_str().expect("the path is text"));
    let printed = all(&finished(
        compile.args(["cc", "-H", "prog.c", "-o", "prog"]),
    ));
    let header = dir.join("include/heddle.h").display().to_string();
    assert!(printed.contains(&header), "{printed}");
    let mut run = in_dir(&dir, heddle.to_str().expect("the path is text"));
    succeed(run.args(["run", "--", "./prog"]));
    // Cargo's search path would win.
    let mut list = Command::new("ldd");
    let linked = succeed(list.env_remove("LD_LIBRARY_PATH").arg(dir.join("prog")));
    let library = dir.join("lib/libheddle_native.so").display().to_string();
    assert!(linked.contains(&library), "{linked}");
}

#[test]
fn cmake_takes_the_links_also_where_warnings_are_errors() {
    for (c, cxx) in [
        ("heddle-clang", "heddle-clang++"),
        ("heddle-gcc", "heddle-g++"),
    ] {
        let dir = project(&format!("cmake-{c}"));
        let links = dir.join("links");
        succeed(
            harness::heddle()
                .arg("cc")
                .arg("--install-links")
                .arg(&links),
        );
        let compiler = |variable: &str, name: &str| {
            format!("-DCMAKE_{variable}_COMPILER={}", links.join(name).display())
        };
        let mut configure = in_dir(&dir, "cmake");
        configure.args(["-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release"]);
        configure.args(["-DCMAKE_C_FLAGS=-Werror", "-DCMAKE_CXX_FLAGS=-Werror"]);
        succeed(configure.args([compiler("C", c), compiler("CXX", cxx)]));
        succeed(in_dir(&dir, "cmake").args(["--build", "build"]));
        assert_found(&dir.join("build/prog"));
        let searched = succeed(in_dir(&dir, "grep").args(["-rh", "LINK_DIRECTORIES", "build"]));
        assert!(!searched.contains("heddle-cc-"), "{c}: {searched}");
    }
}

#[test]
fn compiling_and_linking_in_one_go_is_the_same_as_in_two() {
    for compiler in COMPILERS {
        let dir = project(&format!("one-go-{compiler}"));
        let mut command = harness::heddle();
        command
            .current_dir(&dir)
            .args(["cc", "--compiler", compiler, "-fopenmp", "-Werror"]);
        succeed(command.args(["main.c", "count.c", "-o", "prog"]));
        assert_found(&dir.join("prog"));
    }
}

#[test]
fn nothing_is_said_of_code_without_faults() {
    let dir = scratch("packed");
    let source = "struct __attribute__((packed)) Pair { char kind; unsigned short count; };\n\
                  void f(struct Pair *p, int n) { p->count += n; for (int i = 0; i < n; i++) p[i].count++; }\n";
    std::fs::write(dir.join("packed.c"), source).expect("the folder is writable");
    for compiler in COMPILERS {
        let mut command = harness::heddle();
        command.current_dir(&dir);
        command.args(["cc", "--compiler", compiler, "-Wall", "-O2", "-c"]);
        let output = finished(command.args(["packed.c", "-o", "packed.o"]));
        assert!(output.status.success(), "{}", all(&output));
        assert_eq!(text(&output.stderr), "", "{compiler}");
    }
}

#[test]
fn the_wider_machine_hides_nothing() {
    for compiler in COMPILERS {
        let dir = project(&format!("wide-{compiler}"));
        let wide = "double a[4096];\nint main() {\n#pragma omp parallel\nfor (int i = 0; i < 4096; i++) a[i] = i;\n}\n";
        let flags = ["--compiler", compiler, "-fopenmp", "-O3", "-march=native"];
        let program = harness::compiled(&dir, "wide", &flags, wide);
        let output = finished(harness::run(&["--threads", "2", "--"]).arg(program));
        assert!(
            text(&output.stdout).contains("wide.c:4:"),
            "{}",
            harness::all(&output)
        );
    }
}

#[test]
fn questions_are_answered_by_the_compiler_itself() {
    for compiler in COMPILERS {
        for question in [
            "--version",
            "-dumpmachine",
            "-print-file-name=libc.so.6",
            "-print-search-dirs",
        ] {
            let mut wrapped = harness::heddle();
            wrapped.args(["cc", "--compiler", compiler, question]);
            let plain = succeed(Command::new(compiler).arg(question));
            assert_eq!(succeed(&mut wrapped), plain, "{compiler} {question}");
        }
    }
}

#[test]
fn the_compilers_status_is_passed_on() {
    let dir = scratch("status");
    std::fs::write(dir.join("wrong.c"), "int main( {").expect("the folder is writable");
    for compiler in COMPILERS {
        let mut command = harness::heddle();
        command
            .current_dir(&dir)
            .args(["cc", "--compiler", compiler, "-c", "wrong.c"]);
        let output = finished(&mut command);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("wrong.c:1:"));
    }
}

#[test]
fn response_files_pass_through() {
    let dir = project("response");
    std::fs::write(dir.join("words"), "main.c count.c -fopenmp\n-o 'the prog'")
        .expect("it is writable");
    succeed(harness::heddle().current_dir(&dir).args(["cc", "@words"]));
    assert_found(&dir.join("the prog"));
}

#[test]
fn preprocessing_gives_what_the_plain_compiler_would() {
    let dir = project("preprocess");
    let mut command = harness::heddle();
    let printed = succeed(command.current_dir(&dir).args(["cc", "-E", "-P", "main.c"]));
    assert_eq!(
        printed.trim(),
        "void add(int n);\nint main() { add(100); return 0; }"
    );
}

/// A program with functions of its own under names of the C library, with other parameters: nothing is to be made
/// of what is found where the C library's parameters would be.
const OWN_NAMES: &str = "\
double time(void);
long qsort(long, long);
int printf(double, int);
static long place, sum[2];
int main(void)
{
    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++)
        sum[i] = (long)time() + qsort((long)&place, 3) + printf(1.5, 4);
    return sum[0] != 13 || sum[1] != 13;
}
";

const OWN_FUNCTIONS: &str = "\
double time(void) { return 2.5; }
long qsort(long place, long count) { return (place != 0) + count * 2; }
int printf(double number, int more) { return (int)number + more - 1; }
";

#[test]
fn a_program_keeps_functions_of_its_own_with_names_of_the_c_library() {
    for compiler in COMPILERS {
        let dir = scratch(&format!("builds-own-names-{compiler}"));
        std::fs::write(dir.join("main.c"), OWN_NAMES).expect("the folder is writable");
        std::fs::write(dir.join("own.c"), OWN_FUNCTIONS).expect("the folder is writable");
        let mut command = harness::heddle();
        command
            .current_dir(&dir)
            .args(["cc", "--compiler", compiler]);
        command.args(["-fopenmp", "-w", "main.c", "own.c", "-o", "prog"]);
        succeed(&mut command);
        let run = finished(harness::run(&["--threads", "2", "--"]).arg(dir.join("prog")));
        assert_eq!(run.status.code(), Some(0), "{compiler}: {}", all(&run));
    }
}
