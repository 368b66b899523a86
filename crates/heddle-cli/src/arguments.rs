//! The command line: the one table of commands and flags. Help, manual pages and completions are
//! made from it.

#[cfg(unix)]
use std::ffi::OsString;
#[cfg(unix)]
use std::num::NonZeroU32;
use std::path::PathBuf;

#[cfg(unix)]
use clap::ArgAction;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use heddle_check::Analyses;
use heddle_core::atomicity::Scope;
use heddle_core::{Finding, OrderChoice};
use heddle_lang::cuts::Cuts;
use heddle_lang::eliminate::Eliminations;
use heddle_lang::ir::Elimination;

use crate::accept::Place;
use crate::demo::DemoOptions;
use crate::diff::DiffOptions;
use crate::explore::options::{EXPLORE_EXAMPLES, ExploreOptions, MergeOptions};
use crate::graph::GraphOptions;
use crate::replay::ReplayOptions;
use crate::showing::Showing;

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
  heddle check --format sarif -o out.sarif prog.task
                                             for a code host
  heddle check --baseline old.json prog.task only what is new
  heddle check --record run.hdl prog.task    check, and keep the run
  heddle check run.hdl                       check a recorded run
  generate | heddle check -                  check standard input";

const ACCEPT_EXAMPLES: &str = "\
Examples:
  heddle accept --merge list.task 5:13 9:3      these two belong together
  heddle accept --harmless list.task 5:13 9:3   leave this finding out

Exit status: 0 if the answer is in the file; 2 if a file or the command line is wrong.";

#[cfg(unix)]
const COMPILER_EXAMPLES: &str = "\
Examples:
  heddle cc -fopenmp -O1 prog.c -o prog      compile and link
  heddle cc --compiler=gcc -c prog.c         wrap another compiler
  make CC=heddle-clang CXX=heddle-clang++    in a project of your own
  heddle cc --install-links=bin              then: cmake -DCMAKE_C_COMPILER=$PWD/bin/heddle-cc

The compiler: what --compiler says, else HEDDLE_CC (C++: HEDDLE_CXX), else clang-22, clang or gcc.
Exit status: the compiler's; 2 if it could not be started.";

#[cfg(unix)]
const RUN_EXAMPLES: &str = "\
Examples:
  heddle run ./prog input.txt                run, then read the report
  heddle run --threads 1 -- ./prog           with one OpenMP thread: races of tasks only
  heddle run --suppress known.txt -- ./prog  leave out what is known
  heddle run --format json --output r.json -- ./prog
  heddle run --record run.hdl -- ./prog      keep the run; later: heddle check run.hdl
  heddle run --analysis transactions ./prog  which cuts (HEDDLE_CUT) can be seen

