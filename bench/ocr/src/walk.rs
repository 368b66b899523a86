//! The load of the shape of UTS, after its source: a tree is walked depth first in continuation-passing style.
//!
//! A node has a frame, in which its current child's record lies as well. Its first task finds out how many children
//! there are; if any, a finish EDT walks through them one after the other, and what comes after the finish goes on
//! with the parent's next child. For each child a second finish EDT draws its random state into the record, a
//! task waits for that, another calls the child's first task, and when the child is done, a task adds up what it
//! found. So most questions of order are about tasks with a whole subtree between them. Locations are words.

use crate::load::{Access, Load, Random, read, write};

/// Words of a frame: what it was called with, the node's own record in its parent's frame, locals, loop variables, and
/// the child's record.
const FRAME: u64 = 33;
const CONTEXT: (u64, u64) = (0, 10);
const CALLER: (u64, u64) = (2, 2);
const OWN_RECORD: (u64, u64) = (10, 1);
const LOCALS: (u64, u64) = (11, 5);
const LOOP: (u64, u64) = (16, 3);
const INDEX: u64 = 19;
const INNER_LOOP: (u64, u64) = (20, 2);
const CHILD_POINTER: (u64, u64) = (22, 2);
const RECORD: u64 = 24;
const RECORD_FIELDS: u64 = 6;
const COUNTS: (u64, u64) = (RECORD + 3, 3);
const DEPTH: (u64, u64) = (RECORD + 3, 1);
const STATE: (u64, u64) = (RECORD + RECORD_FIELDS, 3);

/// Children of the root on average; in deeper levels it is a power of this, which falls and rises with the depth.
const BRANCHING: f64 = 7.0;
/// Levels in which it falls and rises once.
pub const CYCLE: usize = 10;
/// The tree that this gives has as many tasks and finishes as the thesis' run of UTS, but for 64 and 37 more.
const SEED: u64 = 736_468;

/// How many children a node of this depth has: geometrically distributed, as in UTS's cyclic trees.
fn children(depth: usize, random: &mut Random) -> u64 {
    let phase = 2.0 * std::f64::consts::PI * depth as f64 / CYCLE as f64;
    let mean = match depth {
        0 => BRANCHING,
        _ => BRANCHING.powf(phase.sin()),
    };
    let share = random.below(1 << 31) as f64 / (1u64 << 31) as f64;
    let stops = 1.0 / (1.0 + mean);
    ((1.0 - share).ln() / (1.0 - stops).ln()) as u64
}

/// A node whose children are being walked through.
struct Node {
    frame: u64,
    /// The frame with its record.
    parent: u64,
    /// The finish of the walk, and the task that opens it.
    finish: u32,
    opener: u32,
    left: u64,
}

struct Walk {
    load: Load,
    random: Random,
    path: Vec<Node>,
    calls: usize,
    /// The call with the defect.
    defect: Option<usize>,
}

/// Reads or writes one part of a frame.
fn of(frame: u64, part: (u64, u64), access: fn(u64, u64) -> Access) -> Access {
    access(frame + part.0, part.1)
}

/// A walk through a tree of which at most so many levels have children.
pub fn tree_walk(levels: usize) -> Load {
    walk(levels, None)
}

/// The same with a defect: beside the call of one child, a task writes into the frame.
pub fn tree_walk_with_defect(levels: usize) -> Load {
    walk(levels, Some(8))
}

fn walk(levels: usize, defect: Option<usize>) -> Load {
    let mut walk = Walk {
        calls: 0,
        defect,
        load: Load::new("UTS-like"),
        random: Random(SEED),
        path: Vec::new(),
    };
    let frame = walk.load.block(FRAME);
    let first = walk.load.add(0, 0, vec![write(frame, FRAME)]);
    let mut last = walk.enter(first, frame, levels);
    while let Some(node) = walk.path.last_mut() {
        if node.left == 0 {
            last = walk.leave(last);
            continue;
        }
        node.left -= 1;
        let frame = node.frame;
        let call = walk.call(last);
        last = walk.enter(call, frame, levels);
    }
    walk.load
}

impl Walk {
    fn home(&self) -> u32 {
        self.path.last().map_or(0, |node| node.finish)
    }

