//! The JSON form: one object per checked program.

use std::io::{self, Write};

use serde::Serialize;

use crate::printable::is_harmful;

/// How the object is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// Indented over many lines.
    Pretty,
    /// On one line, for streams of objects.
    Line,
}

/// Writes a report, or what else has a JSON form, and a line break. It is written as it is made:
/// a million findings are never one string.
pub fn write(report: &impl Serialize, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Escaping(out);
    match layout {
        Layout::Pretty => serde_json::to_writer_pretty(&mut out, report)?,
        Layout::Line => serde_json::to_writer(&mut out, report)?,
    }
    out.0.write_all(b"\n")
}

/// JSON leaves DEL, C1 controls and bidirectional controls as they are; they can only stand
/// inside strings, where an escape means the same and is safe on a terminal.
struct Escaping<'a>(&'a mut dyn Write);

impl Write for Escaping<'_> {
    /// The serializer hands over whole pieces of text.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(is_raw) => self.0.write_all(escape(text).as_bytes())?,
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn is_raw(c: char) -> bool {
    is_harmful(c) && c != '\n'
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_raw(c) {
            true => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            false => escaped.push(c),
        }
    }
    escaped
}
