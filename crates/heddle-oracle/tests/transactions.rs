//! The oracle of transactions: the thesis's lemmas on random programs, its figures, and its
//! reduction from 3SAT.

use heddle_oracle::property::Holds;
use heddle_oracle::property::transactions::{
    MOST_SCHEDULES, atomization_of, lemma_2, lemma_3, lemmas_5_and_6, print_is_the_model,
    run_is_the_program, theorem_4, theorem_7, theorem_15,
};
use heddle_oracle::transactions::definitions::{
    AccessAssignment, access_constraints, equivalent, has_cycle, has_thread_cycle,
    induced_access_assignment, is_race_assignment, possible_access_constraints,
};
use heddle_oracle::transactions::{
    Atomization, Cell, Clause, CutProgram, Formula, Literal, Search, Thread, Transaction,
    atomization, cut_program, formula, schedules, verdict,
};
use heddle_oracle::{cases, runner, try_cases};
use proptest::strategy::{Strategy, ValueTree};

fn holds(property: impl Fn(&Atomization) -> Holds) {
    let shown =
        |program: &Atomization| property(program).map_err(|wrong| format!("{wrong}\n\n{program}"));
    let models = try_cases(&atomization(), cases(100), 1, shown);
    let programs = cut_program().prop_map(|program| program.atomization());
    let programs = try_cases(&programs, cases(100), 2, shown);
    if let Err(wrong) = models.and(programs) {
        panic!("{wrong}");
    }
}

#[test]
fn lemma_2_equivalent_schedules_have_the_same_access_constraints() {
    holds(lemma_2);
}

#[test]
fn lemma_3_an_access_assignment_is_realizable_iff_its_graph_has_no_cycle() {
    holds(lemma_3);
}

#[test]
fn theorem_4_schedules_of_atomic_threads_are_schedules_of_every_atomization() {
    holds(theorem_4);
}

#[test]
fn lemmas_5_and_6_a_schedule_is_serializable_iff_it_has_no_thread_cycle() {
    holds(lemmas_5_and_6);
}

#[test]
fn theorem_7_there_is_a_data_race_iff_there_is_a_race_assignment() {
    holds(theorem_7);
}

#[test]
fn theorem_15_whatever_a_schedule_shows_is_in_the_interaction_graph() {
    holds(theorem_15);
}

