//! The text form, laid out for people: each defect with its source lines, why it is one, and what
//! to do; then the summary and the guarantee.

use std::fmt::Write;

use annotate_snippets::{Element, Group as Block, Level, Renderer};

use crate::cause;
use crate::chains::{self, WAITS_LISTED};
use crate::digest;
use crate::explain;
use crate::locks::held;
use crate::memory;
use heddle_core::Guarantee;

use crate::model::{Access, Certainty, Finding, Kind, Possible, Report, Totals, guarantee_phrase};
use crate::position::Position;
use crate::printable::printable;
use crate::problem::Problem;
use crate::snippet::{self, Mark};
use crate::stats::{CheckCounts, Stats};

/// Cuts between two transactions that text marks.
const CUTS_MARKED: usize = 4;

/// Whether escape sequences for colour are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Colour {
    /// No.
    Plain,
    /// Yes.
    Ansi,
}

/// The whole report, each line ended. The error is not in it: see [`render_problem`].
pub fn render(report: &Report, colour: Colour) -> String {
    let mut text = render_findings(report, colour);
    text.extend(left_out(report));
    text.push_str(&digest::text(&report.by_variable, &report.by_file));
    text.extend(report.stats.as_ref().map(stats));
    text.extend(
        report
            .exploration
            .as_ref()
            .map(|exploration| exploration.text()),
    );
    text.push_str(&summary(report));
    text
}

/// The findings alone, each with an empty line after it.
pub fn render_findings(report: &Report, colour: Colour) -> String {
    let mut text = String::new();
    let is_brief = |finding: &&Finding| {
        finding.certainty == Certainty::Possible && report.possible == Possible::Brief
    };
    let (brief, full): (Vec<&Finding>, Vec<&Finding>) = report.findings.iter().partition(is_brief);
    for finding in full {
        text.push_str(&draw(block(finding), colour));
        text.push('\n');
    }
    for finding in &brief {
        text.push_str(&draw(line(finding), colour));
    }
    if !brief.is_empty() {
        text.push('\n');
    }
    text
}

/// A possible finding in a line, with where it is.
fn line(finding: &Finding) -> Block<'static> {
    let accesses = finding.accesses.iter().map(|access| &access.position);
    let waits = finding.waits.iter().map(|wait| &wait.position);
    let mut places: Vec<String> = accesses
        .chain(waits)
        .flatten()
        .map(|at| format!("{}:{at}", at.file.path()))
        .collect();
    places.dedup();
    let headline = match places.is_empty() {
        true => headline(finding),
        false => format!("{} ({})", headline(finding), places.join(", ")),
    };
    let headline = match finding.same_cause.len() {
        0 => headline,
        more => format!("{headline}, and {more} more with the same cause"),
    };
    Level::WARNING
        .primary_title(printable(&headline).into_owned())
        .elements(Vec::<Element<'static>>::new())
}

/// An error, each line ended.
pub fn render_problem(problem: &Problem, colour: Colour) -> String {
    render_as(&Level::ERROR, problem, colour)
}

/// Something that is wrong but changes no result, ready to print.
pub fn render_warning(problem: &Problem, colour: Colour) -> String {
    render_as(&Level::WARNING, problem, colour)
}

fn render_as(level: &Level<'static>, problem: &Problem, colour: Colour) -> String {
    let mark = problem.position.clone().map(|position| Mark {
        position,
        label: problem.label.clone().unwrap_or_default(),
    });
    let block = level
        .clone()
        .primary_title(printable(&problem.message).into_owned())
        .elements(snippet::elements(mark.into_iter().collect()))
        .elements(
            problem
                .notes
                .iter()
                .map(|note| note_lines(std::slice::from_ref(note))),
        )
        .elements(problem.help.iter().map(|help| help_line(help)));
    draw(block, colour)
}

fn draw(block: Block<'_>, colour: Colour) -> String {
    let renderer = match colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    renderer.render(&[block]) + "\n"
}

fn block(finding: &Finding) -> Block<'static> {
    level(finding)
        .primary_title(printable(&headline(finding)).into_owned())
        .elements(snippet::elements(marks(finding)))
        .elements(notes(finding).iter().map(|note| note_lines(note)))
        .elements(schedule(finding))
        .elements(cycle(finding))
        .elements(because(finding))
        .elements(witness(finding))
        .elements(replay(finding))
        .elements(finding.help.iter().map(|help| help_line(help)))
}

