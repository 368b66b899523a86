//! Names under which the command is a compiler.
//!
//! CMake and others want a compiler that is one executable without arguments. A link to the command
//! under one of these names is one, and says which compiler it wraps.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::choice::best_of;
use crate::console::reason;

/// Each name, the command it stands for, and the compiler that this wraps if the name says one.
const NAMES: [(&str, &str, Option<&str>); 6] = [
    ("heddle-cc", "cc", None),
    ("heddle-c++", "c++", None),
    ("heddle-clang", "cc", Some("clang")),
    ("heddle-clang++", "c++", Some("clang")),
    ("heddle-gcc", "cc", Some("gcc")),
    ("heddle-g++", "c++", Some("gcc")),
];

/// The command line with the name of a link spelt out.
pub fn spelt_out(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words.into_iter();
    let Some(first) = words.next() else {
        return Vec::new();
    };
    let name = Path::new(&first).file_name().unwrap_or_default();
    let link = NAMES.iter().find(|(link, ..)| name == *link);
    let mut spelt = vec![first];
    if let Some((_, command, compiler)) = link {
        spelt.push(command.into());
        spelt.extend(compiler.map(|name| format!("--compiler={}", best_of(name)).into()));
    }
    spelt.extend(words);
    spelt
}

/// Makes all the links in `dir`; the lines say what was made, or why not.
pub fn install(dir: &Path) -> Result<String, String> {
    let failed = |error: &io::Error| {
        let why = reason(error);
        format!("cannot make links in {}: {why}", dir.display())
    };
    let command = env::current_exe().map_err(|error| failed(&error))?;
    fs::create_dir_all(dir).map_err(|error| failed(&error))?;
    for (name, ..) in NAMES {
        replace(&command, &dir.join(name)).map_err(|error| failed(&error))?;
    }
    let names = NAMES.map(|(name, ..)| name).join(", ");
    Ok(format!("{}: {names}", dir.display()))
}

/// Only links are replaced: a file of this name is not ours.
fn replace(command: &Path, link: &Path) -> io::Result<()> {
    if link.is_symlink() {
        fs::remove_file(link)?;
    }
    symlink(command, link)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(line: &str) -> String {
        let words = spelt_out(line.split(' ').map(OsString::from));
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn a_link_stands_for_its_command() {
        assert_eq!(
            spelt("/opt/bin/heddle-cc -c a.c"),
            "/opt/bin/heddle-cc cc -c a.c"
        );
        assert_eq!(
            spelt("heddle-g++ a.cc"),
            "heddle-g++ c++ --compiler=gcc a.cc"
        );
    }

    #[test]
    fn other_names_stand_for_nothing() {
        assert_eq!(spelt("heddle cc a.c"), "heddle cc a.c");
        assert_eq!(spelt("/opt/heddle-9 check x"), "/opt/heddle-9 check x");
        assert!(spelt_out([]).is_empty());
    }
}
