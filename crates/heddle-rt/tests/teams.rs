//! Teams, barriers, waits and pieces give the oracle's verdicts.
//!
//! Random programs in OpenMP's terms are run on the engine and, at the same time, written down as an
//! event stream in which each construct is spelled out: a wait as one join per child, a phase as a
//! finish, a member after a barrier as a new task, a piece of work as a task of its own that its team's
//! creator spawns. The oracle judges the stream. The engine's own recording must say the same.

mod random;
mod recorded;

use heddle_core::{
    AccessKind, Event, Extent, FinishId, FinishKind, Location, SiteId, TaskId, TaskKind,
};
use heddle_oracle::Oracle;
use heddle_rt::{Cursor, Engine, Kept, Team, ThreadCache};
use random::Random;
use std::collections::BTreeSet;

const SITE: SiteId = SiteId::new(0);

#[derive(Clone, Debug)]
enum Op {
    Access(AccessKind, u64),
    Task(When, Vec<Op>),
    Wait,
    Group(Vec<Op>),
    Call(Vec<Op>),
    /// What each member does, phase by phase.
    Parallel(Vec<Vec<Vec<Op>>>),
    Piece(Vec<Op>),
}

#[derive(Clone, Copy, Debug)]
enum When {
    Now,
    Later,
}

impl Random {
    fn body(&mut self, depth: u32, pieces: bool) -> Vec<Op> {
        let len = self.below(5);
        (0..len).map(|_| self.op(depth, pieces)).collect()
    }

    fn op(&mut self, depth: u32, pieces: bool) -> Op {
        let kind = [AccessKind::Read, AccessKind::Write][self.below(2) as usize];
        let when = [When::Now, When::Later][self.below(2) as usize];
        match self.below(if depth == 0 { 5 } else { 13 }) {
            0..=3 => Op::Access(kind, self.below(3)),
            4 | 5 => Op::Wait,
            6..=8 => Op::Task(when, self.body(depth - 1, false)),
            9 => Op::Group(self.body(depth - 1, false)),
            10 => Op::Call(self.body(depth - 1, false)),
            11 if pieces => Op::Piece(self.body(depth - 1, false)),
            _ => {
                let phases = 1 + self.below(2);
                let member =
                    |random: &mut Self| (0..phases).map(|_| random.body(depth - 1, true)).collect();
                Op::Parallel((0..2).map(|_| member(self)).collect())
            }
        }
    }
}

/// Where a task of the program is.
struct Me {
    /// Its number in the stream.
    id: TaskId,
    /// The task of the runtime that its children belong to.
    runtime_task: TaskId,
    finish: FinishId,
    children: Vec<TaskId>,
    cursor: Cursor,
}

/// A task that was created and has not run.
struct Pending {
    me: Me,
    parent: TaskId,
    body: Vec<Op>,
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// What is unused is given back before each access.
    reclaims: bool,
    /// Nodes are numbered in blocks, by threads that change all the time.
    in_blocks: bool,
}

const PLAIN: Way = Way {
    reclaims: false,
    in_blocks: false,
};

const WAYS: [Way; 4] = [
    PLAIN,
    Way {
        reclaims: true,
        ..PLAIN
    },
    Way {
        in_blocks: true,
        ..PLAIN
    },
    Way {
        reclaims: true,
        in_blocks: true,
    },
];

struct Simulation {
    engine: Engine,
    cache: ThreadCache,
    events: Vec<Event>,
    tasks: u32,
    finishes: u32,
    pending: Vec<Pending>,
    way: Way,
    random: Random,
    /// Tasks that threads execute while they execute none of the program's.
    idle: [Cursor; 3],
}

impl Simulation {
    /// Another thread executes the task from now on.
    fn change_thread(&mut self, me: &mut Me) {
        if self.way.in_blocks {
            let idle = &mut self.idle[self.random.below(3) as usize];
            self.engine.number_in_blocks(idle);
            let mut before = self.engine.main_task();
            self.engine.pass_numbers(&mut me.cursor, &mut before);
            self.engine.pass_numbers(idle, &mut me.cursor);
            *idle = before;
        }
    }

