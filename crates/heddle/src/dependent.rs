//! Tasks that start after others: what they wait for, and who wakes them.

use crate::context::{self, Ended};
use crate::exec::{Core, Job};
use crate::explore::world;
use crate::idle::{self, Stealing};
use crate::session::{Execution, Session};
use crate::sites::Caller;
use heddle_core::{Awaited, TaskId};
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What orders those who waited after it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Precedence {
    /// The end of a task.
    End(Ended),
    /// A signal.
    Signal(u32),
    /// Nothing is checked.
    Nothing,
}

/// Something that happens once: a task ends, an event is satisfied.
#[derive(Debug)]
pub(crate) struct Completion {
    /// What it is, in a sentence: `the event`, `the task`.
    what: &'static str,
    made_at: Caller,
    /// The explored task whose end it is.
    task: OnceLock<TaskId>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    outcome: Option<Outcome>,
    waiting: Vec<Arc<Dependent>>,
}

/// What became of it.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// It has happened.
    Done(Precedence),
    /// Whoever could have made it happen is gone: it never will.
    Lost,
}

/// The right, and the duty, to make something happen. Dropped without doing so, it tells those who
/// wait that they wait in vain.
#[derive(Debug)]
pub(crate) struct Promise(Arc<Completion>);

impl Promise {
    /// Of something that has not happened yet, described by a noun and where it was made.
    pub(crate) fn new(what: &'static str, made_at: Caller) -> Self {
        let state = Mutex::default();
        Self(Arc::new(Completion {
            what,
            made_at,
            task: OnceLock::new(),
            state,
        }))
    }

    /// What is promised.
    pub(crate) fn completion(&self) -> &Arc<Completion> {
        &self.0
    }

    /// It happens. False if it already had.
    pub(crate) fn keep(&self, precedence: Precedence) -> bool {
        let waiting = self.0.settle(Outcome::Done(precedence));
        waiting
            .iter()
            .flatten()
            .for_each(|dependent| dependent.one_less());
        waiting.is_some()
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let waiting = self.0.settle(Outcome::Lost);
        waiting
            .iter()
            .flatten()
            .for_each(|dependent| dependent.give_up());
    }
}

impl Completion {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has happened, and what that means.
    pub(crate) fn done(&self) -> Option<Precedence> {
        match self.state().outcome {
            Some(Outcome::Done(precedence)) => Some(precedence),
            Some(Outcome::Lost) | None => None,
        }
    }

    /// Nothing will change any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.state().outcome.is_some()
    }

    /// Those who waited for it; none if it was settled before.
    fn outcome(&self) -> Option<Outcome> {
        self.state().outcome
    }

    /// What a task waits for that can never go on.
    fn awaited(&self) -> Awaited {
        Awaited::Task(self.task.get().copied().unwrap_or(TaskId::MAIN))
    }

    /// The explored task whose end it is.
    pub(crate) fn task(&self) -> Option<TaskId> {
        self.task.get().copied()
    }

    /// It is the end of this explored task.
    pub(crate) fn is_end_of(&self, newborn: Option<&context::Newborn>) {
        if let Some(context::Newborn::Explored(task)) = newborn {
            let _ = self.task.set(*task);
        }
    }

    fn settle(&self, outcome: Outcome) -> Option<Vec<Arc<Dependent>>> {
        let mut state = self.state();
        if state.outcome.is_some() {
            return None;
        }
        state.outcome = Some(outcome);
        Some(std::mem::take(&mut state.waiting))
    }

    /// Tells `dependent` when it is settled. If it already is, says how.
    fn tell(&self, dependent: &Arc<Dependent>) -> Option<Outcome> {
        let mut state = self.state();
        if state.outcome.is_none() {
            state.waiting.push(Arc::clone(dependent));
        }
        state.outcome
    }

    /// Blocks the running task until it has happened, and orders what follows after it.
    pub(crate) fn wait(&self, execution: Execution, session: Option<&Session>, caller: Caller) {
        if execution == Execution::Pool {
            let over = || self.is_settled();
            let waits = || (!self.is_settled()).then(|| format!("{caller} waits for {self}"));
            let waited = idle::wait_until(session, Stealing::Forbidden, over, waits);
            waited.unwrap_or_else(|stuck| panic!("deadlock: {stuck}, which never ends"));
        }
        if execution == Execution::Explored {
            world::wait_until(self.awaited(), caller, || self.is_settled());
        }
        match self.outcome() {
            Some(Outcome::Done(precedence)) => precedence.arrive(),
            Some(Outcome::Lost) => panic!("deadlock: {caller} waits for {self}, which never ran"),
            None => panic!("{}", unfinished(&format!("{caller} waits for {self}"))),
        }
    }
}

