//! Order: which strands may run in parallel.
//!
//! [`tree`] is what spawns and finishes say of two strands; [`layer`] adds edges of any other kind. The engine of
//! `heddle-rt` joins the two. Serial runs of structured programs need neither: see [`bags`](crate::bags).

pub mod layer;
pub mod tree;
