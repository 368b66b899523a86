//! `heddle demo`: a tour of what Heddle finds, in the terminal.
//!
//! Each chapter has a small program with a defect and its fixed twin, both bundled here. The tour
//! writes them to a folder and runs there the very commands that it shows, so what the reader sees
//! is what Heddle says. On a terminal it waits for a key between chapters, in a pipe it does not.

use std::fs;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use heddle_report::Problem;

use crate::arguments::Color;
use crate::console::{Console, reason};
use crate::status::Status;

/// The flags of `heddle demo`.
#[derive(Args, Debug)]
pub struct DemoOptions {
    /// Write the programs of the tour to DIR and leave them there, to play with.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    /// When to use colour.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

/// A bundled program: its file name and its text.
type Program = (&'static str, &'static str);

/// One thing that can go wrong, and what to do about it.
struct Chapter {
    title: &'static str,
    before: &'static str,
    defective: Program,
    /// What is said between the commands on the defective program and the fixed one.
    after: &'static str,
    fixed: Program,
    /// Commands on the defective program and the exit status that each must end with.
    shows: &'static [(&'static str, i32)],
    /// The command that shows that the fixed one is right.
    settles: &'static str,
}

const CHAPTERS: &[Chapter] = &[
    Chapter {
        title: "A data race",
        before: "\
Two tasks add to one variable. When the program runs it usually prints 42, and a test that
compares the output passes. Heddle runs it once and asks what every other schedule could do.",
        defective: ("race.task", include_str!("race.task")),
        after: "\
The report names the two lines, the two tasks, and why nothing orders them. The fix: give each
task a place of its own and add up once both have ended.",
        fixed: ("race-fixed.task", include_str!("race-fixed.task")),
        shows: &[("check", 1)],
        settles: "check",
    },
    Chapter {
        title: "An atomicity violation",
        before: "\
Here every access holds the lock, so there is no race. The program is wrong all the same: the
deposit reads the balance in one critical section and writes it in the next. `atomic balance;`
says that the accesses of a task to the balance belong together.",
        defective: ("account.task", include_str!("account.task")),
        after: "\
The schedule in the report loses the withdrawal. The fix: hold the lock from the read to the
write.",
        fixed: ("account-fixed.task", include_str!("account-fixed.task")),
        shows: &[("check", 1)],
        settles: "check",
    },
    Chapter {
        title: "A failure that only some schedules have",
        before: "\
Critical sections can come in any order, and what a task reads in one decides what it does next.
One run cannot answer for all of that, and Heddle does not pretend: look at the last line of the
first report. `heddle explore` then runs every schedule that can differ.",
        defective: ("tickets.task", include_str!("tickets.task")),
        after: "\
Both customers saw the last ticket. The schedule is short, and the `replay` line runs it again.
The fix: look and buy in one section.",
        fixed: ("tickets-fixed.task", include_str!("tickets-fixed.task")),
        shows: &[("check", 0), ("explore", 1)],
        settles: "explore",
    },
    Chapter {
        title: "A transaction that ends too early",
        before: "\
With transactional memory every access lies in a transaction, and `cut` ends one and starts the
next. Short transactions are fast. But a cut in the wrong place lets another task in between.",
        defective: ("list.task", include_str!("list.task")),
        after: "\
One of the two elements is lost from the list. The fix: move the cut, so that both accesses to
`head` are in one transaction.",
        fixed: ("list-fixed.task", include_str!("list-fixed.task")),
        shows: &[("check", 1)],
        settles: "check",
    },
];

const WELCOME: &str = "\
Welcome to Heddle. This tour has four chapters, each with a small program that has a concurrency bug
and the same program fixed. Everything below is printed by the commands shown.
";

const FAREWELL: &str = "\
That was the tour. What it showed on small programs works on real ones:

  C and OpenMP   heddle cc -fopenmp prog.c -o prog && heddle run ./prog
  Rust           heddle::check(|| ...).assert_clean() in an ordinary test

`heddle help` lists the commands; the book in docs/ explains them.
";