impl fmt::Display for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} made at {}", self.what, self.made_at)
    }
}

/// What a serial run says that cannot go on, though on several threads it might.
pub(crate) fn unfinished(who_waits: &str) -> String {
    format!(
        "the serial run cannot go on: {who_waits}, which has not come in depth-first order. What the \
         tasks below do after it may bring it, or nothing may; run the program on threads \
         (`parallel(2)`, `HEDDLE_PARALLEL=2`) to find out"
    )
}

impl Precedence {
    /// Precedes what the running task does next.
    pub(crate) fn arrive(self) {
        match self {
            Self::End(end) => context::join(end),
            Self::Signal(signal) => context::wait(&[signal]),
            Self::Nothing => {}
        }
    }

    /// The end of a task.
    pub(crate) fn of_end(end: Option<Ended>) -> Self {
        end.map_or(Self::Nothing, Self::End)
    }
}

/// A task that starts when everything it waits for has happened.
pub(crate) struct Dependent {
    created_at: Caller,
    awaited: Vec<Arc<Completion>>,
    missing: AtomicUsize,
    start: Mutex<Option<Start>>,
}

/// The task itself, and the finish it belongs to.
struct Start {
    job: Job,
    core: NonNull<Core>,
}

// SAFETY: the core is `Sync` and is not closed before the start was taken, see `Dependent::abandon`.
unsafe impl Send for Start {}

impl Dependent {
    /// Defers `job` until all of `awaited` has happened.
    pub(crate) fn defer(core: &Core, job: Job, awaited: Vec<Arc<Completion>>, created_at: Caller) {
        let core_pointer = NonNull::from(core);
        let dependent = Arc::new(Self {
            created_at,
            missing: AtomicUsize::new(awaited.len() + 1),
            awaited,
            start: Mutex::new(Some(Start {
                job,
                core: core_pointer,
            })),
        });
        core.defer(&dependent);
        for awaited in &dependent.awaited {
            match awaited.tell(&dependent) {
                Some(Outcome::Done(_)) => dependent.one_less(),
                Some(Outcome::Lost) => dependent.give_up(),
                None => {}
            }
        }
        dependent.one_less();
    }

    fn start(&self) -> MutexGuard<'_, Option<Start>> {
        self.start.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn one_less(&self) {
        if self.missing.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let mut start = self.start();
        if let Some(Start { job, core }) = start.take() {
            // SAFETY: the finish counts this task as deferred until its owner took the job, or else
            // abandons it, for which it needs the guard that is held here.
            unsafe { core.as_ref() }.now_ready(job);
        }
    }

    /// Something it waits for never comes: the task will not run, and its finish is told.
    fn give_up(&self) {
        let mut start = self.start();
        if let Some(Start { job, core }) = start.take() {
            // SAFETY: as in `one_less`.
            unsafe { core.as_ref() }.never_ready(job, self.waits());
        }
    }

    /// Who waits for what, unless the task has started.
    pub(crate) fn waiting(&self) -> Option<String> {
        self.start().is_some().then(|| self.waits())
    }

    /// Drops the task if it never started, and says what it waits for.
    pub(crate) fn abandon(&self) -> Option<String> {
        let start = self.start().take();
        start.map(|_| self.waits())
    }

    fn waits(&self) -> String {
        let open = self.awaited.iter().filter(|on| on.done().is_none());
        let open: Vec<String> = open.map(ToString::to_string).collect();
        let (at, open) = (self.created_at, open.join(" and "));
        format!("the task created at {at} waits for {open}")
    }
}

impl fmt::Debug for Dependent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = format_args!("{}", self.created_at).to_string();
        f.debug_struct("Dependent")
            .field("created_at", &at)
            .finish_non_exhaustive()
    }
}
