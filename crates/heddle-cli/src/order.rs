//! Saying which order was used, and which order cannot be.

use heddle_core::{Features, Listener, OrderChoice, OrderError, Run};
use heddle_report::Problem;

/// Counts how often a check runs the program.
pub struct Counted<'a, R> {
    run: &'a mut R,
    passes: u32,
}

impl<'a, R: Run> Counted<'a, R> {
    /// The run, not run yet.
    pub fn new(run: &'a mut R) -> Self {
        Self { run, passes: 0 }
    }

    /// How often it was run.
    pub fn passes(&self) -> u32 {
        self.passes
    }
}

impl<R: Run> Run for Counted<'_, R> {
    fn features(&self) -> Features {
        self.run.features()
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.passes += 1;
        self.run.run(listener);
    }
}

/// The order that decided, for the figures. A check says only how often it ran the program, but
/// with the rules of `heddle_core::check` that tells the rest.
pub fn used(choice: OrderChoice, features: Features, passes: u32) -> &'static str {
    let excludes = features.isolated || features.locks;
    let unstructured = features.extra_edges || features.scope_handles;
    match choice {
        _ if features.cuts => "none",
        OrderChoice::Auto if unstructured || features.locks => "graph",
        OrderChoice::Auto | OrderChoice::Bags if passes < 2 => "bags",
        OrderChoice::Auto | OrderChoice::Bags if excludes => "bags, then graph",
        OrderChoice::Auto | OrderChoice::Bags => "bags, then tree",
        OrderChoice::Tree if excludes => "graph",
        OrderChoice::Tree => "tree",
        OrderChoice::Graph => "graph",
    }
}

/// Why the order asked for cannot check the program.
pub fn problem(program: &str, error: OrderError) -> Problem {
    let (order, why) = match error {
        OrderError::NeedsGraph(OrderChoice::Tree) => ("tree", UNSTRUCTURED),
        OrderError::NeedsGraph(_) => ("bags", UNSTRUCTURED),
        OrderError::NotDepthFirst => (
            "bags",
            "a task had to wait in the middle, so the run is not depth first",
        ),
    };
    Problem::plain(format!(
        "{program}: --order {order} cannot check this program: {why}"
    ))
    .help(Some("leave --order out, or use --order graph".into()))
}

const UNSTRUCTURED: &str =
    "futures, dependences, events or regions order its tasks beyond spawn and finish";
