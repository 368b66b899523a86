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

    /// What `extent` is called: by the name alone if it is a whole object, else by its first location.
    pub fn whole(&self, extent: Extent) -> Place {
        let place = self.place(extent.start);
        let object = self.by_start.get(&extent.start.0);
        match object.is_some_and(|object| object.len == extent.len) {
            true => Place {
                index: None,
                ..place
            },
            false => place,
        }
    }

    /// What `location` is called. A scalar has one place, however many locations.
    pub fn place(&self, location: Location) -> Place {
        let found = self.by_start.range(..=location.0).next_back();
        let inside = found.filter(|(start, object)| location.0 - *start < object.len);
        let (name, index, location) = match inside {
            Some((
                start,
                Object {
                    name,
                    shape: Shape::Scalar,
                    ..
                },
            )) => (*name, None, *start),
            Some((start, object)) => (object.name, Some(location.0 - start), location.0),
            None => (None, None, location.0),
        };
        Place {
            name,
            index,
            location,
        }
    }
}
