//! What the trace targets have in common: whatever can be read, whole or damaged, must replay,
//! survive another round trip, and be checked by every engine without a panic.

use heddle_check::check;
use heddle_core::OrderChoice;
use heddle_trace::{Limits, Trace, Validator, Writer};

/// Small enough that a detector's memory stays far below the fuzzer's limit.
const LIMITS: Limits = Limits {
    sites: u64::MAX,
    names: u64::MAX,
    extent: 1 << 20,
    spread: 1 << 12,
};

/// Reads `bytes` and does with the result all that Heddle would.
pub fn read_and_use(bytes: &[u8]) {
    match Trace::read_within(bytes, LIMITS) {
        Ok(mut trace) => use_trace(&mut trace, Close::Proper),
        Err(mut damaged) => {
            assert!(damaged.offset <= bytes.len() as u64);
            assert!(!damaged.to_string().is_empty());
            use_trace(&mut damaged.readable, Close::Missing);
        }
    }
}

/// Whether a stream must have come to its end.
#[derive(PartialEq)]
enum Close {
    Proper,
    Missing,
}

fn use_trace(trace: &mut Trace<&[u8]>, close: Close) {
    assert_eq!(trace.events().count() as u64, trace.event_count());
    validate(trace, &close);
    if close == Close::Proper {
        rewrite(trace);
    }
    for order in [
        OrderChoice::Auto,
        OrderChoice::Bags,
        OrderChoice::Tree,
        OrderChoice::Graph,
    ] {
        // Refusing an order is an answer; only panics count.
        let _ = check(trace, order);
    }
}

/// The reader let through only what the validator takes.
fn validate(trace: &Trace<&[u8]>, close: &Close) {
    let mut validator = Validator::new(trace.features, LIMITS);
    for event in trace.events() {
        validator.step(event).expect("validated when read");
    }
    assert!(*close == Close::Missing || validator.finish().is_ok());
}

/// Writing what was read gives a trace of the same run.
fn rewrite(trace: &Trace<&[u8]>) {
    let mut writer = Writer::new(Vec::new(), &trace.features, None);
    trace
        .events()
        .for_each(|event| heddle_core::Listener::on(&mut writer, event));
    let bytes = writer.finish(None).expect("vectors take everything");
    let again = Trace::read_within(bytes, LIMITS).expect("just written");
    assert!(again.events().eq(trace.events()));
}
