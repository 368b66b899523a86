//! `cargo xtask soak faults`: a checked program under signals, forks, kills, full disks, failed allocations and
//! many threads, drawn at random, for as long as asked. It must never hang, compute another result or lose its
//! finding. Before that, a fixed number of signals that end it at random moments, and of forks beside busy threads.
//! `xtask/faults/load.c` is the program; `tasks.c` forks as often beside tasks.

use crate::command::{cargo, program, quietly, root};
use crate::failure::Failure;
use crate::options;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// After this, a program counts as hanging.
const PATIENCE: Duration = Duration::from_secs(180);
/// How much longer for each fork.
const FOR_A_FORK: Duration = Duration::from_millis(100);
/// Threads that fork or are interrupted again and again.
const FEW_THREADS: u64 = 4;
/// What all threads do together.
const ROUNDS: u64 = 20_000;
/// Kilobytes of address space that shadow memory takes.
const SHADOW: u64 = 1 << 36;

struct Soak {
    minutes: u64,
    seed: u64,
    /// Signals that end the program, first of all.
    kills: u64,
    /// Forks after that, in one run.
    forks: u64,
}

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    let soak = parse(rest)?;
    let bench = Bench::build()?;
    let end = Instant::now() + Duration::from_secs(60 * soak.minutes);
    let mut draw = Draw(soak.seed ^ 0x9E37_79B9_7F4A_7C15);
    let mut counts = [0u64; FAULTS.len()];
    bench.fork_beside_tasks(soak.forks)?;
    let first = soak.kills + u64::from(soak.forks > 0);
    for case in 0.. {
        if case >= first && Instant::now() >= end {
            break;
        }
        let (fault, load) = match case {
            case if case < soak.kills => (ENDED, Load::few_threads(0)),
            case if case < first => (NOTHING, Load::few_threads(soak.forks)),
            _ => (
                draw.below(FAULTS.len() as u64) as usize,
                Load::draw(&mut draw),
            ),
        };
        let wrong = |what: String| {
            Failure::Step(format!(
                "seed {} case {case}: {:?} with {load:?}: {what}",
                soak.seed, FAULTS[fault]
            ))
        };
        bench
            .attempt(FAULTS[fault], &load, &mut draw)
            .map_err(wrong)?;
        counts[fault] += 1;
    }
    for (fault, count) in FAULTS.iter().zip(counts) {
        println!("{count:6} runs: {fault:?}");
    }
    println!("no hang, no changed result, no lost finding");
    Ok(())
}

/// What happens to a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Nothing,
    /// Handlers that jump interrupt it again and again.
    Jumps,
    /// A signal ends it.
    Ended,
    Killed,
    /// The report cannot be written.
    FullDisk,
    /// There is no room for shadow memory.
    Unchecked,
    /// Allocations fail at some point.
    Scarce,
}

const FAULTS: [Fault; 7] = [
    Fault::Nothing,
    Fault::Jumps,
    Fault::Ended,
    Fault::Killed,
    Fault::FullDisk,
    Fault::Unchecked,
    Fault::Scarce,
];

/// Places in it.
const NOTHING: usize = 0;
const ENDED: usize = 2;

/// How much the program does.
#[derive(Debug)]
struct Load {
    threads: u64,
    rounds: u64,
    forks: u64,
}

impl Load {
    fn draw(draw: &mut Draw) -> Self {
        let threads = [2, 4, 8, 64, 300, 1000][draw.below(6) as usize];
        let rounds = (ROUNDS / threads).max(20);
        let forks = if draw.below(2) == 0 && threads <= 64 {
            1 + draw.below(5)
        } else {
            0
        };
        Self {
            threads,
            rounds,
            forks,
        }
    }

    /// A few threads that fork so often, all together.
    fn few_threads(forks: u64) -> Self {
        let forks = forks.div_ceil(FEW_THREADS);
        // The program then forks in every other round.
        let rounds = (2 * forks).checked_sub(1);
        Self {
            threads: FEW_THREADS,
            rounds: rounds.unwrap_or(ROUNDS / FEW_THREADS),
            forks,
        }
    }

