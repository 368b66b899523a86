//! Runs a program to its end and tells what it printed, how long it took and how much memory it held.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

/// A finished run.
#[derive(Debug)]
pub struct Run {
    /// What it wrote to its output.
    pub output: String,
    /// What it wrote to its error stream.
    pub errors: String,
    /// How it ended.
    pub status: ExitStatus,
    /// Wall-clock time from start to end.
    pub seconds: f64,
    /// Processor time, of its own children as well.
    pub processor_seconds: f64,
    /// The most memory it held at a time.
    pub peak_bytes: u64,
}

/// Runs the command. Output goes through files beside `scratch`: a pipe nobody reads would stop it.
pub fn run(command: &mut Command, scratch: &Path) -> Result<Run, String> {
    let [output, errors] = ["out", "err"].map(|kind| scratch.with_extension(kind));
    command
        .stdin(Stdio::null())
        .stdout(create(&output)?)
        .stderr(create(&errors)?);
    let start = Instant::now();
    let child = command.spawn();
    let child = child.map_err(|e| format!("cannot start {:?}: {e}", command.get_program()))?;
    let (status, usage) = wait(child.id())?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Run {
        output: text(&output)?,
        errors: text(&errors)?,
        status,
        seconds,
        processor_seconds: duration(usage.ru_utime) + duration(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    })
}

fn create(path: &PathBuf) -> Result<File, String> {
    File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn text(path: &PathBuf) -> Result<String, String> {
    let bytes = std::fs::read(path);
    let bytes = bytes.map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Waits for a child that nobody has waited for yet.
fn wait(child: u32) -> Result<(ExitStatus, libc::rusage), String> {
    let mut status = 0;
    // SAFETY: all fields of `rusage` are integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to locals that outlive the call.
    let ended = unsafe { libc::wait4(child.cast_signed(), &mut status, 0, &mut usage) };
    if ended < 0 {
        return Err(format!("wait4: {}", std::io::Error::last_os_error()));
    }
    Ok((ExitStatus::from_raw(status), usage))
}

fn duration(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, name: &str) -> Run {
        let scratch = std::env::temp_dir().join(format!("bench-native-{}", std::process::id()));
        std::fs::create_dir_all(&scratch).expect("a folder");
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), &scratch.join(name)).expect("a shell")
    }

    #[test]
    fn output_errors_and_status_are_told_apart() {
        let run = shell("echo one; echo two >&2; exit 3", "told");
        assert_eq!(
            (run.output.as_str(), run.errors.as_str()),
            ("one\n", "two\n")
        );
        assert_eq!(run.status.code(), Some(3));
    }

    #[test]
    fn time_and_memory_are_those_of_the_child() {
        let run = shell("sleep 0.05", "sleep");
        assert!(run.seconds >= 0.05 && run.processor_seconds < run.seconds);
        assert!((1 << 18..1 << 28).contains(&run.peak_bytes), "{run:?}");
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let mut command = Command::new("/no/such/program");
        let scratch = std::env::temp_dir().join("bench-native-absent");
        assert!(run(&mut command, &scratch).is_err());
    }
}
