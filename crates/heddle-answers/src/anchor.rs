//! A source position that is found again after edits elsewhere in the file.
//!
//! An anchor keeps the line's text, the column in it and the lines around it, and no line number. It
//! is found at the line with that text around which most of the remembered lines still stand,
//! at least half of them. Where several lines do equally well, it is the n-th of as many as there were. If
//! there are more or fewer of them now, or the lines around are others, the anchor is lost: an
//! answer is never carried over to code it may not have been given for.

use serde::{Deserialize, Serialize};

/// How many lines are remembered on each side, blank ones not counted.
const CONTEXT: usize = 2;
/// How many are looked through for them: lines may have been added in between.
const WINDOW: usize = 4;

/// A remembered position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a position: file, text and column")]
pub struct Anchor {
    /// The source file, or the end of its path.
    pub file: String,
    /// The line, without the white space around it.
    pub text: String,
    /// The column in that text, from 1.
    pub column: u32,
    /// Which of the lines that are alike, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<[usize; 2]>,
    /// Lines before it, the nearest last.
    #[serde(default)]
    pub before: Vec<String>,
    /// Lines after it, the nearest first.
    #[serde(default)]
    pub after: Vec<String>,
}

/// Why an anchor is not found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// No line is like the remembered one.
    Changed,
    /// It is not clear which line it is.
    Ambiguous,
}

impl Anchor {
    /// The anchor of a position in this text; `None` if there is nothing at that position.
    pub fn new(file: &str, text: &str, line: u32, column: u32) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let index = (line as usize).checked_sub(1)?;
        let whole = lines.get(index)?;
        let indent = whole.chars().take_while(|c| c.is_whitespace()).count();
        let column = column.checked_sub(u32::try_from(indent).ok()?)?;
        let trimmed = whole.trim();
        if column == 0 || column as usize > trimmed.chars().count() {
            return None;
        }
        let mut anchor = Self {
            file: file.into(),
            text: trimmed.into(),
            column,
            occurrence: None,
            before: owned(above(&lines, index).take(CONTEXT)),
            after: owned(below(&lines, index).take(CONTEXT)),
        };
        anchor.before.reverse();
        let alike = anchor.best(&lines);
        let place = alike.iter().position(|&other| other == index)?;
        anchor.occurrence = (alike.len() > 1).then_some([place + 1, alike.len()]);
        Some(anchor)
    }

    /// Line and column of the position in this text.
    pub fn find(&self, text: &str) -> Result<(u32, u32), Lost> {
        let lines: Vec<&str> = text.lines().collect();
        let alike = self.best(&lines);
        let [place, count] = self.occurrence.unwrap_or([1, 1]);
        let index = match alike.len() {
            0 => return Err(Lost::Changed),
            len if len != count => return Err(Lost::Ambiguous),
            _ => *alike.get(place.wrapping_sub(1)).ok_or(Lost::Ambiguous)?,
        };
        let indent = lines[index].chars().take_while(|c| c.is_whitespace());
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let column = number(indent.count()).saturating_add(self.column);
        Ok((number(index + 1), column))
    }

    /// The lines with this text around which most of the remembered lines stand, and enough of them.
    fn best(&self, lines: &[&str]) -> Vec<usize> {
        let remembered = self.before.len() + self.after.len();
        let alike = (0..lines.len()).filter(|&index| lines[index].trim() == self.text);
        let scored: Vec<(usize, usize)> = alike
            .map(|index| (self.score(lines, index), index))
            .filter(|&(score, _)| 2 * score >= remembered)
            .collect();
        let most = scored.iter().map(|&(score, _)| score).max();
        let best = scored.into_iter().filter(|&(score, _)| Some(score) == most);
        best.map(|(_, index)| index).collect()
    }

    /// How many of the remembered lines stand around this one, in their sequence.
    fn score(&self, lines: &[&str], index: usize) -> usize {
        let before = self.before.iter().rev();
        let after = self.after.iter();
        in_sequence(before, above(lines, index).take(WINDOW))
            + in_sequence(after, below(lines, index).take(WINDOW))
    }
}

