//! The programmer's answers to transaction findings, kept in `heddle.toml` beside the program.
//!
//! A finding names two transactions of one strand whose separation can be seen, by two source positions: where the first
//! ends and where the second starts. To it a programmer can say (Huang 2003, section 5.4):
//!
//! - `merge`: the two belong together. They are checked as one transaction from then on;
//! - `harmless`: what may come between does no harm. It is not reported again.
//!
//! [`mod@file`] is the format, [`anchor`] how a position is found again after edits, and `merge` how
//! transactions become one. An answer that no longer fits is never guessed at: it is reported as unused, and the
//! finding is shown. A crate of its own, because the command and the Rust crate both read answers.

pub mod anchor;
pub mod file;
mod merge;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heddle_core::{FileId, Finding, Legend, Outcome, Run, Site, SiteId, SourceFile};
use heddle_report::{Position, Problem, Source};
use heddle_transactions::{Checked, Options, Rejected};

use anchor::Anchor;
use file::{Answer, Entry};
use merge::WithoutCuts;

/// What the file is called.
pub const FILE: &str = "heddle.toml";

/// Unused entries that are told one by one.
const MOST_TOLD: usize = 20;

/// The answers for one program.
#[derive(Debug, Default)]
pub struct Answers {
    entries: Vec<Judged>,
    harmless: u64,
}

/// An entry, resolved for one program.
#[derive(Debug)]
struct Judged {
    entry: Entry,
    /// The file it stands in.
    source: Arc<Source>,
    sites: Result<[Vec<SiteId>; 2], Lost>,
    is_used: bool,
}

/// Why an entry says nothing of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Lost {
    /// It is about another program.
    OtherProgram,
    /// No line of the file is like the one it names.
    Changed(Box<Anchor>),
    /// Several are.
    Ambiguous(Box<Anchor>),
    /// The line is there, but nothing happens at that position.
    NothingThere(Box<Anchor>),
}

impl Answers {
    /// The answers beside these files of one program; none if there is no such file. `read` gives the text of a
    /// file of answers.
    pub fn beside(
        files: &[&Path],
        legend: &Legend,
        read: impl Fn(&Path) -> Result<String, Problem>,
    ) -> Result<Self, Problem> {
        let paths: BTreeSet<PathBuf> = files.iter().map(|file| path_beside(file)).collect();
        let mut answers = Self::default();
        for path in paths.iter().filter(|path| path.exists()) {
            let more = Self::new(&shown(path), &read(path)?, legend)?;
            answers.entries.extend(more.entries);
        }
        Ok(answers)
    }

    /// The answers in this text.
    fn new(path: &str, text: &str, legend: &Legend) -> Result<Self, Problem> {
        let source = source(path, text);
        let entries = file::parse(&source, text)?.into_iter();
        let judged = entries.map(|entry| Judged {
            sites: resolve(&entry, legend, Path::new(path)),
            entry,
            source: Arc::clone(&source),
            is_used: false,
        });
        Ok(Self {
            entries: judged.collect(),
            harmless: 0,
        })
    }

    /// The cuts of this run that lie between transactions which belong together.
    pub fn merged_cuts<R: Run>(&mut self, run: &mut R) -> BTreeSet<SiteId> {
        let entries = self.entries.iter_mut();
        let merges = entries.filter(|judged| judged.entry.answer == Answer::Merge);
        let pairs = merges.filter_map(|judged| {
            let sites = judged.sites.as_ref().ok()?;
            Some(merge::Pair::new(sites, &mut judged.is_used))
        });
        merge::cuts_between(run, pairs.collect())
    }

    /// Where the findings start and end that are marked as harmless.
    pub fn harmless_pairs<S: BuildHasher + Default>(&self) -> HashSet<[SiteId; 2], S> {
        let entries = self.entries.iter();
        let harmless = entries.filter(|judged| judged.entry.answer == Answer::Harmless);
        let sites = harmless.filter_map(|judged| judged.sites.as_ref().ok());
        let pairs = sites.flat_map(|[first, second]| {
            let pair = move |&one: &SiteId| second.iter().map(move |&other| [one, other]);
            first.iter().flat_map(pair)
        });
        pairs.collect()
    }

    /// Takes out the findings that are marked as harmless.
    pub fn leave_out_harmless(&mut self, outcome: &mut Outcome) {
        let before = outcome.findings.len();
        outcome.findings.retain(|finding| match finding {
            Finding::Transaction(separation) => {
                let [first, second] = &separation.parted;
                !self.is_harmless(first.site, second.site)
            }
            _ => true,
        });
        self.harmless += (before - outcome.findings.len()) as u64;
    }

    /// How many findings were left out as harmless.
    pub fn harmless(&self) -> u64 {
        self.harmless
    }

    /// Whether the separation of these two positions was marked as harmless.
    fn is_harmless(&mut self, first: SiteId, second: SiteId) -> bool {
        let mut found = false;
        for judged in &mut self.entries {
            let is_this = match &judged.sites {
                Ok([one, other]) => one.contains(&first) && other.contains(&second),
                Err(_) => false,
            };
            if judged.entry.answer == Answer::Harmless && is_this {
                judged.is_used = true;
                found = true;
            }
        }
        found
    }

