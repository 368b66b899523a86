//! Programs that search and build in parallel: a text, and binary trees.

use crate::verdict::{assert_clean, assert_races};
use heddle::{Shared, SharedVec, finish, join};

const SOURCE: &str = include_str!("searching.rs");

/// Substring Search: a task per start; whoever finds the pattern says so in one place.
fn substring_search() {
    let text = SharedVec::from("abracadabra".repeat(6).into_bytes());
    let pattern = b"cadabra";
    let found = Shared::new(0u8);
    finish(|s| {
        for start in 0..text.len() - pattern.len() {
            let (text, found) = (&text, &found);
            s.spawn(move |_| {
                if text.iter_range(start..start + pattern.len()).eq(*pattern) {
                    found.set(1); // found
                }
            });
        }
    });
    assert_eq!(found.get(), 1);
}

#[test]
fn substring_search_is_racy() {
    assert_races(SOURCE, substring_search, &[("found", "found")]);
}

/// A tree in an array: the children of node `n` are `2n + 1` and `2n + 2`.
fn build(tree: &SharedVec<u32>, node: usize) {
    if node < tree.len() {
        tree.set(node, 1);
        join(|| build(tree, 2 * node + 1), || build(tree, 2 * node + 2));
    }
}

fn count(tree: &SharedVec<u32>, node: usize) -> u32 {
    if node >= tree.len() {
        return 0;
    }
    let (left, right) = join(|| count(tree, 2 * node + 1), || count(tree, 2 * node + 2));
    tree.get(node) + left + right
}

/// Binary Trees: trees are built and counted by tasks, several trees at a time.
fn binary_trees() {
    let trees: Vec<_> = (2..7)
        .map(|depth| SharedVec::from(vec![0; (1 << depth) - 1]))
        .collect();
    finish(|s| {
        for tree in &trees {
            s.spawn(move |_| {
                build(tree, 0);
                assert_eq!(count(tree, 0) as usize, tree.len());
            });
        }
    });
}

#[test]
fn binary_trees_is_clean() {
    assert_clean(binary_trees);
}
