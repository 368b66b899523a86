//! Everything that ever touched a unit: Fig. 3 of the paper, the reference for the other histories.
//!
//! # Deviation
//! As printed, an access is only tried as the *last* of a triple, so that a pair is not torn by an access
//! observed after it. Here it is tried as the middle one too.
//!
//! # Cost
//! Quadratic in the accesses per unit, for each access.

use super::{History, Running, Tears, Touch, row};
use crate::atomicity::region::RegionId;
use crate::atomicity::unit::UnitId;
use crate::order::Order;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Basic {
    cells: Vec<Vec<(RegionId, Touch)>>,
}

impl<O: Order> History<O> for Basic {
    fn access<T: Tears>(&mut self, unit: UnitId, now: Touch, mut run: Running<'_, O>, to: &mut T) {
        let region = run.regions.current();
        let past = row(&mut self.cells, unit);
        for &(_, first) in past.iter().filter(|(of, _)| *of == region) {
            let pair = run.pair(first, now);
            for &(_, middle) in past.iter().filter(|(of, _)| *of != region) {
                run.try_middle(unit, pair, middle, to);
            }
        }
        for (n, &(of, last)) in past.iter().enumerate().filter(|(_, (of, _))| *of != region) {
            for &(_, first) in past[..n].iter().filter(|(other, _)| *other == of) {
                let pair = run.pair(first, last);
                run.try_pair(unit, pair, now, to);
            }
        }
        past.push((region, now));
    }
}
