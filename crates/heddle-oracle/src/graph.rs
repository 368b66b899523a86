//! Reachability by brute force: the transitive closure of a graph, one bit per pair of nodes.
//!
//! Nodes are numbered in the sequence of the run and every edge points forward, so one sweep in
//! that sequence closes the graph. Quadratic memory, and nothing that could be subtly wrong.

/// A position in the run: the n-th thing any task did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(usize);

/// A directed graph whose edges all point from an earlier node to a later one.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Row `n`: where the edges into node `n` come from.
    sources: Vec<Vec<Node>>,
}

/// Which node reaches which.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Row `n`: one bit per node that reaches node `n`.
    ancestors: Vec<Vec<u64>>,
}

impl Graph {
    /// Adds a node after all others.
    pub fn add_node(&mut self) -> Node {
        self.sources.push(Vec::new());
        Node(self.sources.len() - 1)
    }

    /// Adds an edge. Both nodes must be this graph's and `from` the earlier one.
    pub fn add_edge(&mut self, from: Node, to: Node) {
        assert!(from < to, "an edge points forward in the run");
        self.sources[to.0].push(from);
    }

    /// All edges.
    pub fn edges(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        let rows = self.sources.iter().enumerate();
        rows.flat_map(|(to, from)| from.iter().map(move |&from| (from, Node(to))))
    }

    /// Computes who reaches whom.
    pub fn closure(&self) -> Closure {
        let words = self.sources.len().div_ceil(64);
        let mut ancestors: Vec<Vec<u64>> = Vec::with_capacity(self.sources.len());
        for sources in &self.sources {
            let mut row = vec![0; words];
            for &source in sources {
                row[source.0 / 64] |= 1 << (source.0 % 64);
                for (word, inherited) in row.iter_mut().zip(&ancestors[source.0]) {
                    *word |= inherited;
                }
            }
            ancestors.push(row);
        }
        Closure { ancestors }
    }
}

impl Closure {
    /// Whether a path leads from `from` to `to`.
    pub fn reaches(&self, from: Node, to: Node) -> bool {
        self.ancestors[to.0][from.0 / 64] >> (from.0 % 64) & 1 == 1
    }

    /// Whether neither reaches the other. A node is not parallel to itself.
    pub fn parallel(&self, a: Node, b: Node) -> bool {
        a != b && !self.reaches(a, b) && !self.reaches(b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_orders_its_corners_but_not_its_sides() {
        let mut graph = Graph::default();
        let nodes: Vec<Node> = (0..4).map(|_| graph.add_node()).collect();
        for (from, to) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
            graph.add_edge(nodes[from], nodes[to]);
        }
        let closure = graph.closure();
        assert!(closure.reaches(nodes[0], nodes[3]));
        assert!(!closure.reaches(nodes[3], nodes[0]));
        assert!(closure.parallel(nodes[1], nodes[2]));
        assert!(!closure.parallel(nodes[1], nodes[1]));
    }

    #[test]
    fn reachability_crosses_word_boundaries() {
        let mut graph = Graph::default();
        let nodes: Vec<Node> = (0..200).map(|_| graph.add_node()).collect();
        for pair in nodes.windows(2) {
            graph.add_edge(pair[0], pair[1]);
        }
        let closure = graph.closure();
        assert!(closure.reaches(nodes[0], nodes[199]));
        assert!(closure.reaches(nodes[63], nodes[64]));
    }
}
