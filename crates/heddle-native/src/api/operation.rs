//! What in the program's own code an access is part of.

use super::dependence::{self, Way};
use crate::access::site;
use crate::report::calls;
use crate::report::modules::modules;
use crate::report::statement::statement;
use crate::report::symbols::{At, Symbols};
use heddle_core::AccessKind;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fs;
use std::hash::BuildHasher;

/// One operation of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// Where its statement begins; none if that is not known.
    pub(super) place: Option<At>,
    pub(super) kind: AccessKind,
    /// The position that stands for all operations of this sort there.
    pub(super) site: u32,
}

/// What was looked up.
#[derive(Default)]
pub(super) struct Operations {
    places: FxHashMap<usize, Option<At>>,
    /// By path; empty if it cannot be read.
    sources: FxHashMap<String, String>,
    sites: FxHashMap<(At, AccessKind), u32>,
    symbols: Option<Symbols<'static>>,
}

impl Operations {
    /// The operation that the access at `pc` is part of.
    pub(super) fn at(&mut self, kind: AccessKind, pc: usize) -> Operation {
        let place = self.place(pc);
        let own = site(pc).raw();
        let site = match &place {
            Some(place) => *self.sites.entry((place.clone(), kind)).or_insert(own),
            None => own,
        };
        Operation { place, kind, site }
    }

    /// The calls in the program's own code that led to `pc`, where the thread is.
    pub(super) fn way(&mut self, pc: usize) -> Way {
        let calls = calls::calls();
        let Some(below) = calls.iter().position(|&call| call == pc) else {
            return dependence::UNKNOWN;
        };
        let own = calls[below..].iter();
        let places: Vec<At> = own.filter_map(|&call| self.known_place(call)).collect();
        FxBuildHasher.hash_one(places)
    }

    /// Where in the program's own code this is.
    fn place(&mut self, pc: usize) -> Option<At> {
        if let Some(known) = self.known_place(pc) {
            return Some(known);
        }
        let calls = calls::calls();
        let below = calls.iter().position(|&call| call == pc)?;
        let mut callers = calls[below + 1..].iter();
        callers.find_map(|&call| self.known_place(call))
    }

    fn known_place(&mut self, pc: usize) -> Option<At> {
        if !self.places.contains_key(&pc) {
            let own = self.own_place(pc);
            self.places.insert(pc, own);
        }
        self.places[&pc].clone()
    }

    fn own_place(&mut self, pc: usize) -> Option<At> {
        let symbols = self.symbols.get_or_insert_with(|| Symbols::new(modules()));
        let spots = symbols.call(pc).into_iter();
        let mut own = spots.filter(|spot| !spot.is_of_system());
        let at = own.find_map(|spot| spot.at)?;
        let source = self.sources.entry(at.file.clone());
        let source = source.or_insert_with(|| fs::read_to_string(&at.file).unwrap_or_default());
        let (line, column) = statement(source, at.line, at.column);
        Some(At { line, column, ..at })
    }
}
