//! Explicit tasks: created, started, interrupted, over.
//!
//! The cost of a task counts: programs make millions. A record is taken from the thread's own store,
//! and what few tasks have (dependences, events, groups) costs a test.

use super::called::{self, Caller};
use super::depend::{Node, Table};
use super::lock::Held;
use super::ompt::{Dependence, Frame, Handle, Status, task_flag};
use super::reduction::{self, Item};
use super::region::Region;
use super::work::Piece;
use super::{depend, memory};
use crate::access::site;
use crate::report::unseen::TASKS;
use crate::runtime::{ContentionGroup, Runtime};
use crate::stack::MemberSpace;
use crate::thread::Thread;
use heddle_core::{FinishKind, LockId, SiteId, TaskKind};
use heddle_rt::{Cursor, FinishScope};
use std::ffi::c_int;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Records a thread keeps for new tasks.
const SPARE: usize = 1 << 10;

/// What a task is to the program.
#[derive(Debug)]
pub(super) enum Role {
    /// What a thread does outside all regions.
    Home,
    /// A member of a region, which begins while `outer` is at work on its thread.
    Member {
        region: Arc<Region>,
        outer: NonNull<Task>,
        outer_space: MemberSpace,
    },
    /// A task that may run at any time.
    Deferred,
    /// A task that its creator waits for at once.
    Undeferred,
    /// A `taskwait depend`.
    Wait,
}

/// A task of the runtime.
#[derive(Debug)]
pub(super) struct Task {
    /// Where it stands, while it does not run.
    pub(super) cursor: Cursor,
    pub(super) role: Role,
    /// Whether its children are included.
    is_final: bool,
    /// Whom it excludes by taking a lock.
    pub(super) group: ContentionGroup,
    /// Whether it is outside all regions: the thread that made it is the only one to execute it.
    is_alone: bool,
    /// Whether it may go on elsewhere than where it was interrupted.
    is_untied: bool,
    has_started: bool,
    /// Whether its body is over and its event is still to come.
    is_detached: bool,
    /// Where its frames begin on the stack of the thread that executes it; 0 if that is not known yet.
    base: usize,
    /// Below this, nobody else knew of what was on the stack when it was interrupted.
    unshared_below: usize,
    /// Where the runtime keeps its record, of which nobody else knew when it was created; else nothing.
    memory: Range<usize>,
    /// For a member: whether it has reached the barrier it will pass next.
    pub(super) has_reached: bool,
    /// For a member: loops it has come to.
    pub(super) loops: u32,
    /// For a member: the work it has taken.
    pub(super) piece: Piece,
    /// Task groups it has opened.
    groups: Vec<Group>,
    /// The `taskloop` it is creating tasks for.
    pub(super) taskloop: Option<Taskloop>,
    /// Whether its memory was copied from another's, which is seen at no entry point.
    is_copy: bool,
    /// Dependences among the tasks it creates.
    pub(super) dependences: Table,
    /// Its place among its siblings' dependences.
    node: Option<Arc<Node>>,
    predecessors: Vec<Arc<Node>>,
    /// Locks it holds from its start to its end.
    locks: Vec<LockId>,
    /// Locks it has taken and not given back.
    pub(super) held: Vec<Held>,
    /// The strand that fulfilled its event.
    fulfilled: Option<u32>,
    /// Where to say so if its creator did not wait for the event.
    late: Option<Arc<Late>>,
    /// What tasks of its own say there.
    late_children: Option<Arc<Late>>,
    /// Who called it, while its caller's position is its own.
    pub(super) caller: Option<Caller>,
}

/// The strands that fulfilled events of undeferred tasks. The creator of such a task waits for its body
/// only; whether the event came before the body's end is timing.
type Late = Mutex<Vec<u32>>;

fn late_children(creator: &mut Task) -> &Arc<Late> {
    creator.late_children.get_or_insert_default()
}

fn note_late(late: &Late, strand: u32) {
    let mut strands = late.lock().unwrap_or_else(PoisonError::into_inner);
    strands.push(strand);
}

/// An open task group.
#[derive(Debug)]
struct Group {
    /// None if the program knows nothing of it.
    scope: Option<FinishScope>,
    /// What its tasks reduce.
    items: Vec<Item>,
}

