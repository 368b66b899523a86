//! Hints: the program's own records of them. Nothing that is found depends on them.

use super::abi::result::{DONE, INVALID, UNSUPPORTED};
use super::guid::Guid;
use crate::shim::export;

/// As every `ocr.h` declares it: libraries may have been built with another.
#[repr(C)]
struct Hint {
    sort: u32,
    mask: u64,
    values: [u64; 12],
}

/// The number of a hint's first property, by its sort.
fn first(sort: u32) -> Option<u32> {
    Some(match sort {
        1 => 0,
        2 => 14,
        3 => 23,
        4 => 25,
        _ => return None,
    })
}

/// Where a property is in the record.
fn row(hint: &Hint, property: u32) -> Option<usize> {
    let row = property.checked_sub(first(hint.sort)? + 1)? as usize;
    (row < hint.values.len()).then_some(row)
}

/// The record and where the property is in it.
///
/// # Safety
/// `hint` is null or the caller's record.
unsafe fn at<'a>(hint: *mut Hint, property: u32) -> Option<(&'a mut Hint, usize)> {
    // SAFETY: as the caller promises.
    let hint = unsafe { hint.as_mut() }?;
    let row = row(hint, property)?;
    Some((hint, row))
}

export! {
    ["ocrHintInit"] fn init(hint: *mut Hint, sort: u32) at _pc -> u8 {
        if hint.is_null() || first(sort).is_none() {
            return INVALID;
        }
        // SAFETY: the caller's record.
        unsafe { hint.write(Hint { sort, mask: 0, values: [0; 12] }) };
        DONE
    }

    ["ocrSetHintValue"] fn set(hint: *mut Hint, property: u32, value: u64) at _pc -> u8 {
        // SAFETY: the caller's record.
        let Some((hint, row)) = (unsafe { at(hint, property) }) else { return INVALID };
        hint.values[row] = value;
        hint.mask |= 1 << row;
        DONE
    }

    ["ocrUnsetHintValue"] fn unset(hint: *mut Hint, property: u32) at _pc -> u8 {
        // SAFETY: the caller's record.
        let Some((hint, row)) = (unsafe { at(hint, property) }) else { return INVALID };
        hint.mask &= !(1 << row);
        DONE
    }

    ["ocrGetHintValue"] fn get(hint: *mut Hint, property: u32, value: *mut u64) at _pc -> u8 {
        // SAFETY: the caller's record.
        let Some((hint, row)) = (unsafe { at(hint, property) }) else { return INVALID };
        if hint.mask & (1 << row) == 0 || value.is_null() {
            return INVALID;
        }
        // SAFETY: a place for the result.
        unsafe { value.write(hint.values[row]) };
        DONE
    }

    ["ocrSetHint"] fn set_on(_guid: Guid, hint: *mut Hint) at _pc -> u8 {
        if hint.is_null() { INVALID } else { DONE }
    }

    ["ocrGetHint"] fn get_of(_guid: Guid, _hint: *mut Hint) at _pc -> u8 {
        UNSUPPORTED
    }
}
