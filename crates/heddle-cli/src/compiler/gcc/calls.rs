//! Ménier's rule for calls, put into the assembly text of code that gcc has not optimised.
//!
//! Of a function that is always inlined there is no call: debug information says where its instructions begin and end.

use std::collections::HashMap;

use super::super::cuts::is_silent;
use super::assembly::Line;
use super::ranges::{End, Text};

/// A cut wherever it stands: no register changes, and no flag.
const CUT: &str = "\tpushfq\n\tcall\t*heddle_cut_anywhere@GOTPCREL(%rip)\n\tpopfq\n";

/// The text with cuts put in.
pub fn inserted(code: &str) -> String {
    let inlined = Inlined::read(code);
    let mut text = String::with_capacity(code.len() * 2);
    let mut is_own = false;
    for (number, line) in code.lines().enumerate() {
        match line {
            "#APP" => is_own = true,
            "#NO_APP" => is_own = false,
            _ => {}
        }
        let said = if is_own {
            Line::Other
        } else {
            Line::read(line)
        };
        let calls = matches!(said, Line::Call(name) if !name.is_some_and(is_silent));
        let label = line.strip_suffix(':').unwrap_or_default();
        if let Some(place) = inlined.ends.get(label) {
            text += place;
        }
        if calls || inlined.ends.contains_key(label) {
            text += CUT;
        }
        text += line;
        text.push('\n');
        let start = inlined.starts.get(label);
        let behind = start.or_else(|| inlined.behind.get(&number));
        if let Some(place) = behind {
            text += place;
        }
        if calls || behind.is_some() {
            text += CUT;
        }
    }
    text
}

/// The labels where functions begin and end that are always inlined, each with the place of its call.
#[derive(Default)]
struct Inlined<'a> {
    starts: HashMap<&'a str, String>,
    ends: HashMap<&'a str, String>,
    /// Lines behind which one in several pieces ends.
    behind: HashMap<usize, String>,
}

impl<'a> Inlined<'a> {
    fn read(code: &'a str) -> Self {
        let entries = entries(code);
        let text = Text::new(code);
        let mut found = Self::default();
        for entry in entries.values().filter(|entry| entry.is_inlined) {
            let is_call = !name(&entries, entry).is_some_and(is_silent);
            let Some(start) = entry.start.filter(|_| is_call) else {
                continue;
            };
            let ends = match (entry.end, entry.ranges) {
                (Some(end), _) => vec![End::Label(end)],
                (None, Some(list)) => text.ends(list),
                (None, None) => Vec::new(),
            };
            if !ends.is_empty() {
                found.starts.insert(start, entry.place());
            }
            for end in ends {
                found.add_end(end, entry.place());
            }
        }
        found
    }

    fn add_end(&mut self, end: End<'a>, place: String) {
        match end {
            End::Label(label) => _ = self.ends.insert(label, place),
            End::Behind(line) => _ = self.behind.insert(line, place),
        }
    }
}

/// An entry of debug information.
#[derive(Default)]
struct Entry<'a> {
    is_inlined: bool,
    start: Option<&'a str>,
    end: Option<&'a str>,
    /// The list of its pieces, if there are several.
    ranges: Option<&'a str>,
    /// The mangled name, else the plain one.
    name: Option<&'a str>,
    /// The entry that says more.
    of: Option<&'a str>,
    /// The number of the file, the line and the column of the call.
    call: [Option<u32>; 3],
}

/// The entries by their number (`0x8f`), as `-dA` comments them.
fn entries(code: &str) -> HashMap<&str, Entry<'_>> {
    let mut entries = HashMap::new();
    let mut current = None;
    for line in code.lines() {
        let Some((value, comment)) = line.split_once("\t# ") else {
            continue;
        };
        if let Some((number, tag)) = comment
            .strip_prefix("(DIE (")
            .and_then(|rest| rest.split_once(") "))
        {
            current = Some(number);
            let is_inlined = tag == "DW_TAG_inlined_subroutine)";
            entries.insert(
                number,
                Entry {
                    is_inlined,
                    ..Entry::default()
                },
            );
            continue;
        }
        let value = value.trim().split_once('\t').map_or("", |(_, value)| value);
        if let Some(entry) = current.and_then(|number| entries.get_mut(number)) {
            entry.add(value, comment);
        }
    }
    entries
}