/// A `taskloop` as its entry point sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taskloop {
    pub(super) is_undeferred: bool,
    pub(super) site: SiteId,
}

/// The address above a frame of the runtime, that is, where the frames of its caller end.
pub(super) fn above(frame: usize) -> usize {
    const RETURN_ADDRESS_AND_FRAME_POINTER: usize = 16;
    frame + RETURN_ADDRESS_AND_FRAME_POINTER
}

/// The record of the running task.
pub(super) fn current(runtime: &Runtime, thread: &mut Thread) -> NonNull<Task> {
    match thread.openmp.current {
        Some(record) => record,
        None => {
            let home = new_record(thread, runtime.engine.main_task(), Role::Home);
            thread.openmp.current = Some(home);
            home
        }
    }
}

/// The running task, for as long as no other is turned to.
pub(super) fn running<'a>(runtime: &Runtime, thread: &mut Thread) -> &'a mut Task {
    // SAFETY: the record of the running task is this thread's, and lives until the task is over.
    unsafe { &mut *current(runtime, thread).as_ptr() }
}

pub(super) fn new_record(thread: &mut Thread, cursor: Cursor, role: Role) -> NonNull<Task> {
    let record = match thread.openmp.spare.pop() {
        Some(mut record) => {
            record.renew(cursor, role);
            record
        }
        None => Box::new(Task::new(cursor, role)),
    };
    NonNull::from(Box::leak(record))
}

/// Gives back the record of a task that is over.
pub(super) fn free(thread: &mut Thread, record: NonNull<Task>) {
    // SAFETY: made by `new_record`; the task is over and its word cleared or never read again.
    let mut record = unsafe { Box::from_raw(record.as_ptr()) };
    if thread.openmp.spare.len() < SPARE {
        record.role = Role::Home;
        thread.openmp.spare.push(record);
    }
}

impl Task {
    fn new(cursor: Cursor, role: Role) -> Self {
        Self {
            cursor,
            role,
            is_final: false,
            group: ContentionGroup::MAIN,
            is_alone: false,
            is_untied: false,
            has_started: false,
            is_detached: false,
            base: 0,
            unshared_below: 0,
            memory: 0..0,
            has_reached: false,
            loops: 0,
            piece: Piece::default(),
            groups: Vec::new(),
            taskloop: None,
            is_copy: false,
            dependences: Table::default(),
            node: None,
            predecessors: Vec::new(),
            locks: Vec::new(),
            held: Vec::new(),
            fulfilled: None,
            late: None,
            late_children: None,
            caller: None,
        }
    }

    fn renew(&mut self, cursor: Cursor, role: Role) {
        (self.cursor, self.role) = (cursor, role);
        (self.is_final, self.is_untied, self.is_copy) = (false, false, false);
        (self.has_started, self.is_detached) = (false, false);
        (self.base, self.unshared_below, self.memory) = (0, 0, 0..0);
        (self.is_alone, self.group) = (false, ContentionGroup::MAIN);
        (self.has_reached, self.loops, self.piece) = (false, 0, Piece::default());
        (self.taskloop, self.node, self.fulfilled) = (None, None, None);
        (self.late, self.late_children, self.caller) = (None, None, None);
        self.dependences.clear();
        self.groups.clear();
        self.predecessors.clear();
        self.locks.clear();
        self.held.clear();
    }
}

