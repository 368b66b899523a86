//! The tears found so far: once per unit and triple of source positions, with a count.

use crate::engine::Engine;
use crate::states::Mark;
use crate::sync::PoisonError;
use heddle_core::atomicity::rank;
use heddle_core::order::tree::Nodes;
use heddle_core::{
    Access, AccessKind, Certainty, Finding, GroupId, Place, SiteId, roster::Ancestry,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many triples of one unit and the same source positions are looked at again at the end.
const KEPT: usize = 256;

/// An access of a triple.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TornAccess {
    pub(crate) mark: Mark,
    pub(crate) kind: AccessKind,
}

/// Three accesses that tear a unit, in the sequence in which they do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triple {
    pub(crate) accesses: [TornAccess; 3],
    pub(crate) certainty: Certainty,
    /// Which of them is running now.
    pub(crate) running: usize,
    pub(crate) bytes: u8,
}

/// What is torn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Subject {
    Granule(u64),
    Group(GroupId),
}

#[derive(Debug)]
struct Tear {
    subject: Subject,
    triple: Triple,
    count: u64,
    bytes: u8,
    is_declared: bool,
    /// Triples that are merely possible, some of them.
    possible: Vec<Triple>,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Tears {
    rows: FxHashMap<(Subject, [u32; 3]), usize>,
    tears: Vec<Tear>,
    torn: FxHashSet<Subject>,
    /// Which member of its group an access touched: granule and bytes.
    touched: FxHashMap<(GroupId, u32, u32, AccessKind), (u64, u8)>,
}

impl Tears {
    /// Whether a triple was not known.
    fn add(&mut self, subject: Subject, triple: Triple, is_declared: bool) -> bool {
        let sites = triple.accesses.map(|access| access.mark.site);
        let next = self.tears.len();
        let row = *self.rows.entry((subject, sites)).or_insert(next);
        if row == next {
            self.torn.insert(subject);
            self.tears.push(Tear {
                subject,
                triple,
                count: 0,
                bytes: 0,
                is_declared,
                possible: Vec::new(),
            });
        }
        let tear = &mut self.tears[row];
        tear.count += 1;
        tear.bytes |= triple.bytes;
        if triple.certainty > tear.triple.certainty {
            tear.triple = triple;
        }
        if tear.triple.certainty == Certainty::Possible && tear.possible.len() < KEPT {
            tear.possible.push(triple);
        }
        row == next
    }
}

impl Tears {
    fn member(&self, group: GroupId, access: TornAccess) -> Option<(u64, u8)> {
        let TornAccess { mark, kind } = access;
        let key = (group, mark.strand, mark.site, kind);
        self.touched.get(&key).copied()
    }
}

impl Engine {
    /// Notes which member of a group an access is to.
    pub(crate) fn note_member(&self, group: GroupId, access: TornAccess, member: (u64, u8)) {
        let TornAccess { mark, kind } = access;
        self.torn()
            .touched
            .entry((group, mark.strand, mark.site, kind))
            .or_insert(member);
    }

    #[cold]
    pub(crate) fn report_tears(
        &self,
        granule: u64,
        subject: Subject,
        triples: &[Triple],
        declared: u8,
    ) {
        if let Some(recorder) = &self.recorder {
            recorder.meets_race();
        }
        let mut torn = self.torn();
        let mut new = Vec::new();
        for &triple in triples {
            if torn.add(subject, triple, declared & triple.bytes != 0) {
                new.push(triple);
            }
        }
        drop(torn);
        for triple in new {
            let sites = triple.accesses.map(|access| access.mark.site);
            let others = (0..3).filter(|&other| other != triple.running);
            others.for_each(|other| (self.witness)(granule, [sites[other], sites[triple.running]]));
        }
    }

