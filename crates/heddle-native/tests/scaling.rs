//! Cost follows the work: it grows neither with what is over, nor with how many tasks met at one location. Each program under `scaling/` runs a little and a lot of the same in one process, and
//! prints what both took; only their ratio is judged.

mod harness;

use std::path::Path;

use harness::{all, compiled, finished, scratch, text};

/// The large measurement over the small one.
fn ratio(program: &str, defines: &[&str]) -> f64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scaling");
    let source = std::fs::read_to_string(folder.join(format!("{program}.c")));
    let source = source.expect("a program of this name");
    let include = format!("-I{}", folder.display());
    let flags = [&["-O1", "-g", "-fopenmp", &include][..], defines].concat();
    let name = format!("{program}{}", defines.concat());
    let path = compiled(
        &scratch(&format!("scaling-{name}")),
        program,
        &flags,
        &source,
    );
    let output = finished(harness::run(&[]).arg(path));
    let printed = text(&output.stdout);
    let numbers: Vec<f64> = printed
        .split_whitespace()
        .filter_map(|n| n.parse().ok())
        .take(2)
        .collect();
    let &[small, large] = &numbers[..] else {
        panic!("{name}: {}", all(&output));
    };
    println!("{name}: {small} {large}");
    large / small
}

#[test]
fn tasks_that_race_on_one_location_cost_in_proportion_to_their_number() {
    let found = ["raced", "raced-updates"].map(|program| ratio(program, &[]));
    assert!(
        found.iter().all(|&ratio| ratio < 15.0),
        "5 times the tasks: {found:.1?}"
    );
}

#[test]
fn tasks_that_read_one_location_under_a_lock_cost_in_proportion_to_their_number() {
    let found = ratio("readers", &[]);
    assert!(found < 10.0, "5 times the tasks: {found:.1}");
}

#[test]
fn a_million_racy_elements_cost_little_more_than_clean_ones() {
    let found = ["racy-elements", "racy-lines"].map(|program| ratio(program, &[]));
    assert!(
        found.iter().all(|&ratio| ratio < 4.0),
        "a million racy elements: {found:.1?}"
    );
}

#[test]
fn a_parallel_region_costs_the_same_however_many_came_before() {
    let types = ["-DTYPE=int", "-DTYPE=float", "-DTYPE=char"];
    let found = types.map(|definition| ratio("regions", &[definition]));
    assert!(
        found.iter().all(|&ratio| ratio < 3.0),
        "the eighth thousand: {found:.1?}"
    );
}

#[test]
fn memory_does_not_grow_with_the_sections_that_are_over() {
    let found = ["-DDO=chunks", "-DDO=reductions"].map(|which| ratio("sections", &[which]));
    assert!(
        found.iter().all(|&ratio| ratio < 1.2),
        "twice the sections: {found:.2?}"
    );
}
