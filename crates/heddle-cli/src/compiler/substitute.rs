//! What a link needs besides the user's files.
//!
//! For every executable, the common path of the checker's hooks: in the executable itself it is reached by
//! a direct call, which costs half as much as one into a library. It lies in a folder that exists only as long
//! as the compiler runs.
//!
//! For GCC, two libraries that take the place of others. Its driver links libraries of its own accord: its
//! ThreadSanitizer wherever sources are compiled and linked in one go, its OpenMP runtime wherever
//! `-fopenmp` is given. Both must give way, the first to the checker, the second to LLVM's libomp, which
//! has the same entry points and tells a tool what it does. So the linker is shown the folder before
//! all others: `libtsan` is empty there and `libgomp` refers to libomp. Build systems ask the compiler
//! where it looks for libraries and keep the answer (CMake does), so this folder stays: it is in the user's
//! cache.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::choice::{Compiler, answer};
use crate::scratch::Scratch;
use crate::search;

/// The common path of the checker's hooks.
const HOOKS: &str = include_str!("../../../heddle-native/hooks/hooks.s");

/// `main` for programs of event-driven tasks that have none.
const START: &str = include_str!("../../../heddle-native/hooks/ocr.s");

/// The folder of the hooks, which is removed when dropped, and that of the libraries.
pub struct Substitutes {
    scratch: Scratch,
    libraries: Option<PathBuf>,
}

impl Substitutes {
    /// Makes the folder.
    pub fn new() -> io::Result<Self> {
        let made = Self {
            scratch: Scratch::new("heddle-cc")?,
            libraries: None,
        };
        fs::write(made.hooks(), HOOKS)?;
        fs::write(made.start(), START)?;
        Ok(made)
    }

    /// Adds libraries in place of GCC's own: in the user's cache, or beside the hooks if there is none.
    pub fn for_gcc(mut self, libomp: Option<&Path>) -> io::Result<Self> {
        let cached = cache().map(|cache| lasting(&cache, libomp));
        let placed = cached.filter(|dir| place(dir, libomp).is_ok());
        self.libraries = Some(match placed {
            Some(dir) => dir,
            None => {
                place(self.scratch.dir(), libomp)?;
                self.scratch.dir().into()
            }
        });
        Ok(self)
    }

    /// The source of the hooks.
    pub fn hooks(&self) -> PathBuf {
        self.scratch.dir().join("hooks.s")
    }

    /// The source of `main` for programs of event-driven tasks.
    pub fn start(&self) -> PathBuf {
        self.scratch.dir().join("ocr.s")
    }

    /// Where libraries are that take the place of others.
    pub fn libraries(&self) -> Option<&Path> {
        self.libraries.as_deref()
    }
}

/// The user's folder for files that can be made again.
fn cache() -> Option<PathBuf> {
    let named = |name| env::var_os(name).map(PathBuf::from);
    let absolute = |name| named(name).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

/// The folder of the substitutes that refer to this libomp: the same in every link.
fn lasting(cache: &Path, libomp: Option<&Path>) -> PathBuf {
    let libomp = libomp.map(|path| path.to_string_lossy().replace(['/', ' '], "-"));
    cache
        .join("heddle")
        .join(format!("gcc{}", libomp.unwrap_or_default()))
}

/// Puts the substitutes into a folder. Another compiler may be reading them at this moment, so what is
/// there already stays.
fn place(dir: &Path, libomp: Option<&Path>) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let gomp = libomp.map(|libomp| format!("INPUT ( \"{}\" )\n", libomp.display()));
    let tsan = "/* The checker is linked instead. */\n".to_owned();
    let files = [("libtsan.so", Some(tsan)), ("libgomp.so", gomp)];
    for (name, text) in files {
        let Some(text) = text else { continue };
        let path = dir.join(name);
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            continue;
        }
        let beside = dir.join(format!("{name}.{}", std::process::id()));
        fs::write(&beside, text)?;
        fs::rename(beside, path)?;
    }
    Ok(())
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
    fn the_hooks_go_when_they_are_no_longer_needed() {
        let made = Substitutes::new().expect("it can be made");
        let hooks = made.hooks();
        assert!(hooks.is_file() && made.start().is_file());
        drop(made);
        assert!(!hooks.exists());
    }

    #[test]
    fn the_libraries_stay_in_one_folder_for_each_libomp() {
        let scratch = Scratch::new("heddle-test").expect("it can be made");
        let libomp = Some(Path::new("/opt/lib omp/libomp.so"));
        let dir = lasting(scratch.dir(), libomp);
        // Twice: the second finds what the first has made.
        for _ in 0..2 {
            place(&dir, libomp).expect("the folder is writable");
        }
        let script = fs::read_to_string(dir.join("libgomp.so")).expect("it is there");
        assert_eq!(script, "INPUT ( \"/opt/lib omp/libomp.so\" )\n");
        assert!(dir.join("libtsan.so").is_file());
        assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 2);
        assert_ne!(dir, lasting(scratch.dir(), None));
    }
}
