//! The program structure tree, extended by many threads at once.

use crate::store::Store;
use crate::sync::{PoisonError, RwLock};
use heddle_core::TaskId;
use heddle_core::order::tree::{Node, NodeIndex, NodeKind, Nodes};
use rustc_hash::FxHashMap;

/// The nodes of a run. Siblings are made by one task, in its program's sequence; indices come from
/// one counter, so they ascend along it whatever threads the task runs on.
#[derive(Debug)]
pub(crate) struct Forest {
    nodes: Store<Node>,
    anchors: RwLock<FxHashMap<NodeIndex, NodeIndex>>,
}

impl Forest {
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        let nodes = Store::new(capacity)?;
        nodes.push(Node::ROOT)?;
        Some(Self {
            nodes,
            anchors: RwLock::default(),
        })
    }

    pub(crate) fn push(
        &self,
        parent: NodeIndex,
        kind: NodeKind,
        task: TaskId,
    ) -> Option<NodeIndex> {
        self.nodes.push(self.child(parent, kind, task))
    }

    pub(crate) fn push_scoped(
        &self,
        finish: NodeIndex,
        inside: NodeIndex,
        task: TaskId,
    ) -> Option<NodeIndex> {
        let anchor = self.anchor_for(finish, inside);
        let mut anchors = self.anchors.write().unwrap_or_else(PoisonError::into_inner);
        let node = self.push(finish, NodeKind::Scoped, task)?;
        anchors.insert(node, anchor);
        Some(node)
    }
}

impl Nodes for Forest {
    #[inline(always)]
    fn node(&self, index: NodeIndex) -> Node {
        self.nodes.get(index)
    }

    fn count(&self) -> NodeIndex {
        self.nodes.len()
    }

    fn anchor(&self, scoped: NodeIndex) -> NodeIndex {
        let anchors = self.anchors.read().unwrap_or_else(PoisonError::into_inner);
        anchors.get(&scoped).copied().unwrap_or(scoped)
    }
}
