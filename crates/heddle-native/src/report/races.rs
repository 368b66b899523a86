//! From what the engine found to what a report is made of.
//!
//! The engine speaks of addresses, of tasks by the numbers they got as they started, and of whichever
//! access came first. A report must be the same for every run that finds the same, so: places and
//! locks get names, findings are put in the sequence of the source, what looks the same to a reader is
//! kept once, and only the tasks that findings mention are kept, numbered as they are mentioned.

use crate::access::GRANULE;
use crate::report::callers::Start;
use crate::report::modules::modules;
use crate::report::places::{Hints, Located};
use crate::report::siblings;
use crate::report::sizes::Sizes;
use crate::report::tables::{Accessed, Tables};
use crate::report::witness::Witnesses;
use crate::runtime::{Lock, LockKind};
use heddle_core::{
    Access, AccessKind, Certainty, Finding, FinishId, FinishInfo, LockId, NameId, Place, SiteId,
    TaskId, TaskInfo, TaskKind, Why, roster::Participants,
};
use heddle_report::Unit;
use heddle_rt::{ATOMIC, Engine, RacyBytes};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What the engine knows.
pub struct Found<'a> {
    /// The races; places have granules for locations.
    pub races: Vec<Finding>,
    /// The bytes of each granule.
    pub bytes: Vec<u8>,
    /// All bytes that each pair of positions raced on, where not all locations are told apart.
    pub racy: Vec<RacyBytes>,
    /// The tears; places have granules for locations.
    pub tears: Vec<Finding>,
    /// The bytes of each access's granule.
    pub torn_bytes: Vec<[u8; 3]>,
    /// All tasks and finishes.
    pub participants: &'a dyn Participants,
    /// All locks.
    pub locks: Vec<Lock>,
    /// What was seen when the races were met.
    pub witnesses: Witnesses,
}

/// A race on one part of one object.
pub struct Item {
    /// The memory.
    pub located: Located,
    /// The accesses, in the sequence of the source; sites are rows of the tables.
    pub accesses: [Access; 2],
    certainty: Certainty,
    why: Why,
}

/// The participants that findings mention.
#[derive(Default)]
pub struct Mentioned {
    /// Row `n` is task `n + 1`.
    pub tasks: Vec<TaskInfo>,
    /// Row `n` is finish `n + 1`.
    pub finishes: Vec<FinishInfo>,
    /// Row `n` is lock `n + 1`.
    pub locks: Vec<NameId>,
    task_ids: HashMap<TaskId, TaskId>,
    finish_ids: HashMap<FinishId, FinishId>,
    lock_ids: HashMap<LockId, LockId>,
}

/// The races in the sequence of the source, each once.
pub fn items(found: &Found<'_>, tables: &mut Tables) -> Vec<Item> {
    let mut items = Vec::new();
    let mut sizes = Sizes::default();
    for (race, &bytes) in found.races.iter().zip(&found.bytes) {
        if let Finding::Race {
            place,
            accesses,
            why,
            certainty,
            ..
        } = race
        {
            if accesses
                .iter()
                .all(|access| tables.is_vouched_for(access.site))
            {
                continue;
            }
            let raw = [accesses[0].site.raw(), accesses[1].site.raw()];
            settle(found, tables, place.location, bytes, accesses);
            let (accesses, why) = normal(found, tables, accesses, *why);
            let sites = [accesses[0].site, accesses[1].site];
            let touching = [0, 1].map(|n| (sites[n], accesses[n].kind));
            let parts = parts(found, tables, place.location, bytes, touching);
            sizes.add(raw, sites, bytes.count_ones(), parts.len());
            for located in parts {
                items.push(Item {
                    located,
                    accesses: accesses.clone(),
                    certainty: *certainty,
                    why,
                });
            }
        }
    }
    tables.details.racy = sizes.totals(&found.racy, tables);
    tables.sort_files();
    items.sort_by_cached_key(|item| (item.key(tables), std::cmp::Reverse(item.certainty)));
    items.dedup_by(|later, earlier| later.key(tables) == earlier.key(tables));
    items
}