#[test]
fn the_model_read_off_a_run_is_the_program() {
    try_cases(&cut_program(), cases(300), 3, run_is_the_program)
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    try_cases(&atomization(), cases(300), 4, print_is_the_model)
        .unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn random_programs_are_both_right_and_wrong_and_seldom_too_large() {
    let drawn = |seed| {
        let mut draws = runner(300, seed);
        let programs = cut_program().prop_map(|program| program.atomization());
        let (mut wrong, mut right, mut trivial, mut large) = (0, 0, 0, 0);
        for _ in 0..300 {
            let program = programs.new_tree(&mut draws).expect("a program").current();
            match verdict(&program, MOST_SCHEDULES) {
                None => large += 1,
                Some(verdict) if verdict.is_race() => wrong += 1,
                Some(_) if possible_access_constraints(&program).is_empty() => trivial += 1,
                Some(_) => right += 1,
            }
        }
        (wrong, right, trivial, large)
    };
    let (wrong, right, trivial, large) = drawn(5);
    assert!(
        wrong > 30 && right > 30 && large < 60,
        "{wrong} wrong, {right} right, {trivial} without interactions, {large} too large"
    );
}

/// The smallest are a pair of accesses on either side of a cut and one beside them that conflicts with both,
/// but shrinking may also end at a cycle over two variables, or over three threads.
#[test]
fn a_program_whose_cut_can_be_seen_shrinks_to_one_cut_and_one_cycle() {
    let is_right = |program: &Atomization| match verdict(program, MOST_SCHEDULES) {
        Some(verdict) if verdict.is_race() => Err(program.to_string()),
        _ => Ok(()),
    };
    let is_right_tree =
        |program: &CutProgram| is_right(&program.atomization()).map_err(|_| program.to_string());
    for seed in 0..4 {
        let model = try_cases(&atomization(), 300, seed, is_right);
        let tree = try_cases(&cut_program(), 300, seed, is_right_tree);
        for smallest in [model, tree].map(|tried| tried.expect_err("some are wrong")) {
            let accesses = smallest.matches("read").count() + smallest.matches("write").count();
            assert!((3..=6).contains(&accesses), "{smallest}");
            assert_eq!(smallest.matches("cut").count(), 1, "{smallest}");
        }
    }
}

fn transaction(thread: usize, index: usize) -> Transaction {
    Transaction {
        thread: Thread(thread),
        index,
    }
}

/// A program of which every transaction makes an access, so that none is left out: the transactions in the
/// sequence of the cells that they write.
fn by_mark(source: &str) -> (Atomization, Vec<Transaction>) {
    let program = atomization_of(source).expect("a program");
    let mut marked: Vec<Transaction> = program.transactions().collect();
    marked.sort_by_key(|&one| program.accesses(one).iter().map(|access| access.cell).max());
    (program, marked)
}

/// Whether the thread of each comes before that of the next, and no two are the same.
fn is_chain(program: &Atomization, transactions: &[Transaction]) -> bool {
    let mut pairs = transactions.windows(2);
    pairs.all(|pair| program.precedes(pair[0].thread, pair[1].thread))
}

/// Chapter 1: two calls of `list_insert` and what their caller does before, between and after them.
fn two_inserts(insert: [&str; 2]) -> (Atomization, Vec<Transaction>) {
    let [first, second] = insert;
    by_mark(&format!(
        "shared c0, c1, c2, c3, a0, a1, b0, b1;
         write c0; spawn {{ {first} }} write c1; spawn {{ {second} }} write c2; sync; write c3;"
    ))
}

#[test]
fn figure_1_1_the_caller_has_four_threads_and_each_insert_one_beside_them() {
    let (program, marked) = two_inserts(["write a0;", "write b0;"]);
    let [c0, c1, c2, c3, a, b] = marked[..] else {
        panic!("{program}");
    };
    assert_eq!(program.threads().count(), 6);
    for chain in [[c0, c1, c2, c3].as_slice(), &[c0, a, c3], &[c0, c1, b, c3]] {
        assert!(is_chain(&program, chain));
    }
    for (one, other) in [(a, c1), (a, c2), (a, b), (b, c2)] {
        assert!(program.parallel(one.thread, other.thread));
    }
}

#[test]
fn figure_1_2_a_cut_makes_two_transactions_of_each_insert() {
    let (program, marked) = two_inserts(["write a0; cut; write a1;", "write b0; cut; write b1;"]);
    let [_, _, _, _, a0, a1, b0, b1] = marked[..] else {
        panic!("{program}");
    };
    assert_eq!(program.threads().count(), 6);
    assert!(a0.thread == a1.thread && b0.thread == b1.thread);
    assert_eq!([a0, a1, b0, b1].map(|one| one.index), [0, 1, 0, 1]);
}

/// The example program of chapters 2 and 3 with all its transactions, t0 to t9.
const WHOLE_EXAMPLE: &str = "
    shared x1, x2, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9;
    proc fun1() { write x1; write t1; cut; write t2; cut; read x2; write t3; }
    proc fun2() { write x2; write t6; }
    write t0;
    spawn fun1();
    read x1; write t4; cut; read x2; write t5;
    spawn fun2();
    write t7; cut; write x1; write t8;
    sync;
    write t9;
";

#[test]
fn figure_2_1_the_serialization_graph_has_the_printed_edges() {
    let (program, t) = by_mark(WHOLE_EXAMPLE);
    assert_eq!((program.threads().count(), t.len()), (6, 10));
    // Transaction edges.
    for (one, other) in [(1, 2), (2, 3), (4, 5), (7, 8)] {
        assert_eq!(t[one].thread, t[other].thread);
        assert_eq!(t[one].index + 1, t[other].index);
    }
    // Thread edges, and with them every path.
    for path in [[0, 1, 9].as_slice(), &[0, 4, 7, 9], &[0, 4, 6, 9]] {
        let path: Vec<Transaction> = path.iter().map(|&number| t[number]).collect();
        assert!(is_chain(&program, &path));
    }
    for (one, other) in [(1, 4), (1, 6), (1, 7), (6, 7)] {
        assert!(program.parallel(t[one].thread, t[other].thread));
    }
}

/// Figure 2.2: the order in which R_ex has the transactions.
const EXAMPLE_SCHEDULE: [usize; 10] = [0, 1, 4, 2, 5, 7, 8, 6, 3, 9];

#[test]
fn figure_2_2_is_a_schedule_of_the_example() {
    let (program, t) = by_mark(WHOLE_EXAMPLE);
    let place = |one: usize| EXAMPLE_SCHEDULE.iter().position(|&other| other == one);
    for one in 0..t.len() {
        for other in 0..t.len() {
            let same = t[one].thread == t[other].thread && t[one].index < t[other].index;
            if same || program.precedes(t[one].thread, t[other].thread) {
                assert!(place(one) < place(other), "t{one} before t{other}");
            }
        }
    }
}

#[test]
fn figure_3_1_has_the_induced_access_assignment_of_the_example_schedule() {
    let (program, t) = by_mark(WHOLE_EXAMPLE);
    let schedule = EXAMPLE_SCHEDULE.map(|number| t[number]);
    let induced = induced_access_assignment(&access_constraints(&program, &schedule));
    let whole = |number: usize| transaction(t[number].thread.0, 0);
    let printed = [(1, 4), (1, 7), (6, 1)].map(|(one, other)| (whole(one), whole(other)));
    assert_eq!(induced, AccessAssignment::from(printed));
    // fun1 comes before main, main before fun2, fun2 before fun1: nothing realizes it.
    assert!(has_cycle(&program.atomic_threads(), &induced));
}

/// Chapters 2 and 3: the example program. Of its transactions t0 to t9, those that access nothing are
/// left out: t1 and t3 are thread 1's here, t4 and t5 thread 0's, t6 thread 3's, t8 thread 2's.
const EXAMPLE: &str = "
    shared x1, x2;
    proc fun1() { write x1; cut; skip; cut; read x2; }
    proc fun2() { write x2; }
    spawn fun1();
    read x1; cut; read x2;
    spawn fun2();
    skip; cut; write x1;
    sync;
";

/// t1, t3, t4, t5, t6, t8.
fn named(program: &Atomization) -> [Transaction; 6] {
    let all: Vec<Transaction> = program.transactions().collect();
    let find = |cell: u32, is_write: bool, nth: usize| {
        let accesses = |one: &&Transaction| {
            program.accesses(**one).iter().any(|access| {
                let writes = access.kind == heddle_core::AccessKind::Write;
                access.cell == Cell(cell) && writes == is_write
            })
        };
        *all.iter()
            .filter(accesses)
            .nth(nth)
            .expect("the transaction")
    };
    let reads_of_x2 = [find(1, false, 0), find(1, false, 1)];
    let t4 = find(0, false, 0);
    let [t5, t3] = match reads_of_x2[0].thread == t4.thread {
        true => reads_of_x2,
        false => [reads_of_x2[1], reads_of_x2[0]],
    };
    let writes_of_x1 = [find(0, true, 0), find(0, true, 1)];
    let [t1, t8] = match writes_of_x1[0].thread == t3.thread {
        true => writes_of_x1,
        false => [writes_of_x1[1], writes_of_x1[0]],
    };
    [t1, t3, t4, t5, find(1, true, 0), t8]
}

#[test]
fn figures_2_3_and_2_4_have_the_printed_access_constraints_and_interactions() {
    let program = atomization_of(EXAMPLE).expect("the example");
    let [t1, t3, t4, t5, t6, t8] = named(&program);
    let schedule = [t1, t4, t5, t8, t6, t3];
    let constraints = access_constraints(&program, &schedule);
    assert_eq!(
        constraints,
        AccessAssignment::from([(t1, t4), (t1, t8), (t6, t3)])
    );
    let both = |(one, other)| [(one, other), (other, one)];
    let possible: AccessAssignment = constraints.into_iter().flat_map(both).collect();
    assert_eq!(possible_access_constraints(&program), possible);
}

#[test]
fn figures_2_5_and_3_2_show_a_race_assignment() {
    let program = atomization_of(EXAMPLE).expect("the example");
    let [t1, t3, t4, _, t6, _] = named(&program);
    let assignment = AccessAssignment::from([(t1, t4), (t6, t3)]);
    assert!(has_thread_cycle(&program, &assignment));
    assert!(!has_cycle(&program, &assignment));
    assert!(is_race_assignment(&program, &assignment));
    let verdict = verdict(&program, MOST_SCHEDULES).expect("few schedules");
    let expected = [((t1, t3), [(Cell(0), Cell(1))].into())].into();
    assert_eq!(
        verdict.root_causes, expected,
        "the only root cause is fun1's cuts"
    );
}

#[test]
fn merging_what_the_root_cause_names_mends_the_example() {
    let program = atomization_of(EXAMPLE).expect("the example");
    let [t1, t3, ..] = named(&program);
    let verdict = verdict(&program.merged(t1, t3), MOST_SCHEDULES).expect("few schedules");
    assert!(!verdict.is_race());
}

/// Chapter 1: list insert with a cut after the work, with none, and with one between the two accesses to `head`.
#[test]
fn the_three_atomizations_of_list_insert_are_told_apart() {
    let list = |body: &str| {
        let source = format!(
            "shared head, next[2], data[2];
             proc list_insert(k) {{ {body} }}
             spawn list_insert(0); spawn list_insert(1); sync; read head;"
        );
        let program = heddle_oracle::property::compiled(&source).expect("a program");
        let mut events = Vec::new();
        heddle_lang::machine::run(&program, &mut events, &mut |_| {});
        let (program, _) = heddle_oracle::transactions::of_events(&events).expect("no locks");
        verdict(&program, MOST_SCHEDULES).expect("few schedules")
    };
    let uncut = list("data[k] = k; next[k] = head; head = k + 1;");
    let after_process = list("data[k] = k; cut; next[k] = head; head = k + 1;");
    let between = list("next[k] = head; cut; data[k] = k; cut; head = k + 1;");
    assert!(!uncut.is_race() && !after_process.is_race());
    assert_eq!(
        between.root_causes.len(),
        2,
        "one for each insert: {between:?}"
    );
    for ((first, last), closings) in between.root_causes {
        assert_eq!((first.index, last.index), (0, 2));
        assert!(
            closings.iter().all(|(out, back)| out == back),
            "both through head"
        );
    }
}

fn satisfiable_iff_race(formula: &Formula) -> Holds {
    let program = formula.program().atomization();
    let found = Search::new(&program).finds_a_race();
    match found == formula.is_satisfiable() {
        true => Ok(()),
        false => Err(format!("a race: {found}, but {formula}")),
    }
}

#[test]
fn a_formula_is_satisfiable_iff_its_program_has_a_race_assignment() {
    try_cases(&formula(3, 3), cases(100), 7, satisfiable_iff_race)
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    let literal = |is_negated| Literal {
        variable: 0,
        is_negated,
    };
    let [yes, no] = [false, true].map(|is_negated| Clause([literal(is_negated); 3]));
    for clauses in [vec![yes], vec![yes, no], vec![no, no], vec![yes, yes, no]] {
        satisfiable_iff_race(&Formula { clauses }).expect("the reduction is right");
    }
}

#[test]
fn the_smallest_formulas_agree_with_all_schedules_of_their_programs() {
    let literal = |is_negated| Literal {
        variable: 0,
        is_negated,
    };
    for signs in [[false; 3], [true; 3], [false, true, false]] {
        let formula = Formula {
            clauses: vec![Clause(signs.map(literal))],
        };
        let program = formula.program().atomization();
        let verdict = verdict(&program, 50_000).expect("few schedules");
        assert_eq!(verdict.is_race(), formula.is_satisfiable(), "{formula}");
        let pairs: Vec<_> = verdict.root_causes.into_keys().collect();
        assert_eq!(pairs, Search::new(&program).root_causes());
    }
}

#[test]
fn the_formula_of_figure_4_6_is_satisfiable_and_its_cut_can_be_seen() {
    let formula = Formula::example();
    assert_eq!(
        formula.to_string(),
        "(x1 | x2 | x2) & (!x1 | x2 | !x3) & (x1 | x3 | !x3)"
    );
    let source = formula.program();
    // 2 + 2·4 + 2 edges over the variables, 3 + 2·9 + 3 over the clauses.
    assert_eq!(source.variables, 36);
    let program = source.atomization();
    assert_eq!(atomization_of(&source.to_string()).as_ref(), Ok(&program));
    let search = Search::new(&program);
    let pairs: Vec<_> = search.pairs().collect();
    assert_eq!(pairs.len(), 1, "only t_p and t_r are cut apart");
    let witness = search.witness(pairs[0]).expect("a race");
    assert!(has_thread_cycle(
        &program,
        &access_constraints(&program, &witness)
    ));
}

#[test]
fn equivalence_tells_apart_who_wrote_what_is_read() {
    let source = "shared x; finish { async { write x; } async { write x; } async { read x; } }";
    let program = atomization_of(source).expect("a program");
    let [a, b, r] = [0, 1, 2].map(|thread| transaction(thread, 0));
    let same = |one: [Transaction; 3], other: [Transaction; 3]| {
        equivalent((&program, &one), (&program, &other))
    };
    assert!(same([a, b, r], [a, b, r]));
    assert!(!same([a, b, r], [b, a, r]), "the writes are swapped");
    assert!(
        !same([a, b, r], [a, r, b]),
        "the read receives another write"
    );
    assert!(
        !same([r, a, b], [a, r, b]),
        "the initial value counts as a write"
    );
    assert_eq!(schedules(&program, 10).map(|all| all.len()), Some(6));
}