/// The running task creates another.
pub(super) fn create(
    runtime: &Runtime,
    thread: &mut Thread,
    frame: Option<&Frame>,
    new: Handle,
    flags: c_int,
    pc: usize,
) {
    let memory = std::mem::take(&mut thread.openmp.new_record);
    thread.share_from(frame.map_or(0, |frame| above(frame.enter)));
    let creator = running(runtime, thread);
    let marked = std::mem::take(&mut thread.openmp.undeferred);
    let of_loop = creator.taskloop;
    let pc = match std::mem::take(&mut thread.openmp.task_of_gcc) {
        0 => pc,
        told => told,
    };
    let site = of_loop.map_or_else(|| site(pc), |of_loop| of_loop.site);
    let is_alone = creator.is_alone || matches!(creator.role, Role::Home);
    let undeferred = marked != 0
        || is_alone
        || creator.is_final
        || of_loop.is_some_and(|of_loop| of_loop.is_undeferred);
    let is_called =
        marked != 0 && flags & task_flag::TASKWAIT == 0 && called::are_possible(runtime);
    if !is_called {
        called::settle(runtime, thread);
    }
    let creator = running(runtime, thread);
    let (cursor, role) = if flags & task_flag::TASKWAIT != 0 {
        (thread.cursor.clone(), Role::Wait)
    } else if is_called {
        (runtime.engine.main_task(), Role::Undeferred)
    } else if undeferred {
        let engine = &runtime.engine;
        (
            engine.call_begin(&mut thread.cursor, TaskKind::Task, site),
            Role::Undeferred,
        )
    } else {
        let engine = &runtime.engine;
        (
            engine.spawn_child(&mut thread.cursor, TaskKind::Task, site),
            Role::Deferred,
        )
    };
    if !matches!(role, Role::Wait) {
        TASKS.begin(thread.number);
    }
    let record = new_record(thread, cursor, role);
    // SAFETY: just made.
    let task = unsafe { &mut *record.as_ptr() };
    task.is_final = flags & task_flag::FINAL != 0;
    task.is_untied = flags & task_flag::UNTIED != 0;
    task.is_copy = of_loop.is_some() || memory::is_allocated_in_runtime();
    if !task.is_copy {
        task.memory = memory;
    }
    (task.is_alone, task.base) = (is_alone, marked);
    task.group = creator.group;
    task.caller = is_called.then_some(Caller {
        task: NonNull::from(creator),
        site,
    });
    new.set(Some(record));
}

/// The task just created has these dependences.
pub(super) fn depends(runtime: &Runtime, thread: &mut Thread, task: Handle, items: &[Dependence]) {
    // SAFETY: tasks carry records, and this one does not run yet.
    let Some(record) = (unsafe { task.get::<Task>() }) else {
        return;
    };
    if record == current(runtime, thread) {
        return;
    }
    called::settle_new(runtime, thread, record);
    let creator = current(runtime, thread);
    // SAFETY: two different tasks: the one running here, and one that it has just created.
    let (task, creator) = unsafe { (&mut *record.as_ptr(), &mut *creator.as_ptr()) };
    if !matches!(task.role, Role::Wait) {
        task.node = Some(Arc::new(Node::default()));
        task.locks.extend(depend::locks(&runtime.locks, items));
    }
    task.predecessors = creator.dependences.add(items, task.node.as_ref());
}

/// The calling thread turns from `prior` to `next`.
pub(super) fn schedule(
    runtime: &Runtime,
    thread: &mut Thread,
    prior: Handle,
    status: Status,
    next: Handle,
) {
    // SAFETY: tasks carry records.
    let (prior, next_task) = unsafe { (prior.get::<Task>(), next.get::<Task>()) };
    match (status, prior) {
        (Status::Over, Some(prior)) => over(runtime, thread, prior, next_task),
        (Status::Detached, Some(prior)) => detached(runtime, thread, prior, next_task),
        (Status::Fulfilled, Some(prior)) => fulfilled(runtime, thread, prior),
        (Status::Waited, Some(prior)) => waited(runtime, thread, prior),
        _ => {}
    }
    if let (Status::Suspended, Some(record)) = (status, next_task) {
        go_on(runtime, thread, record, next);
    }
}

/// The running task is put aside; `record` runs from now on.
pub(super) fn turn_to(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>) {
    let before = current(runtime, thread);
    if before == record {
        return;
    }
    reduction::switch(thread);
    // SAFETY: the task that ran here so far, and the one that runs here from now on.
    let (before, now) = unsafe { (&mut *before.as_ptr(), &mut *record.as_ptr()) };
    runtime.engine.suspend(&mut thread.cursor);
    runtime
        .engine
        .pass_numbers(&mut thread.cursor, &mut now.cursor);
    std::mem::swap(&mut before.cursor, &mut thread.cursor);
    std::mem::swap(&mut thread.cursor, &mut now.cursor);
    before.unshared_below = thread.unshared_below;
    thread.share_record();
    if now.unshared_below != 0 {
        thread.unshare_below(now.unshared_below);
    }
    thread.openmp.current = Some(record);
}

