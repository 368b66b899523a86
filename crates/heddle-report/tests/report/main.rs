//! Reports on hand-built outcomes.

mod formats;
mod json;
mod native;
mod scene;
mod text;
mod torn;
mod transactions;