    fn patience(&self) -> Duration {
        patience(self.threads * self.forks)
    }

    fn words(&self) -> [String; 3] {
        [self.threads, self.rounds, self.forks].map(|number| number.to_string())
    }
}

/// How long a program may take that forks so often.
fn patience(forks: u64) -> Duration {
    PATIENCE + FOR_A_FORK * u32::try_from(forks).unwrap_or(u32::MAX)
}

/// The program, built plainly and checked.
struct Bench {
    plain: PathBuf,
    checked: PathBuf,
    /// Forks beside tasks.
    tasks: PathBuf,
    report: PathBuf,
}

impl Bench {
    fn build() -> Result<Self, Failure> {
        quietly(
            "build",
            &mut cargo([
                "build",
                "--package",
                "heddle-cli",
                "--package",
                "heddle-native",
            ]),
        )?;
        let dir = root().join("target/faults");
        fs::create_dir_all(&dir).map_err(|error| Failure::Step(error.to_string()))?;
        let bench = Self {
            plain: dir.join("plain"),
            checked: dir.join("checked"),
            tasks: dir.join("tasks"),
            report: dir.join("report"),
        };
        let source = "xtask/faults/load.c";
        let flags = ["-O2", "-g", "-pthread", source, "-o"];
        quietly("plain", program("clang-22").args(flags).arg(&bench.plain))?;
        let mut checked = program("target/debug/heddle");
        quietly("checked", checked.arg("cc").args(flags).arg(&bench.checked))?;
        let flags = ["-O2", "-g", "-pthread", "xtask/faults/tasks.c", "-o"];
        let mut tasks = program("target/debug/heddle");
        quietly("tasks", tasks.arg("cc").args(flags).arg(&bench.tasks))?;
        Ok(bench)
    }

    fn fork_beside_tasks(&self, forks: u64) -> Result<(), Failure> {
        let wrong = |what: String| Failure::Step(format!("{forks} forks beside tasks: {what}"));
        let mut command = Command::new(&self.tasks);
        command.arg(forks.to_string()).env("HEDDLE_THREADS", "4");
        command.env("HEDDLE_OPTIONS", "report=/dev/null");
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.stderr(Stdio::null()).spawn();
        let mut child = child.map_err(|error| wrong(error.to_string()))?;
        let stdout = child.stdout.take();
        let status = ended(&mut child, patience(forks)).map_err(wrong)?;
        let lines = stdout
            .into_iter()
            .flat_map(|out| BufReader::new(out).lines());
        let printed = lines.map_while(Result::ok).last().unwrap_or_default();
        match status.success() && printed == "done" {
            true => Ok(()),
            false => Err(wrong(format!("{status}, printed `{printed}`"))),
        }
    }

    fn attempt(&self, fault: Fault, load: &Load, draw: &mut Draw) -> Result<(), String> {
        let expected = self.expected(load)?;
        let _ = fs::remove_file(&self.report);
        let mut child = self.start(fault, load, draw)?;
        let stdout = child.stdout.take().ok_or("no pipe")?;
        let mut lines = BufReader::new(stdout).lines();
        let ready = lines.next();
        let signal = match (fault, ready) {
            (Fault::Ended, Some(_)) => disturb(
                &child,
                draw,
                &[
                    "TERM", "INT", "HUP", "QUIT", "USR2", "ALRM", "PROF", "SEGV", "BUS", "ILL",
                ],
                1,
            ),
            (Fault::Killed, Some(_)) => disturb(&child, draw, &["KILL"], 1),
            (Fault::Jumps, Some(_)) => disturb(&child, draw, &["USR1"], 20),
            _ => None,
        };
        let status = ended(&mut child, load.patience())?;
        let printed = lines.map_while(Result::ok).last().unwrap_or_default();
        self.judge(fault, status, signal, &printed, &expected)
    }

