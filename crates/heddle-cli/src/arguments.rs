//! The command line: the one table of commands and flags. Help, manual pages and completions are
//! made from it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use heddle_core::OrderChoice;
use heddle_lang::eliminate::Eliminations;
use heddle_lang::ir::Elimination;

const EXIT_STATUS: &str = "\
Exit status:
  0  nothing certain was found (with --expect: everything as expected)
  1  there are findings; with --strict, also if they are only possible
     (with --expect: something is not as expected)
  2  a file or the command line is wrong, or a run had to stop; wins over 1";

const CHECK_EXAMPLES: &str = "\
Examples:
  heddle check prog.task                     check one program
  heddle check --expect examples/*.task      compare with what the files say
  heddle check --format json prog.task       one JSON object, for tools
  heddle check --record run.hdl prog.task    check, and keep the run
  heddle check run.hdl                       check a recorded run
  generate | heddle check -                  check standard input";

/// Finds concurrency bugs in task-parallel programs: from one run on one input it answers for
/// every schedule of that input.
#[derive(Parser, Debug)]
#[command(name = "heddle", version, max_term_width = 100, after_long_help = EXIT_STATUS)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run programs once each and report the races, failed assertions and deadlocks.
    ///
    /// Each FILE is a .task program or a recorded run; which of the two is told by its content.
    /// Findings go to standard output; errors and what the programs print go to standard error.
    #[command(after_long_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_STATUS}"))]
    Check(CheckOptions),

    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },

    /// Print a manual page (roff).
    Man {
        /// The command to print the page of; without it, the page of heddle itself.
        command: Option<String>,
    },
}

/// The flags of `heddle check`.
#[derive(Args, Debug)]
pub struct CheckOptions {
    /// Programs and recorded runs; - is standard input.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// How to print findings.
    ///
    /// JSON is one object per file: indented for a single FILE, one per line for several.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Compare what is found with the files' `// expect:` lines.
    #[arg(long)]
    pub expect: bool,

    /// Let possible findings, too, decide the exit status.
    #[arg(long)]
    pub strict: bool,

    /// Show at most N findings (0: all); races at one pair of source positions count once.
    ///
    /// Never changes verdict or exit status. Default: 100 in text, all in JSON.
    #[arg(long, value_name = "N")]
    pub max_findings: Option<usize>,

    /// Show how much work it was, and what check elimination saved.
    #[arg(long)]
    pub stats: bool,

    /// Which order decides what is parallel.
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Order::Auto)]
    pub order: Order,

    /// Turn check eliminations off: all, or those named, separated by commas.
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        num_args = 0..=1,
        require_equals = true,
        value_delimiter = ',',
        default_missing_value = "all"
    )]
    pub no_opt: Vec<NoOpt>,

    /// Keep the run in a file, to be checked again later; for a single program only.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// How findings are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// When output is coloured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The orders one can ask for.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The fastest that can check the program.
    Auto,
    /// Union-find; structured programs.
    Bags,
    /// The program structure tree; structured programs.
    Tree,
    /// The tree plus extra edges; every program.
    Graph,
}

impl From<Order> for OrderChoice {
    fn from(order: Order) -> Self {
        match order {
            Order::Auto => Self::Auto,
            Order::Bags => Self::Bags,
            Order::Tree => Self::Tree,
            Order::Graph => Self::Graph,
        }
    }
}

/// What `--no-opt` can name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoOpt {
    /// Every elimination.
    All,
    /// Sequential code of the main task.
    MainTask,
    /// Locations no parallel code writes.
    ReadOnly,
    /// Objects that never leave their task.
    Escape,
    /// Checks moved in front of a loop.
    LoopInvariant,
    /// Accesses covered by another one of the same strand.
    ReadWrite,
}

impl NoOpt {
    /// The eliminations of this name.
    fn eliminations(self) -> Eliminations {
        let one = |elimination| Eliminations::none().with(elimination);
        match self {
            Self::All => Eliminations::all(),
            Self::MainTask => one(Elimination::MainTask),
            Self::ReadOnly => one(Elimination::ReadOnly),
            Self::Escape => one(Elimination::Escape),
            Self::LoopInvariant => one(Elimination::LoopInvariant),
            Self::ReadWrite => one(Elimination::ReadWrite),
        }
    }
}

impl CheckOptions {
    /// The eliminations that stay on.
    pub fn eliminations(&self) -> Eliminations {
        let off = self
            .no_opt
            .iter()
            .flat_map(|name| name.eliminations().iter());
        off.fold(Eliminations::all(), Eliminations::without)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn check(flags: &[&str]) -> CheckOptions {
        let words = ["heddle", "check", "a.task"].iter().chain(flags);
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Check(options)) => options,
            other => panic!("not a check: {other:?}"),
        }
    }

    #[test]
    fn the_table_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn names_of_eliminations_are_those_of_the_language() {
        for name in &NoOpt::value_variants()[1..] {
            let value = name.to_possible_value().expect("none is hidden");
            let named = Eliminations::from_names([value.get_name()]);
            assert_eq!(named, Ok(name.eliminations()));
        }
    }

    #[test]
    fn eliminations_are_on_unless_turned_off() {
        assert_eq!(check(&[]).eliminations(), Eliminations::all());
        assert_eq!(check(&["--no-opt"]).eliminations(), Eliminations::none());
        let left: Vec<_> = check(&["--no-opt=escape,read-write", "--no-opt=main-task"])
            .eliminations()
            .iter()
            .collect();
        assert_eq!(left, [Elimination::ReadOnly, Elimination::LoopInvariant]);
    }

    #[test]
    fn a_file_behind_a_bare_no_opt_is_a_file() {
        let options = check(&["--no-opt", "b.task"]);
        assert_eq!(options.files.len(), 2);
        assert_eq!(options.no_opt, [NoOpt::All]);
    }
}
