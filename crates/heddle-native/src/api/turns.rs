//! One schedule of a program, as told: tasks of `heddle.h` take turns, one at a time.
//!
//! `heddle explore -- ./prog` runs a program once for each schedule. Every task has a thread of its own here, so that it can
//! stop anywhere, and all but one wait. A task that is created runs at once, and its creator goes on
//! when it has ended or stopped, as in a serial run. Tasks are switched only before an isolated section or a lock:
//! when every task stands before one, waits, or has ended, that is a *choice point*.
//!
//! `HEDDLE_SCHEDULE` says which choice is taken at which choice point, as `heddle explore` writes schedules (`3:1,7:2`, or `-`);
//! choice 0 is the task that ran last, if it can go on, and the others follow by their numbers. What there was to choose
//! from is appended to the file that `HEDDLE_CHOICES` names, line by line, so that it is known even if the process is killed:
//!
//! ```text
//! point TAKEN TASK@PLACE ...
//! stuck TASK LOCK PLACE
//! refused REASON
//! widen
//! ```
//!
//! # Narrow and wide
//! A lock that is tried sees whether another task is *inside* of a section, which ends at the latest at that task's next choice point.
//! So when a program tries a lock for the first time, the run ends with `widen`, and all are run again with `HEDDLE_TURNS=wide`, where
//! giving a lock back is a choice point, too. Event-driven tasks (`ocr/schedule.rs`) are switched as a whole: those that have a data
//! block for themselves in every order, and where several satisfy one event, all of them.

use crate::busy;
use crate::report::modules::modules;
use crate::report::symbols::Symbols;
use crate::thread;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// Tasks run on the stack of their thread. Untouched pages cost nothing.
const STACK: usize = 8 << 20;

/// The place of the lock of all isolated sections.
pub(super) const ISOLATED: usize = 0;

/// What a task is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    /// It is its turn, or it is on the stack of those that can go on.
    Goes,
    /// It stands before a lock, at this place of the code.
    Wants {
        lock: usize,
        pc: usize,
    },
    /// It stands before something that it can do whenever it is its turn.
    Steps {
        pc: usize,
    },
    /// It waits for others; so many tasks had ended when it last looked.
    Waits {
        since: u64,
    },
    Over,
}

#[derive(Debug)]
struct Turn {
    task: u32,
    doing: Doing,
}

#[derive(Debug, Default)]
struct Turns {
    turns: Vec<Turn>,
    /// Whose turn it is.
    running: usize,
    /// Who can go on, the next one last.
    stack: Vec<usize>,
    /// Who was chosen last.
    last: usize,
    /// Who has which lock.
    held: FxHashMap<usize, usize>,
    /// How many tasks have ended.
    ends: u64,
    /// Choice points so far.
    points: usize,
}

struct Given {
    schedule: FxHashMap<usize, usize>,
    is_wide: bool,
    choices: OsString,
    turns: Mutex<Turns>,
    changed: Condvar,
}

thread_local! {
    /// The calling thread's row; the main task's is the first.
    static OWN: Cell<usize> = const { Cell::new(0) };
    /// Whether it is starting the thread of a task.
    static STARTS: Cell<bool> = const { Cell::new(false) };
}

fn given() -> Option<&'static Given> {
    static GIVEN: OnceLock<Option<Given>> = OnceLock::new();
    GIVEN
        .get_or_init(|| {
            let schedule = std::env::var("HEDDLE_SCHEDULE").ok()?;
            let choices = std::env::var_os("HEDDLE_CHOICES")?;
            let step = |part: &str| {
                let (point, number) = part.split_once(':')?;
                Some((point.parse().ok()?, number.parse().ok()?))
            };
            let main = Turn {
                task: 0,
                doing: Doing::Goes,
            };
            Some(Given {
                schedule: schedule.split(',').filter_map(step).collect(),
                is_wide: std::env::var_os("HEDDLE_TURNS").is_some_and(|turns| turns == "wide"),
                choices,
                turns: Mutex::new(Turns {
                    turns: vec![main],
                    ..Turns::default()
                }),
                changed: Condvar::new(),
            })
        })
        .as_ref()
}

/// Whether tasks take turns by a schedule.
pub(crate) fn are_given() -> bool {
    given().is_some()
}