type Key = (
    Vec<Option<heddle_core::Site>>,
    String,
    Option<u64>,
    u64,
    Vec<u8>,
);

impl Item {
    /// Whether some schedule of this input shows it, whatever this run handed over.
    pub fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }

    /// What orders the program's tasks is not known, so none of them is certain.
    pub fn doubt(&mut self) {
        self.certainty = Certainty::Possible;
    }

    /// What tells this race from others, to a reader.
    fn key(&self, tables: &Tables) -> Key {
        let sites = self
            .accesses
            .iter()
            .map(|access| tables.legend.site(access.site));
        let kinds = self.accesses.iter().map(|access| access.kind as u8);
        let Located {
            name,
            index,
            offset,
            ..
        } = &self.located;
        (
            sites.collect(),
            name.clone(),
            *index,
            *offset,
            kinds.collect(),
        )
    }

    /// The finding, with the participants it mentions.
    pub fn finding(
        &self,
        found: &Found<'_>,
        tables: &mut Tables,
        mentioned: &mut Mentioned,
    ) -> Finding {
        let accesses = self.accesses.clone();
        Finding::Race {
            certainty: self.certainty,
            accesses: accesses.map(|access| mentioned.access(found, tables, access)),
            why: mentioned.why(found, tables, self.why),
            place: mentioned.place(found, tables, &self.located),
            // How often depends on timing.
            count: 1,
        }
    }
}

impl Mentioned {
    /// Says of each task which one it is of those that its creator made at one place.
    pub fn number(&self, engine: &Engine, tables: &mut Tables) {
        let numbers = siblings::numbers(&self.task_ids, engine, engine.spawned());
        tables.details.numbers.extend(numbers);
    }

    /// An access, with the new numbers of its task and locks.
    pub(super) fn access(
        &mut self,
        found: &Found<'_>,
        tables: &mut Tables,
        access: Access,
    ) -> Access {
        let locks = access.locks.iter();
        // That tasks share a thread is no protection the program's author gave.
        let locks = locks.filter(|lock| kind(found, **lock) != Some(LockKind::Thread));
        let locks = locks.map(|&lock| self.lock(found, tables, lock)).collect();
        Access {
            task: self.task(found, tables, access.task),
            locks,
            ..access
        }
    }

    /// Why two tasks are parallel, in new numbers.
    pub(super) fn why(&mut self, found: &Found<'_>, tables: &mut Tables, why: Why) -> Why {
        Why {
            ancestor: self.task(found, tables, why.ancestor),
            spawned: self.task(found, tables, why.spawned),
            finish: self.finish(found, tables, why.finish),
            ..why
        }
    }

    /// The place, with what is known of its object.
    pub(super) fn place(
        &mut self,
        found: &Found<'_>,
        tables: &mut Tables,
        located: &Located,
    ) -> Place {
        let allocated_by = located.allocated_by;
        let allocated_by = allocated_by.map(|task| self.task(found, tables, task));
        let name = tables.name(&located.name);
        let object = match allocated_by {
            None => Arc::clone(&located.object),
            Some(_) => {
                let mut object = (*located.object).clone();
                object.allocated_by = allocated_by;
                Arc::new(object)
            }
        };
        tables.details.objects.entry(name).or_insert(object);
        Place {
            name: Some(name),
            index: located.index,
            location: located.offset,
        }
    }

    /// The new number of a task; its creators get theirs before.
    pub(super) fn task(&mut self, found: &Found<'_>, tables: &mut Tables, task: TaskId) -> TaskId {
        let row = |task: TaskId| found.participants.task(task);
        let unknown = |task: &TaskId| !self.task_ids.contains_key(task) && row(*task).is_some();
        let chain = std::iter::successors(Some(task).filter(unknown), |&task| {
            row(task).map(|info| info.parent).filter(unknown)
        });
        for task in chain.collect::<Vec<_>>().into_iter().rev() {
            let Some(info) = row(task) else { continue };
            let creators = found.witnesses.creations.get(&task);
            let function = crate::ocr::function_of(task);
            let function = function.and_then(|address| tables.function(address));
            let info = TaskInfo {
                parent: self
                    .task_ids
                    .get(&info.parent)
                    .copied()
                    .unwrap_or(TaskId::MAIN),
                site: tables.created(info.site, creators.map_or(&[], |creators| creators)),
                finish: self.finish(found, tables, info.finish),
                name: function.map(|name| tables.name(&name)).or(info.name),
                ..info
            };
            self.tasks.push(info);
            let id = TaskId::new(self.tasks.len() as u32);
            self.task_ids.insert(task, id);
            if let Some((&pc, callers)) = found
                .witnesses
                .joins
                .get(&task)
                .and_then(|calls| calls.split_first())
            {
                let site = tables.called(modules().site(pc), callers);
                tables.details.joins.insert(id, site);
            }
        }
        self.task_ids.get(&task).copied().unwrap_or(TaskId::MAIN)
    }

