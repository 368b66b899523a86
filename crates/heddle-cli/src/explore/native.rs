//! `heddle explore -- ./prog`: schedules of a program built with `heddle cc` that has its tasks from `heddle.h`.
//!
//! The program is run once for each schedule, with the schedule in its environment; the library linked into it
//! lets tasks take turns accordingly, notes what there was to choose from, and checks the run as ever. The next
//! schedule departs from the last one at the latest choice point that has an alternative left, so that every
//! schedule is run once (Algorithm 2 of Nakade, Mercer, McCarthy). There is no reduction.
//!
//! A race that is only possible in one run is certain in the schedule that shows it, so only certain ones count. A
//! program that is killed or ends with another status than 0 fails an assertion of its own.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heddle_explore::Schedule;
use heddle_report::Problem;
use serde_json::{Value, json};

use super::merge::{self, key};
use super::options::ExploreOptions;
use super::quoted;
use crate::arguments::Format;
use crate::console::{Console, reason};
use crate::progress::Progress;
use crate::run;
use crate::scratch::Scratch;
use crate::status::Status;

/// What no run of the program tries.
const UNSEEN: &str = "other orders of atomic operations and of locks that are not heddle.h's";
/// A run that takes longer is taken for one that never ends.
const LONGEST: Duration = Duration::from_secs(60);
/// How often it is looked whether a run is over.
const LOOK: Duration = Duration::from_millis(1);

/// Explores the program, and prints what was found.
pub fn explore(options: &ExploreOptions, stop: &AtomicBool, console: &mut Console) -> Status {
    let explored = Native::new(options).and_then(|mut native| native.explore(stop));
    let report = match explored {
        Ok(report) => report,
        Err(problem) => {
            console.problems(&[problem]);
            return Status::Error;
        }
    };
    match options.show.format {
        Format::Json => console.print(&format!("{report:#}\n")),
        Format::Text => console.print(&merge::text(&report)),
        format => merge::document(format, &report, console),
    }
    match report["verdict"].as_str() {
        Some("clean") => Status::Clean,
        _ => Status::Findings,
    }
}

/// A choice point of a run.
struct Point {
    /// Who could go on, and where it stood.
    choices: Vec<(String, String)>,
    taken: usize,
}

/// What one run showed.
#[derive(Default)]
struct Shown {
    points: Vec<Point>,
    /// Who waits for what for ever.
    stuck: Vec<[String; 3]>,
    findings: Vec<Value>,
    not_covered: Vec<String>,
    is_cut: bool,
    /// More has to be a choice point.
    widens: bool,
}

/// What is a choice point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turns {
    /// Isolated sections, locks, and tasks that have a data block for themselves.
    Narrow,
    /// More: see `api/turns.rs` in `heddle-native`.
    Wide,
}

/// Set to this value, everything that can be one is a choice point.
const WIDE: (&str, &str) = ("HEDDLE_TURNS", "wide");

struct Native<'a> {
    options: &'a ExploreOptions,
    turns: Turns,
    program: std::path::PathBuf,
    arguments: &'a [OsString],
    name: String,
    folder: Scratch,
}

impl<'a> Native<'a> {
    fn new(options: &'a ExploreOptions) -> Result<Self, Problem> {
        let unsupported = [
            (options.shard.is_some(), "--shard"),
            (options.checkpoint.is_some(), "--checkpoint"),
            (options.expect, "--expect"),
        ];
        if let Some((_, flag)) = unsupported.iter().find(|(given, _)| *given) {
            let message = format!("{flag} is for .task programs, not for native ones");
            return Err(Problem::plain(message));
        }
        let is_wide = std::env::var_os(WIDE.0).is_some_and(|turns| turns == WIDE.1);
        let (name, arguments) = options.command.split_first().expect("a program is given");
        let program = run::find(name).map_err(Problem::plain)?;
        run::examine(&program).map_err(Problem::plain)?;
        let folder = Scratch::new("heddle-explore");
        let folder = folder
            .map_err(|error| Problem::plain(format!("cannot make a folder: {}", reason(&error))))?;
        Ok(Self {
            options,
            turns: if is_wide { Turns::Wide } else { Turns::Narrow },
            program,
            arguments,
            name: name.to_string_lossy().into_owned(),
            folder,
        })
    }

    fn explore(&mut self, stop: &AtomicBool) -> Result<Value, Problem> {
        let begin = Instant::now();
        let _progress = Progress::start(format!("exploring {}", self.name));
        loop {
            if let Some(report) = self.explore_from(begin, stop)? {
                return Ok(report);
            }
            self.turns = Turns::Wide;
        }
    }