impl<'a> Entry<'a> {
    fn add(&mut self, value: &'a str, comment: &'a str) {
        let quoted = comment.split('"').nth(1);
        match comment.split(':').next().unwrap_or_default() {
            "DW_AT_low_pc" | "DW_AT_entry_pc" => self.start = Some(value),
            "DW_AT_high_pc" => self.end = value.split('-').next(),
            "DW_AT_ranges" => self.ranges = Some(value),
            "DW_AT_linkage_name" => self.name = quoted,
            "DW_AT_name" => self.name = self.name.or(quoted),
            "DW_AT_abstract_origin" | "DW_AT_specification" => self.of = Some(value),
            _ => self.add_call(value, comment),
        }
    }

    fn add_call(&mut self, value: &str, comment: &str) {
        let (key, note) = comment.split_once(" (").unwrap_or((comment, ""));
        let keys = ["DW_AT_call_file", "DW_AT_call_line", "DW_AT_call_column"];
        if let Some(at) = keys.iter().position(|known| *known == key) {
            // What all entries have in common is in the comment alone.
            let note = note.split([',', ')']).next().unwrap_or_default();
            self.call[at] = number(value).or_else(|| number(note));
        }
    }

    /// What gives the following instructions the place of the call.
    fn place(&self) -> String {
        match self.call {
            [Some(file), Some(line), Some(column)] => format!("\t.loc {file} {line} {column}\n"),
            _ => String::new(),
        }
    }
}

/// A number as assembly text has it, `0x1f` or `31`.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The name of the function that an entry is about.
fn name<'a>(entries: &HashMap<&str, Entry<'a>>, entry: &Entry<'a>) -> Option<&'a str> {
    let next = |entry: &&Entry<'a>| entries.get(entry.of?);
    let mut all = std::iter::successors(Some(entry), next).take(4);
    all.find_map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with the rule's cuts, each as `cut`.
    fn cut(text: &str) -> Vec<String> {
        let text = inserted(text).replace(CUT, "cut\n");
        let lines = text.lines().map(|line| line.trim().replace('\t', " "));
        lines.filter(|line| !line.starts_with('#')).collect()
    }

    #[test]
    fn calls_are_cut_before_and_after() {
        let text = "\tcall\t*f@GOTPCREL(%rip)\n\tcall\t*%rdx\n";
        let calls = [
            "cut",
            "call *f@GOTPCREL(%rip)",
            "cut",
            "cut",
            "call *%rdx",
            "cut",
        ];
        assert_eq!(cut(text), calls);
        for silent in [
            "GOMP_task",
            "memcpy",
            "_ZNSt6vectorIiSaIiEEixEm",
            "__tsan_read4",
            "heddle_cut_by_rule",
        ] {
            let text = format!("call {silent}");
            assert_eq!(cut(&format!("\tcall\t{silent}\n")), [text]);
        }
        let own = "#APP\n\tcall\tf\n#NO_APP\n";
        assert_eq!(cut(own), ["call f"]);
    }

    #[test]
    fn functions_that_are_always_inlined_are_cut_around() {
        let body = ".LBB10:\n\tnop\n.LBE10:\n.LBB12:\n\tnop\n.LBE12:\n";
        let inlined = |number: &str, of: &str, at: &str| {
            format!(
                "\t.uleb128 0x2\t# (DIE ({number}) DW_TAG_inlined_subroutine)\n\
                 \t.long\t{of}\t# DW_AT_abstract_origin\n\t.quad\t.LBB{at}\t# DW_AT_low_pc\n\
                 \t.quad\t.LBE{at}-.LBB{at}\t# DW_AT_high_pc\n\t\t\t# DW_AT_call_file (1, a.c)\n\
                 \t.byte\t0x1f\t# DW_AT_call_line\n\t.byte\t0x3\t# DW_AT_call_column\n"
            )
        };
        let named = |number: &str, name: &str| {
            format!(
                "\t.uleb128 0x3\t# (DIE ({number}) DW_TAG_subprogram)\n\
                 \t.long\t.LASF1\t# DW_AT_linkage_name: \"{name}\"\n\
                 \t.ascii \"m\\0\"\t# DW_AT_name: \"m\"\n"
            )
        };
        let debug = [
            inlined("0x8f", "0x134", "10"),
            inlined("0xb3", "0x11d", "12"),
            named("0x134", "_Z4bumpi"),
            named("0x11d", "_ZSt4movei"),
        ];
        let text = cut(&format!("{body}{}", debug.concat()));
        let place = ".loc 1 31 3";
        let expected = [
            ".LBB10:", place, "cut", "nop", place, "cut", ".LBE10:", ".LBB12:", "nop", ".LBE12:",
        ];
        assert_eq!(text[..10], expected);
    }
}
