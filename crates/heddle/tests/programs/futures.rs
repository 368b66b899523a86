//! Pipeline With Futures: stages that wait for each other through values.

use crate::verdict::{assert_clean, assert_races};
use heddle::{Future, SharedVec, finish};

const SOURCE: &str = include_str!("futures.rs");
const ITEMS: usize = 8;

/// Five stages; each reads what the stage before it wrote.
fn pipeline_with_futures() {
    let stages: Vec<_> = (0..6)
        .map(|_| SharedVec::from(vec![0usize; ITEMS]))
        .collect();
    finish(|s| {
        let mut before: Option<Future<'_, ()>> = None;
        for pair in stages.windows(2) {
            let ready = before.take();
            before = Some(s.future(move || {
                ready.into_iter().for_each(Future::join);
                (0..ITEMS).for_each(|item| pair[1].set(item, pair[0].get(item) + 1));
            }));
        }
    });
    assert_eq!(stages[5].to_vec(), [5; ITEMS]);
}

#[test]
fn pipeline_with_futures_is_clean() {
    assert_clean(pipeline_with_futures);
}

/// The same with a stage that does not wait.
fn pipeline_without_waiting() {
    let [input, output] = [0usize; 2].map(|_| SharedVec::from(vec![0usize; ITEMS]));
    finish(|s| {
        let first = s.future(|| (0..ITEMS).for_each(|item| input.set(item, item))); // first stage
        let second = s.future(|| (0..ITEMS).for_each(|item| output.set(item, input.get(item)))); // second stage
        first.join();
        second.join();
    });
}

#[test]
fn a_stage_that_does_not_wait_is_racy() {
    assert_races(
        SOURCE,
        pipeline_without_waiting,
        &[("first stage", "second stage")],
    );
}