    /// A node's first task, and its walk if it has children; else it is done. The last task so far.
    fn enter(&mut self, by: u32, parent: u64, levels: usize) -> u32 {
        let depth = self.path.len();
        let children = match depth {
            // Some trees are very small.
            0 => children(depth, &mut self.random).max(8),
            _ if depth < levels => children(depth, &mut self.random),
            _ => 0,
        };
        let frame = self.load.block(FRAME);
        let mut accesses = vec![
            of(frame, CONTEXT, write),
            of(frame, OWN_RECORD, write),
            of(frame, LOCALS, write),
            read(parent + RECORD, 2),
            of(parent, STATE, read),
            write(parent + RECORD + 2, 1),
        ];
        let home = self.home();
        if children == 0 {
            accesses.extend(Self::go_on(frame, parent));
            let leaf = self.load.add(by, home, accesses);
            return self.add_up(leaf);
        }
        accesses.extend([
            of(frame, LOOP, write),
            of(frame, CHILD_POINTER, write),
            of(frame, CONTEXT, read),
        ]);
        let first = self.load.add(by, home, accesses);
        let opener = self.load.add(first, home, vec![of(frame, CALLER, read)]);
        let finish = self.load.open(opener);
        self.path.push(Node {
            frame,
            parent,
            finish,
            opener,
            left: children,
        });
        let mut accesses = vec![of(frame, OWN_RECORD, write), of(frame, LOOP, write)];
        accesses.extend(Self::next(frame));
        self.load.add(opener, finish, accesses)
    }

    /// What a task does to begin with the next child.
    fn next(frame: u64) -> [Access; 3] {
        [
            write(frame + INDEX, 1),
            write(frame + RECORD, RECORD_FIELDS),
            of(frame, CONTEXT, read),
        ]
    }

    /// What the last task of a node does to go on with the parent.
    fn go_on(frame: u64, parent: u64) -> [Access; 3] {
        [
            of(frame, CONTEXT, read),
            write(parent, 1),
            of(parent, CONTEXT, read),
        ]
    }

    /// The child's record is filled in, and the child is called. Those that only wait access no block.
    fn call(&mut self, last: u32) -> u32 {
        let Some(&Node {
            frame,
            parent,
            finish,
            ..
        }) = self.path.last()
        else {
            return last;
        };
        let caller = of(frame, CALLER, read);
        let drawer = self.load.add(last, finish, vec![caller]);
        let drawing = self.load.open(drawer);
        let draw = vec![
            of(frame, OWN_RECORD, write),
            of(frame, INNER_LOOP, write),
            of(parent, STATE, read),
            of(frame, STATE, write),
        ];
        self.load.add(drawer, drawing, draw);
        let waiter = self.load.add_after(drawer, drawing, Vec::new());
        self.calls += 1;
        if self.defect == Some(self.calls) {
            self.load.add(waiter, finish, vec![write(frame, 1)]);
        }
        let accesses = vec![of(frame, OWN_RECORD, write), of(frame, CHILD_POINTER, read)];
        self.load.add(waiter, finish, accesses)
    }

    /// All children of a node are done: what comes after the finish goes on with its parent.
    fn leave(&mut self, last: u32) -> u32 {
        let Some(node) = self.path.pop() else {
            return last;
        };
        let waiter = self.load.add_after(node.opener, node.finish, Vec::new());
        let mut accesses = vec![of(node.frame, OWN_RECORD, write)];
        accesses.extend(Self::go_on(node.frame, node.parent));
        let end = self.load.add(waiter, self.home(), accesses);
        self.add_up(end)
    }

    /// A child is done: its counts are added to the node's, and the next child begins.
    fn add_up(&mut self, by: u32) -> u32 {
        let Some(node) = self.path.last() else {
            return by;
        };
        let (frame, finish) = (node.frame, node.finish);
        let mut accesses = vec![
            of(frame, OWN_RECORD, write),
            of(frame, COUNTS, read),
            of(node.parent, DEPTH, read),
            of(frame, LOOP, read),
            of(frame, LOCALS, write),
        ];
        if node.left > 0 {
            accesses.extend(Self::next(frame));
        }
        self.load.add(by, finish, accesses)
    }
}
