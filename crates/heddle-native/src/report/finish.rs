//! The end of a checked run: everything found becomes one report.

use crate::api::turns;
use crate::openmp;
use crate::report::modules::modules;
use crate::report::options::{Color, Format, Options};
use crate::report::places::Located;
use crate::report::races::{self, Found, Mentioned};
use crate::report::tables::Tables;
use crate::report::{deadlocks, destination, misuse, recording, tears, unseen, witness};
use crate::runtime::Runtime;
use heddle_core::roster::Ancestry;
use heddle_core::{Access, Counts, Features, Finding, Guarantee, OrderChoice, Outcome, SiteId};
use heddle_report::baseline::Baseline;
use heddle_report::json::{self, Layout};
use heddle_report::suppress::{Defect, Subject as Suppressed, Suppressions};
use heddle_report::text::{self, Colour};
use heddle_report::{Report, Settings, Stats, Strictness, Subject, Unchecked, Verdict};
use heddle_rt::Analysis;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;

/// Findings shown in text unless told otherwise.
const TEXT_LIMIT: usize = 100;

/// What is left out unless the user asks for it: a queue, a flag or a countdown used as it should be orders accesses by
/// nothing but what was read, and one run cannot tell it from code that would have gone on in any case.
const HANDED_OVER: &str =
    "races that only this run's hand-offs through locks and atomics rule out, which --strict lists";

/// How the run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// As the program wanted.
    Proper,
    /// By a crash or a signal: what would have followed is not known.
    Early,
}

/// Writes the report; says whether there is anything to mend.
pub fn finish(runtime: &Runtime, ending: Ending) -> bool {
    recording::finish(runtime);
    let report = report(runtime, ending);
    let has_findings = report.verdict == Verdict::Findings;
    let is_silent = runtime.options.is_quiet && report.findings.is_empty();
    let is_terminal = runtime.options.report.is_none() && io::stderr().is_terminal();
    let rendered = || render(&report, &runtime.options, is_terminal);
    if !is_silent && let Err(problem) = write(&rendered(), &runtime.options) {
        crate::say::say!("heddle: {problem}");
        // A report that is nowhere else is not lost.
        let _ = crate::say::write(&rendered());
    }
    if let (true, Some(path)) = (is_silent, &runtime.options.report) {
        destination::discard(path);
    }
    if has_findings && runtime.options.marks {
        destination::mark();
    }
    has_findings
}

fn report(runtime: &Runtime, ending: Ending) -> Report {
    let mut tables = Tables::new(modules());
    let outcome = outcome(runtime, ending, &mut tables);
    if tables.lacks_debug_information {
        say_what_is_missing();
    }
    let subject = Subject {
        program: program(),
        outcome: &outcome,
        legend: &tables.legend,
        features: Features {
            locks: runtime.engine.used_exclusion(),
            atomics: crate::api::atomic::any(),
            ..Features::default()
        },
        unchecked: left_out(runtime),
    };
    let baseline = baseline(&runtime.options);
    let settings = settings(&runtime.options, baseline.as_ref());
    let mut report = Report::detailed(subject, &tables.details, settings);
    report.threads = openmp::largest_team();
    if turns::are_given() {
        // Other orders are other runs.
        report.not_covered.clear();
    }
    report.not_covered.extend(gaps(report.threads));
    report.not_covered.extend(unseen::gaps(modules()));
    if report.verdict == Verdict::Clean && !is_whole(report.guarantee) {
        report.verdict = Verdict::Unknown;
    }
    if runtime.engine.lost_an_access() {
        let gap = "some races with one of many parallel readers: release and acquire, or tasks nobody waits for, \
                   order those that stood for it";
        report.not_covered.push(gap.into());
    }
    let hides = !runtime.options.is_strict && !turns::are_given();
    if hides && runtime.engine.used_exclusion() {
        report.not_covered.push(HANDED_OVER.into());
    }
    report.not_covered.extend(crate::ocr::gaps());
    let stats = || Stats {
        event_driven: crate::ocr::counts(),
        ..Stats::of_tasks("tree", &outcome.counts)
    };
    report.stats = runtime.options.has_stats.then(stats);
    report
}

/// Says why positions are addresses.
fn say_what_is_missing() {
    match std::fs::File::open("/proc/self/exe") {
        Ok(_) => crate::say::say!("heddle: no debug information: compile with heddle cc or -g"),
        Err(error) => crate::say::say!(
            "heddle: the program's own file cannot be opened any more ({error}): positions are addresses"
        ),
    }
}

