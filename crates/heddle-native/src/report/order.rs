//! What the observed order shows (`analysis=velodrome`), in the program's words.

use crate::access::GRANULE;
use crate::api::atomic;
use crate::report::places::Hints;
use crate::report::tables::Tables;
use crate::report::witness::{self, Witnesses};
use crate::runtime::Runtime;
use heddle_core::atomicity::Velodrome;
use heddle_core::{Place, SiteId};
use heddle_rt::{Cycle, Cycles};
use std::collections::HashSet;

/// The cycles of the observed order, if it was looked at.
pub fn observed(runtime: &Runtime, tables: &mut Tables) -> Option<Velodrome> {
    let Cycles {
        torn,
        regions,
        edges,
        ..
    } = runtime.engine.cycles()?;
    let torn = witness::with(|witnesses| {
        let named = torn.iter().map(|cycle| {
            let site = tables.called(SiteId::new(cycle.site), &[]);
            (places(cycle, site, witnesses, tables), site)
        });
        named.collect::<Vec<_>>()
    });
    // Bytes of one variable are one to a reader.
    let mut seen = HashSet::new();
    let names = |places: &[Place]| -> Vec<_> {
        let named = places.iter().map(|place| (place.name, place.index));
        named.collect()
    };
    let torn = torn
        .into_iter()
        .filter(|(places, _)| seen.insert(names(places)));
    Some(Velodrome {
        torn: torn.collect(),
        regions,
        edges,
    })
}

fn places(cycle: &Cycle, site: SiteId, witnesses: &Witnesses, tables: &mut Tables) -> Vec<Place> {
    let members = cycle.group.map(atomic::members).unwrap_or_default();
    let addresses = members.iter().map(|part| part.address);
    let address = cycle.granule as usize * GRANULE + usize::from(cycle.byte);
    let alone = cycle.group.is_none().then_some(address);
    let mut place = |address: usize| {
        let hints = Hints {
            block: witnesses.blocks.get(&((address / GRANULE) as u64)).copied(),
            sites: [site; 2],
        };
        let located = tables.locate(address, hints);
        Place {
            name: Some(tables.name(&located.name)),
            index: located.index,
            location: located.offset,
        }
    };
    addresses.chain(alone).map(&mut place).collect()
}
