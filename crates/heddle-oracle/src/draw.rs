//! Drawing random trees fast, and shrinking them by what they are.
//!
//! proptest's combinators prepare the shrinking of every choice while they draw, which costs far
//! more than the checks a drawn program is for. Here a generator draws the whole value from
//! [`Dice`]; only a value that fails is taken apart, by its own [`Simpler`]. To proptest this is a
//! strategy like any other: [`drawn`].

use std::fmt;

use proptest::prelude::Rng;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// A source of random choices: SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom
/// Number Generators, 2014), so that a seed means the same under every version of every library.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall as the seed says.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound.max(1))) as u32
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// A byte below `bound`.
    pub fn small(&mut self, bound: u8) -> u8 {
        self.below(u32::from(bound)) as u8
    }

    /// Yes, once in `times` times.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of the choices, each as often as its weight says. There is at least one.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> T {
        let total = choices.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for &(weight, choice) in choices {
            if left < weight {
                return choice;
            }
            left -= weight;
        }
        unreachable!("a number below the sum of the weights falls into one of them")
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// A value that can be taken apart.
pub trait Simpler: Clone {
    /// Values one step simpler than this one, the simplest first.
    fn simpler(&self) -> Vec<Self>;
}

/// The strategy that draws with `generator` and shrinks with [`Simpler`].
pub fn drawn<T, F>(generator: F) -> impl Strategy<Value = T>
where
    T: Simpler + fmt::Debug,
    F: Fn(&mut Dice) -> T,
{
    Drawn(generator)
}

struct Drawn<F>(F);

impl<F> fmt::Debug for Drawn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawn")
    }
}

impl<T: Simpler + fmt::Debug, F: Fn(&mut Dice) -> T> Strategy for Drawn<F> {
    type Tree = Shrinking<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut dice = Dice::new(runner.rng().next_u64());
        Ok(Shrinking::new((self.0)(&mut dice)))
    }
}

/// A value on its way to the smallest that fails: the smallest so far and what is still to try.
struct Shrinking<T> {
    failing: T,
    trying: Option<T>,
    /// What to try next, the last one first.
    left: Vec<T>,
}

impl<T> Shrinking<T> {
    fn new(value: T) -> Self {
        Self {
            failing: value,
            trying: None,
            left: Vec::new(),
        }
    }
}

impl<T: Simpler + fmt::Debug> ValueTree for Shrinking<T> {
    type Value = T;

    fn current(&self) -> T {
        self.trying.as_ref().unwrap_or(&self.failing).clone()
    }

    /// The current value failed: go on from there.
    fn simplify(&mut self) -> bool {
        if let Some(smaller) = self.trying.take() {
            self.failing = smaller;
        }
        self.left = self.failing.simpler();
        self.left.reverse();
        self.complicate()
    }

    /// The current value held: try another one, or stay with the smallest that failed.
    fn complicate(&mut self) -> bool {
        self.trying = self.left.pop();
        self.trying.is_some()
    }
}

/// The ways to shorten a list or to simplify one of its items. `contents` says what an item that
/// surrounds others leaves when it goes.
pub fn simpler_list<T: Simpler>(items: &[T], contents: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut simpler = Vec::new();
    if items.len() > 2 {
        simpler.push(Vec::new());
        simpler.push(items[..items.len() / 2].to_vec());
        simpler.push(items[items.len() / 2..].to_vec());
    }
    for n in 0..items.len() {
        simpler.push(replaced(items, n, Vec::new()));
    }
    for (n, item) in items.iter().enumerate() {
        let inside = contents(item);
        if !inside.is_empty() {
            simpler.push(replaced(items, n, inside));
        }
        simpler.extend(
            item.simpler()
                .into_iter()
                .map(|item| replaced(items, n, vec![item])),
        );
    }
    simpler
}

fn replaced<T: Clone>(items: &[T], n: usize, by: Vec<T>) -> Vec<T> {
    let (before, after) = items.split_at(n);
    [before, &by, after.get(1..).unwrap_or_default()].concat()
}

/// Numbers are choices: the first choice is the simplest.
impl Simpler for u8 {
    fn simpler(&self) -> Vec<Self> {
        let mut simpler = vec![0, self / 2, self.saturating_sub(1)];
        simpler.dedup();
        simpler.retain(|number| number < self);
        simpler
    }
}

impl<A: Simpler, B: Simpler> Simpler for (A, B) {
    fn simpler(&self) -> Vec<Self> {
        let (a, b) = self;
        let left = a.simpler().into_iter().map(|a| (a, b.clone()));
        let right = b.simpler().into_iter().map(|b| (a.clone(), b));
        left.chain(right).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dice_fall_by_weight() {
        let mut dice = Dice::new(1);
        let mut heavy = 0;
        for _ in 0..1000 {
            heavy += dice.weighted(&[(3, 1), (1, 0), (0, 1000)]);
        }
        assert!((650..850).contains(&heavy), "{heavy}");
    }

    #[test]
    fn a_list_shrinks_to_the_one_item_that_matters() {
        let mut tree = Shrinking::new(Numbers(vec![3, 200, 7, 9, 100]));
        let fails = |numbers: &Numbers| numbers.0.iter().any(|&number| number > 20);
        let mut goes_on = tree.simplify();
        while goes_on {
            goes_on = match fails(&tree.current()) {
                true => tree.simplify(),
                false => tree.complicate(),
            };
        }
        assert_eq!(tree.current(), Numbers(vec![21]));
    }

    #[derive(Clone, PartialEq, Debug)]
    struct Numbers(Vec<u8>);

    impl Simpler for Numbers {
        fn simpler(&self) -> Vec<Self> {
            let lists = simpler_list(&self.0, |_| Vec::new());
            lists.into_iter().map(Self).collect()
        }
    }
}