    fn spawn_event(&mut self, finish: FinishId) -> TaskId {
        self.tasks += 1;
        let task = TaskId::new(self.tasks);
        self.events.push(Event::Spawn {
            task,
            finish,
            kind: TaskKind::Task,
            site: SITE,
            name: None,
        });
        task
    }

    fn finish_event(&mut self) -> FinishId {
        self.finishes += 1;
        let finish = FinishId::new(self.finishes);
        self.events.push(Event::FinishBegin {
            finish,
            kind: FinishKind::Finish,
            site: SITE,
        });
        finish
    }

    fn run(&mut self, me: &mut Me, body: &[Op]) {
        for op in body {
            self.op(me, op);
        }
    }

    fn op(&mut self, me: &mut Me, op: &Op) {
        self.change_thread(me);
        match op {
            Op::Access(kind, location) => self.access(me, *kind, *location),
            Op::Task(when, body) => self.task(me, *when, body),
            Op::Wait => self.wait(me),
            Op::Group(body) => self.group(me, body),
            Op::Call(body) => self.call(me, body),
            Op::Parallel(members) => self.parallel(me, members),
            Op::Piece(_) => {}
        }
    }

    fn access(&mut self, me: &mut Me, kind: AccessKind, location: u64) {
        let extent = Extent::one(Location(location));
        let (engine, cache) = (&self.engine, &mut self.cache);
        if self.way.reclaims {
            let mut kept = Kept::default();
            kept.cursor(&me.cursor);
            // SAFETY: this thread is the only one, and has the only cache.
            unsafe { engine.reclaim(std::iter::once((&mut *cache, true)), &kept) };
        }
        self.events.push(match kind {
            AccessKind::Read => {
                engine.read(cache, &mut me.cursor, location, 1, || 0);
                Event::Read { extent, site: SITE }
            }
            AccessKind::Write => {
                engine.write(cache, &mut me.cursor, location, 1, || 0);
                Event::Write { extent, site: SITE }
            }
        });
    }

    fn task(&mut self, me: &mut Me, when: When, body: &[Op]) {
        let id = self.spawn_event(me.finish);
        me.children.push(id);
        let cursor = self
            .engine
            .spawn_child(&mut me.cursor, TaskKind::Task, SITE);
        let child = Pending {
            me: Me {
                id,
                runtime_task: id,
                finish: me.finish,
                children: Vec::new(),
                cursor,
            },
            parent: me.runtime_task,
            body: body.to_vec(),
        };
        match when {
            When::Now => self.run_pending(me, child),
            When::Later => self.pending.push(child),
        }
    }

    fn run_pending(&mut self, me: &mut Me, mut child: Pending) {
        self.engine.suspend(&mut me.cursor);
        self.events.push(Event::Begin { task: child.me.id });
        self.run(&mut child.me, &child.body);
        self.events.push(Event::End { task: child.me.id });
        self.engine.end(child.me.cursor);
        self.events.push(Event::Resume { task: me.id });
    }

    fn run_all(&mut self, me: &mut Me, which: impl Fn(&Pending) -> bool) {
        while let Some(at) = self.pending.iter().rposition(&which) {
            let child = self.pending.remove(at);
            self.run_pending(me, child);
        }
    }

    fn wait(&mut self, me: &mut Me) {
        let parent = me.runtime_task;
        self.run_all(me, |pending| pending.parent == parent);
        for task in std::mem::take(&mut me.children) {
            self.events.push(Event::Join { task, site: SITE });
        }
        self.engine.wait_children(&mut me.cursor);
    }

    fn group(&mut self, me: &mut Me, body: &[Op]) {
        let outer = std::mem::replace(&mut me.finish, self.finish_event());
        let scope = self
            .engine
            .finish_begin(&mut me.cursor, FinishKind::Group, SITE);
        self.run(me, body);
        let finish = me.finish;
        self.run_all(me, |pending| pending.me.finish == finish);
        self.events.push(Event::FinishEnd { finish });
        self.engine.finish_end(&mut me.cursor, scope);
        me.finish = outer;
    }

