//! Whether documents are what a JSON Schema says, by an independent implementation of those.

use std::io::Write;
use std::path::Path;
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
for number, line in enumerate(sys.stdin, 1):
    document = json.loads(line)
    for error in validator.iter_errors(document):
        print(document.get("program", number), error.json_path, error.message, file=sys.stderr)
        wrong += 1
sys.exit(1 if wrong else 0)
"#;

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Whether the documents, one in each line, are as the schema says; what is wrong otherwise.
pub fn validated(schema: &str, lines: &[u8]) -> Result<(), String> {
    let mut python = Command::new("/usr/bin/python3");
    python.args(["-c", VALIDATE]).arg(root().join(schema));
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
