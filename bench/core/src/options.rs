//! The command line: which part of the full table to measure.

use crate::engine::Sharing;
use crate::measure::ORDERS;
use crate::shape::Shape;
use heddle_core::OrderChoice;
use std::time::Duration;

/// What to measure; everything by default.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this order, or [`ENGINE`].
    pub order: Option<String>,
    /// Only this shape, or what tasks share.
    pub shape: Option<String>,
    /// No program larger than this.
    pub max_tasks: Option<u32>,
    /// How long a configuration of the engine may take.
    pub seconds: Duration,
}

/// What the engine of running programs is called beside the orders of event streams.
pub const ENGINE: &str = "engine";
/// The largest programs of the engine that are measured unasked, and of them those of which few tasks are alive at a time.
const ENGINE_TASKS: [u32; 2] = [1_000_000, 10_000_000];

/// Printed for a wrong command line.
pub const USAGE: &str = "\
usage: cargo xtask bench core [--order bags|tree|graph] [--shape wide|deep|deep-finish|tree|chain|chain-far]
                              [--order engine] [--shape nothing|private|read|read-edge|locked|raced|few-alive]
                              [--max-tasks N] [--seconds N]";

/// Reads the command line.
pub fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        order: None,
        shape: None,
        max_tasks: None,
        seconds: Duration::from_secs(20),
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--order" => options.order = Some(one_of(value, orders())?),
            "--shape" => options.shape = Some(one_of(value, shapes())?),
            "--max-tasks" => options.max_tasks = Some(number(value)?),
            "--seconds" => options.seconds = Duration::from_secs(u64::from(number(value)?)),
            _ => return Err(format!("no option `{word}`")),
        }
    }
    Ok(options)
}

fn orders() -> impl Iterator<Item = &'static str> {
    ORDERS.into_iter().map(|(_, name)| name).chain([ENGINE])
}

fn shapes() -> impl Iterator<Item = &'static str> {
    let sharing = Sharing::ALL.into_iter().map(|(_, name)| name);
    Shape::ALL.into_iter().map(|(_, name)| name).chain(sharing)
}

fn number(value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("`{value}` is no number"))
}

fn one_of(value: &str, names: impl Iterator<Item = &'static str>) -> Result<String, String> {
    let names: Vec<&str> = names.collect();
    bench_harness::one_of(&names, value).map(str::to_owned)
}

/// One line of programs of growing size.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// Who decides what is parallel.
    pub order: OrderChoice,
    /// How the tasks hang together.
    pub shape: Shape,
    /// Names of both, for tables.
    pub names: [&'static str; 2],
}

impl Options {
    /// The series wanted, in the sequence of the table.
    pub fn series(&self) -> impl Iterator<Item = Series> {
        all_series().filter(|series| self.wants(series.names))
    }

    /// The series wanted of the engine: what tasks share, and on how many threads.
    pub fn engine_series(&self) -> impl Iterator<Item = (Sharing, u32)> {
        let wanted = Sharing::ALL
            .into_iter()
            .filter(|(_, name)| self.wants([ENGINE, name]));
        wanted.flat_map(|(sharing, _)| [1, 2].map(|threads| (sharing, threads)))
    }

    fn wants(&self, [order, shape]: [&str; 2]) -> bool {
        self.order.as_deref().is_none_or(|wanted| wanted == order)
            && self.shape.as_deref().is_none_or(|wanted| wanted == shape)
    }

    /// The sizes wanted of this shape.
    pub fn sizes(&self, shape: Shape) -> impl Iterator<Item = u32> {
        let largest = shape.largest().min(self.max_tasks.unwrap_or(u32::MAX));
        sizes().filter(move |&tasks| tasks <= largest)
    }

    /// The sizes wanted of the engine. Where few tasks are alive, only the largest says something.
    pub fn engine_sizes(&self, sharing: Sharing) -> Vec<u32> {
        let few = sharing == Sharing::FewAlive;
        let largest = self.max_tasks.unwrap_or(ENGINE_TASKS[usize::from(few)]);
        let mut sizes: Vec<u32> = sizes().filter(|&tasks| tasks <= largest).collect();
        if few {
            sizes.drain(..sizes.len().saturating_sub(1));
        }
        sizes
    }
}

/// The sizes of programs, from the smallest on.
fn sizes() -> impl Iterator<Item = u32> {
    (3..=7).map(|power| 10_u32.pow(power))
}

/// Every order with every shape that it can follow.
pub fn all_series() -> impl Iterator<Item = Series> {
    let pairs = ORDERS
        .into_iter()
        .flat_map(|order| Shape::ALL.into_iter().map(move |shape| (order, shape)));
    pairs
        .filter(|((order, _), (shape, _))| *order == OrderChoice::Graph || !shape.has_extra_edges())
        .map(|((order, order_name), (shape, shape_name))| Series {
            order,
            shape,
            names: [order_name, shape_name],
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Result<Options, String> {
        parse(&words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_options_everything_is_measured_to_each_shapes_largest_size() {
        let options = options(&[]).expect("a right command line");
        assert_eq!(options.series().count(), all_series().count());
        assert_eq!(options.sizes(Shape::Wide).last(), Some(10_000_000));
        assert_eq!(options.sizes(Shape::Deep).last(), Some(1_000_000));
    }

    #[test]
    fn order_and_shape_narrow_the_series_down() {
        let options =
            options(&["--order", "graph", "--shape", "chain"]).expect("a right command line");
        let names: Vec<_> = options.series().map(|series| series.names).collect();
        assert_eq!(names, [["graph", "chain"]]);
    }

    #[test]
    fn a_size_limit_holds_for_every_shape() {
        let options = options(&["--max-tasks", "20000"]).expect("a right command line");
        assert_eq!(
            options.sizes(Shape::Tree).collect::<Vec<_>>(),
            [1000, 10_000]
        );
    }

    #[test]
    fn ten_million_tasks_are_run_unasked_only_where_few_are_alive() {
        let unasked = options(&[]).expect("a right command line");
        assert_eq!(unasked.engine_series().count(), 14);
        assert_eq!(unasked.engine_sizes(Sharing::Read).last(), Some(&1_000_000));
        assert_eq!(unasked.engine_sizes(Sharing::FewAlive), [10_000_000]);
        let more = options(&["--order", "engine", "--max-tasks", "10000000"]);
        let more = more.expect("a right command line");
        assert_eq!(more.series().count(), 0);
        assert_eq!(more.engine_sizes(Sharing::Read).len(), 5);
    }

    #[test]
    fn wrong_names_and_missing_values_are_refused() {
        for words in [
            &["--order", "vector"][..],
            &["--shape"],
            &["--fast", "1"],
            &["--max-tasks", "x"],
        ] {
            assert!(options(words).is_err(), "{words:?}");
        }
    }
}
