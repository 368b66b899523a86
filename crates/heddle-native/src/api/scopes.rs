//! Finishes, sync blocks and procedures: what a task has opened.
//!
//! A `spawn` belongs to the sync block of its procedure, which is opened by the first one and closed by
//! `sync`, the end of the procedure, of the task, or of a finish around it. An `async` belongs to the
//! innermost finish, whatever sync blocks are open in it.

use super::pool;
use crate::runtime::Runtime;
use crate::thread::{self, Thread};
use heddle_core::{FinishKind, SiteId};
use heddle_rt::FinishScope;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// What becomes of exceptions that leave the tasks of a finish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failures {
    /// They are thrown again where the finish ends.
    Caught,
    /// A finish around it may catch them.
    PassedOn,
}

/// A finish or sync block that is not over.
#[derive(Debug)]
pub(super) struct Finish {
    pub(super) scope: FinishScope,
    /// Tasks spawned into it that were put into the queue and are not over.
    pending: AtomicUsize,
    outer: Option<Arc<Finish>>,
    failures: Failures,
    /// The first exception, in a form only its thrower knows.
    failure: AtomicPtr<c_void>,
}

/// Something a task has opened.
#[derive(Debug)]
pub(super) enum Frame {
    Finish(Arc<Finish>),
    /// The children of one procedure since it last waited for them.
    Block(Arc<Finish>),
    /// A procedure of its own, called and not spawned.
    Procedure,
}

/// How far to close what is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// The sync block, if one is open.
    Synced,
    /// The innermost procedure.
    Returned,
    /// The innermost finish.
    Finished,
    /// Everything the task has opened.
    Over,
}

impl Finish {
    /// One more task was put into the queue.
    pub(super) fn add(&self) {
        self.pending.fetch_add(1, Ordering::AcqRel);
    }

    /// One of them is over.
    pub(super) fn remove(&self) {
        self.pending.fetch_sub(1, Ordering::AcqRel);
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.pending.load(Ordering::Acquire) == 0
    }

    /// Whether it is `other`, or inside it.
    pub(super) fn is_within(&self, other: &Finish) -> bool {
        let mut at = Some(self);
        while let Some(finish) = at {
            if std::ptr::eq(finish, other) {
                return true;
            }
            at = finish.outer.as_deref();
        }
        false
    }

    /// Keeps `failure` if someone will throw it again and none came before it; says whether it did.
    pub(super) fn fail(&self, failure: *mut c_void) -> Failed {
        let mut at = Some(self);
        while let Some(finish) = at {
            if finish.failures == Failures::Caught {
                return finish.keep(failure);
            }
            at = finish.outer.as_deref();
        }
        Failed::Uncaught
    }

    fn keep(&self, failure: *mut c_void) -> Failed {
        let first =
            self.failure
                .compare_exchange(null_mut(), failure, Ordering::AcqRel, Ordering::Acquire);
        if first.is_ok() {
            Failed::Kept
        } else {
            Failed::NotFirst
        }
    }
}

/// What became of an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failed {
    /// No finish catches it.
    Uncaught,
    /// It will be thrown where its finish ends.
    Kept,
    /// Another came first.
    NotFirst,
}

/// The running task opens a finish.
pub(super) fn begin(runtime: &Runtime, thread: &mut Thread, failures: Failures, site: SiteId) {
    let finish = open(runtime, thread, FinishKind::Finish, failures, site);
    thread.api.frames.push(Frame::Finish(finish));
}

fn open(
    runtime: &Runtime,
    thread: &mut Thread,
    kind: FinishKind,
    failures: Failures,
    site: SiteId,
) -> Arc<Finish> {
    let outer = innermost(thread).cloned();
    Arc::new(Finish {
        scope: runtime.engine.finish_begin(&mut thread.cursor, kind, site),
        pending: AtomicUsize::new(0),
        outer,
        failures,
        failure: AtomicPtr::new(null_mut()),
    })
}

/// The finish or block that ends first.
fn innermost(thread: &Thread) -> Option<&Arc<Finish>> {
    let open = thread
        .api
        .frames
        .iter()
        .rev()
        .find_map(|frame| match frame {
            Frame::Finish(finish) | Frame::Block(finish) => Some(finish),
            Frame::Procedure => None,
        });
    open.or(thread.api.home.as_ref())
}

/// The finish that an `async` of the running task belongs to.
pub(super) fn structured(thread: &Thread) -> Option<Arc<Finish>> {
    let open = thread
        .api
        .frames
        .iter()
        .rev()
        .find_map(|frame| match frame {
            Frame::Finish(finish) => Some(finish),
            _ => None,
        });
    open.or(thread.api.home.as_ref()).cloned()
}

/// The sync block that a `spawn` of the running task belongs to.
pub(super) fn block(runtime: &Runtime, thread: &mut Thread, site: SiteId) -> Arc<Finish> {
    if let Some(Frame::Block(block)) = thread.api.frames.last() {
        return block.clone();
    }
    let block = open(
        runtime,
        thread,
        FinishKind::SyncBlock,
        Failures::PassedOn,
        site,
    );
    thread.api.frames.push(Frame::Block(block.clone()));
    block
}

/// Waits for what the running task has opened, and closes it. The failure of the last one closed.
pub(super) fn close(until: Until) -> *mut c_void {
    let mut failure = null_mut();
    while let Some(frame) = thread::enter(|_, thread| next(thread, until)).flatten() {
        let last = ends(&frame, until);
        if let Frame::Finish(finish) | Frame::Block(finish) = frame {
            pool::wait(&finish);
            thread::enter(|runtime, thread| {
                thread.api.frames.pop();
                runtime.engine.finish_end(&mut thread.cursor, finish.scope);
            });
            failure = finish.failure.swap(null_mut(), Ordering::AcqRel);
        } else {
            thread::enter(|_, thread| thread.api.frames.pop());
        }
        if last {
            break;
        }
    }
    failure
}

/// What is to be closed next. It stays open while it is waited for.
fn next(thread: &Thread, until: Until) -> Option<Frame> {
    let frames = &thread.api.frames;
    let has_finish = || frames.iter().any(|frame| matches!(frame, Frame::Finish(_)));
    let frame = match (until, frames.last()?) {
        (Until::Finished, _) if !has_finish() => return None,
        (Until::Synced | Until::Returned, Frame::Finish(_)) => return None,
        (Until::Synced, Frame::Procedure) => return None,
        (_, frame) => frame,
    };
    Some(match frame {
        Frame::Finish(finish) => Frame::Finish(finish.clone()),
        Frame::Block(block) => Frame::Block(block.clone()),
        Frame::Procedure => Frame::Procedure,
    })
}

fn ends(frame: &Frame, until: Until) -> bool {
    match until {
        Until::Synced => true,
        Until::Returned => matches!(frame, Frame::Procedure),
        Until::Finished => matches!(frame, Frame::Finish(_)),
        Until::Over => false,
    }
}
