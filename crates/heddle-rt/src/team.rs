//! Teams, barriers and waits: the structure of OpenMP programs, on the same tree.
//!
//! A parallel region is a finish; so is each of its *phases*, what the team does between two
//! barriers, for all tasks are over at a barrier. A member is a task of the phase, made anew (with the
//! same number) in the next. Work that any member could have got is a *piece* ([`crate::frames`]).
//!
//! A wait joins the children of a task, not their descendants: its node holds the children and what
//! their creator does meanwhile, and [`Forest`](crate::forest::Forest) tells who is joined.

use crate::engine::{Cursor, EndPoint, Engine, FinishScope};
use crate::sync::{Mutex, Ordering, PoisonError};
use heddle_core::order::tree::{Departures, NodeIndex, NodeKind, Nodes, ROOT};
use heddle_core::{FinishId, FinishInfo, FinishKind, SiteId, TaskId, TaskInfo, TaskKind};

/// A parallel region that is not over.
#[derive(Debug)]
pub struct Team {
    region: FinishScope,
    owner: TaskId,
    frame: u32,
    site: SiteId,
    phases: Mutex<Vec<FinishScope>>,
}

/// Where a member stood before it took a piece of its team's work.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    task: TaskId,
    frame: u32,
    scope: NodeIndex,
    wait: NodeIndex,
}

impl Engine {
    /// The task starts a team.
    pub fn team_begin(&self, cursor: &mut Cursor, site: SiteId) -> Team {
        let region = self.finish_begin(cursor, FinishKind::Parallel, site);
        let team = Team {
            region,
            owner: cursor.task,
            frame: cursor.frame,
            site,
            phases: Mutex::default(),
        };
        self.phase(&team, 0);
        team
    }

    /// A new member, at the start of the region.
    pub fn member(&self, team: &Team, site: SiteId) -> Cursor {
        let phase = self.phase(team, 0);
        let frame = self.member_frame(team, &phase);
        let info = TaskInfo {
            parent: team.owner,
            site,
            finish: phase.id(),
            kind: TaskKind::Member,
            name: None,
        };
        let task = self.add_task(info, frame, &mut 0);
        self.each_layer(|layer| layer.spawn(team.owner, task));
        let node = self.forest.push(phase.node, NodeKind::Task, task);
        self.record(|book| {
            book.spawn(team.owner, task, phase.id(), TaskKind::Member, site);
        });
        self.start(frame, task, node, phase.id(), phase.id())
    }

    /// The member reaches a barrier. To be said before any member passes it.
    pub fn reach(&self, cursor: &mut Cursor) {
        let (task, phase) = (cursor.task, cursor.finish);
        self.each_layer(|layer| layer.end(task, phase));
        self.operate(cursor);
    }

    /// The member passes the barrier it has reached, after every other member has reached it and all
    /// their tasks are over.
    pub fn pass(&self, team: &Team, cursor: &mut Cursor) {
        let phase = self.phase(team, cursor.phase + 1);
        let node = self.forest.push(phase.node, NodeKind::Task, cursor.task);
        let task = cursor.task;
        self.each_layer(|layer| layer.spawn(team.owner, task));
        self.record(|book| book.pass(team.owner, task, phase.id()));
        self.forest.leave_task(cursor.scope);
        let passed = cursor.phase + 1;
        let hold = cursor.hold;
        let numbers = std::mem::take(&mut cursor.numbers);
        *cursor = self.start(cursor.frame, task, node, phase.id(), phase.id());
        (cursor.phase, cursor.hold, cursor.numbers) = (passed, hold, numbers);
    }

    /// The member has reached the last barrier and does no more.
    pub fn member_end(&self, cursor: &Cursor) {
        self.forest.leave_task(cursor.scope);
        for &wait in &cursor.left_waits {
            self.forest.leave(wait);
        }
    }

    /// The team is over, and with it all its tasks.
    pub fn team_end(&self, cursor: &mut Cursor, team: Team) {
        let last = team
            .phases
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .last()
            .copied();
        if let Some(last) = last {
            self.forest.leave(last.node);
            self.each_layer(|layer| layer.finish_end(last.id(), team.owner, &self.forest));
            self.record(|book| book.finish_end(team.owner, last.id()));
        }
        self.finish_end(cursor, team.region);
    }

    fn phase(&self, team: &Team, number: u32) -> FinishScope {
        let mut phases = team.phases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(phase) = phases.get(number as usize) {
            return *phase;
        }
        if let Some(last) = phases.last() {
            // Members that have not passed yet stand in nodes of their own.
            self.forest.leave(last.node);
            self.each_layer(|layer| layer.finish_end(last.id(), team.owner, &self.forest));
            self.record(|book| book.finish_end(team.owner, last.id()));
        }
        let info = FinishInfo {
            owner: team.owner,
            site: team.site,
            kind: FinishKind::Phase,
        };
        let phase = self.open_finish(&team.region, info);
        phases.push(phase);
        phase
    }