    fn call(&mut self, me: &mut Me, body: &[Op]) {
        let id = self.spawn_event(me.finish);
        let cursor = self.engine.call_begin(&mut me.cursor, TaskKind::Task, SITE);
        let mut child = Me {
            id,
            runtime_task: id,
            finish: me.finish,
            children: Vec::new(),
            cursor,
        };
        self.events.push(Event::Begin { task: id });
        self.run(&mut child, body);
        self.events.push(Event::End { task: id });
        self.engine.call_end(&mut me.cursor, child.cursor);
        self.events.push(Event::Resume { task: me.id });
        self.events.push(Event::Join {
            task: id,
            site: SITE,
        });
    }

    fn parallel(&mut self, me: &mut Me, members: &[Vec<Vec<Op>>]) {
        let region = self.finish_event();
        let team = self.engine.team_begin(&mut me.cursor, SITE);
        let mut cursors: Vec<Cursor> = members
            .iter()
            .map(|_| self.engine.member(&team, SITE))
            .collect();
        for phase in 0..members[0].len() {
            let bodies: Vec<&[Op]> = members.iter().map(|member| &member[phase][..]).collect();
            self.phase(
                me,
                &team,
                &bodies,
                &mut cursors,
                phase + 1 == members[0].len(),
            );
        }
        cursors
            .iter()
            .for_each(|cursor| self.engine.member_end(cursor));
        self.engine.team_end(&mut me.cursor, team);
        self.events.push(Event::FinishEnd { finish: region });
    }

    fn phase(
        &mut self,
        me: &mut Me,
        team: &Team,
        bodies: &[&[Op]],
        cursors: &mut [Cursor],
        last: bool,
    ) {
        let finish = self.finish_event();
        let ids: Vec<TaskId> = bodies.iter().map(|_| self.spawn_event(finish)).collect();
        let is_piece = |op: &&Op| matches!(op, Op::Piece(_));
        let pieces = bodies
            .iter()
            .flat_map(|body| body.iter())
            .filter(is_piece)
            .count();
        let pieces: Vec<TaskId> = (0..pieces).map(|_| self.spawn_event(finish)).collect();
        let mut pieces = pieces.into_iter();
        let start = self.engine.main_task();
        for ((body, id), cursor) in bodies.iter().zip(ids).zip(&mut *cursors) {
            let mut member = Me {
                id,
                runtime_task: id,
                finish,
                children: Vec::new(),
                cursor: std::mem::replace(cursor, start.clone()),
            };
            self.events.push(Event::Begin { task: id });
            for op in *body {
                match op {
                    Op::Piece(body) => self.piece(&mut member, pieces.next(), body),
                    op => self.op(&mut member, op),
                }
            }
            self.events.push(Event::End { task: id });
            *cursor = member.cursor;
        }
        self.events.push(Event::Resume { task: me.id });
        self.run_all(me, |pending| pending.me.finish == finish);
        cursors
            .iter_mut()
            .for_each(|cursor| self.engine.reach(cursor));
        if !last {
            cursors
                .iter_mut()
                .for_each(|cursor| self.engine.pass(team, cursor));
        }
        self.events.push(Event::FinishEnd { finish });
    }

    fn piece(&mut self, member: &mut Me, id: Option<TaskId>, body: &[Op]) {
        let Some(id) = id else { return };
        let outside = self
            .engine
            .piece_begin(&mut member.cursor, TaskKind::Chunk, SITE);
        let mut piece = Me {
            id,
            runtime_task: member.runtime_task,
            finish: member.finish,
            children: Vec::new(),
            cursor: member.cursor.clone(),
        };
        self.events.push(Event::Begin { task: id });
        self.run(&mut piece, body);
        self.events.push(Event::End { task: id });
        self.events.push(Event::Resume { task: member.id });
        member.cursor = piece.cursor;
        self.engine.piece_end(&mut member.cursor, outside);
    }
}

