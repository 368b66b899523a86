//! `heddle check`: every file in turn, the worst status at the end.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use heddle_answers::Answers;
use heddle_core::{Features, Guarantee, Legend, Outcome, Run, SiteId, TaskId};
use heddle_lang::Diagnostic;
use heddle_lang::eliminate::eliminate;
use heddle_lang::ir::Elimination;
use heddle_lang::machine::RunCounts;
use heddle_report::html;
use heddle_report::{
    CheckCounts, Eliminated, Position, Problem, Report, Settings, Source, Stats, Strictness,
    Subject, Unchecked,
};
use heddle_trace::Trace;
use serde_json::Value;

use crate::arguments::{Analysis, CheckOptions, CutRule, Format};
use crate::console::{Console, note};
use crate::input::{self, Input};
use crate::program::{Live, Silent};
use crate::progress::Progress;
use crate::results::{Results, Wanted};
use crate::status::{Status, guarded};
use crate::suggest::Own;
use crate::{graph, joins, order, record, replay, suggest, transactions};

/// Strands of a run that a page's graph is made from.
const TRACED: usize = 1 << 20;
/// Strands that a page shows; beyond, those without part in a finding are folded away.
const SHOWN: usize = 600;

/// The whole command.
pub fn run(options: &CheckOptions) -> Status {
    let wanted = Wanted {
        show: options.show.clone(),
        max_findings: options.max_findings,
        expect: options.expect,
        files: options.files.len(),
    };
    let results = match Results::new(options.color, wanted) {
        Ok(results) => results,
        Err(problem) => {
            Console::new(options.color).problems(&[problem]);
            return Status::Error;
        }
    };
    let mut checker = Checker { options, results };
    match checker.usage_problem() {
        Some(problem) => checker.fail(&problem),
        None => checker.all(),
    }
}

struct Checker<'a> {
    options: &'a CheckOptions,
    results: Results,
}

/// What checking one file yielded.
struct Checked {
    /// What the report calls the program: its file, or a native program's recording, which names many.
    program: String,
    outcome: Outcome,
    legend: Legend,
    features: Features,
    unchecked: Unchecked,
    stats: Stats,
    /// What the programmer said about findings.
    answers: Answers,
    /// The graph of the run, for a page.
    graph: Option<Value>,
    /// What is wrong with the file or with the recording of the run.
    problem: Option<Problem>,
    /// Where tasks that races are about were joined.
    joins: HashMap<TaskId, SiteId>,
    /// The program's file, if it can be run again.
    file: Option<String>,
}

impl Checked {
    /// What the report is about: the program that ran, also where its recording was checked.
    fn subject(&self) -> Subject<'_> {
        Subject {
            program: &self.program,
            outcome: &self.outcome,
            legend: &self.legend,
            features: self.features,
            unchecked: self.unchecked,
        }
    }
}

