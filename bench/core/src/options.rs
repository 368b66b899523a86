//! The command line: which part of the full table to measure.

use crate::measure::ORDERS;
use crate::shape::Shape;
use heddle_core::OrderChoice;

/// What to measure; everything by default.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only this order.
    pub order: Option<String>,
    /// Only this shape.
    pub shape: Option<String>,
    /// No program larger than this.
    pub max_tasks: u32,
}

/// Printed for a wrong command line.
pub const USAGE: &str = "usage: cargo xtask bench core [--order bags|tree|graph] \
     [--shape wide|deep|deep-finish|tree|chain|chain-far] [--max-tasks N]";

/// Reads the command line.
pub fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        order: None,
        shape: None,
        max_tasks: u32::MAX,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--order" => options.order = Some(one_of(value, &ORDERS.map(|(_, name)| name))?),
            "--shape" => options.shape = Some(one_of(value, &Shape::ALL.map(|(_, name)| name))?),
            "--max-tasks" => {
                options.max_tasks = value
                    .parse()
                    .map_err(|_| format!("`{value}` is no number"))?
            }
            _ => return Err(format!("no option `{word}`")),
        }
    }
    Ok(options)
}

fn one_of(value: &str, names: &[&str]) -> Result<String, String> {
    if names.contains(&value) {
        return Ok(value.to_owned());
    }
    Err(format!("`{value}` is none of {}", names.join(", ")))
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
        all_series().filter(|series| {
            let [order, shape] = series.names;
            self.order.as_deref().is_none_or(|wanted| wanted == order)
                && self.shape.as_deref().is_none_or(|wanted| wanted == shape)
        })
    }

    /// The sizes wanted of this shape.
    pub fn sizes(&self, shape: Shape) -> impl Iterator<Item = u32> {
        let largest = shape.largest().min(self.max_tasks);
        (3..=7)
            .map(|power| 10_u32.pow(power))
            .filter(move |&tasks| tasks <= largest)
    }
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
