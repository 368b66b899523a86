//! The format of `heddle.toml`.
//!
//! ```toml
//! [[harmless]]
//! [harmless.first]
//! file = "list.task"
//! text = "next[k] = head;"
//! column = 11
//! before = ["proc list_insert(k) {"]
//! after = ["cut;", "head = k + 1;"]
//! [harmless.second]
//! ...
//! ```
//!
//! `merge` is written alike. A `why` may be added to an entry. Anything else is an error.

use std::ops::Range;
use std::sync::Arc;

use heddle_core::{FileId, Site};
use heddle_report::{Position, Problem, Source};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::anchor::Anchor;

/// What the programmer says of two transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They belong together.
    Merge,
    /// What may come between them does no harm.
    Harmless,
}

impl Answer {
    /// As written in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Harmless => "harmless",
        }
    }
}

/// One answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Which.
    pub answer: Answer,
    /// Where the first transaction ends.
    pub first: Anchor,
    /// Where the second starts.
    pub second: Anchor,
    /// Where the entry stands in the file.
    pub site: Site,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    merge: Vec<Spanned<Table>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    harmless: Vec<Spanned<Table>>,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields, expecting = "two positions: first and second")]
struct Table {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    first: Anchor,
    second: Anchor,
}

/// The entries of the file, in its sequence.
pub fn parse(source: &Arc<Source>, text: &str) -> Result<Vec<Entry>, Problem> {
    let file: File = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        problem(source, text, span, error.message())
    })?;
    let merges = file.merge.into_iter().map(|table| (Answer::Merge, table));
    let harmless = file.harmless.into_iter();
    let harmless = harmless.map(|table| (Answer::Harmless, table));
    let mut entries = Vec::new();
    let lines = Lines::new(text);
    for (answer, table) in merges.chain(harmless) {
        let span = table.span();
        let Table { first, second, .. } = table.into_inner();
        for anchor in [&first, &second] {
            if let Some(wrong) = wrong_with(anchor) {
                return Err(problem(source, text, span, wrong));
            }
        }
        entries.push(Entry {
            answer,
            first,
            second,
            site: lines.site(first_line(text, span)),
        });
    }
    entries.sort_by_key(|entry| (entry.site.line, entry.site.column));
    Ok(entries)
}

/// An entry as text, to be added at the end of a file.
pub fn print(answer: Answer, first: Anchor, second: Anchor, why: Option<String>) -> String {
    let table = Spanned::new(0..0, Table { why, first, second });
    let mut file = File::default();
    match answer {
        Answer::Merge => file.merge.push(table),
        Answer::Harmless => file.harmless.push(table),
    }
    toml::to_string(&file).expect("strings and numbers can be written")
}

fn wrong_with(anchor: &Anchor) -> Option<&'static str> {
    let width = anchor.text.chars().count();
    let occurrence = anchor.occurrence.unwrap_or([1, 1]);
    if anchor.file.is_empty() {
        return Some("`file` must be a source file");
    }
    if anchor.text.is_empty() || anchor.text.trim() != anchor.text {
        return Some("`text` must be a line without the white space around it");
    }
    if anchor.column == 0 || anchor.column as usize > width {
        return Some("`column` must be a column of `text`, from 1");
    }
    if occurrence[0] == 0 || occurrence[0] > occurrence[1] {
        return Some("`occurrence` must be which one of how many, from 1");
    }
    None
}

fn problem(source: &Arc<Source>, text: &str, span: Range<usize>, wrong: &str) -> Problem {
    let place = Lines::new(text).site(first_line(text, span));
    let mut problem = Problem::plain(format!("{}: {wrong}", source.path()));
    problem.label = Some("here".into());
    problem.at(Some(Position::new(Arc::clone(source), place)))
}

/// The part of the span on its first line.
fn first_line(text: &str, span: Range<usize>) -> Range<usize> {
    let start = span.start.min(text.len());
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.find('\n').map_or(text.len(), |len| start + len);
    start..span.end.clamp(start, end)
}

/// A text and where its lines start.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { text, starts }
    }

    /// Line and column of some bytes of one line.
    fn site(&self, span: Range<usize>) -> Site {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let line = self.starts.partition_point(|&start| start <= span.start);
        let start = self.starts[line - 1];
        let width = |bytes: Range<usize>| {
            let part = self.text.get(bytes).unwrap_or_default();
            part.chars().count()
        };
        let column = width(start..span.start) + 1;
        Site {
            file: FileId::new(0),
            line: number(line),
            column: number(column),
            end_line: number(line),
            end_column: number(column + width(span).max(1)),
        }
    }
}
