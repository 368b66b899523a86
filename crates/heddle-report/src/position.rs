//! Source positions that carry what is needed to show them.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use heddle_core::{Legend, Site, SourceFile};
use serde::{Serialize, Serializer};

/// A source file with its lines found, so that showing one line does not walk the others.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    path: String,
    text: Option<String>,
    /// Byte offset of each line's start.
    starts: Vec<usize>,
}

impl fmt::Debug for Source {
    /// Its name alone: findings have many positions, and each would show the whole text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.path).finish()
    }
}

impl Source {
    /// The source of this file of a legend.
    pub fn new(file: &SourceFile) -> Self {
        let text = file.text.clone();
        let breaks = text
            .iter()
            .flat_map(|text| text.match_indices('\n').map(|(at, _)| at + 1));
        let starts = std::iter::once(0).chain(breaks).collect();
        Self {
            path: file.path.clone(),
            text,
            starts,
        }
    }

    /// All files of a legend.
    pub fn all(legend: &Legend) -> Vec<Arc<Self>> {
        legend
            .files
            .iter()
            .map(|file| Arc::new(Self::new(file)))
            .collect()
    }

    /// The path as the user gave it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A line, counted from 1, without its line break.
    pub fn line(&self, number: u32) -> Option<&str> {
        let row = (number as usize).checked_sub(1)?;
        let start = *self.starts.get(row)?;
        let rest = self.text.as_deref()?.get(start..)?;
        let line = rest.split('\n').next()?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// A stretch of source text. Lines and columns count from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Position {
    /// The file.
    #[serde(serialize_with = "as_path")]
    pub file: Arc<Source>,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Line of the last character.
    pub end_line: u32,
    /// Column just past the last character.
    pub end_column: u32,
}

impl Position {
    /// The position of a site in this file.
    pub fn new(file: Arc<Source>, site: Site) -> Self {
        Self {
            file,
            line: site.line,
            column: site.column,
            end_line: site.end_line,
            end_column: site.end_column,
        }
    }

    fn key(&self) -> (&str, u32, u32, u32, u32) {
        let path = self.file.path.as_str();
        (path, self.line, self.column, self.end_line, self.end_column)
    }
}

/// `line:column`; say the file where it is not clear.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Ord for Position {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn as_path<S: Serializer>(file: &Arc<Source>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&file.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(&SourceFile {
            path: "a.task".into(),
            text: Some(text.into()),
        })
    }

    #[test]
    fn lines_come_without_their_breaks() {
        let source = source("one\r\ntwo\n\nfour");
        assert_eq!(source.line(1), Some("one"));
        assert_eq!(source.line(2), Some("two"));
        assert_eq!(source.line(3), Some(""));
        assert_eq!(source.line(4), Some("four"));
    }

    #[test]
    fn lines_that_do_not_exist_are_none() {
        let source = source("one\n");
        assert_eq!(source.line(0), None);
        assert_eq!(source.line(2), Some(""));
        assert_eq!(source.line(3), None);
        assert_eq!(source.line(u32::MAX), None);
    }
}
