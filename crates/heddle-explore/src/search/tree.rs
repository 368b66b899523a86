//! Depth first over the tree of choices, with or without matching states.

use heddle_core::TaskId;

use crate::cursor::Cursor;
use crate::fingerprint::Fingerprint;
use crate::program::{Choice, Program};
use crate::watch::Watch;

use super::split::Unit;
use super::{Limit, Observer, Reduction, Search};

/// A choice point on the way to the present one.
struct Node<'p, P: Program + 'p> {
    /// The run there; taken by the last alternative.
    cursor: Option<Cursor<'p, P>>,
    choices: Vec<Choice>,
    next: usize,
    /// Who ran before.
    current: Option<TaskId>,
    preemptions: u32,
    key: Option<Fingerprint>,
}

/// Runs every schedule of the unit, or every one that enters a new state.
pub(super) fn explore<'p, P: Program, O: Observer<P::Run<'p>>>(
    search: &mut Search<'_, 'p, P, O>,
    unit: &Unit,
) {
    let mut cursor = search.start(Watch::new());
    let mut numbers = Vec::new();
    let mut preemptions = 0;
    for &number in &unit.numbers {
        let choices = cursor.choices();
        let choice = choices[number as usize];
        preemptions += u32::from(is_preemption(cursor.current, &choices, choice));
        numbers.push(number);
        cursor.take(choice);
        search.collect(&mut cursor, &numbers);
    }
    let mut nodes: Vec<Node<'p, P>> = Vec::new();
    nodes.extend(enter(search, cursor, &numbers, preemptions));
    while let Some(node) = nodes.last_mut() {
        if search.is_over() {
            return search
                .shared
                .leave_open(nodes.iter().filter_map(|node| node.key));
        }
        if node.next == node.choices.len() {
            nodes.pop();
            numbers.pop();
            continue;
        }
        let number = node.next;
        node.next += 1;
        let choice = node.choices[number];
        let preemptions =
            node.preemptions + u32::from(is_preemption(node.current, &node.choices, choice));
        if search
            .settings()
            .preemptions
            .is_some_and(|most| preemptions > most)
        {
            search.summary.limit(Limit::Preemptions);
            continue;
        }
        let is_last = node.next == node.choices.len();
        let Some(mut cursor) = cursor_for(node, is_last) else {
            continue;
        };
        numbers.push(number as u32);
        search.take(&mut cursor, choice, &numbers);
        match enter(search, cursor, &numbers, preemptions) {
            Some(node) => nodes.push(node),
            None => {
                numbers.pop();
            }
        }
        search.tick(|| part(&nodes));
    }
}

fn cursor_for<'p, P: Program>(node: &mut Node<'p, P>, is_last: bool) -> Option<Cursor<'p, P>> {
    match is_last {
        true => node.cursor.take(),
        false => node.cursor.as_ref().map(Cursor::fork),
    }
}

/// Whether the choice switches away from a task that could go on.
fn is_preemption(current: Option<TaskId>, choices: &[Choice], choice: Choice) -> bool {
    let goes_on = |other: &Choice| Some(other.task) == current;
    !goes_on(&choice) && choices.first().is_some_and(goes_on)
}

/// The choice point the cursor stands at, if there is anything to choose from there.
fn enter<'p, P: Program, O: Observer<P::Run<'p>>>(
    search: &mut Search<'_, 'p, P, O>,
    mut cursor: Cursor<'p, P>,
    numbers: &[u32],
    preemptions: u32,
) -> Option<Node<'p, P>> {
    let choices = cursor.choices();
    let mut key = None;
    if search.settings().reduction == Reduction::States {
        let extra = match search.settings().preemptions {
            None => 0,
            Some(_) => {
                let current = cursor
                    .current
                    .map_or(0, |task| cursor.watch.names().task(task));
                current ^ u64::from(preemptions)
            }
        };
        key = search.key(&mut cursor, extra);
        if key.is_some_and(|key| !search.shared.is_new(key)) {
            return None;
        }
    }
    search.summary.states += 1;
    if choices.is_empty() {
        search.end(&mut cursor);
        return None;
    }
    if numbers.len() >= search.settings().max_choices {
        search.summary.limit(Limit::Length);
        return None;
    }
    Some(Node {
        current: cursor.current,
        cursor: Some(cursor),
        choices,
        next: 0,
        preemptions,
        key,
    })
}

/// Which part of the tree is done, if all alternatives were alike.
fn part<P: Program>(nodes: &[Node<'_, P>]) -> f64 {
    let mut part = 0.0;
    let mut share = 1.0;
    for node in nodes {
        share /= node.choices.len() as f64;
        part += share * (node.next.saturating_sub(1)) as f64;
    }
    part
}
