//! Names of locations: which declared variable or allocated object one belongs to.

use crate::event::Shape;
use crate::finding::Place;
use crate::id::{Extent, Location, NameId};
use std::collections::BTreeMap;

/// The declared and allocated extents of a run.
#[derive(Debug, Default)]
pub struct Places {
    by_start: BTreeMap<u64, Object>,
}

#[derive(Clone, Copy, Debug)]
struct Object {
    len: u64,
    name: Option<NameId>,
    shape: Shape,
}

impl Places {
    /// A variable known from the start.
    pub fn declare(&mut self, extent: Extent, name: NameId, shape: Shape) {
        let object = Object {
            len: extent.len,
            name: Some(name),
            shape,
        };
        self.by_start.insert(extent.start.0, object);
    }

    /// A fresh object, in place of whatever began there before.
    pub fn allocate(&mut self, extent: Extent, name: Option<NameId>) {
        let object = Object {
            len: extent.len,
            name,
            shape: Shape::Array,
        };
        self.by_start.insert(extent.start.0, object);
    }

    /// The object at `start` got its name.
    pub fn bind(&mut self, start: Location, name: NameId) {
        if let Some(object) = self.by_start.get_mut(&start.0) {
            object.name.get_or_insert(name);
        }
    }

    /// What `location` is called.
    pub fn place(&self, location: Location) -> Place {
        let found = self.by_start.range(..=location.0).next_back();
        let inside = found.filter(|(start, object)| location.0 - *start < object.len);
        let (name, index) = match inside {
            Some((
                _,
                Object {
                    name,
                    shape: Shape::Scalar,
                    ..
                },
            )) => (*name, None),
            Some((start, object)) => (object.name, Some(location.0 - start)),
            None => (None, None),
        };
        Place {
            name,
            index,
            location: location.0,
        }
    }
}
