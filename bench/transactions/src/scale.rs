//! Sizes: many transactions, long cycles, and the formulas that make the question hard.
//!
//! Huang, chapter 4: a formula of three literals per clause becomes a program whose one cut can be seen iff the
//! formula is satisfiable. Random formulas are hardest at 4.26 clauses per variable. They are checked as a user
//! would check them, so those that take too long are left undecided.

use std::fmt::Write as _;

/// A program of some size, and whether one of its cuts can be seen, where that is known.
pub struct Sized {
    /// What it is called in the table.
    pub name: String,
    /// Its source.
    pub source: String,
    /// How many cycles there are.
    pub cycles: Option<u64>,
}

/// All of them, the largest first, so that the memory it takes is the most that was taken.
pub fn programs() -> Vec<Sized> {
    let mut all = vec![
        sized("10^5 transactions, 10^6 accesses", MANY.into(), Some(0)),
        sized("40 sweeps by 50 tasks each", SWEEPS.into(), Some(0)),
        sized("10 000 tasks that update 64 buckets", BUCKETS.into(), None),
        sized("two loops of 20 000 transactions", LOOPS.into(), None),
        sized("10 000 tasks with one defect", TASKS.into(), Some(1)),
        sized("a chain of 20 000 tasks", CHAIN.into(), Some(0)),
        sized("a ring of 12 tasks", ring(12), Some(12)),
    ];
    for variables in [3, 5, 10, 20, 50] {
        let name = format!("a formula of {variables} variables");
        all.push(sized(&name, formula(variables), None));
    }
    all
}

fn sized(name: &str, source: String, cycles: Option<u64>) -> Sized {
    Sized {
        name: name.into(),
        source,
        cycles,
    }
}

const MANY: &str = "shared a[10000], total;
finish {
  for i in 0..10000 {
    async {
      for k in 0..10 {
        for j in 0..9 { a[i] = a[i] + 1; }
        cut;
      }
      total = total + a[i];
    }
  }
}
";

const SWEEPS: &str = "shared a[5000];
for sweep in 0..40 {
  finish {
    for t in 0..50 {
      async { for i in 0..100 { a[t * 100 + i] = a[t * 100 + i] + sweep; cut; } }
    }
  }
}
";

const BUCKETS: &str = "shared bucket[64], count[64];
finish {
  for i in 0..10000 {
    async {
      for k in 0..5 {
        bucket[(i + 13 * k) % 64] = bucket[(i + 13 * k) % 64] + 1; cut;
        count[(i + 13 * k) % 64] = count[(i + 13 * k) % 64] + 1; cut;
      }
    }
  }
}
";

const LOOPS: &str = "shared a[20000];
finish {
  async { for i in 0..20000 { a[i] = 1; cut; } }
  async { for i in 0..20000 { a[i] = 2; cut; } }
}
";

const TASKS: &str = "shared x, y;
finish { for i in 0..10000 { async { x = x + 1; cut; y = y + 1; } } }
";

const CHAIN: &str = "shared a[20001];
finish { for i in 0..20000 { async { write a[i]; cut; write a[i + 1]; } } }
";

/// Each task shares a cell with the next, the last with the first.
fn ring(tasks: usize) -> String {
    let mut source = format!("shared a[{tasks}];\nfinish {{\n");
    for i in 0..tasks {
        let next = (i + 1) % tasks;
        let _ = writeln!(source, "  async {{ write a[{i}]; cut; write a[{next}]; }}");
    }
    source + "}\n"
}

/// A vertex of the thesis's graph: a layer and a place in it.
type Vertex = (usize, usize);

/// The program of a random formula with this many variables.
fn formula(variables: usize) -> String {
    let clauses = random_clauses(variables, (variables as f64 * 4.26).round() as usize);
    let literals = 2 * variables;
    // P, the variables, Q, the clauses from the last to the first, R.
    let of_variable = |variable: usize| 1 + variable;
    let of_clause = |clause: usize| 1 + variables + clauses.len() - clause;
    let width = |layer: usize| match layer {
        _ if layer == 0 || layer == 1 + variables => 1,
        _ if layer <= variables => 2,
        _ if layer <= 1 + variables + clauses.len() => 3,
        _ => 1,
    };
    let last = 2 + variables + clauses.len();
    let mut edges: Vec<(Vertex, Vertex)> = Vec::new();
    for layer in 0..last {
        for one in 0..width(layer) {
            edges.extend((0..width(layer + 1)).map(|two| ((layer, one), (layer + 1, two))));
        }
    }
    let of = |vertex: Vertex| {
        let mut text = String::new();
        for (number, &(one, two)) in edges.iter().enumerate() {
            if one == vertex {
                let _ = write!(text, "write e[{number}]; ");
            } else if two == vertex {
                let _ = write!(text, "read e[{number}]; ");
            }
        }
        text
    };
    let mut source = format!("shared e[{}];\nfinish {{\n", edges.len());
    let _ = writeln!(source, "async {{ {}cut; {}}}", of((0, 0)), of((last, 0)));
    let _ = writeln!(source, "async {{ {}}}", of((1 + variables, 0)));
    for literal in 0..literals {
        let mut inside = String::new();
        for (number, clause) in clauses.iter().enumerate() {
            for place in (0..3).filter(|&place| clause[place] == literal) {
                let _ = write!(inside, "async {{ {}}} ", of((of_clause(number), place)));
            }
        }
        let own = of((of_variable(literal / 2), literal % 2));
        let _ = writeln!(source, "async {{ finish {{ {inside}}} {own}}}");
    }
    source + "}\n"
}

/// Clauses of three different variables; a literal is twice the variable, and one more if it is negated.
fn random_clauses(variables: usize, clauses: usize) -> Vec<[usize; 3]> {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut draw = |below: usize| {
        // Xorshift: the same formulas on every machine.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
    (0..clauses)
        .map(|_| {
            let mut chosen: Vec<usize> = Vec::new();
            while chosen.len() < 3 {
                let variable = draw(variables);
                if !chosen.contains(&variable) {
                    chosen.push(variable);
                }
            }
            [0, 1, 2].map(|place| 2 * chosen[place] + draw(2))
        })
        .collect()
}
