//! From what a search found to findings with positions and names: the schedule is run again, and judged
//! by the engine of `heddle-core`.

use super::exploration::Explored;
use super::numbers::Numbers;
use crate::locations;
use crate::sites::Caller;
use heddle_core::{
    Access, Certainty, Features, FileId, Finding, Legend, NameId, OrderChoice, Outcome, Place,
    Site, SiteId, SourceFile,
};
use heddle_explore::{Replay, Schedule, Verdict};
use heddle_report::text::{self, Colour};
use heddle_report::{Report, Settings, Subject, Unchecked};
use rustc_hash::{FxHashMap, FxHashSet};

/// Judges schedules, and keeps each finding once.
pub(super) struct Judge<'a> {
    numbers: &'a Numbers,
    at: Caller,
    known: FxHashSet<Defect>,
    found: Vec<Explored>,
}

/// What makes two findings the same defect.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Defect {
    Race([SiteId; 2]),
    Assertion(SiteId),
    Deadlock(Vec<SiteId>),
    Other,
}

impl Defect {
    fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Race(race) => Self::Race(race.sites),
            Verdict::Assertion { site } => Self::Assertion(*site),
            Verdict::Deadlock { sites } => Self::Deadlock(sites.clone()),
            Verdict::Fault { .. } => Self::Other,
        }
    }

    fn is(&self, finding: &Finding) -> bool {
        match (self, finding) {
            (Self::Race(sites), Finding::Race { accesses, .. }) => *sites == sites_of(accesses),
            (Self::Assertion(at), Finding::Assertion { site, .. }) => at == site,
            (Self::Deadlock(_), Finding::Deadlock { .. }) => true,
            _ => false,
        }
    }
}

fn sites_of(accesses: &[Access; 2]) -> [SiteId; 2] {
    let mut sites = [accesses[0].site, accesses[1].site];
    sites.sort_unstable();
    sites
}

/// What an explored program may do.
pub(super) const FEATURES: Features = Features {
    extra_edges: true,
    scope_handles: true,
    isolated: true,
    locks: true,
    choices: true,
    cuts: false,
    atomics: false,
};

impl<'a> Judge<'a> {
    pub(super) fn new(numbers: &'a Numbers, at: Caller) -> Self {
        Self {
            numbers,
            at,
            known: FxHashSet::default(),
            found: Vec::new(),
        }
    }

    /// Whether nothing like it was judged before.
    pub(super) fn is_new(&mut self, verdict: &Verdict) -> bool {
        self.known.insert(Defect::of(verdict))
    }

    /// Adds what this schedule shows of the verdict.
    pub(super) fn add(&mut self, verdict: &Verdict, schedule: &Schedule, played: Replay) {
        let defect = Defect::of(verdict);
        self.keep(schedule, played, |finding| defect.is(finding));
    }

    /// Adds all that this schedule shows.
    pub(super) fn add_all(&mut self, schedule: &Schedule, played: Replay) {
        self.keep(schedule, played, |finding| {
            !matches!(
                finding,
                Finding::PossibleDeadlock { .. }
                    | Finding::Race {
                        certainty: Certainty::Possible,
                        ..
                    }
            )
        });
    }

    /// All of them.
    pub(super) fn found(self) -> Vec<Explored> {
        self.found
    }

    fn keep(&mut self, schedule: &Schedule, played: Replay, wanted: impl Fn(&Finding) -> bool) {
        let mut played = played;
        let Ok(mut outcome) = heddle_check::check(&mut played, OrderChoice::Graph) else {
            return;
        };
        match outcome.findings.iter().any(&wanted) {
            true => outcome.findings.retain(wanted),
            // Of a strand that accesses a location at two places, the search may name the other one.
            false => outcome.findings.retain(|finding| match finding {
                Finding::Race {
                    certainty: Certainty::Certain,
                    accesses,
                    ..
                } => self.known.insert(Defect::Race(sites_of(accesses))),
                _ => false,
            }),
        }
        let legend = self.name(&mut outcome);
        for finding in std::mem::take(&mut outcome.findings) {
            outcome.findings = vec![finding];
            let subject = Subject {
                program: self.at.file(),
                outcome: &outcome,
                legend: &legend,
                features: FEATURES,
                unchecked: Unchecked::Nothing,
            };
            let report = Report::new(subject, Settings::default());
            let text = self.text(&report, &outcome.findings[0]);
            self.found
                .extend(report.findings.into_iter().map(|finding| Explored {
                    finding,
                    schedule: schedule.to_string(),
                    text: text.clone(),
                }));
        }
    }

    fn text(&self, report: &Report, finding: &Finding) -> String {
        let mut text = text::render_findings(report, Colour::Plain);
        text.truncate(text.trim_end().len());
        text.push('\n');
        let panic = match finding {
            Finding::Assertion { site, .. } => self.numbers.panic_at(*site),
            _ => None,
        };
        if let Some(panic) = panic {
            text.push_str(&format!("panic: {}\n", panic.message));
        }
        text
    }

    /// Gives names to what the findings mention; explored findings are certain.
    fn name(&self, outcome: &mut Outcome) -> Legend {
        let mut legend = self.numbers.sites.legend();
        let mut names = Names::default();
        outcome.locks = self
            .numbers
            .lock_names()
            .into_iter()
            .map(|name| names.id(name))
            .collect();
        for finding in &mut outcome.findings {
            match finding {
                Finding::Race {
                    place, certainty, ..
                } => {
                    *certainty = Certainty::Certain;
                    self.name_place(place, &mut names);
                }
                Finding::Assertion { site, .. } => {
                    *site = self.panic_site(*site, &mut legend);
                }
                _ => {}
            }
        }
        legend.names = names.texts;
        legend
    }

    fn name_place(&self, place: &mut Place, names: &mut Names) {
        let inside = self.numbers.label(place.location);
        let known = inside.or_else(|| locations::labels(&[place.location]).pop().flatten());
        if let Some(known) = known {
            place.name = Some(names.id(known.label.to_string()));
            place.index = known.index;
        }
    }

    /// A row of the legend for where a panic came from.
    fn panic_site(&self, site: SiteId, legend: &mut Legend) -> SiteId {
        let Some(panic) = self.numbers.panic_at(site) else {
            return site;
        };
        let known = legend.files.iter().position(|file| file.path == panic.file);
        let file = known.unwrap_or_else(|| {
            legend.files.push(SourceFile {
                text: crate::sites::read_source(&panic.file),
                path: panic.file,
            });
            legend.files.len() - 1
        });
        legend.sites.push(Site {
            file: FileId::new(file as u32),
            line: panic.line,
            column: panic.column,
            end_line: panic.line,
            end_column: panic.column + 1,
        });
        SiteId::new(legend.sites.len() as u32 - 1)
    }
}

#[derive(Default)]
struct Names {
    ids: FxHashMap<String, NameId>,
    texts: Vec<String>,
}

impl Names {
    fn id(&mut self, text: String) -> NameId {
        let next = NameId::new(self.texts.len() as u32);
        *self.ids.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}

/// `1 schedule`, `12 schedules`.
pub(super) fn plural(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
