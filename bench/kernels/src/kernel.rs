//! What the benchmark and the tests need to know of a kernel.

/// Which program to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// The race-free program.
    Sound,
    /// The same program with its seeded defect.
    Seeded,
}

/// A kernel: the program, its sequential twin, and its sizes.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// As the paper's table calls it.
    pub name: &'static str,
    /// What the seeded defect does wrong.
    pub defect: &'static str,
    /// The module's path, as the compiler records it in positions.
    pub file: &'static str,
    /// The module's text. Where a task of the seeded race first reads and first writes what it shares,
    /// the line carries the comment `// racy`.
    pub source: &'static str,
    /// A size for tests.
    pub small: usize,
    /// A size for the benchmark: about a tenth of a second without checking.
    pub full: usize,
    /// The task-parallel program.
    pub run: fn(usize, Variant) -> Digest,
    /// The plain sequential program.
    pub reference: fn(usize) -> Digest,
}

impl Kernel {
    /// The lines of the module that take part in the seeded race, counted from 1.
    pub fn racy_lines(&self) -> Vec<u32> {
        (1..)
            .zip(self.source.lines())
            .filter(|(_, line)| line.trim_end().ends_with("// racy"))
            .map(|(number, _)| number)
            .collect()
    }
}

/// A result, reduced to a number that differs if any bit of the result does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest(u64);

impl Digest {
    /// Of whole numbers.
    pub fn of_integers(values: impl IntoIterator<Item = u64>) -> Self {
        // FNV-1a, a word at a time.
        let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x0000_0100_0000_01B3);
        Self(values.into_iter().fold(0xCBF2_9CE4_8422_2325, mix))
    }

    /// Of bytes.
    pub fn of_bytes(values: &[u8]) -> Self {
        Self::of_integers(values.iter().map(|&byte| u64::from(byte)))
    }

    /// Of floating-point numbers: equal only if every bit is.
    pub fn of_floats(values: &[f64]) -> Self {
        Self::of_integers(values.iter().map(|value| value.to_bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_depends_on_value_and_place() {
        assert_eq!(Digest::of_bytes(&[1, 2]), Digest::of_integers([1, 2]));
        assert_ne!(Digest::of_bytes(&[1, 2]), Digest::of_bytes(&[2, 1]));
        assert_ne!(Digest::of_floats(&[0.0]), Digest::of_floats(&[-0.0]));
    }
}
