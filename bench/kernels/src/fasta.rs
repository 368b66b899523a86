//! Fasta: sequences of random letters with given frequencies, in lines.
//!
//! The generator is linear congruential, so its state after any number of draws can be computed
//! directly: every task starts at its own place in the one sequence, and writes its own lines.

use crate::kernel::{Digest, Kernel, Variant};
use heddle::{Shared, SharedVec, par_chunks};

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Fasta",
    defect: "all tasks draw from one shared generator",
    file: file!(),
    source: include_str!("fasta.rs"),
    small: 20,
    full: 120_000,
    run: |lines, variant| Digest::of_bytes(&run(lines, variant)),
    reference: |lines| Digest::of_bytes(&reference(lines)),
};

const LETTERS_PER_LINE: usize = 60;
const LINE: usize = LETTERS_PER_LINE + 1;
const MODULUS: u32 = 139_968;
const FIRST: u32 = 42;

/// Letters and how often they come, out of 100.
const FREQUENCIES: [(u8, u32); 15] = [
    (b'a', 27),
    (b'c', 12),
    (b'g', 12),
    (b't', 27),
    (b'B', 2),
    (b'D', 2),
    (b'H', 2),
    (b'K', 2),
    (b'M', 2),
    (b'N', 2),
    (b'R', 2),
    (b'S', 2),
    (b'V', 2),
    (b'W', 2),
    (b'Y', 2),
];

/// `lines` lines of letters.
pub fn run(lines: usize, variant: Variant) -> Vec<u8> {
    let limits = SharedVec::from(limits());
    let output = SharedVec::from(vec![0; LINE * lines]);
    let state = Shared::new(FIRST);
    let per_task = lines.div_ceil(16).clamp(1, 1000);
    par_chunks(0..lines, per_task, |part| {
        let limits = limits.to_vec();
        let mut generator = Generator::after(LETTERS_PER_LINE * part.start);
        let text = text(part.len(), &limits, || match variant {
            Variant::Sound => generator.draw(),
            Variant::Seeded => draw_shared(&state),
        });
        output.write_from(LINE * part.start..LINE * part.end, &text);
    });
    output.into_vec()
}

/// The same on vectors, without tasks.
pub fn reference(lines: usize) -> Vec<u8> {
    let limits = limits();
    let mut state = FIRST;
    let mut output = Vec::with_capacity(LINE * lines);
    for _ in 0..lines {
        for _ in 0..LETTERS_PER_LINE {
            state = Affine::STEP.apply(state);
            output.push(letter(&limits, state));
        }
        output.push(b'\n');
    }
    output
}

fn text(lines: usize, limits: &[u32], mut draw: impl FnMut() -> u32) -> Vec<u8> {
    let mut text = Vec::with_capacity(LINE * lines);
    for _ in 0..lines {
        text.extend((0..LETTERS_PER_LINE).map(|_| letter(limits, draw())));
        text.push(b'\n');
    }
    text
}

/// For each letter, the state from which on it is no longer chosen.
fn limits() -> Vec<u32> {
    let sums = FREQUENCIES.iter().scan(0, |sum, &(_, share)| {
        *sum += share;
        Some(*sum * MODULUS / 100)
    });
    sums.collect()
}

fn letter(limits: &[u32], state: u32) -> u8 {
    let at = limits.iter().position(|&limit| state < limit);
    FREQUENCIES[at.unwrap_or(0)].0
}

/// Wrong: between the read and the write, others draw the same number.
fn draw_shared(state: &Shared<u32>) -> u32 {
    let next = Affine::STEP.apply(state.get()); // racy
    state.set(next); // racy
    next
}

struct Generator(u32);

impl Generator {
    /// The generator after this many draws.
    fn after(draws: usize) -> Self {
        Self(Affine::STEP.power(draws).apply(FIRST))
    }

    fn draw(&mut self) -> u32 {
        self.0 = Affine::STEP.apply(self.0);
        self.0
    }
}

/// The map from `x` to `factor * x + term`, modulo [`MODULUS`].
#[derive(Clone, Copy)]
struct Affine {
    factor: u32,
    term: u32,
}

impl Affine {
    const STEP: Self = Self {
        factor: 3877,
        term: 29573,
    };

    const NOTHING: Self = Self { factor: 1, term: 0 };

    fn apply(self, x: u32) -> u32 {
        let image = u64::from(self.factor) * u64::from(x) + u64::from(self.term);
        (image % u64::from(MODULUS)) as u32
    }

    /// First `self`, then `next`.
    fn then(self, next: Self) -> Self {
        let factor = u64::from(self.factor) * u64::from(next.factor) % u64::from(MODULUS);
        let term = u64::from(self.term) * u64::from(next.factor) + u64::from(next.term);
        Self {
            factor: factor as u32,
            term: (term % u64::from(MODULUS)) as u32,
        }
    }

    /// `self` this many times, by repeated squaring.
    fn power(self, mut times: usize) -> Self {
        let (mut result, mut square) = (Self::NOTHING, self);
        while times > 0 {
            if times % 2 == 1 {
                result = result.then(square);
            }
            square = square.then(square);
            times /= 2;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumping_ahead_is_drawing_that_often() {
        let mut walked = Generator::after(0);
        for draws in 0..500 {
            assert_eq!(walked.0, Generator::after(draws).0, "{draws}");
            walked.draw();
        }
    }

    #[test]
    fn every_state_has_a_letter() {
        assert_eq!(limits().last(), Some(&MODULUS));
    }
}
