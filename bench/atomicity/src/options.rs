//! The command line: which programs, which tables, and how often.

use bench_harness::{count, one_of};
use bench_native::kernel::{KERNELS, Kernel};

/// What to do; everything by default.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this kernel.
    pub kernel: Option<&'static str>,
    /// Only this table.
    pub part: Option<Part>,
    /// Repetitions behind each median.
    pub runs: usize,
    /// Whether the programs are run at their small size, for the checks alone.
    pub is_check: bool,
    /// The compiler of all programs.
    pub compiler: String,
}

/// One of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What checking costs.
    Cost,
    /// How often the order of two strands is asked for.
    Questions,
    /// What the tree's layout and the cache of answers gain.
    Layout,
}

const PARTS: [(&str, Part); 3] = [
    ("cost", Part::Cost),
    ("questions", Part::Questions),
    ("layout", Part::Layout),
];

/// Printed for a wrong command line.
pub const USAGE: &str = "\
usage: cargo xtask bench atomicity [--kernel NAME] [--part cost|questions|layout] [--runs N]
                                   [--compiler CLANG] [--check]";

/// Reads the command line.
pub fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        kernel: None,
        part: None,
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
            "--part" => options.part = Some(part(value()?)?),
            "--runs" => options.runs = count(value()?)?,
            "--compiler" => options.compiler = value()?.clone(),
            "--check" => (options.is_check, options.runs) = (true, 1),
            _ => return Err(format!("no option `{word}`")),
        }
    }
    Ok(options)
}

fn part(value: &str) -> Result<Part, String> {
    let name = one_of(&PARTS.map(|(name, _)| name), value)?;
    let found = PARTS.iter().find(|(known, _)| *known == name);
    found
        .map(|&(_, part)| part)
        .ok_or_else(|| format!("`{value}` is no table"))
}

impl Options {
    /// The kernels to work on.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel> {
        let wanted = |kernel: &&Kernel| self.kernel.is_none_or(|wanted| wanted == kernel.name);
        KERNELS.iter().filter(wanted)
    }

    /// Whether the table is to be made.
    pub fn wants(&self, part: Part) -> bool {
        self.part.is_none_or(|wanted| wanted == part)
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
    fn without_options_every_table_has_every_kernel() {
        let options = options(&[]).expect("a right command line");
        assert_eq!(options.kernels().count(), KERNELS.len());
        assert!(PARTS.iter().all(|&(_, part)| options.wants(part)));
    }

    #[test]
    fn one_kernel_and_one_table_can_be_chosen() {
        let options = options(&["--kernel", "fib", "--part", "layout"]).expect("a right line");
        assert_eq!(options.kernels().count(), 1);
        assert!(options.wants(Part::Layout) && !options.wants(Part::Cost));
    }

    #[test]
    fn wrong_names_and_numbers_are_refused() {
        for words in [
            &["--kernel", "bubble"][..],
            &["--part", "x"],
            &["--runs", "0"],
            &["--runs"],
            &["--x"],
        ] {
            assert!(options(words).is_err(), "{words:?}");
        }
    }
}
