//! Every program under `programs/` is built with `heddle cc` or `heddle c++`, run with `heddle run`, and must
//! yield what its leading comment says, with every number of threads it names. All failures are listed.
//!
//! Set `HEDDLE_PROGRAMS` to run only those whose path contains the text, `HEDDLE_REPEAT` to run each
//! several times.

mod harness;
#[path = "harness/header.rs"]
mod header;
#[path = "harness/verdict.rs"]
mod verdict;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use header::{Expect, Header, Mark};

/// One program with one compiler.
struct Job {
    source: PathBuf,
    compiler: String,
    header: Header,
}

#[test]
fn every_program_yields_what_it_says() {
    let (jobs, mut failures) = jobs();
    let dir = harness::scratch("programs");
    harness::tool();
    failures.extend(all(&jobs, &dir));
    let wanted = std::env::var_os("HEDDLE_PROGRAMS").is_some();
    assert!(wanted || jobs.len() > 100, "where are the programs?");
    failures.sort();
    let list = failures.join("\n");
    assert!(
        failures.is_empty(),
        "{} of {} failed:\n{list}",
        failures.len(),
        jobs.len()
    );
}

#[test]
fn every_defective_program_has_a_mended_twin() {
    let sources = sources();
    let names = sources.iter().map(|path| path.with_extension(""));
    let names: BTreeSet<_> = names.map(|path| path.display().to_string()).collect();
    let stems = names
        .iter()
        .filter_map(|name| name.strip_suffix("_racy").or(name.strip_suffix("_torn")));
    let is_mended = |stem: &&str| {
        // With a hand-off in between, what was certain is at most possible.
        ["clean", "possible"]
            .iter()
            .any(|twin| names.contains(&format!("{stem}_{twin}")))
    };
    let missing: Vec<_> = stems.filter(|stem| !is_mended(stem)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn a_header_says_what_is_expected() {
    let text = "// expect: race 7 3:5 7\n// flags: -O2 -fopenmp\n// threads: 1, 16\n// why: x\nint x;\n// exit: 9";
    let header = Header::parse(text).expect("it is right");
    assert_eq!((header.expect, &header.torn), (Expect::Race, &None));
    let marks = [(3, Some(5)), (7, None)].map(|(line, column)| Mark { line, column });
    assert_eq!(header.lines, marks);
    assert_eq!((header.flags.len(), header.exit), (2, 0));
    assert_eq!(header.threads, [1, 16]);
    for wrong in ["int x;", "// expect: nothing", "// expect: race x"] {
        assert!(Header::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_header_says_what_is_torn_beside_what_races() {
    let header = |text: &str| Header::parse(text).expect("it is right");
    let both = header("// expect: race 4\n// expect: atomicity x,y 5 4 6:2");
    let torn = both.torn.clone().expect("something is");
    assert_eq!((both.expect, both.worst()), (Expect::Race, Expect::Race));
    assert_eq!((torn.unit.as_deref(), torn.lines.len()), (Some("x,y"), 3));
    let possible = header("// expect: possible atomicity 5");
    assert_eq!(
        (possible.expect, possible.worst()),
        (Expect::Clean, Expect::Possible)
    );
    assert_eq!(header("// expect: atomicity").worst(), Expect::Race);
}

#[test]
fn a_torn_unit_is_not_taken_for_a_race_nor_for_another_unit() {
    let access = |line: u64| serde_json::json!({"position": {"file": "/d/a.c", "line": line}});
    let accesses: Vec<_> = [3, 5, 4].map(access).into();
    let report = serde_json::json!({"findings": [
        {"kind": "atomicity", "certainty": "certain", "location": "x, y", "accesses": accesses}
    ]});
    let fits = |expect: &str| {
        let header = Header::parse(&format!("// expect: {expect}")).expect("it is right");
        verdict::compare(&header, "/a.c", &report).is_ok()
    };
    assert!(fits("atomicity") && fits("atomicity x,y") && fits("atomicity x,y 3 4 5"));
    for wrong in [
        "clean",
        "race",
        "possible atomicity",
        "atomicity x",
        "atomicity x,y 3 4",
        "atomicity x,y 3 4 5 6",
    ] {
        assert!(!fits(wrong), "{wrong}");
    }
}

#[test]
fn a_report_that_differs_from_the_header_is_noticed() {
    let access =
        |line: u64| serde_json::json!({"position": {"file": "/d/a.c", "line": line, "column": 2}});
    let report = |certainty: &str, lines: &[u64]| {
        let accesses: Vec<_> = lines.iter().map(|line| access(*line)).collect();
        serde_json::json!({"findings": [{"certainty": certainty, "accesses": accesses}]})
    };
    let clean = serde_json::json!({"findings": []});
    let fits = |expect: &str, report| {
        let header = Header::parse(&format!("// expect: {expect}")).expect("it is right");
        verdict::compare(&header, "/a.c", &report).is_ok()
    };
    assert!(fits("clean", clean.clone()) && !fits("race", clean));
    assert!(fits("race 3 4", report("certain", &[4, 3])) && fits("race", report("certain", &[9])));
    assert!(fits("possible 3:2", report("possible", &[3])));
    for wrong in [
        "clean",
        "possible 3 4",
        "race 3",
        "race 3 4 5",
        "race 3:1 4",
    ] {
        assert!(!fits(wrong, report("certain", &[3, 4])), "{wrong}");
    }
}

/// What there is to do, and the programs whose header is wrong.
fn jobs() -> (Vec<Job>, Vec<String>) {
    let (mut jobs, mut wrong) = (Vec::new(), Vec::new());
    let wanted = std::env::var("HEDDLE_PROGRAMS").unwrap_or_default();
    for source in sources() {
        if !source.to_string_lossy().contains(&wanted) {
            continue;
        }
        match Header::read(&source) {
            Err(error) => wrong.push(format!("{}: {error}", shown(&source))),
            Ok(header) => jobs.extend(header.compilers.clone().into_iter().map(|compiler| Job {
                source: source.clone(),
                compiler,
                header: header.clone(),
            })),
        }
    }
    (jobs, wrong)
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(&root(), &mut found);
    found.sort();
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            walk(&path, found);
        } else if matches!(ending, Some("c" | "cpp")) {
            found.push(path);
        }
    }
}

fn shown(source: &Path) -> String {
    let path = source.strip_prefix(root()).unwrap_or(source);
    path.display().to_string()
}

/// Does all jobs, on all cores; what failed.
fn all(jobs: &[Job], dir: &Path) -> Vec<String> {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some((number, job)) = take(&next, jobs) {
            let found = job.failures(&dir.join(number.to_string()));
            let name = format!("{} ({})", shown(&job.source), job.compiler);
            let lines = found
                .into_iter()
                .map(|failure| format!("{name}: {failure}"));
            failures.lock().expect("no worker panics").extend(lines);
        }
    };
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    failures.into_inner().expect("no worker panics")
}

fn take<'a>(next: &AtomicUsize, jobs: &'a [Job]) -> Option<(usize, &'a Job)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, jobs.get(number)?))
}

impl Job {
    fn failures(&self, program: &Path) -> Vec<String> {
        if let Err(failure) = self.build(program) {
            return vec![failure];
        }
        let repeat = std::env::var("HEDDLE_REPEAT")
            .ok()
            .and_then(|text| text.parse().ok());
        let runs = self
            .header
            .threads
            .iter()
            .flat_map(|threads| std::iter::repeat_n(*threads, repeat.unwrap_or(1)));
        let failures = runs.filter_map(|threads| {
            let failure = self.run(program, threads).err()?;
            Some(format!("{threads} threads: {failure}"))
        });
        failures.collect()
    }

    fn build(&self, program: &Path) -> Result<(), String> {
        let is_cxx = self
            .source
            .extension()
            .is_some_and(|ending| ending == "cpp");
        let mut command = harness::heddle();
        command.arg(if is_cxx { "c++" } else { "cc" });
        command.arg(format!("--compiler={}", compiler(&self.compiler)));
        command
            .args(["-O1", "-Wall", "-Wno-unknown-pragmas"])
            .args(&self.header.flags);
        command.arg(&self.source).arg("-o").arg(program).arg("-lm");
        let output = harness::finished(&mut command);
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("does not compile: {}", harness::all(&output))),
        }
    }

    /// What only a hand-off rules out is listed on request, and then counts; else there is nothing.
    fn run(&self, program: &Path, threads: u32) -> Result<(), String> {
        if self.header.expect != Expect::Possible {
            return self.run_once(program, threads, &self.header, &[]);
        }
        let silent = Header {
            expect: Expect::Clean,
            lines: Vec::new(),
            ..self.header.clone()
        };
        self.run_once(program, threads, &silent, &[])?;
        self.run_once(program, threads, &self.header, &["--strict"])
            .map_err(|failure| format!("--strict: {failure}"))
    }

    fn run_once(
        &self,
        program: &Path,
        threads: u32,
        header: &Header,
        options: &[&str],
    ) -> Result<(), String> {
        let report = program.with_extension("json");
        // What an earlier run has left must not be taken for this one's.
        let _ = std::fs::remove_file(&report);
        let output = harness::finished(&mut self.command(program, &report, threads, options));
        let expected = match header.worst() {
            Expect::Race => 1,
            Expect::Possible if !options.is_empty() => 1,
            Expect::Clean | Expect::Possible => header.exit,
        };
        // Reports shorten paths where they can.
        let file = format!("/{}", self.source.file_name().unwrap_or_default().display());
        let found = harness::report(&report);
        let found = found.map_err(|error| format!("{error}: {}", harness::all(&output)))?;
        verdict::compare(header, &file, &found)?;
        if output.status.code() != Some(expected) {
            return Err(format!(
                "expected status {expected}: {}",
                harness::all(&output)
            ));
        }
        self.printed(&harness::text(&output.stdout))
    }

    fn command(&self, program: &Path, report: &Path, threads: u32, options: &[&str]) -> Command {
        let mut command = harness::run(&["--format", "json", "--max-findings", "0"]);
        command.args(options);
        command.arg("--output").arg(report);
        command
            .args(["--threads", &threads.to_string(), "--"])
            .arg(program);
        command.args(&self.header.args);
        command.envs(self.header.env.iter().map(|(key, value)| (key, value)));
        command
    }

    fn printed(&self, stdout: &str) -> Result<(), String> {
        match &self.header.stdout {
            Some(line) if !stdout.lines().any(|printed| printed == line) => {
                Err(format!("did not print `{line}` but {stdout:?}"))
            }
            _ => Ok(()),
        }
    }
}

fn compiler(name: &str) -> &str {
    match name {
        "clang" => "clang-22",
        other => other,
    }
}
