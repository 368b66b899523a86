//! What the tests that build and run native programs share: the tools under test, made first, and a
//! folder of their own for what is built with them.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// How long a program may run before it counts as stuck, in seconds.
const PATIENCE: &str = "60";

/// The `heddle` command, ready to get its arguments.
pub fn heddle() -> Command {
    let mut command = Command::new(tool());
    // What a developer has set must not decide a test.
    for name in [
        "HEDDLE_OPTIONS",
        "HEDDLE_CC",
        "HEDDLE_CXX",
        "OMP_NUM_THREADS",
    ] {
        command.env_remove(name);
    }
    command
}

/// The path of the `heddle` command.
pub fn tool() -> &'static Path {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    TOOL.get_or_init(|| {
        let folder = build_folder();
        build(&folder);
        folder.join("heddle")
    })
}

/// A new, empty folder for one test.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is not there at the first run.
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the build folder is writable");
    dir
}

/// `heddle run` with these words, ended by force if it takes too long.
pub fn run(words: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["-k", "2", PATIENCE])
        .arg(tool())
        .arg("run")
        .args(words);
    // Cargo's search path must not find for a program what it would not find by itself.
    for name in ["HEDDLE_OPTIONS", "OMP_NUM_THREADS", "LD_LIBRARY_PATH"] {
        command.env_remove(name);
    }
    // Idle threads that spin would steal the few cores there are.
    command.env("OMP_WAIT_POLICY", "passive");
    command
}

/// Compiles a C program given as text; the path of the executable.
pub fn compiled(dir: &Path, name: &str, flags: &[&str], text: &str) -> PathBuf {
    let (source, program) = (dir.join(format!("{name}.c")), dir.join(name));
    std::fs::write(&source, text).expect("the folder is writable");
    let mut command = heddle();
    command
        .arg("cc")
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&program);
    succeed(&mut command);
    program
}

/// Runs a command that must succeed; what it printed.
pub fn succeed(command: &mut Command) -> String {
    let output = finished(command);
    assert!(output.status.success(), "{command:?}: {}", all(&output));
    text(&output.stdout)
}

/// Runs a command to its end.
pub fn finished(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything a command printed.
pub fn all(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// The JSON report in a file.
pub fn report(path: &Path) -> Result<Value, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("no report: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("the report is not JSON: {error}"))
}

/// The folder this test was built into.
pub fn build_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.ancestors().nth(2);
    folder
        .expect("tests are built into target/<profile>/deps")
        .into()
}

/// Makes command and library, so that what is tested is what the sources say. Whoever has made them says so.
fn build(folder: &Path) {
    if std::env::var_os("HEDDLE_IS_BUILT").is_some() {
        return;
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--quiet",
        "--package",
        "heddle-cli",
        "--package",
        "heddle-native",
    ]);
    if folder.file_name() == Some(OsStr::new("release")) {
        cargo.arg("--release");
    }
    cargo.arg("--target-dir").args(folder.parent());
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    succeed(&mut cargo);
}
