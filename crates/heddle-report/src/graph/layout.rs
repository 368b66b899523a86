//! Where lanes and strands are drawn.
//!
//! A strand's row is the length of the longest path to it, so every edge leads down. A lane takes the first column right
//! of its parent's that nothing else uses in the rows between its creation and its last strand.

use super::{Edge, EdgeKind, Graph};

/// Rows of strands and columns of lanes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The row of each strand.
    pub rows: Vec<usize>,
    /// The column of each lane.
    pub columns: Vec<usize>,
    /// How many rows there are.
    pub height: usize,
    /// How many columns there are.
    pub width: usize,
}

impl Layout {
    /// The layout of a graph.
    pub fn new(graph: &Graph) -> Self {
        let rows = rows(graph);
        let columns = columns(graph, &rows);
        Self {
            height: rows.iter().max().map_or(0, |row| row + 1),
            width: columns.iter().max().map_or(0, |column| column + 1),
            rows,
            columns,
        }
    }
}

fn rows(graph: &Graph) -> Vec<usize> {
    let mut rows = vec![0; graph.strands.len()];
    let mut edges: Vec<&Edge> = graph.edges.iter().collect();
    // Edges lead from lower numbers to higher ones.
    edges.sort_by_key(|edge| edge.to);
    for edge in edges {
        rows[edge.to] = rows[edge.to].max(rows[edge.from] + 1);
    }
    rows
}

fn columns(graph: &Graph, rows: &[usize]) -> Vec<usize> {
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; graph.lanes.len()];
    let mut widen = |lane: usize, row: usize| {
        let (low, high) = spans[lane].unwrap_or((row, row));
        spans[lane] = Some((low.min(row), high.max(row)));
    };
    for (strand, &row) in graph.strands.iter().zip(rows) {
        widen(strand.lane, row);
    }
    // A lane is there from its creation until it is joined.
    for edge in &graph.edges {
        match edge.kind {
            EdgeKind::Spawn => widen(graph.strands[edge.to].lane, rows[edge.from]),
            EdgeKind::Join => widen(graph.strands[edge.from].lane, rows[edge.to]),
            EdgeKind::Next | EdgeKind::Extra => {}
        }
    }
    let mut used: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut columns = Vec::new();
    for (lane, span) in graph.lanes.iter().zip(&spans) {
        let (low, high) = span.unwrap_or((0, 0));
        let least = lane.parent.map_or(0, |parent| columns[parent] + 1);
        let is_free = |column: &usize| {
            let taken = used.get(*column).map_or(&[][..], Vec::as_slice);
            taken.iter().all(|(from, to)| *to < low || high < *from)
        };
        let column = (least..).find(is_free).unwrap_or(least);
        used.resize(used.len().max(column + 1), Vec::new());
        used[column].push((low, high));
        columns.push(column);
    }
    columns
}