    /// Explores, unless more has to be a choice point.
    fn explore_from(&self, begin: Instant, stop: &AtomicBool) -> Result<Option<Value>, Problem> {
        let mut not_covered = vec![UNSEEN.to_owned()];
        let mut findings: Vec<Value> = Vec::new();
        let mut limits: Vec<&str> = Vec::new();
        let mut way: Vec<Point> = Vec::new();
        let (mut schedules, mut transitions) = (0u64, 0u64);
        let (mut schedule, replayed) = match &self.options.replay {
            Some(schedule) => (schedule.clone(), true),
            None => (Schedule::default(), false),
        };
        loop {
            let known = way.len();
            let shown = self.run(&schedule, stop)?;
            if shown.widens {
                return Ok(None);
            }
            for gap in &shown.not_covered {
                if !not_covered.contains(gap) {
                    not_covered.push(gap.clone());
                }
            }
            schedules += 1;
            transitions += (shown.points.len() - known.min(shown.points.len())) as u64;
            if shown.is_cut {
                note(&mut limits, "a run that goes on for too long");
            }
            for finding in self.found(&schedule, &shown) {
                if !findings.iter().any(|other| key(other) == key(&finding)) {
                    findings.push(finding);
                }
            }
            way.truncate(known);
            way.extend(shown.points.into_iter().skip(known));
            if replayed || !self.depart(&mut way, &mut limits) {
                break;
            }
            let limit = self.reached(schedules, begin, stop);
            if let Some(limit) = limit {
                note(&mut limits, limit);
                break;
            }
            schedule = Schedule::new(way.iter().map(|point| point.taken as u32).collect());
        }
        let complete = limits.is_empty() && !replayed;
        findings.sort_by_key(|finding| key(finding).to_string());
        Ok(Some(json!({
            "schema": 1,
            "program": self.name,
            "verdict": if findings.is_empty() { "clean" } else { "findings" },
            "guarantee": merge::guarantee(complete, schedules),
            "not_covered": not_covered,
            "findings": findings,
            "exploration": {
                "reduction": "none",
                "schedules": schedules,
                "states": transitions + 1,
                "transitions": transitions,
                "complete": complete,
                "limits": limits,
                "seconds": begin.elapsed().as_secs_f64(),
            },
            "error": null,
        })))
    }