fn level(finding: &Finding) -> Level<'static> {
    match (finding.certainty, finding.kind) {
        (Certainty::Possible, _) => Level::WARNING,
        (Certainty::Certain, Kind::Race) => Level::ERROR.with_name("race"),
        (Certainty::Certain, Kind::Assertion) => Level::ERROR.with_name("assertion"),
        (Certainty::Certain, Kind::Atomicity) => Level::ERROR.with_name("atomicity"),
        (Certainty::Certain, Kind::Transaction) => Level::ERROR.with_name("transaction"),
        (Certainty::Certain, Kind::Deadlock) => Level::ERROR.with_name("deadlock"),
        (Certainty::Certain, Kind::Misuse) => Level::ERROR.with_name("misuse"),
    }
}

/// The finding in one sentence, with how certain it is.
pub(crate) fn headline(finding: &Finding) -> String {
    let message = &finding.message;
    match (finding.certainty, finding.kind) {
        (Certainty::Certain, _) => message.clone(),
        (Certainty::Possible, Kind::Atomicity) => {
            format!("possible atomicity violation: {message}")
        }
        (Certainty::Possible, Kind::Transaction) => format!("possibly {message}"),
        (Certainty::Possible, Kind::Deadlock) => format!("possible deadlock: {message}"),
        (Certainty::Possible, _) => format!("possible race: {message}"),
    }
}

fn marks(finding: &Finding) -> Vec<Mark> {
    let accesses = access_marks(&finding.accesses);
    let waits = finding.waits.iter().take(WAITS_LISTED);
    let waits = waits.flat_map(|wait| {
        let held = wait.holds.iter().map(|hold| {
            let label = format!("{} takes {}", wait.task.phrase, hold.lock);
            (&hold.position, label)
        });
        let label = format!("{} waits for {}", wait.task.phrase, wait.awaited);
        held.chain([(&wait.position, label)])
    });
    let task = finding
        .task
        .iter()
        .map(|_| (&finding.position, label_of_task(finding.kind).into()));
    let related = finding.why.iter().filter(|_| finding.kind == Kind::Misuse);
    let related = related.map(|note| (&note.position, note.text.clone()));
    let all = accesses.into_iter().chain(waits).chain(task).chain(related);
    let all = all.filter_map(|(position, label)| {
        let position = position.clone()?;
        Some(Mark { position, label })
    });
    let cuts = finding.cuts.iter().take(CUTS_MARKED).map(|cut| Mark {
        position: cut.clone(),
        label: "cut".into(),
    });
    all.chain(cuts).collect()
}

/// One mark for both accesses where they are made at one place in one manner.
fn access_marks(accesses: &[Access]) -> Vec<(&Option<Position>, String)> {
    if let [first, second] = accesses
        && first.position == second.position
        && first.locks == second.locks
        && let Some(both) = explain::both(first, second)
    {
        return vec![(&first.position, circumstances(both, first))];
    }
    let labelled = accesses.iter();
    labelled
        .map(|access| (&access.position, access_label(access)))
        .collect()
}

fn access_label(access: &Access) -> String {
    let label = format!(
        "{} by {}",
        access.operation.participle(),
        access.task.phrase
    );
    circumstances(label, access)
}

/// In which function, and holding what.
fn circumstances(mut label: String, access: &Access) -> String {
    label.extend(access.function.iter().map(|name| format!(" in {name}")));
    match access.locks.as_slice() {
        [] => label,
        [lock] if lock == "isolated" => format!("{label} in isolated"),
        [lock] if lock == "atomic" => format!("{label}, atomically"),
        locks => format!("{label} holding {}", held(locks)),
    }
}

/// Each note is one or more lines.
fn notes(finding: &Finding) -> Vec<Vec<String>> {
    let mut notes = Vec::new();
    if finding.locations > 1 {
        let location = finding.location.as_deref().unwrap_or_default();
        let locations = grouped(finding.locations);
        // Elements that are all called the same are not told apart by naming one.
        notes.push(vec![match location.contains("[...]") {
            true => format!("{locations} locations"),
            false => format!("{locations} locations; shown for {location}"),
        }]);
    }
    let is_counted = !matches!(
        finding.kind,
        Kind::Assertion | Kind::Deadlock | Kind::Misuse
    );
    if is_counted && finding.count > finding.locations.max(1) {
        notes.push(vec![format!("seen {} times", grouped(finding.count))]);
    }
    notes.extend(finding.object.as_deref().and_then(memory::describe));
    notes.extend(memory::stacks(&finding.accesses));
    notes.extend(chains::told(finding).map(|chain| vec![chain]));
    notes.extend(waits_left_out(finding).map(|more| vec![more]));
    notes.extend(Some(cause::told(finding)).filter(|lines| !lines.is_empty()));
    notes
}