/// Racy locations according to the engine and the oracle; of those the engine says it may have missed, none.
fn verdicts(program: &[Op], way: Way) -> [BTreeSet<u64>; 2] {
    let simulation = simulate(Engine::new().expect("address space"), program, way);
    let oracle = Oracle::of(&simulation.events).verdicts();
    let mut expected: BTreeSet<u64> = oracle.keys().map(|location| location.0).collect();
    let found = recorded::live(&simulation.engine);
    if simulation.engine.lost_an_access() {
        expected.retain(|location| found.contains(location));
    }
    [found, expected]
}

fn simulate(engine: Engine, program: &[Op], way: Way) -> Simulation {
    let cursor = engine.main_task();
    let idle = [(); 3].map(|()| engine.main_task());
    let mut simulation = Simulation {
        engine,
        cache: ThreadCache::new(),
        events: Vec::new(),
        tasks: 0,
        finishes: 0,
        pending: Vec::new(),
        way,
        random: Random(1),
        idle,
    };
    let mut main = Me {
        id: TaskId::MAIN,
        runtime_task: TaskId::MAIN,
        finish: FinishId::MAIN,
        children: Vec::new(),
        cursor,
    };
    simulation.run(&mut main, program);
    simulation.run_all(&mut main, |_| true);
    simulation.events.push(Event::End { task: TaskId::MAIN });
    simulation
}

fn size(body: &[Op]) -> usize {
    let parts = |op: &Op| match op {
        Op::Access(..) | Op::Wait => 0,
        Op::Task(_, body) | Op::Group(body) | Op::Call(body) | Op::Piece(body) => size(body),
        Op::Parallel(members) => members.iter().flatten().map(|phase| size(phase)).sum(),
    };
    body.iter().map(|op| 1 + parts(op)).sum()
}

/// The program with one operation left out, in every way.
fn smaller(body: &[Op]) -> Vec<Vec<Op>> {
    let mut all = Vec::new();
    for at in 0..body.len() {
        let mut without = body.to_vec();
        without.remove(at);
        all.push(without);
        for part in smaller_op(&body[at]) {
            let mut changed = body.to_vec();
            changed[at] = part;
            all.push(changed);
        }
    }
    all
}

fn smaller_op(op: &Op) -> Vec<Op> {
    match op {
        Op::Access(..) | Op::Wait => Vec::new(),
        Op::Task(when, body) => smaller(body)
            .into_iter()
            .map(|body| Op::Task(*when, body))
            .collect(),
        Op::Group(body) => smaller(body).into_iter().map(Op::Group).collect(),
        Op::Call(body) => smaller(body).into_iter().map(Op::Call).collect(),
        Op::Piece(body) => smaller(body).into_iter().map(Op::Piece).collect(),
        Op::Parallel(members) => {
            let mut all = Vec::new();
            for (member, phases) in members.iter().enumerate() {
                for (phase, body) in phases.iter().enumerate() {
                    for body in smaller(body) {
                        let mut changed = members.clone();
                        changed[member][phase] = body;
                        all.push(Op::Parallel(changed));
                    }
                }
            }
            all
        }
    }
}

fn fails(program: &[Op]) -> bool {
    WAYS.into_iter().any(|way| {
        let [found, expected] = verdicts(program, way);
        found != expected
    })
}

#[test]
fn the_engine_finds_what_the_oracle_finds() {
    let given = std::env::var("HEDDLE_CASES").ok();
    let cases: u64 = given.and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    for case in 1..=cases {
        let mut program = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15)).body(4, false);
        if !fails(&program) {
            continue;
        }
        while let Some(less) = smaller(&program).into_iter().find(|less| fails(less)) {
            program = less;
        }
        let verdicts = WAYS.map(|way| (way, verdicts(&program, way)));
        panic!(
            "case {case}, {} operations, [engine, oracle]: {verdicts:#?}\n{program:#?}",
            size(&program)
        );
    }
}

#[test]
fn a_recording_has_the_races_of_the_run() {
    for case in 1..=3000u64 {
        let program = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15)).body(4, false);
        let (engine, tape) = recorded::engine();
        let simulation = simulate(engine, &program, PLAIN);
        let expected = recorded::live(&simulation.engine);
        let found = recorded::recorded(&simulation.engine, &tape);
        assert_eq!(found, Ok(expected), "case {case}: {program:#?}");
    }
}