impl Checker<'_> {
    /// What the table of flags cannot say.
    fn usage_problem(&self) -> Option<Problem> {
        let files = &self.options.files;
        let stdin = files.iter().filter(|path| input::is_stdin(path)).count();
        if self.options.record.is_some() && files.len() > 1 {
            return Some(Problem::plain("--record needs a single program"));
        }
        if self.options.suggest_cuts && self.options.show.format != Format::Text {
            let message = "--suggest-cuts prints an edit, not a report: leave out --format";
            return Some(Problem::plain(message));
        }
        if self.options.record.as_deref().is_some_and(input::is_stdin) {
            return Some(Problem::plain("--record needs a file, not -"));
        }
        (stdin > 1).then(|| Problem::plain("standard input (-) can be given only once"))
    }

    fn all(&mut self) -> Status {
        let mut worst = Status::Clean;
        for path in &self.options.files {
            // A bug that one file brings to light must not keep the others from being checked.
            worst = worst.max(guarded(|| self.file(path)));
        }
        self.results.end(worst)
    }

    fn fail(&self, problem: &Problem) -> Status {
        self.fail_for(std::slice::from_ref(problem))
    }

    fn fail_for(&self, problems: &[Problem]) -> Status {
        self.results.fail(problems)
    }

    fn file(&mut self, path: &Path) -> Status {
        let checked = match input::read(path) {
            Err(problem) => return self.fail(&problem),
            Ok(Input::Recorded(..)) if self.options.suggest_cuts => {
                let name = input::shown(path);
                let message = format!("--suggest-cuts: {name} is a recorded run, not a program");
                return self.fail(&Problem::plain(message));
            }
            Ok(Input::Recorded(trace, damage)) => self.recorded(path, *trace, damage),
            Ok(Input::Program(text)) if self.options.suggest_cuts => {
                return self.suggest(path, &text);
            }
            Ok(Input::Program(text)) => self.program(path, &text),
        };
        match checked {
            Ok(checked) => self.show(path, checked),
            Err(problems) => self.fail_for(&problems),
        }
    }

    /// Prints cuts that cannot be seen as an edit.
    fn suggest(&mut self, path: &Path, text: &str) -> Status {
        let name = input::shown(path);
        let program = match heddle_lang::compile(&name, text) {
            Ok(program) => program,
            Err(diagnostics) => return self.fail_for(&problems(&name, text, &diagnostics)),
        };
        let rule = self.options.cuts.unwrap_or(CutRule::Menier);
        let found = suggest::suggest(&program, rule.into(), self.options.exact.into());
        let (what, status) = match found.own {
            Own::Right => ("", Status::Clean),
            Own::Seen => ("its own cuts can be seen", Status::Findings),
            Own::Stopped => ("the run does not come to its end", Status::Error),
            Own::Refused(rejected) => {
                return self.fail(&transactions::problem(&name, &program.legend, rejected));
            }
        };
        if status != Status::Clean {
            let problem = Problem::plain(format!("{name}: {what}"));
            let help = "mend that first: heddle check shows it";
            self.results
                .console
                .problems(&[problem.help(Some(help.into()))]);
            return status;
        }
        let edit = suggest::edit(&name, text, &found.cuts);
        self.results.console.print(&edit);
        let (kept, tried) = (found.cuts.len(), found.tried);
        // The only way to fail here is a closed standard error, and then nobody listens.
        let _ = note(&format!("{name}: {kept} of {tried} cuts cannot be seen"));
        Status::Clean
    }

    fn program(&self, path: &Path, text: &str) -> Result<Checked, Vec<Problem>> {
        let name = input::shown(path);
        let mut program = heddle_lang::compile(&name, text)
            .map_err(|diagnostics| problems(&name, text, &diagnostics))?;
        let asks = self.options.analysis == Analysis::Transactions;
        program.features.cuts |= asks || self.options.cuts.is_some();
        let eliminations = self.options.eliminations(program.features.cuts);
        let full = program.clone();
        eliminate(&mut program, eliminations);
        let mut answers = answers(path, program.features, &program.legend)?;
        let recorder = match &self.options.record {
            Some(to) => Some(record::start(to, path, &program).map_err(|problem| vec![problem])?),
            None => None,
        };
        let progress = Progress::start(format!("checking {name}"));
        let mut live = Live::new(&program, &full, self.options.cuts(), recorder, &progress);
        let checked = match program.features.cuts {
            true => transactions::program(
                self.asked(),
                &name,
                &program.legend,
                &mut live,
                &mut answers,
            ),
            false => self.check(&name, &mut live),
        };
        let counts = live.counts();
        let problem = self.close_recording(live);
        let (outcome, mut stats) = checked?;
        stats.checks = Some(check_counts(counts));
        let graph = self.graph(&mut Silent::new(&full), &program.legend, &outcome);
        let joins = joins::of_races(&mut Silent::new(&full), &outcome);
        Ok(Checked {
            program: name.clone(),
            joins,
            graph,
            problem,
            outcome,
            stats,
            answers,
            features: program.features,
            unchecked: self.left_out(program.features),
            legend: program.legend,
            file: (!input::is_stdin(path)).then_some(name),
        })
    }

    fn recorded(
        &self,
        path: &Path,
        mut trace: Trace,
        damage: Option<Problem>,
    ) -> Result<Checked, Vec<Problem>> {
        let name = input::shown(path);
        if self.options.record.is_some() {
            let problem = Problem::plain(format!("--record: {name} is already a recorded run"));
            return Err(vec![problem]);
        }
        let legend = trace.legend.clone();
        if self.options.cuts.is_some() {
            let problem = Problem::plain(format!(
                "--cuts: {name} is a recorded run, which is cut already"
            ));
            return Err(vec![problem]);
        }
        trace.features.cuts |= self.options.analysis == Analysis::Transactions;
        let mut answers = answers_to(path, trace.features, &legend)?;
        let _progress = Progress::start(format!("checking {name}"));
        let checked = match trace.features.cuts {
            true => transactions::recorded(self.asked(), &name, &legend, &mut trace, &mut answers),
            false => self.check(&name, &mut trace),
        };
        let (mut outcome, stats) = checked?;
        if damage.is_some() {
            outcome.guarantee = Guarantee::UpToHere;
        }
        let graph = self.graph(&mut trace, &legend, &outcome);
        let joins = joins::of_races(&mut trace, &outcome);
        let first = legend.files.first().filter(|file| file.text.is_some());
        let program = first.map_or(name, |file| file.path.clone());
        Ok(Checked {
            program,
            joins,
            graph,
            outcome,
            stats,
            answers,
            features: trace.features,
            unchecked: match record::unchecked(&trace) {
                Unchecked::Nothing => self.left_out(trace.features),
                asked => asked,
            },
            legend: trace.legend,
            problem: damage,
            file: None,
        })
    }

    fn check<R: Run>(&self, name: &str, run: &mut R) -> Result<(Outcome, Stats), Vec<Problem>> {
        let start = Instant::now();
        let mut outcome = heddle_check::check_with(run, self.options.analyses())
            .map_err(|error| vec![order::problem(name, error)])?;
        let analysis = self.options.analysis;
        outcome.findings.retain(|finding| analysis.wants(finding));
        let used = order::used(&outcome.orders);
        let stats = Stats::new(used, &outcome.counts, start.elapsed());
        Ok((outcome, stats))
    }

    /// The graph of a run, if a page is to show it.
    fn graph<R: Run>(&self, run: &mut R, legend: &Legend, outcome: &Outcome) -> Option<Value> {
        if self.options.show.format != Format::Html {
            return None;
        }
        let traced = graph::traced(run, legend, &outcome.findings, TRACED);
        Some(html::graph(&traced.folded(SHOWN), legend))
    }

    /// How transactions are checked.
    fn asked(&self) -> heddle_transactions::Options {
        heddle_transactions::Options {
            exact: self.options.exact.into(),
            count: self.options.stats,
            ..Default::default()
        }
    }

    /// What the options leave out of a program's check.
    fn left_out(&self, features: Features) -> Unchecked {
        match self.options.analysis {
            Analysis::Races if features.atomics => Unchecked::Atomicity,
            Analysis::Atomicity => Unchecked::Races,
            _ => Unchecked::Nothing,
        }
    }

    fn close_recording(&self, live: Live<'_>) -> Option<Problem> {
        let to = self.options.record.as_deref()?;
        record::finish(to, live.into_recorder()?).err()
    }

    fn show(&mut self, path: &Path, checked: Checked) -> Status {
        let mut report = self.report(&checked);
        if let Some(file) = &checked.file {
            replay::offer(&mut report, file);
        }
        let name = input::shown(path);
        for file in &checked.legend.files {
            let text = file.text.clone().unwrap_or_default();
            self.results
                .collected
                .sources
                .insert(file.path.clone(), text);
        }
        self.results.collected.graphs.push(checked.graph.clone());
        let fault = report.error.take();
        report.error = fault.clone().or_else(|| checked.problem.clone());
        report.stats = self.options.stats.then_some(checked.stats);
        report.suppressed += checked.answers.harmless();
        report.unused_answers = checked.answers.unused();
        self.results.console.warnings(&report.unused_answers);
        let status = match self.options.expect {
            true => {
                let file = checked.legend.files.first();
                let text = file.and_then(|file| file.text.as_deref());
                let subject = (&*name, text.unwrap_or_default());
                self.results
                    .compare(subject, ("expect", |lines| lines.check), &report)
            }
            false => self.results.print(&report),
        };
        let problems = fault.iter().chain(&checked.problem);
        problems.fold(status, |_, problem| self.fail(problem))
    }

    fn report(&self, checked: &Checked) -> Report {
        Report::with_joins(checked.subject(), &checked.joins, self.settings())
    }

    fn settings(&self) -> Settings<'_> {
        let strictness = match self.options.strict {
            true => Strictness::Strict,
            false => Strictness::CertainOnly,
        };
        self.results.settings(strictness)
    }
}

