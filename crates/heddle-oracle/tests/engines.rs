//! Every engine gives the oracle's verdicts on random event streams.

#[macro_use]
mod classes;

use heddle_oracle::stream::{Class, Mode};
use heddle_oracle::{cases, try_streams};

fn engines_agree(class: Class, mode: Mode) {
    if let Err(wrong) = try_streams(class, mode, cases(400), 1) {
        panic!("{wrong}");
    }
}

in_every_class!(engines_agree);
