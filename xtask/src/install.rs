//! `cargo xtask install [--prefix DIR]`: Heddle outside of this repository.
//!
//! The command looks for the checker's library in `../lib` and for its headers in `../include`, as seen from
//! its own folder; so the three are put into `bin`, `lib` and `include` of one folder. What is there already may
//! be in use: each file is written beside its place and moved there.

use crate::command::{cargo, program, root, step};
use crate::failure::Failure;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// What is installed of what was built, and where below the prefix.
const BUILT: &[(&str, &str)] = &[("heddle", "bin"), ("libheddle_native.so", "lib")];

/// The headers in this repository.
const HEADERS: &str = "crates/heddle-native/include";

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    let prefix = prefix(rest)?;
    let mut build = cargo(["build", "--release", "--package", "heddle-cli"]);
    step("release", build.args(["--package", "heddle-native"]))?;
    place(&build_folder()?, &root(), &prefix)?;
    let bin = prefix.join("bin");
    let heddle = bin.join("heddle");
    let mut links = program(&heddle.to_string_lossy());
    let option = format!("--install-links={}", bin.display());
    step("links for CMake", links.args(["cc", &option]))?;
    manual(&heddle, &prefix.join("share/man/man1"))?;
    eprintln!("installed: {}", heddle.display());
    Ok(())
}

/// Writes the manual pages, which the command makes: its own, and one for each of its commands.
fn manual(heddle: &Path, dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir).map_err(|error| failed(dir, &error))?;
    let own = ("heddle.1".to_owned(), None);
    let commands = commands(&said(heddle, &["--help"])?);
    let pages = commands
        .into_iter()
        .map(|name| (format!("heddle-{name}.1"), Some(name)));
    for (file, command) in std::iter::once(own).chain(pages) {
        let path = dir.join(file);
        let words: Vec<&str> = ["man"].into_iter().chain(command.as_deref()).collect();
        fs::write(&path, said(heddle, &words)?).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

/// What the command prints.
fn said(heddle: &Path, words: &[&str]) -> Result<String, Failure> {
    let mut command = program(&heddle.to_string_lossy());
    let output = command.args(words).output();
    let output = output.map_err(|error| failed(heddle, &error))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let what = format!("{} {} fails", heddle.display(), words.join(" "));
            Err(Failure::Step(what))
        }
    }
}

/// The commands that the help lists, but for itself.
fn commands(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // What is longer than a line goes on further to the right.
    let names = lines.filter_map(|line| {
        let line = line.strip_prefix("  ")?;
        let name = line.split(' ').next()?;
        (!name.is_empty() && name != "help").then(|| name.to_owned())
    });
    names.collect()
}

/// The folder that is asked for, else `~/.local`.
fn prefix(rest: &[String]) -> Result<PathBuf, Failure> {
    let given = match rest {
        [] => None,
        [option, dir] if option == "--prefix" => Some(PathBuf::from(dir)),
        _ => {
            let message = "`install` takes only `--prefix DIR`";
            return Err(Failure::Usage(message.into()));
        }
    };
    let own = || Some(PathBuf::from(env::var_os("HOME")?).join(".local"));
    let prefix = given
        .or_else(own)
        .ok_or_else(|| Failure::Usage("there is no HOME: say where with `--prefix DIR`".into()))?;
    std::path::absolute(&prefix).map_err(|error| failed(&prefix, &error))
}

/// Where `cargo build --release` puts what it makes: this program lies in the folder beside.
fn build_folder() -> Result<PathBuf, Failure> {
    let own = env::current_exe().map_err(|error| failed(Path::new("xtask"), &error))?;
    let target = own.ancestors().nth(2).unwrap_or(Path::new("target"));
    Ok(target.join("release"))
}

fn place(build: &Path, sources: &Path, prefix: &Path) -> Result<(), Failure> {
    for (file, to) in BUILT {
        let from = build.join(file);
        copy(&from, &prefix.join(to)).map_err(|error| failed(&from, &error))?;
    }
    headers(&sources.join(HEADERS), &prefix.join("include"))
}

/// Copies a folder of headers, and those in it.
fn headers(from: &Path, to: &Path) -> Result<(), Failure> {
    let unreadable = |error| failed(from, &error);
    for entry in from.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        match path.is_dir() {
            true => headers(&path, &to.join(path.file_name().unwrap_or_default()))?,
            false => copy(&path, to).map_err(|error| failed(&path, &error))?,
        }
    }
    Ok(())
}

fn copy(from: &Path, dir: &Path) -> std::io::Result<()> {
    let name = from.file_name().unwrap_or_default();
    let mut beside = name.to_owned();
    beside.push(format!(".new-{}", std::process::id()));
    fs::create_dir_all(dir)?;
    fs::copy(from, dir.join(&beside))?;
    fs::rename(dir.join(&beside), dir.join(name))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Step(format!("cannot install {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn only_a_prefix_is_taken() {
        let given = prefix(&words(&["--prefix", "/opt/heddle"])).expect("it is right");
        assert_eq!(given, Path::new("/opt/heddle"));
        for wrong in [&["--prefix"][..], &["/opt"], &["--prefix", "/opt", "x"]] {
            assert!(matches!(prefix(&words(wrong)), Err(Failure::Usage(_))));
        }
    }

    #[test]
    fn command_library_and_headers_are_put_where_the_command_looks() {
        let dir = env::temp_dir().join(format!("xtask-install-{}", std::process::id()));
        let (build, prefix) = (dir.join("release"), dir.join("prefix"));
        fs::create_dir_all(&build).expect("the folder is writable");
        for name in ["heddle", "libheddle_native.so"] {
            fs::write(build.join(name), name).expect("the folder is writable");
        }
        // Twice: what is there is replaced.
        for _ in 0..2 {
            place(&build, &root(), &prefix).expect("all parts are there");
        }
        for file in [
            "bin/heddle",
            "lib/libheddle_native.so",
            "include/heddle.hpp",
            "include/heddle/bits/basic_string.tcc",
            "include/heddle/ext/atomicity.h",
            "include/ocr/ocr.h",
            "include/ocr/extensions/ocr-legacy.h",
        ] {
            assert!(prefix.join(file).is_file(), "{file}");
        }
        let left: Vec<_> = fs::read_dir(prefix.join("bin"))
            .expect("it is there")
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
        fs::remove_dir_all(&dir).expect("it was just made");
    }

    #[test]
    fn every_command_of_the_help_gets_a_manual_page() {
        let help = "Does it.\n\nCommands:\n  check  Check\n         more\n  c++    Compile\n  help   Help\n\nOptions:\n  -h\n";
        assert_eq!(commands(help), ["check", "c++"]);
    }

    #[test]
    fn a_missing_part_is_named() {
        let failure = place(Path::new("/nowhere"), &root(), Path::new("/nowhere")).unwrap_err();
        assert!(failure.to_string().contains("/nowhere/heddle"), "{failure}");
    }
}
