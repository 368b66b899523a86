//! From the torn regions that the engine found to what a report is made of: as [`races`](super::races) does it for
//! races.

use crate::access::GRANULE;
use crate::api::atomic::{self, Part};
use crate::api::guarded;
use crate::report::places::{Hints, Located};
use crate::report::races::{Found, Mentioned, parts};
use crate::report::tables::{Accessed, Tables, UNKNOWN};
use heddle_core::{Access, AccessKind, Certainty, Finding, GroupId, Place, SiteId, Why};

/// A unit that can be torn.
pub struct Item {
    /// The memory: one place, or the members of a group.
    pub located: Vec<Located>,
    /// The accesses in the sequence that tears; sites are rows of the tables.
    pub accesses: [Access; 3],
    /// What each of them accesses.
    touched: [Located; 3],
    group: Option<GroupId>,
    certainty: Certainty,
    why: Why,
    rank: u8,
}

/// The tears in the sequence of the source, each once.
pub fn items(found: &Found<'_>, tables: &mut Tables) -> Vec<Item> {
    let mut items = Vec::new();
    for (tear, &bytes) in found.tears.iter().zip(&found.torn_bytes) {
        if let Finding::Atomicity {
            certainty,
            group,
            accesses,
            touched,
            why,
            rank,
            ..
        } = tear
        {
            let [look, _, change] = accesses.each_ref().map(|access| access.site.raw());
            if !guarded::is_finding(touched[0].location, look, change) {
                continue;
            }
            let accesses = called(found, tables, accesses);
            for (located, touched) in places(found, tables, *group, &accesses, touched, bytes) {
                items.push(Item {
                    located,
                    accesses: accesses.clone(),
                    touched,
                    group: *group,
                    certainty: *certainty,
                    why: *why,
                    rank: *rank,
                });
            }
        }
    }
    tables.sort_files();
    items.sort_by_cached_key(|item| (item.key(tables), std::cmp::Reverse(item.certainty)));
    items.dedup_by(|later, earlier| later.key(tables) == earlier.key(tables));
    items
}

/// The accesses with rows of the tables for sites. The stack of the one that met the others was seen.
fn called(found: &Found<'_>, tables: &mut Tables, accesses: &[Access; 3]) -> [Access; 3] {
    let sites = [0, 1, 2].map(|n: usize| accesses[n].site.raw());
    let mut accesses = accesses.clone();
    for index in 0..3 {
        let mut others = (0..3).filter(|&other| other != index);
        let stacks = &found.witnesses.stacks;
        let callers = others.find_map(|other| stacks.get(&[sites[other], sites[index]]));
        let site = SiteId::new(sites[index]);
        accesses[index].site = tables.called(site, callers.map_or(&[], |callers| callers));
    }
    accesses
}

/// What is torn, and what of it each access touches: one group, or each part of a granule.
fn places(
    found: &Found<'_>,
    tables: &mut Tables,
    group: Option<GroupId>,
    accesses: &[Access; 3],
    touched: &[Place; 3],
    bytes: [u8; 3],
) -> Vec<(Vec<Located>, [Located; 3])> {
    let all = [0, 1, 2].map(|n| (accesses[n].site, accesses[n].kind));
    let two = [all[0], all[1]];
    if let Some(members) = guarded::members(touched[0].location) {
        let member = |part: &Part| part.whole(locate(found, tables, part.address, two));
        let located = members.iter().map(member).collect();
        let located = told_apart(tables, located, two);
        let first = located.first().cloned().into_iter();
        return first
            .map(|first| (located.clone(), [first.clone(), first.clone(), first]))
            .collect();
    }
    let Some(group) = group else {
        let parts = parts(found, tables, touched[0].location, bytes[0], two);
        let whole = |part: Located| (vec![part.clone()], [part.clone(), part.clone(), part]);
        return parts.into_iter().map(whole).collect();
    };
    let members = atomic::members(group);
    let addresses = [0, 1, 2].map(|n: usize| {
        touched[n].location as usize * GRANULE + bytes[n].trailing_zeros() as usize
    });
    let member = |part: &Part| {
        // Where it was accessed tells what a local variable is called.
        let touching = (0..3).find(|&n| part.has(addresses[n]));
        let access = touching.map_or((UNKNOWN, AccessKind::Read), |n| all[n]);
        part.whole(locate(found, tables, part.address, [access; 2]))
    };
    let located = members.iter().map(member).collect();
    let touched = [0, 1, 2].map(|n| locate(found, tables, addresses[n], [all[n]; 2]));
    vec![(located, touched)]
}

/// The members of a unit, if they have names of their own. Where a reference leads to the unit, its accesses say how the
/// unit is called, but not which member is which.
fn told_apart(tables: &Tables, members: Vec<Located>, accesses: [Accessed; 2]) -> Vec<Located> {
    let [first, others @ ..] = &members[..] else {
        return members;
    };
    let is_alike = |other: &Located| other.name == first.name && other.index == first.index;
    let written = accesses
        .into_iter()
        .find_map(|access| tables.lvalue(access));
    match written.filter(|_| others.iter().any(is_alike)) {
        Some(written) => vec![Located {
            name: written.base,
            ..first.clone()
        }],
        None => members,
    }
}

fn locate(
    found: &Found<'_>,
    tables: &mut Tables,
    address: usize,
    accesses: [Accessed; 2],
) -> Located {
    let granule = (address / GRANULE) as u64;
    let block = found.witnesses.blocks.get(&granule).copied();
    let frames = found.witnesses.frames.get(&granule);
    let frames = frames.copied().unwrap_or_default();
    tables.locate(
        address,
        Hints {
            block,
            accesses,
            frames,
        },
    )
}

type Key = (
    Vec<Option<heddle_core::Site>>,
    Vec<(String, Option<u64>, u64)>,
    Vec<u8>,
);

impl Item {
    /// What tells this tear from others, to a reader.
    fn key(&self, tables: &Tables) -> Key {
        let accesses = self.accesses.iter();
        let sites = accesses
            .clone()
            .map(|access| tables.legend.site(access.site));
        let kinds = accesses.map(|access| access.kind as u8);
        let places = self.located.iter().chain(&self.touched);
        let places = places.map(|part| (part.name.clone(), part.index, part.offset));
        (sites.collect(), places.collect(), kinds.collect())
    }

    /// The finding, with the participants it mentions.
    pub fn finding(
        &self,
        found: &Found<'_>,
        tables: &mut Tables,
        mentioned: &mut Mentioned,
    ) -> Finding {
        let accesses = self.accesses.clone();
        let accesses = accesses.map(|access| mentioned.access(found, tables, access));
        let mut place = |located: &Located| mentioned.place(found, tables, located);
        let places = self.located.iter().map(&mut place).collect();
        let touched = [0, 1, 2].map(|n: usize| place(&self.touched[n]));
        Finding::Atomicity {
            certainty: self.certainty,
            group: self.group,
            places,
            accesses,
            touched,
            why: mentioned.why(found, tables, self.why),
            // How often depends on timing.
            count: 1,
            rank: self.rank,
        }
    }
}

impl Part {
    fn has(&self, address: usize) -> bool {
        address.wrapping_sub(self.address) < self.len
    }

    /// What it is called if it is all of an object, and not only where it begins.
    fn whole(&self, begins: Located) -> Located {
        match begins.object.size == Some(self.len as u64) && begins.offset == 0 {
            true => Located {
                name: begins.object.name.clone(),
                index: None,
                ..begins
            },
            false => begins,
        }
    }
}
