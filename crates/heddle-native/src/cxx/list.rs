//! `std::list`: its nodes are tied together by functions of the library.

use super::{get, set};
use crate::shim::export;

type Link = *mut Node;

/// What a node begins with.
#[repr(C)]
struct Node {
    next: Link,
    previous: Link,
}

/// Goes on at the other end of every node.
unsafe fn turn(node: Link, pc: usize) {
    // SAFETY: a node of the program's.
    unsafe {
        let (next, previous) = (
            get(&raw const (*node).next, pc),
            get(&raw const (*node).previous, pc),
        );
        set(&raw mut (*node).next, previous, pc);
        set(&raw mut (*node).previous, next, pc);
    }
}

/// The neighbours of a node that begins a list now, or of one that is empty.
unsafe fn close(node: Link, other: Link, pc: usize) {
    // SAFETY: nodes of the program's.
    unsafe {
        let next = get(&raw const (*node).next, pc);
        if next == other {
            set(&raw mut (*node).next, node, pc);
            set(&raw mut (*node).previous, node, pc);
        } else {
            let previous = get(&raw const (*node).previous, pc);
            set(&raw mut (*next).previous, node, pc);
            set(&raw mut (*previous).next, node, pc);
        }
    }
}

// SAFETY of all blocks below: the program's own nodes, in lists that are closed.
export! {
    ["_ZNSt8__detail15_List_node_base7_M_hookEPS0_"] fn hook(node: Link, at: Link) at pc {
        // SAFETY: see above.
        unsafe {
            let before = get(&raw const (*at).previous, pc);
            set(&raw mut (*node).next, at, pc);
            set(&raw mut (*node).previous, before, pc);
            set(&raw mut (*before).next, node, pc);
            set(&raw mut (*at).previous, node, pc);
        }
    }

    ["_ZNSt8__detail15_List_node_base9_M_unhookEv"] fn unhook(node: Link) at pc {
        // SAFETY: see above.
        unsafe {
            let (next, previous) = (get(&raw const (*node).next, pc), get(&raw const (*node).previous, pc));
            set(&raw mut (*previous).next, next, pc);
            set(&raw mut (*next).previous, previous, pc);
        }
    }

    ["_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_"] fn transfer(at: Link, first: Link, end: Link) at pc {
        if at == end {
            return;
        }
        // SAFETY: see above.
        unsafe {
            let last = get(&raw const (*end).previous, pc);
            let before_first = get(&raw const (*first).previous, pc);
            let before = get(&raw const (*at).previous, pc);
            set(&raw mut (*last).next, at, pc);
            set(&raw mut (*before_first).next, end, pc);
            set(&raw mut (*before).next, first, pc);
            set(&raw mut (*at).previous, last, pc);
            set(&raw mut (*end).previous, before_first, pc);
            set(&raw mut (*first).previous, before, pc);
        }
    }

    ["_ZNSt8__detail15_List_node_base10_M_reverseEv"] fn reverse(list: Link) at pc {
        let mut node = list;
        loop {
            // SAFETY: see above. What was the next is the previous now.
            unsafe {
                turn(node, pc);
                node = (*node).previous;
            }
            if node == list {
                return;
            }
        }
    }

    ["_ZNSt8__detail15_List_node_base4swapERS0_S1_"] fn swap(one: Link, other: Link) at pc {
        // SAFETY: see above.
        unsafe {
            let nodes = [one, other];
            let links = nodes.map(|node| (get(&raw const (*node).next, pc), get(&raw const (*node).previous, pc)));
            for (node, (next, previous)) in nodes.into_iter().zip([links[1], links[0]]) {
                set(&raw mut (*node).next, next, pc);
                set(&raw mut (*node).previous, previous, pc);
            }
            close(one, other, pc);
            close(other, one, pc);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    fn listed(list: &Node) -> Vec<*const Node> {
        let start = std::ptr::from_ref(list);
        let next = |node: &*const Node| {
            // SAFETY: nodes of a list that is closed.
            let next = unsafe { (**node).next.cast_const() };
            (next != start).then_some(next)
        };
        std::iter::successors(next(&start), next).collect()
    }

    #[test]
    fn nodes_are_tied_as_the_library_ties_them() {
        let mut nodes: Vec<Box<Node>> = (0..5)
            .map(|_| {
                Box::new(Node {
                    next: null_mut(),
                    previous: null_mut(),
                })
            })
            .collect();
        let at: Vec<Link> = nodes.iter_mut().map(|node| &raw mut **node).collect();
        // SAFETY: lists of nodes that live as long as the test.
        unsafe {
            for list in [at[0], at[3]] {
                (*list).next = list;
                (*list).previous = list;
            }
            hook(at[1], at[0], 0);
            hook(at[2], at[0], 0);
            assert_eq!(listed(&*at[0]), [at[1].cast_const(), at[2]]);
            reverse(at[0], 0);
            assert_eq!(listed(&*at[0]), [at[2].cast_const(), at[1]]);
            swap(at[0], at[3], 0);
            assert_eq!(
                (listed(&*at[0]).len(), listed(&*at[3])),
                (0, vec![at[2].cast_const(), at[1]])
            );
            transfer(at[0], at[1], at[3], 0);
            assert_eq!(
                (listed(&*at[0]), listed(&*at[3])),
                (vec![at[1].cast_const()], vec![at[2].cast_const()])
            );
            unhook(at[2], 0);
            assert_eq!(listed(&*at[3]).len(), 0);
        }
    }
}
