//! Puts back what gcc loses of a source when it resolves `#include`s alone (`-fdirectives-only`).
//!
//! `#pragma push_macro` and `pop_macro` are carried out and become space, so that the definitions between them would stay.
//! `#pragma message` and `redefine_extname` are left out with their line, so that all lines behind them would be one less.
//! The files themselves have what is missing. OpenMP's pragmas would be lost in the second way, all of them, so gcc is
//! not told of OpenMP in that step.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::super::menier::marker::Marker;

/// What is left of a pragma that was carried out.
const BLANK: &[u8] = b"       ";

/// The resolved text as its files have it.
pub fn restored(text: &[u8], dir: &Path) -> Vec<u8> {
    let mut files = Files::default();
    let mut written = Vec::with_capacity(text.len());
    let (mut lines, mut next) = (Rc::default(), 0);
    for line in text.split_inclusive(|letter| *letter == b'\n') {
        if let Some(marker) = Marker::read(line) {
            next = marker.line.saturating_sub(1);
            lines = marker
                .name()
                .map_or(lines, |name| files.lines(dir.join(name)));
            written.extend(line);
            continue;
        }
        let content = line.trim_ascii_end();
        let original = |at: usize| lines.get(at).map(Vec::as_slice);
        if !content.is_empty()
            && original(next) != Some(content)
            && original(next + 1) == Some(content)
        {
            written.extend(
                original(next)
                    .filter(|line| is_pragma(line, &LEFT_OUT))
                    .unwrap_or(b""),
            );
            written.push(b'\n');
            next += 1;
        }
        match original(next).filter(|line| is_pragma(line, &CARRIED_OUT)) {
            Some(pragma) if line.strip_suffix(b"\n") == Some(BLANK) => {
                written.extend(pragma);
                written.push(b'\n');
            }
            _ => written.extend(line),
        }
        next += 1;
    }
    written
}

const CARRIED_OUT: [&[u8]; 2] = [b"push_macro", b"pop_macro"];
const LEFT_OUT: [&[u8]; 2] = [b"message", b"redefine_extname"];

fn is_pragma(line: &[u8], words: &[&[u8]]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"#");
    let rest = rest.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"pragma"));
    rest.is_some_and(|rest| {
        let rest = rest.trim_ascii_start();
        words.iter().any(|word| rest.starts_with(word))
    })
}

/// The lines of files, read once each; none of one that cannot be read.
#[derive(Default)]
struct Files {
    lines: HashMap<PathBuf, Rc<Vec<Vec<u8>>>>,
}

impl Files {
    fn lines(&mut self, path: PathBuf) -> Rc<Vec<Vec<u8>>> {
        let lines = self.lines.entry(path).or_insert_with_key(|path| {
            let text = std::fs::read(path).unwrap_or_default();
            let lines = text.split(|letter| *letter == b'\n');
            Rc::new(lines.map(|line| line.trim_ascii_end().to_vec()).collect())
        });
        Rc::clone(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_pragmas_and_lines_come_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let source = "#pragma push_macro(\"A\")\n#pragma message \"m\"\nint a;\n#ifdef B\n\
                      #pragma pop_macro(\"A\")\n#endif\nint b;\n";
        std::fs::write(dir.path().join("a.c"), source).expect("a file");
        let resolved = "# 1 \"a.c\"\n       \nint a;\n\n\n\nint b;\n";
        let text = restored(resolved.as_bytes(), dir.path());
        let expected =
            "# 1 \"a.c\"\n#pragma push_macro(\"A\")\n#pragma message \"m\"\nint a;\n\n\n\nint b;\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }
}
