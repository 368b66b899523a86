//! A moment of a task that others may come after.

use crate::context;
use std::sync::Arc;

/// See the module's documentation; empty where nothing is checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signal {
    /// The session, by its address, and the strand.
    known: Option<(usize, u32)>,
}

impl Signal {
    /// What the running task did so far.
    pub(super) fn now() -> Self {
        let session = context::session().map(|session| Arc::as_ptr(&session).addr());
        Self {
            known: session.zip(context::signal()),
        }
    }

    /// What the running task does next comes after it, if both belong to one check.
    pub(super) fn precedes(self) {
        Self::precede(&[self]);
    }

    /// The same for several.
    pub(super) fn precede(signals: &[Self]) {
        let session = context::session().map(|session| Arc::as_ptr(&session).addr());
        let own = signals.iter().filter_map(|signal| signal.known);
        let own = own.filter(|(key, _)| Some(*key) == session);
        let strands: Vec<u32> = own.map(|(_, strand)| strand).collect();
        if !strands.is_empty() {
            context::wait(&strands);
        }
    }
}
