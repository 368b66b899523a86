//! Automatic cuts.

use heddle_lang::cuts::{Cuts, with_candidates};

use crate::found_with;

#[test]
fn menier_cuts_at_the_end_of_loop_iterations() {
    let source = "shared x, y; finish {
        async { for i in 0..2 { x = x + 1; } }
        async { y = x; x = 5; } }";
    assert_eq!(found_with(source, Cuts::Menier).len(), 1);
    let source = "shared x; finish {
        async { for i in 0..1 { x = x + 1; } }
        async { x = 5; } }";
    assert_eq!(
        found_with(source, Cuts::Menier).len(),
        0,
        "one iteration is one transaction"
    );
}

#[test]
fn rules_cut_beside_the_programs_own_cuts() {
    let source = "shared x; finish { async { read x; cut; x = 1; } async { x = 2; } }";
    assert_eq!(found_with(source, Cuts::Menier).len(), 1);
    assert_eq!(found_with(source, Cuts::None).len(), 0);
}

#[test]
fn candidates_stand_in_front_of_statements() {
    let source =
        "shared x; proc p() { return 1; }\nx = 1;\nx = p();\nx = 2;\nfor i in 0..2 { x = 3; }";
    let program = heddle_lang::compile("a.task", source).expect("the program is right");
    let lines = |cuts| -> Vec<u32> {
        let (_, candidates) = with_candidates(&program, cuts);
        candidates.iter().map(|one| one.before.line).collect()
    };
    assert_eq!(lines(Cuts::Menier), [3, 4, 5]);
    assert_eq!(lines(Cuts::Access), [3, 4, 5, 5]);
}

#[test]
fn the_access_rule_cuts_a_critical_section_off_from_what_follows() {
    let task = "async { isolated { x = x + 1; } y = 1; }";
    let source = format!("shared x, y; finish {{ {task} {task} }}");
    assert_eq!(found_with(&source, Cuts::Access).len(), 1);
    let alone = source.replace("y = 1;", "");
    assert_eq!(found_with(&alone, Cuts::Access).len(), 0);
}
