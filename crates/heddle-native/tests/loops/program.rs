//! A C program of drawn loops that calls them in pairs: the two calls of a pair in parallel, the pairs one
//! after the other on the same arrays.

use super::code::{Call, Element, Function, Line};
use super::draw::{self, Dice};

#[derive(Clone)]
pub struct Program {
    pub functions: Vec<Function>,
    /// No two of the same two functions: lines then tell the pairs apart.
    pub pairs: Vec<[Call; 2]>,
}

/// What stands in a line of the program: which function, and which of its statements.
pub type Owner = (usize, Option<usize>);

impl Program {
    /// Draws so many functions, and at most so many pairs of calls.
    pub fn draw(seed: u64, functions: usize, pairs: usize) -> Self {
        let mut dice = Dice::new(seed);
        let kinds = Element::ALL.iter().cycle();
        let functions: Vec<_> = kinds
            .take(functions)
            .map(|element| draw::function(&mut dice, *element))
            .collect();
        let all = (0..functions.len()).flat_map(|left| (0..=left).map(move |right| [left, right]));
        let calls = all.filter_map(|pair| draw::pair(&mut dice, &functions, pair));
        let pairs = spread(calls.collect(), pairs);
        Self { functions, pairs }
    }

    /// The program with nothing but one pair in it.
    pub fn only(&self, pair: usize) -> Self {
        let calls = self.pairs[pair];
        let functions = calls.map(|call| self.functions[call.function].clone());
        let renumbered = [0, 1].map(|number| Call {
            function: number,
            ..calls[number]
        });
        Self {
            functions: functions.into(),
            pairs: vec![renumbered],
        }
    }

    pub fn text(&self) -> String {
        let lines = self.lines().into_iter().map(|(_, text)| text + "\n");
        lines.collect()
    }

    /// What stands in each line, the first being line 1.
    pub fn owners(&self) -> Vec<Option<Owner>> {
        let lines = self.lines().into_iter().map(|(owner, _)| owner);
        std::iter::once(None).chain(lines).collect()
    }

    fn lines(&self) -> Vec<(Option<Owner>, String)> {
        let plain = |text: String| {
            let lines = text.lines().map(|line| (None, line.to_owned()));
            lines.collect::<Vec<_>>()
        };
        let mut lines = plain(format!("#include <stdio.h>\n{}", Element::declarations()));
        for (number, function) in self.functions.iter().enumerate() {
            let own = function.lines(number).into_iter();
            lines.extend(own.map(|Line { text, statement }| (Some((number, statement)), text)));
        }
        lines.extend(plain(self.main()));
        lines
    }

    fn main(&self) -> String {
        let rows = self.pairs.iter().map(|pair| {
            let [left, right] = pair.each_ref().map(|call| self.call(call));
            format!("    {{{left}, {right}}},\n")
        });
        let (rows, count) = (rows.collect::<String>(), self.pairs.len());
        format!(
            "\
typedef void function(void *, void *, int, int);
struct call {{ function *function; void *first, *second; int from, to; }};
static const struct call calls[][2] = {{
{rows}}};
static void make(const struct call *call)
{{
    call->function(call->first, call->second, call->from, call->to);
}}
int main(void)
{{
    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < {count}; k++) {{
        #pragma omp task
        make(&calls[k][0]);
        #pragma omp task
        make(&calls[k][1]);
        #pragma omp taskwait
    }}
    return 0;
}}
"
        )
    }

    fn call(&self, call: &Call) -> String {
        let function = &self.functions[call.function];
        let (p, q) = (function.p.array(), function.q.array());
        format!(
            "{{f{}, {p} + {}, {q} + {}, {}, {}}}",
            call.function, call.p, call.q, call.from, call.to
        )
    }
}

/// At most so many of them, evenly.
fn spread<T>(all: Vec<T>, count: usize) -> Vec<T> {
    let step = all.len().div_ceil(count).max(1);
    all.into_iter().step_by(step).collect()
}
