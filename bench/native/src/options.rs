//! The command line: which programs to measure, in which ways, and how often.

use bench_harness::{count, one_of};

use crate::kernel::{KERNELS, Kernel};
use crate::way::{WAYS, Way};

/// What to do; everything by default.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this kernel.
    pub kernel: Option<&'static str>,
    /// Repetitions behind each median.
    pub runs: usize,
    /// What to compare.
    pub ways: Vec<Way>,
    /// What to do with the kernels.
    pub task: Task,
    /// The compiler of all ways.
    pub compiler: String,
}

/// What to do with the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Measure them.
    Measure,
    /// Run them once at their small size, for the checks alone.
    Check,
    /// Count the calls of their instrumentation.
    Count,
}

/// Printed for a wrong command line.
pub const USAGE: &str = "\
usage: cargo xtask bench native [--kernel NAME] [--runs N] [--ways plain,null,heddle,archer]
                                [--compiler CLANG] [--check | --count]";

/// Reads the command line.
pub fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        kernel: None,
        runs: 5,
        ways: WAYS.to_vec(),
        task: Task::Measure,
        compiler: "clang-22".to_owned(),
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        match word.as_str() {
            "--kernel" => options.kernel = Some(known_kernel(value()?)?),
            "--runs" => options.runs = count(value()?)?,
            "--ways" => options.ways = ways(value()?)?,
            "--compiler" => options.compiler = value()?.clone(),
            "--check" => (options.task, options.runs) = (Task::Check, 1),
            "--count" => options.task = Task::Count,
            _ => return Err(format!("no option `{word}`")),
        }
    }
    Ok(options)
}

fn ways(value: &str) -> Result<Vec<Way>, String> {
    let way = |name| Way::named(name).ok_or_else(|| format!("`{name}` is no way"));
    value.split(',').map(way).collect()
}

fn known_kernel(value: &str) -> Result<&'static str, String> {
    one_of(&KERNELS.map(|kernel| kernel.name), value)
}

impl Options {
    /// The kernels to work on.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel> {
        let wanted = |kernel: &&Kernel| self.kernel.is_none_or(|wanted| wanted == kernel.name);
        KERNELS.iter().filter(wanted)
    }

    /// How large the kernel is to be.
    pub fn size(&self, kernel: &Kernel) -> usize {
        match self.task {
            Task::Measure | Task::Count => kernel.full,
            Task::Check => kernel.small,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Result<Options, String> {
        parse(&words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_options_every_kernel_is_measured_in_every_way() {
        let options = options(&[]).expect("a right command line");
        assert_eq!(options.kernels().count(), KERNELS.len());
        assert_eq!(options.ways, WAYS);
    }

    #[test]
    fn a_kernel_is_found_whatever_its_case() {
        let options = options(&["--kernel", "sor", "--runs", "3"]).expect("a right command line");
        let names: Vec<&str> = options.kernels().map(|kernel| kernel.name).collect();
        assert_eq!((names, options.runs), (vec!["SOR"], 3));
    }

    #[test]
    fn checking_uses_the_small_size() {
        let options = options(&["--check"]).expect("a right command line");
        assert!(
            KERNELS
                .iter()
                .all(|kernel| options.size(kernel) == kernel.small)
        );
    }

    #[test]
    fn wrong_names_and_numbers_are_refused() {
        for words in [
            &["--kernel", "bubble"][..],
            &["--runs", "0"],
            &["--runs"],
            &["--ways", "plain,fast"],
            &["--x"],
        ] {
            assert!(options(words).is_err(), "{words:?}");
        }
    }
}