/// Whether the run was checked from its start to its end.
fn is_whole(guarantee: Guarantee) -> bool {
    matches!(
        guarantee,
        Guarantee::AllSchedules | Guarantee::KeepingAccesses
    )
}

/// What was not looked at: code that was not instrumented, and what more threads would have done. That there is one
/// thread is also said beforehand: a race between the threads of a team needs two.
fn gaps(threads: Option<u32>) -> Vec<String> {
    let mut gaps = Vec::new();
    if threads == Some(1) {
        crate::say::say!(
            "heddle: warning: every team had one thread, so races between its threads are not found (--threads)"
        );
        gaps.push("races between the threads of a team: each had one".to_owned());
    }
    let unchecked = modules().unchecked();
    if !unchecked.is_empty() {
        let names = unchecked.join(", ");
        gaps.push(format!("what {names} does: not built with heddle cc"));
    }
    gaps
}

/// What the options leave out.
fn left_out(runtime: &Runtime) -> Unchecked {
    match runtime.options.analysis {
        Analysis::Races if crate::api::atomic::any() => Unchecked::Atomicity,
        Analysis::Atomicity => Unchecked::Races,
        _ if !crate::api::atomic::cuts().is_empty() => Unchecked::Transactions,
        _ => Unchecked::Nothing,
    }
}

fn outcome(runtime: &Runtime, ending: Ending, tables: &mut Tables) -> Outcome {
    let engine = &runtime.engine;
    let possible = engine.possible_deadlocks();
    let has_findings = engine.tear_count() > 0
        || !engine.race_locations(0).is_empty()
        || !possible.is_empty()
        || !deadlocks::stuck(ending).is_empty()
        || crate::ocr::has_findings();
    let counts = Counts {
        tasks: u64::from(engine.task_count()),
        finishes: u64::from(engine.finish_count()) + 1,
        crowded: engine.crowded_locations(),
        ..Counts::default()
    };
    let mut mentioned = Mentioned::default();
    // Read in any case: a file that cannot be used is to be known before it is needed.
    let suppressions = suppressions(&runtime.options);
    let findings = match has_findings {
        true => {
            let deadlocks = (&*possible, ending);
            let suppressions = &suppressions;
            findings(runtime, tables, &mut mentioned, suppressions, deadlocks)
        }
        false => Vec::new(),
    };
    Outcome {
        findings,
        guarantee: guarantee(runtime, ending),
        fault: None,
        tasks: mentioned.tasks,
        finishes: mentioned.finishes,
        locks: mentioned.locks,
        tokens: Vec::new(),
        counts,
        orders: vec![OrderChoice::Graph],
        transactions: None,
    }
}

fn guarantee(runtime: &Runtime, ending: Ending) -> Guarantee {
    if !modules().schedulers().is_empty() {
        return Guarantee::UnknownScheduler;
    }
    let is_cut_short = ending == Ending::Early || runtime.engine.gave_up();
    match (is_cut_short, runtime.engine.used_exclusion()) {
        (true, _) => Guarantee::UpToHere,
        (false, true) => Guarantee::KeepingAccesses,
        (false, false) => Guarantee::AllSchedules,
    }
}

fn findings(
    runtime: &Runtime,
    tables: &mut Tables,
    mentioned: &mut Mentioned,
    suppressions: &Suppressions,
    (possible, ending): (&[Finding], Ending),
) -> Vec<Finding> {
    let ancestry = Ancestry::new(&runtime.engine);
    let races = runtime.engine.races(&ancestry);
    let tears = runtime.engine.tears(&ancestry);
    let found = Found {
        races,
        bytes: runtime.engine.race_bytes(),
        racy: runtime.engine.racy_bytes(),
        tears,
        torn_bytes: runtime.engine.tear_bytes(),
        participants: &runtime.engine,
        locks: runtime.locks.all(),
        witnesses: witness::take(),
    };
    let mut races = races::items(&found, tables);
    let torn = tears::items(&found, tables);
    if guarantee(runtime, Ending::Proper) == Guarantee::UnknownScheduler {
        races.iter_mut().for_each(races::Item::doubt);
    }
    if !runtime.options.is_strict {
        races.retain(races::Item::is_certain);
    }
    let mut findings = Vec::new();
    let mut suppressed = Vec::new();
    for race in &races {
        let located = std::slice::from_ref(&race.located);
        let is_hidden = is_hidden(Defect::Race, &race.accesses, located, tables, suppressions);
        let found = race.finding(&found, tables, mentioned);
        match is_hidden {
            true => suppressed.push(found),
            false => findings.push(found),
        }
    }
    for tear in &torn {
        let tears::Item {
            accesses, located, ..
        } = tear;
        let is_hidden = is_hidden(Defect::Atomicity, accesses, located, tables, suppressions);
        let found = tear.finding(&found, tables, mentioned);
        match is_hidden {
            true => suppressed.push(found),
            false => findings.push(found),
        }
    }
    tables.details.suppressed = suppressed;
    findings.extend(deadlocks::findings(
        possible, ending, &found, tables, mentioned,
    ));
    findings.extend(misuse::findings(&found, tables, mentioned));
    mentioned.number(&runtime.engine, tables);
    tables.sort_files();
    findings
}

