//! What must hold of every small cut program: the lemmas of the thesis, and that what the oracle
//! reads off a run is the program.

use std::collections::{BTreeMap, BTreeSet};

use heddle_core::{Event, Location, SiteId};
use heddle_lang::machine;

use super::{Holds, compiled};
use crate::draw::Dice;
use crate::transactions::definitions::{
    AccessAssignment, Behaviour, access_constraints, equivalent, has_cycle, has_thread_cycle,
    induced_access_assignment, is_race_assignment, is_realizable, possible_access_constraints,
    topological_order,
};
use crate::transactions::{
    Atomization, CutProgram, Schedule, Search, of_events, root_causes_of, schedules, verdict,
};

/// Programs with more schedules are passed over.
pub const MOST_SCHEDULES: usize = 1500;

/// So many possible access constraints are tried in all subsets; of more, some.
const ALL_SUBSETS: usize = 8;

/// Lemma 2: schedules are equivalent iff they have the same access constraints.
pub fn lemma_2(program: &Atomization) -> Holds {
    let (mut by_behaviour, mut by_constraints) = (BTreeMap::new(), BTreeMap::new());
    for schedule in few(program) {
        let behaviour = Behaviour::of(program, &schedule);
        let constraints = access_constraints(program, &schedule);
        let one = by_behaviour
            .entry(behaviour.clone())
            .or_insert(constraints.clone());
        let other = by_constraints
            .entry(constraints.clone())
            .or_insert(behaviour.clone());
        require(
            *one == constraints && *other == behaviour,
            "equivalence and access constraints differ",
            &schedule,
        )?;
    }
    Ok(())
}

/// Lemma 3: an access assignment is realizable iff its assignment graph has no cycle; then a topological
/// sort realizes it.
pub fn lemma_3(program: &Atomization) -> Holds {
    let all = few(program);
    if all.is_empty() {
        return Ok(());
    }
    for assignment in assignments(program) {
        let realizable = is_realizable(program, &all, &assignment);
        require(
            realizable != has_cycle(program, &assignment),
            "a cycle and being realizable go together",
            &assignment,
        )?;
        let sorted = topological_order(program, &assignment);
        require(
            sorted.is_none_or(|sorted| all.contains(&sorted)),
            "the topological order is no schedule",
            &assignment,
        )?;
    }
    Ok(())
}

/// Theorem 4: every schedule of the atomic-threads atomization is equivalent to one of the cut program.
pub fn theorem_4(program: &Atomization) -> Holds {
    let uncut = program.atomic_threads();
    let all = few(program);
    for schedule in few(&uncut) {
        let threads = schedule.iter().map(|whole| whole.thread);
        let divided: Schedule = threads.flat_map(|thread| program.of(thread)).collect();
        require(
            equivalent((&uncut, &schedule), (program, &divided)),
            "dividing the threads changes the behaviour",
            &schedule,
        )?;
        require(
            all.is_empty() || all.contains(&divided),
            "dividing the threads gives no schedule",
            &schedule,
        )?;
    }
    Ok(())
}

/// Lemmas 5 and 6: a schedule is equivalent to some schedule of the atomic-threads atomization iff the induced
/// access assignment is realizable, and iff its schedule graph has no thread cycle. Theorem 15, for each
/// schedule: iff it shows no root cause.
pub fn lemmas_5_and_6(program: &Atomization) -> Holds {
    let uncut = program.atomic_threads();
    let serial_schedules = few(&uncut);
    let serial = serial_schedules.iter();
    let serial: BTreeSet<Behaviour> = serial.map(|one| Behaviour::of(&uncut, one)).collect();
    let mut known = BTreeMap::new();
    for schedule in few(program) {
        let is_serial = serial.contains(&Behaviour::of(program, &schedule));
        let constraints = access_constraints(program, &schedule);
        let induced = induced_access_assignment(&constraints);
        let realizable = known.entry(induced);
        let realizable = realizable
            .or_insert_with_key(|induced| is_realizable(&uncut, &serial_schedules, induced));
        require(is_serial == *realizable, "Lemma 5", &schedule)?;
        let has_cycle = has_thread_cycle(program, &constraints);
        require(is_serial != has_cycle, "Lemma 6", &schedule)?;
        let shows_none = root_causes_of(program, &constraints).is_empty();
        require(is_serial == shows_none, "Theorem 15", &schedule)?;
    }
    Ok(())
}