impl Given {
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, line: &str) {
        let _busy = busy::begin();
        let options = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.choices);
        let written = options.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        if let Err(error) = written {
            crate::say::say!("heddle: cannot write what there is to choose from: {error}");
        }
    }

    /// Gives the turn to whoever is next; the calling task has said what it is doing.
    fn pass_on(&self, turns: &mut Turns) {
        if let Some(next) = turns.stack.pop().or_else(|| turns.looks_again()) {
            turns.running = next;
        } else {
            self.choose(turns);
        }
        self.changed.notify_all();
    }

    /// A choice point.
    fn choose(&self, turns: &mut Turns) {
        let choices = turns.choices();
        if choices.is_empty() {
            self.stuck(turns);
        }
        let at = |row: &usize| {
            let turn = &turns.turns[*row];
            let pc = match turn.doing {
                Doing::Wants { pc, .. } | Doing::Steps { pc } => pc,
                _ => 0,
            };
            (turn.task, pc)
        };
        let places: Vec<(u32, usize)> = choices.iter().map(at).collect();
        let chosen = choices[self.taken(turns, &places)];
        if let Doing::Wants { lock, .. } = turns.turns[chosen].doing {
            turns.held.insert(lock, chosen);
        }
        turns.turns[chosen].doing = Doing::Goes;
        (turns.running, turns.last) = (chosen, chosen);
    }

    /// The number of the choice that the schedule takes: each is a task and where it stands.
    fn taken(&self, turns: &mut Turns, choices: &[(u32, usize)]) -> usize {
        let taken = self.schedule.get(&turns.points).copied().unwrap_or(0);
        if taken >= choices.len() {
            refuse(&format!(
                "the program has no choice {taken} at choice point {}",
                turns.points
            ));
        }
        let mut line = format!("point {taken}");
        for &(task, pc) in choices {
            let _ = write!(line, " {task}@{}", place(pc));
        }
        self.note(&line);
        turns.points += 1;
        taken
    }

    /// Nothing can go on: the run is over, and who waits for what is noted.
    fn stuck(&self, turns: &Turns) -> ! {
        for turn in &turns.turns {
            match turn.doing {
                Doing::Wants { lock, pc } => {
                    let lock = match lock {
                        ISOLATED => "isolated".to_owned(),
                        lock => format!("{lock:#x}"),
                    };
                    self.note(&format!("stuck {} {lock} {}", turn.task, place(pc)));
                }
                Doing::Waits { .. } => self.note(&format!("stuck {} tasks -", turn.task)),
                Doing::Goes | Doing::Steps { .. } | Doing::Over => {}
            }
        }
        // SAFETY: ends the process; nothing of the program is to run any more.
        unsafe { ::libc::_exit(0) }
    }

    /// Waits until it is the calling thread's turn.
    fn wait<'a>(&'a self, own: usize, mut turns: MutexGuard<'a, Turns>) {
        while turns.running != own {
            let woken = self.changed.wait(turns);
            turns = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The calling task stops, and goes on when it is its turn again.
    fn stop(&self, doing: Doing) {
        let own = OWN.get();
        let mut turns = self.turns();
        turns.turns[own].doing = doing;
        self.pass_on(&mut turns);
        self.wait(own, turns);
    }
}

impl Turns {
    /// Somebody who waits, and has not looked since a task ended.
    fn looks_again(&mut self) -> Option<usize> {
        let ends = self.ends;
        let may = |turn: &Turn| matches!(turn.doing, Doing::Waits { since } if since < ends);
        let row = self.turns.iter().position(may)?;
        self.turns[row].doing = Doing::Goes;
        Some(row)
    }

    /// Those who can go on, the one that ran last first.
    fn choices(&self) -> Vec<usize> {
        let can_go = |row: &usize| match self.turns[*row].doing {
            Doing::Wants { lock, .. } => !self.held.contains_key(&lock),
            Doing::Steps { .. } => true,
            _ => false,
        };
        let mut rows: Vec<usize> = (0..self.turns.len()).filter(can_go).collect();
        rows.sort_by_key(|&row| (row != self.last, self.turns[row].task));
        rows
    }
}

