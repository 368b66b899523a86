//! What of the address space the program can touch at all.

use std::fs;

/// Where memory that can be touched ends, from `address` on and up to `end`; `end` if that cannot be told.
pub fn until(address: usize, end: usize) -> usize {
    let Ok(maps) = fs::read("/proc/self/maps") else {
        return end;
    };
    let maps = String::from_utf8_lossy(&maps);
    reached(&maps, address, end)
}

/// The same from the system's list of mappings, which is in the order of their addresses.
fn reached(maps: &str, address: usize, end: usize) -> usize {
    let mut at = address;
    for (start, stop) in maps.lines().filter_map(accessible) {
        if (start..stop).contains(&at) {
            at = stop;
        }
    }
    at.min(end)
}

/// The addresses of a line, unless nobody may touch them.
fn accessible(line: &str) -> Option<(usize, usize)> {
    let (range, rest) = line.split_once(' ')?;
    let (start, stop) = range.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    let is_open = !rest.starts_with("---");
    is_open.then(|| Some((number(start)?, number(stop)?)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_ends_at_the_first_gap() {
        let maps = "1000-3000 rw-p 0 0:0 0\n3000-4000 r--p 0\n4000-5000 ---p 0\n5000-6000 rw-p\n8000-9000 rw-p\n";
        assert_eq!(reached(maps, 0x1800, 0x2000), 0x2000);
        assert_eq!(reached(maps, 0x1800, 0xa000), 0x4000);
        assert_eq!(reached(maps, 0x5000, 0xa000), 0x6000);
        assert_eq!(reached(maps, 0x4800, 0xa000), 0x4800);
        assert_eq!(reached("what?\n", 0x4800, 0xa000), 0x4800);
    }

    #[test]
    fn what_this_test_stands_on_is_mapped() {
        let here = std::hint::black_box(&5) as *const i32 as usize;
        assert_eq!(until(here, here + 4), here + 4);
        assert!(until(here, usize::MAX) < 1 << 47);
    }
}
