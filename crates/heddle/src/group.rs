//! Groups of tasks that are waited for together or one by one: the regions of Nakade, Mercer, McCarthy,
//! *Model-checking Task Parallel Programs for Data-races using Computation Graphs*.

use crate::context;
use crate::dependent::{Completion, Precedence, Promise};
use crate::explore::world;
use crate::idle::{self, Stealing};
use crate::scope::Scope;
use crate::session::Execution;
use crate::sites::Caller;
use heddle_core::{Awaited, TaskId, TaskKind};
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A set of tasks that can be waited for before their finish ends.
///
/// A group may be shared by reference or moved into a task, which then waits for what others posted.
///
/// ```
/// use heddle::{Shared, check, finish};
/// check(|| {
///     let x = Shared::new(0);
///     finish(|s| {
///         let group = s.group();
///         group.post(|| x.set(1));
///         s.spawn(|_| {
///             let group = group; // moved into the child
///             group.wait_all();
///             assert_eq!(x.get(), 1);
///         });
///     });
/// })
/// .assert_clean();
/// ```
#[derive(Debug)]
pub struct Group<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    /// The tasks nobody has waited for yet, oldest first.
    tasks: Mutex<Vec<Arc<Completion>>>,
}

impl<'scope, 'env> Group<'scope, 'env> {
    pub(crate) fn new(scope: &'scope Scope<'scope, 'env>) -> Self {
        let tasks = Mutex::default();
        Self { scope, tasks }
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<Arc<Completion>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a task in this group. It runs beside whatever follows, until it is waited for or the
    /// group's finish ends.
    ///
    /// ```
    /// let mut x = 0;
    /// heddle::finish(|s| s.group().post(|| x = 1));
    /// assert_eq!(x, 1);
    /// ```
    #[track_caller]
    pub fn post<F>(&self, body: F)
    where
        F: FnOnce() + Send + 'scope,
    {
        let (core, caller) = (&self.scope.core, Location::caller());
        idle::expect_futures(core.session());
        let newborn = core.newborn(TaskKind::Post, caller);
        context::returns_nothing(newborn.as_ref());
        let ended = Promise::new("the task", caller);
        ended.completion().is_end_of(newborn.as_ref());
        self.tasks().push(Arc::clone(ended.completion()));
        let done = move |end| {
            ended.keep(Precedence::of_end(end));
        };
        // SAFETY: what the body borrows lives for `'scope`, and `finish` closes the core before that
        // ends.
        unsafe { core.launch(newborn, body, done) };
    }

    /// Waits for all tasks posted so far that nobody has waited for.
    ///
    /// ```
    /// let count = std::sync::atomic::AtomicU32::new(0);
    /// heddle::finish(|s| {
    ///     let group = s.group();
    ///     (0..9).for_each(|_| group.post(|| drop(count.fetch_add(1, std::sync::atomic::Ordering::SeqCst))));
    ///     group.wait_all();
    ///     assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 9);
    /// });
    /// ```
    #[track_caller]
    pub fn wait_all(&self) {
        let caller = Location::caller();
        let tasks = std::mem::take(&mut *self.tasks());
        tasks.iter().for_each(|task| self.wait_for(task, caller));
    }

    /// Waits for one of the tasks posted so far, whichever is first to end, and takes it out of the
    /// group. False if there is none.
    ///
    /// Which task it is depends on the schedule: the report then answers only for schedules that
    /// choose likewise.
    ///
    /// ```
    /// heddle::finish(|s| {
    ///     let group = s.group();
    ///     group.post(|| ());
    ///     assert!(group.wait_any());
    ///     assert!(!group.wait_any());
    /// });
    /// ```
    #[track_caller]
    pub fn wait_any(&self) -> bool {
        let caller = Location::caller();
        context::choice();
        if self.tasks().is_empty() {
            return false;
        }
        if let Some(first) = self.first_ended(caller) {
            self.wait_for(&first, caller);
        }
        true
    }

    fn first_ended(&self, caller: Caller) -> Option<Arc<Completion>> {
        if self.scope.core.execution() == Execution::Explored {
            return self.choose_ended(caller);
        }
        let mut first = self.take_ended();
        if first.is_none() && !self.scope.core.is_inline() {
            let session = context::session();
            let over = || {
                first = self.take_ended();
                first.is_some() || self.tasks().is_empty()
            };
            let waits = || {
                let none_ended = !self.tasks().iter().any(|task| task.is_settled());
                none_ended.then(|| format!("{caller} waits for any task of a group"))
            };
            let waited = idle::wait_until(session.as_deref(), Stealing::Forbidden, over, waits);
            waited.unwrap_or_else(|stuck| panic!("deadlock: {stuck}, and none ends"));
        }
        first
    }

    /// Any of those that have ended, as exploration wants.
    fn choose_ended(&self, caller: Caller) -> Option<Arc<Completion>> {
        let ended = |tasks: &mut Vec<TaskId>| {
            let all = self.tasks();
            let (over, open): (Vec<_>, Vec<_>) = all.iter().partition(|task| task.is_settled());
            tasks.extend(over.iter().filter_map(|task| task.task()));
            !open.is_empty()
        };
        let awaited = Awaited::Finish(self.scope.core.finish_id());
        let chosen = world::choose(awaited, caller, ended)?;
        let mut tasks = self.tasks();
        let at = tasks.iter().position(|task| task.task() == Some(chosen))?;
        Some(tasks.remove(at))
    }

    fn take_ended(&self) -> Option<Arc<Completion>> {
        let mut tasks = self.tasks();
        let at = tasks.iter().position(|task| task.done().is_some())?;
        Some(tasks.remove(at))
    }

    fn wait_for(&self, task: &Completion, caller: Caller) {
        let session = context::session();
        task.wait(self.scope.core.execution(), session.as_deref(), caller);
    }
}
