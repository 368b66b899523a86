//! Task-parallel Rust, checked for races in every schedule by an ordinary test.

mod context;
mod session;
mod sites;
