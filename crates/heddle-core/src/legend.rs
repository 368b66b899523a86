//! What the ids in events stand for: source files, source positions and names.
//!
//! Front ends fill a legend, reports read it, traces carry it. Detectors never look inside.

use crate::id::{FileId, NameId, SiteId};

/// A source file of the checked program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// The path as the user gave it, or `<stdin>`.
    pub path: String,
    /// The contents, where they are known.
    pub text: Option<String>,
}

/// A stretch of source text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site {
    /// The file.
    pub file: FileId,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Line of the last character.
    pub end_line: u32,
    /// Column just past the last character.
    pub end_column: u32,
}

/// The tables behind [`FileId`], [`SiteId`] and [`NameId`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Legend {
    /// Source files.
    pub files: Vec<SourceFile>,
    /// Source positions.
    pub sites: Vec<Site>,
    /// Names of variables, tasks, locks, events and regions.
    pub names: Vec<String>,
}

impl Legend {
    /// The file with this id, if the legend has it.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.index())
    }

    /// The position with this id, if the legend has it.
    pub fn site(&self, id: SiteId) -> Option<Site> {
        self.sites.get(id.index()).copied()
    }

    /// The name with this id, if the legend has it.
    pub fn name(&self, id: NameId) -> Option<&str> {
        self.names.get(id.index()).map(String::as_str)
    }
}
