//! Arbitrary text as a `.task` program: a program or errors, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let _ = heddle_lang::expectations(source);
    if let Err(errors) = heddle_lang::compile("fuzz.task", source) {
        assert!(!errors.is_empty());
    }
});
