//! Who calls a function, read from the program's code.
//!
//! Of the earlier of two racing accesses nothing is kept but its place: to note every call while the program runs would
//! cost more than the check. But the code itself says which calls there are. Where only one way leads from the
//! start of a task to the access, that way is its stack. Where several do, only what they have in common is shown: calls
//! inside of the standard library, which are not shown, may differ.
//!
//! Every four bytes of the code that hold the distance to the start of a function, and stand where an instruction has such a
//! distance, are taken for a reference to it: for a call if the instruction is one, else for an address that is kept,
//! from which the function may be called by anyone. Bytes that only look like a reference can make a stack shorter,
//! never wrong.
//!
//! Compilers make a function of a construct's body and give it the line of the construct. Where the construct is known
//! that created the task, ways that start in the body of another one are left out.

use crate::report::image::Image;
use heddle_core::{SiteId, TaskId};
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
    /// A task's, which starts in a function whose address was kept: the body of the construct at this site, if that
    /// is known.
    Task(Option<SiteId>),
}

impl Start {
    /// Where the stack of this task starts, which the construct at a site created.
    pub fn of(task: TaskId, construct: Option<SiteId>) -> Self {
        match task {
            TaskId::MAIN => Self::Main,
            _ => Self::Task(construct),
        }
    }
}

impl Callers {
    /// The references in the module's file.
    pub fn new(image: &Image) -> Self {
        let mut callers = Self::default();
        for (start, code) in image.code().filter(|(_, code)| code.len() <= MOST_CODE) {
            callers.read(image, start, code);
            callers.read_short_jumps(image, start, code);
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
                Some(Reference::Jump) => self.jump(image, target, next),
                Some(Reference::Address) => self.keep(image, target),
                None => {}
            }
        }
    }

    /// Jumps over less than 128 bytes.
    fn read_short_jumps(&mut self, image: &Image, start: u64, code: &[u8]) {
        for (at, two) in code
            .windows(2)
            .enumerate()
            .filter(|(_, two)| two[0] == 0xeb)
        {
            let next = start + at as u64 + 2;
            let target = next.wrapping_add_signed(i64::from(two[1].cast_signed()));
            if image.is_function(target) {
                self.jump(image, target, next);
            }
        }
    }

    /// The last call of a function may be a jump, of which no frame is left. A function that jumps to its own start
    /// goes round a loop.
    fn jump(&mut self, image: &Image, target: u64, next: u64) {
        let around = image.function(next - 1);
        if around.is_some_and(|function| function.start != target) {
            self.calls.entry(target).or_default().push(next);
        }
    }

    fn keep(&mut self, image: &Image, address: u64) {
        if image.is_function(address) {
            self.kept.insert(address, ());
        }
    }

    /// The ways to an access at `address` that make the calls that were `seen`, if all ways were followed. Each has the
    /// addresses that its calls return to, innermost first. Ways from functions that `is_body` accepts go before all
    /// others.
    pub fn ways(
        &self,
        image: &Image,
        (address, seen): (u64, &[u64]),
        start: Start,
        is_body: impl Fn(u64) -> bool,
    ) -> Vec<Vec<u64>> {
        let mut search = Search {
            callers: self,
            image,
            start,
            ways: Vec::new(),
            is_open: false,
        };
        search.follow(address, &mut Vec::new());
        let mut ways = search.ways;
        ways.retain(|way| has_all(&way.calls, seen));
        if ways.iter().any(|way| is_body(way.function)) {
            ways.retain(|way| is_body(way.function));
        }
        match search.is_open {
            true => Vec::new(),
            false => ways.into_iter().map(|way| way.calls).collect(),
        }
    }
}

/// Whether these calls are among those of a way, in their sequence.
fn has_all(way: &[u64], calls: &[u64]) -> bool {
    let mut way = way.iter();
    calls.iter().all(|call| way.any(|other| other == call))
}

/// A way from the start of a task to an access.
struct Way {
    /// The function that it starts in.
    function: u64,
    /// The addresses that its calls return to, innermost first.
    calls: Vec<u64>,
}

/// How an instruction refers to a function at a distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reference {
    /// It calls it.
    Call,
    /// It jumps there.
    Jump,
    /// It takes its address.
    Address,
}

