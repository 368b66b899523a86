//! Chapter 4: from a 3cnf formula to a cut program whose cut can be seen iff the formula is satisfiable.
//!
//! The function F of section 4.2. All its threads have one transaction but one, which is cut between
//! t_p and t_r. For each access interaction edge of step 5 there is one variable, written at one
//! end and read at the other. "Spawn and sync" is `async` inside `finish`; helper and dummy
//! vertices access nothing.

use std::fmt;

use super::tree::{CutProgram, Item, Style};

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The variable's number.
    pub variable: u8,
    /// Whether the literal is its negation.
    pub is_negated: bool,
}

/// Three literals, one of which must be true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clause(pub [Literal; 3]);

/// A 3cnf formula with at least one clause. Its variables are those that occur in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// All must hold.
    pub clauses: Vec<Clause>,
}

/// A vertex of the graph that accesses something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Vertex {
    P,
    Q,
    R,
    /// A variable vertex.
    Literal(Literal),
    /// A clause vertex: the clause and the position in it.
    Position(usize, usize),
}

impl Formula {
    /// The formula of the thesis's example:
    /// (x1 or x2 or x2) and (not x1 or x2 or not x3) and (x1 or x3 or not x3).
    pub fn example() -> Self {
        let yes = |variable| Literal {
            variable,
            is_negated: false,
        };
        let no = |variable| Literal {
            variable,
            is_negated: true,
        };
        let clauses = vec![
            Clause([yes(1), yes(2), yes(2)]),
            Clause([no(1), yes(2), no(3)]),
            Clause([yes(1), yes(3), no(3)]),
        ];
        Self { clauses }
    }

    /// Whether some assignment of truth values satisfies every clause: all are tried.
    pub fn is_satisfiable(&self) -> bool {
        let variables = self.variables();
        (0..1u64 << variables.len()).any(|assignment| {
            let is_true = |literal: &Literal| {
                let place = variables.iter().position(|&x| x == literal.variable);
                let value = place.is_some_and(|place| assignment >> place & 1 == 1);
                value != literal.is_negated
            };
            let mut clauses = self.clauses.iter();
            clauses.all(|clause| clause.0.iter().any(is_true))
        })
    }

    /// The program F makes of this formula.
    pub fn program(&self) -> CutProgram {
        let edges = self.edges();
        let of = |vertex| accesses(&edges, vertex);
        let torn = [of(Vertex::P), vec![Item::Cut], of(Vertex::R)].concat();
        let mut main = vec![Item::Task(torn), Item::Task(of(Vertex::Q))];
        main.extend(self.literals().into_iter().map(|literal| {
            let mut gadget = Vec::new();
            let mut clauses: Vec<Item> = self
                .positions_of(literal)
                .map(|(clause, place)| Item::Task(of(Vertex::Position(clause, place))))
                .collect();
            if clauses.len() == 1 {
                clauses.push(Item::Task(Vec::new()));
            }
            if !clauses.is_empty() {
                gadget.push(Item::Finish(clauses));
            }
            gadget.extend(of(Vertex::Literal(literal)));
            Item::Task(gadget)
        }));
        CutProgram {
            style: Style::Finish,
            variables: u8::try_from(edges.len()).expect("a small formula"),
            main,
        }
    }

    fn variables(&self) -> Vec<u8> {
        let literals = self.clauses.iter().flat_map(|clause| clause.0);
        let mut variables: Vec<u8> = literals.map(|literal| literal.variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn literals(&self) -> Vec<Literal> {
        self.variables().into_iter().flat_map(both).collect()
    }

    /// The literal positions that hold this literal.
    fn positions_of(&self, literal: Literal) -> impl Iterator<Item = (usize, usize)> + '_ {
        let clauses = self.clauses.iter().enumerate();
        clauses.flat_map(move |(n, clause)| {
            let places = (0..3).filter(move |&place| clause.0[place] == literal);
            places.map(move |place| (n, place))
        })
    }

    /// The access interaction edges of step 5.
    fn edges(&self) -> Vec<(Vertex, Vertex)> {
        let mut layers = vec![vec![Vertex::P]];
        for variable in self.variables() {
            layers.push(both(variable).map(Vertex::Literal).to_vec());
        }
        layers.push(vec![Vertex::Q]);
        for n in (0..self.clauses.len()).rev() {
            let positions = [0, 1, 2].map(|place| Vertex::Position(n, place));
            layers.push(positions.to_vec());
        }
        layers.push(vec![Vertex::R]);
        let pairs = layers.windows(2).flat_map(|pair| {
            let (left, right) = (&pair[0], &pair[1]);
            left.iter()
                .flat_map(|&one| right.iter().map(move |&other| (one, other)))
        });
        pairs.collect()
    }
}

fn both(variable: u8) -> [Literal; 2] {
    [false, true].map(|is_negated| Literal {
        variable,
        is_negated,
    })
}

/// What a vertex accesses: one variable per edge, written by the one and read by the other end.
fn accesses(edges: &[(Vertex, Vertex)], vertex: Vertex) -> Vec<Item> {
    let edges = (0..).zip(edges);
    edges
        .filter_map(|(n, (one, other))| match vertex {
            vertex if vertex == *one => Some(Item::Write(n)),
            vertex if vertex == *other => Some(Item::Read(n)),
            _ => None,
        })
        .collect()
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses = self.clauses.iter().map(|clause| {
            let literals = clause.0.map(|literal| {
                let sign = if literal.is_negated { "!" } else { "" };
                format!("{sign}x{}", literal.variable)
            });
            format!("({})", literals.join(" | "))
        });
        f.write_str(&clauses.collect::<Vec<_>>().join(" & "))
    }
}
