//! What must hold of the analysis of transactions: it finds what trying all schedules shows, and
//! nothing else.

use std::collections::BTreeSet;

use heddle_core::{
    Certainty, Decision, Features, Finding, Listener, Location, Run, Separation, SiteId,
};
use heddle_lang::machine::{Code, Plan};
use heddle_transactions::{Checked, Exact, Options, Witness, check, settle};

use super::{Holds, compiled};
use crate::transactions::definitions::{conflicts, possible_access_constraints};
use crate::transactions::{Atomization, Pair, Transaction, Verdict, closings, of_events, verdict};

/// Programs with more schedules are passed over.
const MOST_SCHEDULES: usize = 5000;

/// A program that is run for real.
struct Live {
    code: Code,
    features: Features,
}

impl Run for Live {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

/// What the oracle knows of a program.
struct Known {
    program: Atomization,
    locations: Vec<Location>,
    verdict: Verdict,
}

/// Exact analysis of this source is what trying all schedules shows; the approximation misses nothing of
/// it; every confirmed finding is shown by running the program under its schedule.
pub fn analysis_agrees(source: &str) -> Holds {
    let holds = super::caught(|| agrees(source));
    holds.map_err(|wrong| format!("{wrong}\n\n{source}"))
}

fn agrees(source: &str) -> Holds {
    let program = compiled(source)?;
    let mut live = Live {
        code: Code::new(&program),
        features: program.features,
    };
    live.features.cuts = true;
    let mut events = Vec::new();
    live.run(&mut events);
    let (program, locations) = of_events(&events).map_err(|why| format!("{why:?}"))?;
    let Some(verdict) = verdict(&program, MOST_SCHEDULES) else {
        return Ok(());
    };
    let known = Known {
        program,
        locations,
        verdict,
    };
    let mut exact = analysed(&mut live, Exact::Always)?;
    known.exact_is_right(&exact)?;
    replays_show_it(&live, &mut exact)?;
    known.nothing_is_missed(&analysed(&mut live, Exact::Never)?)?;
    known.nothing_is_missed(&analysed(&mut live, Exact::Quick)?)
}

/// The analysis of a program that may branch otherwise under another schedule: what it calls certain is shown by
/// some run, what it calls possible by the accesses of the first run, and nothing that these show is missed.
pub fn branches_agree(source: &str) -> Holds {
    let holds = super::caught(|| judged_by_runs(source));
    holds.map_err(|wrong| format!("{wrong}\n\n{source}"))
}

fn judged_by_runs(source: &str) -> Holds {
    let program = compiled(source)?;
    let Some(closings) = closings(&program, MOST_SCHEDULES) else {
        return Ok(());
    };
    let mut live = Live {
        code: Code::new(&program),
        features: program.features,
    };
    live.features.cuts = true;
    let mut checked = analysed(&mut live, Exact::Always)?;
    settle(&mut checked, |witness, log| {
        live.code.run_planned(&plan(witness), log)
    });
    for one in separations(&checked) {
        let places = one.places.iter().map(|place| Location(place.location));
        match closings.get(&places.collect()) {
            None => return Err(format!("no schedule has {one:?}")),
            Some(&known) if one.certainty > known => return Err(format!("no run shows {one:?}")),
            Some(_) => {}
        }
    }
    match closings.is_empty() == separations(&checked).next().is_none() {
        true => Ok(()),
        false => Err(format!("all are missed: {closings:?}")),
    }
}

/// Whether the analysis confirms that a cut of this source can be seen.
pub fn is_confirmed(source: &str) -> Result<bool, String> {
    let program = compiled(source)?;
    let mut live = Live {
        code: Code::new(&program),
        features: program.features,
    };
    live.features.cuts = true;
    let mut checked = analysed(&mut live, Exact::Always)?;
    replays_show_it(&live, &mut checked)?;
    let mut findings = separations(&checked);
    Ok(findings.any(|one| one.certainty == Certainty::Certain))
}

fn analysed(live: &mut Live, exact: Exact) -> Result<Checked, String> {
    let options = Options {
        exact,
        count: true,
        ..Options::default()
    };
    check(live, &options).map_err(|rejected| format!("rejected: {rejected:?}"))
}

fn separations(checked: &Checked) -> impl Iterator<Item = &Separation> {
    let findings = checked.outcome.findings.iter();
    findings.filter_map(|finding| match finding {
        Finding::Transaction(separation) => Some(&**separation),
        _ => None,
    })
}

/// The programs tried have no branches, so every schedule makes the same accesses.
fn replays_show_it(live: &Live, checked: &mut Checked) -> Holds {
    settle(checked, |witness, log| {
        live.code.run_planned(&plan(witness), log)
    });
    let mut all = separations(checked);
    match all.find(|one| one.decision != Decision::Replayed) {
        None => Ok(()),
        Some(one) => Err(format!("the run under the schedule shows nothing: {one:?}")),
    }
}

fn plan(witness: &Witness) -> Plan {
    let tasks = witness.tasks.iter();
    Plan {
        tasks: tasks.map(|(&key, &task)| (key, task)).collect(),
        turns: witness.turns.clone(),
    }
}

impl Known {
    fn exact_is_right(&self, checked: &Checked) -> Holds {
        for separation in separations(checked) {
            if separation.decision != Decision::Confirmed {
                return Err(format!("not decided: {separation:?}"));
            }
            if !self.shows(separation) {
                return Err(format!("no schedule shows {separation:?}"));
            }
        }
        let counts = checked.outcome.transactions.unwrap_or_default();
        let transactions = self.program.transactions().count() as u64;
        let interactions = self.interactions();
        if (counts.transactions, counts.interactions) != (transactions, interactions) {
            return Err(format!(
                "{counts:?}, but {transactions} transactions, {interactions} interactions"
            ));
        }
        self.nothing_is_missed(checked)
    }

