//! The one engine that answers for running programs: what a task and an access cost it as programs grow.
//!
//! It is driven as users drive it, from the `heddle` crate, on one thread and on two. Time is processor time, of all threads: what
//! other programs do meanwhile does not count. Every configuration runs in a process of its own, which is stopped when it
//! takes too much time or memory: then the larger ones of its series are left out, and the table says so.

pub mod figures;
mod program;

use crate::measure::peak_bytes;
use crate::options::Options;
use figures::Row;
pub use program::{Program, Sharing};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The first argument of a child.
pub const CHILD: &str = "--engine-child";
/// How often at most a configuration is timed.
const MOST_RUNS: usize = 31;
/// No child may hold more.
const MOST_BYTES: u64 = 4 << 30;

/// What a child found out.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
pub struct Measured {
    /// Median processor time of a checked run, less that of a check of nothing.
    pub seconds: f64,
    /// How many runs were timed.
    pub runs: usize,
    /// The most memory the process ever had in use.
    pub peak_bytes: u64,
}

/// Measures the series wanted and prints each row as it comes.
pub fn measure_all(options: &Options) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for (sharing, threads) in options.engine_series() {
        for tasks in options.engine_sizes(sharing) {
            let program = Program {
                sharing,
                tasks,
                threads,
            };
            let row = Row::new(program, in_child(program, limit(program, options))?);
            println!("{}", figures::line(&row));
            let stopped = row.stopped.is_some();
            rows.push(row);
            if stopped {
                break;
            }
        }
    }
    Ok(rows)
}

/// The largest programs are measured where few tasks are alive.
fn limit(program: Program, options: &Options) -> Duration {
    match program.sharing {
        Sharing::FewAlive => options.seconds * 5,
        _ => options.seconds,
    }
}

/// The child's part: measures, verifies, and returns the line to print.
pub fn as_child(arguments: &[String]) -> Result<String, String> {
    let (program, limit) = from_arguments(arguments).ok_or("bad child arguments")?;
    let measured = measure(program, limit)?;
    serde_json::to_string(&measured).map_err(|e| e.to_string())
}

/// Outer error: something is wrong. Inner one: why it was stopped.
fn in_child(program: Program, limit: Duration) -> Result<Result<Measured, String>, String> {
    let me = std::env::current_exe().map_err(|e| format!("cannot find myself: {e}"))?;
    let mut child = Command::new(me)
        .arg(CHILD)
        .args(to_arguments(program, limit))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start a child: {e}"))?;
    let stopped = watch(&mut child, limit)?;
    let output = child.wait_with_output();
    let output = output.map_err(|e| format!("cannot wait for a child: {e}"))?;
    if let Some(reason) = stopped {
        return Ok(Err(reason));
    }
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program:?}: {}\n{said}", output.status));
    }
    let measured = serde_json::from_slice(&output.stdout);
    measured
        .map(Ok)
        .map_err(|e| format!("a child's answer: {e}"))
}

/// Waits until the child has ended, or stops it and says why.
fn watch(child: &mut Child, limit: Duration) -> Result<Option<String>, String> {
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        let Some(reason) = excess(child.id(), limit) else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        let killed = child.kill();
        killed.map_err(|e| format!("cannot stop a child: {e}"))?;
        return Ok(Some(reason));
    }
    Ok(None)
}

/// What a process has taken too much of; nothing of one that has ended.
fn excess(process: u32, limit: Duration) -> Option<String> {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{process}/{file}")).ok();
    let number = |text: &str, at| text.split_whitespace().nth(at)?.parse::<u64>().ok();
    let pages = number(&read("statm")?, 1)?;
    // After the name in parentheses: the time in user and in kernel mode, in hundredths of a second.
    let stat = read("stat")?;
    let (_, stat) = stat.rsplit_once(')')?;
    let hundredths = number(stat, 11)? + number(stat, 12)?;
    if pages * 4096 > MOST_BYTES {
        return Some("more than 4 GiB".to_owned());
    }
    let late = Duration::from_millis(hundredths * 10) > limit;
    late.then(|| format!("more than {} s", limit.as_secs()))
}

/// As many runs as half of the limit allows, at least one; the first of several is not counted.
fn measure(program: Program, limit: Duration) -> Result<Measured, String> {
    let begun = processor_time();
    let mut times = vec![program.check()?];
    while times.len() <= MOST_RUNS && processor_time() - begun < limit.as_secs_f64() / 4.0 {
        times.push(program.check()?);
    }
    if times.len() > 1 {
        times.remove(0);
    }
    let peak_bytes = peak_bytes()?;
    let nothing = (0..5).map(|_| program.check_nothing()).collect();
    let runs = times.len();
    // Of few tasks on several threads, the difference can drown in noise.
    let seconds = bench_harness::median(times) - bench_harness::median(nothing);
    Ok(Measured {
        seconds: seconds.max(1e-9 * f64::from(program.tasks)),
        runs,
        peak_bytes,
    })
}

/// Of all threads of this process until now, in seconds.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn to_arguments(program: Program, limit: Duration) -> [String; 4] {
    [
        program.sharing.name().to_owned(),
        program.tasks.to_string(),
        program.threads.to_string(),
        limit.as_secs().to_string(),
    ]
}

fn from_arguments(arguments: &[String]) -> Option<(Program, Duration)> {
    let [sharing, tasks, threads, seconds] = arguments else {
        return None;
    };
    let (sharing, _) = Sharing::ALL.into_iter().find(|(_, name)| name == sharing)?;
    let program = Program {
        sharing,
        tasks: tasks.parse().ok()?,
        threads: threads.parse().ok()?,
    };
    Some((program, Duration::from_secs(seconds.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_survives_the_way_to_the_child() {
        for (sharing, _) in Sharing::ALL {
            let program = Program {
                sharing,
                tasks: 7,
                threads: 2,
            };
            let limit = Duration::from_secs(3);
            let there = from_arguments(&to_arguments(program, limit));
            assert_eq!(there, Some((program, limit)));
        }
    }

    #[test]
    fn a_child_that_takes_too_long_is_stopped() {
        let mut endless = Command::new("sh");
        endless.args(["-c", "while :; do :; done"]);
        let mut child = endless.spawn().expect("a child");
        let reason = watch(&mut child, Duration::from_millis(20));
        assert_eq!(reason, Ok(Some("more than 0 s".to_owned())));
        assert!(!child.wait().expect("a child").success());
    }
}
