//! The command line: which kernels to measure, and how often.

use bench_harness::{count, one_of};
use bench_kernels::KERNELS;

/// What to measure; everything by default.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this kernel.
    pub kernel: Option<String>,
    /// Repetitions behind each median.
    pub runs: usize,
}

/// Printed for a wrong command line.
pub const USAGE: &str = "usage: cargo xtask bench rust [--kernel NAME] [--runs N]";

/// Reads the command line.
pub fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        kernel: None,
        runs: 7,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--kernel" => options.kernel = Some(known_kernel(value)?),
            "--runs" => options.runs = count(value)?,
            _ => return Err(format!("no option `{word}`")),
        }
    }
    Ok(options)
}

fn known_kernel(value: &str) -> Result<String, String> {
    one_of(&KERNELS.map(|kernel| kernel.name), value).map(str::to_owned)
}

impl Options {
    /// Whether the kernel is to be measured.
    pub fn wants(&self, name: &str) -> bool {
        self.kernel.as_deref().is_none_or(|wanted| wanted == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Result<Options, String> {
        parse(&words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_options_every_kernel_is_measured() {
        let options = options(&[]).expect("a right command line");
        assert!(KERNELS.iter().all(|kernel| options.wants(kernel.name)));
    }

    #[test]
    fn a_kernel_is_found_whatever_its_case() {
        let options = options(&["--kernel", "sor", "--runs", "3"]).expect("a right command line");
        assert!(options.wants("SOR") && !options.wants("Series") && options.runs == 3);
    }

    #[test]
    fn wrong_names_and_numbers_are_refused() {
        for words in [
            &["--kernel", "bubble"][..],
            &["--runs", "0"],
            &["--runs"],
            &["--x", "1"],
        ] {
            assert!(options(words).is_err(), "{words:?}");
        }
    }
}
