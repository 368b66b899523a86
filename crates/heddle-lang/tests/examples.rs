//! Every example program compiles, says what must be found in it, and says so in order.

use heddle_lang::{compile, expectations};
use std::fs;
use std::path::{Path, PathBuf};

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = fs::read_dir(folder).expect("the folder of examples");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "task")
        })
        .collect()
}

#[test]
fn every_example_compiles() {
    let paths = examples();
    assert!(paths.len() >= 28, "only {} examples found", paths.len());
    for path in paths {
        let source = fs::read_to_string(&path).expect("text");
        let result = compile("example", &source);
        assert!(result.is_ok(), "{}: {:?}", path.display(), result.err());
    }
}

#[test]
fn every_example_states_what_a_run_must_find() {
    for path in examples() {
        let source = fs::read_to_string(&path).expect("text");
        let stated = expectations(&source).expect("well-formed expectations");
        assert!(stated.check.is_some(), "{}", path.display());
    }
}
