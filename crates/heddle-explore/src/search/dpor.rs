//! Dynamic partial order reduction: one schedule of each set that differs only in the order of
//! transitions that do not depend on each other.
//!
//! Abdulla, Aronis, Jonsson, Sagonas: *Optimal Dynamic Partial Order Reduction* (2014), the
//! algorithm called source-DPOR: from each choice point a *source set* of choices is explored,
//! which grows as reversible pairs of transitions are seen; *sleep sets* keep what was explored
//! from being explored again.
//!
//! Deviations:
//!
//! 1. What tasks do without a choice belongs to the transition that let them go on; see `trace`.
//! 2. Locks: it is the taking of a lock that is reversed, not its release. A run that ends with a
//!    task before a lock it cannot get is reversed with the taking of that lock.
//! 3. A choice between several ended tasks is explored for each of them. While others of
//!    the set have not ended, it depends on every transition.

use crate::cursor::Cursor;
use crate::program::{Choice, Operation, Program, Run};
use crate::watch::Watch;

use super::footprint::Footprint;
use super::split::Unit;
use super::trace::{Executed, Last, Trace};
use super::{Limit, Observer, Search};

/// A choice that need not be explored, and what it did when it was.
pub(super) type Asleep = (Choice, Footprint);

/// A choice point on the way to the present one.
struct Node<'p, P: Program + 'p> {
    cursor: Cursor<'p, P>,
    trace: Trace,
    choices: Vec<Choice>,
    /// Numbers of the choices to be explored, in the sequence in which they came up.
    source: Vec<usize>,
    /// How many of them were.
    explored: usize,
    asleep: Vec<Asleep>,
}

impl<P: Program> Node<'_, P> {
    fn is_asleep(&self, choice: Choice) -> bool {
        self.asleep.iter().any(|(other, _)| same(*other, choice))
    }

    /// Adds a choice, and the others of its task.
    fn add(&mut self, number: usize) {
        let task = self.choices[number].task;
        for (row, choice) in self.choices.iter().enumerate() {
            if choice.task == task && !self.source.contains(&row) {
                self.source.push(row);
            }
        }
    }

    /// Makes sure that one of these choices is explored.
    fn cover(&mut self, initials: &[Choice]) {
        let is_initial = |choice: &Choice| initials.iter().any(|other| same(*other, *choice));
        let covered = self.asleep.iter().any(|(choice, _)| is_initial(choice))
            || self
                .source
                .iter()
                .any(|&row| is_initial(&self.choices[row]));
        if covered {
            return;
        }
        match self.choices.iter().position(is_initial) {
            Some(number) => self.add(number),
            // None of them can be chosen here: whatever leads to one may be any of the others.
            None => (0..self.choices.len()).for_each(|number| self.add(number)),
        }
    }
}

/// Whether two choices are the same operation.
fn same(a: Choice, b: Choice) -> bool {
    let joined = |choice: Choice| match choice.operation {
        Operation::Join { task, .. } => Some(task),
        Operation::Acquire(_) => None,
    };
    a.task == b.task && joined(a) == joined(b)
}

