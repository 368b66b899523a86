//! Live and recorded runs of the example programs agree, and the live ones keep the rules.

use std::fs;
use std::path::Path;

use heddle_check::check;
use heddle_core::{Event, Features, Listener, OrderChoice, Run};
use heddle_lang::machine::Code;
use heddle_lang::{Program, compile};
use heddle_trace::{Limits, Trace, Validator, Writer};

fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(folder).expect("the examples are there");
    let paths = files.map(|file| file.expect("readable").path());
    let tasks = paths.filter(|path| path.extension().is_some_and(|name| name == "task"));
    tasks.map(|path| program(&path)).collect()
}

fn program(path: &Path) -> (String, Program) {
    let path_text = path.display().to_string();
    let source = fs::read_to_string(path).expect("readable");
    let program = compile(&path_text, &source).expect("the examples compile");
    (path_text, program)
}

struct Live(Features, Code);

impl Run for Live {
    fn features(&self) -> Features {
        self.0
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.1.run(listener, &mut |_| {});
    }
}

fn live(program: &Program) -> Live {
    Live(program.features, Code::new(program))
}

fn record(program: &Program) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &program.features, Some(&program.legend));
    live(program).run(&mut writer);
    writer.finish(None).expect("vectors take everything")
}

#[test]
fn live_runs_keep_the_rules() {
    for (path, program) in programs() {
        let mut validator = Validator::new(program.features, Limits::of(&program.legend));
        live(&program).run(&mut validator);
        assert_eq!(validator.finish(), Ok(()), "{path}");
    }
}

#[test]
fn a_recorded_run_is_the_live_run() {
    for (path, program) in programs() {
        let mut events: Vec<Event> = Vec::new();
        live(&program).run(&mut events);
        let mut trace = Trace::read(record(&program)).expect("undamaged");
        assert_eq!(trace.events().collect::<Vec<_>>(), events, "{path}");
        assert_eq!(trace.legend, program.legend, "{path}");
        let found = check(&mut live(&program), OrderChoice::Auto);
        assert_eq!(check(&mut trace, OrderChoice::Auto), found, "{path}");
    }
}

/// What `docs/trace-format.md` says of sizes.
#[test]
fn an_event_takes_between_two_and_three_bytes() {
    let (mut events, mut bytes) = (0, 0);
    for (_, program) in programs() {
        let empty = Writer::new(Vec::new(), &program.features, Some(&program.legend));
        let frame = empty.finish(None).expect("vectors take everything").len();
        let file = record(&program);
        bytes += file.len() - frame;
        events += Trace::read(file).expect("undamaged").event_count() as usize;
    }
    assert!(
        (2 * events..3 * events).contains(&bytes),
        "{bytes} bytes, {events} events"
    );
}