fn go_on(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>, handle: Handle) {
    if current(runtime, thread) == record || called::starts(thread, record) {
        return;
    }
    called::settle_new(runtime, thread, record);
    let interrupted = current(runtime, thread);
    turn_to(runtime, thread, record);
    // SAFETY: the task that runs here from now on, and the one that did so far.
    let (task, interrupted) = unsafe { (&mut *record.as_ptr(), &*interrupted.as_ptr()) };
    let starts = is_explicit(task) && !std::mem::replace(&mut task.has_started, true);
    if starts {
        start(runtime, thread, task);
        thread.unshare_record(task.memory.clone());
    }
    let base = if starts || task.is_untied {
        if !starts || task.base == 0 {
            task.base = frame_of(handle).map_or(0, |frame| above(frame.exit));
        }
        task.base
    } else {
        interrupted.base
    };
    restart_stack(thread, base);
}

/// Below `base` the stack was others' until now.
fn restart_stack(thread: &mut Thread, base: usize) {
    if base != 0 {
        thread.stack_forgets(base);
        thread.unshare_below(base.max(thread.unshared_below));
    }
}

fn is_explicit(task: &Task) -> bool {
    matches!(task.role, Role::Deferred | Role::Undeferred)
}

fn start(runtime: &Runtime, thread: &mut Thread, task: &mut Task) {
    wait_for(runtime, &mut thread.cursor, &task.predecessors);
    for &lock in &task.locks {
        runtime
            .engine
            .acquire(&mut thread.cursor, lock, heddle_rt::LockMode::Exclusive);
    }
}

fn wait_for(runtime: &Runtime, cursor: &mut Cursor, predecessors: &[Arc<Node>]) {
    let ends: Vec<u32> = predecessors.iter().filter_map(|node| node.end()).collect();
    if !ends.is_empty() {
        runtime.engine.wait(cursor, &ends);
    }
}

/// `record` is over; the thread turns to `next`.
fn over(
    runtime: &Runtime,
    thread: &mut Thread,
    record: NonNull<Task>,
    next: Option<NonNull<Task>>,
) {
    // SAFETY: over on this thread, so no one else's.
    let task = unsafe { &mut *record.as_ptr() };
    if matches!(task.role, Role::Wait) {
        return waited(runtime, thread, record);
    }
    if called::ends(runtime, thread, record) {
        return;
    }
    if task.is_copy && thread.openmp.current == Some(record) {
        memory::copy_is_over();
    }
    leave(runtime, thread, record, next);
    finish(runtime, thread, record);
}

/// The thread turns from `record`, if it runs, to `next`.
fn leave(
    runtime: &Runtime,
    thread: &mut Thread,
    record: NonNull<Task>,
    next: Option<NonNull<Task>>,
) {
    if thread.openmp.current != Some(record) {
        return;
    }
    match next {
        Some(next) => turn_to(runtime, thread, next),
        None => {
            // SAFETY: still this thread's, and nobody else refers to it now.
            unsafe { &mut *record.as_ptr() }.cursor = thread.cursor.clone();
            thread.openmp.current = None;
        }
    }
    // SAFETY: still this thread's.
    restart_stack(thread, unsafe { record.as_ref() }.base);
}

/// A task that does not run any more is over, body and event.
fn finish(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>) {
    // SAFETY: over, and the caller's.
    let task = unsafe { &mut *record.as_ptr() };
    let engine = &runtime.engine;
    for &lock in &task.locks {
        engine.release(&mut task.cursor, lock);
    }
    match (task.fulfilled, &task.role) {
        (Some(strand), Role::Undeferred) => {
            note_late(late_children(running(runtime, thread)), strand);
        }
        (Some(strand), _) => engine.wait(&mut task.cursor, &[strand]),
        (None, _) => {}
    }
    if let Some(node) = &task.node {
        node.set_end(engine.signal(&mut task.cursor));
    }
    let cursor = std::mem::replace(&mut task.cursor, engine.main_task());
    match task.role {
        Role::Undeferred => drop(engine.call_end(&mut thread.cursor, cursor)),
        _ => drop(engine.end(cursor)),
    }
    TASKS.end(thread.number);
    free(thread, record);
}

