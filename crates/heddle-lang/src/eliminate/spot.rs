//! When two mentions certainly mean the same location.
//!
//! A scalar always does. An element does if the array is the same and the index is the same
//! constant or the same local, and an element of a heap array if moreover the handle is in the same
//! local. Locals belong to one activation; an analysis forgets the spots that mention a local as
//! soon as it is assigned. Nothing is claimed about different spots: they may still be one
//! location.

use crate::ir::{ExprKind, LocalId, Place, SharedId};

/// A location, named so that equal spots are the same location while their locals keep their
/// values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Spot {
    Scalar(SharedId),
    Element(SharedId, Index),
    Heap(LocalId, Index),
}

/// An index that is compared by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Index {
    Constant(i64),
    Local(LocalId),
}

impl Spot {
    /// The spot `place` is; none if its index is computed.
    pub(super) fn of(place: &Place) -> Option<Self> {
        Some(match place {
            Place::Scalar(shared) => Self::Scalar(*shared),
            Place::Element { array, index } => Self::Element(*array, Index::of(&index.kind)?),
            Place::Heap { handle, index } => Self::Heap(*handle, Index::of(&index.kind)?),
        })
    }

    /// The locals whose values decide which location this is.
    pub(super) fn locals(self) -> impl Iterator<Item = LocalId> {
        let (handle, index) = match self {
            Self::Scalar(_) => (None, None),
            Self::Element(_, index) => (None, index.local()),
            Self::Heap(handle, index) => (Some(handle), index.local()),
        };
        handle.into_iter().chain(index)
    }

    /// Whether `local` decides which location this is.
    pub(super) fn mentions(self, local: LocalId) -> bool {
        self.locals().any(|each| each == local)
    }
}

impl Index {
    pub(super) fn of(kind: &ExprKind) -> Option<Self> {
        match kind {
            ExprKind::Int(value) => Some(Self::Constant(*value)),
            ExprKind::Local(local) => Some(Self::Local(*local)),
            _ => None,
        }
    }

    fn local(self) -> Option<LocalId> {
        match self {
            Self::Constant(_) => None,
            Self::Local(local) => Some(local),
        }
    }
}
