//! One event as bytes: a tag byte, then what cannot be predicted.
//!
//! Programs repeat themselves, so most fields are predicted from what came before and cost
//! nothing, or are small differences and cost a byte: after a site comes the one that came after it
//! the last time, an access is near the last one at the same site, the task that begins is the one
//! just spawned, the task that resumes is the one that ran before. Both sides keep the same [`Context`]; it is reset at
//! every block, so that a block can be decoded by itself.
//!
//! Any sequence of events survives the round trip, well-formed or not. Rules are the validator's
//! business.
//!
//! Cost: one or two bytes for a task switch, two or three for an access, constant time and no
//! allocation for either side.

mod decode;
mod encode;
mod tag;

pub use decode::Decoder;
pub use encode::encode;

use heddle_core::{Extent, Location, SiteId, TaskId};

/// Accesses and following sites are predicted per site; sites whose ids agree in the last six bits
/// share a row, so that no site makes a table grow.
const ROWS: usize = 64;

/// What both sides of the codec remember of the events before.
#[derive(Clone, Debug)]
pub struct Context {
    site: u32,
    /// The site that came after a site of each row.
    followers: [u32; ROWS],
    /// The task of the latest `Spawn`.
    spawned: u32,
    /// The task of the latest `Begin` or `Resume`.
    running: u32,
    /// The task that ran before that one.
    before: u32,
    /// The finish mentioned last.
    finish: u32,
    /// The finish of the latest `FinishBegin`.
    opened: u32,
    /// Where the latest `Alloc` starts.
    allocated: u64,
    /// The latest access of each row of sites.
    accesses: [Extent; ROWS],
}

impl Context {
    /// The context at the start of a block.
    pub fn new() -> Self {
        Self {
            site: 0,
            followers: [0; ROWS],
            spawned: 0,
            running: 0,
            before: 0,
            finish: 0,
            opened: 0,
            allocated: 0,
            accesses: [Extent::one(Location(0)); ROWS],
        }
    }

    fn usual_site(&self) -> u32 {
        self.followers[self.site as usize % ROWS]
    }

    fn visit(&mut self, site: u32) {
        self.followers[self.site as usize % ROWS] = site;
        self.site = site;
    }

    fn next_spawned(&self) -> u32 {
        self.spawned.wrapping_add(1)
    }

    fn switch(&mut self, task: TaskId) {
        self.before = self.running;
        self.running = task.raw();
    }