/// Theorem 7: there is a data race iff there is a race assignment. The root causes found by trying all
/// schedules are those found by trying all thread cycles.
pub fn theorem_7(program: &Atomization) -> Holds {
    let Some(verdict) = verdict(program, MOST_SCHEDULES) else {
        return Ok(());
    };
    if possible_access_constraints(program).len() <= ALL_SUBSETS {
        let mut all = assignments(program).into_iter();
        let exists = all.any(|assignment| is_race_assignment(program, &assignment));
        require(exists == verdict.is_race(), "Theorem 7", program)?;
    }
    let search = Search::new(program);
    let found = search.root_causes();
    let expected: Vec<_> = verdict.root_causes.keys().copied().collect();
    require(
        found == expected,
        &format!("all schedules show {expected:?}, all cycles {found:?}"),
        program,
    )?;
    require(
        verdict.is_race() == search.finds_a_race() && verdict.is_race() != expected.is_empty(),
        "a race without a root cause",
        program,
    )
}

/// Theorem 14 and 15, for the approximation: what some schedule shows is a thread cycle of the interaction graph.
pub fn theorem_15(program: &Atomization) -> Holds {
    let Some(verdict) = verdict(program, MOST_SCHEDULES) else {
        return Ok(());
    };
    let possible = root_causes_of(program, &possible_access_constraints(program));
    let mut seen = verdict.root_causes.iter();
    require(
        seen.all(|(pair, closings)| {
            let possible = possible.get(pair);
            possible.is_some_and(|possible| closings.is_subset(possible))
        }),
        "a root cause that the interaction graph does not have",
        program,
    )
}

/// The run of the program, read by the oracle, is the program as its constructs say.
pub fn run_is_the_program(program: &CutProgram) -> Holds {
    let source = program.to_string();
    let read = atomization_of(&source).map_err(|wrong| format!("{wrong}\n\n{source}"))?;
    let built = program.atomization();
    require(
        read == built,
        &format!("{read:?}\nis not\n{built:?}"),
        &source,
    )
}

/// The model, printed as a program and run, is read as the same model.
pub fn print_is_the_model(program: &Atomization) -> Holds {
    let source = program.to_string();
    let read = atomization_of(&source).map_err(|wrong| format!("{wrong}\n\n{source}"))?;
    let same = read.without_empty() == program.without_empty();
    require(same, &format!("{read:?}\nis not\n{program:?}"), &source)
}

/// What the oracle reads off a run of this source, with cells numbered as the variables are and
/// without source positions.
pub fn atomization_of(source: &str) -> Result<Atomization, String> {
    let program = compiled(source)?;
    let mut events = Vec::new();
    machine::run(&program, &mut events, &mut |_| {});
    let (read, locations) = of_events(&events).map_err(|why| format!("{why:?}"))?;
    let variables: Vec<Location> = events
        .iter()
        .filter_map(|event| match event {
            Event::Declare { extent, .. } => Some(extent.start),
            _ => None,
        })
        .collect();
    let number = |cell: u32| {
        let location = locations[cell as usize];
        let place = variables.iter().position(|start| *start == location);
        place.expect("a declared variable") as u32
    };
    Ok(read.renamed(|access| {
        access.cell.0 = number(access.cell.0);
        access.site = SiteId::new(0);
    }))
}

/// All schedules, or none if there are too many.
fn few(program: &Atomization) -> Vec<Schedule> {
    schedules(program, MOST_SCHEDULES).unwrap_or_default()
}

/// Access assignments of the program: all subsets of what is possible, or some.
fn assignments(program: &Atomization) -> Vec<AccessAssignment> {
    let possible: Vec<_> = possible_access_constraints(program).into_iter().collect();
    if possible.len() <= ALL_SUBSETS {
        let all = 0..1u32 << possible.len();
        let subset = |mask: u32| {
            let chosen = possible.iter().enumerate();
            let chosen = chosen.filter(|(n, _)| mask >> n & 1 == 1);
            chosen.map(|(_, &edge)| edge).collect()
        };
        return all.map(subset).collect();
    }
    let mut dice = Dice::new(possible.len() as u64);
    let mut some = || {
        possible
            .iter()
            .filter(|_| dice.once_in(5))
            .copied()
            .collect()
    };
    (0..50).map(|_| some()).collect()
}

fn require(holds: bool, wrong: &str, of: &(impl std::fmt::Debug + ?Sized)) -> Holds {
    match holds {
        true => Ok(()),
        false => Err(format!("{wrong}: {of:?}")),
    }
}
