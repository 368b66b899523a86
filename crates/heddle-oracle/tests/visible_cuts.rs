//! The analysis of transactions against the oracle, on random programs and formulas.

use heddle_oracle::property::Holds;
use heddle_oracle::property::visible_cuts::is_confirmed;
use heddle_oracle::transactions::{Formula, formula};
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