/// One sentence per line.
fn label_of_task(kind: Kind) -> &'static str {
    match kind {
        Kind::Misuse => "here",
        _ => "does not hold",
    }
}

fn because(finding: &Finding) -> Option<Element<'static>> {
    // What goes with a misuse is marked where it is.
    if finding.kind == Kind::Misuse {
        return None;
    }
    let sentences: Vec<_> = finding
        .why
        .iter()
        .map(|note| printable(&note.text))
        .collect();
    let level = Level::NOTE.with_name(match finding.kind {
        Kind::Transaction => "decided",
        _ => "parallel",
    });
    (!sentences.is_empty()).then(|| level.message(sentences.join(",\n")).into())
}

/// The two orders of a race, one per line.
fn witness(finding: &Finding) -> Option<Element<'static>> {
    let orders = finding.witness.iter().map(|stops| {
        let stops = stops.iter().map(|stop| match stop.place.is_empty() {
            true => stop.phrase.clone(),
            false => format!("{} to {}", stop.phrase, stop.place),
        });
        let stops: Vec<_> = stops.collect();
        printable(&stops.join(", ")).into_owned()
    });
    let orders: Vec<_> = orders.collect();
    let level = Level::NOTE.with_name("witness");
    (!orders.is_empty()).then(|| level.message(orders.join("\nor ")).into())
}

fn schedule(finding: &Finding) -> Option<Element<'static>> {
    let steps = finding.schedule.iter().map(|step| printable(&step.text));
    let steps: Vec<_> = steps.collect();
    let level = Level::NOTE.with_name("schedule");
    (!steps.is_empty()).then(|| level.message(steps.join("\n")).into())
}

/// Who would have to come before whom, one step per line.
fn cycle(finding: &Finding) -> Option<Element<'static>> {
    let steps = finding.cycle.iter().map(|step| printable(&step.text));
    let steps: Vec<_> = steps.collect();
    let level = Level::NOTE.with_name("uncut");
    (!steps.is_empty()).then(|| level.message(steps.join(",\n")).into())
}

fn replay(finding: &Finding) -> Option<Element<'static>> {
    let replay = finding.replay.as_ref()?;
    let level = Level::NOTE.with_name("replay");
    Some(
        level
            .message(printable(&replay.command).into_owned())
            .into(),
    )
}

fn waits_left_out(finding: &Finding) -> Option<String> {
    let more = finding.waits.len().checked_sub(WAITS_LISTED + 1)? + 1;
    Some(format!("{more} more waits"))
}

fn note_lines(lines: &[String]) -> Element<'static> {
    let lines: Vec<_> = lines.iter().map(|line| printable(line)).collect();
    Level::NOTE.no_name().message(lines.join("\n")).into()
}

fn help_line(help: &str) -> Element<'static> {
    Level::HELP.message(printable(help).into_owned()).into()
}

fn left_out(report: &Report) -> Option<String> {
    (report.left_out > 0).then(|| {
        format!(
            "{} not shown (--max-findings)\n\n",
            count(report.left_out, "more finding")
        )
    })
}

fn summary(report: &Report) -> String {
    let program = printable(&report.program);
    let mut text = format!("{program}: {}\n", result(report));
    let _ = write!(text, "guarantee: {}", guarantee_phrase(report.guarantee));
    if let Some(threads) = report.threads {
        let _ = write!(text, " with {}", count(threads.into(), "thread"));
    }
    let mut rest = Vec::new();
    if !report.not_covered.is_empty() {
        rest.push(format!("not covered: {}", report.not_covered.join(", ")));
    }
    rest.extend(explore_command(report));
    if !rest.is_empty() {
        let _ = write!(text, " ({})", rest.join("; "));
    }
    text.push('\n');
    text
}

/// What settles the rest, where Heddle can: `.task` programs run under any schedule.
fn explore_command(report: &Report) -> Option<String> {
    if report.transactions.is_some() {
        return None;
    }
    let is_open = report.guarantee == heddle_core::Guarantee::KeepingAccesses;
    (is_open && report.program.ends_with(".task"))
        .then(|| format!("settled by: heddle explore {}", printable(&report.program)))
}