/// The body of a task is over, its event has not come yet.
fn detached(
    runtime: &Runtime,
    thread: &mut Thread,
    record: NonNull<Task>,
    next: Option<NonNull<Task>>,
) {
    called::settle(runtime, thread);
    leave(runtime, thread, record, next);
    // SAFETY: the runtime lets no other thread fulfil the event meanwhile.
    let task = unsafe { &mut *record.as_ptr() };
    task.is_detached = true;
    if let Role::Undeferred = task.role {
        runtime
            .engine
            .call_end(&mut thread.cursor, task.cursor.clone());
        task.role = Role::Wait;
        task.late = Some(Arc::clone(late_children(running(runtime, thread))));
    }
}

/// The running task fulfils the event of another, or its own.
fn fulfilled(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>) {
    if thread.openmp.current == Some(record) {
        return;
    }
    let strand = runtime.engine.signal(&mut thread.cursor);
    // SAFETY: the runtime lets no other thread end the task meanwhile.
    let task = unsafe { &mut *record.as_ptr() };
    task.fulfilled = Some(strand);
    match task.role {
        Role::Wait => {
            if let Some(late) = task.late.take() {
                note_late(&late, strand);
            }
            free(thread, record);
        }
        _ if task.is_detached => finish(runtime, thread, record),
        _ => {}
    }
}

/// The running task has waited for what a `taskwait depend` names.
fn waited(runtime: &Runtime, thread: &mut Thread, record: NonNull<Task>) {
    // SAFETY: made by the running task for this wait.
    let task = unsafe { &*record.as_ptr() };
    wait_for(runtime, &mut thread.cursor, &task.predecessors);
    free(thread, record);
}

/// The running task has waited for its children.
pub(super) fn taskwait(runtime: &Runtime, thread: &mut Thread, task: Handle) {
    if let Some(frame) = frame_of(task).filter(|frame| frame.enter != 0) {
        thread.unshare_below(above(frame.enter).max(thread.unshared_below));
    }
    if running(runtime, thread).caller.is_some() {
        // It has none that it did not wait for.
        return;
    }
    runtime.engine.wait_children(&mut thread.cursor);
    wait_for_late(runtime, thread);
    running(runtime, thread).dependences.clear();
}

/// The running task has waited for the events of its tasks, too.
fn wait_for_late(runtime: &Runtime, thread: &mut Thread) {
    if let Some(late) = &running(runtime, thread).late_children {
        let strands = std::mem::take(&mut *late.lock().unwrap_or_else(PoisonError::into_inner));
        if !strands.is_empty() {
            runtime.engine.wait(&mut thread.cursor, &strands);
        }
    }
}

/// The running task opens a task group.
pub(super) fn group_begin(runtime: &Runtime, thread: &mut Thread, pc: usize) {
    called::settle(runtime, thread);
    let group = match thread.openmp.hidden_group.take() {
        Some(items) => Group { scope: None, items },
        None => {
            let engine = &runtime.engine;
            let scope = engine.finish_begin(&mut thread.cursor, FinishKind::Group, site(pc));
            Group {
                scope: Some(scope),
                items: Vec::new(),
            }
        }
    };
    running(runtime, thread).groups.push(group);
}

/// The running task's innermost group reduces these variables.
pub(super) fn group_reduces(runtime: &Runtime, thread: &mut Thread, items: Vec<Item>) {
    if let Some(group) = running(runtime, thread).groups.last_mut() {
        group.items.extend(items);
    }
}

/// The tasks of the running task's innermost group are over, their results not yet combined.
pub(super) fn group_waited(thread: &mut Thread) {
    if !std::mem::replace(&mut thread.openmp.combines, true) {
        thread.ignore += 1;
    }
}

/// The running task's innermost task group is over. Gives what it has reduced.
pub(super) fn group_end(runtime: &Runtime, thread: &mut Thread) -> Vec<Item> {
    if std::mem::take(&mut thread.openmp.combines) {
        thread.ignore = thread.ignore.saturating_sub(1);
    }
    let group = running(runtime, thread).groups.pop();
    let Some(Group { scope, items }) = group else {
        return Vec::new();
    };
    if let Some(scope) = scope {
        runtime.engine.finish_end(&mut thread.cursor, scope);
        wait_for_late(runtime, thread);
    }
    items
}

/// Where a task entered and left the runtime, if the layout is as expected.
fn frame_of(task: Handle) -> Option<Frame> {
    let address = super::start::frame_address(task)?;
    // SAFETY: the distance between a task's word and its frame was learnt from the runtime itself.
    Some(unsafe { *(address as *const Frame) })
}