/// The whole command.
pub fn run(options: &DemoOptions) -> Status {
    let mut console = Console::new(options.color);
    let toured = match &options.keep {
        Some(dir) => tour(&mut console, dir, options.color),
        None => in_passing(&mut console, options.color),
    };
    match toured.err().or_else(|| console.failure()) {
        None => Status::Clean,
        Some(problem) => {
            console.problems(&[problem]);
            Status::Error
        }
    }
}

/// The tour in a folder that is gone afterwards.
fn in_passing(console: &mut Console, color: Color) -> Result<(), Problem> {
    let dir = folder()?;
    let toured = tour(console, &dir, color);
    // What is left behind in a temporary folder does no harm.
    let _ = fs::remove_dir_all(&dir);
    toured
}

/// Makes a new folder in the place of temporary files.
fn folder() -> Result<PathBuf, Problem> {
    let own = std::process::id();
    let mut made = Err(Problem::plain("there is no name for a folder"));
    for attempt in 0..100 {
        let dir = std::env::temp_dir().join(format!("heddle-demo-{own}-{attempt}"));
        made = match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) => Err(unwritable(&dir, &error)),
        };
    }
    made
}

fn tour(console: &mut Console, dir: &Path, color: Color) -> Result<(), Problem> {
    for chapter in CHAPTERS {
        chapter.write(dir)?;
    }
    console.print(WELCOME);
    for (number, chapter) in (1..).zip(CHAPTERS) {
        if !goes_on(console) {
            return Ok(());
        }
        chapter.show(console, number, dir, color)?;
    }
    console.print(&format!("\n{FAREWELL}"));
    Ok(())
}

impl Chapter {
    /// Puts both programs into the folder. A file of another content is not ours to replace.
    fn write(&self, dir: &Path) -> Result<(), Problem> {
        fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
        for (name, text) in [self.defective, self.fixed] {
            let path = dir.join(name);
            if fs::read_to_string(&path).is_ok_and(|there| there != text) {
                let message = format!("{} is there already, and is another", path.display());
                let help = "name a folder that is empty or not there yet";
                return Err(Problem::plain(message).help(Some(help.into())));
            }
            fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
        }
        Ok(())
    }

    fn show(
        &self,
        console: &mut Console,
        number: usize,
        dir: &Path,
        color: Color,
    ) -> Result<(), Problem> {
        let title = format!("{number}. {}", self.title);
        let line = "=".repeat(title.len());
        console.print(&format!("\n{title}\n{line}\n\n{}\n", self.before));
        list(console, self.defective);
        for &(command, status) in self.shows {
            execute(console, dir, (command, self.defective.0, status), color)?;
        }
        console.print(&format!("\n{}\n", self.after));
        list(console, self.fixed);
        execute(console, dir, (self.settles, self.fixed.0, 0), color)
    }
}

fn list(console: &mut Console, (name, text): Program) {
    console.print(&format!("\n$ cat {name}\n{text}"));
}

/// Runs a command on a program of the folder, as a reader would, and holds it to its status.
fn execute(
    console: &mut Console,
    dir: &Path,
    (command, program, status): (&str, &str, i32),
    color: Color,
) -> Result<(), Problem> {
    console.print(&format!("\n$ heddle {command} {program}\n"));
    let told = |why: String| Problem::plain(format!("heddle {command} {program}: {why}"));
    let own = std::env::current_exe().map_err(|error| told(reason(&error)))?;
    let mut heddle = Command::new(own);
    heddle.args([command, program]).current_dir(dir);
    match color {
        Color::Auto => {}
        Color::Always => drop(heddle.args(["--color", "always"])),
        Color::Never => drop(heddle.args(["--color", "never"])),
    }
    let ended = heddle.status().map_err(|error| told(reason(&error)))?;
    match ended.code() == Some(status) {
        true => Ok(()),
        false => Err(told(format!("it ended with {ended}"))),
    }
}

/// Waits for the reader, if there is one at a terminal; says whether to go on.
fn goes_on(console: &mut Console) -> bool {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return true;
    }
    console.print("\n[Enter: go on, q: stop] ");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    // The end of the input is an answer as well.
    matches!(read, Ok(1..)) && !answer.trim().eq_ignore_ascii_case("q")
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    Problem::plain(format!(
        "cannot write {}: {}",
        path.display(),
        reason(error)
    ))
}
