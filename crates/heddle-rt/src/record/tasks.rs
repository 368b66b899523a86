//! Tasks.

use super::{Book, Label, Recorded};
use heddle_core::{FinishId, FinishKind, NameId, SiteId, TaskId, TaskKind};

impl Book {
    pub(super) fn task(&self, task: TaskId) -> TaskId {
        self.tasks
            .get(task.index())
            .copied()
            .unwrap_or(TaskId::MAIN)
    }

    pub(super) fn finish(&self, finish: FinishId) -> FinishId {
        self.finishes
            .get(&finish)
            .copied()
            .unwrap_or(FinishId::MAIN)
    }

    pub(super) fn is_known_as(&mut self, task: TaskId, in_stream: TaskId) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, TaskId::MAIN);
        }
        self.tasks[task.index()] = in_stream;
    }

    pub(super) fn site(&mut self, site: u32) -> SiteId {
        let Recorded { sites, .. } = &mut self.recorded;
        *self.sites.entry(site).or_insert_with(|| {
            sites.push(site);
            SiteId::new(sites.len() as u32 - 1)
        })
    }

    pub(super) fn name(&mut self, label: Label) -> NameId {
        self.recorded.names.push(label);
        NameId::new(self.recorded.names.len() as u32 - 1)
    }

    pub(crate) fn spawn(
        &mut self,
        parent: TaskId,
        task: TaskId,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
    ) -> TaskId {
        let site = self.site(site.raw());
        let (parent, wanted) = (self.task(parent), self.finish(finish));
        let (spawned, into) = self.stream.spawn(parent, wanted, kind, site);
        if into != wanted {
            self.strangers.entry(wanted).or_default().push(spawned);
        }
        let parent = self.stream.origin(spawned).0;
        self.recorded.features.scope_handles |= !self.stream.is_innermost(into, parent);
        self.is_known_as(task, spawned);
        spawned
    }

    /// As [`spawn`](Self::spawn), for a task that its creator can wait for.
    pub(crate) fn spawn_child(
        &mut self,
        parent: TaskId,
        task: TaskId,
        finish: FinishId,
        kind: TaskKind,
        site: SiteId,
    ) {
        let spawned = self.spawn(parent, task, finish, kind, site);
        let parent = self.task(parent);
        self.children.entry(parent).or_default().push(spawned);
    }

    pub(crate) fn end(&mut self, task: TaskId) {
        let task = self.task(task);
        if task != TaskId::MAIN {
            self.children.remove(&task);
            self.stream.end(task);
        }
    }

    pub(crate) fn join(&mut self, task: TaskId, other: TaskId) {
        let (task, other) = (self.task(task), self.task(other));
        self.join_in_stream(task, other);
    }

    fn join_in_stream(&mut self, task: TaskId, other: TaskId) {
        if other != TaskId::MAIN {
            self.recorded.features.extra_edges = true;
            let site = self.stream.site_of(task);
            self.stream.join(task, other, site);
        }
    }

    /// A wait for nobody ends the strand all the same: it is a task operation.
    pub(super) fn end_strand(&mut self, task: TaskId) {
        let site = self.stream.site_of(task);
        let empty = self.stream.finish_begin(task, FinishKind::SyncBlock, site);
        self.stream.finish_end(empty);
    }

    pub(crate) fn wait_children(&mut self, task: TaskId) {
        let task = self.task(task);
        let children = self.children.remove(&task).unwrap_or_default();
        if children.is_empty() {
            self.end_strand(task);
        }
        for child in children {
            self.join_in_stream(task, child);
        }
    }

    pub(crate) fn finish_begin(
        &mut self,
        owner: TaskId,
        finish: FinishId,
        kind: FinishKind,
        site: SiteId,
    ) {
        let (owner, site) = (self.task(owner), self.site(site.raw()));
        let begun = self.stream.finish_begin(owner, kind, site);
        self.finishes.insert(finish, begun);
    }

    pub(crate) fn finish_end(&mut self, owner: TaskId, finish: FinishId) {
        let Some(ended) = self.finishes.remove(&finish) else {
            return;
        };
        if ended == FinishId::MAIN {
            return;
        }
        self.stream.finish_end(ended);
        let owner = self.task(owner);
        for task in self.strangers.remove(&ended).unwrap_or_default() {
            self.join_in_stream(owner, task);
        }
    }

    /// The member goes on in the next phase.
    pub(crate) fn pass(&mut self, owner: TaskId, member: TaskId, phase: FinishId) {
        let before = self.task(member);
        let held = self.stream.held(before);
        let site = SiteId::new(self.recorded.sites[self.stream.site_of(before).index()]);
        self.stream.end(before);
        let next = self.spawn(owner, member, phase, TaskKind::Member, site);
        held.into_iter()
            .for_each(|(lock, mode)| self.stream.acquire(next, lock, mode));
    }

    /// A piece is spawned as its member was.
    pub(crate) fn piece(&mut self, member: TaskId, task: TaskId, kind: TaskKind, site: SiteId) {
        let site = self.site(site.raw());
        let (owner, phase) = self.stream.origin(self.task(member));
        let (piece, into) = self.stream.spawn(owner, phase, kind, site);
        self.recorded.features.scope_handles |= !self.stream.is_innermost(into, owner);
        self.is_known_as(task, piece);
    }
}
