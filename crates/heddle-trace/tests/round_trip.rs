//! What is written is read back, whatever the run and wherever the legend stands.

mod streams;

use heddle_check::check;
use heddle_core::*;
use heddle_trace::{Limits, Trace, Validator, Writer};
use proptest::prelude::*;
use streams::{ALL_FEATURES, Recorded, run, runs, sample};

fn replay<B: AsRef<[u8]>>(trace: &mut Trace<B>) -> Vec<Event> {
    let mut events = Vec::new();
    trace.run(&mut events);
    events
}

fn assert_same(trace: &mut Trace, recorded: &Recorded) {
    assert_eq!(trace.features(), recorded.features);
    assert_eq!(trace.legend, recorded.legend);
    assert_eq!(trace.event_count(), recorded.events.len() as u64);
    assert_eq!(replay(trace), recorded.events);
}

struct Live<'a>(&'a Recorded);

impl Run for Live<'_> {
    fn features(&self) -> Features {
        self.0.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.0.events.iter().for_each(|event| listener.on(*event));
    }
}

proptest! {
    #[test]
    fn every_run_comes_back_and_replays_any_number_of_times(recorded in runs(400)) {
        let mut trace = Trace::read(recorded.bytes()).expect("undamaged");
        assert_same(&mut trace, &recorded);
        assert_same(&mut trace, &recorded);
    }

    #[test]
    fn live_and_recorded_runs_give_the_same_findings(recorded in runs(200)) {
        let mut trace = Trace::read(recorded.bytes()).expect("undamaged");
        for order in [OrderChoice::Auto, OrderChoice::Bags, OrderChoice::Tree, OrderChoice::Graph] {
            prop_assert_eq!(check(&mut trace, order), check(&mut Live(&recorded), order));
        }
    }

    #[test]
    fn the_validator_takes_every_well_formed_run(recorded in runs(400)) {
        let mut validator = Validator::new(recorded.features, Limits::of(&recorded.legend));
        for event in &recorded.events {
            prop_assert_eq!(validator.step(*event), Ok(()), "{:?}", event);
        }
        prop_assert_eq!(validator.finish(), Ok(()));
    }
}

#[test]
fn the_sample_has_every_kind_of_event_that_does_not_stop_a_run() {
    let kinds = |event: &Event| std::mem::discriminant(event);
    let found: std::collections::HashSet<_> = sample().events.iter().map(kinds).collect();
    assert_eq!(found.len(), 24, "all 26 but Stuck and Fault");
}

#[test]
fn a_run_of_many_blocks_comes_back() {
    let choices: Vec<u32> = (0..400_000u32)
        .map(|n| n.wrapping_mul(2_654_435_761) >> 3)
        .collect();
    let choices: Vec<u32> = choices
        .into_iter()
        .filter(|choice| choice % 32 > 4)
        .collect();
    let recorded = run(ALL_FEATURES, &choices);
    let bytes = recorded.bytes();
    assert!(bytes.len() > 5 * 64 * 1024);
    assert_same(&mut Trace::read(bytes).expect("undamaged"), &recorded);
}

#[test]
fn the_last_legend_counts_wherever_it_stands() {
    let recorded = sample();
    let write = |first: Option<&Legend>, middle: Option<&Legend>, last: Option<&Legend>| {
        let mut writer = Writer::new(Vec::new(), &recorded.features, first);
        let (left, right) = recorded.events.split_at(recorded.events.len() / 2);
        left.iter().for_each(|event| writer.on(*event));
        middle.into_iter().for_each(|legend| writer.legend(legend));
        right.iter().for_each(|event| writer.on(*event));
        writer.finish(last).expect("vectors take everything")
    };
    let (old, new) = (Legend::default(), &recorded.legend);
    for (first, middle, last) in [
        (Some(new), None, None),
        (Some(&old), Some(new), None),
        (Some(&old), Some(&old), Some(new)),
        (None, None, Some(new)),
    ] {
        let bytes = write(first, middle, last);
        assert_same(&mut Trace::read(bytes).expect("undamaged"), &recorded);
    }
    let mut without = Trace::read(write(None, None, None)).expect("a legend is not needed");
    assert_eq!(replay(&mut without), recorded.events);
    assert_eq!(without.legend, Legend::default());
}

#[test]
fn notes_come_back_in_sequence_and_slices_are_read_in_place() {
    let mut writer = Writer::new(Vec::new(), &Features::default(), None);
    writer.note("command", "heddle record a.task");
    writer.on(Event::End { task: TaskId::MAIN });
    writer.note("größe", "");
    let bytes = writer.finish(None).expect("vectors take everything");
    let mut trace = Trace::read(&bytes[..]).expect("undamaged");
    assert_eq!(replay(&mut trace), [Event::End { task: TaskId::MAIN }]);
    let notes = [("command", "heddle record a.task"), ("größe", "")];
    assert_eq!(
        trace.notes,
        notes.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
}

#[test]
fn a_flushed_writer_that_is_dropped_leaves_all_its_events() {
    let recorded = sample();
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &recorded.features, Some(&recorded.legend));
    recorded.events.iter().for_each(|event| writer.on(*event));
    writer.flush();
    drop(writer);
    let mut damaged = Trace::read(file).expect_err("never finished");
    assert_same(&mut damaged.readable, &recorded);
}
