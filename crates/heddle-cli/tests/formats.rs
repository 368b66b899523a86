//! Every format says the same of random programs.

use std::collections::BTreeSet;

use heddle_check::check;
use heddle_core::{OrderChoice, Outcome};
use heddle_lang::machine::Code;
use heddle_oracle::program::program;
use heddle_oracle::property::Holds;
use heddle_oracle::stream::Class;
use heddle_oracle::{cases, try_cases};
use heddle_report::html::Page;
use heddle_report::saved::Saved;
use heddle_report::text::{self, Colour};
use heddle_report::{Possible, Report, Settings, Subject, Unchecked, junit, sarif};
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

fn formats_agree(source: &str) -> Holds {
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
    agree(&Report::new(subject, settings)).map_err(|wrong| format!("{wrong}\n\n{source}"))
}

fn agree(report: &Report) -> Holds {
    let known: BTreeSet<String> = report
        .findings
        .iter()
        .map(|finding| finding.fingerprint.clone())
        .collect();
    let count = report.findings.len();
    same("the set of fingerprints", &known.len(), &count)?;

    let json = serde_json::to_value(report).map_err(|error| error.to_string())?;
    let in_json = prints_in(&json["findings"], |one| &one["fingerprint"]);
    same("JSON", &in_json, &known)?;

    let saved = Saved::read(&json.to_string()).map_err(|error| error.to_string())?;
    let log = sarif::log(&saved);
    let in_sarif = prints_in(&log["runs"][0]["results"], |one| {
        &one["partialFingerprints"]["heddle/v1"]
    });
    same("SARIF", &in_sarif, &known)?;

    let xml = junit::document(&saved);
    let cases = xml.matches("<testcase ").count() - xml.matches("name=\"clean: ").count();
    let faults = usize::from(report.error.is_some());
    same("JUnit", &cases, &(count + faults))?;

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
    for class in classes {
        let property =
            |program: &heddle_oracle::program::Program| formats_agree(&program.to_string());
        if let Err(wrong) = try_cases(&program(class), cases(64), 17, property) {
            panic!("{wrong}");
        }
    }
}
