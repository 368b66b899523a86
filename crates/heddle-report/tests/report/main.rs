//! Reports on hand-built outcomes.

mod json;
mod scene;
mod text;