    fn reached(&self, schedules: u64, begin: Instant, stop: &AtomicBool) -> Option<&'static str> {
        let options = self.options;
        if stop.load(Ordering::Relaxed) {
            Some("an interrupt")
        } else if options.max_schedules.is_some_and(|most| schedules >= most) {
            Some("--max-schedules")
        } else if options
            .max_time
            .is_some_and(|most| begin.elapsed() >= most.0)
        {
            Some("--max-time")
        } else {
            None
        }
    }

    /// Goes back to the latest choice point that has an alternative left, and takes it. Whether there is one.
    fn depart(&self, way: &mut Vec<Point>, limits: &mut Vec<&str>) -> bool {
        while let Some(last) = way.last_mut() {
            last.taken += 1;
            if last.taken >= last.choices.len() {
                way.pop();
                continue;
            }
            let most = self
                .options
                .preemptions
                .map_or(usize::MAX, |most| most as usize);
            if preemptions(way) <= most {
                return true;
            }
            note(limits, "--preemptions");
        }
        false
    }

    /// Runs one schedule.
    fn run(&self, schedule: &Schedule, stop: &AtomicBool) -> Result<Shown, Problem> {
        let folder = self.folder.dir();
        let (choices, report) = (folder.join("choices"), folder.join("report"));
        for file in [&choices, &report] {
            // There is none before the first run.
            let _ = fs::remove_file(file);
        }
        let options = format!(
            "report={}:format=json:color=never:exitcode=0:append=0",
            report.display()
        );
        let mut command = Command::new(&self.program);
        command
            .args(self.arguments)
            .env("HEDDLE_OPTIONS", options)
            .env("HEDDLE_SCHEDULE", schedule.to_string())
            .env("HEDDLE_CHOICES", &choices)
            .env_remove(WIDE.0)
            .env("OMP_TOOL", "enabled")
            .stdin(Stdio::null());
        if self.turns == Turns::Wide {
            command.env(WIDE.0, WIDE.1);
        }
        if self.options.replay.is_none() {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let cannot = |what: &str, error: &std::io::Error| {
            let (program, why) = (self.program.display(), reason(error));
            Problem::plain(format!("cannot {what} {program}: {why}"))
        };
        let mut child = command.spawn().map_err(|error| cannot("run", &error))?;
        let begin = Instant::now();
        let mut is_cut = false;
        let status = loop {
            if let Some(status) = child
                .try_wait()
                .map_err(|error| cannot("wait for", &error))?
            {
                break status;
            }
            is_cut = begin.elapsed() > LONGEST || stop.load(Ordering::Relaxed);
            if is_cut {
                child.kill().map_err(|error| cannot("end", &error))?;
            }
            std::thread::sleep(LOOK);
        };
        let mut shown = self.noted(&choices)?;
        shown.is_cut = is_cut;
        (shown.findings, shown.not_covered) = findings(&report);
        if !is_cut && !shown.widens && shown.stuck.is_empty() {
            shown.findings.extend(self.failure(status));
        }
        Ok(shown)
    }

    /// What the program noted about its choices.
    fn noted(&self, choices: &Path) -> Result<Shown, Problem> {
        let mut shown = Shown::default();
        for line in fs::read_to_string(choices).unwrap_or_default().lines() {
            let mut words = line.split(' ').map(|word| word.replace('\u{a0}', " "));
            match words.next().as_deref() {
                Some("point") => {
                    let taken = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
                    let choice = |word: String| match word.split_once('@') {
                        Some((task, place)) => (task.to_owned(), place.to_owned()),
                        None => (word, "?".to_owned()),
                    };
                    let choices = words.map(choice).collect();
                    shown.points.push(Point { choices, taken });
                }
                Some("stuck") => {
                    let mut word = || words.next().unwrap_or_default();
                    shown.stuck.push([word(), word(), word()]);
                }
                Some("widen") => shown.widens = true,
                Some("refused") => {
                    let why = line.trim_start_matches("refused ");
                    return Err(Problem::plain(format!("{}: {why}", self.name)));
                }
                _ => {}
            }
        }
        Ok(shown)
    }

    /// The program itself says that something went wrong.
    fn failure(&self, status: ExitStatus) -> Option<Value> {
        use std::os::unix::process::ExitStatusExt;
        let what = match (status.signal(), status.code()) {
            (Some(signal), _) => {
                let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
                format!("the program is killed by {name}")
            }
            (None, Some(code)) if code != 0 => format!("the program ends with status {code}"),
            _ => return None,
        };
        Some(
            json!({ "kind": "assertion", "certainty": "certain", "location": null, "message": what }),
        )
    }

    /// The findings of a run, with its schedule.
    fn found(&self, schedule: &Schedule, shown: &Shown) -> Vec<Value> {
        let mut found = shown.findings.clone();
        if !shown.stuck.is_empty() {
            let wait = |[task, lock, place]: &[String; 3]| {
                let what = match lock.as_str() {
                    "isolated" => "another isolated section to end".to_owned(),
                    "tasks" => "tasks to end".to_owned(),
                    lock => {
                        // Addresses differ from run to run.
                        let before = shown.stuck.iter().take_while(|[_, other, _]| other != lock);
                        format!("lock {}", 1 + before.count())
                    }
                };
                json!({ "task": task_name(task), "message": format!("{} waits for {what}", task_name(task)), "position": position(place) })
            };
            let waits: Vec<Value> = shown.stuck.iter().map(wait).collect();
            let texts = waits.iter().filter_map(|wait| wait["message"].as_str());
            let message = texts.collect::<Vec<_>>().join("; ");
            let first = waits.iter().find(|wait| wait["position"].is_object());
            found.push(json!({
                "kind": "deadlock",
                "certainty": "certain",
                "location": null,
                "message": message,
                "position": first.map(|wait| wait["position"].clone()),
                "waits": waits,
            }));
        }
        let step = |point: &Point| {
            let (task, place) = &point.choices[point.taken];
            json!({ "text": format!("{} goes on at {place}", task_name(task)), "position": position(place) })
        };
        let steps: Vec<Value> = shown.points.iter().map(step).collect();
        for finding in &mut found {
            finding["schedule"] = json!(steps);
            finding["replay"] =
                json!({ "schedule": schedule.to_string(), "command": self.command(schedule) });
        }
        found
    }

    fn command(&self, schedule: &Schedule) -> String {
        let words = self
            .options
            .command
            .iter()
            .map(|word| quoted(&word.to_string_lossy()));
        let words: Vec<String> = words.collect();
        let wide = match self.turns {
            Turns::Narrow => String::new(),
            Turns::Wide => format!("{}={} ", WIDE.0, WIDE.1),
        };
        let command = words.join(" ");
        format!("{wide}heddle explore --replay {schedule} -- {command}")
    }
}

fn task_name(number: &str) -> String {
    match number {
        "0" => "the main task".to_owned(),
        number => format!("task #{number}"),
    }
}

fn note<'a>(limits: &mut Vec<&'a str>, limit: &'a str) {
    if !limits.contains(&limit) {
        limits.push(limit);
    }
}

/// How often a way switches away from a task that could go on.
fn preemptions(way: &[Point]) -> usize {
    let pairs = way.windows(2).filter(|pair| {
        let (before, at) = (&pair[0], &pair[1]);
        at.taken > 0 && at.choices[0].0 == before.choices[before.taken].0
    });
    pairs.count()
}

/// `file:line:column` as reports have it.
fn position(place: &str) -> Value {
    let mut parts = place.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
    let (column, line) = (number(), number());
    match (parts.next(), line, column) {
        (Some(file), Some(line), Some(column)) => {
            json!({ "file": file, "line": line, "column": column })
        }
        _ => Value::Null,
    }
}

/// The certain findings of a report, and what it did not cover apart from other schedules.
fn findings(report: &Path) -> (Vec<Value>, Vec<String>) {
    let text = fs::read_to_string(report).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let all = |name: &str| report[name].as_array().cloned().unwrap_or_default();
    let mut certain = all("findings");
    certain.retain(|finding| finding["certainty"] == "certain");
    let gaps = all("not_covered");
    let gaps = gaps.iter().filter_map(Value::as_str).map(str::to_owned);
    (certain, gaps.collect())
}
