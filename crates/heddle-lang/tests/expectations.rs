//! The `expect:` and `explore:` lines at the top of a file.

use heddle_core::Certainty::{self, Certain, Possible};
use heddle_lang::Kind::{self, Assertion, Atomicity, Deadlock, Race, Transaction};
use heddle_lang::{Expectation, expectations};

type Short<'a> = (Certainty, Kind, Option<&'a str>);

fn short(list: &Option<Vec<Expectation>>) -> Option<Vec<Short<'_>>> {
    let list = list.as_ref()?.iter();
    let shortened = list.map(|one| (one.certainty, one.kind, one.location.as_deref()));
    Some(shortened.collect())
}

#[track_caller]
fn check(source: &str, expected: Option<&[Short<'_>]>) {
    let found = expectations(source).expect("well-formed");
    assert_eq!(short(&found.check), expected.map(<[_]>::to_vec), "{source}");
    assert_eq!(found.explore, None);
}

#[track_caller]
fn error(source: &str, expected: &[&str]) {
    let errors = expectations(source).expect_err("malformed");
    let rendered = errors.iter().map(|error| {
        let help = error.help.as_deref().unwrap_or_default();
        format!("{error}-{}: {help}", error.site.end_column)
    });
    assert_eq!(rendered.collect::<Vec<_>>(), expected);
}

#[test]
fn a_file_may_say_nothing() {
    check("", None);
    check("// only words, expect nothing\nshared x;", None);
}

#[test]
fn clean_is_an_empty_list() {
    check("// expect: clean\n", Some(&[]));
    check("//expect:clean", Some(&[]));
    check(
        "\u{feff}  // words first\r\n\r\n  //  expect:   clean  \r\n",
        Some(&[]),
    );
}

#[test]
fn findings_have_a_certainty_a_kind_and_perhaps_a_location() {
    let source = "// expect: race x\n// expect: possible race A[3]\n// expect: atomicity x,y\n\
        // expect: transaction head\n// expect: assertion\n// expect: deadlock\n";
    let expected = [
        (Certain, Race, Some("x")),
        (Possible, Race, Some("A[3]")),
        (Certain, Atomicity, Some("x,y")),
        (Certain, Transaction, Some("head")),
        (Certain, Assertion, None),
        (Certain, Deadlock, None),
    ];
    check(source, Some(&expected));
}

#[test]
fn check_and_explore_are_kept_apart() {
    let found = expectations("// expect: clean\n// explore: race x\nskip;").expect("well-formed");
    assert_eq!(short(&found.check), Some(vec![]));
    assert_eq!(
        short(&found.explore),
        Some(vec![(Certain, Race, Some("x"))])
    );
}

#[test]
fn only_leading_comments_count() {
    check("shared x;\n// expect: race x\n", None);
    check("skip; // expect: race x", None);
}

#[test]
fn an_expectation_knows_its_place() {
    let found = expectations("// ä\n  // expect:  race x \n").expect("well-formed");
    let site = found.check.expect("stated")[0].site;
    assert_eq!((site.line, site.column, site.end_column), (2, 15, 21));
}

#[test]
fn malformed_lines_are_errors_at_their_words() {
    error(
        "// expect: rase x",
        &["1:12: `rase` is no kind of finding-18: did you mean `race`?"],
    );
    let kinds =
        "write `clean`, or one of race, atomicity, transaction, assertion, deadlock and a location";
    error(
        "// expect:",
        &[&format!(
            "1:11: an expectation without a finding-11: {kinds}"
        )],
    );
    error(
        "// expect: clean x",
        &[&format!("1:12: `clean` stands alone-19: {kinds}")],
    );
    error(
        "// explore: possible",
        &[&format!(
            "1:13: an expectation without a finding-21: {kinds}"
        )],
    );
    error(
        "// expect: possible clean",
        &[&format!("1:12: `clean` stands alone-26: {kinds}")],
    );
    error(
        "\n// expect: nonsense",
        &[&format!(
            "2:12: `nonsense` is no kind of finding-20: {kinds}"
        )],
    );
}

#[test]
fn clean_contradicts_findings() {
    let help = "`clean` means that nothing at all is found";
    let message = "`clean` and findings are both expected";
    error(
        "// expect: clean\n// expect: race x",
        &[&format!("2:12: {message}-18: {help}")],
    );
    error(
        "// expect: race x\n// expect: clean",
        &[&format!("2:12: {message}-17: {help}")],
    );
}
