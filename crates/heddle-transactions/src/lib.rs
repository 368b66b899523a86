//! Transactions everywhere: finds where a cut can be seen, from one run.
//!
//! In the transactions-everywhere methodology every access lies in a transaction; a strand is cut into
//! transactions by the programmer or by a rule of the compiler. Left uncut, every strand is atomic, and
//! that atomization is taken as right. A cut can be seen if some schedule of the cut program is not
//! equivalent to any schedule of uncut strands (Kai Huang: *Data-Race Detection in Transactions-Everywhere
//! Parallel Programming*, MIT, 2003; Definition 13).
//!
//! The thesis's parts: A records strands, transactions and accesses ([`log`]); B finds who interacts
//! ([`interactions`]); C searches for thread cycles ([`search`]). The problem is NP-complete, and the printed
//! algorithm stops at cycles that may be false alarms. Here each is decided (`decide`): by a simple schedule,
//! or by a SAT solver ([`exact`]). What is confirmed comes with a schedule that can be run ([`Witness`]).
//!
//! # Guarantee
//! Of the schedules in which every strand makes the accesses it made in this run: if one is not
//! serializable, something is reported (Theorem 15); and everything reported as certain has a schedule
//! that shows it. Where nothing interacts, no schedule makes other accesses.
//!
//! # Locks
//! A critical section within one transaction changes nothing, since transactions are atomic. A lock that is
//! held where a transaction ends, at a cut or at a task operation, is refused ([`Rejected`]).

mod allowed;
pub mod cycle;
mod decide;
pub mod exact;
mod finding;
mod goals;
pub mod graph;
pub mod interactions;
pub mod judge;
pub mod log;
mod marks;
pub mod memory;
pub mod order;
pub mod search;
mod witness;

pub use decide::Exact;
pub use log::{EndedBy, Rejected};
pub use witness::Witness;

use heddle_core::{
    Account, Certainty, Decision, Event, Finding, Guarantee, Listener, OrderChoice, Outcome, Place,
    Run, SiteId, TransactionCounts,
};
use rustc_hash::{FxHashMap, FxHashSet};

use decide::Decider;
use interactions::Interactions;
use log::Log;
use order::Order;
use search::Search;

/// How to check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether cycles are decided exactly.
    pub exact: Exact,
    /// Whether interactions are counted, which can take long.
    pub count: bool,
    /// The sites of the cuts that count; all if nothing is said.
    pub cuts: Option<Vec<SiteId>>,
    /// Where findings start and end that do no harm. They are found all the same, but span no other pair.
    pub harmless: FxHashSet<[SiteId; 2]>,
}

/// What was found, and for each finding about transactions how to run the program so that it shows.
#[derive(Debug)]
pub struct Checked {
    /// The outcome of the check.
    pub outcome: Outcome,
    /// For the findings about transactions, in their sequence.
    pub witnesses: Vec<Witness>,
    /// How many events the run had.
    pub events: u64,
}

/// Runs the program once and reports every pair of transactions whose separation can be seen.
pub fn check<R: Run>(run: &mut R, options: &Options) -> Result<Checked, Rejected> {
    let features = run.features();
    let mut log = match &options.cuts {
        None => Log::new(!features.is_structured()),
        Some(sites) => Log::choosing(!features.is_structured(), chosen(sites)),
    };
    let mut base = Account::new();
    let mut counter = Counter(0);
    // Dynamic: a front end compiled once more would cost more than the calls do.
    let mut listeners = (&mut counter, (&mut base, &mut log));
    let mut listener: &mut dyn Listener = &mut listeners;
    run.run(&mut listener);
    if let Some(rejected) = log.forbidden {
        return Err(rejected);
    }
    let is_blind = log.tree.is_blind();
    let mut judged = judge_log(log, options);
    let keeps = judged.has_interactions || features.excludes() || features.choices;
    let clean = match keeps {
        _ if is_blind => Guarantee::NotChecked,
        true => Guarantee::KeepingAccesses,
        false => Guarantee::AllSchedules,
    };
    let mut outcome = base.outcome(Vec::new(), clean);
    outcome.orders.push(match features.is_structured() {
        true => OrderChoice::Tree,
        false => OrderChoice::Graph,
    });
    outcome.transactions = Some(judged.counts);
    outcome.counts.strands = judged.strands;
    judged.findings.append(&mut outcome.findings);
    outcome.findings = judged.findings;
    Ok(Checked {
        outcome,
        witnesses: judged.witnesses,
        events: counter.0,
    })
}

