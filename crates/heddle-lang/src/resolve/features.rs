//! Which constructs a program contains, and what its events can therefore show.

use heddle_core::{Features, TaskKind};

/// The constructs seen so far.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Constructs {
    features: Features,
    cilk: bool,
    structured: bool,
}

impl Constructs {
    /// A task is created.
    pub(super) fn create(&mut self, kind: TaskKind) {
        match kind {
            TaskKind::Spawn => self.cilk = true,
            TaskKind::Async => self.structured = true,
            // Futures, dependent and posted tasks; the remaining kinds are other front ends'.
            _ => {
                self.structured = true;
                self.features.extra_edges = true;
            }
        }
    }

    /// Something waits for a task or an event, or satisfies one.
    pub(super) fn extra_edge(&mut self) {
        self.features.extra_edges = true;
    }

    /// `ewait`
    pub(super) fn choice(&mut self) {
        self.features.extra_edges = true;
        self.features.choices = true;
    }

    /// `isolated`
    pub(super) fn isolated(&mut self) {
        self.features.isolated = true;
    }

    /// `acquire`, `with`
    pub(super) fn lock(&mut self) {
        self.features.locks = true;
    }

    /// `cut`
    pub(super) fn cut(&mut self) {
        self.features.cuts = true;
    }

    /// What the program may do. An `async` while a sync block is open goes past it, to the finish
    /// around it.
    pub(super) fn features(self) -> Features {
        Features {
            scope_handles: self.cilk && self.structured,
            ..self.features
        }
    }
}
