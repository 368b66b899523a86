//! What the user asks for: `HEDDLE_OPTIONS="key=value:key=value"`.
//!
//! A checked program is an ordinary program, so it has no command line of ours. `heddle run` sets the
//! same variable.

use heddle_report::{Grouping, Possible};
use heddle_rt::Analysis;
use std::path::PathBuf;

/// The variable.
pub const VARIABLE: &str = "HEDDLE_OPTIONS";

/// What was asked for, and what of it was not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Where the report goes; standard error if nowhere else. `%p` stands for the process's number.
    pub report: Option<PathBuf>,
    /// In which form.
    pub format: Format,
    /// Whether to colour it.
    pub color: Color,
    /// The exit status of a program with findings that would have succeeded.
    pub exit_status: i32,
    /// Whether possible findings count.
    pub is_strict: bool,
    /// At most so many findings are shown; 0 means all.
    pub max_findings: Option<usize>,
    /// Whether locations at the same source positions are one finding.
    pub grouping: Grouping,
    /// How text shows possible findings.
    pub possible: Possible,
    /// A report whose findings are known.
    pub baseline: Option<PathBuf>,
    /// A file that says which findings not to show.
    pub suppressions: Option<PathBuf>,
    /// Whether to say how much work it was.
    pub has_stats: bool,
    /// Where to record the run.
    pub record: Option<PathBuf>,
    /// How many threads execute tasks of our own interface.
    pub threads: Option<usize>,
    /// What to look for.
    pub analysis: Analysis,
    /// Whether all memory is checked for atomicity, and not only what is declared.
    pub watches_all: bool,
    /// Whether to say nothing if there is nothing to mend.
    pub is_quiet: bool,
    /// Whether the report is added to the file: an earlier process of the same run may have written there.
    pub adds: bool,
    /// Whether a report with findings is marked, for whoever started the program.
    pub marks: bool,
    /// One line for each entry that was not understood.
    pub complaints: Vec<String>,
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

const KEYS: &str = "report, format, color, exitcode, strict, max_findings, locations, possible, baseline, suppressions, stats, record, quiet, threads, analysis, atomic, append, mark";

impl Default for Options {
    fn default() -> Self {
        Self {
            report: None,
            format: Format::Text,
            color: Color::Auto,
            exit_status: 1,
            is_strict: false,
            max_findings: None,
            grouping: Grouping::Positions,
            possible: Possible::Brief,
            baseline: None,
            suppressions: None,
            has_stats: false,
            record: None,
            threads: None,
            analysis: Analysis::All,
            watches_all: false,
            is_quiet: false,
            adds: false,
            marks: false,
            complaints: Vec::new(),
        }
    }
}

impl Options {
    /// What the environment says; complaints are printed. A program that runs with another user's rights
    /// must not write where its caller says.
    pub fn from_environment() -> Self {
        // SAFETY: a plain query.
        if unsafe { ::libc::getauxval(::libc::AT_SECURE) } != 0 {
            return Self::default();
        }
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        let options = Self::parse(&text.to_string_lossy());
        for complaint in &options.complaints {
            crate::say::say!("heddle: {complaint}");
        }
        options
    }

    /// Reads a list of entries. What is wrong is left out and complained about.
    pub fn parse(text: &str) -> Self {
        let mut options = Self::default();
        for entry in text.split(':').filter(|entry| !entry.trim().is_empty()) {
            if let Err(complaint) = options.set(entry.trim()) {
                options.complaints.push(complaint);
            }
        }
        options
    }

