//! From what a search found to findings: the schedule is run again, judged by the engine, and told step by step.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use heddle_core::{
    Awaited, Certainty, Features, Finding, Legend, Location, LockId, OrderChoice, Outcome, Place,
};
use heddle_explore::{
    Diverged, Found, Program, Replay, Schedule, Summary, Until, Verdict, minimise, replay,
};
use heddle_report::{Confirmed, Step};

use super::narrative::{self, Places};

/// Steps of a schedule that a finding lists; a replay lists all.
const STEPS_LISTED: usize = 12;
/// Choices of the first schedule beyond which it is not looked at by itself.
const FIRST_CHOICES: usize = 1_000;
/// How long one schedule is made shorter.
const MINIMISE: Duration = Duration::from_millis(1500);
/// Schedules that are made shorter; the others are shown as they were found.
const MINIMISED: usize = 20;

/// A program whose schedules are run again. See the module's documentation.
pub(super) struct Judge<'a, P: Program> {
    pub runs: &'a P,
    pub features: Features,
    pub legend: &'a Legend,
    pub value: for<'p> fn(&P::Run<'p>, Location) -> Option<i64>,
    /// The command that replays a schedule.
    pub command: &'a dyn Fn(&Schedule) -> String,
    pub stop: &'a AtomicBool,
}

impl<P: Program> Judge<'_, P> {
    /// Every finding with the run that shows it, judged by the engine.
    pub fn confirmed(&self, summary: &Summary) -> Vec<Confirmed> {
        let mut confirmed = Vec::new();
        for (row, found) in summary.found.iter().enumerate() {
            let found = match row < MINIMISED {
                true => self.shortest(found),
                false => found.clone(),
            };
            let (replay, mut steps) = self.play(&found.schedule, Until::shows(&found.verdict));
            let Ok(mut replay) = replay else {
                continue;
            };
            if let Some(outcome) = outcome_of(&mut replay, &found.verdict) {
                steps.truncate(last_step(&found, steps.len()));
                confirmed.push(Confirmed {
                    outcome,
                    replay: self.command(&found.schedule),
                    steps: listed(steps),
                });
            }
        }
        confirmed
    }

    fn shortest(&self, found: &Found) -> Found {
        let until = Until::shows(&found.verdict);
        let (Ok(first), _) = self.play(&found.schedule, until) else {
            return found.clone();
        };
        minimise(self.runs, found, first.preemptions, MINIMISE, self.stop)
    }

    /// Runs the schedule, and puts its steps into words.
    pub fn play(
        &self,
        schedule: &Schedule,
        until: Until<'_>,
    ) -> (Result<Replay, Diverged>, Vec<Step>) {
        let mut places = Places::default();
        let mut steps = Vec::new();
        let replay = replay(self.runs, schedule, self.features, until, |played| {
            for &event in played.events {
                places.on(event);
            }
            if let Some(choice) = played.choice {
                let value = |at: Location| (self.value)(played.run, at);
                steps.push(narrative::step(
                    choice,
                    played.events,
                    &places,
                    value,
                    self.legend,
                ));
            }
        });
        (replay, steps)
    }

    /// How to see a schedule again.
    pub fn command(&self, schedule: &Schedule) -> heddle_report::Replay {
        heddle_report::Replay {
            schedule: Some(schedule.to_string()),
            command: (self.command)(schedule),
        }
    }

    /// What the first schedule tells by itself, if it comes to its end.
    pub fn first(&self) -> Option<Outcome> {
        let first = Schedule::default();
        let until = Until {
            most: FIRST_CHOICES,
            shown: None,
        };
        let run = replay(self.runs, &first, self.features, until, |_| {}).ok()?;
        run.is_over().then(|| graph(&mut run.plain()))
    }

    /// In a program with races, values that races decide are not all tried; what one run called
    /// certain is certain all the same.
    pub fn add_certain(&self, found: &mut Vec<Confirmed>, checked: &Outcome) {
        for finding in &checked.findings {
            let Finding::Race {
                certainty: Certainty::Certain,
                place,
                ..
            } = finding
            else {
                continue;
            };
            if is_raced(found, place) {
                continue;
            }
            found.push(Confirmed {
                outcome: Outcome {
                    findings: vec![finding.clone()],
                    fault: None,
                    ..checked.clone()
                },
                replay: self.command(&Schedule::default()),
                steps: Vec::new(),
            });
        }
    }

    /// The possible findings of one run that no schedule shows.
    pub fn refuted(&self, checked: &Outcome, found: &[Confirmed]) -> Vec<String> {
        let mut refuted = Vec::new();
        for finding in &checked.findings {
            let what = match finding {
                Finding::Race {
                    certainty: Certainty::Possible,
                    place,
                    ..
                } if !is_raced(found, place) => format!("the race on {}", self.place(place)),
                Finding::PossibleDeadlock { chain } => {
                    let mut locks: Vec<LockId> = chain
                        .iter()
                        .flat_map(|link| [held(link.awaited), link.holds.map(|(lock, _)| lock)])
                        .flatten()
                        .collect();
                    locks.sort_unstable();
                    locks.dedup();
                    if has_deadlock(found, &locks) {
                        continue;
                    }
                    match locks.is_empty() {
                        true => "the deadlock".to_owned(),
                        false => format!("the deadlock on {}", self.locks(checked, &locks)),
                    }
                }
                _ => continue,
            };
            let text = format!("{what} that heddle check calls possible");
            if !refuted.contains(&text) {
                refuted.push(text);
            }
        }
        refuted
    }

    fn place(&self, place: &Place) -> String {
        let name = place.name.and_then(|name| self.legend.name(name));
        let name = name.unwrap_or("?");
        match place.index {
            Some(index) => format!("{name}[{index}]"),
            None => name.to_owned(),
        }
    }

    fn locks(&self, checked: &Outcome, locks: &[LockId]) -> String {
        let name = |lock: &LockId| {
            let row = lock.index().checked_sub(1);
            let name = row.and_then(|row| checked.locks.get(row));
            let name = name.and_then(|&name| self.legend.name(name));
            name.unwrap_or("isolated").to_owned()
        };
        locks.iter().map(name).collect::<Vec<_>>().join(" and ")
    }
}

