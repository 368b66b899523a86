//! Which compiler is wrapped: the one asked for, else the best that is installed.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::search;

/// The compilers tried if none is named, best first. Clang's reports have columns throughout.
const DEFAULTS: [&str; 3] = ["clang-22", "clang", "gcc"];

/// The language a compiler is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `heddle cc`.
    C,
    /// `heddle c++`.
    Cxx,
}

/// Whose options a compiler takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// LLVM's.
    Clang,
    /// GNU's.
    Gcc,
}

/// A compiler that is there.
#[derive(Debug)]
pub struct Compiler {
    /// Where it is.
    pub path: PathBuf,
    /// Whose options it takes.
    pub family: Family,
}

impl Language {
    /// The command a user typed.
    pub fn command(self) -> &'static str {
        match self {
            Self::C => "heddle cc",
            Self::Cxx => "heddle c++",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Self::C => "HEDDLE_CC",
            Self::Cxx => "HEDDLE_CXX",
        }
    }

    /// This language's twin of a compiler named `name`.
    fn twin(self, name: &OsStr) -> OsString {
        let path = Path::new(name);
        match (self, path.file_name().and_then(OsStr::to_str)) {
            (Self::Cxx, Some(file)) => path.with_file_name(cxx_name(file)).into(),
            _ => name.into(),
        }
    }
}

impl Compiler {
    /// The compiler called `asked`, else the one the environment names, else the best there is.
    pub fn choose(language: Language, asked: Option<&OsStr>) -> Result<Self, String> {
        let named = asked.map(OsStr::to_owned).or_else(|| {
            let named = env::var_os(language.variable());
            named.filter(|name| !name.is_empty())
        });
        match named {
            Some(name) => Self::named(language, &name),
            None => Self::best(language),
        }
    }

    fn named(language: Language, name: &OsStr) -> Result<Self, String> {
        let found = search::program(&language.twin(name));
        found.map(Self::at).ok_or_else(|| {
            let name = language.twin(name);
            let name = name.to_string_lossy();
            format!("there is no compiler `{name}`: install it, or name another with --compiler")
        })
    }

    fn best(language: Language) -> Result<Self, String> {
        let mut names = DEFAULTS.iter().map(|name| language.twin(name.as_ref()));
        let found = names.find_map(|name| search::program(&name));
        found.map(Self::at).ok_or_else(|| NONE.into())
    }

    fn at(path: PathBuf) -> Self {
        Self {
            family: family(&path),
            path,
        }
    }

    /// The first number of its version, if it tells.
    pub fn major_version(&self) -> Option<u32> {
        let text = answer(&self.path, "-dumpversion")?;
        text.trim().split('.').next()?.parse().ok()
    }
}

const NONE: &str = "no compiler found (clang-22, clang or gcc): install one, such as Debian's \
                    clang-22 with libomp-22-dev, or name one with --compiler";

/// The best compiler of this name that is installed: `clang-22` rather than `clang`.
pub fn best_of(name: &'static str) -> &'static str {
    let mut versions = DEFAULTS.iter().filter(|version| version.starts_with(name));
    let installed = versions.find(|version| search::program(version.as_ref()).is_some());
    installed.copied().unwrap_or(name)
}

/// What a compiler prints when asked `question`.
pub fn answer(compiler: &Path, question: &str) -> Option<String> {
    let output = Command::new(compiler).arg(question).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn cxx_name(file: &str) -> String {
    let pairs = [("clang", "clang++"), ("gcc", "g++"), ("cc", "c++")];
    let pair = pairs.iter().find(|(c, _)| file.contains(c));
    match pair {
        Some((c, cxx)) if !file.contains("++") => file.replacen(c, cxx, 1),
        _ => file.into(),
    }
}

fn family(path: &Path) -> Family {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.contains("clang") {
        return Family::Clang;
    }
    if name.contains("gcc") || name.contains("g++") {
        return Family::Gcc;
    }
    // A name such as `cc` says nothing.
    match answer(path, "--version") {
        Some(text) if text.contains("clang") => Family::Clang,
        _ => Family::Gcc,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_compiler_has_its_twin_for_the_other_language() {
        for (c, cxx) in [
            ("clang-22", "clang++-22"),
            ("gcc", "g++"),
            ("gcc-12", "g++-12"),
            ("/opt/llvm/bin/clang", "/opt/llvm/bin/clang++"),
            ("x86_64-linux-gnu-gcc-12", "x86_64-linux-gnu-g++-12"),
            ("cc", "c++"),
            ("g++-12", "g++-12"),
        ] {
            assert_eq!(Language::Cxx.twin(c.as_ref()), cxx);
            assert_eq!(Language::C.twin(c.as_ref()), c);
        }
    }

    #[test]
    fn names_tell_the_family() {
        assert_eq!(family(Path::new("/usr/bin/clang++-22")), Family::Clang);
        assert_eq!(
            family(Path::new("/usr/bin/x86_64-linux-gnu-g++-12")),
            Family::Gcc
        );
    }

    #[test]
    fn a_compiler_that_is_not_there_is_named() {
        let name = OsStr::new("no-such-compiler-here");
        let message = Compiler::choose(Language::C, Some(name)).unwrap_err();
        assert!(message.contains("`no-such-compiler-here`") && !message.contains('\n'));
    }
}