Exit status:
  1      there are findings (--exit-status); with --strict, also if only possible
  2      the program cannot be run or cannot be checked
  128+N  the program was killed by signal N
  else   the program's own";

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

    /// Take a tour: four small bugs, what Heddle says of each, and the fix.
    ///
    /// Needs nothing but this command. On a terminal it waits for Enter between the chapters.
    Demo(DemoOptions),

    /// Answer a transaction finding: write into heddle.toml, beside FILE, what to make of it.
    ///
    /// The two positions are those the finding names: where the first transaction ends and where the
    /// second starts. Entries are found again after edits elsewhere in FILE; heddle check says which
    /// ones changed nothing.
    #[command(after_long_help = ACCEPT_EXAMPLES)]
    Accept(AcceptOptions),

    /// Run every schedule of a program that can differ, and report what any of them shows.
    ///
    /// Where tasks exclude each other or ewait may take one of several, one run does not answer for all schedules. Each finding
    /// comes with a schedule that shows it, and the command that runs it again.
    #[command(after_long_help = format!("{EXPLORE_EXAMPLES}\n\n{EXIT_STATUS}"))]
    Explore(ExploreOptions),

    /// Put the parts of an exploration together.
    Merge(MergeOptions),

    /// Compare two reports in JSON: what is new, and what is gone.
    ///
    /// Findings are told apart by their fingerprints, which edits elsewhere in the source leave alone. The exit status is 1
    /// if something is new.
    Diff(DiffOptions),

    /// Draw the tasks of a small program: strands, spawns, joins and the other edges between them.
    ///
    /// Tasks are lanes, time runs from top to bottom, and strands that a finding is about are marked.
    Graph(GraphOptions),

    /// Run the races of a program in both orders, and show which values differ.
    ///
    /// Each race that heddle check finds in FILE is executed twice, with one access first and with the other. The strands
    /// that touch the variable are listed with what they read and write.
    Replay(ReplayOptions),

    /// Compile and link C so that the program is checked while it runs.
    ///
    /// A drop-in compiler: everything behind its own options goes to the real one, together with what
    /// checking needs. Run the program with heddle run, or by itself.
    #[cfg(unix)]
    #[command(after_long_help = COMPILER_EXAMPLES, disable_help_flag = true)]
    Cc(CompilerOptions),

    /// Compile and link C++ so that the program is checked while it runs.
    ///
    /// A drop-in compiler: everything behind its own options goes to the real one, together with what
    /// checking needs. Run the program with heddle run, or by itself.
    #[cfg(unix)]
    #[command(name = "c++", after_long_help = COMPILER_EXAMPLES, disable_help_flag = true)]
    Cxx(CompilerOptions),

    /// Run a program built with heddle cc or heddle c++, then print what was found.
    ///
    /// Input, output, errors and signals are the program's. The report comes when it has ended.
    #[cfg(unix)]
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(RunOptions),

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

    #[command(flatten)]
    pub show: Showing,

    /// Compare what is found with the files' `// expect:` lines.
    #[arg(long)]
    pub expect: bool,

    /// Let possible findings, too, decide the exit status.
    #[arg(long)]
    pub strict: bool,

    /// Show at most N findings (0: all).
    ///
    /// Never changes verdict or exit status. Default: 100 in text, all in other formats.
    #[arg(long, value_name = "N")]
    pub max_findings: Option<usize>,

    /// Show how much work it was, and what check elimination saved.
    #[arg(long)]
    pub stats: bool,

    /// Which order decides what is parallel.
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Order::Auto)]
    pub order: Order,

    /// What to report.
    #[arg(long, value_enum, value_name = "ANALYSIS", default_value_t = Analysis::All)]
    pub analysis: Analysis,

    /// Which locations are checked for atomicity.
    ///
    /// Of all locations, findings are ranked: lost updates under locks come first.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Atomic::Declared)]
    pub atomic: Atomic,

    /// Where programs are cut into transactions; asks for transactions instead of races.
    ///
    /// Without it, at the program's own cut statements. Rules cut beside those, never inside a critical section.
    #[arg(long, value_enum, value_name = "RULE")]
    pub cuts: Option<CutRule>,

    /// Print, as an edit, as many cuts of the rule (--cuts, else menier) as cannot be seen; the program is not
    /// changed.
    #[arg(long)]
    pub suggest_cuts: bool,

    /// Whether a SAT solver decides what may be a visible cut.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = Exact::Quick,
        default_missing_value = "always"
    )]
    pub exact: Exact,

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

/// The flags of `heddle accept`.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("answer").required(true).args(["merge", "harmless"])))]
pub struct AcceptOptions {
    /// The source file the finding is in, or the recorded run.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Where the first transaction ends, as LINE:COLUMN or, in another file, FILE:LINE:COLUMN.
    #[arg(value_name = "FIRST")]
    pub first: Place,

    /// Where the second starts, likewise.
    #[arg(value_name = "SECOND")]
    pub second: Place,

    /// The two belong together: check them as one transaction from now on.
    #[arg(long)]
    pub merge: bool,

    /// What may come between does no harm: do not report it again.
    #[arg(long)]
    pub harmless: bool,