/// Findings at one pair of source positions that differ in their locations alone; more are only counted.
/// A loop over an array can have a million.
const MOST_LOCATIONS: usize = 100;

struct Judged {
    findings: Vec<Finding>,
    witnesses: Vec<Witness>,
    counts: TransactionCounts,
    has_interactions: bool,
    strands: u64,
}

fn judge_log(mut log: Log, options: &Options) -> Judged {
    let tree = std::mem::replace(&mut log.tree, order::Tree::new(false));
    let mut order = Order::new(tree, &log.strands);
    let interactions = Interactions::new(&log, &mut order);
    log.cuts.sort_by_key(|&(task, segment, _)| (task, segment));
    let mut decider = Decider::new(options, &log, &interactions);
    if !interactions.is_empty() {
        Search::new(&log, &interactions).run(&mut order, &mut decider);
    }
    let mut counts = decider.counts;
    counts.transactions = log.transactions.len() as u64;
    if options.count {
        counts.interactions = interactions.count(&mut order, TransactionCounts::MOST_INTERACTIONS);
    }
    let standing = decider.standing;
    let touched = log.strands.iter().filter(|strand| strand.task.is_some());
    let mut told: FxHashSet<(Vec<Place>, [SiteId; 2])> = FxHashSet::default();
    let mut listed: FxHashMap<[SiteId; 2], usize> = FxHashMap::default();
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for stands in &standing {
        let finding = finding::finding(stands, &log, &interactions);
        let (places, sites) = what(&finding);
        // A variable of several bytes can be several locations.
        if !told.insert((places, sites)) {
            continue;
        }
        let listed = listed.entry(sites).or_default();
        *listed += 1;
        if *listed > MOST_LOCATIONS {
            counts.unlisted += 1;
            continue;
        }
        findings.push(finding);
        witnesses.push(Witness::new(stands, &log));
    }
    Judged {
        findings,
        witnesses,
        counts,
        has_interactions: !interactions.is_empty(),
        strands: touched.count() as u64,
    }
}

/// What a finding is about: two of the same are one.
fn what(finding: &Finding) -> (Vec<Place>, [SiteId; 2]) {
    match finding {
        Finding::Transaction(separation) => {
            let sites = separation.parted.each_ref().map(|access| access.site);
            (separation.places.clone(), sites)
        }
        _ => (Vec::new(), [SiteId::new(0); 2]),
    }
}

/// Events that all replays together may have.
const MOST_REPLAYED: u64 = 20_000_000;

/// Runs the program again under the schedule of each confirmed finding. `replay` runs it and lets the log
/// follow; whether it came to its end. A finding whose run is not serializable is certain beyond doubt; one
/// whose run turns out otherwise is only possible.
pub fn settle(checked: &mut Checked, mut replay: impl FnMut(&Witness, &mut Log) -> bool) {
    let most = MOST_REPLAYED / checked.events.max(1) + 1;
    let findings = checked.outcome.findings.iter_mut();
    let separations = findings.filter_map(|finding| match finding {
        Finding::Transaction(separation) => Some(separation),
        _ => None,
    });
    let confirmed = separations
        .zip(&checked.witnesses)
        .filter(|(separation, _)| separation.decision == Decision::Confirmed);
    for (separation, witness) in confirmed.take(most as usize) {
        let mut log = Log::new(false);
        let ended = replay(witness, &mut log);
        (separation.decision, separation.certainty) = match ended && !judge::is_serializable(&log) {
            true => (Decision::Replayed, Certainty::Certain),
            false => (Decision::Diverged, Certainty::Possible),
        };
    }
}

fn chosen(sites: &[SiteId]) -> Vec<bool> {
    let most = sites.iter().map(|site| site.index() + 1).max();
    let mut chosen = vec![false; most.unwrap_or(0)];
    for site in sites {
        chosen[site.index()] = true;
    }
    chosen
}

struct Counter(u64);

impl Listener for Counter {
    fn on(&mut self, _: Event) {
        self.0 += 1;
    }
}
