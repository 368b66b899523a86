//! Arbitrary events in a proper frame: the first byte says which features are announced, the rest
//! is the contents of one block of events. The shortest way to the validator and the detectors.

#![no_main]

use heddle_core::{Features, Legend};
use heddle_fuzz::read_and_use;
use heddle_trace::{Writer, reseal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((features, events)) = bytes.split_first() else {
        return;
    };
    let mut file = header(*features);
    file.push(b'E');
    file.extend_from_slice(&(events.len() as u32 + 1).to_le_bytes());
    file.extend_from_slice(&[0; 4]);
    file.push(0);
    file.extend_from_slice(events);
    reseal(&mut file);
    read_and_use(&file);
});

fn header(bits: u8) -> Vec<u8> {
    let has = |bit: u8| bits >> bit & 1 == 1;
    let features = Features {
        extra_edges: has(0),
        scope_handles: has(1),
        isolated: has(2),
        locks: has(3),
        choices: has(4),
        cuts: has(5),
        atomics: has(6),
    };
    let mut file = Writer::new(Vec::new(), &features, None)
        .finish(None::<&Legend>)
        .expect("vectors take everything");
    file.truncate(16);
    file
}
