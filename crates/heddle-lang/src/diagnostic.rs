//! What is wrong with a source text, and where.
//!
//! A diagnostic is plain data; drawing it below the source line is the report's business. The
//! collector caps how many are kept, so that a binary file does not yield a million of them.

use heddle_core::{FileId, Site};
use std::fmt;

/// The only file of a `.task` program.
pub(crate) const FILE: FileId = FileId::new(0);

/// More errors than this help nobody.
const LIMIT: usize = 20;

/// One error in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong: what was found and what was expected.
    pub message: String,
    /// Where.
    pub site: Site,
    /// A few words to stand at the place itself.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without help.
    pub(crate) fn new(site: Site, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            site,
            label: label.into(),
            help: None,
        }
    }

    /// The same error with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same error with advice, if there is any.
    pub(crate) fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }
}

/// `line:column: message`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site { line, column, .. } = self.site;
        write!(f, "{line}:{column}: {}", self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// The errors found so far.
#[derive(Default, Debug)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Keeps the error, unless there are enough.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() {
            self.list.push(diagnostic);
        }
    }

    /// Whether looking for more errors is pointless.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= LIMIT
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The errors in source order.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.site);
        self.list
    }
}

/// The stretch from the first character of `first` to the last of `last`.
pub(crate) fn join(first: Site, last: Site) -> Site {
    Site {
        end_line: last.end_line,
        end_column: last.end_column,
        ..first
    }
}

/// The empty stretch directly after `site`.
pub(crate) fn after(site: Site) -> Site {
    Site {
        line: site.end_line,
        column: site.end_column,
        ..site
    }
}
