//! What goes wrong outside the checked program's concurrency: a parse error, a run that had to
//! stop, an unreadable or damaged file.

use serde::Serialize;

use crate::position::Position;

/// One error with what the user needs to mend it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    /// What is wrong, in one line.
    pub message: String,
    /// Where, if it is in a source file.
    pub position: Option<Position>,
    /// What to write under the source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Problem {
    /// A problem that has no place in a source file.
    pub fn plain(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            position: None,
            label: None,
            notes: Vec::new(),
            help: None,
        }
    }

    /// The same, at this position.
    pub fn at(mut self, position: Option<Position>) -> Self {
        self.position = position;
        self
    }

    /// The same, with something to know.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same, with something to do.
    pub fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}
