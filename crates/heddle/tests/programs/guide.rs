//! The programs of the guide for Rust, and that the guide shows them and their reports as they are.
//!
//! In the guide, `<!-- NAME -->` stands above each block that is checked here. With `HEDDLE_BLESS` set,
//! the blocks are made again instead.

mod chunks;
mod in_place;
mod isolated_sum;
mod one_section;
mod two_sections;
mod two_vectors;

use heddle::{Checker, Guarantee, Report, SharedVec, join};
use std::path::PathBuf;

const SIGNAL: [f64; 6] = [1.0, 5.0, 3.0, 7.0, 9.0, 2.0];

fn check_in_place() -> Report {
    let signal = SharedVec::from(SIGNAL);
    Checker::new().parallel(0).check(|| {
        in_place::smooth(&signal);
    })
}

fn check_two_vectors(smooth: fn(&SharedVec<f64>, &SharedVec<f64>) -> f64) -> Report {
    Checker::new().parallel(0).check(|| {
        let (signal, smoothed) = (SharedVec::from(SIGNAL), SharedVec::new(6, 0.0));
        let change = smooth(&signal, &smoothed);
        assert!((change - 23.0 / 3.0).abs() < 1e-12, "{change}");
    })
}

fn check_account(withdraw: impl Fn(u64) -> bool + Sync) -> Report {
    Checker::new().parallel(0).check(|| {
        let both = join(|| withdraw(30), || withdraw(40));
        assert_eq!(both, (true, true));
    })
}

fn check_two_sections() -> Report {
    let account = two_sections::Account::new(100);
    check_account(|amount| account.withdraw(amount))
}

fn check_one_section() -> Report {
    let account = one_section::Account::new(100);
    check_account(|amount| account.withdraw(amount))
}

#[test]
fn in_place_both_the_signal_and_the_sum_are_racy() {
    let report = check_in_place();
    let sums = report
        .races()
        .filter(|race| race.location.as_deref() == Some("change"));
    assert_eq!((sums.count(), report.races().count()), (1, 5), "{report}");
}

#[test]
fn with_two_vectors_only_the_sum_is_racy() {
    let report = check_two_vectors(two_vectors::smooth);
    assert_eq!(report.races().count(), 1, "{report}");
}

#[test]
fn with_an_isolated_sum_it_is_clean_for_these_accesses() {
    let report = check_two_vectors(isolated_sum::smooth);
    report.assert_clean();
    assert_eq!(report.guarantee(), Guarantee::KeepingAccesses);
}

#[test]
fn with_a_sum_for_each_chunk_it_is_clean_in_all_schedules() {
    let report = check_two_vectors(chunks::smooth);
    report.assert_clean();
    assert_eq!(report.guarantee(), Guarantee::AllSchedules);
}

#[test]
fn an_account_in_two_sections_is_torn_though_nothing_races() {
    let report = check_two_sections();
    let found = (report.races().count(), report.torn().count());
    assert_eq!(found, (0, 1), "{report}");
}

#[test]
fn an_account_in_one_section_is_clean() {
    check_one_section().assert_clean();
}

#[test]
fn the_guide_shows_programs_and_reports_as_they_are() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/rust-guide.md");
    let shown = std::fs::read_to_string(&path).expect("the guide");
    let right = blocks().iter().fold(shown.clone(), |guide, (name, text)| {
        with_block(&guide, name, text)
    });
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(path, right).expect("the guide can be written");
    } else {
        assert_eq!(shown, right, "HEDDLE_BLESS=1 makes the blocks again");
    }
}

/// Every checked block of the guide by name.
fn blocks() -> [(&'static str, String); 12] {
    let isolated_sum = check_two_vectors(isolated_sum::smooth);
    [
        ("in_place.rs", include_str!("guide/in_place.rs").to_owned()),
        ("in_place", check_in_place().to_string()),
        (
            "two_vectors.rs",
            include_str!("guide/two_vectors.rs").to_owned(),
        ),
        (
            "two_vectors",
            check_two_vectors(two_vectors::smooth).to_string(),
        ),
        (
            "isolated_sum.rs",
            include_str!("guide/isolated_sum.rs").to_owned(),
        ),
        ("isolated_sum", isolated_sum.to_string()),
        ("chunks.rs", include_str!("guide/chunks.rs").to_owned()),
        ("chunks", check_two_vectors(chunks::smooth).to_string()),
        (
            "two_sections.rs",
            include_str!("guide/two_sections.rs").to_owned(),
        ),
        ("two_sections", check_two_sections().to_string()),
        (
            "one_section.rs",
            include_str!("guide/one_section.rs").to_owned(),
        ),
        ("one_section", check_one_section().to_string()),
    ]
}

/// The guide with this text in the fence below `<!-- name -->`.
fn with_block(guide: &str, name: &str, text: &str) -> String {
    let marker = format!("<!-- {name} -->\n```");
    let (before, rest) = guide
        .split_once(&marker)
        .expect("the block is in the guide");
    let (language, rest) = rest.split_once('\n').expect("a fence has a first line");
    let (_, after) = rest.split_once("\n```\n").expect("a fence has an end");
    let text = text.trim_end();
    format!("{before}{marker}{language}\n{text}\n```\n{after}")
}
