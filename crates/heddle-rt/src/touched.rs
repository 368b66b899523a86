//! Whether anything is known of a location.

use crate::engine::Engine;
use crate::states::StateId;
use crate::sync::Ordering;

impl Engine {
    /// Whether an access to this granule is remembered.
    pub fn has_history(&self, granule: u64) -> bool {
        let cell = self.shadow.cell(granule);
        cell.is_some_and(|cell| cell.load(Ordering::Acquire) != StateId::FRESH.0)
    }
}