    /// Says that the run is but a part of what its source files hold, as one test of many: nothing is to be said of
    /// entries for positions that it did not come by.
    pub fn leave_alone_what_did_not_run(&mut self) {
        for judged in &mut self.entries {
            if matches!(judged.sites, Err(Lost::NothingThere(_))) {
                judged.sites = Err(Lost::OtherProgram);
            }
        }
    }

    /// What is to be said of the entries that made no difference: of each, if they are not very many.
    pub fn unused(&self) -> Vec<Problem> {
        let entries = self.entries.iter();
        let is_unused =
            |judged: &&Judged| !judged.is_used && !matches!(judged.sites, Err(Lost::OtherProgram));
        let unused: Vec<&Judged> = entries.filter(is_unused).collect();
        let told = unused.iter().take(MOST_TOLD);
        let mut told: Vec<Problem> = told.filter_map(|judged| self.complaint(judged)).collect();
        if let Some(more @ 1..) = unused.len().checked_sub(MOST_TOLD) {
            told.push(Problem::plain(format!("{more} more unused answers")));
        }
        told
    }

    fn complaint(&self, judged: &Judged) -> Option<Problem> {
        let why = match (&judged.sites, judged.entry.answer) {
            (Err(Lost::OtherProgram), _) => return None,
            (Err(Lost::Changed(anchor)), _) => {
                format!(
                    "`{}` is no longer where it was in {}",
                    anchor.text, anchor.file
                )
            }
            (Err(Lost::Ambiguous(anchor)), _) => {
                format!(
                    "several lines of {} are like `{}`",
                    anchor.file, anchor.text
                )
            }
            (Err(Lost::NothingThere(anchor)), _) => format!(
                "nothing is accessed at column {} of `{}`",
                anchor.column, anchor.text
            ),
            (Ok(_), Answer::Merge) => "no cut lies between the two positions".to_owned(),
            (Ok(_), Answer::Harmless) => "there is no such finding".to_owned(),
        };
        let answer = judged.entry.answer.name();
        let mut problem = Problem::plain(format!("unused {answer}: {why}"));
        let source = Arc::clone(&judged.source);
        problem.label = Some("this answer changed nothing".into());
        Some(problem.at(Some(Position::new(source, judged.entry.site))))
    }
}

/// Checks a run that cannot be repeated, by the answers: a recording.
pub fn check_recorded<R: Run>(
    mut options: Options,
    run: &mut R,
    answers: &mut Answers,
) -> Result<Checked, Rejected> {
    let merged = answers.merged_cuts(run);
    options.harmless = answers.harmless_pairs();
    let mut checked = heddle_transactions::check(&mut WithoutCuts::new(run, merged), &options)?;
    answers.leave_out_harmless(&mut checked.outcome);
    Ok(checked)
}

/// The sites of the program that an entry of the file at `path` is about.
fn resolve(entry: &Entry, legend: &Legend, path: &Path) -> Result<[Vec<SiteId>; 2], Lost> {
    Ok([
        find(&entry.first, legend, path)?,
        find(&entry.second, legend, path)?,
    ])
}

fn find(anchor: &Anchor, legend: &Legend, path: &Path) -> Result<Vec<SiteId>, Lost> {
    let (id, file) = file_of(anchor, legend, path).ok_or(Lost::OtherProgram)?;
    // Recordings of native programs name files without their text.
    let text = match &file.text {
        Some(text) => text.clone(),
        None => fs::read_to_string(&file.path).unwrap_or_default(),
    };
    let place = anchor.find(&text).map_err(|lost| match lost {
        anchor::Lost::Changed => Lost::Changed(Box::new(anchor.clone())),
        anchor::Lost::Ambiguous => Lost::Ambiguous(Box::new(anchor.clone())),
    })?;
    let sites = (0..).zip(&legend.sites);
    let here = |site: &Site| site.file == id && (site.line, site.column) == place;
    let here = sites.filter(|(_, site)| here(site));
    let found: Vec<SiteId> = here.map(|(id, _)| SiteId::new(id)).collect();
    match found.is_empty() {
        true => Err(Lost::NothingThere(Box::new(anchor.clone()))),
        false => Ok(found),
    }
}

/// The source file that an anchor in the file of answers at `path` means: the one of that name beside it. If there is
/// none, one whose path ends so, from a `/` on.
fn file_of<'a>(
    anchor: &Anchor,
    legend: &'a Legend,
    path: &Path,
) -> Option<(FileId, &'a SourceFile)> {
    let beside = path.with_file_name(&anchor.file);
    let files = || (0..).map(FileId::new).zip(&legend.files);
    let is_beside = |(_, file): &(FileId, &SourceFile)| beside.ends_with(&file.path);
    let is_named =
        |(_, file): &(FileId, &SourceFile)| Path::new(&file.path).ends_with(&anchor.file);
    // A path that is only a name ends every path with that name: the longest says most.
    let nearest = files()
        .filter(is_beside)
        .max_by_key(|(_, file)| file.path.len());
    nearest.or_else(|| files().find(is_named))
}

/// The file of answers beside a program.
pub fn path_beside(program: &Path) -> PathBuf {
    program.with_file_name(FILE)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The text of a file of answers, for what is said of it.
pub fn source(path: &str, text: &str) -> Arc<Source> {
    Arc::new(Source::new(&SourceFile {
        path: path.into(),
        text: Some(text.into()),
    }))
}

#[cfg(test)]
mod tests;
