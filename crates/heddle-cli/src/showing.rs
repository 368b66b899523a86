//! How findings are shown: the flags that every command with findings has, and the formats that are one document.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use heddle_report::baseline::Baseline;
use heddle_report::html::Page;
use heddle_report::saved::Saved;
use heddle_report::{Possible, Problem, json, junit, sarif};
use serde_json::Value;

use crate::arguments::Format;
use crate::input;

/// How findings are shown.
#[derive(Args, Clone, Debug)]
pub struct Showing {
    /// How to print findings.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Report only what is new: leave out the findings of FILE, an earlier report in JSON.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Show possible findings in full; text gives them one line each otherwise.
    #[arg(long)]
    pub possible: bool,
}

impl Showing {
    /// What is known already.
    pub fn known(&self) -> Result<Option<Baseline>, Problem> {
        self.baseline.as_deref().map(baseline).transpose()
    }

    /// How text shows possible findings.
    pub fn possible(&self) -> Possible {
        match self.possible {
            true => Possible::Full,
            false => Possible::Brief,
        }
    }
}

fn baseline(path: &Path) -> Result<Baseline, Problem> {
    let text = input::text(path)?;
    let shown = input::shown(path);
    Baseline::read(&text).map_err(|why| {
        let help = "a baseline is made by --format json -o FILE";
        Problem::plain(format!("{shown} cannot be a baseline: {why}")).help(Some(help.into()))
    })
}

/// The reports of a file in JSON.
pub fn saved(path: &Path) -> Result<Vec<Saved>, Problem> {
    let text = input::text(path)?;
    let shown = input::shown(path);
    Saved::read(&text)
        .map_err(|error| Problem::plain(format!("{shown}: not a report in JSON ({error})")))
}

/// Reports that become one document.
#[derive(Debug, Default)]
pub struct Collected {
    /// The reports.
    pub reports: Vec<Saved>,
    /// The graph of each report's run, as a page takes it.
    pub graphs: Vec<Option<Value>>,
    /// What is in source files, where the file may not be there to be read.
    pub sources: HashMap<String, String>,
}

impl Collected {
    /// Reports whose runs have no graph.
    pub fn new(reports: Vec<Saved>) -> Self {
        Self {
            reports,
            ..Self::default()
        }
    }

    /// All reports as one document, in a format that is one.
    pub fn document(&self, format: Format) -> Vec<u8> {
        let mut bytes = Vec::new();
        match format {
            Format::Text | Format::Json => {}
            Format::Sarif => {
                let log = sarif::log(&self.reports);
                // Writing to memory cannot fail.
                let _ = json::write(&log, json::Layout::Pretty, &mut bytes);
            }
            Format::Junit => bytes.extend(junit::document(&self.reports).into_bytes()),
            Format::Html => {
                let page = Page {
                    reports: &self.reports,
                    graphs: &self.graphs,
                };
                let source = |path: &str| {
                    let known = self.sources.get(path).cloned();
                    known.or_else(|| input::text(Path::new(path)).ok())
                };
                bytes.extend(page.render(source).into_bytes());
            }
        }
        bytes
    }
}
