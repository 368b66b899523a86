//! A large graph without what no finding shows.
//!
//! Tasks that neither are shown in a finding nor created one that is, are folded into the tasks that created them. Of the others, strands that only such tasks
//! hang on go into the strand before. What is left is ordered as it was: an edge between two strands that are kept is kept, and paths through
//! what is folded lead through the strand that took it in.

use std::collections::HashSet;

use super::{Edge, Graph, Strand};

impl Graph {
    /// The graph with at most about `most` strands.
    pub fn folded(self, most: usize) -> Self {
        if self.strands.len() <= most {
            return self;
        }
        let lanes = self.lanes_of_findings(most);
        let numbers = numbers(&lanes);
        let strands = self.strands_kept(&lanes, most);
        let mut stands_for = vec![None; self.strands.len()];
        let mut last_of = vec![None; self.lanes.len()];
        let mut kept: Vec<Strand> = Vec::new();
        for (at, strand) in self.strands.iter().enumerate() {
            let Some(lane) = numbers[strand.lane] else {
                continue;
            };
            if strands[at] || last_of[strand.lane].is_none() {
                last_of[strand.lane] = Some(kept.len());
                kept.push(Strand {
                    lane,
                    ..strand.clone()
                });
            }
            stands_for[at] = last_of[strand.lane];
        }
        let edges = self.edges.iter().filter_map(|edge| {
            let (from, to) = (stands_for[edge.from]?, stands_for[edge.to]?);
            (from < to).then_some(Edge { from, to, ..*edge })
        });
        let mut seen = HashSet::new();
        let edges = edges.filter(|edge| seen.insert(*edge)).collect();
        let left_out = self.left_out + (self.strands.len() - kept.len()) as u64;
        let mut rows = self.lanes;
        let mut number = 0;
        rows.retain(|_| {
            number += 1;
            lanes[number - 1]
        });
        for lane in &mut rows {
            lane.parent = lane.parent.and_then(|parent| numbers[parent]);
        }
        Self {
            lanes: rows,
            strands: kept,
            edges,
            left_out,
        }
    }

    /// The lanes that findings show and those that led to them; without any, the first ones.
    fn lanes_of_findings(&self, most: usize) -> Vec<bool> {
        let mut keep = vec![false; self.lanes.len()];
        keep[0] = true;
        let shown = self.strands.iter().filter(|strand| strand.is_shown);
        let mut left = most / 4;
        for strand in shown {
            let mut lane = Some(strand.lane);
            while let Some(at) = lane.filter(|&at| !keep[at] && left > 0) {
                keep[at] = true;
                left -= 1;
                lane = self.lanes[at].parent;
            }
        }
        // A lane without those that led to it would hang in the air.
        for lane in 0..keep.len() {
            let parent = self.lanes[lane].parent;
            keep[lane] &= parent.is_none_or(|parent| keep[parent]);
        }
        if keep.iter().filter(|keep| **keep).count() == 1 {
            keep.iter_mut().take(24).for_each(|keep| *keep = true);
        }
        keep
    }

    /// The strands that findings show, and those with edges to other lanes that are kept.
    fn strands_kept(&self, lanes: &[bool], most: usize) -> Vec<bool> {
        let mut keep: Vec<bool> = self.strands.iter().map(|strand| strand.is_shown).collect();
        let lane = |at: usize| self.strands[at].lane;
        for edge in &self.edges {
            let (from, to) = (lane(edge.from), lane(edge.to));
            if from != to && lanes[from] && lanes[to] {
                (keep[edge.from], keep[edge.to]) = (true, true);
            }
        }
        let mut left = most;
        for keep in &mut keep {
            *keep &= left > 0;
            left -= usize::from(*keep);
        }
        keep
    }
}

/// The new numbers of the rows that are kept.
fn numbers(keep: &[bool]) -> Vec<Option<usize>> {
    let mut next = 0;
    let number = |keep: &bool| {
        keep.then(|| {
            next += 1;
            next - 1
        })
    };
    keep.iter().map(number).collect()
}
