//! Where a stream goes. An access to neighbouring granules is worked out granule by granule, but it is one access,
//! and one event: it counts once for a group of locations.

use heddle_core::{AccessKind, Event, Extent, Listener, SiteId};

/// No extent is longer: recordings have a limit.
pub(super) const LONGEST: u64 = 1 << 32;

/// An access, or as much of it as was told so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Parts of one access have one number.
    pub(super) access: u64,
    pub(super) kind: AccessKind,
    pub(super) extent: Extent,
    pub(super) site: SiteId,
}

/// See the module's documentation.
pub(super) struct Out {
    to: Box<dyn Listener + Send>,
    pending: Option<Part>,
}

impl Out {
    pub(super) fn new(to: Box<dyn Listener + Send>) -> Self {
        Self { to, pending: None }
    }

    /// Anything but an access.
    pub(super) fn on(&mut self, event: Event) {
        self.flush();
        self.to.on(event);
    }

    /// A name, which the access being told may need.
    pub(super) fn name(&mut self, event: Event) {
        self.to.on(event);
    }

    /// An access by the running task.
    pub(super) fn access(&mut self, part: Part) {
        match self.pending.and_then(|before| before.with(part)) {
            Some(both) => self.pending = Some(both),
            None => {
                self.flush();
                self.pending = Some(part);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(Part {
            kind, extent, site, ..
        }) = self.pending.take()
        {
            self.to.on(match kind {
                AccessKind::Read => Event::Read { extent, site },
                AccessKind::Write => Event::Write { extent, site },
            });
        }
    }
}

impl Part {
    /// Both, if the other goes on where this one ends.
    fn with(self, next: Self) -> Option<Self> {
        let end = self.extent.start.0 + self.extent.len;
        let same = Self {
            extent: self.extent,
            ..next
        };
        let len = self.extent.len + next.extent.len;
        let goes_on = same == self && next.extent.start.0 == end && len <= LONGEST;
        goes_on.then(|| Self {
            extent: Extent::new(self.extent.start, len),
            ..self
        })
    }
}
