//! Finishes: scopes whose end waits for every task spawned into them.

use super::{Cursor, Engine, FinishScope};
use heddle_core::order::tree::{Departures, NodeKind, ROOT};
use heddle_core::{FinishId, FinishInfo, FinishKind, SiteId};

impl Engine {
    /// The task opens a finish.
    pub fn finish_begin(&self, cursor: &mut Cursor, kind: FinishKind, site: SiteId) -> FinishScope {
        let info = FinishInfo {
            owner: cursor.task,
            site,
            kind,
        };
        let row = self.or_give_up(self.finishes.push(info)).unwrap_or(0);
        let (scope, task) = (cursor.scope, cursor.task);
        let node = self.push_node(cursor, scope, NodeKind::Finish, task, Departures::None);
        let node = self.or_give_up(node).unwrap_or(ROOT);
        let id = FinishId::new(row + 1);
        let (outer_scope, outer_finish, outer_wait) = (cursor.scope, cursor.finish, cursor.wait);
        (cursor.scope, cursor.finish, cursor.wait) = (node, id, ROOT);
        self.operate(cursor);
        self.record(|book| book.finish_begin(cursor.task, id, kind, site));
        FinishScope {
            id,
            node,
            outer_scope,
            outer_finish,
            outer_wait,
        }
    }

    /// A finish that no task stands in yet, below `outer`.
    pub(crate) fn open_finish(&self, outer: &FinishScope, info: FinishInfo) -> FinishScope {
        let row = self.or_give_up(self.finishes.push(info)).unwrap_or(0);
        let node = self.forest.push(outer.node, NodeKind::Finish, info.owner);
        let id = FinishId::new(row + 1);
        self.record(|book| book.finish_begin(info.owner, id, info.kind, info.site));
        FinishScope {
            id,
            node: self.or_give_up(node).unwrap_or(ROOT),
            outer_scope: outer.node,
            outer_finish: outer.id,
            outer_wait: ROOT,
        }
    }

    /// The task's innermost finish is over, and with it all its tasks.
    pub fn finish_end(&self, cursor: &mut Cursor, scope: FinishScope) {
        if cursor.wait != ROOT {
            // Children that it has not waited for itself: the finish has.
            self.forest.leave(cursor.wait);
        }
        self.forest.leave(scope.node);
        (cursor.scope, cursor.finish) = (scope.outer_scope, scope.outer_finish);
        cursor.wait = scope.outer_wait;
        cursor.forget_children(scope.node);
        self.operate(cursor);
        self.each_layer(|layer| layer.finish_end(scope.id, cursor.task, &self.forest));
        self.record(|book| book.finish_end(cursor.task, scope.id));
    }
}
