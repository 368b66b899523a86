//! Collective events: in each generation every contributor gives values, and all who depend on the generation get a
//! data block with the values of all, combined.
//!
//! Whoever depends on a generation comes after all who contributed to it. The values are combined when the last
//! contribution is there, in the sequence of the contributors, so that rounding does not depend on the schedule.
//! Every generation has a block of its own, also where the program allows one to be used again.

use super::abi::result::{DONE, INVALID, UNSUPPORTED};
use super::abi::{get, put_event};
use super::actor::{Actor, Source};
use super::event::{Event, Kind, Sink};
use super::execute::with_actor;
use super::guid::Guid;
use super::misuse::Rule;
use super::world::World;
use crate::shim::export;
use crate::thread;
use std::collections::VecDeque;

/// What the program asks for, as `ocr.h` declares it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Params {
    generations: u32,
    contributors: u32,
    contributors_here: u32,
    values: u16,
    arity: u8,
    operation: u16,
    sort: u32,
    may_reuse: bool,
}

/// One contributor gives the values, the others get them: not there.
const BROADCAST: u32 = 2;

/// How values are combined, as `ocr.h` packs it.
#[derive(Clone, Copy, Debug)]
struct Operation(u16);

impl Operation {
    /// Bytes of a value.
    fn size(self) -> usize {
        usize::from(self.0 & 0xF)
    }

    fn is_signed(self) -> bool {
        self.0 & 0x10 != 0
    }

    fn is_real(self) -> bool {
        self.0 & 0x20 != 0
    }

    fn number(self) -> u16 {
        self.0 >> 8
    }

    fn is_valid(self) -> bool {
        match self.is_real() {
            true => matches!(self.size(), 4 | 8) && self.number() < 4,
            false => matches!(self.size(), 1 | 2 | 4 | 8) && self.number() < 7,
        }
    }

    /// One value of each, combined into `sum`.
    fn combine(self, sum: &mut [u8], value: &[u8]) {
        let combined = match self.is_real() {
            true => self.to_bytes(self.of_reals(real(sum), real(value))),
            false => {
                let widened = |bytes| widened(bytes, self.is_signed());
                self.of_integers(widened(sum), widened(value)).to_le_bytes()[..8].to_vec()
            }
        };
        sum.copy_from_slice(&combined[..self.size()]);
    }

    fn of_reals(self, a: f64, b: f64) -> f64 {
        match self.number() {
            0 => a + b,
            1 => a * b,
            2 => a.min(b),
            _ => a.max(b),
        }
    }

    /// Exact in the lower half, which is what is kept.
    fn of_integers(self, a: i128, b: i128) -> i128 {
        match self.number() {
            0 => a.wrapping_add(b),
            1 => a.wrapping_mul(b),
            2 => a.min(b),
            3 => a.max(b),
            4 => a & b,
            5 => a | b,
            _ => a ^ b,
        }
    }

    fn to_bytes(self, value: f64) -> Vec<u8> {
        match self.size() {
            4 => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        }
    }
}

/// The sum or product of two `f32` in `f64`, rounded to `f32`, is what `f32` gives.
fn real(bytes: &[u8]) -> f64 {
    match bytes.try_into() {
        Ok(bytes) => f64::from_le_bytes(bytes),
        Err(_) => bytes
            .try_into()
            .map_or(0.0, |bytes| f64::from(f32::from_le_bytes(bytes))),
    }
}