    fn set(&mut self, entry: &str) -> Result<(), String> {
        let (key, value) = entry
            .split_once('=')
            .ok_or_else(|| format!("{VARIABLE}: `{entry}` has no value: write {entry}=..."))?;
        let wrong = |wanted: &str| format!("{VARIABLE}: `{entry}`: {key} must be {wanted}");
        match key {
            "report" => self.report = path(value),
            "record" => self.record = path(value),
            "suppressions" => self.suppressions = path(value),
            "baseline" => self.baseline = path(value),
            "format" => self.format = format(value).ok_or_else(|| wrong("text or json"))?,
            "color" => self.color = color(value).ok_or_else(|| wrong("auto, always or never"))?,
            "exitcode" => {
                let status = value
                    .parse::<u8>()
                    .map_err(|_| wrong("a number from 0 to 255"))?;
                self.exit_status = status.into();
            }
            "max_findings" => {
                self.max_findings = Some(value.parse().map_err(|_| wrong("a number"))?);
            }
            "locations" => {
                self.grouping = grouping(value).ok_or_else(|| wrong("together or apart"))?;
            }
            "possible" => {
                self.possible = possible(value).ok_or_else(|| wrong("brief or full"))?;
            }
            "threads" => self.threads = Some(value.parse().map_err(|_| wrong("a number"))?),
            "analysis" => {
                let what = "all, races or atomicity";
                self.analysis = analysis(value).ok_or_else(|| wrong(what))?;
            }
            "atomic" => {
                self.watches_all = scope(value).ok_or_else(|| wrong("declared or all"))?;
            }
            "strict" => self.is_strict = switch(value).ok_or_else(|| wrong("0 or 1"))?,
            "stats" => self.has_stats = switch(value).ok_or_else(|| wrong("0 or 1"))?,
            "append" => self.adds = switch(value).ok_or_else(|| wrong("0 or 1"))?,
            "mark" => self.marks = switch(value).ok_or_else(|| wrong("0 or 1"))?,
            "quiet" => self.is_quiet = switch(value).ok_or_else(|| wrong("0 or 1"))?,
            _ => {
                return Err(format!(
                    "{VARIABLE}: there is no option `{key}`; there are {KEYS}"
                ));
            }
        }
        Ok(())
    }
}

fn path(value: &str) -> Option<PathBuf> {
    (!value.is_empty()).then(|| value.into())
}

fn format(value: &str) -> Option<Format> {
    match value {
        "text" => Some(Format::Text),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// Whether locations at the same source positions are one finding.
fn grouping(value: &str) -> Option<Grouping> {
    match value {
        "together" => Some(Grouping::Positions),
        "apart" => Some(Grouping::Locations),
        _ => None,
    }
}

fn possible(value: &str) -> Option<Possible> {
    match value {
        "brief" => Some(Possible::Brief),
        "full" => Some(Possible::Full),
        _ => None,
    }
}

fn analysis(value: &str) -> Option<Analysis> {
    match value {
        "all" => Some(Analysis::All),
        "races" => Some(Analysis::Races),
        "atomicity" => Some(Analysis::Atomicity),
        _ => None,
    }
}

/// Whether all memory is meant.
fn scope(value: &str) -> Option<bool> {
    match value {
        "declared" => Some(false),
        "all" => Some(true),
        _ => None,
    }
}

fn color(value: &str) -> Option<Color> {
    match value {
        "auto" => Some(Color::Auto),
        "always" => Some(Color::Always),
        "never" => Some(Color::Never),
        _ => None,
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_sets_its_option() {
        let text = "report=r.txt:format=json:color=never:exitcode=66:strict=1:max_findings=3:locations=apart:possible=full:baseline=b:\
                    suppressions=s:stats=1:record=t:quiet=1:threads=4:analysis=races:atomic=all:append=1:mark=1";
        let expected = Options {
            report: Some("r.txt".into()),
            format: Format::Json,
            color: Color::Never,
            exit_status: 66,
            is_strict: true,
            max_findings: Some(3),
            grouping: Grouping::Locations,
            possible: Possible::Full,
            baseline: Some("b".into()),
            suppressions: Some("s".into()),
            has_stats: true,
            record: Some("t".into()),
            threads: Some(4),
            watches_all: true,
            analysis: Analysis::Races,
            is_quiet: true,
            adds: true,
            marks: true,
            complaints: Vec::new(),
        };
        assert_eq!(Options::parse(text), expected);
    }

    #[test]
    fn an_empty_text_asks_for_nothing() {
        assert_eq!(Options::parse(""), Options::default());
        assert_eq!(Options::parse(": :"), Options::default());
    }

    #[test]
    fn what_is_wrong_is_complained_about_and_the_rest_stands() {
        let options = Options::parse("formt=json:strict=yes:exitcode=300:quiet:stats=1");
        assert!(options.has_stats);
        assert_eq!(options.complaints.len(), 4);
        assert!(options.complaints[0].contains("no option `formt`"));
        assert!(options.complaints[1].contains("strict must be 0 or 1"));
        assert!(options.complaints[2].contains("0 to 255"));
        assert!(options.complaints[3].contains("quiet=..."));
    }
}