fn result(report: &Report) -> String {
    let mut found = totals(&report.totals);
    if report.suppressed > 0 {
        let clean = found.is_empty() && report.error.is_none();
        found.extend(clean.then(|| "clean".to_owned()));
        found.push(format!("{} suppressed", grouped(report.suppressed)));
    }
    if report.known > 0 {
        let clean = found.is_empty() && report.error.is_none();
        found.extend(clean.then(|| "nothing new".to_owned()));
        found.push(format!("{} known", grouped(report.known)));
    }
    let result = match (found.is_empty(), &report.error, report.guarantee) {
        (true, None, _) if report.transactions.is_some() => "clean: no cut can be seen".into(),
        (false, ..) => found.join(", "),
        (true, Some(_), _) => "nothing found before it stopped".into(),
        (true, None, Guarantee::NotChecked | Guarantee::UnknownScheduler) => "not checked".into(),
        (true, None, Guarantee::UpToHere) => "nothing found before it stopped".into(),
        (true, None, _) => "clean".into(),
    };
    let cycles = report.transactions.unwrap_or_default();
    let counted = [
        (cycles.unlisted, "more at the same positions"),
        (cycles.refuted, "refuted"),
    ];
    let counted = counted.iter().filter(|(number, _)| *number > 0);
    counted.fold(result, |text, &(number, what)| {
        format!("{text}, {} {what}", grouped(number))
    })
}

fn totals(totals: &Totals) -> Vec<String> {
    let kinds = [
        (totals.races, "race"),
        (totals.possible_races, "possible race"),
        (totals.atomicity, "atomicity violation"),
        (totals.possible_atomicity, "possible atomicity violation"),
        (totals.transactions, "visible cut"),
        (totals.possible_transactions, "possible visible cut"),
        (totals.assertions, "failed assertion"),
        (totals.deadlocks, "deadlock"),
        (totals.possible_deadlocks, "possible deadlock"),
        (totals.misuses, "misuse"),
    ];
    let present = kinds.into_iter().filter(|(number, _)| *number > 0);
    present
        .map(|(number, noun)| count(number as u64, noun))
        .collect()
}

pub(crate) fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", grouped(number)),
    }
}

fn stats(stats: &Stats) -> String {
    let mut rows = vec![("tasks", stats.tasks), ("finishes", stats.finishes)];
    if let Some(work) = &stats.work {
        rows.extend([
            ("strands", work.strands),
            ("extra edges", work.extra_edges),
            ("hand-offs", work.hand_offs),
            ("reads checked", work.reads),
            ("writes checked", work.writes),
        ]);
    }
    if let Some(counts) = &stats.event_driven {
        rows.extend([
            ("EDTs", counts.edts),
            ("events", counts.events),
            ("edges", counts.edges),
        ]);
    }
    let mut text = format!("{:<16} {:>14}\n", "order", stats.order);
    for (name, value) in rows {
        let _ = writeln!(text, "{name:<16} {:>14}", grouped(value));
    }
    if let Some(cycles) = stats.transactions {
        let rows = [
            ("transactions", cycles.transactions),
            ("interactions", cycles.interactions),
            ("cycles confirmed", cycles.confirmed),
            ("cycles refuted", cycles.refuted),
            ("not decided", cycles.undecided),
        ];
        for (name, value) in rows {
            let _ = writeln!(text, "{name:<16} {:>14}", grouped(value));
        }
    }
    text.extend(stats.checks.as_ref().map(checks));
    if !stats.elapsed.is_zero() {
        let elapsed = format!("{:.1?}", stats.elapsed);
        let _ = writeln!(text, "{:<16} {elapsed:>14}", "time");
    }
    text.push('\n');
    text
}

fn checks(checks: &CheckCounts) -> String {
    let total = checks.without_elimination;
    let mut text = String::new();
    let mut row = |name: &str, value: u64| {
        let percent = 100.0 * value as f64 / total.max(1) as f64;
        let _ = writeln!(text, "{name:<16} {:>14} {percent:>6.1} %", grouped(value));
    };
    row("checks, all", total);
    row("checks, made", checks.with_elimination);
    for saved in &checks.eliminated {
        row(&format!("  {}", saved.elimination), saved.checks);
    }
    text
}

/// `1 234 567`: thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