/// What is wrong with a source text, for people.
pub fn problems(path: &str, text: &str, diagnostics: &[Diagnostic]) -> Vec<Problem> {
    let source = Arc::new(Source::new(&heddle_core::SourceFile {
        path: path.into(),
        text: Some(text.into()),
    }));
    let problem = |diagnostic: &Diagnostic| Problem {
        message: diagnostic.message.clone(),
        position: Some(Position::new(Arc::clone(&source), diagnostic.site)),
        label: Some(diagnostic.label.clone()),
        notes: Vec::new(),
        help: diagnostic.help.clone(),
    };
    diagnostics.iter().map(problem).collect()
}

/// The programmer's answers for the program at this path, if it is cut into transactions.
pub fn answers(path: &Path, features: Features, legend: &Legend) -> Result<Answers, Vec<Problem>> {
    match features.cuts && !input::is_stdin(path) {
        true => Answers::beside(&[path], legend, input::text).map_err(|problem| vec![problem]),
        false => Ok(Answers::default()),
    }
}

/// The same for a recorded run: those beside any of the program's source files, or beside the recording if it names none.
pub fn answers_to(
    recording: &Path,
    features: Features,
    legend: &Legend,
) -> Result<Answers, Vec<Problem>> {
    let files: Vec<&Path> = legend
        .files
        .iter()
        .map(|file| Path::new(&file.path))
        .collect();
    match (features.cuts, &files[..]) {
        (false, _) => Ok(Answers::default()),
        (true, []) => answers(recording, features, legend),
        (true, files) => {
            Answers::beside(files, legend, input::text).map_err(|problem| vec![problem])
        }
    }
}

fn check_counts(counts: RunCounts) -> CheckCounts {
    let eliminated = Elimination::ALL.map(|elimination| Eliminated {
        elimination: elimination.name().into(),
        checks: counts.eliminated_by(elimination),
    });
    CheckCounts {
        without_elimination: counts.accesses,
        with_elimination: counts.checks,
        eliminated: eliminated.into(),
    }
}
