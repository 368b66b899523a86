//! Nothing that one run calls certain is refuted by the schedules of the program: on random
//! programs whose branches depend on values read in critical sections, every location with a
//! certain race has one by brute force.

use std::collections::BTreeSet;
use std::time::Duration;

use heddle_core::{Certainty, Features, Finding, Listener, OrderChoice, Run};
use heddle_lang::machine::Code;
use heddle_oracle::interleave::{Flavour, Tree, enumerate, tree};
use heddle_oracle::{cases, try_cases};

/// States that brute force may visit; larger programs are left out.
const MOST_STATES: usize = 20_000;

struct Once {
    code: Code,
    features: Features,
}

impl Run for Once {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

fn certain(text: &str) -> BTreeSet<u64> {
    let program = heddle_lang::compile("random.task", text).expect("a tidy program");
    let mut run = Once {
        code: Code::new(&program),
        features: program.features,
    };
    let outcome = heddle_check::check(&mut run, OrderChoice::Auto).expect("an order that can");
    let races = outcome.findings.iter().filter_map(|finding| match finding {
        Finding::Race {
            certainty: Certainty::Certain,
            place,
            ..
        } => Some(place.location),
        _ => None,
    });
    races.collect()
}

fn is_confirmed(tree: &Tree) -> Result<(), String> {
    let text = tree.to_string();
    let Some(truth) = enumerate(tree, MOST_STATES) else {
        return Ok(());
    };
    let certain = certain(&text);
    match certain.is_subset(&truth.races) {
        true => Ok(()),
        false => Err(format!(
            "certain {certain:?}, real {:?}\n\n{text}",
            truth.races
        )),
    }
}

fn all_confirmed(flavour: Flavour, seed: u64) {
    let holds = try_cases(&tree(flavour), cases(300), seed, is_confirmed);
    holds.unwrap_or_else(|wrong| panic!("{flavour:?}: {wrong}"));
}

#[test]
fn certain_races_with_isolated_are_real() {
    all_confirmed(Flavour::Isolated, 1);
}

#[test]
fn certain_races_with_locks_are_real() {
    all_confirmed(Flavour::Locks, 2);
}

#[test]
fn certain_races_with_futures_regions_and_events_are_real() {
    all_confirmed(Flavour::All, 3);
}

/// What this thread has computed so far.
fn computed() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    let nanoseconds = text.split_whitespace().next().expect("the first number");
    Duration::from_nanos(nanoseconds.parse().expect("a number"))
}

/// What a read in a race has seen is asked for with every later race with the same strand.
#[test]
fn futures_that_read_in_a_race_cost_in_proportion_to_their_number() {
    let time_of = |futures: u32| {
        let program = format!(
            "shared x, y;
             finish {{
               future w {{ x = 1; return 1; }}
               for i in 0..{futures} {{ future r {{ y = x; return 1; }} }}
             }}"
        );
        let times = (0..3).map(|_| {
            let start = computed();
            assert!(!certain(&program).is_empty(), "it races");
            computed() - start
        });
        times.min().expect("some").as_secs_f64()
    };
    let ratio = time_of(32_000) / time_of(4_000);
    assert!(ratio < 24.0, "eight times the futures: {ratio:.1}");
}
