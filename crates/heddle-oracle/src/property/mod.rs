//! What must hold of every run: the engines agree with the oracle.
//!
//! Each property takes one random case and says in words what is wrong with it. The same
//! properties serve the tests of this crate and [`soak`](crate::soak()).

mod account;
mod atomicity;
mod language;
mod stream;
pub mod transactions;
mod truth;
pub mod visible_cuts;

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

use heddle_check::check;
use heddle_core::{Certainty, Event, Features, Location, OrderChoice, OrderError};

use crate::oracle::{Oracle, verdicts};
use crate::predict::predictable_races;
use crate::rules::{Rules, is_depth_first};
use crate::stream::Recorded;

pub use account::{outcome_repeats_the_stream, places_repeat_the_stream};
pub use atomicity::{
    Missed, atomic_run, atomicity_holds_of_script, histories_agree_with_the_oracle,
    missed_by_baselines, one_trace_shows_all,
};
pub use language::{Live, atomicity_holds_of_case, compiled, holds_of_case, holds_of_source};
pub use stream::holds_of_script;
use stream::survives_a_trace;
pub use truth::findings_are_true;

/// Nothing, or what is wrong.
pub type Holds = Result<(), String>;

/// The property, with a panic counted as a failure like any other.
pub fn caught(property: impl FnOnce() -> Holds) -> Holds {
    panic::catch_unwind(AssertUnwindSafe(property)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("without a message")))
    })
}

/// Every order there is to choose.
pub const ORDERS: [OrderChoice; 4] = [
    OrderChoice::Auto,
    OrderChoice::Bags,
    OrderChoice::Tree,
    OrderChoice::Graph,
];

/// The stream keeps the rules and every order that takes it gives the oracle's verdicts, in
/// findings that name accesses which do race.
pub fn orders_agree_with_the_oracle(run: &mut Recorded) -> Holds {
    Rules::hold(&run.events, run.features)?;
    let oracle = Oracle::of(&run.events);
    let certain = predictable_races(&run.events);
    for order in ORDERS {
        order_agrees(run, order, &oracle, certain.as_ref())?;
    }
    Ok(())
}

fn order_agrees(
    run: &mut Recorded,
    order: OrderChoice,
    oracle: &Oracle,
    certain: Option<&BTreeSet<Location>>,
) -> Holds {
    let outcome = match check(run, order) {
        Ok(outcome) => outcome,
        Err(error) if may_refuse(order, error, run.features, &run.events) => return Ok(()),
        Err(error) => return Err(format!("{order:?} refuses the run: {error:?}")),
    };
    let (expected, found) = (oracle.verdicts(), verdicts(&outcome));
    if !found.keys().eq(expected.keys()) {
        return Err(format!(
            "{order:?} finds {found:?}, the oracle {expected:?}"
        ));
    }
    let is_shown = |at: &Location| certain.is_none_or(|certain| certain.contains(at));
    let is_certain = |certainty: &Certainty| *certainty == Certainty::Certain;
    if let Some((at, _)) = found
        .iter()
        .find(|(at, certainty)| is_certain(certainty) && !is_shown(at))
    {
        return Err(format!(
            "{order:?} calls the race on {at:?} certain, and no reordering of the run shows it"
        ));
    }
    findings_are_true(&outcome, oracle)
        .and_then(|()| outcome_repeats_the_stream(&outcome, &run.events, run.features))
        .map_err(|wrong| format!("{order:?}: {wrong}"))
}

/// An order may refuse what it does not claim to know. `Auto` and the graph know everything.
fn may_refuse(order: OrderChoice, error: OrderError, features: Features, events: &[Event]) -> bool {
    match (order, error) {
        (OrderChoice::Bags | OrderChoice::Tree, OrderError::NeedsGraph(refusing)) => {
            refusing == order && (features.extra_edges || features.scope_handles)
        }
        (OrderChoice::Bags, OrderError::NotDepthFirst) => !is_depth_first(events),
        _ => false,
    }
}
