//! The choices a [`Checker`](crate::Checker) leaves to its user, and how the environment names them.

use crate::checker::Unjudged;
use heddle_core::atomicity::Scope;
use heddle_core::{OrderChoice, OrderError};
use heddle_report::Strictness;
use heddle_report::text::{self, Colour};
use std::ffi::OsStr;
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
/// let checker = Checker::new().analyses([Analysis::Races, Analysis::Atomicity]); // the default
/// checker.check(|| ()).assert_clean();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Analysis {
    /// Two parallel accesses to one location, at least one a write, without a common lock.
    Races,
    /// Two accesses of one strand to what must not be torn, and one of a parallel task that can come
    /// between them.
    Atomicity,
    /// Instead of the others: two transactions of one strand, separated by [`cut`](crate::cut()), whose separation
    /// can be seen. Serial runs only; the run is recorded and judged afterwards, by the answers in a `heddle.toml` beside
    /// its source files.
    Transactions,
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

impl FromStr for Analysis {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "races" => Ok(Self::Races),
            "atomicity" => Ok(Self::Atomicity),
            "transactions" => Ok(Self::Transactions),
            _ => Err("not a list of names like `races,atomicity`".into()),
        }
    }
}

/// The value of an environment variable, if it is set and not empty.
///
/// # Panics
/// If `meaning` makes nothing of it, saying what would be right.
#[track_caller]
pub(crate) fn variable<T>(name: &str, meaning: fn(&str) -> Result<T, String>) -> Option<T> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    match understood(&value, meaning) {
        Ok(value) => Some(value),
        Err(problem) => panic!("{name}={}: {problem}", value.display()),
    }
}

fn understood<T>(value: &OsStr, meaning: fn(&str) -> Result<T, String>) -> Result<T, String> {
    meaning(value.to_str().ok_or("not Unicode")?)
}

/// A number of something.
pub(crate) fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "not a number".into())
}

/// Analyses, with commas between them.
pub(crate) fn analyses(text: &str) -> Result<Vec<Analysis>, String> {
    text.split(',').map(|name| name.trim().parse()).collect()
}

/// What is checked for atomicity.
pub(crate) fn scope(text: &str) -> Result<Scope, String> {
    match text {
        "declared" => Ok(Scope::Declared),
        "all" => Ok(Scope::All),
        _ => Err("neither declared nor all".into()),
    }
}

/// Whether possible findings count.
pub(crate) fn strictness(text: &str) -> Result<Strictness, String> {
    match text {
        "0" => Ok(Strictness::CertainOnly),
        "1" => Ok(Strictness::Strict),
        _ => Err("neither 0 nor 1".into()),
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
        Unjudged::Order(OrderError::NoAddressSpace) => {
            "there is no address space for the tables (see ulimit -v)".into()
        }
        Unjudged::Rejected(what) => {
            format!("{what} while a lock is held, where no transaction can end: checked")
        }
        Unjudged::Unsupported(what) => format!("only Order::Auto can judge {what}"),
        Unjudged::Answers(problem) => {
            let text = text::render_problem(problem, Colour::Plain);
            format!("the answers cannot be read:\n{text}checked")
        }
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
        assert_eq!(variable("HEDDLE_NO_SUCH_VARIABLE", number), None);
    }

    #[test]
    fn what_cannot_be_understood_is_an_error() {
        assert_eq!(number("2"), Ok(2));
        assert!(number("-1").is_err() && number("two").is_err());
        assert_eq!(analyses("races, atomicity").map(|all| all.len()), Ok(2));
        assert!(scope("all").is_ok() && scope("some").is_err());
        assert!(analyses("races,").is_err());
        assert!(strictness("yes").is_err());
    }
}