/// How many of the wanted lines come among these, one after the other.
fn in_sequence<'a>(
    wanted: impl Iterator<Item = &'a String>,
    lines: impl Iterator<Item = &'a str>,
) -> usize {
    let lines: Vec<&str> = lines.collect();
    let mut from = 0;
    let mut found = 0;
    for line in wanted {
        if let Some(place) = lines[from..].iter().position(|other| other == line) {
            from += place + 1;
            found += 1;
        }
    }
    found
}

/// The lines above, nearest first, without blank ones.
fn above<'a>(lines: &[&'a str], index: usize) -> impl Iterator<Item = &'a str> {
    trimmed(lines[..index].iter().rev())
}

/// The lines below, nearest first, without blank ones.
fn below<'a>(lines: &[&'a str], index: usize) -> impl Iterator<Item = &'a str> {
    trimmed(lines[index + 1..].iter())
}

fn trimmed<'a, 'b>(lines: impl Iterator<Item = &'b &'a str>) -> impl Iterator<Item = &'a str>
where
    'a: 'b,
{
    lines
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
}

fn owned<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    lines.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
proc insert(k) {
  next[k] = head;
  cut;
  head = k + 1;
}
spawn insert(0);
";

    fn anchor(text: &str, line: u32, column: u32) -> Anchor {
        Anchor::new("list.task", text, line, column).expect("there is something")
    }

    #[test]
    fn a_position_is_found_where_it_was() {
        for (line, column) in [(1, 1), (2, 3), (2, 13), (3, 3), (4, 3), (6, 15)] {
            let found = anchor(LIST, line, column).find(LIST);
            assert_eq!(found, Ok((line, column)));
        }
    }

    #[test]
    fn lines_added_elsewhere_and_other_indentation_move_it() {
        let moved = format!("// a comment\n\n{}", LIST.replace("  ", "\t\t\t"));
        assert_eq!(anchor(LIST, 4, 3).find(&moved), Ok((6, 4)));
        assert_eq!(anchor(LIST, 4, 6).find(&moved), Ok((6, 7)));
    }

    #[test]
    fn a_line_added_or_changed_right_beside_it_does_not_lose_it() {
        let added = LIST.replace("  cut;\n", "  skip;\n  cut;\n  skip;\n");
        assert_eq!(anchor(LIST, 4, 3).find(&added), Ok((6, 3)));
        let changed = LIST.replace("cut;", "skip;");
        assert_eq!(anchor(LIST, 4, 3).find(&changed), Ok((4, 3)));
    }

    #[test]
    fn a_line_that_is_gone_or_stands_among_others_is_lost() {
        let gone = LIST.replace("head = k + 1", "head = k + 2");
        assert_eq!(anchor(LIST, 4, 3).find(&gone), Err(Lost::Changed));
        let elsewhere = "proc other(k) {\n  skip;\n  head = k + 1;\n  skip;\n}\n";
        assert_eq!(anchor(LIST, 4, 3).find(elsewhere), Err(Lost::Changed));
    }

    #[test]
    fn lines_that_are_alike_in_all_are_counted() {
        let twice = format!("{LIST}{LIST}");
        let second = anchor(&twice, 9, 3);
        assert_eq!(second.find(&twice), Ok((9, 3)));
        assert_eq!(second.find(&format!("skip;\n\n{twice}")), Ok((11, 3)));
        assert_eq!(second.find(LIST), Err(Lost::Ambiguous));
        assert_eq!(anchor(LIST, 3, 3).find(&twice), Err(Lost::Ambiguous));
    }

    #[test]
    fn of_lines_with_one_text_the_surroundings_decide() {
        let text = "a;\nb;\ncut;\nc;\nd;\ncut;\ne;\nf;\n";
        let [first, second] = [anchor(text, 3, 1), anchor(text, 6, 1)];
        assert_eq!((first.occurrence, second.occurrence), (None, None));
        let swapped = "d;\ncut;\ne;\nf;\na;\nb;\ncut;\nc;\n";
        assert_eq!(first.find(swapped), Ok((7, 1)));
        assert_eq!(second.find(swapped), Ok((2, 1)));
    }

    #[test]
    fn there_is_no_anchor_where_nothing_stands() {
        for (line, column) in [(0, 1), (1, 0), (2, 2), (2, 99), (99, 1)] {
            assert_eq!(Anchor::new("list.task", LIST, line, column), None);
        }
    }
}