impl Reference {
    /// What the distance is for that stands after these bytes.
    fn after(code: &[u8]) -> Option<Self> {
        match code {
            [.., 0xe8] => Some(Self::Call),
            // `jmp`, and `jcc` of any condition.
            [.., 0xe9] | [.., 0x0f, 0x80..=0x8f] => Some(Self::Jump),
            // `lea` of an address relative to the instruction.
            [.., 0x8d, operands] if operands & 0xc7 == 0x05 => Some(Self::Address),
            _ => None,
        }
    }
}

/// The function whose address is the first argument of the call that returns to `address`, if the instructions before
/// it say so: at most `distance` bytes.
pub fn passed(image: &Image, address: u64, distance: u64) -> Option<u64> {
    let covers = |(start, code): &(u64, &[u8])| {
        (*start..*start + code.len() as u64).contains(&(address.saturating_sub(1)))
    };
    let (start, code) = image.code().find(covers)?;
    let end = usize::try_from(address - start).ok()?;
    let first = end.saturating_sub(usize::try_from(distance).ok()?);
    let near = code.get(first..end)?;
    let mut ends = (0..near.len()).rev();
    let target = ends.find_map(|at| {
        let (distance, len) = first_argument(&near[at..])?;
        let next = start + (first + at + len) as u64;
        let target = next.wrapping_add_signed(i64::from(distance));
        image.is_function(target).then_some(target)
    });
    target.filter(|&target| image.function(address - 1).map(|own| own.start) != Some(target))
}

/// The distance from the next instruction to what an instruction loads the address of into the register of the first
/// argument, and how long the instruction is.
fn first_argument(code: &[u8]) -> Option<(i32, usize)> {
    let bytes = match code {
        // lea rdi, [rip + ...]
        [0x48, 0x8d, 0x3d, rest @ ..] => rest.first_chunk::<4>()?,
        // lea rax, [rip + ...]; mov rdi, rax
        [0x48, 0x8d, 0x05, a, b, c, d, 0x48, 0x89, 0xc7, ..] => &[*a, *b, *c, *d],
        _ => return None,
    };
    Some((i32::from_le_bytes(*bytes), 7))
}

struct Search<'a> {
    callers: &'a Callers,
    image: &'a Image,
    start: Start,
    ways: Vec<Way>,
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
            Start::Task(_) => is_kept && !is_main,
        };
        if starts_here {
            self.ways.push(Way {
                function: function.start,
                calls: way.clone(),
            });
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
        assert_eq!(Reference::after(&[0xe9]), Some(Reference::Jump));
        assert_eq!(Reference::after(&[0x0f, 0x84]), Some(Reference::Jump));
        // lea rdx, [rip + ...]
        let lea = [0x48, 0x8d, 0x15];
        assert_eq!(Reference::after(&lea), Some(Reference::Address));
        // and edx, ...
        assert_eq!(Reference::after(&[0x81, 0xe2]), None);
        // nop [rax + ...], which fills the space before a function
        assert_eq!(Reference::after(&[0x0f, 0x1f, 0x80]), None);
        assert_eq!(Reference::after(&[]), None);
    }

    #[test]
    fn calls_are_among_those_of_a_way_in_their_sequence() {
        assert!(has_all(&[1, 2, 3], &[1, 3]));
        assert!(has_all(&[1, 2, 3], &[]));
        assert!(!has_all(&[1, 2, 3], &[3, 1]));
        assert!(!has_all(&[1, 2], &[1, 2, 3]));
    }

    #[test]
    fn only_the_register_of_the_first_argument_counts() {
        let direct = [0x48, 0x8d, 0x3d, 1, 0, 0, 0];
        assert_eq!(first_argument(&direct), Some((1, 7)));
        let copied = [0x48, 0x8d, 0x05, 2, 0, 0, 0, 0x48, 0x89, 0xc7];
        assert_eq!(first_argument(&copied), Some((2, 7)));
        // lea rax, [rip + ...]; mov rsi, rax
        let second = [0x48, 0x8d, 0x05, 2, 0, 0, 0, 0x48, 0x89, 0xc6];
        assert_eq!(first_argument(&second), None);
        assert_eq!(first_argument(&direct[..5]), None);
    }
}
