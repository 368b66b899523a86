//! Chapters 1 to 3, and the formula of Figure 4.6.

use heddle_core::{Decision, Guarantee, Step};
use heddle_lang::cuts::Cuts;
use heddle_transactions::Exact;

use crate::{certain, found, found_with, guarantee, separations, try_with};

const REST: &str = "spawn list_insert(0); spawn list_insert(1); sync; read head;";

fn list_insert(body: &str) -> String {
    format!(
        "shared head, next[2], data[2], processed;\nproc process(k) {{ return k; }}\nproc list_insert(k) {{ {body} }}\n{REST}"
    )
}

#[test]
fn the_insert_as_one_transaction_is_right() {
    let source = list_insert("data[k] = process(k); next[k] = head; head = k + 1;");
    assert_eq!(found(&source), []);
}

#[test]
fn a_cut_after_process_keeps_both_accesses_to_head_together() {
    let source = list_insert("data[k] = process(k); cut; next[k] = head; head = k + 1;");
    assert_eq!(found(&source), []);
}

#[test]
fn a_cut_between_the_accesses_to_head_splits_the_insert() {
    let source = list_insert("next[k] = head; cut; data[k] = process(k); cut; head = k + 1;");
    assert_eq!(found(&source), [("head".into(), Decision::Replayed)]);
}

#[test]
fn meniers_cuts_leave_the_insert_right_if_process_comes_first() {
    let source = list_insert("data[k] = process(k); next[k] = head; head = k + 1;");
    assert_eq!(found_with(&source, Cuts::Menier), []);
}

#[test]
fn meniers_cuts_split_the_insert_if_process_comes_in_the_middle() {
    let source = list_insert("next[k] = head; data[k] = process(k); head = k + 1;");
    assert_eq!(
        found_with(&source, Cuts::Menier),
        [("head".into(), Decision::Replayed)]
    );
}

/// The running example of chapters 2 and 3: t1 to t9, with its cycle over x1 and x2.
const RUNNING: &str = "
    shared x1, x2;
    proc fun1() { x1 = 1; cut; skip; cut; read x2; }
    proc fun2() { x2 = 2; }
    spawn fun1();
    read x1; cut; read x2;
    spawn fun2();
    skip; cut; x1 = 8;
    sync;";

#[test]
fn the_running_example_has_the_cycle_over_x1_and_x2() {
    let found = found(RUNNING);
    assert!(
        found.contains(&("x1,x2".into(), Decision::Replayed)),
        "{found:?}"
    );
}