    /// A reason to keep with the answer.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// The flags of `heddle cc` and `heddle c++`. They come first.
#[cfg(unix)]
#[derive(Args, Debug)]
pub struct CompilerOptions {
    /// The compiler to wrap: a name or a path. For C++, gcc means g++ and clang means clang++.
    #[arg(long, value_name = "COMPILER")]
    pub compiler: Option<OsString>,

    /// Cut the program into transactions by a rule, beside its own cuts; for heddle run --analysis transactions.
    #[arg(long, value_enum, value_name = "RULE")]
    pub cuts: Option<CutRule>,

    /// The program is of event-driven tasks: it has ocr.h to include, and starts with mainEdt.
    #[arg(long)]
    pub ocr: bool,

    /// Only make links to heddle in DIR under which it is a compiler, for tools that want one word:
    /// heddle-cc, heddle-c++, heddle-clang, heddle-clang++, heddle-gcc, heddle-g++.
    #[arg(long, value_name = "DIR")]
    pub install_links: Option<PathBuf>,

    /// Print help.
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// What the compiler gets.
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<OsString>,
}

/// The flags of `heddle run`.
#[cfg(unix)]
#[derive(Args, Debug)]
pub struct RunOptions {
    /// The program and its arguments.
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,

    #[command(flatten)]
    pub show: Showing,

    /// Let possible findings, too, decide the exit status.
    #[arg(long)]
    pub strict: bool,

    /// Show at most N findings (0: all). Never changes verdict or exit status.
    #[arg(long, value_name = "N")]
    pub max_findings: Option<usize>,

    /// Leave out findings that the lines of FILE describe, such as race:function or atomicity:file.c.
    #[arg(long, value_name = "FILE")]
    pub suppress: Option<PathBuf>,

    /// Keep the run in a file, to be checked again later.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// The exit status with findings; 0 keeps the program's own.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub exit_status: u8,

    /// What to report.
    #[arg(long, value_enum, value_name = "ANALYSIS", default_value_t = Analysis::All)]
    pub analysis: Analysis,

    /// Which memory is checked for atomicity.
    ///
    /// Of all memory, findings are ranked: lost updates under locks come first.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Atomic::Declared)]
    pub atomic: Atomic,

    /// How many threads OpenMP uses.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroU32>,

    /// Show how much work it was.
    #[arg(long)]
    pub stats: bool,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// How findings are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: an object per file, indented for a single one, else one per line.
    Json,
    /// SARIF 2.1.0, for code hosts and editors.
    Sarif,
    /// JUnit XML, for CI systems.
    Junit,
    /// One page for a browser, which needs nothing else: give -o FILE.
    Html,
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

/// What is reported.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Analysis {
    /// Races, and atomicity violations where something is atomic.
    All,
    /// Races only.
    Races,
    /// Atomicity violations only.
    Atomicity,
    /// Cuts that can be seen, instead of races: what programs with cuts ask for.
    Transactions,
}

impl Analysis {
    /// Whether this finding is one of those asked for. Assertions and deadlocks always are.
    pub fn wants(self, finding: &Finding) -> bool {
        match finding {
            Finding::Race { .. } => !matches!(self, Self::Atomicity | Self::Transactions),
            Finding::Atomicity { .. } => self != Self::Races,
            _ => true,
        }
    }
}

/// Rules that cut programs into transactions.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutRule {
    /// Nowhere, not even at cut statements: every strand is one transaction.
    None,
    /// Before and after calls, at the end of each loop iteration.
    Menier,
    /// After every access.
    Access,
}

impl From<CutRule> for Cuts {
    fn from(rule: CutRule) -> Self {
        match rule {
            CutRule::None => Self::None,
            CutRule::Menier => Self::Menier,
            CutRule::Access => Self::Access,
        }
    }
}

