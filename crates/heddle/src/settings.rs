//! The choices a [`Checker`](crate::Checker) leaves to its user, and how the environment names them.

use crate::checker::Unjudged;
use heddle_core::{OrderChoice, OrderError};
use std::str::FromStr;

/// Which order decides what is parallel.
///
/// ```
/// use heddle::{Checker, Order, finish};
/// for order in [Order::Auto, Order::Bags, Order::Tree, Order::Graph] {
///     let checker = Checker::new().parallel(0).order(order);
///     checker.check(|| finish(|s| s.spawn(|_| ()))).assert_clean();
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Order {
    /// The one that suits the run: everything can be judged, on any number of threads, while it runs.
    #[default]
    Auto,
    /// Union-find over tasks: spawns and finishes only. The run is recorded and judged afterwards.
    Bags,
    /// The tree of tasks: spawns and finishes only, all into their innermost finish. The run is
    /// recorded and judged afterwards.
    Tree,
    /// The tree and extra edges: everything but shared locks. The run is recorded and judged
    /// afterwards.
    Graph,
}

/// What to look for.
///
/// ```
/// use heddle::{Analysis, Checker};
/// Checker::new().analyses([Analysis::Races]).check(|| ()).assert_clean();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Analysis {
    /// Two parallel accesses to one location, at least one a write, without a common lock.
    Races,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self::Auto),
            "bags" => Ok(Self::Bags),
            "tree" => Ok(Self::Tree),
            "graph" => Ok(Self::Graph),
            _ => Err("not one of auto, bags, tree, graph".into()),
        }
    }
}

/// The value of an environment variable, if it is set and not empty.
pub(crate) fn variable<T: FromStr<Err: std::fmt::Display>>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    match text.parse() {
        Ok(value) => Some(value),
        Err(problem) => panic!("{name}={text}: {problem}"),
    }
}

/// Why the run could not be judged, in words.
pub(crate) fn explain(why: &Unjudged) -> String {
    match why {
        Unjudged::Order(OrderError::NeedsGraph(OrderChoice::Bags)) => {
            "Order::Bags cannot judge futures, groups, events or dependences; use Order::Graph"
                .into()
        }
        Unjudged::Order(OrderError::NeedsGraph(_)) => {
            "Order::Tree cannot judge futures, groups, events, dependences or tasks spawned into \
             an outer finish; use Order::Graph"
                .into()
        }
        Unjudged::Order(OrderError::NotDepthFirst) => {
            "Order::Bags cannot judge a run that is not depth first; use Order::Graph".into()
        }
        Unjudged::Unsupported(what) => format!("only Order::Auto can judge {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_named_as_in_the_manual() {
        assert_eq!("bags".parse(), Ok(Order::Bags));
        assert!("Bag".parse::<Order>().is_err());
    }

    #[test]
    fn an_unset_variable_leaves_the_choice_open() {
        assert_eq!(variable::<usize>("HEDDLE_NO_SUCH_VARIABLE"), None);
    }
}