    fn finish(&mut self, found: &Found<'_>, tables: &mut Tables, finish: FinishId) -> FinishId {
        let Some(info) = found.participants.finish(finish) else {
            return FinishId::MAIN;
        };
        if let Some(&id) = self.finish_ids.get(&finish) {
            return id;
        }
        let info = FinishInfo {
            site: tables.created(info.site, &[]),
            owner: self
                .task_ids
                .get(&info.owner)
                .copied()
                .unwrap_or(TaskId::MAIN),
            ..info
        };
        self.finishes.push(info);
        let id = FinishId::new(self.finishes.len() as u32);
        self.finish_ids.insert(finish, id);
        id
    }

    /// The new number of a lock.
    pub(super) fn lock(&mut self, found: &Found<'_>, tables: &mut Tables, lock: LockId) -> LockId {
        if lock == LockId::ISOLATED {
            return lock;
        }
        if let Some(&id) = self.lock_ids.get(&lock) {
            return id;
        }
        let name = lock_name(&found.locks, tables, lock);
        let name = tables.name(&name);
        self.locks.push(name);
        let id = LockId::new(self.locks.len() as u32);
        self.lock_ids.insert(lock, id);
        id
    }
}

fn kind(found: &Found<'_>, lock: LockId) -> Option<LockKind> {
    let row = lock.index().checked_sub(1)?;
    found.locks.get(row).map(|lock| lock.kind)
}

/// What a lock is called.
pub(crate) fn lock_name(locks: &[Lock], tables: &mut Tables, lock: LockId) -> String {
    let row = lock.index().checked_sub(1).and_then(|row| locks.get(row));
    let Some(lock) = row.filter(|_| lock != ATOMIC) else {
        return "atomic".into();
    };
    let (noun, is_named) = match lock.kind {
        LockKind::Mutex => ("mutex", true),
        LockKind::ReadWrite => ("rwlock", true),
        LockKind::OpenMp | LockKind::Other => ("lock", true),
        LockKind::Critical => ("critical", true),
        LockKind::Ordered => ("ordered", false),
        LockKind::Dependence => ("mutexinoutset", true),
        LockKind::Block => ("exclusive write of", true),
        LockKind::Reduction => ("reduction", false),
        LockKind::Thread => ("its thread", false),
    };
    if !is_named {
        return noun.into();
    }
    let block = crate::heap::block(lock.address);
    let name = tables.lock(lock.address, block);
    // The compilers' variables for critical sections.
    let name = name.strip_prefix(".gomp_critical_user_").unwrap_or(&name);
    let name = name.strip_suffix(".var").unwrap_or(name);
    match lock.kind {
        LockKind::Critical if !name.is_empty() => format!("{noun}({name})"),
        // Nobody reads "mutex mutex".
        _ if name == noun => format!("`{name}`"),
        _ => format!("{noun} {name}").trim_end().to_owned(),
    }
}

/// Whether tasks of this kind are pieces of a team's work.
fn is_piece(kind: TaskKind) -> bool {
    matches!(kind, TaskKind::Chunk | TaskKind::Section | TaskKind::Single)
}

