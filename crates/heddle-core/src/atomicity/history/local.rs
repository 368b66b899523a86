//! What an open region did to a unit so far: its first read and its first write.

use super::{Running, Touch};
use crate::atomicity::region::RegionId;
use crate::event::AccessKind;
use crate::hold::HoldId;
use crate::id::{StrandId, TaskId};
use crate::order::Order;
use smallvec::SmallVec;

/// The open regions that touched one unit. In a serial run there is at most one.
#[derive(Clone, Default, Debug)]
pub(super) struct Locals(SmallVec<[Local; 1]>);

/// What one region did to the unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    task: TaskId,
    region: RegionId,
    /// The first access of each kind.
    firsts: [Option<Touch>; 2],
    /// Per kind, the circumstances in which an access of that kind was last looked at with nothing left
    /// to find: the same again changes nothing.
    settled: [Option<Settled>; 2],
}

type Settled = (StrandId, HoldId, [bool; 2]);

impl Locals {
    /// What the running region did to the unit. Regions that are over are dropped on the way.
    pub(super) fn running<O: Order>(&mut self, run: &mut Running<'_, O>) -> &mut Local {
        let (task, region) = (run.regions.running(), run.regions.current());
        let known = self.0.iter().position(|local| local.region == region);
        let at = known.unwrap_or_else(|| {
            self.0
                .retain(|local| run.regions.is_open(local.task, local.region));
            self.0.push(Local::new(task, region));
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

impl Local {
    fn new(task: TaskId, region: RegionId) -> Self {
        Self {
            task,
            region,
            firsts: [None; 2],
            settled: [None; 2],
        }
    }

    /// Whether the region has not touched the unit yet.
    pub(super) fn is_empty(&self) -> bool {
        self.firsts == [None; 2]
    }

    /// The first access of this kind.
    pub(super) fn first(&self, kind: AccessKind) -> Option<Touch> {
        self.firsts[kind as usize]
    }

    /// What the region did first, of each kind it did.
    pub(super) fn firsts(&self) -> impl Iterator<Item = Touch> + use<> {
        self.firsts.into_iter().flatten()
    }

    /// Takes the access into account, once everything else has been done for it.
    pub(super) fn note(&mut self, now: Touch) {
        let kind = now.mark.kind as usize;
        // The first access of a kind makes no pair of that kind; the second one has still something to find.
        if self.firsts[kind].is_none() {
            self.firsts[kind] = Some(now);
        } else {
            self.settled[kind] = Some(self.circumstances(now));
        }
    }

    /// Whether the same access in the same circumstances was looked at before.
    pub(super) fn is_settled(&self, now: Touch) -> bool {
        self.settled[now.mark.kind as usize] == Some(self.circumstances(now))
    }

    fn circumstances(&self, now: Touch) -> Settled {
        let done = self.firsts.map(|first| first.is_some());
        (now.mark.strand, now.mark.hold, done)
    }
}
