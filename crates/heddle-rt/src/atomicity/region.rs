//! Regions: the pieces of tasks whose accesses belong together.
//!
//! A region is what a task does between two of its task operations. Being suspended or receiving a hand-off does not end
//! one: this is not the order's strand, which is split there too. Where the program marks an atomic block, the block
//! is the region, whatever it contains; what lies before and behind it are regions of their own.
//!
//! A region is known by its first strand that touched something watched. It ends with a task operation, or with
//! the atomic block it is; taking and giving back locks does not end it.

use crate::engine::{Cursor, Engine};
use crate::sync::Ordering;
use heddle_core::CutBy;

/// No region yet.
pub(crate) const NO_REGION: u32 = 0;

impl Engine {
    /// The task makes a task operation: a strand ends, and a region, unless an atomic block goes on.
    #[inline]
    pub(crate) fn operate(&self, cursor: &mut Cursor) {
        cursor.end_strand();
        self.end_region(cursor);
    }

    /// What follows belongs to another region, unless an atomic block goes on.
    #[inline]
    pub(crate) fn end_region(&self, cursor: &mut Cursor) {
        if cursor.region != NO_REGION && cursor.blocks == 0 {
            self.close_region(cursor);
        }
    }

    #[cold]
    fn close_region(&self, cursor: &mut Cursor) {
        if let Some(cell) = self.atomicity.closed.get(u64::from(cursor.region)) {
            cell.store(1, Ordering::Release);
        }
        cursor.region = NO_REGION;
    }

    /// The task enters a block that is atomic as a whole. Of nested blocks the outermost counts.
    pub fn block_begin(&self, cursor: &mut Cursor) {
        self.operate(cursor);
        cursor.blocks += 1;
        self.record(|book| book.block_begin(cursor.task));
    }

    /// It leaves the innermost block.
    pub fn block_end(&self, cursor: &mut Cursor) {
        if cursor.blocks == 0 {
            return;
        }
        cursor.blocks -= 1;
        self.operate(cursor);
        self.record(|book| book.block_end(cursor.task));
    }

    /// The task ends its transaction and begins the next. That matters only to a recording: it must have what
    /// the next one does again, so a strand ends.
    pub fn cut(&self, cursor: &mut Cursor, by: CutBy, site: u32) {
        if self.recorder.is_some() {
            cursor.end_strand();
            self.record(|book| book.cut(cursor.task, by, site));
        }
    }

    /// The region that the task is in, whose running strand is `strand`.
    pub(crate) fn region(&self, cursor: &mut Cursor, strand: u32) -> u32 {
        if cursor.region == NO_REGION {
            cursor.region = strand;
        }
        cursor.region
    }

    /// Whether a task may still be in the region.
    pub(crate) fn is_open(&self, region: u32) -> bool {
        let closed = self.atomicity.closed.get(u64::from(region));
        closed.is_some_and(|cell| cell.load(Ordering::Acquire) == 0)
    }
}