/// Runs one schedule of each set in the unit. From the choice points above it, all choices are
/// explored, by other units.
pub(super) fn explore<'p, P: Program, O: Observer<P::Run<'p>>>(
    search: &mut Search<'_, 'p, P, O>,
    unit: &Unit,
) {
    let mut watch = Watch::new();
    watch.want_steps();
    let mut cursor = search.start(watch);
    let mut trace = Trace::new();
    trace.start(&cursor.watch.take_steps());
    let mut numbers = Vec::new();
    let mut executed: Vec<Executed> = Vec::new();
    for &number in &unit.numbers {
        let choice = cursor.choices()[number as usize];
        numbers.push(number);
        cursor.take(choice);
        search.collect(&mut cursor, &numbers);
        trace.follow(choice, &cursor.watch.take_steps(), &mut executed);
    }
    let above = numbers.len() as u32;
    let mut nodes: Vec<Node<'p, P>> = Vec::new();
    nodes.extend(enter(search, cursor, trace, unit.asleep.clone(), &executed).0);
    while let Some(node) = nodes.last_mut() {
        let next = node.source.get(node.explored).copied();
        let Some(number) = next.filter(|_| !search.is_over()) else {
            nodes.pop();
            numbers.pop();
            continue;
        };
        node.explored += 1;
        let choice = node.choices[number];
        if node.is_asleep(choice) {
            continue;
        }
        let mut cursor = node.cursor.fork();
        let mut trace = node.trace.clone();
        numbers.push(number as u32);
        search.take(&mut cursor, choice, &numbers);
        executed.truncate(numbers.len() - 1);
        let steps = cursor.watch.take_steps();
        let (footprint, reversible) = trace.follow(choice, &steps, &mut executed);
        let asleep = still_asleep(&node.asleep, choice, &footprint);
        node.asleep.push((choice, footprint));
        let present = Last::Transition(numbers.len() as u32);
        for first in reversible.into_iter().filter(|&first| first > above) {
            nodes[(first - above) as usize - 1].cover(&trace.initials(first, present, &executed));
        }
        let (entered, blocked) = enter(search, cursor, trace, asleep, &executed);
        for (first, initials) in blocked.into_iter().filter(|&(first, _)| first > above) {
            nodes[(first - above) as usize - 1].cover(&initials);
        }
        match entered {
            Some(node) => nodes.push(node),
            None => {
                numbers.pop();
            }
        }
        search.tick(|| part(&nodes));
    }
}

/// What stays asleep after a transition: what it does not depend on.
pub(super) fn still_asleep(
    asleep: &[Asleep],
    choice: Choice,
    footprint: &Footprint,
) -> Vec<Asleep> {
    let stays =
        |(other, what): &&Asleep| other.task != choice.task && what.is_independent_of(footprint);
    asleep.iter().filter(stays).cloned().collect()
}

type Blocked = Vec<(u32, Vec<Choice>)>;

/// The choice point the cursor stands at, if something is to be explored there; at the end of a
/// run, what would have to come earlier for its blocked tasks to go on.
fn enter<'p, P: Program, O: Observer<P::Run<'p>>>(
    search: &mut Search<'_, 'p, P, O>,
    mut cursor: Cursor<'p, P>,
    trace: Trace,
    asleep: Vec<Asleep>,
    executed: &[Executed],
) -> (Option<Node<'p, P>>, Blocked) {
    let choices = cursor.choices();
    search.summary.states += 1;
    if choices.is_empty() {
        search.end(&mut cursor);
        return (None, blocked(&mut cursor, &trace, executed));
    }
    if executed.len() >= search.settings().max_choices {
        search.summary.limit(Limit::Length);
        return (None, Vec::new());
    }
    let mut node = Node {
        cursor,
        trace,
        choices,
        source: Vec::new(),
        explored: 0,
        asleep,
    };
    let awake = (0..node.choices.len()).find(|&row| !node.is_asleep(node.choices[row]));
    if let Some(number) = awake {
        node.add(number);
    }
    (awake.map(|_| node), Vec::new())
}

fn blocked<P: Program>(
    cursor: &mut Cursor<'_, P>,
    trace: &Trace,
    executed: &[Executed],
) -> Blocked {
    let mut waiting = Vec::new();
    cursor.run().blocked(&mut waiting);
    let pairs = waiting.into_iter().filter_map(|choice| {
        let Operation::Acquire(lock) = choice.operation else {
            return None;
        };
        let first = trace.reversible_holder(choice.task, lock, executed)?;
        Some((
            first,
            trace.initials(first, Last::Blocked(choice), executed),
        ))
    });
    pairs.collect()
}

/// Which part of the tree is done, if nothing is added to it.
fn part<P: Program>(nodes: &[Node<'_, P>]) -> f64 {
    let mut part = 0.0;
    let mut share = 1.0;
    for node in nodes {
        share /= node.source.len().max(1) as f64;
        part += share * node.explored.saturating_sub(1) as f64;
    }
    part
}
