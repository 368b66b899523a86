//! Identifiers. Each is a newtype over a dense index, so that tables can be vectors.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The identifier with this index.
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The index in the table this identifies a row of.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The index as stored in packed cells and files.
            pub const fn raw(self) -> u32 {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

id! {
    /// A unit of asynchronous work. Task 0 is the main task.
    TaskId
}
id! {
    /// A maximal run of one task between two task operations: a position in the order.
    /// Numbered in the sequence in which strands are first observed.
    StrandId
}
id! {
    /// A scope whose end waits for every task spawned into it. Finish 0 is the implicit one
    /// around the main task.
    FinishId
}
id! {
    /// A mutex. Lock 0 is the global one that `isolated` bodies hold.
    LockId
}
id! {
    /// Something that is signalled and waited for: an event, a satisfied dependence.
    TokenId
}
id! {
    /// Locations that are to be accessed atomically together.
    GroupId
}
id! {
    /// A place in the checked program's source: a row of [`Legend::sites`](crate::Legend::sites).
    SiteId
}
id! {
    /// A name of the checked program: a row of [`Legend::names`](crate::Legend::names).
    NameId
}
id! {
    /// A source file: a row of [`Legend::files`](crate::Legend::files).
    FileId
}

impl TaskId {
    /// The task that exists from the start.
    pub const MAIN: Self = Self(0);
}

impl FinishId {
    /// The implicit finish around the main task.
    pub const MAIN: Self = Self(0);
}

impl LockId {
    /// The lock that stands for `isolated`.
    pub const ISOLATED: Self = Self(0);
}

/// What is accessed: an address in the front end's own numbering. Bytes for native programs,
/// variables and elements for `.task`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location(pub u64);

impl Location {
    /// Locations from here on are no memory: recordings of native programs write and read there what
    /// one critical section hands over to another.
    const HAND_OVERS: u64 = 1 << 63;

    /// The location that stands for what a strand hands over.
    pub const fn of_hand_over(strand: u32) -> Self {
        Self(Self::HAND_OVERS | strand as u64)
    }

    /// Whether it stands for what is handed over, and not for memory of the program.
    pub const fn is_hand_over(self) -> bool {
        self.0 >= Self::HAND_OVERS
    }
}

/// A run of neighbouring locations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// The first location.
    pub start: Location,
    /// How many locations; never so many that the last one's number overflows.
    pub len: u64,
}

impl Extent {
    /// The extent of `len` locations from `start`.
    pub const fn new(start: Location, len: u64) -> Self {
        Self { start, len }
    }

    /// The extent of a single location.
    pub const fn one(location: Location) -> Self {
        Self {
            start: location,
            len: 1,
        }
    }

    /// The locations, in ascending sequence.
    pub fn locations(self) -> impl Iterator<Item = Location> {
        (self.start.0..self.start.0.saturating_add(self.len)).map(Location)
    }
}