    fn last_access(&mut self, site: SiteId) -> &mut Extent {
        &mut self.accesses[site.index() % ROWS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::Malformed;
    use heddle_core::*;
    use proptest::prelude::*;

    /// Numbers where codes change their length, and near the ends.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..4u32, 60..200u32, any::<u32>(), u32::MAX - 2..=u32::MAX]
    }

    fn extent() -> impl Strategy<Value = Extent> {
        let start = prop_oneof![number().prop_map(u64::from), any::<u64>()];
        let len = prop_oneof![Just(1), Just(8), any::<u64>()];
        (start, len).prop_map(|(start, len)| Extent::new(Location(start), len))
    }

    fn task_kind() -> impl Strategy<Value = TaskKind> {
        (0..11u8).prop_map(|number| tag::task_kind(number).expect("eleven kinds"))
    }

    fn awaited(variant: u8, number: u32) -> Awaited {
        match variant % 5 {
            0 => Awaited::Finish(FinishId::new(number)),
            1 => Awaited::Task(TaskId::new(number)),
            2 => Awaited::Token(TokenId::new(number)),
            3 => Awaited::Lock(LockId::new(number)),
            _ => Awaited::Region(NameId::new(number)),
        }
    }

    fn fault(variant: u8, number: u32, extent: Extent) -> FaultKind {
        let lock = LockId::new(number);
        match variant % 13 {
            0 => FaultKind::DivisionByZero,
            1 => FaultKind::IndexOutOfRange {
                index: extent.start.0.cast_signed(),
                len: extent.len,
            },
            2 => FaultKind::BadLength {
                len: extent.len.cast_signed(),
            },
            3 => FaultKind::LockAlreadyHeld { lock },
            4 => FaultKind::LockNotHeld { lock },
            5 => FaultKind::LockHeldAtEnd { lock },
            6 => FaultKind::AlreadySatisfied {
                token: TokenId::new(number),
            },
            7 => FaultKind::TaskOperationInIsolated,
            8 => FaultKind::WrongValue(ValueProblem::NotAnInteger),
            9 => FaultKind::WrongValue(ValueProblem::NotAnArray),
            10 => FaultKind::WrongValue(ValueProblem::NotAFuture),
            11 => FaultKind::NoSuchTask {
                name: NameId::new(number),
            },
            _ => FaultKind::LimitReached,
        }
    }

    /// Any event, sensible or not.
    fn event() -> impl Strategy<Value = Event> {
        let name = prop::option::of(number().prop_map(NameId::new));
        let variants = (0..26u8, any::<u8>(), task_kind());
        (variants, number(), number(), number(), extent(), name).prop_map(
            |((kind, variant, task_kind), id, other, site, extent, name)| {
                let site = SiteId::new(site);
                let (task, finish) = (TaskId::new(id), FinishId::new(other));
                let (lock, token) = (LockId::new(id), TokenId::new(id));
                let some_name = NameId::new(other);
                let even = variant % 2 == 0;
                let shape = if even { Shape::Scalar } else { Shape::Array };
                let finish_kind = match variant % 5 {
                    0 => FinishKind::Finish,
                    1 => FinishKind::SyncBlock,
                    other => tag::other_finish_kind(other).expect("five kinds"),
                };
                match kind {
                    0 => Event::Declare {
                        extent,
                        name: some_name,
                        shape,
                    },
                    1 => Event::DeclareLock {
                        lock,
                        name: some_name,
                    },
                    2 => Event::DeclareToken {
                        token,
                        name: some_name,
                    },
                    3 => Event::Spawn {
                        task,
                        finish,
                        kind: task_kind,
                        site,
                        name,
                    },
                    4 => Event::Begin { task },
                    5 => Event::End { task },
                    6 => Event::Resume { task },
                    7 => Event::FinishBegin {
                        finish,
                        kind: finish_kind,
                        site,
                    },
                    8 => Event::FinishEnd { finish },
                    9 => Event::Join { task, site },
                    10 => Event::Signal { token, site },
                    11 => Event::Wait { token, site },
                    12 => Event::Acquire {
                        lock,
                        mode: match even {
                            true => LockMode::Shared,
                            false => LockMode::Exclusive,
                        },
                        site,
                    },
                    13 => Event::Release { lock, site },
                    14 => Event::Cut {
                        by: match even {
                            true => CutBy::Rule,
                            false => CutBy::Hand,
                        },
                        site,
                    },
                    15 => Event::Read { extent, site },
                    16 => Event::Write { extent, site },
                    17 => Event::Alloc { extent, name, site },
                    18 => Event::Bind {
                        start: extent.start,
                        name: some_name,
                    },
                    19 => Event::Free { extent, site },
                    20 => Event::AssertionFailed { site },
                    21 => Event::Stuck {
                        task,
                        awaited: awaited(variant, other),
                        site,
                    },
                    22 => Event::Atomic {
                        extent,
                        group: even.then(|| GroupId::new(id)),
                    },
                    23 => Event::AtomicBegin { site },
                    24 => Event::AtomicEnd { site },
                    _ => Event::Fault {
                        site,
                        message: fault(variant, id, extent),
                    },
                }
            },
        )
    }

    fn decode(bytes: &[u8]) -> Result<Vec<Event>, Malformed> {
        let mut decoder = Decoder::new(bytes);
        std::iter::from_fn(|| decoder.next_event().transpose()).collect()
    }

    proptest! {
        #[test]
        fn any_sequence_of_events_survives(events in prop::collection::vec(event(), 0..50)) {
            let (mut context, mut bytes) = (Context::new(), Vec::new());
            events.iter().for_each(|event| encode(&mut context, *event, &mut bytes));
            prop_assert_eq!(decode(&bytes), Ok(events));
        }
    }

    #[test]
    fn a_tag_with_bits_its_kind_has_no_use_for_is_refused() {
        for tag in [
            0,
            28,
            31,
            tag::BEGIN | tag::SITE_NEXT,
            tag::RELEASE | tag::FLAG,
            tag::BIND | tag::FLAG,
        ] {
            assert_eq!(decode(&[tag]), Err(Malformed::UnknownTag(tag)));
        }
    }

    #[test]
    fn ids_beyond_their_range_are_refused() {
        for tag in [tag::FINISH_END, tag::CUT | tag::SITE_FAR, tag::BEGIN] {
            assert_eq!(decode(&[tag, 1]), Err(Malformed::NumberTooLarge), "-1");
        }
    }
}
