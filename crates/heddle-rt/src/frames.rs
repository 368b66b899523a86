//! Which share of a team's work a task belongs to.
//!
//! A *member* of a team runs its code in sequence, but for *pieces*: chunks of a dynamic loop,
//! sections, the body of a `single`. Any thread of the team could have got a piece, so in another
//! schedule it does not follow what this member did before, nor precede what it does after. The tree
//! holds the run as it was; a frame says what of it could have been elsewhere.
//!
//! Two strands of one member, between the same two barriers, are *separated* iff they belong to
//! different pieces, or one to a piece and the other to none.

use crate::store::Store;
use crate::sync::{AtomicU32, Ordering};

/// The frame of the program outside all teams.
pub(crate) const OUTSIDE: u32 = 0;

/// A member, or one piece of its work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The same for a member and its pieces, and for no other.
    base: u32,
    /// The piece; 0 for none.
    piece: u32,
    /// The frame in which the team was made.
    outer: u32,
    /// How many teams are around.
    depth: u32,
    /// Depth in the tree of what the team does between two barriers.
    pub(crate) phase_depth: u32,
}

/// The frames of a run.
#[derive(Debug)]
pub(crate) struct Frames {
    rows: Store<Frame>,
    bases: AtomicU32,
}

impl Frames {
    pub(crate) fn new(capacity: u32) -> Option<Self> {
        let rows = Store::new(capacity)?;
        let outside = Frame {
            base: OUTSIDE,
            piece: 0,
            outer: OUTSIDE,
            depth: 0,
            phase_depth: 0,
        };
        rows.push(outside)?;
        let bases = AtomicU32::new(OUTSIDE + 1);
        Some(Self { rows, bases })
    }

    /// The frame of a member of a team made in `outer`.
    pub(crate) fn member(&self, outer: u32, phase_depth: u32) -> Option<u32> {
        let depth = self.rows.get(outer).depth + 1;
        let base = self.bases.fetch_add(1, Ordering::Relaxed);
        self.rows.push(Frame {
            base,
            piece: 0,
            outer,
            depth,
            phase_depth,
        })
    }

    /// The frame of a piece that a member in `frame` executes.
    pub(crate) fn piece(&self, frame: u32) -> Option<u32> {
        let member = self.rows.get(frame);
        let piece = self.bases.fetch_add(1, Ordering::Relaxed);
        self.rows.push(Frame { piece, ..member })
    }

    pub(crate) fn get(&self, frame: u32) -> Frame {
        self.rows.get(frame)
    }

    /// The frame of the innermost team in which both are the same member's, if it is in different pieces
    /// there. Whether that is between the same two barriers is for the tree to say.
    pub(crate) fn separated(&self, a: u32, b: u32) -> Option<Frame> {
        if a == b {
            return None;
        }
        let (mut a, mut b) = (self.get(a), self.get(b));
        while a.depth > b.depth {
            a = self.get(a.outer);
        }
        while b.depth > a.depth {
            b = self.get(b.outer);
        }
        while a.base != b.base {
            (a, b) = (self.get(a.outer), self.get(b.outer));
        }
        (a.piece != b.piece).then_some(a)
    }
}
