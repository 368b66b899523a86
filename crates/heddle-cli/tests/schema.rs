//! What `--format json` prints is what `docs/report.schema.json` says, over all examples.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VALIDATE: &str = r#"
import json, sys
try:
    from jsonschema import Draft202012Validator as Validator
except ImportError:
    sys.exit("python3-jsonschema is missing: cargo xtask setup installs it")
schema = json.load(open(sys.argv[1]))
Validator.check_schema(schema)
validator = Validator(schema)
wrong = 0
for line in sys.stdin:
    for error in validator.iter_errors(json.loads(line)):
        print(json.loads(line)["program"], error.json_path, error.message, file=sys.stderr)
        wrong += 1
sys.exit(1 if wrong else 0)
"#;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples")).expect("there are examples");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ext| ext == "task"))
        .collect();
    paths.sort();
    paths
}

/// One JSON object per line.
fn printed(words: &[&str], files: &[PathBuf]) -> Vec<u8> {
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let mut command = Command::new(heddle);
    command.args(words).args(["--format", "json"]).args(files);
    let output = command.output().expect("heddle can be started");
    assert!(!output.stdout.is_empty(), "{words:?} says something");
    output.stdout
}

/// Whether the lines are as the schema says; what is wrong otherwise.
fn validated(lines: &[u8]) -> Result<(), String> {
    let mut python = Command::new("/usr/bin/python3");
    python.args(["-c", VALIDATE]);
    python.arg(root().join("docs/report.schema.json"));
    python.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut python = python.spawn().expect("python3 is installed");
    let mut stdin = python.stdin.take().expect("it is piped");
    stdin.write_all(lines).expect("it reads all");
    drop(stdin);
    let output = python.wait_with_output().expect("it ends");
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn checks_print_what_the_schema_says() {
    let printed = printed(&["check", "--stats"], &examples());
    assert_eq!(validated(&printed), Ok(()));
}

#[test]
fn explorations_print_what_the_schema_says() {
    let printed = printed(&["explore", "--max-schedules", "20"], &examples());
    assert_eq!(validated(&printed), Ok(()));
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    for line in [
        "{}\n",
        "{\"schema\":2,\"program\":\"p\",\"verdict\":\"clean\",\"guarantee\":\"g\",\"findings\":[]}\n",
        "{\"schema\":1,\"program\":\"p\",\"verdict\":\"clean\",\"guarantee\":\"g\",\"findings\":[{}]}\n",
    ] {
        assert!(validated(line.as_bytes()).is_err(), "{line}");
    }
}
