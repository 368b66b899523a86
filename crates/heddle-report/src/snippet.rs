//! Source lines with marks under them.
//!
//! Layout is annotate-snippets' work. This module gives it only the lines that are shown, made
//! printable, so that neither a huge file nor a huge line costs more than what is seen of it.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Snippet};

use crate::position::Position;
use crate::printable::printable;

/// Marks no further apart than this are shown in one piece.
const GAP: u32 = 6;
/// Longer lines are shown as an excerpt.
const LINE_LIMIT: usize = 300;
/// Characters of an excerpt on each side of the mark.
const EXCERPT: usize = 40;

/// A position to point at, and what to say there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Where.
    pub position: Position,
    /// What to say.
    pub label: String,
}

/// What shows these marks, in source order. Marks at one position become one.
pub fn elements(mut marks: Vec<Mark>) -> Vec<Element<'static>> {
    marks.sort_by(|a, b| a.position.cmp(&b.position));
    let mut merged: Vec<Mark> = Vec::new();
    for mark in marks {
        match merged.last_mut() {
            Some(last) if last.position == mark.position => {
                last.label = format!("{} and {}", last.label, mark.label);
            }
            _ => merged.push(mark),
        }
    }
    merged.chunk_by(is_near).flat_map(piece).collect()
}

fn is_near(one: &Mark, two: &Mark) -> bool {
    let (one, two) = (&one.position, &two.position);
    one.file == two.file && is_showable(one) && is_showable(two) && two.line - one.line <= GAP
}

fn is_showable(position: &Position) -> bool {
    let line = position.file.line(position.line);
    line.is_some_and(|line| line.len() <= LINE_LIMIT)
}

/// Marks near each other, or one that stands alone.
fn piece(marks: &[Mark]) -> Vec<Element<'static>> {
    match marks {
        [mark] if !is_showable(&mark.position) => excerpt(mark),
        marks => vec![lines(marks)],
    }
}

fn lines(marks: &[Mark]) -> Element<'static> {
    let (first, last) = (&marks[0].position, &marks[marks.len() - 1].position);
    let mut source = String::new();
    let mut annotations = Vec::new();
    for number in first.line..=last.line {
        let line = cropped(first.file.line(number).unwrap_or_default());
        for mark in marks.iter().filter(|mark| mark.position.line == number) {
            let span = span(&line, &mark.position);
            let span = source.len() + span.start..source.len() + span.end;
            let label = printable(&mark.label).into_owned();
            annotations.push(AnnotationKind::Primary.span(span).label(label));
        }
        source.push_str(&line);
        source.push('\n');
    }
    Snippet::source(source)
        .path(printable(first.file.path()).into_owned())
        .line_start(first.line as usize)
        .annotations(annotations)
        .into()
}

/// A line as it is shown; columns are those of the original.
fn cropped(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(LINE_LIMIT) {
        None => printable(line),
        Some((end, _)) => Cow::Owned(printable(&line[..end]).into_owned() + "…"),
    }
}

/// The bytes of the printable line that the position covers on its first line.
fn span(line: &str, position: &Position) -> std::ops::Range<usize> {
    let offset = |column: u32| {
        let index = (column as usize).saturating_sub(1);
        line.char_indices()
            .nth(index)
            .map_or(line.len(), |(at, _)| at)
    };
    let start = offset(position.column);
    let end = match position.end_line > position.line {
        true => line.len(),
        false => offset(position.end_column),
    };
    let least = offset(position.column.saturating_add(1));
    start..end.max(least)
}

/// The place, and what stands around it if the line is merely too long.
fn excerpt(mark: &Mark) -> Vec<Element<'static>> {
    let position = &mark.position;
    let path = printable(position.file.path()).into_owned();
    let origin = Origin::path(path)
        .line(position.line as usize)
        .char_column(position.column as usize);
    let message = match position.file.line(position.line) {
        None => format!("{position}: {}", mark.label),
        Some(line) => format!(
            "{position}: {}, near `{}`",
            mark.label,
            around(line, position)
        ),
    };
    let message = Level::NOTE
        .no_name()
        .message(printable(&message).into_owned());
    vec![origin.into(), message.into()]
}

fn around(line: &str, position: &Position) -> String {
    let column = (position.column as usize).saturating_sub(1);
    let from = column.saturating_sub(EXCERPT);
    let mut piece: String = line
        .chars()
        .skip(from)
        .take(column - from + EXCERPT)
        .collect();
    if from > 0 {
        piece.insert(0, '…');
    }
    if line
        .char_indices()
        .nth(column.saturating_add(EXCERPT))
        .is_some()
    {
        piece.push('…');
    }
    piece
}
