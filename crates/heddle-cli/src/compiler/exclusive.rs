//! Whether a program of event-driven tasks asks for exclusive writing anywhere: its data blocks have locks from the start
//! then, not only from the first such dependence on.
//!
//! The mode is an enumerator, so a source that uses it still has its name when it has been preprocessed, whatever
//! macros it came through. A source that writes the mode as a number is not recognised.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::choice::Compiler;
use super::line::event_driven_headers;

/// The mode, and how `ocr.h` defines it.
const MODE: &str = "DB_MODE_EW";
const DEFINITION: &str = " = 0x4";

/// What such a program is compiled with, if it is one.
pub fn words(compiler: &Compiler, include: &Path, given: &[OsString]) -> Vec<OsString> {
    let mut command = Command::new(&compiler.path);
    command
        .args(["-E", "-w"])
        .args(event_driven_headers(include));
    // What is wrong with the source, the compiler will say.
    let output = command.args(without_output(given)).output();
    let is_used = output.is_ok_and(|output| names_mode(&String::from_utf8_lossy(&output.stdout)));
    match is_used {
        true => vec![
            "-include".into(),
            include.join("ocr/extensions/heddle-exclusive.h").into(),
        ],
        false => Vec::new(),
    }
}

/// The user's words without those that say what is made, and where.
fn without_output(given: &[OsString]) -> Vec<&OsString> {
    let mut kept = Vec::new();
    let mut words = given.iter();
    while let Some(word) = words.next() {
        match word.to_string_lossy().as_ref() {
            "-o" | "-MF" | "-MT" | "-MQ" => drop(words.next()),
            "-c" | "-S" | "-MD" | "-MMD" => {}
            text if text.starts_with("-o") => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// Whether a preprocessed source names the mode other than to define it.
fn names_mode(text: &str) -> bool {
    text.match_indices(MODE).any(|(at, _)| {
        let is_part =
            |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let (bytes, end) = (text.as_bytes(), at + MODE.len());
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !is_part(before) && !is_part(bytes.get(end)) && !text[end..].starts_with(DEFINITION)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_and_longer_names_do_not_count() {
        assert!(!names_mode("enum { DB_MODE_EW = 0x4, DB_MODE_RO = 0x8 };"));
        assert!(!names_mode("int MY_DB_MODE_EW, DB_MODE_EWES;"));
        assert!(names_mode("DB_MODE_EW = 0x4 }; f(DB_MODE_EW);"));
    }

    #[test]
    fn nothing_is_written_where_the_program_goes() {
        let given =
            ["-c", "a.c", "-o", "a.o", "-MD", "-MF", "a.d", "-DX", "-ob"].map(OsString::from);
        assert_eq!(without_output(&given), ["a.c", "-DX"]);
    }
}