fn is_hidden(
    defect: Defect,
    accesses: &[Access],
    located: &[Located],
    tables: &Tables,
    suppressions: &Suppressions,
) -> bool {
    if suppressions.is_empty() {
        return false;
    }
    let covers = |subject: Suppressed| suppressions.covers(defect, subject);
    let frame = |site: SiteId| tables.details.frames.get(&site);
    let stack = |access: &heddle_core::Access| {
        let mut sites = std::iter::successors(Some(access.site), |site| frame(*site)?.caller);
        sites.any(|site| {
            let function = frame(site).map(|frame| &*frame.function);
            let at = tables.legend.site(site);
            let file = at.and_then(|at| tables.legend.file(at.file));
            function.is_some_and(|name| covers(Suppressed::Function(name)))
                || file.is_some_and(|file| covers(Suppressed::File(&file.path)))
        })
    };
    let mut names = located
        .iter()
        .flat_map(|part| [&part.name, &part.object.name]);
    accesses.iter().any(stack) || names.any(|name| covers(Suppressed::Variable(name)))
}

/// A file that cannot be used suppresses nothing, and is complained about in one line.
fn suppressions(options: &Options) -> Suppressions {
    let Some(path) = &options.suppressions else {
        return Suppressions::default();
    };
    let read = heddle_report::read::text(path).map_err(|error| error.to_string());
    let parsed = read.and_then(|text| Suppressions::parse(&text).map_err(|line| line.to_string()));
    parsed.unwrap_or_else(|problem| {
        let path = path.display();
        crate::say::say!("heddle: suppressions {path}: {problem}; nothing is suppressed");
        Suppressions::default()
    })
}

/// A file that cannot be used is complained about in one line; then every finding is new.
fn baseline(options: &Options) -> Option<Baseline> {
    let path = options.baseline.as_ref()?;
    let read = heddle_report::read::text(path).map_err(|error| error.to_string());
    match read.and_then(|text| Baseline::read(&text)) {
        Ok(baseline) => Some(baseline),
        Err(problem) => {
            let path = path.display();
            crate::say::say!("heddle: baseline {path}: {problem}; every finding counts as new");
            None
        }
    }
}

fn settings<'a>(options: &Options, baseline: Option<&'a Baseline>) -> Settings<'a> {
    let limit = match (options.max_findings, options.format) {
        (Some(0), _) | (None, Format::Json) => None,
        (None, Format::Text) => Some(TEXT_LIMIT),
        (Some(limit), _) => Some(limit),
    };
    let strictness = match options.is_strict {
        true => Strictness::Strict,
        false => Strictness::CertainOnly,
    };
    Settings {
        strictness,
        limit,
        grouping: options.grouping,
        possible: options.possible,
        baseline,
    }
}

/// The program as the user called it; asked early, as it may not be able to find out later.
pub(crate) fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let arguments = std::fs::read("/proc/self/cmdline").unwrap_or_default();
        let mut words = arguments.split(|&byte| byte == 0);
        String::from_utf8_lossy(words.next().unwrap_or_default()).into_owned()
    })
}

fn write(rendered: &[u8], options: &Options) -> Result<(), String> {
    let Some(path) = &options.report else {
        return crate::say::write(rendered).map_err(|error| error.to_string());
    };
    destination::add(path, rendered)
}

fn render(report: &Report, options: &Options, is_terminal: bool) -> Vec<u8> {
    match options.format {
        Format::Text => text::render(report, colour(options.color, is_terminal)).into_bytes(),
        Format::Json => {
            let mut bytes = Vec::new();
            // Writing to memory cannot fail.
            let _ = json::write(report, Layout::Line, &mut bytes);
            bytes
        }
    }
}

fn colour(color: Color, is_terminal: bool) -> Colour {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match color {
        Color::Always => Colour::Ansi,
        Color::Auto if is_terminal && !is_unwanted => Colour::Ansi,
        Color::Auto | Color::Never => Colour::Plain,
    }
}
