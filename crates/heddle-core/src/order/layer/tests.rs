use super::*;
use crate::order::tree::{NodeKind, ROOT, Tree};

fn task(number: u32) -> TaskId {
    TaskId::new(number)
}

#[test]
fn an_entry_noted_late_leaves_later_ones_as_they_are() {
    let mut tree = Tree::new();
    let mut layer = Layer::new();
    let source = tree.push(ROOT, NodeKind::Strand, task(1));
    layer.arrive(task(2), &[source], &tree);
    layer.arrive(task(3), &[source], &tree);
    let early = tree.push(ROOT, NodeKind::Strand, task(2));
    let late = tree.push(ROOT, NodeKind::Strand, task(3));
    layer.enter(late, task(3));
    layer.enter(early, task(2));
    assert!(layer.reaches(source, early, &tree));
    assert!(layer.reaches(source, late, &tree));
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A random run: tasks spawn others, finishes are nested, and edges come from anywhere.
struct Run {
    tree: Tree,
    layer: Layer,
    /// Of each task, its scopes from its own node to the innermost finish; none once it has ended.
    scopes: Vec<Vec<NodeIndex>>,
    /// Of each task, the finish that it was spawned into.
    homes: Vec<NodeIndex>,
    strands: Vec<NodeIndex>,
    /// Strands at which a marked edge arrived.
    marked: Vec<(Mark, NodeIndex)>,
}

impl Run {
    fn new(random: &mut Random, steps: usize, fan: usize) -> Self {
        let mut run = Self {
            tree: Tree::new(),
            layer: Layer::new(),
            scopes: vec![vec![ROOT]],
            homes: vec![ROOT],
            strands: Vec::new(),
            marked: Vec::new(),
        };
        run.strand(0);
        for _ in 0..steps {
            run.step(random, fan);
        }
        run
    }

    /// The same run with another layer.
    fn branch(&self, layer: Layer) -> Self {
        Self {
            tree: self.tree.clone(),
            layer,
            scopes: self.scopes.clone(),
            homes: self.homes.clone(),
            strands: self.strands.clone(),
            marked: self.marked.clone(),
        }
    }

    fn step(&mut self, random: &mut Random, fan: usize) {
        let live = |&task: &usize| !self.scopes[task].is_empty();
        let live: Vec<usize> = (0..self.scopes.len()).filter(live).collect();
        let at = live[random.below(live.len())];
        match random.below(8) {
            0..3 => self.spawn(at),
            3 => {
                let scope = *self.scopes[at].last().expect("there is one");
                let node = self.tree.push(scope, NodeKind::Finish, task(at as u32));
                self.scopes[at].push(node);
            }
            4 if self.scopes[at].len() > 1 => self.end_finish(at),
            5..7 => {
                let count = 1 + random.below(fan);
                let some = |_| self.strands[random.below(self.strands.len())];
                let from: Vec<_> = (0..count).map(some).collect();
                self.layer.arrive(task(at as u32), &from, &self.tree);
            }
            _ => {}
        }
        self.strand(at);
    }

    /// An edge arrives at some task, with a mark.
    fn mark_arrival(&mut self, random: &mut Random, marks: usize) {
        let live = |&task: &usize| !self.scopes[task].is_empty();
        let live: Vec<usize> = (0..self.scopes.len()).filter(live).collect();
        let at = live[random.below(live.len())];
        let from = self.strands[random.below(self.strands.len())];
        let mark = Mark::new(random.below(marks) as u32);
        self.layer.arrive(task(at as u32), &[from], &self.tree);
        self.layer.mark(task(at as u32), mark);
        self.strand(at);
        let strand = self.strands.last().copied().expect("just made");
        self.marked.push((mark, strand));
    }

    fn spawn(&mut self, by: usize) {
        let made = task(self.scopes.len() as u32);
        self.layer.spawn(task(by as u32), made);
        let scope = *self.scopes[by].last().expect("there is one");
        let node = self.tree.push(scope, NodeKind::Task, made);
        let home = match self.scopes[by].len() {
            1 => self.homes[by],
            _ => scope,
        };
        self.scopes.push(vec![node]);
        self.homes.push(home);
        self.strand(self.scopes.len() - 1);
    }

    /// A task's innermost finish is over, and so are all tasks in it.
    fn end_finish(&mut self, owner: usize) {
        let finish = self.scopes[owner].pop().expect("it has one");
        let depth = self.tree.node(finish).depth();
        for inside in (owner + 1..self.scopes.len()).rev() {
            let node = self.scopes[inside].first().copied();
            if node.is_some_and(|node| self.tree.raise(node, depth) == finish) {
                while self.scopes[inside].len() > 1 {
                    self.end_finish(inside);
                }
                self.scopes[inside].clear();
                let home = FinishId::new(self.homes[inside]);
                self.layer.end(task(inside as u32), home);
            }
        }
        let finish = FinishId::new(finish);
        self.layer
            .finish_end(finish, task(owner as u32), &self.tree);
    }

    fn strand(&mut self, of: usize) {
        let scope = *self.scopes[of].last().expect("there is one");
        let strand = self.tree.push(scope, NodeKind::Strand, task(of as u32));
        self.layer.enter(strand, task(of as u32));
        self.strands.push(strand);
    }
}

#[test]
fn a_mark_is_followed_by_all_that_follows_a_marked_strand() {
    const MARKS: usize = 4;
    let mut random = Random(0x853C_49E6_748F_EA9B);
    let mut followed = 0;
    for round in 0..60 {
        let mut run = Run::new(&mut random, 5, 2);
        for _ in 0..40 + round {
            run.step(&mut random, 2);
            run.mark_arrival(&mut random, MARKS);
        }
        for number in 0..MARKS as u32 {
            let mark = Mark::new(number);
            for &b in &run.strands {
                let follows = |&(of, at): &(Mark, NodeIndex)| {
                    of == mark
                        && (at == b
                            || run.tree.precedes(at, b)
                            || run.layer.reaches_if(at, b, &run.tree, |_| true))
                };
                let right = run.marked.iter().any(follows);
                assert_eq!(run.layer.follows(mark, b), right, "{mark:?} before {b}");
                followed += usize::from(right);
            }
        }
    }
    assert!(followed > 1000, "{followed} times");
}

#[test]
fn every_way_to_answer_agrees_with_a_plain_search() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for round in 0..120 {
        let fan = if round % 2 == 0 { 2 } else { 40 };
        let mut run = Run::new(&mut random, 40 + round * 2, fan);
        let strands = run.strands.clone();
        for &b in strands.iter().rev() {
            for &a in strands.iter().filter(|&&a| a < b) {
                let right = run.layer.reaches_if(a, b, &run.tree, |_| true);
                assert_eq!(run.layer.reaches(a, b, &run.tree), right, "{a} to {b}");
            }
        }
    }
}

