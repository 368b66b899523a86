//! What must hold of a random `.task` program.

use heddle_check::check;
use heddle_core::atomicity::Scope;
use heddle_core::{Event, Features, Listener, OrderChoice, Run};
use heddle_lang::eliminate::{Eliminations, eliminate};
use heddle_lang::{ir, machine};
use heddle_trace::{Trace, Writer};

use super::{
    Holds, caught, histories_agree_with_the_oracle, orders_agree_with_the_oracle,
    places_repeat_the_stream,
};
use crate::atoms::verdicts_of;
use crate::oracle::Oracle;
use crate::program::{Case, Subset};
use crate::stream::Recorded;

/// Longer runs are passed over: the oracle is quadratic.
const LONGEST_RUN: usize = 3000;

/// The oracle of atomicity is cubic.
const LONGEST_ATOMIC_RUN: usize = 400;

/// The properties of the source text the program prints as.
pub fn holds_of_case(case: &Case) -> Holds {
    let source = case.program.to_string();
    let holds = caught(|| holds_of_source(&source, case.eliminations));
    holds.map_err(|wrong| format!("{wrong}\n\n{source}"))
}

/// The program compiles; the orders agree with the oracle on its run; recorded, it gives the same
/// outcome as live; eliminations change neither its verdicts nor what it does.
pub fn holds_of_source(source: &str, eliminations: Subset) -> Holds {
    let program = compiled(source)?;
    let ran = Ran::of(&program);
    if ran.events.len() > LONGEST_RUN {
        return Ok(());
    }
    let mut run = ran.recorded(program.features);
    orders_agree_with_the_oracle(&mut run).map_err(|wrong| format!("{wrong}\n\n{run}"))?;
    recorded_equals_live(&program)?;
    places_are_named(&program, &ran)?;
    eliminations
        .sets()
        .try_for_each(|set| eliminations_change_nothing(&program, &ran, set))
}

/// The properties of atomicity hold of the program with its variables declared atomic.
pub fn atomicity_holds_of_case(case: &Case) -> Holds {
    let source = case.program.to_string();
    let holds = caught(|| atomicity_holds_of_source(&source));
    holds.map_err(|wrong| format!("{wrong}\n\n{source}"))
}

/// The first variable is atomic by itself, the next two as a group, the others by themselves. The histories agree
/// with the oracle, recorded and live, and eliminations change no verdict.
fn atomicity_holds_of_source(source: &str) -> Holds {
    let plain = compiled(source)?;
    let program = compiled(&format!("{}{source}", atomics(&plain)))?;
    let ran = Ran::of(&program);
    if ran.events.len() > LONGEST_ATOMIC_RUN {
        return Ok(());
    }
    let mut run = ran.recorded(program.features);
    histories_agree_with_the_oracle(&mut run).map_err(|wrong| format!("{wrong}\n\n{run}"))?;
    recorded_equals_live(&program)?;
    let expected = verdicts_of(&Oracle::of(&ran.events).torn(Scope::Declared));
    let mut program = program;
    eliminate(&mut program, Eliminations::all());
    let found = verdicts_of(&Oracle::of(&Ran::of(&program).events).torn(Scope::Declared));
    match found == expected {
        true => Ok(()),
        false => Err(format!("eliminations leave {found:?} of {expected:?}")),
    }
}

fn atomics(program: &ir::Program) -> String {
    let names = program.shared.iter();
    let names = names.filter_map(|shared| program.legend.name(shared.name));
    match names.collect::<Vec<_>>()[..] {
        [] => String::new(),
        [first, second, third, ref rest @ ..] => {
            let rest = rest.iter().map(|name| format!("atomic {name};\n"));
            format!(
                "atomic {first}, ({second}, {third});\n{}",
                rest.collect::<String>()
            )
        }
        ref few => format!("atomic {};\n", few.join(", ")),
    }
}

/// Compiles a program that must be valid.
pub fn compiled(source: &str) -> Result<ir::Program, String> {
    heddle_lang::compile("random.task", source).map_err(|diagnostics| format!("{diagnostics:?}"))
}

/// A program that runs whenever it is asked to.
#[derive(Debug)]
pub struct Live<'a>(pub &'a ir::Program);

impl Run for Live<'_> {
    fn features(&self) -> Features {
        self.0.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        machine::run(self.0, listener, &mut |_| {});
    }
}

/// What one run did.
struct Ran {
    events: Vec<Event>,
    printed: Vec<i64>,
}

impl Ran {
    fn of(program: &ir::Program) -> Self {
        let (mut events, mut printed) = (Vec::new(), Vec::new());
        machine::run(program, &mut events, &mut |value| printed.push(value));
        Self { events, printed }
    }

    fn recorded(&self, features: Features) -> Recorded {
        Recorded {
            events: self.events.clone(),
            features,
        }
    }

    /// The events that are no accesses.
    fn operations(&self) -> impl Iterator<Item = &Event> {
        let is_access = |event: &&Event| matches!(event, Event::Read { .. } | Event::Write { .. });
        self.events.iter().filter(move |event| !is_access(event))
    }
}

fn places_are_named(program: &ir::Program, ran: &Ran) -> Holds {
    let outcome = check(&mut Live(program), OrderChoice::Auto);
    let outcome = outcome.map_err(|error| format!("Auto refuses the run: {error:?}"))?;
    places_repeat_the_stream(&outcome, &ran.events)
}

fn recorded_equals_live(program: &ir::Program) -> Holds {
    let live = check(&mut Live(program), OrderChoice::Auto);
    let mut writer = Writer::new(Vec::new(), &program.features, Some(&program.legend));
    Live(program).run(&mut writer);
    let bytes = writer.finish(None).map_err(|error| error.to_string())?;
    let mut trace = Trace::read(bytes).map_err(|damaged| format!("unreadable: {damaged:?}"))?;
    if trace.legend != program.legend {
        return Err("the trace has another legend".into());
    }
    let recorded = check(&mut trace, OrderChoice::Auto);
    if recorded != live {
        return Err(format!("live gives {live:?}, recorded {recorded:?}"));
    }
    Ok(())
}

fn eliminations_change_nothing(program: &ir::Program, plain: &Ran, set: Eliminations) -> Holds {
    let mut program = program.clone();
    eliminate(&mut program, set);
    let ran = Ran::of(&program);
    let names: Vec<&str> = set.iter().map(ir::Elimination::name).collect();
    if ran.printed != plain.printed || !ran.operations().eq(plain.operations()) {
        return Err(format!("{names:?} change what the program does"));
    }
    let expected = Oracle::of(&plain.events).verdicts();
    let found = Oracle::of(&ran.events).verdicts();
    if found != expected {
        return Err(format!("{names:?} leave {found:?} of {expected:?}"));
    }
    let mut run = ran.recorded(program.features);
    orders_agree_with_the_oracle(&mut run).map_err(|wrong| format!("with {names:?}, {wrong}"))
}
