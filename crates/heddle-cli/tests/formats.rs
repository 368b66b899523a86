//! Every format says the same of random programs, with all findings or with some suppressed or known before.

mod validate;

use std::cell::RefCell;
use std::collections::BTreeSet;

use heddle_check::check;
use heddle_core::{OrderChoice, Outcome};
use heddle_lang::machine::Code;
use heddle_oracle::program::program;
use heddle_oracle::property::Holds;
use heddle_oracle::stream::Class;
use heddle_oracle::{cases, try_cases};
use heddle_report::baseline::Baseline;
use heddle_report::html::Page;
use heddle_report::saved::Saved;
use heddle_report::text::{self, Colour};
use heddle_report::{Details, Possible, Report, Settings, Subject, Unchecked, junit, sarif};
use serde_json::Value;

struct Once {
    code: Code,
    features: heddle_core::Features,
}

impl heddle_core::Run for Once {
    fn features(&self) -> heddle_core::Features {
        self.features
    }

    fn run<L: heddle_core::Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

fn checked(program: &heddle_lang::Program) -> Result<Outcome, String> {
    let mut run = Once {
        code: Code::new(program),
        features: program.features,
    };
    check(&mut run, OrderChoice::Auto).map_err(|error| format!("{error:?}"))
}

/// What tells findings apart, as each format has it.
fn prints_in(list: &Value, key: impl Fn(&Value) -> &Value) -> BTreeSet<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|one| Some(key(one).as_str()?.to_owned()))
        .collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Holds {
    match one == other {
        true => Ok(()),
        false => Err(format!("{what} has {one:?}, not {other:?}")),
    }
}

fn formats_agree(source: &str, logs: &RefCell<String>) -> Holds {
    let Ok(program) = heddle_lang::compile("random.task", source) else {
        return Err(format!("does not compile:\n{source}"));
    };
    let outcome = checked(&program)?;
    let subject = Subject {
        program: "random.task",
        outcome: &outcome,
        legend: &program.legend,
        features: program.features,
        unchecked: Unchecked::Nothing,
    };
    let settings = Settings {
        possible: Possible::Full,
        ..Settings::default()
    };
    let whole = Report::new(subject, settings);
    let told = |wrong| format!("{wrong}\n\n{source}");
    agree(&whole, logs).map_err(told)?;

    let (hidden, seen) = split(&outcome.findings);
    let details = Details {
        suppressed: hidden,
        ..Details::default()
    };
    let rest = Outcome {
        findings: seen,
        ..outcome.clone()
    };
    let subject = Subject {
        outcome: &rest,
        ..subject
    };
    let suppressed = Report::detailed(subject, &details, settings);
    agree(&suppressed, logs).map_err(told)?;

    let (known, _) = split(&Saved::new(&whole).findings);
    let baseline = Saved {
        findings: known,
        ..Saved::new(&whole)
    };
    let baseline = Baseline::of(&[baseline]);
    let settings = Settings {
        baseline: Some(&baseline),
        ..settings
    };
    let subject = Subject {
        outcome: &outcome,
        ..subject
    };
    let new = Report::new(subject, settings);
    agree(&new, logs).map_err(told)?;
    let (before, after) = (whole.findings.len(), new.findings.len());
    same("known and new", &(new.known as usize + after), &before).map_err(told)
}

/// Every other one, and the rest.
fn split<T: Clone>(all: &[T]) -> (Vec<T>, Vec<T>) {
    let pick = |from: usize| all.iter().skip(from).step_by(2).cloned().collect();
    (pick(0), pick(1))
}

fn prints(findings: &[heddle_report::Finding]) -> BTreeSet<String> {
    let prints = findings.iter().map(|finding| finding.fingerprint.clone());
    prints.collect()
}

fn agree(report: &Report, logs: &RefCell<String>) -> Holds {
    let known = prints(&report.findings);
    let count = report.findings.len();
    same("the set of fingerprints", &known.len(), &count)?;
    let hidden = report.suppressed_findings.len();
    same("suppressed", &(report.suppressed as usize), &hidden)?;

    let json = serde_json::to_value(report).map_err(|error| error.to_string())?;
    let in_json = prints_in(&json["findings"], |one| &one["fingerprint"]);
    same("JSON", &in_json, &known)?;

    let saved = Saved::read(&json.to_string()).map_err(|error| error.to_string())?;
    let log = sarif::log(&saved);
    let results = &log["runs"][0]["results"];
    let results = results.as_array().ok_or("the log has no results")?;
    let is_hidden = |one: &&Value| !one["suppressions"].is_null();
    let print = |one: &Value| one["partialFingerprints"]["heddle/v1"].clone();
    let text = |one| print(one).as_str().unwrap_or_default().to_owned();
    let in_sarif = results.iter().filter(|one| !is_hidden(one)).map(text);
    same("SARIF", &in_sarif.collect(), &known)?;
    let in_sarif = results.iter().filter(is_hidden).map(text).collect();
    same(
        "SARIF, suppressed",
        &in_sarif,
        &prints(&report.suppressed_findings),
    )?;
    same("SARIF, all", &results.len(), &(count + hidden))?;
    *logs.borrow_mut() += &format!("{log}\n");

    let xml = junit::document(&saved);
    let cases = xml.matches("<testcase ").count() - xml.matches("name=\"clean: ").count();
    let faults = usize::from(report.error.is_some());
    same("JUnit", &cases, &(count + hidden + faults))?;
    let skipped = xml.matches("<skipped message=\"suppressed\"").count();
    same("JUnit, suppressed", &skipped, &hidden)?;

    let page = Page {
        reports: &saved,
        graphs: &[],
    };
    let page = page.render(|_| None);
    let start = page.find("id=\"data\">").ok_or("the page has no data")? + 10;
    let end = page[start..]
        .find("</script>")
        .ok_or("the data has no end")?;
    let data: Value =
        serde_json::from_str(&page[start..start + end]).map_err(|error| error.to_string())?;
    let in_html = prints_in(&data["reports"][0]["findings"], |one| &one["fingerprint"]);
    same("HTML", &in_html, &known)?;
    let page = &data["reports"][0];
    same("HTML, suppressed", &page["suppressed"], &hidden.into())?;
    same("HTML, known", &page["known"], &report.known.into())?;

    let text = text::render(report, Colour::Plain);
    let in_text = |finding: &&heddle_report::Finding| text.contains(&finding.message);
    let shown = report.findings.iter().filter(in_text).count();
    same("text", &shown, &count)?;
    let totals = &report.totals;
    let sum = totals.races
        + totals.possible_races
        + totals.atomicity
        + totals.possible_atomicity
        + totals.assertions
        + totals.deadlocks
        + totals.possible_deadlocks
        + totals.transactions
        + totals.possible_transactions
        + totals.misuses;
    same("the summary", &sum, &count)
}

#[test]
fn every_format_has_the_same_findings() {
    let classes = [
        Class::Structured,
        Class::Isolated,
        Class::Locks,
        Class::Edges,
        Class::Everything,
    ];
    let logs = RefCell::new(String::new());
    for class in classes {
        let property =
            |program: &heddle_oracle::program::Program| formats_agree(&program.to_string(), &logs);
        if let Err(wrong) = try_cases(&program(class), cases(64), 17, property) {
            panic!("{wrong}");
        }
    }
    let schema = "crates/heddle-cli/tests/schemas/sarif.schema.json";
    let valid = validate::validated(schema, logs.borrow().as_bytes());
    assert_eq!(valid, Ok(()));
}
