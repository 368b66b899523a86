//! A `bool` has bits that are none; the message says what to use.

fn main() {
    heddle::Shared::new(true);
}
