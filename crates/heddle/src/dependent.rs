//! Tasks that start after others: what they wait for, and who wakes them.

use crate::context;
use crate::exec::{Core, Job};
use crate::idle::{self, Stealing};
use crate::session::Session;
use crate::sites::Caller;
use heddle_rt::EndPoint;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What orders those who waited after it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Precedence {
    /// The end of a task.
    End(EndPoint),
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
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    done: Option<Precedence>,
    waiting: Vec<Arc<Dependent>>,
}

impl Completion {
    /// Something that has not happened yet.
    pub(crate) fn new(what: &'static str, made_at: Caller) -> Arc<Self> {
        Arc::new(Self {
            what,
            made_at,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it was made.
    pub(crate) fn made_at(&self) -> Caller {
        self.made_at
    }

    /// Whether it has happened, and what that means.
    pub(crate) fn done(&self) -> Option<Precedence> {
        self.state().done
    }

    /// It happens. False if it already had.
    pub(crate) fn complete(&self, precedence: Precedence) -> bool {
        let mut state = self.state();
        if state.done.is_some() {
            return false;
        }
        state.done = Some(precedence);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.iter().for_each(|task| task.one_less());
        true
    }

    /// Tells `dependent` when it happens. False if it already has.
    fn tell(&self, dependent: &Arc<Dependent>) -> bool {
        let mut state = self.state();
        if state.done.is_none() {
            state.waiting.push(Arc::clone(dependent));
            return true;
        }
        false
    }

    /// Blocks the running task until it has happened, and orders what follows after it.
    pub(crate) fn wait(&self, inline: bool, session: Option<&Session>, caller: Caller) {
        if self.done().is_none() {
            let over = || self.done().is_some();
            let waited = match inline {
                true => Err(idle::Stuck),
                false => idle::wait_until(session, Stealing::Forbidden, over, || true),
            };
            if waited.is_err() {
                let (what, at) = (self.what, self.made_at);
                panic!("deadlock: {caller} waits for {what} made at {at}, which never ends");
            }
        }
        self.done().into_iter().for_each(Precedence::arrive);
    }
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
    pub(crate) fn of_end(end: Option<EndPoint>) -> Self {
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
            if !awaited.tell(&dependent) {
                dependent.one_less();
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

    /// Drops the task if it never started, and says what it waits for.
    pub(crate) fn abandon(&self) -> Option<String> {
        self.start().take()?;
        let open = self
            .awaited
            .iter()
            .filter(|awaited| awaited.done().is_none());
        let open: Vec<String> = open
            .map(|awaited| format!("{} made at {}", awaited.what, awaited.made_at))
            .collect();
        Some(format!(
            "the task created at {} waits for {}, which never comes",
            self.created_at,
            open.join(" and ")
        ))
    }
}

impl std::fmt::Debug for Dependent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = format_args!("{}", self.created_at).to_string();
        f.debug_struct("Dependent")
            .field("created_at", &at)
            .finish_non_exhaustive()
    }
}
