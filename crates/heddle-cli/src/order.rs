//! Saying which order was used, and which order cannot be.

use heddle_core::{OrderChoice, OrderError};
use heddle_report::Problem;

/// The orders that were used, for the figures.
pub fn used(orders: &[OrderChoice]) -> String {
    let names: Vec<&str> = orders.iter().map(|order| name(*order)).collect();
    match names.is_empty() {
        true => "none".into(),
        false => names.join(", then "),
    }
}

fn name(order: OrderChoice) -> &'static str {
    match order {
        OrderChoice::Auto => "auto",
        OrderChoice::Bags => "bags",
        OrderChoice::Tree => "tree",
        OrderChoice::Graph => "graph",
    }
}

/// Why the order asked for cannot check the program.
pub fn problem(program: &str, error: OrderError) -> Problem {
    let (order, why) = match error {
        OrderError::NeedsGraph(order) => (name(order), UNSTRUCTURED),
        OrderError::NotDepthFirst => (
            "bags",
            "a task had to wait in the middle, so the run is not depth first",
        ),
        OrderError::NoAddressSpace => return Problem::plain(format!("{program}: {NO_ROOM}")),
    };
    Problem::plain(format!(
        "{program}: --order {order} cannot check this program: {why}"
    ))
    .help(Some("leave --order out, or use --order graph".into()))
}

const NO_ROOM: &str = "cannot be checked: no address space for the tables (see ulimit -v)";

const UNSTRUCTURED: &str =
    "futures, dependences, events or regions order its tasks beyond spawn and finish";