/// Whether visible cuts are decided exactly.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exact {
    /// Where it takes well under a second.
    Quick,
    /// Always.
    Always,
    /// Never: what no simple schedule confirms is only possible.
    Never,
}

impl From<Exact> for heddle_transactions::Exact {
    fn from(exact: Exact) -> Self {
        match exact {
            Exact::Quick => Self::Quick,
            Exact::Always => Self::Always,
            Exact::Never => Self::Never,
        }
    }
}

/// Which locations are checked for atomicity.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomic {
    /// Those the program declares atomic.
    Declared,
    /// All of them.
    All,
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
    /// What the engine is to check.
    pub fn analyses(&self) -> Analyses {
        let scope = match self.atomic {
            Atomic::Declared => Scope::Declared,
            Atomic::All => Scope::All,
        };
        Analyses {
            order: self.order.into(),
            atomicity: scope,
        }
    }

    /// Where programs are cut.
    pub fn cuts(&self) -> Cuts {
        self.cuts.map_or(Cuts::Manual, Cuts::from)
    }

    /// The eliminations that stay on. An access that cannot race can still tear, so none do where all
    /// locations are checked for atomicity; and one that another access of its strand covers can still lie in
    /// another transaction (`cuts`).
    pub fn eliminations(&self, cuts: bool) -> Eliminations {
        if self.atomic == Atomic::All || cuts {
            return Eliminations::none();
        }
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

    fn compiler(words: &[&str]) -> CompilerOptions {
        let words = ["heddle", "cc"].iter().chain(words);
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Cc(options)) => options,
            other => panic!("not a compilation: {other:?}"),
        }
    }

    fn run(words: &[&str]) -> RunOptions {
        let words = ["heddle", "run"].iter().chain(words);
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Run(options)) => options,
            other => panic!("not a run: {other:?}"),
        }
    }

    #[test]
    fn a_compiler_gets_every_word_behind_our_own() {
        for words in [
            &["-c", "a.c", "--compiler=x"][..],
            &["--version"],
            &["-V"],
            &["-h"],
            &["-o", "a", "-Wl,-z,now", "-", "--", "b.c"],
            &[],
        ] {
            assert_eq!(compiler(words).arguments, words);
            let ours = [&["--compiler=gcc"], words].concat();
            assert_eq!(compiler(&ours).arguments, words);
            assert_eq!(compiler(&ours).compiler, Some("gcc".into()));
        }
    }

    #[test]
    fn a_program_keeps_its_own_flags() {
        for separator in [&["--"][..], &[]] {
            let words = [
                &["--strict"],
                separator,
                &["./prog", "--strict", "-x", "--"],
            ]
            .concat();
            assert_eq!(run(&words).program, ["./prog", "--strict", "-x", "--"]);
        }
        assert!(Arguments::try_parse_from(["heddle", "run", "--nonsense", "./prog"]).is_err());
        assert!(Arguments::try_parse_from(["heddle", "run"]).is_err());
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
        assert_eq!(check(&[]).eliminations(false), Eliminations::all());
        assert_eq!(
            check(&["--no-opt"]).eliminations(false),
            Eliminations::none()
        );
        let left: Vec<_> = check(&["--no-opt=escape,read-write", "--no-opt=main-task"])
            .eliminations(false)
            .iter()
            .collect();
        assert_eq!(left, [Elimination::ReadOnly, Elimination::LoopInvariant]);
    }

    #[test]
    fn where_all_locations_are_checked_for_atomicity_no_access_is_left_out() {
        let options = check(&["--atomic=all"]);
        assert_eq!(options.eliminations(false), Eliminations::none());
        assert_eq!(options.analyses().atomicity, Scope::All);
        assert_eq!(check(&[]).analyses(), Analyses::default());
    }

    #[test]
    fn a_file_behind_a_bare_no_opt_is_a_file() {
        let options = check(&["--no-opt", "b.task"]);
        assert_eq!(options.files.len(), 2);
        assert_eq!(options.no_opt, [NoOpt::All]);
    }
}
