//! Arbitrary files: as they are, and with their checksums made right, so that the fuzzer sees what
//! lies behind them.

#![no_main]

use heddle_fuzz::read_and_use;
use heddle_trace::reseal;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read_and_use(bytes);
    let mut sealed = bytes.to_vec();
    reseal(&mut sealed);
    read_and_use(&sealed);
});