/// Runs a task, which has this number; the caller goes on when it has ended or stopped.
pub(super) fn start(task: u32, run: impl FnOnce() + Send + 'static) {
    let Some(given) = given() else { return run() };
    let own = OWN.get();
    let mut turns = given.turns();
    let row = turns.turns.len();
    turns.turns.push(Turn {
        task,
        doing: Doing::Goes,
    });
    let body = move || {
        OWN.set(row);
        given.wait(row, given.turns());
        attach();
        run();
        let mut turns = given.turns();
        turns.turns[row].doing = Doing::Over;
        turns.ends += 1;
        given.pass_on(&mut turns);
        drop(turns);
        // Its place in memory stays taken: addresses are then the same in every schedule that begins alike.
        loop {
            std::thread::park();
        }
    };
    let thread = std::thread::Builder::new().name("heddle".into());
    STARTS.set(true);
    let started = thread.stack_size(STACK).spawn(body);
    STARTS.set(false);
    if let Err(error) = started {
        refuse(&format!("a thread for a task cannot be started: {error}"));
    }
    turns.stack.push(own);
    turns.running = row;
    given.changed.notify_all();
    given.wait(own, turns);
}

fn attach() {
    let Some(runtime) = crate::runtime::runtime() else {
        return;
    };
    thread::attach(runtime.engine.main_task());
    thread::enter(|_, thread| {
        thread.stack_starts(usize::MAX);
        thread.api = super::Local::default();
    });
}

/// The calling task takes a lock, when it is its turn.
pub(super) fn take(lock: usize, pc: usize) {
    if let Some(given) = given() {
        given.stop(Doing::Wants { lock, pc });
    }
}

/// The calling task tries a lock, when it is its turn.
pub(super) fn try_take(pc: usize) {
    widen();
    if let Some(given) = given() {
        given.stop(Doing::Steps { pc });
    }
}

/// The calling task has got the lock that it tried.
pub(super) fn has_taken(lock: usize) {
    if let Some(given) = given() {
        given.turns().held.insert(lock, OWN.get());
    }
}

/// The calling task is about to give a lock back.
pub(super) fn will_give_back(pc: usize) {
    if let Some(given) = given().filter(|given| given.is_wide) {
        given.stop(Doing::Steps { pc });
    }
}

/// Which of these goes next: each is a task that can run as a whole, and where it begins.
pub(crate) fn choose_among(choices: &[(u32, usize)]) -> usize {
    given().map_or(0, |given| given.taken(&mut given.turns(), choices))
}

/// Whether more than sections and locks are choice points.
pub(crate) fn are_wide() -> bool {
    given().is_some_and(|given| given.is_wide)
}

/// The program does something for which more has to be a choice point: ends the run, which is repeated so.
pub(crate) fn widen() {
    if let Some(given) = given().filter(|given| !given.is_wide) {
        given.note("widen");
        // SAFETY: ends the process at once. The library's own `_exit` would write a report, for which it needs
        // locks that the caller may hold.
        unsafe { ::libc::syscall(::libc::SYS_exit_group, 0) };
    }
}

/// The calling task has given a lock back.
pub(super) fn give_back(lock: usize) {
    if let Some(given) = given() {
        given.turns().held.remove(&lock);
    }
}

/// Returns when it is so, which only the end of a task can bring about. No if there are no turns.
pub(super) fn wait_until(is_done: impl Fn() -> bool) -> bool {
    let Some(given) = given() else { return false };
    while !is_done() {
        let since = given.turns().ends;
        given.stop(Doing::Waits { since });
    }
    true
}

/// Whether all tasks but the main one are over.
pub(super) fn all_over() -> bool {
    let over = |turn: &Turn| turn.doing == Doing::Over;
    given().is_none_or(|given| given.turns().turns[1..].iter().all(over))
}

/// The program does something that cannot be explored: says so, and ends the process.
pub(crate) fn refuse(reason: &str) {
    if let Some(given) = given() {
        given.note(&format!("refused {reason}"));
        // SAFETY: ends the process; nothing of the program is to run any more.
        unsafe { ::libc::_exit(0) };
    }
}

/// The program starts a thread of its own.
pub(crate) fn refuse_thread() {
    if are_given() && !STARTS.get() {
        refuse("a program with threads cannot be explored yet, only tasks of heddle.h and OCR");
    }
}

/// A place of the program's own code, in one word.
fn place(pc: usize) -> String {
    static KNOWN: Mutex<BTreeMap<usize, String>> = Mutex::new(BTreeMap::new());
    let _busy = busy::begin();
    let find = || {
        let mut symbols = Symbols::new(modules());
        let spots = symbols.call(pc).into_iter();
        let at = spots
            .filter(|spot| !spot.is_of_system())
            .find_map(|spot| spot.at);
        let at = at.map(|at| format!("{}:{}:{}", at.file, at.line, at.column));
        at.map_or_else(|| "?".to_owned(), |at| at.replace(' ', "\u{a0}"))
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(pc).or_insert_with(find).clone()
}
