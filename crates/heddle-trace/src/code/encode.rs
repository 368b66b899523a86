//! The writing side of the codec.

use heddle_core::{
    Awaited, CutBy, Event, Extent, FaultKind, FinishId, FinishKind, GroupId, LockMode, NameId,
    Shape, SiteId, TaskId, TaskKind,
};

use super::{Context, tag};
use crate::input::{put, put_signed};

/// Appends `event`.
pub fn encode(context: &mut Context, event: Event, out: &mut Vec<u8>) {
    Encoder { context, out }.event(event);
}

struct Encoder<'a> {
    context: &'a mut Context,
    out: &'a mut Vec<u8>,
}

impl Encoder<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Read { extent, site } => self.access(tag::READ, extent, site),
            Event::Write { extent, site } => self.access(tag::WRITE, extent, site),
            Event::Free { extent, site } => self.access(tag::FREE, extent, site),
            Event::Begin { task } => {
                self.task(tag::BEGIN, task, self.context.spawned);
                self.context.switch(task);
            }
            Event::Resume { task } => {
                self.task(tag::RESUME, task, self.context.before);
                self.context.switch(task);
            }
            Event::End { task } => self.task(tag::END, task, self.context.running),
            Event::Spawn {
                task,
                finish,
                kind,
                site,
                name,
            } => {
                self.spawn(task, finish, kind, site, name);
            }
            Event::FinishBegin { finish, kind, site } => self.finish_begin(finish, kind, site),
            Event::FinishEnd { finish } => {
                self.out.push(tag::FINISH_END);
                self.id(finish.raw(), self.context.finish);
                self.context.finish = finish.raw();
            }
            other => self.rare_event(other),
        }
    }

    fn rare_event(&mut self, event: Event) {
        match event {
            Event::Declare {
                extent,
                name,
                shape,
            } => self.declare(extent, name, shape),
            Event::DeclareLock { lock, name } => self.named(tag::DECLARE_LOCK, lock.raw(), name),
            Event::DeclareToken { token, name } => {
                self.named(tag::DECLARE_TOKEN, token.raw(), name);
            }
            Event::Join { task, site } => self.numbered(tag::JOIN, site, task.raw()),
            Event::Signal { token, site } => self.numbered(tag::SIGNAL, site, token.raw()),
            Event::Wait { token, site } => self.numbered(tag::WAIT, site, token.raw()),
            Event::Acquire { lock, mode, site } => {
                let shared = flag(mode == LockMode::Shared, tag::FLAG);
                self.numbered(tag::ACQUIRE | shared, site, lock.raw());
            }
            Event::Release { lock, site } => self.numbered(tag::RELEASE, site, lock.raw()),
            Event::Cut { by, site } => {
                let rule = flag(by == CutBy::Rule, tag::FLAG);
                self.sited(tag::CUT | rule, site);
            }
            Event::Atomic { extent, group } => self.atomic(extent, group),
            Event::AtomicBegin { site } => self.sited(tag::ATOMIC_BEGIN, site),
            Event::AtomicEnd { site } => self.sited(tag::ATOMIC_END, site),
            Event::Alloc { extent, name, site } => self.alloc(extent, name, site),
            Event::Bind { start, name } => {
                self.out.push(tag::BIND);
                self.difference(start.0, self.context.allocated);
                self.number(name.raw());
            }
            Event::AssertionFailed { site } => self.sited(tag::ASSERTION_FAILED, site),
            Event::Stuck {
                task,
                awaited,
                site,
            } => {
                self.numbered(tag::STUCK, site, task.raw());
                self.awaited(awaited);
            }
            Event::Fault { site, message } => {
                self.sited(tag::FAULT, site);
                self.fault(message);
            }
            Event::Read { .. }
            | Event::Write { .. }
            | Event::Free { .. }
            | Event::Begin { .. }
            | Event::Resume { .. }
            | Event::End { .. }
            | Event::Spawn { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. } => unreachable!("handled by `event`"),
        }
    }

    fn atomic(&mut self, extent: Extent, group: Option<GroupId>) {
        let flag = if group.is_some() { tag::FLAG } else { 0 };
        self.out.push(tag::ATOMIC | flag);
        put(self.out, extent.start.0);
        put(self.out, extent.len);
        if let Some(group) = group {
            self.number(group.raw());
        }
    }

    /// A tag and the site, which comes first among the fields.
    fn sited(&mut self, tag: u8, site: SiteId) {
        let (site, last, usual) = (site.raw(), self.context.site, self.context.usual_site());
        self.context.visit(site);
        if site == last {
            self.out.push(tag | tag::SITE_SAME);
        } else if site == usual {
            self.out.push(tag | tag::SITE_USUAL);
        } else if Some(site) == last.checked_add(1) {
            self.out.push(tag | tag::SITE_NEXT);
        } else {
            self.out.push(tag | tag::SITE_FAR);
            self.id(site, last);
        }
    }

    fn access(&mut self, tag: u8, extent: Extent, site: SiteId) {
        let last = std::mem::replace(self.context.last_access(site), extent);
        let flag = if extent.len == last.len { tag::FLAG } else { 0 };
        self.sited(tag | flag, site);
        self.difference(extent.start.0, last.start.0);
        if flag == 0 {
            put(self.out, extent.len);
        }
    }

    fn task(&mut self, tag: u8, task: TaskId, predicted: u32) {
        if task.raw() == predicted {
            self.out.push(tag | tag::FLAG);
        } else {
            self.out.push(tag);
            self.id(task.raw(), predicted);
        }
    }

    fn spawn(
        &mut self,
        task: TaskId,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
        name: Option<NameId>,
    ) {
        let next_task = task.raw() == self.context.next_spawned();
        let same_finish = finish.raw() == self.context.finish;
        self.sited(tag::SPAWN, site);
        self.out.push(
            tag::spawn_kind_bits(kind)
                | flag(name.is_some(), tag::SPAWN_NAMED)
                | flag(next_task, tag::SPAWN_NEXT_TASK)
                | flag(same_finish, tag::SPAWN_SAME_FINISH),
        );
        if !next_task {
            self.id(task.raw(), self.context.spawned);
        }
        if !same_finish {
            self.id(finish.raw(), self.context.finish);
        }
        if let Some(name) = name {
            self.number(name.raw());
        }
        self.context.spawned = task.raw();
        self.context.finish = finish.raw();
    }

    fn finish_begin(&mut self, finish: FinishId, kind: FinishKind, site: SiteId) {
        match kind {
            FinishKind::Finish => self.sited(tag::FINISH_BEGIN, site),
            FinishKind::SyncBlock => self.sited(tag::FINISH_BEGIN | tag::FLAG, site),
            other => {
                self.sited(tag::FINISH_BEGIN_OTHER, site);
                self.out.push(tag::finish_kind_number(other));
            }
        }
        self.id(finish.raw(), self.context.opened);
        self.context.opened = finish.raw();
        self.context.finish = finish.raw();
    }

    fn declare(&mut self, extent: Extent, name: NameId, shape: Shape) {
        self.out
            .push(tag::DECLARE | flag(shape == Shape::Array, tag::FLAG));
        put(self.out, extent.start.0);
        put(self.out, extent.len);
        self.number(name.raw());
    }

    fn alloc(&mut self, extent: Extent, name: Option<NameId>, site: SiteId) {
        self.sited(tag::ALLOC | flag(name.is_some(), tag::FLAG), site);
        self.difference(extent.start.0, self.context.allocated);
        put(self.out, extent.len);
        if let Some(name) = name {
            self.number(name.raw());
        }
        self.context.allocated = extent.start.0;
    }

    fn named(&mut self, tag: u8, number: u32, name: NameId) {
        self.out.push(tag);
        self.number(number);
        self.number(name.raw());
    }

    fn numbered(&mut self, tag: u8, site: SiteId, number: u32) {
        self.sited(tag, site);
        self.number(number);
    }

    fn awaited(&mut self, awaited: Awaited) {
        match awaited {
            Awaited::Finish(finish) => self.variant(tag::AWAITED_FINISH, finish.raw()),
            Awaited::Task(task) => self.variant(tag::AWAITED_TASK, task.raw()),
            Awaited::Token(token) => self.variant(tag::AWAITED_TOKEN, token.raw()),
            Awaited::Lock(lock) => self.variant(tag::AWAITED_LOCK, lock.raw()),
            Awaited::Region(name) => self.variant(tag::AWAITED_REGION, name.raw()),
        }
    }

    fn fault(&mut self, fault: FaultKind) {
        match fault {
            FaultKind::DivisionByZero => self.out.push(tag::FAULT_DIVISION_BY_ZERO),
            FaultKind::IndexOutOfRange { index, len } => {
                self.out.push(tag::FAULT_INDEX_OUT_OF_RANGE);
                put_signed(self.out, index);
                put(self.out, len);
            }
            FaultKind::BadLength { len } => {
                self.out.push(tag::FAULT_BAD_LENGTH);
                put_signed(self.out, len);
            }
            FaultKind::LockAlreadyHeld { lock } => {
                self.variant(tag::FAULT_LOCK_ALREADY_HELD, lock.raw());
            }
            FaultKind::LockNotHeld { lock } => self.variant(tag::FAULT_LOCK_NOT_HELD, lock.raw()),
            FaultKind::LockHeldAtEnd { lock } => {
                self.variant(tag::FAULT_LOCK_HELD_AT_END, lock.raw());
            }
            FaultKind::AlreadySatisfied { token } => {
                self.variant(tag::FAULT_ALREADY_SATISFIED, token.raw());
            }
            FaultKind::TaskOperationInIsolated => {
                self.out.push(tag::FAULT_TASK_OPERATION_IN_ISOLATED);
            }
            FaultKind::WrongValue(problem) => {
                let number = tag::value_problem_number(problem);
                self.out.extend([tag::FAULT_WRONG_VALUE, number]);
            }
            FaultKind::NoSuchTask { name } => self.variant(tag::FAULT_NO_SUCH_TASK, name.raw()),
            FaultKind::LimitReached => self.out.push(tag::FAULT_LIMIT_REACHED),
        }
    }

    fn variant(&mut self, variant: u8, number: u32) {
        self.out.push(variant);
        self.number(number);
    }

    fn number(&mut self, number: u32) {
        put(self.out, u64::from(number));
    }

    /// An id as the difference to `base`.
    fn id(&mut self, id: u32, base: u32) {
        put_signed(self.out, i64::from(id) - i64::from(base));
    }

    /// A location as the difference to `base`, around the corner if that is shorter.
    fn difference(&mut self, location: u64, base: u64) {
        put_signed(self.out, location.wrapping_sub(base).cast_signed());
    }
}

fn flag(set: bool, flag: u8) -> u8 {
    if set { flag } else { 0 }
}
