//! What a link needs besides the user's files, in a folder that exists only as long as the compiler runs.
//!
//! For every executable, the common path of the checker's hooks: in the executable itself it is reached by
//! a direct call, which costs half as much as one into a library.
//!
//! For GCC, two libraries that take the place of others. Its driver links libraries of its own accord: its
//! ThreadSanitizer wherever sources are compiled and linked in one go, its OpenMP runtime wherever
//! `-fopenmp` is given. Both must give way, the first to the checker, the second to LLVM's libomp, which
//! has the same entry points and tells a tool what it does. So the linker is shown the folder before
//! all others: `libtsan` is empty there and `libgomp` refers to libomp.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::choice::{Compiler, answer};
use super::scratch::Scratch;
use crate::search;

/// The common path of the checker's hooks.
const HOOKS: &str = include_str!("../../../heddle-native/hooks/hooks.s");

/// `main` for programs of event-driven tasks that have none.
const START: &str = include_str!("../../../heddle-native/hooks/ocr.s");

/// The folder; removed when dropped.
pub struct Substitutes {
    scratch: Scratch,
}

impl Substitutes {
    /// Makes the folder.
    pub fn new() -> io::Result<Self> {
        let made = Self {
            scratch: Scratch::new("heddle-cc")?,
        };
        fs::write(made.hooks(), HOOKS)?;
        fs::write(made.start(), START)?;
        Ok(made)
    }

    /// Adds libraries in place of GCC's own.
    pub fn for_gcc(self, libomp: Option<&Path>) -> io::Result<Self> {
        let made = self;
        fs::write(
            made.dir().join("libtsan.so"),
            "/* The checker is linked instead. */\n",
        )?;
        if let Some(libomp) = libomp {
            let script = format!("INPUT ( \"{}\" )\n", libomp.display());
            fs::write(made.dir().join("libgomp.so"), script)?;
        }
        Ok(made)
    }

    /// The source of the hooks.
    pub fn hooks(&self) -> PathBuf {
        self.dir().join("hooks.s")
    }

    /// The source of `main` for programs of event-driven tasks.
    pub fn start(&self) -> PathBuf {
        self.dir().join("ocr.s")
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        self.scratch.dir()
    }
}

/// LLVM's OpenMP runtime, as the compilers that are there know it.
pub fn libomp(compiler: &Compiler) -> Option<PathBuf> {
    let others = ["clang-22", "clang"].map(|name| search::program(name.as_ref()));
    let compilers = others.into_iter().flatten().chain([compiler.path.clone()]);
    let mut found = compilers.filter_map(|path| library_of(&path, "libomp.so"));
    found.next().or_else(newest_installed)
}

/// A compiler that does not know a library answers with its bare name.
fn library_of(compiler: &Path, name: &str) -> Option<PathBuf> {
    let text = answer(compiler, &format!("-print-file-name={name}"))?;
    let path = PathBuf::from(text.trim());
    (path.is_absolute() && path.is_file()).then_some(path)
}

/// Where Debian's packages put it, if no compiler knows.
fn newest_installed() -> Option<PathBuf> {
    let versions = (14..=30).rev();
    let paths = versions.map(|version| format!("/usr/lib/llvm-{version}/lib/libomp.so"));
    paths.map(PathBuf::from).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_goes_when_it_is_no_longer_needed() {
        let made =
            Substitutes::new().and_then(|made| made.for_gcc(Some(Path::new("/opt/libomp.so"))));
        let made = made.expect("it can be made");
        let dir = made.dir().to_owned();
        let script = fs::read_to_string(dir.join("libgomp.so")).expect("it is there");
        assert!(script.contains("\"/opt/libomp.so\""));
        assert!(dir.join("libtsan.so").is_file());
        drop(made);
        assert!(!dir.exists());
    }
}
