//! Files of ours and files of the program: none is mistaken for the other, and no report is lost on its way.

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{all, compiled, finished, heddle, run, scratch, text};

/// A race in line 13 or 14.
const RACE: &str = "\
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int x; static void *write_x(void *unused) { x++; return unused; }
static void race(void) { pthread_t t; pthread_create(&t, 0, write_x, 0); x++; pthread_join(t, 0); }
";

fn program(name: &str, rest: &str) -> PathBuf {
    let dir = scratch(&format!("file-{name}"));
    compiled(
        &dir,
        "program",
        &["-O1", "-pthread"],
        &format!("{RACE}{rest}"),
    )
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_program_that_closes_all_descriptors_keeps_its_files_to_itself() {
    let rest = r#"
static int room[50000];
int main(void)
{
    for (int i = 0; i < 10000; i++)
        close(i);
    int file = open("data", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    for (int i = file + 1; i < 4200; i++)
        dup2(file, i);
    for (int i = 0; i < 50000; i++)
        room[i] = i;
    race();
    return write(file, "mine", 4) != 4;
}
"#;
    let program = program("closes", rest);
    let dir = program.parent().expect("it is in a folder");
    let options = "record=run.hdl:report=report.txt:exitcode=0";
    let output = finished(
        Command::new(&program)
            .current_dir(dir)
            .env("HEDDLE_OPTIONS", options),
    );
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert_eq!(read(&dir.join("data")), "mine");
    assert!(read(&dir.join("report.txt")).contains("race: x is"));
    let output = finished(heddle().current_dir(dir).args(["check", "run.hdl"]));
    assert!(
        text(&output.stdout).contains("race: x is"),
        "{}",
        all(&output)
    );
}

#[test]
fn a_report_survives_a_program_without_descriptors() {
    let rest = "int main(void) { race(); while (open(\"/dev/null\", O_RDONLY) >= 0); return 0; }\n";
    let program = program("descriptors", rest);
    let report = program.with_extension("report");
    let options = format!("report={}", report.display());
    let output = finished(Command::new(&program).env("HEDDLE_OPTIONS", options));
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let report = read(&report);
    assert!(
        report.contains("race: x is") && report.contains("program.c:14"),
        "{report}"
    );
}

#[test]
fn a_report_makes_its_folder_or_goes_to_standard_error() {
    let program = program("folder", "int main(void) { race(); return 0; }\n");
    let dir = program.parent().expect("it is in a folder");
    let run = |options: &str| {
        let mut command = Command::new(&program);
        finished(command.current_dir(dir).env("HEDDLE_OPTIONS", options))
    };
    run("report=reports/of/today/race.txt");
    assert!(read(&dir.join("reports/of/today/race.txt")).contains("race: x is"));
    // Where a file stands, no folder can be made.
    let output = run("report=program.c/race.txt");
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    assert!(
        text(&output.stderr).contains("race: x is"),
        "{}",
        all(&output)
    );
}

#[test]
fn a_report_survives_a_change_of_the_root() {
    // Only root may do that; where the test has not the right, the program says so by its status.
    let rest =
        "int main(void) { race(); if (chroot(\"/proc\") || chdir(\"/\")) return 9; return 0; }\n";
    let output = finished(run(&["--"]).arg(program("root", rest)));
    let code = output.status.code();
    assert!(
        code == Some(9) || code == Some(1) && text(&output.stdout).contains("1 race"),
        "{}",
        all(&output)
    );
}

#[test]
fn a_daemons_report_is_announced_and_comes() {
    let program = program(
        "daemon",
        "int main(void) { if (daemon(0, 0)) return 3; sleep(2); race(); return 0; }\n",
    );
    let output = finished(run(&["--"]).arg(&program));
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    let said = text(&output.stderr);
    let path = said
        .split(" will be in ")
        .nth(1)
        .expect("it is announced")
        .trim();
    for _ in 0..100 {
        if read(Path::new(path)).contains("race: x is") {
            let _ = std::fs::remove_dir_all(Path::new(path).parent().expect("it is in a folder"));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("no report in {path}: {said}");
}

#[test]
fn a_hasty_exit_keeps_its_status() {
    for (status, expected) in [(0, 1), (5, 5)] {
        let program = program(
            &format!("hasty-{status}"),
            &format!("int main(void) {{ race(); quick_exit({status}); }}\n"),
        );
        let output = finished(run(&["--"]).arg(program));
        assert_eq!(output.status.code(), Some(expected), "{}", all(&output));
        assert!(
            text(&output.stdout).contains("race: x is"),
            "{}",
            all(&output)
        );
    }
}

#[test]
fn programs_with_another_users_rights_obey_no_options() {
    let program = program("setuid", "int main(void) { return 0; }\n");
    let dir = program.parent().expect("it is in a folder");
    let is_root = text(&finished(Command::new("id").arg("-u")).stdout).trim() == "0";
    if !is_root {
        // Only root can make such a program; what it does is tested where tests run as root, as in CI.
        return;
    }
    let shared = std::env::temp_dir().join("heddle-setuid-test");
    let _ = std::fs::remove_dir_all(&shared);
    std::fs::create_dir(&shared).expect("the folder is writable");
    let installed = shared.join("program");
    std::fs::copy(&program, &installed).expect("the folder is writable");
    let library = harness::tool().with_file_name("libheddle_native.so");
    std::fs::copy(library, shared.join("libheddle_native.so")).expect("the folder is writable");
    let precious = shared.join("precious");
    std::fs::write(&precious, "precious").expect("the folder is writable");
    harness::succeed(Command::new("chmod").arg("755").arg(&shared));
    harness::succeed(Command::new("chmod").arg("600").arg(&precious));
    harness::succeed(Command::new("chmod").arg("4755").arg(&installed));
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--clear-groups", "--"])
        .arg(&installed)
        .current_dir(&shared);
    command.env(
        "HEDDLE_OPTIONS",
        format!("report={0}:record={0}", precious.display()),
    );
    let output = finished(&mut command);
    assert_eq!(read(&precious), "precious", "{}", all(&output));
    let _ = (std::fs::remove_dir_all(&shared), dir);
}

#[test]
fn builds_that_share_a_temporary_folder_do_not_meet() {
    // Two compilers with one process number, as in two containers: each has a folder of its own.
    let dir = scratch("file-builds");
    let temporary = dir.join("temporary");
    std::fs::create_dir(&temporary).expect("the folder is writable");
    let children: Vec<_> = (0..6)
        .map(|number| {
            let source = dir.join(format!("{number}.c"));
            std::fs::write(&source, format!("int main(void) {{ return {number}; }}\n"))
                .expect("it is writable");
            let mut command = Command::new("unshare");
            command.args(["--pid", "--fork", "--"]).arg(harness::tool());
            command
                .args(["cc", "-O1", "-o"])
                .arg(dir.join(number.to_string()))
                .arg(source);
            command.env("TMPDIR", &temporary);
            command.spawn().expect("it starts")
        })
        .collect();
    for mut child in children {
        // Without the right to have process numbers of its own, it does not start; then there is nothing to see.
        let _ = child.wait();
    }
    for number in 0..6 {
        let program = dir.join(number.to_string());
        if program.is_file() {
            let output = finished(Command::new(program).env("HEDDLE_OPTIONS", "quiet=1"));
            assert_eq!(output.status.code(), Some(number), "{}", all(&output));
        }
    }
}
