//! Every reduction finds what brute force finds, and nothing else.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use heddle_explore::{Observer, Reduction, Settings, Summary, Verdict, explore};
use heddle_lang::{Program, TaskProgram, TaskRun};
use heddle_oracle::interleave::{Flavour, Outcomes, Tree, enumerate, tree};
use heddle_oracle::{cases, try_cases};

/// States that brute force may visit; larger programs are left out.
const MOST_STATES: usize = 20_000;
/// Schedules that `none` may run.
const MOST_SCHEDULES: u64 = 5_000;

#[derive(Default)]
struct Finals(BTreeSet<Vec<i64>>);

impl Observer<TaskRun<'_>> for Finals {
    fn end(&mut self, run: &TaskRun<'_>) {
        if run.has_ended() {
            self.0.insert(run.values().to_vec());
        }
    }
}

fn explored(program: &Program, reduction: Reduction) -> (Outcomes, Summary) {
    let runs = TaskProgram::new(program);
    let settings = Settings {
        reduction,
        max_schedules: Some(MOST_SCHEDULES),
        ..Settings::default()
    };
    let mut finals = Finals::default();
    let summary = explore(&runs, &settings, &AtomicBool::new(false), &mut finals);
    let mut outcomes = Outcomes {
        finals: finals.0,
        ..Outcomes::default()
    };
    for found in &summary.found {
        match &found.verdict {
            Verdict::Race(race) => {
                outcomes.races.insert(race.location);
            }
            Verdict::Assertion { site } => {
                let line = program.legend.site(*site).unwrap().line;
                outcomes.assertions.insert(line);
            }
            Verdict::Deadlock { .. } => outcomes.deadlock = true,
            Verdict::Fault { .. } => panic!("a tidy program does nothing undefined"),
        }
    }
    (outcomes, summary)
}

fn agrees(tree: &Tree) -> Result<(), String> {
    let text = tree.to_string();
    let program =
        heddle_lang::compile("random.task", &text).map_err(|wrong| format!("{wrong:?}\n{text}"))?;
    let Some(truth) = enumerate(tree, MOST_STATES) else {
        return Ok(());
    };
    let (none, summary) = explored(&program, Reduction::None);
    if !summary.is_complete() {
        return Ok(());
    }
    let differ = |what: &str, a: &Outcomes, b: &Outcomes| format!("{what}\n{a:?}\n{b:?}\n\n{text}");
    for reduction in [Reduction::Dpor, Reduction::States] {
        let (reduced, _) = explored(&program, reduction);
        if reduced != none {
            return Err(differ(&format!("{reduction:?} and none"), &reduced, &none));
        }
    }
    match truth.races.is_empty() {
        // Lemma 4.1 speaks of programs without races: in others, not all values are tried, and a
        // race may hang on the outcome of another one.
        false => {
            let fewer = none.assertions.is_subset(&truth.assertions)
                && none.finals.is_subset(&truth.finals)
                && none.deadlock <= truth.deadlock;
            if none.races.is_disjoint(&truth.races) || !fewer {
                return Err(differ("a racy program", &none, &truth));
            }
        }
        true if none != truth => return Err(differ("none and brute force", &none, &truth)),
        true => {}
    }
    Ok(())
}

fn all_agree(flavour: Flavour, seed: u64) {
    let holds = try_cases(&tree(flavour), cases(300), seed, agrees);
    holds.unwrap_or_else(|wrong| panic!("{flavour:?}: {wrong}"));
}

#[test]
fn with_isolated() {
    all_agree(Flavour::Isolated, 1);
}

#[test]
fn with_locks() {
    all_agree(Flavour::Locks, 2);
}

#[test]
fn with_futures_regions_and_events() {
    all_agree(Flavour::All, 3);
}

/// All reductions find the same in this program; what `none` finds.
fn alike(text: &str) -> Outcomes {
    let program = heddle_lang::compile("regression.task", text).expect("a program");
    let (none, summary) = explored(&program, Reduction::None);
    assert!(summary.is_complete());
    for reduction in [Reduction::Dpor, Reduction::States] {
        assert_eq!(explored(&program, reduction).0, none, "{reduction:?}");
    }
    none
}

/// The main task gets the future in the transition in which it creates the second task: executed before the
/// future's section it would create the task all the same.
#[test]
fn a_task_is_created_before_its_creator_waits() {
    let outcomes = alike(
        "shared x; lock M;
         future t { with M { x = 2; } return 0; }
         isolated { }
         async { with M { x = x + 1; } }
         let a = get(t);",
    );
    assert_eq!(outcomes.finals, BTreeSet::from([vec![2], vec![3]]));
}

#[test]
fn a_race_with_a_task_that_is_created_before_its_creator_waits() {
    let outcomes = alike(
        "shared z; lock M; region s;
         post s { read z; with M { read z; } }
         isolated { }
         post s { with M { z = 2; } }
         await s;",
    );
    assert_eq!(outcomes.races, BTreeSet::from([0]));
}
