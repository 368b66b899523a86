//! Standard output and standard error.
//!
//! A reader that goes away (`heddle check ... | head`) is no error: what is left is not written,
//! and the exit status is what it would have been.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

use heddle_report::Problem;
use heddle_report::text::{self, Colour};

use crate::arguments::Color;

/// Where results and errors go.
pub struct Console {
    results: Colour,
    errors: Colour,
    /// Whether anything was printed yet.
    has_printed: bool,
    /// Set once nobody reads standard output any more.
    is_closed: bool,
    failure: Option<io::Error>,
    /// Where results go instead of standard output.
    file: Option<File>,
}

impl Console {
    /// The console with colours as asked for.
    pub fn new(color: Color) -> Self {
        Self {
            results: colour(color, io::stdout().is_terminal()),
            errors: colour(color, io::stderr().is_terminal()),
            has_printed: false,
            is_closed: false,
            failure: None,
            file: None,
        }
    }

    /// The console, with results going to a file if there is one.
    pub fn with_output(color: Color, output: Option<&Path>) -> Result<Self, Problem> {
        let mut console = Self::new(color);
        if let Some(path) = output {
            let made = File::create(path).map_err(|error| {
                let shown = path.display();
                Problem::plain(format!("cannot write {shown}: {}", reason(&error)))
            });
            console.file = Some(made?);
            console.results = colour(color, false);
        }
        Ok(console)
    }

    /// How results are coloured.
    pub fn results(&self) -> Colour {
        self.results
    }

    /// Prints results with an empty line before them, unless they are the first.
    pub fn paragraph(&mut self, text: &str) {
        if self.has_printed {
            self.print("\n");
        }
        self.print(text);
    }

    /// Prints results.
    pub fn print(&mut self, text: &str) {
        self.print_with(|out| out.write_all(text.as_bytes()));
    }

    /// Prints results as they are made.
    pub fn print_with(&mut self, make: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.is_closed {
            return;
        }
        self.has_printed = true;
        let to: Box<dyn Write + '_> = match &self.file {
            Some(file) => Box::new(file),
            None => Box::new(io::stdout().lock()),
        };
        let mut out = BufWriter::new(to);
        let written = make(&mut out).and_then(|()| out.flush());
        drop(out);
        if let Err(error) = written {
            self.is_closed = true;
            if error.kind() != ErrorKind::BrokenPipe {
                self.failure = Some(error);
            }
        }
    }

    /// Prints errors, with an empty line between one and the next.
    pub fn problems(&self, problems: &[Problem]) {
        let texts = problems
            .iter()
            .map(|problem| text::render_problem(problem, self.errors));
        let text = texts.collect::<Vec<_>>().join("\n");
        // There is nowhere left to say that standard error is gone.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints warnings, with an empty line between one and the next.
    pub fn warnings(&self, problems: &[Problem]) {
        let texts = problems
            .iter()
            .map(|problem| text::render_warning(problem, self.errors));
        let text = texts.collect::<Vec<_>>().join("\n");
        // There is nowhere left to say that standard error is gone.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Why results could not be written, if it was not for want of a reader.
    pub fn failure(&mut self) -> Option<Problem> {
        let error = self.failure.take()?;
        Some(Problem::plain(format!(
            "cannot write the results: {}",
            reason(&error)
        )))
    }
}

/// Prints one line to standard error.
pub fn note(line: &str) -> io::Result<()> {
    let mut err = io::stderr().lock();
    err.write_all(line.as_bytes())?;
    err.write_all(b"\n")
}

/// Prints one line to standard error, if anybody listens there.
#[cfg(unix)]
pub fn say(line: &str) {
    let _ = note(line);
}

/// Why an operation failed, without the number no user knows.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}

fn colour(color: Color, is_terminal: bool) -> Colour {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match color {
        Color::Always => Colour::Ansi,
        Color::Auto if is_terminal && !is_set("NO_COLOR") && !is_dumb => Colour::Ansi,
        Color::Auto | Color::Never => Colour::Plain,
    }
}