    fn expected(&self, load: &Load) -> Result<String, String> {
        let output = Command::new(&self.plain).args(load.words()).output();
        let output = output.map_err(|error| error.to_string())?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        printed
            .lines()
            .last()
            .map(str::to_owned)
            .ok_or("the plain program fails".into())
    }

    fn start(&self, fault: Fault, load: &Load, draw: &mut Draw) -> Result<Child, String> {
        let limit = match fault {
            Fault::Unchecked => format!("ulimit -v {}; ", 16 << 20),
            Fault::Scarce => format!(
                "ulimit -v {}; ",
                SHADOW + SHADOW / 16 + (draw.below(1 << 22))
            ),
            _ => String::new(),
        };
        let report = match fault {
            Fault::FullDisk => Path::new("/dev/full"),
            _ => &self.report,
        };
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{limit}exec \"$0\" \"$@\"")])
            .arg(&self.checked);
        command
            .args(load.words())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command.env("HEDDLE_OPTIONS", format!("report={}", report.display()));
        command.spawn().map_err(|error| error.to_string())
    }

    fn judge(
        &self,
        fault: Fault,
        status: ExitStatus,
        signal: Option<i32>,
        printed: &str,
        expected: &str,
    ) -> Result<(), String> {
        let report = fs::read_to_string(&self.report).unwrap_or_default();
        let is_reported = report.contains("race: raced is");
        let is_whole = printed == expected;
        let seen =
            || format!("{status}, printed `{printed}` for `{expected}`, reported: {is_reported}");
        let ended_by = |signal: Option<i32>| signal.is_some() && status.signal() == signal;
        let is_right = match fault {
            Fault::Nothing | Fault::Jumps => is_whole && is_reported && status.code() == Some(1),
            // It may have come to its end before.
            Fault::Ended => {
                is_reported && (ended_by(signal) || is_whole && status.code() == Some(1))
            }
            Fault::Killed => ended_by(Some(9)) || is_whole,
            Fault::FullDisk => is_whole && status.code() == Some(1),
            Fault::Unchecked => {
                is_whole && status.code() == Some(2) && report.contains("NOT CHECKED")
            }
            // The program gives up where memory is refused, or was not checked from the start.
            Fault::Scarce => is_whole || status.signal().is_some() || status.code() == Some(2),
        };
        is_right.then_some(()).ok_or_else(seen)
    }
}

/// Sends one of the signals, several times, at random moments. Which one, if it is known.
fn disturb(child: &Child, draw: &mut Draw, names: &[&str], times: u64) -> Option<i32> {
    let name = names[draw.below(names.len() as u64) as usize];
    for _ in 0..times {
        sleep(Duration::from_micros(draw.below(60_000)));
        let mut kill = Command::new("kill");
        let _ = kill
            .args(["-s", name, &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
    }
    let numbers = [
        ("TERM", 15),
        ("INT", 2),
        ("HUP", 1),
        ("QUIT", 3),
        ("USR2", 12),
        ("ALRM", 14),
        ("PROF", 27),
        ("SEGV", 11),
        ("BUS", 7),
        ("ILL", 4),
        ("KILL", 9),
    ];
    numbers
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, number)| *number)
}

fn ended(child: &mut Child, patience: Duration) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    while begun.elapsed() < patience {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(status),
            None => sleep(Duration::from_millis(5)),
        }
    }
    let _ = (child.kill(), child.wait());
    Err("it hangs".into())
}

/// Numbers drawn at random, the same for the same seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn parse(rest: &[String]) -> Result<Soak, Failure> {
    let mut soak = Soak {
        minutes: 30,
        seed: 0,
        kills: 1_000,
        forks: 10_000,
    };
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let slot = match word.as_str() {
            "--minutes" => &mut soak.minutes,
            "--seed" => &mut soak.seed,
            "--kills" => &mut soak.kills,
            "--forks" => &mut soak.forks,
            _ => return Err(Failure::Usage(format!("`soak faults` takes no `{word}`"))),
        };
        *slot = options::number(word, words.next().map_or("", String::as_str))?;
    }
    Ok(soak)
}
