//! The command line: which programs, and how often.

use bench_harness::{count, one_of};
use bench_native::kernel::{KERNELS, Kernel};

/// What to do; everything by default.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this kernel.
    pub kernel: Option<&'static str>,
    /// Repetitions behind each median.
    pub runs: usize,
    /// Whether the programs are run at their small size, for the checks alone.
    pub is_check: bool,
    /// The compiler of all programs.
    pub compiler: String,
}

/// Printed for a wrong command line.
pub const USAGE: &str = "\
usage: cargo xtask bench atomicity [--kernel NAME] [--runs N] [--compiler CLANG] [--check]";

/// Reads the command line.
pub fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        kernel: None,
        runs: 5,
        is_check: false,
        compiler: "clang-22".to_owned(),
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        match word.as_str() {
            "--kernel" => {
                options.kernel = Some(one_of(&KERNELS.map(|kernel| kernel.name), value()?)?);
            }
            "--runs" => options.runs = count(value()?)?,
            "--compiler" => options.compiler = value()?.clone(),
            "--check" => (options.is_check, options.runs) = (true, 1),
            _ => return Err(format!("no option `{word}`")),
        }
    }
    Ok(options)
}

impl Options {
    /// The kernels to work on.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel> {
        let wanted = |kernel: &&Kernel| self.kernel.is_none_or(|wanted| wanted == kernel.name);
        KERNELS.iter().filter(wanted)
    }

    /// How large the kernel is to be.
    pub fn size(&self, kernel: &Kernel) -> usize {
        match self.is_check {
            true => kernel.small,
            false => kernel.full,
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
    fn without_options_the_table_has_every_kernel() {
        let options = options(&[]).expect("a right command line");
        assert_eq!(options.kernels().count(), KERNELS.len());
    }

    #[test]
    fn one_kernel_can_be_chosen() {
        let options = options(&["--kernel", "fib"]).expect("a right line");
        assert_eq!(options.kernels().count(), 1);
    }

    #[test]
    fn wrong_names_and_numbers_are_refused() {
        for words in [
            &["--kernel", "bubble"][..],
            &["--runs", "0"],
            &["--runs"],
            &["--x"],
        ] {
            assert!(options(words).is_err(), "{words:?}");
        }
    }
}