#[test]
fn a_laid_out_cone_agrees_with_a_plain_search() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..40 {
        let mut run = Run::new(&mut random, 400, 3 + round % 20);
        let knots = run.layer.knots.len() as KnotIndex;
        for knot in [knots - 1, knots / 2] {
            let b = (0..run.layer.entries.end()).rev();
            let mut b = b.filter(|&b| run.layer.entry(b) == knot);
            let b = b.next();
            let Some(b) = b else { continue };
            run.layer.lay_out_after(50 + round * 10, knot, &run.tree);
            for &a in run.strands.iter().filter(|&&a| a < b) {
                let right = run.layer.reaches_if(a, b, &run.tree, |_| true);
                assert_eq!(run.layer.reaches(a, b, &run.tree), right, "{a} to {b}");
            }
        }
    }
}

/// How many knots the search for one more question passes.
fn steps(layer: &mut Layer, a: NodeIndex, b: NodeIndex, tree: &Tree) -> usize {
    let entry = layer.entry(b);
    layer.search(a, entry, tree).1
}

#[test]
fn a_long_chain_is_passed_once_for_each_earlier_strand() {
    let mut tree = Tree::new();
    let mut layer = Layer::new();
    let parallel = tree.push(ROOT, NodeKind::Task, task(1));
    let straggler = tree.push(parallel, NodeKind::Strand, task(1));
    let chain = tree.push(ROOT, NodeKind::Task, task(2));
    let mut last = tree.push(chain, NodeKind::Strand, task(2));
    let mut total = 0;
    for number in 3..5000 {
        let node = tree.push(ROOT, NodeKind::Task, task(number));
        layer.arrive(task(number), &[last], &tree);
        last = tree.push(node, NodeKind::Strand, task(number));
        layer.enter(last, task(number));
        total += steps(&mut layer, straggler, last, &tree);
    }
    assert!(total < 4 * 5000, "{total} steps");
}

/// Some strands of a run, the nodes above them, and the tasks that go on or that they belong to.
struct Some {
    nodes: FxHashSet<NodeIndex>,
    tasks: FxHashSet<TaskId>,
}

impl Some {
    fn of(run: &Run, strands: &[NodeIndex]) -> Self {
        let mut some = Self {
            nodes: FxHashSet::default(),
            tasks: FxHashSet::default(),
        };
        for &strand in strands {
            some.tasks.insert(run.tree.task(strand));
            let mut at = strand;
            while some.nodes.insert(at) {
                at = run.tree.parent(at);
            }
        }
        let goes_on = (0..run.scopes.len()).filter(|&at| !run.scopes[at].is_empty());
        some.tasks.extend(goes_on.map(|at| task(at as u32)));
        some
    }
}

impl Wanted for Some {
    fn node(&self, node: NodeIndex) -> bool {
        self.nodes.contains(&node)
    }

    fn task(&self, task: TaskId) -> bool {
        self.tasks.contains(&task)
    }

    fn piece(&self, _strand: NodeIndex, _above: NodeIndex) -> u32 {
        0
    }
}

#[test]
fn what_is_wanted_is_answered_alike_after_the_rest_is_forgotten() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for round in 0..300 {
        let fan = [1, 2, 5, 40][round % 4];
        let mut run = Run::new(&mut random, 30, fan);
        let mut whole = run.layer.clone();
        for _ in 0..6 {
            let few = 2 + random.below(10);
            let mut some = run.strands.clone();
            let last = some.pop();
            some.retain(|_| random.below(few) == 0);
            some.extend(last);
            let wanted = Some::of(&run, &some);
            run.layer.prune(&run.tree, &wanted, |_| ());
            assert!(run.layer.knots.len() <= whole.knots.len() + run.layer.ended.len());
            // From here on, edges leave wanted strands and new ones; both layers are told the same.
            run.strands = some;
            for _ in 0..12 {
                let mut twin = run.branch(whole);
                let before = random.0;
                run.step(&mut random, fan);
                let mut again = Random(before);
                twin.step(&mut again, fan);
                whole = twin.layer;
            }
            for &b in &run.strands {
                for &a in run.strands.iter().filter(|&&a| a < b) {
                    let right = whole.reaches_if(a, b, &run.tree, |_| true);
                    assert_eq!(run.layer.reaches(a, b, &run.tree), right, "{a} to {b}");
                }
            }
        }
    }
}
