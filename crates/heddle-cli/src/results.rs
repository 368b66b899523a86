//! Results of a command that goes through files: printed, or compared with what must be found.

use heddle_lang::{Expectation, Expectations};
use heddle_report::baseline::Baseline;
use heddle_report::json::{self, Layout};
use heddle_report::saved::Saved;
use heddle_report::{Grouping, Problem, Report, Settings, Strictness, text};

use crate::arguments::{Color, Format};
use crate::check::problems;
use crate::console::Console;
use crate::expect::Comparison;
use crate::showing::{Collected, Showing};
use crate::status::Status;

/// Findings shown in text unless told otherwise.
const TEXT_LIMIT: usize = 100;

/// How many findings are shown, of those asked for.
pub fn limit(asked: Option<usize>, format: Format) -> Option<usize> {
    match (asked, format) {
        (Some(0), _) => None,
        (Some(limit), _) => Some(limit),
        (None, Format::Text) => Some(TEXT_LIMIT),
        (None, _) => None,
    }
}

/// What a command is asked to do with its results.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub show: Showing,
    pub max_findings: Option<usize>,
    /// Whether they are compared.
    pub expect: bool,
    /// How many files there are.
    pub files: usize,
}

/// Takes the lines that a command is to be compared with.
type Lines = fn(Expectations) -> Option<Vec<Expectation>>;

/// See the module's documentation.
pub struct Results {
    pub console: Console,
    wanted: Wanted,
    /// What is known already.
    known: Option<Baseline>,
    /// Reports that become one document.
    pub collected: Collected,
    /// Files that were as expected, and those that were not.
    agreed: usize,
    differed: usize,
}

impl Results {
    pub fn new(color: Color, wanted: Wanted) -> Result<Self, Problem> {
        let known = wanted.show.known()?;
        if wanted.expect && !matches!(wanted.show.format, Format::Text | Format::Json) {
            return Err(Problem::plain("--expect prints text or JSON only"));
        }
        Ok(Self {
            console: Console::with_output(color, wanted.show.output.as_deref())?,
            known,
            collected: Collected::default(),
            wanted,
            agreed: 0,
            differed: 0,
        })
    }

    /// How reports are made.
    pub fn settings(&self, strictness: Strictness) -> Settings<'_> {
        Settings {
            strictness,
            limit: self.limit(),
            grouping: self.grouping(),
            possible: self.wanted.show.possible(),
            // Expectations are about everything that is found.
            baseline: self.known.as_ref().filter(|_| !self.wanted.expect),
        }
    }

    fn limit(&self) -> Option<usize> {
        match self.wanted.expect {
            true => None,
            false => limit(self.wanted.max_findings, self.wanted.show.format),
        }
    }

    /// What is one finding: expectations are about locations.
    fn grouping(&self) -> Grouping {
        match self.wanted.expect {
            true => Grouping::Locations,
            false => Grouping::Positions,
        }
    }

    /// Says what is wrong.
    pub fn fail(&self, problems: &[Problem]) -> Status {
        self.console.problems(problems);
        Status::Error
    }

    /// After the last file.
    pub fn end(&mut self, worst: Status) -> Status {
        let format = self.wanted.show.format;
        if !matches!(format, Format::Text | Format::Json) {
            let document = self.collected.document(format);
            self.console.print_with(|out| out.write_all(&document));
        }
        if self.wanted.expect && format == Format::Text {
            let tally = self.tally();
            self.console.print(&tally);
        }
        match self.console.failure() {
            Some(problem) => self.fail(&[problem]),
            None => worst,
        }
    }

    pub fn print(&mut self, report: &Report) -> Status {
        match self.wanted.show.format {
            Format::Text => {
                let colour = self.console.results();
                self.console.paragraph(&text::render(report, colour));
            }
            Format::Json => {
                let layout = self.layout();
                self.console
                    .print_with(|out| json::write(report, layout, out));
            }
            Format::Sarif | Format::Junit | Format::Html => {
                self.collected.reports.push(Saved::new(report));
            }
        }
        report.verdict.into()
    }

    /// One object stands alone; several are a stream of lines.
    fn layout(&self) -> Layout {
        match self.wanted.files {
            1 => Layout::Pretty,
            _ => Layout::Line,
        }
    }

    /// Compares a report with what the text says must be found: the lines that `which` takes, which begin with `word`.
    pub fn compare(
        &mut self,
        (name, text): (&str, &str),
        (word, which): (&str, Lines),
        report: &Report,
    ) -> Status {
        let expected = match heddle_lang::expectations(text) {
            Ok(expected) => which(expected),
            Err(diagnostics) => return self.fail(&problems(name, text, &diagnostics)),
        };
        let Some(expected) = expected else {
            let problem = Problem::plain(format!("{name}: there is nothing to compare with"));
            let help = format!("say in a leading comment what must be found: // {word}: clean");
            return self.fail(&[problem.help(Some(help))]);
        };
        let comparison = Comparison::new(name, &expected, &report.findings);
        let as_expected = comparison.as_expected;
        match (self.wanted.show.format, as_expected) {
            (Format::Text, true) => {}
            (Format::Text, false) => self.console.print(&comparison.text()),
            _ => {
                let layout = self.layout();
                self.console
                    .print_with(|out| json::write(&comparison, layout, out));
            }
        }
        match as_expected {
            true => {
                self.agreed += 1;
                Status::Clean
            }
            false => {
                self.differed += 1;
                Status::Findings
            }
        }
    }

    /// How many files were as expected, for people.
    fn tally(&self) -> String {
        let failed = self.wanted.files - self.agreed - self.differed;
        let mut text = match self.agreed {
            1 => "1 file as expected".to_owned(),
            agreed => format!("{agreed} files as expected"),
        };
        for (count, what) in [(self.differed, "not"), (failed, "could not be compared")] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        text + "\n"
    }
}
