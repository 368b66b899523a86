//! Serial runs of structured programs, checked in nearly constant time per access.
//!
//! Raman, Zhao, Sarkar, Vechev, Yahav: *Efficient Data Race Detection for Async-Finish Parallelism* (2010). The order
//! is [`Bags`]; what is remembered of a location is a writer and a reader ([`OneReader`]) or, with isolated bodies, the
//! same twice ([`FourField`]).
//!
//! # Guarantee
//! For a serial depth-first run of a program with spawns, finishes and isolated bodies alone, [`Serial::is_racy`] is
//! exact. Which pairs race, and how certainly, says the engine of `heddle-rt`, in another pass over a run that has
//! races: so the meaning of a finding is written once.

mod four_field;
mod one_reader;
mod order;
mod shadow;

pub use four_field::FourField;
pub use one_reader::OneReader;
pub use order::Bags;

use crate::event::{Event, Listener};
use crate::id::{Extent, LockId, StrandId};

/// "No strand yet": index 0 is a strand in no order.
const NO_STRAND: StrandId = StrandId::new(0);

/// Where an access stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Outside isolated bodies.
    Plain,
    /// Inside one.
    Isolated,
}

/// What touched each location, and the rule what to remember of it.
pub trait History: Default {
    /// The running strand reads. Whether that races with what is remembered.
    fn read(&mut self, extent: Extent, side: Side, order: &mut Bags) -> bool;
    /// The running strand writes. Whether that races with what is remembered.
    fn write(&mut self, extent: Extent, side: Side, order: &mut Bags) -> bool;
    /// Forgets what touched these locations.
    fn forget(&mut self, extent: Extent);
}

/// Follows one serial run. A [`Listener`].
#[derive(Debug)]
pub struct Serial<H> {
    order: Bags,
    history: H,
    side: Side,
    is_racy: bool,
}

impl<H: History> Serial<H> {
    /// At the start of the main task.
    pub fn new() -> Self {
        Self {
            order: Bags::new(),
            history: H::default(),
            side: Side::Plain,
            is_racy: false,
        }
    }

    /// Whether the run was serial and depth first; if not, nothing else said of it means anything.
    pub fn followed(&self) -> bool {
        self.order.followed()
    }

    /// Whether any location has a race.
    pub fn is_racy(&self) -> bool {
        self.is_racy
    }

    /// How many strands made accesses.
    pub fn strands(&self) -> u64 {
        self.order.strands()
    }

    fn other(&mut self, event: Event) {
        match event {
            Event::Alloc { extent, .. } => self.history.forget(extent),
            Event::Acquire { lock, .. } if lock == LockId::ISOLATED => self.side = Side::Isolated,
            Event::Release { lock, .. } if lock == LockId::ISOLATED => {
                self.order.close();
                self.side = Side::Plain;
            }
            _ => self.order.follow(event),
        }
    }
}

impl<H: History> Default for Serial<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: History> Listener for Serial<H> {
    #[inline(always)]
    fn on(&mut self, event: Event) {
        match event {
            Event::Read { extent, .. } => {
                self.is_racy |= self.history.read(extent, self.side, &mut self.order);
            }
            Event::Write { extent, .. } | Event::Free { extent, .. } => {
                self.is_racy |= self.history.write(extent, self.side, &mut self.order);
            }
            _ => self.other(event),
        }
    }
}

/// A strand as stored in cells; zero is "nothing yet", so that fresh cells are zeroed memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Slot(u32);

impl Slot {
    fn new(strand: StrandId) -> Self {
        Self(strand.raw())
    }

    /// Whether this is an access parallel with the running strand.
    #[inline]
    fn is_parallel(self, order: &mut Bags) -> bool {
        self.0 != NO_STRAND.raw() && !order.precedes(StrandId::new(self.0))
    }
}