fn widened(bytes: &[u8], is_signed: bool) -> i128 {
    let is_negative = is_signed && bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut wide = [if is_negative { 0xFF } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(wide)
}

/// What a collective event knows beside what every event does.
#[derive(Debug)]
pub(super) struct Collective {
    operation: Operation,
    /// Bytes of a contribution.
    size: usize,
    contributors: Vec<Contributor>,
    /// Generations that somebody may still depend on, and the number of the first.
    generations: VecDeque<Generation>,
    first: u64,
}

/// How often a contributor has contributed, and depended on the result.
#[derive(Clone, Copy, Debug, Default)]
struct Contributor {
    contributed: u64,
    depended: u64,
}

#[derive(Debug)]
struct Generation {
    /// By contributor; empty until it is there.
    contributions: Vec<Vec<u8>>,
    missing: usize,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    /// The block with what came of it.
    result: Option<Guid>,
}

impl Collective {
    fn new(params: &Params) -> Option<Self> {
        let operation = Operation(params.operation);
        let contributors = vec![Contributor::default(); params.contributors as usize];
        let is_valid = operation.is_valid() && !contributors.is_empty() && params.values > 0;
        is_valid.then(|| Self {
            operation,
            size: operation.size() * usize::from(params.values),
            contributors,
            generations: VecDeque::new(),
            first: 0,
        })
    }

    /// The generation of this number.
    fn generation(&mut self, number: u64) -> &mut Generation {
        let (at, contributors) = ((number - self.first) as usize, self.contributors.len());
        while self.generations.len() <= at {
            self.generations.push_back(Generation {
                contributions: vec![Vec::new(); contributors],
                missing: contributors,
                sources: Vec::new(),
                sinks: Vec::new(),
                result: None,
            });
        }
        &mut self.generations[at]
    }

    /// All values combined, once all are there.
    fn combined(&mut self, number: u64) -> Option<Vec<u8>> {
        let operation = self.operation;
        let generation = self.generation(number);
        if generation.missing > 0 {
            return None;
        }
        let mut contributions = std::mem::take(&mut generation.contributions).into_iter();
        let mut sums = contributions.next()?;
        for contribution in contributions {
            let size = operation.size();
            for (sum, value) in sums.chunks_mut(size).zip(contribution.chunks(size)) {
                operation.combine(sum, value);
            }
        }
        Some(sums)
    }

    /// Forgets generations that nobody can depend on any more.
    fn forget(&mut self) {
        let depended = self.contributors.iter().map(|one| one.depended).min();
        while depended.is_some_and(|depended| depended > self.first) {
            self.generations.pop_front();
            self.first += 1;
        }
    }
}

/// The collective event that parameters ask for.
pub(super) fn create(guid: *mut Guid, properties: u16, params: *const u64, pc: usize) -> u8 {
    // SAFETY: the caller passes null or the parameters of a collective event.
    let params = unsafe { get(params.cast::<Params>(), 1, pc) };
    let Some(params) = params.first() else {
        return INVALID;
    };
    if params.sort == BROADCAST {
        return UNSUPPORTED;
    }
    let Some(collective) = Collective::new(params) else {
        return INVALID;
    };
    put_event(guid, properties, pc, |site| {
        let mut event = Event::new(Kind::Collective, site, 0);
        event.collective = Some(Box::new(collective));
        event
    })
}

impl World {
    /// Whether others can depend on more than one slot of it, or what it is is not known yet.
    pub(super) fn has_slots(&mut self, guid: Guid) -> bool {
        let is_unknown = self.objects.get(guid).is_none() && guid.is_label();
        is_unknown || self.collective(guid).is_some()
    }

    fn collective(&mut self, event: Guid) -> Option<&mut Collective> {
        self.objects.event(event)?.collective.as_deref_mut()
    }

    /// Bytes of a contribution to the event.
    fn contribution_size(&mut self, actor: &Actor, event: Guid, slot: u32) -> Option<usize> {
        let found = self.collective(event).map(|collective| {
            let slots = collective.contributors.len();
            (collective.size, slots)
        });
        let Some((size, slots)) = found else {
            self.misused(actor, Rule::NoObject { what: "satisfied" }, None);
            return None;
        };
        if slot as usize >= slots {
            self.misused(actor, Rule::NoContributor { slot, slots }, None);
            return None;
        }
        Some(size)
    }

    /// A contributor's next values arrive.
    fn contribute(&mut self, actor: &mut Actor, event: Guid, slot: u32, values: Vec<u8>) {
        let here = actor.here();
        let Some(collective) = self.collective(event) else {
            return;
        };
        let contributor = &mut collective.contributors[slot as usize];
        let number = contributor.contributed;
        contributor.contributed += 1;
        let generation = collective.generation(number);
        generation.contributions[slot as usize] = values;
        generation.missing -= 1;
        generation.sources.push(here);
        let Some(sums) = collective.combined(number) else {
            return;
        };
        let result = self.result(actor, &sums);
        let Some(collective) = self.collective(event) else {
            return;
        };
        let generation = collective.generation(number);
        generation.result = Some(result);
        let sinks = std::mem::take(&mut generation.sinks);
        let sources = std::mem::take(&mut generation.sources);
        collective.forget();
        let together = self.gather(actor, sources);
        if let Some(collective) = self.collective(event)
            && number >= collective.first
        {
            collective.generation(number).sources = vec![together];
        }
        self.counted.tells(sinks.len());
        for sink in sinks {
            self.deliver(actor, sink.delivery(result, vec![together]));
        }
    }

    /// A block with the result, which nobody has acquired.
    fn result(&mut self, actor: &mut Actor, values: &[u8]) -> Guid {
        let made = self.create_block(0, actor, values.len(), 0);
        made.map_or(Guid::NULL, |(block, start, _)| {
            // SAFETY: a block of that size, which nobody else knows.
            unsafe {
                std::ptr::copy_nonoverlapping(values.as_ptr(), start as *mut u8, values.len())
            };
            block
        })
    }

    /// The sink depends on the contributor's next generation.
    pub(super) fn attach_to_collective(&mut self, actor: &mut Actor, event: Guid, sink: Sink) {
        let slot = sink.from_slot;
        let Some(collective) = self.collective(event) else {
            return;
        };
        let slots = collective.contributors.len();
        let Some(contributor) = collective.contributors.get_mut(slot as usize) else {
            return self.misused(actor, Rule::NoContributor { slot, slots }, None);
        };
        let number = contributor.depended;
        contributor.depended += 1;
        let generation = collective.generation(number);
        match generation.result {
            None => generation.sinks.push(sink),
            Some(result) => {
                let sources = generation.sources.clone();
                collective.forget();
                self.counted.tells(1);
                self.deliver(actor, sink.delivery(result, sources));
            }
        }
    }
}

export! {
    ["ocrEventCollectiveSatisfySlot"] fn collective_satisfy(event: Guid, data: *const u8, slot: u32) at pc -> u8 {
        let size = thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| world.contribution_size(actor, event, slot))
        });
        let Some(size) = size.flatten().filter(|_| !data.is_null()) else { return INVALID };
        // SAFETY: the caller passes as many values as the event was created for.
        let values = unsafe { get(data, size as u32, pc) };
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| {
                world.counted.satisfies();
                world.contribute(actor, event, slot, values);
            });
        });
        DONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined<const N: usize>(operation: u16, values: &[[u8; N]]) -> [u8; N] {
        let mut sum = values[0];
        for value in &values[1..] {
            Operation(operation).combine(&mut sum, value);
        }
        sum
    }

    #[test]
    fn integers_wrap_and_keep_their_sign() {
        let bytes = |value: i32| value.to_le_bytes();
        let (signed, unsigned) = (0x14, 0x04);
        assert_eq!(combined(unsigned, &[bytes(-1), bytes(3)]), bytes(2));
        assert_eq!(combined(2 << 8 | signed, &[bytes(-1), bytes(3)]), bytes(-1));
        assert_eq!(
            combined(2 << 8 | unsigned, &[bytes(-1), bytes(3)]),
            bytes(3)
        );
        assert_eq!(
            combined(1 << 8 | signed, &[bytes(-7), bytes(6)]),
            bytes(-42)
        );
        assert_eq!(combined(6 << 8 | unsigned, &[bytes(5), bytes(3)]), bytes(6));
    }

    #[test]
    fn reals_are_combined_in_their_own_precision() {
        let bytes = |value: f32| value.to_le_bytes();
        let all = [bytes(16_777_216.0), bytes(1.0), bytes(1.0)];
        assert_eq!(combined(0x34, &all), bytes(16_777_216.0 + 1.0 + 1.0));
        let wide = |value: f64| value.to_le_bytes();
        assert_eq!(combined(3 << 8 | 0x38, &[wide(-1.5), wide(2.5)]), wide(2.5));
    }

    #[test]
    fn an_operation_that_does_not_exist_is_refused() {
        for packed in [0x03, 0x22, 7 << 8 | 0x08, 4 << 8 | 0x28] {
            assert!(!Operation(packed).is_valid(), "{packed:#x}");
        }
    }
}
