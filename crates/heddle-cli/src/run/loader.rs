//! Would the program start, and would it be checked? The dynamic loader knows both.
//!
//! Asked to list what a program loads, it says which libraries are missing, and whether the checker
//! is among them, also where only a library of the program was built with `heddle cc`. What is no
//! ELF file (a script) is not looked into: it may start programs that are.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, ProgramHeader};

use crate::console::{self, reason};
use crate::installation::LIBRARY;

const GOMP: &str = "loads GCC's libgomp, which tells nothing of its tasks: what runs on it is not \
                    checked; link all of the program with `heddle cc`";

/// Says in one line what is in the way of checking the program.
pub fn examine(program: &Path) -> Result<(), String> {
    let bytes = match std::fs::read(program) {
        Ok(bytes) => bytes,
        // What may be executed need not be readable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => {
            return Err(format!(
                "cannot read {}: {}",
                program.display(),
                reason(&error)
            ));
        }
    };
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(());
    }
    let listed = match interpreter(&bytes) {
        None => String::new(),
        Some(loader) => list(&loader, program).map_err(|error| {
            let shown = program.display();
            format!("cannot find out what {shown} loads: {}", reason(&error))
        })?,
    };
    judge(program, &listed)
}

fn judge(program: &Path, listed: &str) -> Result<(), String> {
    let shown = program.display();
    if !listed.contains(LIBRARY) {
        return Err(format!(
            "{shown} was not built with `heddle cc`: build it again with CC=\"heddle cc\" \
             (C++: CXX=\"heddle c++\")"
        ));
    }
    if listed.contains("libgomp.so") {
        console::say(&format!("heddle run: warning: {shown} {GOMP}"));
    }
    match missing(listed) {
        None => Ok(()),
        Some(name) => Err(format!(
            "{shown} needs {name}, and there is none: {}",
            cure(name)
        )),
    }
}

fn cure(library: &str) -> &'static str {
    match library {
        LIBRARY => "name its folder in LD_LIBRARY_PATH, or build the program again",
        name if name.starts_with("libomp") => "install it (Debian: libomp-22-dev)",
        _ => "install it, or name its folder in LD_LIBRARY_PATH",
    }
}

/// The first library the loader does not find.
fn missing(listed: &str) -> Option<&str> {
    let line = listed.lines().find(|line| line.ends_with("=> not found"))?;
    line.split_whitespace().next()
}

/// What the loader says it would load.
fn list(loader: &Path, program: &Path) -> io::Result<String> {
    // Without a slash the loader would look in its own folders.
    let program = program.canonicalize()?;
    // `--list` would give up at the first library that is missing.
    let mut command = Command::new(loader);
    let output = command
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .arg(program)
        .output();
    Ok(String::from_utf8_lossy(&output?.stdout).into_owned())
}

/// The loader an executable asks for; a static one has none.
fn interpreter(bytes: &[u8]) -> Option<PathBuf> {
    let header = FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, bytes).ok()?;
    let path = segments
        .iter()
        .find_map(|segment| segment.interpreter(endian, bytes).ok()?)?;
    Some(PathBuf::from(std::str::from_utf8(path).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "\tlinux-vdso.so.1 (0x1)\n\
                          \tlibheddle_native.so => /opt/lib/libheddle_native.so (0x2)\n\
                          \tlibomp.so.5 => not found\n";

    #[test]
    fn a_missing_library_is_named_with_its_cure() {
        let message = judge(Path::new("./prog"), LISTED).unwrap_err();
        assert!(
            message.contains("libomp.so.5") && message.contains("libomp-22-dev"),
            "{message}"
        );
    }

    #[test]
    fn a_program_with_everything_it_needs_is_fine() {
        let listed = LISTED.replace("not found", "/lib/libomp.so.5 (0x3)");
        assert_eq!(judge(Path::new("./prog"), &listed), Ok(()));
    }

    #[test]
    fn a_program_of_another_compiler_is_refused() {
        let this = std::env::current_exe().expect("a test has a file");
        let message = examine(&this).unwrap_err();
        assert!(message.contains("not built with `heddle cc`"), "{message}");
    }

    #[test]
    fn a_damaged_executable_is_refused_without_a_panic() {
        let path = std::env::temp_dir().join(format!("heddle-elf-{}", std::process::id()));
        for bytes in [
            &b"\x7fELF"[..],
            &[b"\x7fELF\x02\x01\x01", [0xff; 80].as_slice()].concat(),
        ] {
            std::fs::write(&path, bytes).expect("the folder is writable");
            assert!(examine(&path).is_err());
        }
        std::fs::remove_file(&path).expect("it was just written");
    }

    #[test]
    fn a_script_is_not_looked_into() {
        let path = std::env::temp_dir().join(format!("heddle-script-{}", std::process::id()));
        std::fs::write(&path, "#!/bin/sh\n").expect("the folder is writable");
        assert_eq!(examine(&path), Ok(()));
        std::fs::remove_file(&path).expect("it was just written");
    }
}