/// Where the construct was met whose body a task's stack starts in: of a piece of a team's work, that of the team.
fn construct(found: &Found<'_>, task: TaskId) -> Option<SiteId> {
    let row = |task: TaskId| found.participants.task(task);
    let mut tasks = std::iter::successors(row(task), |info| row(info.parent));
    let made = tasks.find(|info| !is_piece(info.kind))?;
    matches!(made.kind, TaskKind::Task | TaskKind::Member).then_some(made.site)
}

/// Finds the positions that the compiler dropped, by the name of what is accessed there.
fn settle(found: &Found<'_>, tables: &mut Tables, granule: u64, bytes: u8, accesses: &[Access; 2]) {
    let sites = [0, 1].map(|n: usize| accesses[n].site);
    let address = granule as usize * GRANULE + bytes.trailing_zeros() as usize;
    let is_heap = found.witnesses.blocks.contains_key(&granule);
    for index in 0..2 {
        if tables.is_settled(sites[index]) {
            continue;
        }
        let global = match is_heap {
            true => None,
            false => tables.name_of_global(address),
        };
        let other = tables.site(sites[1 - index]);
        let written = || tables.lvalue((other, accesses[1 - index].kind));
        let name = global.or_else(|| written().map(|lvalue| lvalue.to_string()));
        tables.settle(sites[index], &name.unwrap_or_default());
    }
}

/// Accesses with rows of the tables for sites, in the sequence of the source.
fn normal(
    found: &Found<'_>,
    tables: &mut Tables,
    accesses: &[Access; 2],
    why: Why,
) -> ([Access; 2], Why) {
    let sites = [accesses[0].site.raw(), accesses[1].site.raw()];
    let stacks = &found.witnesses.stacks;
    // Of two accesses at one site, the second is the one whose stack was seen.
    let is_seen = |index: usize| index == 1 || sites[0] != sites[1];
    let mut row = |index: usize| {
        let callers = stacks.get(&[sites[1 - index], sites[index]]);
        let callers = callers.filter(|_| is_seen(index));
        let site = SiteId::new(sites[index]);
        let task = accesses[index].task;
        let start = Start::of(task, construct(found, task));
        let row = match callers {
            Some(callers) => tables.called_as_seen(site, callers, start),
            None => tables.called_by_the_code(site, start),
        };
        tables.of_the_program(row)
    };
    let rows = [row(0), row(1)];
    let mut accesses = accesses.clone();
    (accesses[0].site, accesses[1].site) = (rows[0], rows[1]);
    for access in accesses
        .iter()
        .filter(|access| access.kind == AccessKind::Write)
    {
        tables.note_free(access.site);
    }
    let rank = |tables: &mut Tables, access: &Access| {
        let at = tables.legend.site(access.site).map(|site| {
            let path = tables.legend.file(site.file).map(|file| file.path.clone());
            (path, site.line, site.column)
        });
        let info = found.participants.task(access.task);
        let created = info.map(|info| (info.kind as u8, info.site));
        (at, access.kind, created)
    };
    if rank(tables, &accesses[1]) < rank(tables, &accesses[0]) {
        accesses.swap(0, 1);
        let side = 1 - why.side.min(1);
        return (accesses, Why { side, ..why });
    }
    (accesses, why)
}

/// The parts of objects that these bytes of a granule are.
pub(super) fn parts(
    found: &Found<'_>,
    tables: &mut Tables,
    granule: u64,
    bytes: u8,
    accesses: [Accessed; 2],
) -> Vec<Located> {
    let block = found.witnesses.blocks.get(&granule).copied();
    let frames = found.witnesses.frames.get(&granule);
    let frames = frames.copied().unwrap_or_default();
    let hints = Hints {
        block,
        accesses,
        frames,
    };
    let mut parts: BTreeMap<(String, Option<u64>), Located> = BTreeMap::new();
    for byte in (0..GRANULE).filter(|byte| bytes & (1 << byte) != 0) {
        let located = tables.locate(granule as usize * GRANULE + byte, hints);
        let known = parts.contains_key(&(located.name.clone(), located.index));
        let is_counted_in_bytes = block.is_some() && located.object.unit == Unit::Bytes;
        if !known && (parts.is_empty() || !is_counted_in_bytes) {
            parts.insert((located.name.clone(), located.index), located);
        }
    }
    parts.into_values().collect()
}