    fn member_frame(&self, team: &Team, phase: &FinishScope) -> u32 {
        let depth = self.forest.node(phase.node).depth();
        self.or_give_up(self.frames.member(team.frame, depth))
            .unwrap_or(team.frame)
    }

    /// The member takes a piece of work that another might have got.
    pub fn piece_begin(&self, cursor: &mut Cursor, kind: TaskKind, site: SiteId) -> Outside {
        self.has_pieces.store(true, Ordering::Release);
        let outside = Outside {
            task: cursor.task,
            frame: cursor.frame,
            scope: cursor.scope,
            wait: cursor.wait,
        };
        let info = TaskInfo {
            parent: cursor.task,
            site,
            finish: cursor.finish,
            kind,
            name: None,
        };
        let frame = self
            .or_give_up(self.frames.piece(cursor.frame))
            .unwrap_or(cursor.frame);
        let task = self.add_task(info, frame, &mut cursor.origin);
        self.each_layer(|layer| layer.spawn(outside.task, task));
        self.record(|book| book.piece(outside.task, task, kind, site));
        self.operate(cursor);
        (cursor.task, cursor.frame) = (task, frame);
        (cursor.wait, cursor.floor) = (ROOT, cursor.scope);
        outside
    }

    /// The piece is done.
    pub fn piece_end(&self, cursor: &mut Cursor, outside: Outside) {
        let (piece, finish) = (cursor.task, cursor.finish);
        self.done_with(piece);
        self.each_layer(|layer| layer.end(piece, finish));
        self.record(|book| book.end(piece));
        if cursor.wait != ROOT {
            cursor.left_waits.push(cursor.wait);
        }
        self.operate(cursor);
        (cursor.task, cursor.frame) = (outside.task, outside.frame);
        (cursor.scope, cursor.wait, cursor.floor) = (outside.scope, outside.wait, ROOT);
    }

    /// The task creates one that it can wait for.
    pub fn spawn_child(&self, parent: &mut Cursor, kind: TaskKind, site: SiteId) -> Cursor {
        if parent.wait == ROOT {
            let wait = self.push_wait(parent);
            parent.wait = self.or_give_up(wait).unwrap_or(ROOT);
            parent.scope = parent.wait;
        }
        let child = self.child(parent, parent.scope, parent.wait, kind, site);
        parent.children.push(child.scope);
        let (parent, finish) = (parent.task, parent.finish);
        self.record(|book| book.spawn_child(parent, child.task, finish, kind, site));
        child
    }

    fn push_wait(&self, parent: &mut Cursor) -> Option<NodeIndex> {
        let (scope, task) = (parent.scope, parent.task);
        self.push_node(parent, scope, NodeKind::Wait, task, Departures::None)
    }

    fn child(
        &self,
        parent: &mut Cursor,
        below: NodeIndex,
        wait: NodeIndex,
        kind: TaskKind,
        site: SiteId,
    ) -> Cursor {
        let task = self.new_task(parent, parent.finish, kind, site, None);
        self.each_layer(|layer| layer.spawn(parent.task, task));
        let node = self.push_node(parent, below, NodeKind::Task, task, Departures::None);
        self.operate(parent);
        self.start(parent.frame, task, node, parent.finish, joined_at(wait))
    }

    /// The task has waited for the children it created since it last did.
    pub fn wait_children(&self, cursor: &mut Cursor) {
        self.record(|book| book.wait_children(cursor.task));
        self.wait_for_outer_children(cursor);
        for left in std::mem::take(&mut cursor.left_waits) {
            self.wait_over(cursor, left);
        }
        let wait = cursor.wait;
        if wait == ROOT {
            return;
        }
        self.wait_over(cursor, wait);
        cursor.scope = self.forest.node(wait).parent;
        cursor.wait = ROOT;
        self.operate(cursor);
        let task = cursor.task;
        self.each_layer(|layer| layer.finish_end(joined_at(wait), task, &self.forest));
    }

    /// The children in `wait` have been waited for.
    fn wait_over(&self, cursor: &mut Cursor, wait: NodeIndex) {
        cursor.forget_children(wait);
        if self.forest.wait_over(wait) {
            // From here on what is joined in the tree depends on more than where it stands.
            cursor.leaks = true;
            self.keep_all();
        }
    }

    /// Tells whoever waits for the task that some of its descendants are not joined with it.
    pub(crate) fn leak(&self, cursor: &Cursor) {
        let is_left = cursor.leaks || cursor.wait != ROOT || !cursor.left_waits.is_empty();
        let wait = cursor.joined_by.raw();
        if is_left && wait & WAIT != 0 {
            self.forest.leak(wait & !WAIT);
        }
    }

