//! placeholder
use super::{Observer, Search};
use crate::program::Program;
pub(super) fn explore<'p, P: Program, O: Observer<P::Run<'p>>>(search: &mut Search<'_, 'p, P, O>) {
    super::tree::explore(search)
}
