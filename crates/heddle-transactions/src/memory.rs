//! What is accessed: the program's objects, and the pieces of them that accesses tell apart.
//!
//! An allocation gives its addresses a new meaning, so a location is an object and an address in it.
//! Accesses are stretches of addresses; after the run all stretches are cut where another one begins or
//! ends, and each resulting piece is one location. A program that always accesses eight bytes has one
//! location for them, not eight.

use heddle_core::{Extent, Location, NameId, Place, Shape};
use std::collections::BTreeMap;

/// A row of [`Memory`]; 0 is memory that nobody declared or allocated.
type Object = u32;

/// A stretch of one object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    object: Object,
    /// Its first address.
    pub start: u64,
    len: u64,
}

/// Named addresses of an object.
#[derive(Clone, Copy, Debug)]
struct Named {
    len: u64,
    name: Option<NameId>,
    shape: Shape,
}

/// The objects of a run. A name does not make another object: it may come late.
#[derive(Debug, Default)]
pub struct Memory {
    /// How many objects there are, beside 0.
    objects: Object,
    /// By object and first address.
    names: BTreeMap<(Object, u64), Named>,
    /// Which object holds the addresses from the key up to the value's first field.
    live: BTreeMap<u64, (u64, Object)>,
}

impl Memory {
    /// These addresses have a name.
    pub fn declare(&mut self, extent: Extent, name: NameId, shape: Shape) {
        let (start, len) = (extent.start.0, extent.len);
        let name = Some(name);
        let named = Named { len, name, shape };
        self.names.insert((self.object_at(start), start), named);
    }

    /// These addresses are a fresh object.
    pub fn allocate(&mut self, extent: Extent, name: Option<NameId>) {
        let (start, len) = (extent.start.0, extent.len);
        let end = start.saturating_add(len);
        self.clear(start, end);
        if len > 0 {
            self.objects += 1;
            self.live.insert(start, (end, self.objects));
            let shape = Shape::Array;
            self.names
                .insert((self.objects, start), Named { len, name, shape });
        }
    }

    /// The object at `start` got its name.
    pub fn bind(&mut self, start: Location, name: NameId) {
        let key = (self.object_at(start.0), start.0);
        if let Some(named) = self.names.get_mut(&key) {
            named.name.get_or_insert(name);
        }
    }

    fn object_at(&self, address: u64) -> Object {
        let holder = self.live.range(..=address).next_back();
        let holder = holder.filter(|(_, (end, _))| *end > address);
        holder.map_or(0, |(_, &(_, object))| object)
    }

    /// Takes these addresses away from the objects that hold them.
    fn clear(&mut self, start: u64, end: u64) {
        let before = self.live.range(..start).next_back();
        if let Some((&from, &(to, object))) = before
            && to > start
        {
            self.live.insert(from, (start, object));
            if to > end {
                self.live.insert(end, (to, object));
            }
        }
        let inside: Vec<u64> = self.live.range(start..end).map(|(&from, _)| from).collect();
        for from in inside {
            if let Some((to, object)) = self.live.remove(&from)
                && to > end
            {
                self.live.insert(end, (to, object));
            }
        }
    }

    /// The parts of the extent that lie in different objects.
    pub fn pieces(&self, extent: Extent) -> impl Iterator<Item = Piece> + use<> {
        let (start, end) = (extent.start.0, extent.start.0.saturating_add(extent.len));
        let first = self.live.range(..=start).next_back();
        if let Some((_, &(to, object))) = first
            && to >= end
        {
            let len = extent.len;
            let whole = Piece { object, start, len };
            return Parts::One(Some(whole).filter(|_| len > 0));
        }
        Parts::Many(self.split(start, end).into_iter())
    }

    fn split(&self, mut start: u64, end: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while start < end {
            let holder = self.live.range(..=start).next_back();
            let (object, to) = match holder {
                Some((_, &(to, object))) if to > start => (object, to),
                _ => {
                    let next = self.live.range(start..).next();
                    (0, next.map_or(u64::MAX, |(&from, _)| from))
                }
            };
            let to = to.min(end);
            pieces.push(Piece {
                object,
                start,
                len: to - start,
            });
            start = to;
        }
        pieces
    }

    /// What a location is called.
    pub fn place(&self, piece: Piece) -> Place {
        let Piece { object, start, .. } = piece;
        let known = self.names.range(..=(object, start)).next_back();
        let known = known.filter(|((of, from), named)| *of == object && start - from < named.len);
        let (name, index, location) = match known {
            None => (None, None, start),
            Some(((_, from), named)) => match named.shape {
                Shape::Scalar => (named.name, None, *from),
                Shape::Array => (named.name, Some(start - from), start),
            },
        };
        Place {
            name,
            index,
            location,
        }
    }
}

enum Parts {
    One(Option<Piece>),
    Many(std::vec::IntoIter<Piece>),
}

impl Iterator for Parts {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        match self {
            Self::One(piece) => piece.take(),
            Self::Many(pieces) => pieces.next(),
        }
    }
}

/// The locations of a run: all accessed stretches, cut where another begins or ends.
#[derive(Debug)]
pub struct Locations {
    /// Object and address where a location begins or ends, ascending.
    bounds: Vec<(Object, u64)>,
}

impl Locations {
    /// The locations that these stretches make.
    pub fn new(pieces: impl Iterator<Item = Piece>) -> Self {
        let ends = pieces.flat_map(|piece| {
            let Piece { object, start, len } = piece;
            [(object, start), (object, start + len)]
        });
        let mut bounds: Vec<_> = ends.collect();
        bounds.sort_unstable();
        bounds.dedup();
        Self { bounds }
    }

    /// The rows of the locations of a stretch.
    pub fn of(&self, piece: Piece) -> std::ops::Range<u32> {
        let row = |address| {
            let bound = (piece.object, address);
            self.bounds.partition_point(|&at| at < bound) as u32
        };
        row(piece.start)..row(piece.start + piece.len)
    }

    /// How many rows there can be.
    pub fn count(&self) -> usize {
        self.bounds.len()
    }

    /// The stretch of a row.
    pub fn piece(&self, row: u32) -> Piece {
        let (object, start) = self.bounds[row as usize];
        let end = self.bounds.get(row as usize + 1);
        let end = end.filter(|&&(of, _)| of == object);
        Piece {
            object,
            start,
            len: end.map_or(1, |&(_, end)| end - start),
        }
    }
}
