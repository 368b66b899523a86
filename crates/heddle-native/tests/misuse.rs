//! What cannot work is said in one line that names the cure, with status 2.

mod harness;

use std::path::Path;
use std::process::Command;

use harness::{all, compiled, finished, heddle, run, scratch, succeed, text, tool};

const EMPTY: &str = "int main(void) { return 0; }\n";

/// The one line that must contain all of `parts`.
fn assert_says(command: &mut Command, parts: &[&str]) {
    let output = finished(command);
    assert_eq!(output.status.code(), Some(2), "{}", all(&output));
    assert_eq!(text(&output.stdout), "");
    let line = text(&output.stderr);
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
}

#[test]
fn a_program_of_another_compiler() {
    let dir = scratch("plain");
    std::fs::write(dir.join("plain.c"), EMPTY).expect("the folder is writable");
    for flags in [&[][..], &["-static"]] {
        let mut gcc = Command::new("gcc");
        succeed(
            gcc.current_dir(&dir)
                .args(flags)
                .args(["plain.c", "-o", "plain"]),
        );
        let parts = ["not built with `heddle cc`", "CC="];
        assert_says(run(&["--"]).arg(dir.join("plain")), &parts);
    }
}

#[test]
fn a_program_that_is_not_there_or_no_program() {
    let dir = scratch("no-program");
    let file = dir.join("file");
    std::fs::write(&file, "").expect("the folder is writable");
    assert_says(
        &mut run(&["--", "/no/such/program"]),
        &["there is no program /no/such/program"],
    );
    assert_says(run(&["--"]).arg(&file), &["is not executable"]);
    assert_says(run(&["--"]).arg(&dir), &["is a folder"]);
}

#[test]
fn an_openmp_runtime_that_is_not_installed() {
    let dir = scratch("no-libomp");
    let parallel = "int main(void) {\n#pragma omp parallel\n{}\n}\n";
    let program = compiled(&dir, "prog", &["-fopenmp"], parallel);
    let broken = dir.join("broken");
    rename_in(&program, &broken, "libomp.so.5");
    assert_says(
        run(&["--"]).arg(&broken),
        &["needs bilomp.so.5", "install it"],
    );
}

#[test]
fn a_checker_that_went_away() {
    let dir = scratch("gone");
    let library = dir.join("libheddle_native.so");
    let built = tool().with_file_name("libheddle_native.so");
    std::fs::copy(built, &library).expect("it was built");
    let (source, program) = (dir.join("prog.c"), dir.join("prog"));
    std::fs::write(&source, EMPTY).expect("the folder is writable");
    let mut command = heddle();
    command.env("HEDDLE_LIBRARY_DIR", &dir).arg("cc");
    succeed(command.arg(&source).arg("-o").arg(&program));
    std::fs::remove_file(&library).expect("it was just written");
    let parts = ["needs libheddle_native.so", "LD_LIBRARY_PATH"];
    assert_says(run(&["--"]).arg(&program), &parts);
}

/// Copies a program, with a name inside replaced by one that no library has.
fn rename_in(program: &Path, to: &Path, library: &str) {
    let mut bytes = std::fs::read(program).expect("it was just built");
    let at = bytes
        .windows(library.len())
        .position(|part| part == library.as_bytes());
    let at = at.expect("the program names its libraries");
    bytes[at..at + 3].copy_from_slice(b"bil");
    std::fs::write(to, bytes).expect("the folder is writable");
    let permissions = std::fs::metadata(program)
        .expect("it is there")
        .permissions();
    std::fs::set_permissions(to, permissions).expect("it is ours");
}

#[test]
fn suppressions_that_cannot_be_read() {
    let dir = scratch("no-suppressions");
    let program = compiled(&dir, "prog", &[], EMPTY);
    let missing = dir.join("missing.txt");
    let missing = missing.to_str().expect("the path is text");
    assert_says(
        run(&["--suppress", missing, "--"]).arg(&program),
        &["cannot read", missing],
    );
    let dir = dir.to_str().expect("the path is text");
    assert_says(
        run(&["--suppress", dir, "--"]).arg(&program),
        &["cannot read", "directory"],
    );
}

const RACY: &str = "int x;\nint main(void) {\n#pragma omp parallel num_threads(2)\nx++;\n}\n";

/// What a racy program run by itself says on standard error beside its report, which goes elsewhere.
fn beside_the_report(name: &str, flags: &[&str], options: &str) -> String {
    let dir = scratch(name);
    let program = compiled(&dir, "prog", &[&["-fopenmp"], flags].concat(), RACY);
    let report = dir.join("report");
    let options = format!("report={}:{options}", report.display());
    let output = finished(Command::new(&program).env("HEDDLE_OPTIONS", options));
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let report = std::fs::read_to_string(&report).expect("it was written");
    assert!(report.contains(" race"), "{report}");
    text(&output.stderr)
}

#[test]
fn a_program_without_debug_information() {
    let said = beside_the_report("no-debug", &["-g0"], "");
    assert_eq!(
        said,
        "heddle: no debug information: compile with heddle cc or -g\n"
    );
}

#[test]
fn options_in_the_environment_that_are_wrong() {
    let said = beside_the_report("wrong-option", &[], "formt=json");
    assert!(
        said.contains("no option `formt`") && said.lines().count() == 1,
        "{said}"
    );
    let said = beside_the_report("wrong-list", &[], "suppressions=/no/such/file");
    assert!(
        said.contains("suppressions /no/such/file") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn a_report_that_cannot_be_written() {
    let dir = scratch("no-report");
    let program = compiled(&dir, "prog", &[], EMPTY);
    let parts = ["cannot write the report to /no/such/folder/report"];
    assert_says(
        run(&["--output", "/no/such/folder/report", "--"]).arg(&program),
        &parts,
    );
}

#[test]
fn a_compiler_that_is_not_there() {
    assert_says(
        heddle().args(["cc", "--compiler=no-such-compiler", "-c", "a.c"]),
        &["`no-such-compiler`", "install it", "--compiler"],
    );
    assert_says(
        heddle().args(["c++", "-c", "a.cc"]).env("PATH", "/nowhere"),
        &["no compiler found", "clang-22"],
    );
    assert_says(
        heddle().args(["cc", "a.c"]).env("HEDDLE_CC", "no-such-one"),
        &["`no-such-one`"],
    );
}

#[test]
fn a_checker_that_is_not_there() {
    let mut command = heddle();
    command
        .args(["cc", "a.c"])
        .env("HEDDLE_LIBRARY_DIR", "/nowhere");
    assert_says(&mut command, &["HEDDLE_LIBRARY_DIR", "libheddle_native.so"]);
}

#[test]
fn options_that_exclude_checking() {
    for option in ["-static", "-fsanitize=address"] {
        assert_says(
            heddle().args(["cc", option, "a.c"]),
            &[option, "leave it out"],
        );
    }
}