/// Whether a race on this place was found.
fn is_raced(found: &[Confirmed], place: &Place) -> bool {
    let mut known = found.iter().flat_map(|found| &found.outcome.findings);
    known.any(|other| match other {
        Finding::Race { place: at, .. } => (at.name, at.index) == (place.name, place.index),
        _ => false,
    })
}

fn held(awaited: Awaited) -> Option<LockId> {
    match awaited {
        Awaited::Lock(lock) => Some(lock),
        _ => None,
    }
}

/// Whether a deadlock was found in which somebody waits for one of these locks; for none of them, any.
fn has_deadlock(found: &[Confirmed], locks: &[LockId]) -> bool {
    let mut known = found.iter().flat_map(|found| &found.outcome.findings);
    known.any(|other| match other {
        Finding::Deadlock { waits, .. } => {
            let mut awaited = waits.iter().filter_map(|wait| held(wait.awaited));
            locks.is_empty() || awaited.any(|lock| locks.contains(&lock))
        }
        _ => false,
    })
}

/// How many steps there are up to the one that shows the finding.
fn last_step(found: &Found, steps: usize) -> usize {
    match found.verdict {
        Verdict::Deadlock { .. } => steps,
        _ => steps.min(found.schedule.len().max(1) + 2),
    }
}

fn listed(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() > STEPS_LISTED {
        let more = steps.len() - STEPS_LISTED;
        steps.truncate(STEPS_LISTED);
        if let Some(last) = steps.last_mut() {
            last.text += &format!("; {more} more steps with --replay");
        }
    }
    steps
}

/// What the engine says of a run: nothing if there is no room for it.
pub(super) fn graph<R: heddle_core::Run>(run: &mut R) -> Outcome {
    let outcome = heddle_check::check(run, OrderChoice::Graph);
    outcome.unwrap_or_else(|_| heddle_check::unchecked(run))
}

/// The outcome of the run with nothing in it but the verdict; nothing if the engine does not see it.
fn outcome_of(replay: &mut Replay, verdict: &Verdict) -> Option<Outcome> {
    let mut outcome = graph(replay);
    let findings = std::mem::take(&mut outcome.findings);
    let fault = outcome.fault.take();
    match verdict {
        Verdict::Fault { site, message } => {
            outcome.fault = fault.or(Some((*site, *message)));
            return Some(outcome);
        }
        Verdict::Race(race) => {
            let is_there = |finding: &&Finding| match finding {
                Finding::Race { place, .. } => {
                    replay.location(Location(place.location)) == race.location
                }
                _ => false,
            };
            let same_sites = |finding: &&Finding| match finding {
                Finding::Race { accesses, .. } => {
                    let sites = [accesses[0].site, accesses[1].site];
                    sites.contains(&race.sites[0]) && sites.contains(&race.sites[1])
                }
                _ => false,
            };
            let there: Vec<&Finding> = findings.iter().filter(is_there).collect();
            let best = there.iter().copied().find(|finding| same_sites(finding));
            outcome
                .findings
                .extend(best.or(there.first().copied()).cloned());
        }
        Verdict::Assertion { site } => {
            let is_it = |finding: &&Finding| matches!(finding, Finding::Assertion { site: at, .. } if at == site);
            outcome
                .findings
                .extend(findings.iter().find(is_it).cloned());
        }
        Verdict::Deadlock { .. } => {
            let is_it = |finding: &&Finding| matches!(finding, Finding::Deadlock { .. });
            outcome
                .findings
                .extend(findings.iter().find(is_it).cloned());
        }
    }
    (!outcome.findings.is_empty()).then_some(outcome)
}
