//! `std::map` and its like: red-black trees, gone through and rebalanced by functions of the library.
//!
//! Going through a tree is done here, link by link. Rebalancing is left to the library: of the nodes that it may
//! change, what is different afterwards was written. That it read the links on the way to the root is told as well:
//! whoever writes one of them at the same time changes the tree, too.

use super::get;
use crate::access;
use crate::shim::{behind, export};
use std::ffi::c_int;
use std::mem::offset_of;

type Link = *mut Node;

/// What a node begins with. In the one that stands for the tree, the parent is the root, left the first and right the
/// last node; it is red, as no root is.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    colour: c_int,
    parent: Link,
    left: Link,
    right: Link,
}

const RED: c_int = 0;

behind! {
    if present;
    fn _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(left: bool, node: Link, parent: Link, tree: Link), or ();
    fn _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node: Link, tree: Link) -> Link, or std::ptr::null_mut();
}

/// The node after `node`.
unsafe fn following(mut node: Link, pc: usize) -> Link {
    // SAFETY: a node of the program's, in a tree.
    unsafe {
        let right = get(&raw const (*node).right, pc);
        if !right.is_null() {
            return outermost(right, pc, |node| &raw const (*node).left);
        }
        let mut above = get(&raw const (*node).parent, pc);
        while node == get(&raw const (*above).right, pc) {
            node = above;
            above = get(&raw const (*above).parent, pc);
        }
        match get(&raw const (*node).right, pc) == above {
            true => node,
            false => above,
        }
    }
}

/// The node before `node`.
unsafe fn preceding(mut node: Link, pc: usize) -> Link {
    // SAFETY: a node of the program's, in a tree.
    unsafe {
        let above = get(&raw const (*node).parent, pc);
        if get(&raw const (*node).colour, pc) == RED && get(&raw const (*above).parent, pc) == node
        {
            return get(&raw const (*node).right, pc);
        }
        let left = get(&raw const (*node).left, pc);
        if !left.is_null() {
            return outermost(left, pc, |node| &raw const (*node).right);
        }
        let mut above = above;
        while node == get(&raw const (*above).left, pc) {
            node = above;
            above = get(&raw const (*above).parent, pc);
        }
        above
    }
}

/// The last node on the way that `side` goes.
unsafe fn outermost(mut node: Link, pc: usize, side: impl Fn(Link) -> *const Link) -> Link {
    loop {
        // SAFETY: a node of the program's, in a tree.
        let next = unsafe { get(side(node), pc) };
        if next.is_null() {
            return node;
        }
        node = next;
    }
}

/// Nodes as they were.
struct Before(Vec<(Link, Node)>);

impl Before {
    fn keep(&mut self, node: Link) {
        if !node.is_null() && !self.0.iter().any(|(kept, _)| *kept == node) {
            // SAFETY: a node of the program's.
            self.0.push((node, unsafe { *node }));
        }
    }

    /// Keeps the way from `node` to the root, and what rotations there change: children and grandchildren.
    unsafe fn keep_way(&mut self, mut node: Link, tree: Link, pc: usize) {
        while !node.is_null() && node != tree {
            // SAFETY: nodes of the program's, in a tree.
            unsafe {
                for child in [(*node).left, (*node).right] {
                    self.keep(child);
                    if let Some(child) = child.as_ref() {
                        self.keep(child.left);
                        self.keep(child.right);
                    }
                }
                self.keep(node);
                node = get(&raw const (*node).parent, pc);
            }
        }
    }

    /// What is different now was written by the call at `pc`.
    unsafe fn tell(self, pc: usize) {
        for (node, before) in self.0 {
            // SAFETY: a node of the program's; the one taken out is freed later.
            let now = unsafe { *node };
            let written = [
                (
                    before.colour != now.colour,
                    offset_of!(Node, colour),
                    size_of::<c_int>(),
                ),
                (
                    before.parent != now.parent,
                    offset_of!(Node, parent),
                    size_of::<Link>(),
                ),
                (
                    before.left != now.left,
                    offset_of!(Node, left),
                    size_of::<Link>(),
                ),
                (
                    before.right != now.right,
                    offset_of!(Node, right),
                    size_of::<Link>(),
                ),
            ];
            for (_, offset, len) in written.into_iter().filter(|(differs, ..)| *differs) {
                access::write(node as usize + offset, len, pc);
            }
        }
    }
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    [
        "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
        "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base"
    ] fn increment(node: Link) at pc -> Link {
        // SAFETY: see above.
        unsafe { following(node, pc) }
    }

    [
        "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
        "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base"
    ] fn decrement(node: Link) at pc -> Link {
        // SAFETY: see above.
        unsafe { preceding(node, pc) }
    }

    ["_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"] fn insert(left: bool, node: Link, parent: Link, tree: Link) at pc {
        let mut before = Before(Vec::new());
        // SAFETY: see above.
        unsafe {
            before.keep(tree);
            before.keep_way(parent, tree, pc);
            _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(left, node, parent, tree);
            access::write(node as usize, size_of::<Node>(), pc);
            before.tell(pc);
        }
    }

    ["_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_"] fn erase(node: Link, tree: Link) at pc -> Link {
        let mut before = Before(Vec::new());
        // SAFETY: see above. What takes the node's place is the one after it, if it has two children.
        unsafe {
            before.keep(tree);
            if !(*node).left.is_null() && !(*node).right.is_null() {
                let next = outermost((*node).right, pc, |node| &raw const (*node).left);
                before.keep_way(next, tree, pc);
            }
            before.keep_way(node, tree, pc);
            let taken = _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node, tree);
            before.tell(pc);
            taken
        }
    }
}
