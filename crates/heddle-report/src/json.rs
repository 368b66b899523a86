//! The JSON form: one object per checked program.

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

/// A report, or what else has a JSON form, without a line break at its end.
pub fn render(report: &impl Serialize, layout: Layout) -> String {
    let json = match layout {
        Layout::Pretty => serde_json::to_string_pretty(report),
        Layout::Line => serde_json::to_string(report),
    };
    escape(json.expect("a report has only string keys, numbers and strings"))
}

/// JSON leaves DEL, C1 controls and bidirectional controls as they are; they can only stand
/// inside strings, where an escape means the same and is safe on a terminal.
fn escape(json: String) -> String {
    let raw = |c: char| is_harmful(c) && c != '\n';
    if !json.contains(raw) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match raw(c) {
            true => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            false => escaped.push(c),
        }
    }
    escaped
}