    /// Children created before a finish that is still open: the tree cannot tell that they are waited
    /// for inside it, so edges do.
    fn wait_for_outer_children(&self, cursor: &mut Cursor) {
        let innermost = cursor.wait;
        let outer: Vec<NodeIndex> = self
            .open_waits(cursor)
            .filter(|&wait| wait != innermost)
            .collect();
        for wait in outer {
            self.wait_by_edges(cursor, wait);
        }
    }

    /// The waits around the task's position that belong to itself.
    fn open_waits<'a>(&'a self, cursor: &Cursor) -> impl Iterator<Item = NodeIndex> + 'a {
        let (mut at, floor) = (cursor.scope, cursor.floor);
        std::iter::from_fn(move || {
            let node = self.forest.node(at);
            let own = matches!(node.kind(), NodeKind::Wait | NodeKind::Finish);
            let own = own && at != ROOT && at != floor;
            let here = at;
            at = node.parent;
            own.then_some((here, node.kind()))
        })
        .filter(|&(_, kind)| kind == NodeKind::Wait)
        .map(|(wait, _)| wait)
    }

    #[cold]
    fn wait_by_edges(&self, cursor: &mut Cursor, wait: NodeIndex) {
        let is_in = |child: &NodeIndex| self.forest.node(*child).parent == wait;
        let all = std::mem::take(&mut cursor.children).into_iter();
        let (children, others): (Vec<_>, Vec<_>) = all.partition(is_in);
        cursor.children = others;
        let ends: Vec<u32> = children
            .into_iter()
            .map(|child| {
                let task = self.forest.node(child).task;
                self.make_strand(child, task, Departures::Edges)
            })
            .collect();
        if !ends.is_empty() {
            self.wait_for(cursor, &ends);
        }
    }

    /// The task creates one and lets it run to its end before it goes on itself.
    pub fn call_begin(&self, parent: &mut Cursor, kind: TaskKind, site: SiteId) -> Cursor {
        let wait = self.push_wait(parent);
        let wait = self.or_give_up(wait).unwrap_or(ROOT);
        let child = self.child(parent, wait, wait, kind, site);
        let (parent, finish) = (parent.task, parent.finish);
        self.record(|book| {
            book.spawn(parent, child.task, finish, kind, site);
        });
        child
    }

    /// That task is over.
    pub fn call_end(&self, parent: &mut Cursor, child: Cursor) -> EndPoint {
        let joined_by = child.joined_by;
        let end = self.end(child);
        self.wait_over(parent, joined_by.raw() & !WAIT);
        let task = parent.task;
        self.each_layer(|layer| layer.finish_end(joined_by, task, &self.forest));
        self.operate(parent);
        self.record(|book| book.join(task, end.task()));
        end
    }
}

/// Marks the number of a wait, which is that of its node, among those of finishes.
const WAIT: u32 = 1 << 31;

impl Cursor {
    /// All children made since the node `scope` are joined. Numbers ascend along what a task makes.
    pub(crate) fn forget_children(&mut self, scope: NodeIndex) {
        let left = self.children.partition_point(|&child| child < scope);
        self.children.truncate(left);
    }

    /// Whether it stands below a wait, which must not join what is spawned into a finish around it.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.wait != ROOT || self.joined_by.raw() & WAIT != 0
    }
}

fn joined_at(wait: NodeIndex) -> FinishId {
    FinishId::new(wait | WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: SiteId = SiteId::new(0);

    #[test]
    fn children_made_before_a_finish_are_waited_for_once_inside_it() {
        let engine = Engine::new().expect("there is address space");
        let mut main = engine.main_task();
        let child = engine.spawn_child(&mut main, TaskKind::Task, SITE);
        let group = engine.finish_begin(&mut main, FinishKind::Group, SITE);
        engine.end(child);
        engine.wait_children(&mut main);
        let nodes = engine.forest.count();
        for _ in 0..100 {
            engine.wait_children(&mut main);
        }
        assert_eq!(engine.forest.count(), nodes);
        engine.finish_end(&mut main, group);
    }

    #[test]
    fn only_children_that_are_not_joined_are_remembered() {
        let engine = Engine::new().expect("there is address space");
        let mut main = engine.main_task();
        let spawn = |main: &mut Cursor| engine.end(engine.spawn_child(main, TaskKind::Task, SITE));
        spawn(&mut main);
        let group = engine.finish_begin(&mut main, FinishKind::Group, SITE);
        spawn(&mut main);
        spawn(&mut main);
        assert_eq!(main.children.len(), 3);
        engine.finish_end(&mut main, group);
        assert_eq!(main.children.len(), 1);
        spawn(&mut main);
        engine.wait_children(&mut main);
        assert_eq!(main.children.len(), 0);
    }
}
