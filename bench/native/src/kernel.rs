//! The programs under `kernels/`: their names, their sizes, and where their seeded defects are.
//!
//! The first twelve are Table 2 of Raman et al., *Efficient Data Race Detection for Async-Finish
//! Parallelism*; the next five are the task programs that OpenMP runtimes are usually measured with. The last
//! five are irregular: many small tasks that share much, lists, copies and searches that stop early.
//! All are written from the algorithms.

use std::path::{Path, PathBuf};

/// One program.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// As people know it.
    pub name: &'static str,
    /// Its file's name, without `.c`.
    pub stem: &'static str,
    /// For checks: milliseconds, also when checked.
    pub small: usize,
    /// For the figures: some tenths of a second without checking.
    pub full: usize,
}

/// All programs.
pub const KERNELS: [Kernel; 22] = [
    kernel("Series", "series", 6, 5000),
    kernel("LUFact", "lufact", 70, 1100),
    kernel("SOR", "sor", 40, 1000),
    kernel("Crypt", "crypt", 200, 2_000_000),
    kernel("Sparse", "sparse", 30, 100_000),
    kernel("MolDyn", "moldyn", 2, 8),
    kernel("MonteCarlo", "montecarlo", 20, 8000),
    kernel("RayTracer", "raytracer", 8, 800),
    kernel("Fannkuch", "fannkuch", 6, 10),
    kernel("Fasta", "fasta", 200, 300_000),
    kernel("Mandelbrot", "mandelbrot", 20, 1800),
    kernel("Matmul", "matmul", 12, 1000),
    kernel("Fib", "fib", 18, 38),
    kernel("NQueens", "nqueens", 7, 13),
    kernel("MergeSort", "mergesort", 5000, 3_000_000),
    kernel("Strassen", "strassen", 200, 1024),
    kernel("SparseLU", "sparselu", 5, 44),
    kernel("TreeSearch", "treesearch", 30, 20_000),
    kernel("FFT", "fft", 1000, 1 << 20),
    kernel("Stations", "stations", 5, 500),
    kernel("Packing", "packing", 4, 9),
    kernel("Knapsack", "knapsack", 10, 26),
];

const fn kernel(name: &'static str, stem: &'static str, small: usize, full: usize) -> Kernel {
    Kernel {
        name,
        stem,
        small,
        full,
    }
}

/// The folder of the C sources.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

impl Kernel {
    /// Its source.
    pub fn source(&self) -> PathBuf {
        folder().join(format!("{}.c", self.stem))
    }

    /// Where a task of the seeded race touches what it shares, as reports write it: `file.c:line`.
    pub fn racy_lines(&self) -> Result<Vec<String>, String> {
        let source = self.source();
        let text = std::fs::read_to_string(&source);
        let text = text.map_err(|e| format!("cannot read {}: {e}", source.display()))?;
        let numbered = (1..).zip(text.lines());
        let marked = numbered.filter(|(_, line)| line.ends_with("// racy"));
        Ok(marked
            .map(|(number, _)| format!("{}.c:{number}", self.stem))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_source_in_the_folder_is_a_kernel_and_every_kernel_has_its_source() {
        let entries = std::fs::read_dir(folder()).expect("the folder of the kernels");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let sources = files.filter(|file| file.extension().is_some_and(|e| e == "c"));
        let listed: BTreeSet<PathBuf> = KERNELS.iter().map(Kernel::source).collect();
        assert_eq!(sources.collect::<BTreeSet<_>>(), listed);
    }

    #[test]
    fn every_kernel_marks_the_lines_of_its_seeded_defect() {
        for kernel in &KERNELS {
            let text = std::fs::read_to_string(kernel.source()).expect("the source");
            assert!(text.contains("// Seeded defect: "), "{}", kernel.name);
            assert!(text.contains("RACY"), "{}", kernel.name);
            let lines = kernel.racy_lines().expect("the source");
            assert!(!lines.is_empty(), "{}", kernel.name);
        }
    }
}
