//! Two classic decompositions that say where cycles can be: strongly connected components of a directed
//! graph, and blocks (biconnected components) of an undirected one. Both by Tarjan, 1972, without
//! recursion: programs recurse deeply.

/// Edges by their first node.
#[derive(Debug)]
pub struct Adjacency {
    starts: Vec<u32>,
    /// Second node, and the edge's number.
    targets: Vec<(u32, u32)>,
}

impl Adjacency {
    /// The adjacency of these edges among so many nodes; an edge's number is its row.
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for row in 0..nodes {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut targets = vec![(0, 0); edges.len()];
        for (number, &(from, to)) in (0..).zip(edges) {
            let row = &mut next[from as usize];
            targets[*row as usize] = (to, number);
            *row += 1;
        }
        Self { starts, targets }
    }

    /// The edges from a node: second node and number.
    pub fn of(&self, node: u32) -> &[(u32, u32)] {
        let row = node as usize;
        &self.targets[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
}

const UNSEEN: u32 = u32::MAX;

/// The number of each node's strongly connected component.
pub fn components(graph: &Adjacency) -> Vec<u32> {
    let nodes = graph.nodes();
    let mut search = Components {
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        component: vec![UNSEEN; nodes],
        path: Vec::new(),
        time: 0,
        count: 0,
    };
    for root in 0..nodes as u32 {
        if search.index[root as usize] == UNSEEN {
            search.from(root, graph);
        }
    }
    search.component
}

struct Components {
    index: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    path: Vec<u32>,
    time: u32,
    count: u32,
}

impl Components {
    fn from(&mut self, root: u32, graph: &Adjacency) {
        self.enter(root);
        let mut work = vec![(root, 0usize)];
        while let Some((node, at)) = work.last_mut() {
            let here = *node;
            match graph.of(here).get(*at) {
                Some(&(to, _)) => {
                    *at += 1;
                    if self.index[to as usize] == UNSEEN {
                        self.enter(to);
                        work.push((to, 0));
                    } else if self.component[to as usize] == UNSEEN {
                        self.lower(here, self.index[to as usize]);
                    }
                }
                None => {
                    work.pop();
                    self.leave(here);
                    if let Some(&(above, _)) = work.last() {
                        self.lower(above, self.low[here as usize]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.time;
        self.low[node as usize] = self.time;
        self.time += 1;
        self.path.push(node);
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    fn leave(&mut self, node: u32) {
        if self.low[node as usize] != self.index[node as usize] {
            return;
        }
        while let Some(member) = self.path.pop() {
            self.component[member as usize] = self.count;
            if member == node {
                break;
            }
        }
        self.count += 1;
    }
}

/// The number of each undirected edge's block. Two edges lie on a common simple cycle iff they are in
/// one block.
pub fn blocks(nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let both: Vec<(u32, u32)> = edges
        .iter()
        .flat_map(|&(one, two)| [(one, two), (two, one)])
        .collect();
    let graph = Adjacency::new(nodes, &both);
    let mut search = Blocks {
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        block: vec![UNSEEN; edges.len()],
        path: Vec::new(),
        time: 0,
        count: 0,
    };
    for root in 0..nodes as u32 {
        if search.index[root as usize] == UNSEEN && !graph.of(root).is_empty() {
            search.from(root, &graph);
        }
    }
    search.block
}

struct Blocks {
    index: Vec<u32>,
    low: Vec<u32>,
    block: Vec<u32>,
    /// Edges that have no block yet.
    path: Vec<u32>,
    time: u32,
    count: u32,
}

impl Blocks {
    fn from(&mut self, root: u32, graph: &Adjacency) {
        self.enter(root);
        // A node, its next edge, and the edge it was reached by.
        let mut work = vec![(root, 0usize, UNSEEN)];
        while let Some((node, at, by)) = work.last_mut() {
            let (here, by) = (*node, *by);
            match graph.of(here).get(*at) {
                Some(&(to, number)) => {
                    *at += 1;
                    let edge = number / 2;
                    if edge == by {
                        continue;
                    }
                    if self.index[to as usize] == UNSEEN {
                        self.path.push(edge);
                        self.enter(to);
                        work.push((to, 0, edge));
                    } else if self.index[to as usize] < self.index[here as usize] {
                        self.path.push(edge);
                        self.lower(here, self.index[to as usize]);
                    }
                }
                None => {
                    work.pop();
                    if let Some(&(above, ..)) = work.last() {
                        self.lower(above, self.low[here as usize]);
                        if self.low[here as usize] >= self.index[above as usize] {
                            self.close(by);
                        }
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.time;
        self.low[node as usize] = self.time;
        self.time += 1;
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    /// What was reached over this edge and leads no further back is a block.
    fn close(&mut self, edge: u32) {
        while let Some(member) = self.path.pop() {
            self.block[member as usize] = self.count;
            if member == edge {
                break;
            }
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_one_component_and_what_leads_to_it_is_not_in_it() {
        let graph = Adjacency::new(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]);
        let component = components(&graph);
        assert_eq!(component[1], component[2]);
        assert_eq!(component[1], component[3]);
        assert_ne!(component[0], component[1]);
        assert_ne!(component[4], component[1]);
    }

    #[test]
    fn two_cycles_that_share_a_node_are_two_blocks() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (4, 5)];
        let block = blocks(6, &edges);
        assert_eq!([block[0], block[1]], [block[2]; 2]);
        assert_eq!([block[3], block[4]], [block[5]; 2]);
        assert_ne!(block[0], block[3]);
        assert_ne!(block[6], block[3]);
    }

    #[test]
    fn a_path_of_a_million_nodes_does_not_overflow_the_stack() {
        let edges: Vec<(u32, u32)> = (0..1_000_000).map(|n| (n, n + 1)).collect();
        let block = blocks(1_000_001, &edges);
        assert_ne!(block[0], block[999_999]);
        let component = components(&Adjacency::new(1_000_001, &edges));
        assert_ne!(component[0], component[1]);
    }
}
