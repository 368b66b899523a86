//! On what the figures were measured.

use serde::Serialize;
use std::fmt;

/// The machine, as far as it matters for reading the table.
#[derive(Clone, Serialize, Debug)]
pub struct Machine {
    /// The processor's own name.
    pub processor: String,
    /// How many of its cores may be used.
    pub cores: usize,
    /// Main memory.
    pub memory_bytes: u64,
}

impl Machine {
    /// The machine this runs on; what cannot be found out stays empty.
    pub fn here() -> Self {
        let kib = field("/proc/meminfo", "MemTotal").unwrap_or_default();
        let kib = kib
            .split_whitespace()
            .next()
            .and_then(|number| number.parse::<u64>().ok());
        Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: kib.unwrap_or(0) * 1024,
        }
    }
}

/// What follows `name` and a colon in a file of `/proc`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gibibytes = self.memory_bytes as f64 / f64::from(1 << 30);
        write!(
            f,
            "{}, {} cores, {gibibytes:.1} GiB",
            self.processor, self.cores
        )
    }
}
