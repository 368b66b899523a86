//! Every kernel is right and clean however it is run; every seeded defect is found where it is.

use bench_kernels::{Digest, KERNELS, Kernel, Variant};
use heddle::{Checker, Position, Report};
use std::collections::BTreeSet;

fn checked(checker: Checker, kernel: &Kernel, variant: Variant) -> (Digest, Report) {
    let mut result = None;
    let report = checker.check(|| result = Some((kernel.run)(kernel.small, variant)));
    (result.expect("the program ran"), report)
}

/// The lines of the kernel's module that take part in a race, ascending.
fn racy_lines(kernel: &Kernel, report: &Report) -> Vec<u32> {
    let accesses = report.races().flat_map(|race| race.accesses.iter());
    let positions = accesses.filter_map(|access| access.position.as_ref());
    let line = |position: &Position| {
        assert_eq!(position.file.path(), kernel.file, "{report}");
        position.line
    };
    positions
        .map(line)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn checkers() -> [(&'static str, Checker); 2] {
    [("serial", 0), ("parallel", 2)].map(|(way, threads)| (way, Checker::new().parallel(threads)))
}

#[test]
fn every_kernel_without_checking_agrees_with_its_plain_version() {
    for kernel in &KERNELS {
        let expected = (kernel.reference)(kernel.small);
        let sequential = heddle::sequential(|| (kernel.run)(kernel.small, Variant::Sound));
        assert_eq!(sequential, expected, "{} sequential", kernel.name);
        let pooled = (kernel.run)(kernel.small, Variant::Sound);
        assert_eq!(pooled, expected, "{} on the pool", kernel.name);
    }
}

#[test]
fn every_kernel_checked_is_clean_and_agrees_with_its_plain_version() {
    for kernel in &KERNELS {
        let expected = (kernel.reference)(kernel.small);
        for (way, checker) in checkers() {
            let (result, report) = checked(checker, kernel, Variant::Sound);
            report.assert_clean();
            assert_eq!(result, expected, "{} {way}", kernel.name);
        }
    }
}

#[test]
fn every_seeded_race_is_found_at_the_marked_lines() {
    for kernel in &KERNELS {
        for (way, checker) in checkers() {
            let (_, report) = checked(checker, kernel, Variant::Seeded);
            let found = racy_lines(kernel, &report);
            let is_found = |line| found.contains(line);
            assert!(
                kernel.racy_lines().iter().all(is_found),
                "{} {way}: {found:?}",
                kernel.name
            );
        }
    }
}
