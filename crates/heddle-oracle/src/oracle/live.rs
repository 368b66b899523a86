//! What a live run may call certain.
//!
//! Beside hand-offs, a live run knows two more ways in which what a task does may depend on another's:
//!
//! 1. A section read what a later section of the same lock overwrote. What the reader did between that read and its
//!    release is not certain to race with what comes after that write in the graph with hand-offs.
//! 2. A read raced with an earlier write. What the reader does after it is not certain to race with what came
//!    before that write.
//!
//! A live run does not know in which sequence a task made its accesses between two operations, and may take any write
//! that a read raced with for the one it saw. So there are two bounds of what is certain, and it must be between them.

use super::{Oracle, Verdicts, raise};
use crate::graph::{Closure, Node};
use heddle_core::{AccessKind, Certainty, Event, TaskId, TaskKind};
use std::collections::BTreeMap;

/// What a live run may say of the racy locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// What is certain here must be called so.
    pub least: Verdicts,
    /// Nothing else may be.
    pub most: Verdicts,
}

/// A read that raced with an earlier write.
#[derive(Clone, Copy, Debug)]
struct RacyRead {
    /// From where on the reader may depend on it: what it does next, or the read itself if it is of several locations,
    /// one after the other.
    arrival: Node,
    /// What it does next, if anything.
    after: Option<Node>,
    write: Node,
    /// The stretch of its task that the write is in.
    stretch: Node,
    /// Whether the write is the last before the read.
    is_last: bool,
}

impl Bounds {
    /// Whether verdicts are within them.
    pub fn allow(&self, found: &Verdicts) -> bool {
        let certain = Certainty::Certain;
        found.keys().eq(self.most.keys())
            && found
                .iter()
                .all(|(location, &verdict)| match verdict == certain {
                    true => self.most[location] == certain,
                    false => self.least[location] != certain,
                })
    }
}

impl Oracle {
    /// The verdict on every racy location, as far as a live run can know what is certain.
    pub fn live_bounds(&self) -> Bounds {
        let flows = self.racy_reads();
        let last = flows.iter().filter(|flow| flow.is_last);
        let seen = last.filter_map(|flow| Some((flow.stretch, flow.after?)));
        let seen: Vec<_> = self.handoffs.iter().copied().chain(seen).collect();
        let all = flows.iter().map(|flow| (flow.write, flow.arrival));
        let all: Vec<_> = self.handoffs.iter().copied().chain(all).collect();
        Bounds {
            least: self.live_verdicts(&self.with(&all).closure(), &flows),
            most: self.live_verdicts(&self.with(&seen).closure(), &[]),
        }
    }

    /// The same where locations are watched for atomicity: a race on one may hand nothing over.
    pub fn live_bounds_where_watched(&self) -> Bounds {
        Bounds {
            most: self.live_verdicts(&self.with_handoffs().closure(), &[]),
            ..self.live_bounds()
        }
    }

    /// Verdicts by a graph with all that is handed over. `flows` are those of which it is not known what their
    /// writers did before.
    fn live_verdicts(&self, handed_over: &Closure, flows: &[RacyRead]) -> Verdicts {
        let mut verdicts = Verdicts::new();
        let follows = |node, later| node == later || handed_over.reaches(node, later);
        self.for_each_race(|location, _, [first, second]| {
            let is_overtaken = self.overtaken.iter().any(|part| {
                part.task == first.task
                    && part.read < first.node
                    && first.node < part.release
                    && follows(part.write, second.node)
            });
            let has_seen = flows.iter().any(|flow| {
                first.stretch == Some(flow.stretch) && follows(flow.arrival, second.node)
            });
            let is_handed_over = handed_over.reaches(first.node, second.node);
            let certainty = match is_overtaken || has_seen || is_handed_over {
                true => Certainty::Possible,
                false => Certainty::Certain,
            };
            raise(&mut verdicts, location, certainty);
        });
        verdicts
    }

    fn racy_reads(&self) -> Vec<RacyRead> {
        let order = self.order.closure();
        let mut locations: BTreeMap<Node, usize> = BTreeMap::new();
        for touch in self.touches.values().flatten() {
            *locations.entry(touch.node).or_default() += 1;
        }
        let mut flows = Vec::new();
        for touches in self.touches.values() {
            for (n, read) in touches.iter().enumerate() {
                let after = self.next.get(&read.node).copied();
                let arrival = match locations[&read.node] {
                    1 => after,
                    _ => Some(read.node),
                };
                let Some(arrival) = arrival.filter(|_| read.kind == AccessKind::Read) else {
                    continue;
                };
                let before = touches.iter().take(n);
                let writes = before.filter(|touch| touch.kind == AccessKind::Write);
                let last = writes.clone().map(|write| write.node).max();
                for write in writes.filter(|write| write.races_with(read, &order)) {
                    if let Some(stretch) = write.stretch {
                        flows.push(RacyRead {
                            arrival,
                            after,
                            write: write.node,
                            stretch,
                            is_last: last == Some(write.node),
                        });
                    }
                }
            }
        }
        flows
    }

    /// Notes what begins a stretch of a task, and what can leave it.
    pub(super) fn note_stretch(&mut self, task: TaskId, node: Node, event: Event) {
        match event {
            Event::Read { .. } | Event::Write { .. } | Event::Alloc { .. } | Event::Free { .. } => {
                return;
            }
            Event::Spawn { task, kind, .. } => {
                let leaves = matches!(
                    kind,
                    TaskKind::Future | TaskKind::Dependent | TaskKind::Post | TaskKind::Thread
                );
                if leaves {
                    self.departing.insert(task);
                }
            }
            Event::Release { .. } | Event::Signal { .. } => {
                self.departing.insert(task);
            }
            _ => {}
        }
        self.stretches.insert(task, node);
    }
}
