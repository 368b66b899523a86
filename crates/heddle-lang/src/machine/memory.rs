//! What tasks share: the declared variables and the heap arrays.
//!
//! Each heap array gets locations nobody had before it, also after older arrays are gone. Arrays
//! hold only integers, so which of them are unreachable is known after one scan of all registers.

use heddle_core::{Extent, FaultKind, Location};

use super::limits::MAX_CELLS;
use super::problem::{Fallible, fault, out_of_range};
use super::value::Value;

/// A heap array: a row of [`Memory`], used again once the array is unreachable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ArrayId(u32);

/// What one array costs beside its elements, in cells.
const ARRAY_CELLS: u64 = 6;
/// The least that must have been allocated between two scans, in cells.
const LEAST_SCAN_DISTANCE: u64 = 1 << 20;

/// Whether an array has been bound to a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Naming {
    Unnamed,
    Named,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Row {
    Free,
    Unmarked,
    Marked,
}

#[derive(Clone, Debug)]
struct Array {
    start: Location,
    cells: Vec<i64>,
    naming: Naming,
    row: Row,
}

/// Declared variables and heap arrays.
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    declared: Vec<i64>,
    arrays: Vec<Array>,
    free: Vec<ArrayId>,
    next_location: u64,
    /// Cells of the declared variables and of the arrays not known to be unreachable.
    used: u64,
    /// When `used` gets here it is time to scan.
    scan_at: u64,
}

impl Memory {
    /// Memory with this many declared cells, all zero.
    pub fn new(declared: u64) -> Fallible<Self> {
        if declared > MAX_CELLS {
            return Err(fault(FaultKind::LimitReached));
        }
        Ok(Self {
            declared: vec![0; declared as usize],
            arrays: Vec::new(),
            free: Vec::new(),
            next_location: declared,
            used: declared,
            scan_at: declared + LEAST_SCAN_DISTANCE,
        })
    }

    /// A declared cell.
    #[inline(always)]
    pub fn declared(&mut self, location: Location) -> &mut i64 {
        &mut self.declared[location.0 as usize]
    }

    /// All declared cells.
    pub fn declared_values(&self) -> &[i64] {
        &self.declared
    }

    /// Where the array lies, and what it holds.
    pub fn array(&self, array: ArrayId) -> (Location, &[i64]) {
        let array = &self.arrays[array.0 as usize];
        (array.start, &array.cells)
    }

    /// The location and the cell of an array's element.
    #[inline(always)]
    pub fn element(&mut self, array: ArrayId, index: i64) -> Fallible<(Location, &mut i64)> {
        let array = &mut self.arrays[array.0 as usize];
        let len = array.cells.len() as u64;
        match array.cells.get_mut(index as usize) {
            Some(cell) if index >= 0 => Ok((Location(array.start.0 + index as u64), cell)),
            _ => Err(out_of_range(index, len)),
        }
    }

    /// The cells an array of this length would take; an error for an absurd length.
    pub fn cells_needed(len: i64) -> Fallible<u64> {
        match u64::try_from(len) {
            Ok(cells) if cells <= MAX_CELLS => Ok(cells),
            _ => Err(fault(FaultKind::BadLength { len })),
        }
    }

    /// Whether unreachable arrays should be looked for before `cells` more are allocated.
    pub fn wants_scan(&self, cells: u64) -> bool {
        self.used + cells + ARRAY_CELLS > self.scan_at.min(MAX_CELLS)
    }

    /// A fresh zeroed array and its locations.
    pub fn allocate(&mut self, cells: u64) -> Fallible<(ArrayId, Extent)> {
        if self.used + cells + ARRAY_CELLS > MAX_CELLS {
            return Err(fault(FaultKind::LimitReached));
        }
        self.used += cells + ARRAY_CELLS;
        let extent = Extent::new(Location(self.next_location), cells);
        self.next_location += cells.max(1);
        let array = Array {
            start: extent.start,
            cells: vec![0; cells as usize],
            naming: Naming::Unnamed,
            row: Row::Unmarked,
        };
        Ok((self.place(array), extent))
    }

    fn place(&mut self, array: Array) -> ArrayId {
        if let Some(id) = self.free.pop() {
            self.arrays[id.0 as usize] = array;
            return id;
        }
        let row = u32::try_from(self.arrays.len()).expect("MAX_CELLS bounds the number of arrays");
        self.arrays.push(array);
        ArrayId(row)
    }

    /// Notes that the array now has a name; its start if it had none before.
    pub fn name(&mut self, array: ArrayId) -> Option<Location> {
        let array = &mut self.arrays[array.0 as usize];
        match std::mem::replace(&mut array.naming, Naming::Named) {
            Naming::Unnamed => Some(array.start),
            Naming::Named => None,
        }
    }

    /// Notes that what these registers hold is reachable.
    pub fn mark(&mut self, values: &[Value]) {
        for value in values {
            if let Value::Array(array) = value {
                self.arrays[array.0 as usize].row = Row::Marked;
            }
        }
    }

    /// Frees every array not marked since the last sweep. The next scan comes after at least
    /// `scanned` more cells, the price of this one.
    pub fn sweep(&mut self, scanned: u64) {
        for (row, array) in (0..).zip(&mut self.arrays) {
            match array.row {
                Row::Free => {}
                Row::Marked => array.row = Row::Unmarked,
                Row::Unmarked => {
                    self.used -= array.cells.len() as u64 + ARRAY_CELLS;
                    array.cells = Vec::new();
                    array.row = Row::Free;
                    self.free.push(ArrayId(row));
                }
            }
        }
        self.scan_at = self.used + self.used.max(scanned).max(LEAST_SCAN_DISTANCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmarked_arrays_are_freed_and_their_locations_never_used_again() {
        let mut memory = Memory::new(3).unwrap();
        let (kept, first) = memory.allocate(4).unwrap();
        let (lost, second) = memory.allocate(0).unwrap();
        let used = memory.used;
        memory.mark(&[Value::Int(9), Value::Array(kept)]);
        memory.sweep(0);
        assert_eq!(memory.used, used - ARRAY_CELLS);
        let (again, third) = memory.allocate(2).unwrap();
        assert_eq!(again, lost);
        let starts = [first, second, third].map(|extent| extent.start.0);
        assert_eq!(starts, [3, 7, 8]);
    }

    #[test]
    fn only_elements_in_range_can_be_touched() {
        let mut memory = Memory::new(0).unwrap();
        let (array, _) = memory.allocate(2).unwrap();
        assert!(memory.element(array, 1).is_ok());
        for index in [-1, 2, i64::MIN, i64::MAX] {
            assert!(memory.element(array, index).is_err());
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Memory::new(u64::MAX).is_err());
        assert!(Memory::cells_needed(-1).is_err());
        assert!(Memory::cells_needed(i64::MAX).is_err());
    }
}