    fn torn(&self) -> crate::sync::MutexGuard<'_, Tears> {
        self.atomicity
            .tears
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The tears found so far; places have their location's number only.
    pub fn tears(&self, ancestry: &Ancestry<'_>) -> Vec<Finding> {
        let torn = self.torn();
        let tears = torn.tears.iter();
        tears
            .map(|tear| self.tear_finding(tear, &torn, ancestry))
            .collect()
    }

    /// The locations that tears found so far are on, without the first `known` tears.
    pub fn tear_locations(&self, known: usize) -> Vec<u64> {
        let torn = self.torn();
        let tears = torn.tears.iter().skip(known);
        let all = tears.flat_map(|tear| match tear.subject {
            Subject::Granule(granule) => vec![granule],
            Subject::Group(group) => {
                let touched = tear.triple.accesses.iter();
                let touched = touched.filter_map(|&access| torn.member(group, access));
                let mut members = self.groups().named(group);
                members.extend(touched.map(|(granule, _)| granule));
                members
            }
        });
        all.collect()
    }

    /// How many tears were found so far.
    pub fn tear_count(&self) -> usize {
        self.torn().tears.len()
    }

    /// Which bytes of their locations the accesses of the tears found so far are on, in the sequence of
    /// [`tears`](Self::tears).
    pub fn tear_bytes(&self) -> Vec<[u8; 3]> {
        let torn = self.torn();
        let of = |tear: &Tear| match tear.subject {
            Subject::Granule(_) => [tear.bytes; 3],
            Subject::Group(group) => {
                let accesses = self.shown(tear, &torn).accesses;
                accesses.map(|access| torn.member(group, access).map_or(0, |member| member.1))
            }
        };
        torn.tears.iter().map(of).collect()
    }

    /// The tears found so far are another process's.
    pub fn forget_tears(&self) {
        *self.torn() = Tears::default();
    }

    /// The triple to show. Where all granules are watched, only now it is known which hand-offs count: those
    /// through a granule that can be torn do not.
    fn shown(&self, tear: &Tear, torn: &Tears) -> Triple {
        let is_torn = |granule| torn.torn.contains(&Subject::Granule(granule));
        let is_certain = |triple: &&Triple| {
            let [_, middle, last] = triple.accesses.map(|access| access.mark.strand);
            !self.handed_over_beside(middle, last, is_torn)
                && !self.handed_over_beside(last, middle, is_torn)
        };
        let possible = tear.possible.iter();
        let mut possible = possible
            .filter(|_| self.atomicity.is_all && tear.triple.certainty == Certainty::Possible);
        possible
            .find(is_certain)
            .map_or(tear.triple, |&triple| Triple {
                certainty: Certainty::Certain,
                ..triple
            })
    }

    fn tear_finding(&self, tear: &Tear, torn: &Tears, ancestry: &Ancestry<'_>) -> Finding {
        let triple = self.shown(tear, torn);
        let accesses = triple.accesses.map(|access| Access {
            kind: access.kind,
            site: SiteId::new(access.mark.site),
            task: self.forest.node(access.mark.strand).task,
            locks: self.exclusion.locks(access.mark.hold),
        });
        let why = ancestry.why(accesses[0].task, accesses[1].task);
        let rank = match tear.is_declared {
            true => 0,
            false => rank(&accesses),
        };
        let (group, places) = match tear.subject {
            Subject::Granule(granule) => (None, vec![place(granule)]),
            Subject::Group(group) => {
                let members = self.groups().named(group);
                (Some(group), members.into_iter().map(place).collect())
            }
        };
        let touched = triple.accesses.map(|access| match tear.subject {
            Subject::Granule(granule) => place(granule),
            Subject::Group(group) => {
                let member = torn.member(group, access);
                let granule = member.map_or(0, |(granule, _)| granule);
                place(granule)
            }
        });
        Finding::Atomicity {
            certainty: triple.certainty,
            group,
            places,
            accesses,
            touched,
            why,
            count: tear.count,
            rank,
        }
    }
}

fn place(location: u64) -> Place {
    Place {
        name: None,
        index: None,
        location,
    }
}
