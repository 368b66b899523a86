//! No history: for runs whose accesses are not checked for races.

use super::{Conflicts, History, Running};
use crate::id::{Extent, SiteId};
use crate::order::Order;

/// Remembers nothing and finds nothing.
#[derive(Debug)]
pub struct Unchecked;

impl<O: Order> History<O> for Unchecked {
    fn read<C: Conflicts>(&mut self, _: Extent, _: SiteId, _: Running<'_, O>, _: &mut C) {}

    fn write<C: Conflicts>(&mut self, _: Extent, _: SiteId, _: Running<'_, O>, _: &mut C) {}

    fn forget(&mut self, _: Extent) {}
}
