//! A program beside which there is a `heddle.toml` that is wrong.

use super::check;
use heddle::{Shared, join};

#[test]
#[should_panic(expected = "wrong/heddle.toml:2:7")]
fn a_wrong_file_is_an_error_with_its_position() {
    let x = Shared::new(0);
    check(|| {
        join(|| x.set(1), || x.set(2));
    });
}
