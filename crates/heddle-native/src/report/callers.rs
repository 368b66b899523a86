//! Who calls a function, read from the program's code.
//!
//! Of the earlier of two racing accesses nothing is kept but its place: to note every call while the program runs would
//! cost more than the check. But the code itself says which calls there are. Where only one way leads from the
//! start of a task to the access, that way is its stack. Where several do, only what they have in common is shown.
//!
//! Every four bytes of the code that hold the distance to the start of a function, and stand where an instruction has such a
//! distance, are taken for a reference to it: for a call if the instruction is one, else for an address that is kept,
//! from which the function may be called by anyone. Bytes that only look like a reference can make a stack shorter,
//! never wrong.

use crate::report::image::Image;
use heddle_core::TaskId;
use std::collections::HashMap;

/// Ways to an access that are followed.
const WAYS: usize = 16;
/// Calls of one way.
const DEPTH: usize = 64;
/// Code beyond this many bytes is not read.
const MOST_CODE: usize = 1 << 28;

/// The references to the functions of a module.
#[derive(Default)]
pub struct Callers {
    /// By function: the addresses to which calls of it return.
    calls: HashMap<u64, Vec<u64>>,
    /// Functions whose address is kept somewhere.
    kept: HashMap<u64, ()>,
}

/// Whose stack is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The main task's, which starts in `main`.
    Main,
    /// A task's, which starts in a function whose address was kept.
    Task,
}

impl Start {
    /// Where the stack of this task starts.
    pub fn of(task: TaskId) -> Self {
        match task {
            TaskId::MAIN => Self::Main,
            _ => Self::Task,
        }
    }
}

impl Callers {
    /// The references in the module's file.
    pub fn new(image: &Image) -> Self {
        let mut callers = Self::default();
        for (start, code) in image.code().filter(|(_, code)| code.len() <= MOST_CODE) {
            callers.read(image, start, code);
        }
        for address in image.kept_addresses() {
            callers.keep(image, address);
        }
        callers
    }

    fn read(&mut self, image: &Image, start: u64, code: &[u8]) {
        let is_fixed = image.is_fixed();
        for (at, bytes) in code.windows(4).enumerate() {
            let distance = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if is_fixed {
                self.keep(image, u64::from(distance.cast_unsigned()));
            }
            let next = start + at as u64 + 4;
            let target = next.wrapping_add_signed(i64::from(distance));
            // What fills the space between two functions refers to nothing.
            if !image.is_function(target) || image.function(next - 1).is_none() {
                continue;
            }
            match Reference::after(&code[..at]) {
                Some(Reference::Call) => self.calls.entry(target).or_default().push(next),
                Some(Reference::Address) => self.keep(image, target),
                None => {}
            }
        }
    }

    fn keep(&mut self, image: &Image, address: u64) {
        if image.is_function(address) {
            self.kept.insert(address, ());
        }
    }

    /// The addresses that the calls on the stack of an access at `address` return to, innermost first: as far
    /// as there is only one way.
    pub fn stack(&self, image: &Image, address: u64, start: Start) -> Vec<u64> {
        let mut search = Search {
            callers: self,
            image,
            start,
            ways: Vec::new(),
            is_open: false,
        };
        search.follow(address, &mut Vec::new());
        let ways = search.ways;
        let Some((first, rest)) = ways.split_first().filter(|_| !search.is_open) else {
            return Vec::new();
        };
        let same = |at: usize| rest.iter().all(|way| way.get(at) == first.get(at));
        let len = (0..first.len()).take_while(|&at| same(at)).count();
        first[..len].to_vec()
    }
}

/// How an instruction refers to a function at a distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reference {
    /// It calls it.
    Call,
    /// It takes its address, or jumps there: of a jump no frame is left.
    Address,
}

impl Reference {
    /// What the distance is for that stands after these bytes.
    fn after(code: &[u8]) -> Option<Self> {
        match code {
            [.., 0xe8] => Some(Self::Call),
            // `jmp`, and `jcc` of any condition.
            [.., 0xe9] | [.., 0x0f, 0x80..=0x8f] => Some(Self::Address),
            // `lea` of an address relative to the instruction.
            [.., 0x8d, operands] if operands & 0xc7 == 0x05 => Some(Self::Address),
            _ => None,
        }
    }
}

struct Search<'a> {
    callers: &'a Callers,
    image: &'a Image,
    start: Start,
    ways: Vec<Vec<u64>>,
    /// Whether there are ways that were not followed to their end.
    is_open: bool,
}

impl Search<'_> {
    fn follow(&mut self, address: u64, way: &mut Vec<u64>) {
        let Some(function) = self.image.function(address) else {
            self.is_open = true;
            return;
        };
        let is_main = function.name == "main";
        let is_kept = self.callers.kept.contains_key(&function.start);
        let calls = self.callers.calls.get(&function.start);
        let starts_here = match self.start {
            Start::Main => is_main,
            Start::Task => is_kept && !is_main,
        };
        if starts_here {
            self.ways.push(way.clone());
        }
        // The main task may come here through the kept address as well, from nobody knows where.
        self.is_open |= self.start == Start::Main && is_kept && !is_main;
        for &call in calls.into_iter().flatten() {
            if way.contains(&call) || way.len() == DEPTH || self.ways.len() == WAYS {
                self.is_open = true;
                return;
            }
            way.push(call);
            self.follow(call - 1, way);
            way.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operands_that_are_distances_are_references() {
        assert_eq!(Reference::after(&[0xe8]), Some(Reference::Call));
        assert_eq!(Reference::after(&[0xe9]), Some(Reference::Address));
        assert_eq!(Reference::after(&[0x0f, 0x84]), Some(Reference::Address));
        // lea rdx, [rip + ...]
        let lea = [0x48, 0x8d, 0x15];
        assert_eq!(Reference::after(&lea), Some(Reference::Address));
        // and edx, ...
        assert_eq!(Reference::after(&[0x81, 0xe2]), None);
        // nop [rax + ...], which fills the space before a function
        assert_eq!(Reference::after(&[0x0f, 0x1f, 0x80]), None);
        assert_eq!(Reference::after(&[]), None);
    }
}
