//! JUnit XML, the form in which CI systems show test results.
//!
//! Each program is a test suite and each finding a failed test case; possible findings that do not decide the exit
//! status are skipped test cases, suppressed ones too. A program without findings is one passed test case, and a run that stopped early an error.

use std::fmt::Write;

use crate::saved::{Saved, SavedFinding, SavedPosition};

/// One document for all reports.
pub fn document(reports: &[Saved]) -> String {
    let suites: Vec<Suite> = reports.iter().map(Suite::new).collect();
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites name=\"heddle\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        sum(|suite| suite.cases.len()),
        sum(|suite| suite.failures),
        sum(|suite| suite.errors),
    );
    for suite in &suites {
        suite.write(&mut xml);
    }
    xml.push_str("</testsuites>\n");
    xml
}

struct Suite {
    name: String,
    cases: Vec<String>,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Suite {
    fn new(report: &Saved) -> Self {
        let mut suite = Self {
            name: report.program.clone(),
            cases: Vec::new(),
            failures: 0,
            errors: 0,
            skipped: 0,
        };
        let decides = report.verdict == "findings";
        let has_certain = report.findings.iter().any(SavedFinding::is_certain);
        for finding in &report.findings {
            // Under --strict possible findings decide, too: then there is nothing else that could have.
            let fails = finding.is_certain() || (decides && !has_certain);
            let inside = match fails {
                true => failure(report, finding),
                false => skipped("only possible"),
            };
            suite.add(&finding.title_at(), finding.position.as_ref(), &inside);
            match fails {
                true => suite.failures += 1,
                false => suite.skipped += 1,
            }
        }
        for finding in &report.suppressed_findings {
            suite.add(
                &finding.title_at(),
                finding.position.as_ref(),
                &skipped("suppressed"),
            );
            suite.skipped += 1;
        }
        if let Some(error) = &report.error {
            let inside = format!("<error message=\"{}\"/>", escaped(&error.message));
            suite.add("the run", error.position.as_ref(), &inside);
            suite.errors += 1;
        }
        if suite.cases.is_empty() {
            suite.add(&format!("clean: {}", report.covered()), None, "");
        }
        suite
    }

    fn add(&mut self, name: &str, position: Option<&SavedPosition>, inside: &str) {
        let file = position.map_or(String::new(), |at| {
            format!(" file=\"{}\" line=\"{}\"", escaped(&at.file), at.line)
        });
        self.cases.push(format!(
            "    <testcase classname=\"{}\" name=\"{}\"{file}>{inside}</testcase>\n",
            escaped(&self.name),
            escaped(name),
        ));
    }

    fn write(&self, xml: &mut String) {
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            escaped(&self.name),
            self.cases.len(),
            self.failures,
            self.errors,
            self.skipped,
        );
        xml.push_str(&self.cases.concat());
        xml.push_str("  </testsuite>\n");
    }
}

impl SavedFinding {
    /// `race on x at a.c:3:4 and a.c:9:1`.
    pub fn title_at(&self) -> String {
        let mut text = self.title().to_owned();
        text.extend(self.location.iter().map(|name| format!(" on {name}")));
        let accesses = self.accesses.iter().map(|access| access.position.as_ref());
        let mut places: Vec<_> = accesses.flatten().map(shown).collect();
        if places.is_empty() {
            places.extend(self.position.as_ref().map(shown));
        }
        places.dedup();
        if !places.is_empty() {
            text += &format!(" at {}", places.join(" and "));
        }
        text
    }
}

fn failure(report: &Saved, finding: &SavedFinding) -> String {
    let mut text = String::new();
    for access in &finding.accesses {
        let at = access
            .position
            .as_ref()
            .map_or("an unknown place".into(), shown);
        let _ = writeln!(
            text,
            "{} by {} at {at}",
            access.noun(),
            access.task.called()
        );
    }
    for wait in &finding.waits {
        let at = wait
            .position
            .as_ref()
            .map_or("an unknown place".into(), shown);
        let _ = writeln!(
            text,
            "{} waits for {} at {at}",
            wait.task.called(),
            wait.awaited
        );
    }
    for note in finding.why.iter().chain(&finding.schedule) {
        let _ = writeln!(text, "{}", note.text);
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(text, "help: {help}");
    }
    if let Some(replay) = &finding.replay {
        let _ = writeln!(text, "replay: {}", replay.command);
    }
    let _ = writeln!(text, "guarantee: {}", report.covered());
    format!(
        "<failure type=\"{}\" message=\"{}\">{}</failure>",
        escaped(finding.title()),
        escaped(&finding.message),
        escaped(&text),
    )
}

fn skipped(why: &str) -> String {
    format!("<skipped message=\"{why}\"/>")
}

fn shown(position: &SavedPosition) -> String {
    format!("{}:{}:{}", position.file, position.line, position.column)
}

/// Text as XML takes it; characters that XML cannot have become the replacement character.
pub(crate) fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\n' | '\t' => xml.push(c),
            '\u{fffe}' | '\u{ffff}' => xml.push(char::REPLACEMENT_CHARACTER),
            c if crate::printable::is_harmful(c) => xml.push(char::REPLACEMENT_CHARACTER),
            c => xml.push(c),
        }
    }
    xml
}
