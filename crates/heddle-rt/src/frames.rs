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

/// Marks a member instead of a frame.
#[cfg(not(feature = "shuttle"))]
const UNUSED: u32 = 1 << 31;

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

/// Finds frames that no task is in.
#[cfg(not(feature = "shuttle"))]
impl Frames {
    /// No frame is in use yet.
    pub(crate) fn unused(&self) -> crate::store::Bits {
        crate::store::Bits::new(self.rows.len())
    }

    /// A task is in this frame.
    pub(crate) fn note(&self, used: &mut crate::store::Bits, frame: u32) {
        let mut at = frame;
        while used.set(at) {
            at = self.rows.get(at).outer;
        }
    }

    /// What tells the pieces of strands in `frame` apart for strands that part from them at this depth or above: the frame
    /// itself, or if it is unused, its member.
    pub(crate) fn told_apart(&self, frame: u32, depth: u32, used: &crate::store::Bits) -> u32 {
        let mut at = frame;
        loop {
            let Frame {
                base,
                outer,
                phase_depth,
                ..
            } = self.get(at);
            match at {
                OUTSIDE => return OUTSIDE,
                _ if phase_depth >= depth => at = outer,
                _ if used.has(at) => return at,
                _ => return base | UNUSED,
            }
        }
    }

    /// Gives back the memory of those that are unused for the second time.
    pub(crate) fn release(&self, gone: &mut crate::store::Pages, used: &crate::store::Bits) {
        let is_dead = |row: usize| row != 0 && !used.has(row as u32);
        self.rows.release(gone, is_dead);
    }
}