#[test]
fn the_cycle_of_figure_3_2_leads_over_main_and_fun2_back_to_fun1() {
    let (_, checked) = try_with(RUNNING, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    let cycle = separations(&checked).find(|one| one.places.len() == 2);
    let steps: Vec<bool> = cycle
        .expect("it is found")
        .cycle
        .iter()
        .map(|step| matches!(step, Step::Conflict { .. }))
        .collect();
    assert_eq!(steps, [true, false, true], "access, thread, access");
}

#[test]
fn the_running_example_has_the_three_interactions_of_figure_2_4() {
    let (_, checked) = try_with(RUNNING, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    let counts = checked
        .outcome
        .transactions
        .expect("transactions were checked");
    assert_eq!(counts.interactions, 3);
    assert_eq!(counts.transactions, 6, "of the ten, four access nothing");
}

#[test]
fn the_atomic_threads_atomization_is_always_right() {
    assert_eq!(found_with(RUNNING, Cuts::None), []);
}

#[test]
fn without_interactions_clean_speaks_of_all_schedules() {
    let source =
        "shared x, y; finish { async { x = 1; cut; x = 2; } async { y = 1; cut; y = 2; } }";
    assert_eq!(found(source), []);
    assert_eq!(guarantee(source), Guarantee::AllSchedules);
    let source = "shared x; finish { async { x = 1; cut; } async { x = 2; } }";
    assert_eq!(found(source), []);
    assert_eq!(guarantee(source), Guarantee::KeepingAccesses);
}

/// The reduction of chapter 4 for a formula whose literals are numbers, negative if negated.
pub fn reduction(variables: i32, clauses: &[[i32; 3]]) -> String {
    let literals = || (1..=variables).flat_map(|x| [x, -x]);
    let name = |literal: i32| match literal > 0 {
        true => format!("x{literal}"),
        false => format!("n{}", -literal),
    };
    // One shared variable per access interaction.
    let mut shared: Vec<String> = Vec::new();
    let mut touches: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    let mut connect = |one: &str, two: &str| {
        let edge = format!("{one}_{two}");
        for end in [one, two] {
            *touches.entry(end.to_owned()).or_default() += &format!("write {edge}; ");
        }
        shared.push(edge);
    };
    for sign in [1, -1] {
        connect("p", &name(sign));
        connect("q", &name(sign * variables));
        for x in 1..variables {
            for next in [1, -1] {
                connect(&name(sign * x), &name(next * (x + 1)));
            }
        }
    }
    let clause = |row: usize, letter: usize| format!("c{row}_{letter}");
    for letter in 0..3 {
        connect("q", &clause(clauses.len() - 1, letter));
        connect("r", &clause(0, letter));
        for row in 1..clauses.len() {
            for other in 0..3 {
                connect(&clause(row - 1, letter), &clause(row, other));
            }
        }
    }
    let does = |node: &str| touches.get(node).cloned().unwrap_or_default();
    let mut source = format!("shared {};\nfinish {{\n", shared.join(", "));
    source += &format!("async {{ {} cut; {} }}\n", does("p"), does("r"));
    source += &format!("async {{ {} }}\n", does("q"));
    for literal in literals() {
        source += "async { finish { ";
        for (row, clause_literals) in clauses.iter().enumerate() {
            for (letter, &at) in clause_literals.iter().enumerate() {
                if at == literal {
                    source += &format!("async {{ {} }} ", does(&clause(row, letter)));
                }
            }
        }
        source += &format!("}} {} }}\n", does(&name(literal)));
    }
    source + "}\n"
}

fn is_satisfiable(variables: i32, clauses: &[[i32; 3]]) -> bool {
    (0..1u32 << variables).any(|assignment| {
        let holds = |literal: i32| {
            let is_true = assignment >> (literal.abs() - 1) & 1 == 1;
            is_true == (literal > 0)
        };
        clauses
            .iter()
            .all(|clause| clause.iter().any(|&literal| holds(literal)))
    })
}

fn is_confirmed(variables: i32, clauses: &[[i32; 3]], exact: Exact) -> bool {
    let source = reduction(variables, clauses);
    let (_, checked) = try_with(&source, Cuts::Manual, exact).expect("nothing is rejected");
    let counts = checked
        .outcome
        .transactions
        .expect("transactions were checked");
    assert_eq!(counts.undecided, 0);
    certain(&checked) > 0
}

/// Numbers from 0 on, the same in every run.
fn draws(mut seed: u32) -> impl FnMut(u32) -> u32 {
    move |below| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    }
}

fn random_formula(
    variables: u32,
    clauses: u32,
    draw: &mut impl FnMut(u32) -> u32,
) -> Vec<[i32; 3]> {
    (0..clauses)
        .map(|_| {
            [0; 3].map(|_| {
                let x = 1 + draw(variables) as i32;
                if draw(2) == 0 { x } else { -x }
            })
        })
        .collect()
}

#[test]
fn the_formula_of_figure_4_6_is_satisfiable_and_confirmed() {
    let formula = [[1, 2, 2], [-1, 2, -3], [1, 3, -3]];
    assert!(is_satisfiable(3, &formula));
    assert!(is_confirmed(3, &formula, Exact::Always));
}

#[test]
fn a_formula_that_nothing_satisfies_is_refuted() {
    let formula = [[1, 1, 1], [-1, -1, -1]];
    assert!(!is_confirmed(1, &formula, Exact::Always));
    let formula = [[1, 2, 2], [1, -2, -2], [-1, 2, 2], [-1, -2, -2]];
    assert!(!is_confirmed(2, &formula, Exact::Always));
}

#[test]
fn a_formula_is_satisfiable_iff_its_program_is_confirmed() {
    let mut draw = draws(7);
    let mut seen = [0; 2];
    for _ in 0..60 {
        let variables = 1 + draw(3);
        let clauses = 2 + draw(7);
        let clauses = random_formula(variables, clauses, &mut draw);
        let variables = variables as i32;
        let expected = is_satisfiable(variables, &clauses);
        seen[usize::from(expected)] += 1;
        let confirmed = is_confirmed(variables, &clauses, Exact::Always);
        assert_eq!(confirmed, expected, "{clauses:?}");
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}

/// Random formulas are hardest with 4.26 clauses per variable.
#[test]
fn hard_formulas_of_twelve_variables_are_decided_within_the_usual_bound() {
    let mut draw = draws(11);
    let mut seen = [0; 2];
    for _ in 0..6 {
        let clauses = random_formula(12, 51, &mut draw);
        let expected = is_satisfiable(12, &clauses);
        seen[usize::from(expected)] += 1;
        let confirmed = is_confirmed(12, &clauses, Exact::Quick);
        assert_eq!(confirmed, expected, "{clauses:?}");
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// The main task waits for the others right after its transaction, before that is over by an event.
#[test]
fn a_task_that_waits_for_others_lets_them_have_their_turn() {
    for source in [
        "shared x; spawn { write x; cut; read x; } write x;",
        "shared x; spawn { write x; cut; read x; } write x; sync;",
        "shared x; finish { async { write x; cut; read x; } write x; }",
        "shared x; future f { write x; cut; read x; return 0; } write x; let v = get(f);",
        "shared x; region r; post r { write x; cut; read x; } write x; await r;",
    ] {
        let expected = [("x".to_owned(), Decision::Replayed)];
        assert_eq!(found(source), expected, "{source}");
    }
}

#[test]
fn a_schedule_has_the_same_access_of_each_iteration() {
    let source = "shared x; finish {
        async { for i in 0..2 { x = 1; cut; } }
        async { read x; } }";
    let (_, checked) = try_with(source, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    let found: Vec<_> = separations(&checked).collect();
    assert_eq!(found.len(), 1);
    let sites: Vec<_> = found[0]
        .schedule
        .iter()
        .map(|one| one.access.site)
        .collect();
    assert_eq!(sites.len(), 3, "written, read, written");
    assert_eq!(sites[0], sites[2]);
}
