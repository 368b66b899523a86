//! Every example and figure of Huang's chapters 1 to 4, as programs.

mod bench;
mod chapters;
mod examples;
mod locks;
mod order;
mod strategies;

use heddle_core::{Certainty, Decision, Features, Finding, Guarantee, Listener, Run, Separation};
use heddle_lang::Program;
use heddle_lang::cuts::Cuts;
use heddle_lang::machine::{Code, Plan};
use heddle_transactions::{Checked, Exact, Options, Rejected, check, settle};

/// A program that is run for real.
struct Live {
    code: Code,
    program: Program,
}

impl Live {
    fn new(source: &str, cuts: Cuts) -> Self {
        let mut program = heddle_lang::compile("a.task", source).expect("the program is right");
        program.features.cuts = true;
        let code = Code::with_cuts(&program, cuts);
        Self { code, program }
    }
}

impl Run for Live {
    fn features(&self) -> Features {
        self.program.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

fn options(exact: Exact) -> Options {
    Options {
        exact,
        count: true,
        ..Options::default()
    }
}

fn try_with(source: &str, cuts: Cuts, exact: Exact) -> Result<(Live, Checked), Rejected> {
    let mut live = Live::new(source, cuts);
    let mut checked = check(&mut live, &options(exact))?;
    settle(&mut checked, |witness, log| {
        let plan = Plan {
            tasks: witness
                .tasks
                .iter()
                .map(|(&key, &task)| (key, task))
                .collect(),
            turns: witness.turns.clone(),
        };
        live.code.run_planned(&plan, log)
    });
    Ok((live, checked))
}

/// The findings about transactions: locations, decision.
fn found(source: &str) -> Vec<(String, Decision)> {
    found_with(source, Cuts::Manual)
}

fn found_with(source: &str, cuts: Cuts) -> Vec<(String, Decision)> {
    let (live, checked) = try_with(source, cuts, Exact::Quick).expect("nothing is rejected");
    let mut found: Vec<_> = separations(&checked)
        .map(|one| (location(&live, one), one.decision))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup();
    found
}

fn separations(checked: &Checked) -> impl Iterator<Item = &Separation> {
    checked
        .outcome
        .findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::Transaction(separation) => Some(&**separation),
            _ => None,
        })
}

fn location(live: &Live, separation: &Separation) -> String {
    let names = separation.places.iter().map(|place| {
        let name = place.name.and_then(|name| live.program.legend.name(name));
        match place.index {
            None => name.unwrap_or("?").to_owned(),
            Some(index) => format!("{}[{index}]", name.unwrap_or("?")),
        }
    });
    names.collect::<Vec<_>>().join(",")
}

fn guarantee(source: &str) -> Guarantee {
    let (_, checked) = try_with(source, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    checked.outcome.guarantee
}

fn certain(checked: &Checked) -> usize {
    separations(checked)
        .filter(|one| one.certainty == Certainty::Certain)
        .count()
}