    /// How many access interactions there are, counted once for each location.
    fn interactions(&self) -> u64 {
        let both_ways = possible_access_constraints(&self.program);
        let locations = both_ways
            .iter()
            .map(|&(one, other)| conflicts(&self.program, one, other).len() as u64);
        locations.sum::<u64>() / 2
    }

    /// Each root cause is named by a finding at positions of the two transactions, or of two that
    /// lie between them.
    fn nothing_is_missed(&self, checked: &Checked) -> Holds {
        for &pair in self.verdict.root_causes.keys() {
            let mut findings = separations(checked);
            if !findings.any(|one| self.names_inside(one, pair)) {
                return Err(format!("{pair:?} is missed: {:?}", self.verdict));
            }
        }
        Ok(())
    }

    fn names_inside(&self, separation: &Separation, (first, second): Pair) -> bool {
        let all = self.program.of(first.thread);
        let inside = all.filter(|one| (first.index..=second.index).contains(&one.index));
        let inside: Vec<Transaction> = inside.collect();
        let pairs = inside
            .iter()
            .flat_map(|&one| inside.iter().map(move |&other| (one, other)));
        let mut pairs = pairs.filter(|(one, other)| one.index < other.index);
        pairs.any(|pair| self.names(separation, pair))
    }

    fn names(&self, separation: &Separation, (first, second): Pair) -> bool {
        let [start, end] = &separation.parted;
        self.sites(first).contains(&start.site) && self.sites(second).contains(&end.site)
    }

    /// Some schedule has such a cycle, closed by accesses to these locations.
    fn shows(&self, separation: &Separation) -> bool {
        let places: BTreeSet<u64> = separation.places.iter().map(|one| one.location).collect();
        let mut causes = self.verdict.root_causes.iter();
        causes.any(|(&pair, closings)| {
            let location = |cell: crate::transactions::Cell| self.locations[cell.0 as usize].0;
            let mut closings = closings.iter();
            let closes = closings
                .any(|&(out, back)| BTreeSet::from([location(out), location(back)]) == places);
            closes && self.names(separation, pair)
        })
    }

    fn sites(&self, transaction: Transaction) -> BTreeSet<SiteId> {
        let accesses = self.program.accesses(transaction).iter();
        accesses.map(|access| access.site).collect()
    }
}
