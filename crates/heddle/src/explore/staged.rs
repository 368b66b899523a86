//! One run of a check in which two accesses come in a given order: what `heddle replay` runs.
//!
//! The command says in the environment which accesses (`HEDDLE_WITNESS`: 1 or 2, and two positions; 2 is the second one
//! first) and where to leave what happened (`HEDDLE_WITNESS_TO`).

use super::program::hear_panics;
use super::world::{self, Common, Order, Stage, Standing};
use crate::exec::{Core, Job};
use heddle_core::Event;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::PoisonError;

/// Choices that a run may take.
const CHOICES: usize = 1_000_000;

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    order: Order,
    to: PathBuf,
}

/// What the environment asks for.
///
/// # Panics
/// If that is no order.
pub(crate) fn asked() -> Option<Asked> {
    let text = std::env::var("HEDDLE_WITNESS").ok();
    let text = text.filter(|text| !text.is_empty())?;
    let to = std::env::var_os("HEDDLE_WITNESS_TO")?.into();
    let order = parsed(&text);
    let order = order.unwrap_or_else(|| panic!("HEDDLE_WITNESS: '{text}' is no order"));
    Some(Asked { order, to })
}

fn parsed(text: &str) -> Option<Order> {
    let parts: Vec<&str> = text.split(' ').collect();
    let (first, second, is_turned) = match parts[..] {
        ["1", first, second] => (first, second, false),
        ["2", first, second] => (second, first, true),
        _ => return None,
    };
    Some(Order {
        first: first.to_owned(),
        second: second.to_owned(),
        is_turned,
    })
}

impl Asked {
    /// Runs the body once, and leaves what it did.
    pub(crate) fn play(self, body: impl FnOnce()) {
        hear_panics();
        let common = Common::default();
        let main = || {
            let run = || {
                let core = Core::main();
                let result = core.within(body);
                core.close(result);
            };
            // The panic was told when it began.
            let _ = catch_unwind(AssertUnwindSafe(run));
            world::end();
        };
        let main: Box<dyn FnOnce() + '_> = Box::new(main);
        // SAFETY: the run is dropped before this function ends, and on this thread: worlds cannot be sent.
        let main: Job = unsafe { std::mem::transmute::<Box<dyn FnOnce() + '_>, Job>(main) };
        let mut standing = Standing::staged(&common, main, Stage::new(self.order));
        let mut events = standing.take_events();
        for _ in 0..CHOICES {
            let mut choices = Vec::new();
            standing.world().choices(&mut choices);
            match choices.first() {
                Some(&choice) => standing.take(choice),
                None if standing.let_go() => {}
                None => break,
            }
            events.extend(standing.take_events());
        }
        let mut played = standing.played();
        let refused = common.refused.lock();
        let refused = refused.unwrap_or_else(PoisonError::into_inner).take();
        played.stopped = refused.or_else(|| {
            let panic = events.iter().find_map(|event| match event {
                Event::AssertionFailed { site } => common.numbers.panic_at(*site),
                _ => None,
            })?;
            let (file, line, column) = (panic.file, panic.line, panic.column);
            Some(format!(
                "a task panics at {file}:{line}:{column}: {}",
                panic.message
            ))
        });
        drop(standing);
        let file = OpenOptions::new().create(true).append(true).open(&self.to);
        let written = file.and_then(|mut file| file.write_all(played.to_text().as_bytes()));
        if let Err(error) = written {
            panic!(
                "HEDDLE_WITNESS_TO: cannot write {}: {error}",
                self.to.display()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_number_and_two_positions() {
        let order = |first: &str, second: &str, is_turned| {
            Some(Order {
                first: first.into(),
                second: second.into(),
                is_turned,
            })
        };
        assert_eq!(parsed("1 a:1:2 b:3:4"), order("a:1:2", "b:3:4", false));
        assert_eq!(parsed("2 a:1:2 b:3:4"), order("b:3:4", "a:1:2", true));
        assert_eq!(parsed("3 a:1:2 b:3:4"), None);
        assert_eq!(parsed(""), None);
    }
}
