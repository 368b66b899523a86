//! Identifiers of objects, and the table of what they stand for.
//!
//! An identifier is sixteen times the object's row, so that none is null or one of the reserved values. Rows are never
//! used again: an identifier whose object is gone is recognised for ever. A *labelled* identifier is
//! computed from a range and an index; the object it stands for, once created, has a row like any other.

use super::block::Block;
use super::edt::{Edt, Template};
use super::event::Event;
use super::label::Map;
use rustc_hash::FxHashMap;

/// An identifier, as programs hold it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(transparent)]
pub(super) struct Guid(pub(super) i64);

/// Set in labelled identifiers.
const LABEL: i64 = 1 << 62;
/// Bits for the index within a range.
const INDEX_BITS: u32 = 40;
const STEP: i64 = 16;

impl Guid {
    pub(super) const NULL: Self = Self(0);
    pub(super) const ERROR: Self = Self(-1);
    pub(super) const UNINITIALIZED: Self = Self(-2);

    pub(super) fn is_null(self) -> bool {
        self == Self::NULL
    }

    /// Whether it carries no data block: null, or what a program left uninitialised.
    pub(super) fn is_nothing(self) -> bool {
        matches!(self, Self::NULL | Self::UNINITIALIZED | Self::ERROR)
    }

    pub(super) fn is_label(self) -> bool {
        self.0 > 0 && self.0 & LABEL != 0
    }

    /// The identifier with this index in a range; none if there is none.
    pub(super) fn label(range: u32, index: u64) -> Option<Self> {
        let fits = index < 1 << INDEX_BITS && range < 1 << 20;
        fits.then(|| Self(LABEL | i64::from(range) << INDEX_BITS | index as i64))
    }

    fn row(self) -> Option<usize> {
        let is_row = self.0 > 0 && self.0 & LABEL == 0 && self.0 % STEP == 0;
        is_row.then(|| (self.0 / STEP) as usize - 1)
    }
}

/// What an identifier stands for.
#[derive(Debug)]
pub(super) enum Object {
    Edt(Box<Edt>),
    Event(Box<Event>),
    Block(Box<Block>),
    Template(Box<Template>),
    /// Labelled identifiers: the number of their range.
    Range(u32),
    /// The same, found by a function of the program's.
    Map(Box<Map>),
    /// It is over, was destroyed, or destroyed itself.
    Gone(Sort),
}

/// What sort of object it is or was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Edt,
    Event,
    Block,
    Template,
    Range,
}

impl Object {
    pub(super) fn sort(&self) -> Sort {
        match self {
            Self::Edt(_) => Sort::Edt,
            Self::Event(_) => Sort::Event,
            Self::Block(_) => Sort::Block,
            Self::Template(_) => Sort::Template,
            Self::Range(_) | Self::Map(_) => Sort::Range,
            Self::Gone(sort) => *sort,
        }
    }
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Object>,
    labels: FxHashMap<Guid, Guid>,
    pub(super) ranges: u32,
}

impl Table {
    pub(super) fn add(&mut self, object: Object) -> Guid {
        self.rows.push(object);
        Guid(self.rows.len() as i64 * STEP)
    }

    /// The object behind a label stands for it from now on.
    pub(super) fn name(&mut self, label: Guid, guid: Guid) {
        self.labels.insert(label, guid);
    }

    /// The identifier of the object itself; a label that nothing was created for stays what it is.
    pub(super) fn resolve(&self, guid: Guid) -> Guid {
        match guid.is_label() {
            true => self.labels.get(&guid).copied().unwrap_or(guid),
            false => guid,
        }
    }

    pub(super) fn get(&self, guid: Guid) -> Option<&Object> {
        self.rows.get(self.resolve(guid).row()?)
    }

    pub(super) fn get_mut(&mut self, guid: Guid) -> Option<&mut Object> {
        let row = self.resolve(guid).row()?;
        self.rows.get_mut(row)
    }

    pub(super) fn edt(&mut self, guid: Guid) -> Option<&mut Edt> {
        match self.get_mut(guid)? {
            Object::Edt(edt) => Some(edt),
            _ => None,
        }
    }

    pub(super) fn event(&mut self, guid: Guid) -> Option<&mut Event> {
        match self.get_mut(guid)? {
            Object::Event(event) => Some(event),
            _ => None,
        }
    }

    pub(super) fn block(&mut self, guid: Guid) -> Option<&mut Block> {
        match self.get_mut(guid)? {
            Object::Block(block) => Some(block),
            _ => None,
        }
    }

    pub(super) fn template(&self, guid: Guid) -> Option<Template> {
        match self.get(guid)? {
            Object::Template(template) => Some(**template),
            _ => None,
        }
    }

    /// The object goes; a label it had can be given to another.
    pub(super) fn remove(&mut self, guid: Guid) -> Option<Object> {
        let object = self.get_mut(guid)?;
        let sort = object.sort();
        let object = std::mem::replace(object, Object::Gone(sort));
        self.labels.remove(&guid);
        Some(object)
    }

    /// The label's object is gone or was never there: it can be created.
    pub(super) fn is_free(&self, label: Guid) -> bool {
        !matches!(self.get(label), Some(object) if !matches!(object, Object::Gone(_)))
    }

    /// All objects, by identifier.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Guid, &Object)> {
        let rows = self.rows.iter().zip(1..);
        rows.map(|(object, row)| (Guid(row * STEP), object))
    }
}
