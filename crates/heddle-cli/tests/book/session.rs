//! Runs the commands of a page, in a folder that looks like a clone of the repository.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness;

/// Seconds a command may take: some build the crate.
const PATIENCE: &str = "1800";

/// How readers call the command before it is installed. Here it is built already.
const UNINSTALLED: &str = "cargo run --release -q -p heddle-cli --";

/// How they run an example of the crate. The tests have built it.
const EXAMPLE: &str = "cargo run -q -p heddle --example";

/// A page's commands, one after the other.
pub struct Session {
    /// The repository.
    root: PathBuf,
    /// Where they start.
    clone: PathBuf,
    /// Where the last one left off.
    at: PathBuf,
    /// What stands in front of everything else in PATH.
    bin: PathBuf,
}

/// What a command printed, errors included, and the status it ended with.
pub struct Ended {
    pub printed: String,
    pub status: i32,
}

impl Session {
    /// A new folder with everything the repository has, but for what was built in it. It lies outside of the
    /// repository, where a project that a page makes is one of its own; and it is the same for every
    /// page and in every run, so that cargo builds nothing twice.
    pub fn new(root: &Path) -> Self {
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        let dir = std::env::temp_dir().join(format!("heddle-book-{:x}", hasher.finish()));
        // It is not there at the first run.
        let _ = fs::remove_dir_all(&dir);
        let (clone, bin) = (dir.join("heddle"), dir.join("bin"));
        fs::create_dir_all(&clone).expect("the folder is new");
        fs::create_dir(&bin).expect("the folder is new");
        for entry in fs::read_dir(root).expect("the repository is readable") {
            let entry = entry.expect("the repository is readable");
            let name = entry.file_name();
            if name != "target" && name != ".git" {
                symlink(entry.path(), clone.join(name)).expect("the folder is new");
            }
        }
        harness::succeed(
            harness::heddle()
                .arg("cc")
                .arg(format!("--install-links={}", bin.display())),
        );
        symlink(harness::tool(), bin.join("heddle")).expect("the folder is new");
        Self {
            root: root.into(),
            at: clone.clone(),
            clone,
            bin,
        }
    }

    /// Puts a file where the page's commands look for it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.at.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("the folder is writable");
        }
        assert!(!path.is_symlink(), "{name} is a file of the repository");
        fs::write(path, text).expect("the folder is writable");
    }

    /// Runs a script. It stops at the first command that fails.
    pub fn run(&mut self, script: &str) -> Ended {
        let left_at = self.bin.join("left-at");
        let example = format!(
            "cargo run -q --manifest-path {} --target-dir {} -p heddle --example",
            self.root.join("Cargo.toml").display(),
            self.root.join("target").display()
        );
        let script = script
            .replace(UNINSTALLED, "heddle")
            .replace(EXAMPLE, &example);
        let script = format!("trap 'pwd > {}' EXIT\nset -e\n{script}", left_at.display());
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("timeout");
        shell
            .args(["-k", "2", PATIENCE, "sh", "-c", "exec 2>&1; eval \"$0\""])
            .arg(script)
            .current_dir(&self.at)
            .stdin(Stdio::null())
            .env("PATH", format!("{}:{path}", self.bin.display()))
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            // Reports say how many threads there were.
            .env("OMP_NUM_THREADS", "2")
            // What a page builds with cargo is built once for all.
            .env("CARGO_TARGET_DIR", harness::build_folder().join("book"))
            .env("CARGO_NET_OFFLINE", "true");
        for name in ["HEDDLE_OPTIONS", "HEDDLE_CC", "HEDDLE_CXX"] {
            shell.env_remove(name);
        }
        let output = harness::finished(&mut shell);
        if let Ok(left_at) = fs::read_to_string(&left_at) {
            self.at = left_at.trim_end().into();
        }
        let clone = format!("{}/", self.clone.display());
        Ended {
            printed: harness::text(&output.stdout).replace(&clone, ""),
            status: output.status.code().unwrap_or(-1),
        }
    }
}
