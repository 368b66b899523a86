//! Breadth-first search: tasks that test a distance and then set it race for the same vertex.

use crate::verdict::{assert_clean, assert_races, repeatedly};
use heddle::atomic::{AtomicU32, Ordering};
use heddle::{SharedVec, par_for};

const SOURCE: &str = include_str!("bfs.rs");
const VERTICES: usize = 60;
const UNSEEN: u32 = u32::MAX;

/// A ring with chords.
fn neighbours(vertex: usize) -> [usize; 3] {
    [vertex + 1, vertex + VERTICES - 1, vertex * 3 + 2].map(|next| next % VERTICES)
}

fn start() -> SharedVec<u32> {
    let distances = SharedVec::new(VERTICES, UNSEEN);
    distances.set(0, 0);
    distances
}

/// Calls `expand` with each level and its vertices until a level is empty.
fn levels(distances: &SharedVec<u32>, expand: impl Fn(u32, &[usize])) {
    for level in 0.. {
        let vertices = distances.iter().enumerate();
        let frontier: Vec<usize> = vertices
            .filter_map(|(vertex, distance)| (distance == level).then_some(vertex))
            .collect();
        if frontier.is_empty() {
            return;
        }
        expand(level, &frontier);
    }
}

fn test_then_set() {
    let distances = start();
    levels(&distances, |level, frontier| {
        par_for(0..frontier.len(), |at| {
            for next in neighbours(frontier[at]) {
                let seen = distances.get(next); // distance: read
                if seen == UNSEEN {
                    distances.set(next, level + 1); // distance: write
                }
            }
        });
    });
}

/// Whoever claims a vertex first sets its distance.
fn claim_then_set() {
    let distances = start();
    let claimed: Vec<AtomicU32> = (0..VERTICES)
        .map(|v| AtomicU32::new(u32::from(v == 0)))
        .collect();
    levels(&distances, |level, frontier| {
        par_for(0..frontier.len(), |at| {
            for next in neighbours(frontier[at]) {
                if claimed[next].swap(1, Ordering::AcqRel) == 0 {
                    distances.set(next, level + 1);
                }
            }
        });
    });
    assert_eq!(distances.into_vec(), plain());
}

fn plain() -> Vec<u32> {
    let mut distances = vec![UNSEEN; VERTICES];
    let mut queue = std::collections::VecDeque::from([(0, 0)]);
    while let Some((vertex, distance)) = queue.pop_front() {
        if distances[vertex] == UNSEEN {
            distances[vertex] = distance;
            queue.extend(neighbours(vertex).map(|next| (next, distance + 1)));
        }
    }
    distances
}

#[test]
fn testing_and_then_setting_a_distance_is_racy() {
    let sides = [("distance: read", "distance: write")];
    repeatedly(|| assert_races(SOURCE, test_then_set, &sides));
}

#[test]
fn claiming_a_vertex_before_setting_its_distance_is_clean() {
    repeatedly(|| assert_clean(claim_then_set));
}
