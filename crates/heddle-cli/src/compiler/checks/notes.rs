//! What is attached to instructions: places in the source, and what is said of loops.

use std::collections::{HashMap, HashSet};

/// A module's numbered notes, as far as they matter here.
pub struct Notes<'a> {
    places: HashMap<&'a str, Place<'a>>,
    /// Loops that are not worth unrolling: what is left of others, after a few iterations over.
    short: HashSet<&'a str>,
}

/// Line, column, and where the function it is in was put in line.
pub type Place<'a> = [&'a str; 3];

impl<'a> Notes<'a> {
    /// Those of a module.
    pub fn of(code: &'a str) -> Self {
        let numbered = code.lines().filter(|line| line.starts_with('!'));
        let numbered: Vec<_> = numbered.filter_map(|line| line.split_once(" = ")).collect();
        let marks = numbered.iter();
        let marks = marks.filter(|(_, note)| note.contains("!\"llvm.loop.unroll.disable\""));
        let marks: Vec<&str> = marks.map(|(name, _)| *name).collect();
        let is_short = |note: &str| {
            let mut names = note.split(['{', ',', '}', ' ']);
            note.starts_with("distinct !{") && names.any(|name| marks.contains(&name))
        };
        let notes = numbered.iter();
        Self {
            short: notes
                .clone()
                .filter_map(|(name, note)| is_short(note).then_some(*name))
                .collect(),
            places: notes
                .filter_map(|(name, note)| Some((*name, place(note)?)))
                .collect(),
        }
    }

    /// The place of the source that a line is attached to.
    pub fn place(&self, line: &str) -> Option<Place<'a>> {
        self.places.get(attached(line, "!dbg ")?).copied()
    }

    /// Whether a loop that ends in this line has few iterations.
    pub fn is_short(&self, line: &str) -> bool {
        attached(line, "!llvm.loop ").is_some_and(|name| self.short.contains(name))
    }
}

fn attached<'l>(line: &'l str, what: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(what)?;
    rest.split([',', ' ']).next()
}

fn place(note: &str) -> Option<Place<'_>> {
    let (_, fields) = note.split_once("!DILocation(")?;
    let of = |name: &str| {
        let mut all = fields.trim_end_matches(')').split(", ");
        all.find_map(|field| field.strip_prefix(name)).unwrap_or("")
    };
    Some([of("line: "), of("column: "), of("inlinedAt: ")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_found_by_number() {
        let notes = Notes::of(
            "!5 = !DILocation(line: 7, column: 3, scope: !2, inlinedAt: !4)\n\
             !6 = distinct !{!6, !7, !8}\n!8 = !{!\"llvm.loop.unroll.disable\"}\n\
             !9 = distinct !{!9, !7}\n",
        );
        assert_eq!(
            notes.place("  call void @f(), !dbg !5, !tbaa !1"),
            Some(["7", "3", "!4"])
        );
        assert_eq!(notes.place("  call void @f(), !dbg !7"), None);
        assert!(notes.is_short("  br i1 %1, label %2, label %3, !dbg !5, !llvm.loop !6"));
        assert!(!notes.is_short("  br i1 %1, label %2, label %3, !llvm.loop !9"));
    }
}
