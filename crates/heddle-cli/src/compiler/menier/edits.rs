//! Insertions into a source text that leave all else at its place.
//!
//! What is put in stands on lines of its own, between line markers that give it the place it belongs to; what stood behind
//! it on its line goes on in its own column. Within a macro's definition or its arguments there can be no line
//! markers; what is put in there moves the columns of what follows, which are the macro's anyway.

use super::super::cuts::CUT;
use super::marker::Marker;
use super::tokens::{Kind, Token};

/// Whether a text begins something or ends it: at one point, what ends comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// It ends what an earlier edit began.
    End,
    /// It begins something, or stands alone.
    Begin,
}

/// A text to be put in.
pub struct Edit {
    /// Before which byte.
    pub at: usize,
    /// How many bytes it replaces.
    pub removed: usize,
    pub side: Side,
    pub text: String,
    /// The byte whose place in the source it has; none if it is to stay on its line.
    pub place: Option<usize>,
}

/// Puts them in.
pub fn edited(text: &[u8], tokens: &[Token<'_>], mut edits: Vec<Edit>) -> Vec<u8> {
    let lines = Lines::new(text, tokens);
    // Of what ends at one point, the innermost comes first, and it was added last.
    edits.reverse();
    edits.sort_by_key(|edit| (edit.at, edit.side));
    let mut written = Vec::with_capacity(text.len() + 100 * edits.len());
    let mut done = 0;
    for group in edits.chunk_by_mut(|one, next| (one.at, one.side) == (next.at, next.side)) {
        if group[0].side == Side::Begin {
            group.reverse();
        }
        let at = group[0].at;
        written.extend(&text[done..at]);
        done = at + group.iter().map(|edit| edit.removed).sum::<usize>();
        for edit in group {
            match edit.place {
                Some(place) => {
                    let lead = &edit.text[..edit.text.find(CUT).unwrap_or(0)];
                    let lead = lead.strip_suffix("::").unwrap_or(lead);
                    let cut = &edit.text[lead.len()..];
                    written.extend(lead.as_bytes());
                    lines.go_to(place, &mut written);
                    written.extend(cut.as_bytes());
                    lines.go_to(at, &mut written);
                }
                None => written.extend(edit.text.as_bytes()),
            }
        }
    }
    written.extend(&text[done..]);
    written
}

/// What the line markers of a text say.
struct Lines<'a> {
    text: &'a [u8],
    /// Where each line of the text begins.
    starts: Vec<usize>,
    /// Where each marker's next line begins, the number of that line, and the file in quotes.
    marks: Vec<(usize, usize, &'a [u8])>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8], tokens: &[Token<'a>]) -> Self {
        let mut marks: Vec<(usize, usize, &[u8])> = Vec::new();
        for token in tokens.iter().filter(|token| token.kind == Kind::Directive) {
            let Some(marker) = Marker::read(token.text) else {
                continue;
            };
            let file = marker
                .file
                .or_else(|| marks.last().map(|(_, _, file)| *file));
            marks.push((token.end() + 1, marker.line, file.unwrap_or(b"\"\"")));
        }
        let ends = text
            .iter()
            .enumerate()
            .filter(|(_, letter)| **letter == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(end, _)| end + 1));
        Self {
            text,
            starts: starts.collect(),
            marks,
        }
    }

    /// Starts a line that goes on at the place of a byte.
    fn go_to(&self, at: usize, written: &mut Vec<u8>) {
        let row = |at: usize| self.starts.partition_point(|start| *start <= at) - 1;
        let mark = self.marks.partition_point(|(from, _, _)| *from <= at);
        let Some((from, line, file)) = mark.checked_sub(1).map(|mark| self.marks[mark]) else {
            return;
        };
        written.extend(format!("\n# {} ", line + row(at) - row(from)).as_bytes());
        written.extend(file);
        written.push(b'\n');
        let pad = self.text[self.starts[row(at)]..at].iter();
        written.extend(pad.map(|letter| if *letter == b'\t' { b'\t' } else { b' ' }));
    }
}
