//! The analysis of transactions against the oracle, on random programs and formulas.

use heddle_oracle::property::Holds;
use heddle_oracle::property::visible_cuts::{branches_agree, is_confirmed};
use heddle_oracle::transactions::{Formula, cut_program, formula};
use heddle_oracle::{cases, try_cases, try_cut_programs};

fn require(holds: Holds) {
    if let Err(wrong) = holds {
        panic!("{wrong}");
    }
}

#[test]
fn exact_is_brute_force_and_the_approximation_misses_nothing() {
    require(try_cut_programs(cases(800), 1));
}

/// Every second write depends on what `x0` holds, and writes change what is held.
fn with_branches(source: &str) -> String {
    let mut text = String::new();
    let mut writes = 0;
    for line in source.lines() {
        let written = line
            .trim()
            .strip_prefix("write ")
            .map(|rest| rest.trim_end_matches(';'));
        writes += usize::from(written.is_some());
        match written {
            Some(name) if writes % 2 == 0 => text += &format!("if (x0 != 1) {{ {name} = 1; }}"),
            Some(name) => text += &format!("{name} = 1;"),
            None => text += line,
        }
        text.push('\n');
    }
    text
}

#[test]
fn programs_that_branch_otherwise_are_certain_only_if_a_run_shows_it() {
    let holds = try_cases(&cut_program(), cases(300), 5, |program| {
        branches_agree(&with_branches(&program.to_string()))
    });
    require(holds);
}

fn satisfiable_iff_confirmed(formula: &Formula) -> Holds {
    let source = formula.program().to_string();
    let confirmed = is_confirmed(&source).map_err(|wrong| format!("{wrong}: {formula}"))?;
    match confirmed == formula.is_satisfiable() {
        true => Ok(()),
        false => Err(format!("confirmed: {confirmed}, but {formula}")),
    }
}

#[test]
fn a_formula_is_satisfiable_iff_its_program_is_confirmed_wrong() {
    require(satisfiable_iff_confirmed(&Formula::example()));
    require(try_cases(
        &formula(2, 5),
        cases(100),
        3,
        satisfiable_iff_confirmed,
    ));
    require(try_cases(
        &formula(4, 9),
        cases(100),
        4,
        satisfiable_iff_confirmed,
    ));
}

#[test]
fn both_answers_are_common_among_the_formulas_tried() {
    use proptest::strategy::{Strategy, ValueTree};
    let mut draws = heddle_oracle::runner(100, 3);
    let mut drawn = || {
        let tree = formula(2, 5).new_tree(&mut draws);
        tree.expect("a formula").current().is_satisfiable()
    };
    let satisfiable = (0..100).filter(|_| drawn()).count();
    assert!((15..95).contains(&satisfiable), "{satisfiable}");
}
