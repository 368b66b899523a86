//! The `heddle` command.
fn main() {}
