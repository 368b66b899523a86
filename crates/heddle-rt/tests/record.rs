//! A recording keeps the rules of a stream and has the races of the run that was recorded: random
//! programs with finishes, scope handles, joins, signals, locks, atomic accesses, hand-overs and memory
//! that is used again. Teams and waits are in `teams.rs`.

mod random;
mod recorded;

use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::{FinishKind, LockId, SiteId, TaskKind};
use heddle_rt::{Cursor, EndPoint, Engine, FinishScope, LockMode, ThreadCache, Touch};
use random::Random;

const SITE: SiteId = SiteId::new(7);
const LOCATIONS: u64 = 4;
/// The lock that can have readers.
const READERS: LockId = LockId::new(2);

/// A program that is made up as it runs.
struct Program {
    random: Random,
    engine: Engine,
    cache: ThreadCache,
    scopes: Vec<FinishScope>,
    ends: Vec<EndPoint>,
    signals: Vec<u32>,
    offers: Vec<u32>,
    /// Tasks that were created and have not run, and how deep they are.
    waiting: Vec<(Cursor, u32)>,
}

impl Program {
    fn body(&mut self, cursor: &mut Cursor, depth: u32) {
        for _ in 0..self.random.below(6) {
            self.operation(cursor, depth);
        }
    }

    fn operation(&mut self, cursor: &mut Cursor, depth: u32) {
        match self.random.below(if depth == 0 { 10 } else { 16 }) {
            0..=3 => self.access(cursor),
            4 => self.atomic(cursor),
            5 => self.locked(cursor),
            6 => self.signals.push(self.engine.signal(cursor)),
            7 => self.offers.push(self.engine.offer(cursor)),
            8 => self.edge(cursor),
            9 => self.fresh(cursor),
            10..=12 => self.spawn(cursor, depth),
            13 => self.finish(cursor, depth),
            14 => self.join(cursor),
            _ => self.run_another(cursor),
        }
    }

    fn touch(&mut self) -> Touch {
        Touch {
            kind: self.kind(),
            granule: self.random.below(LOCATIONS),
            mask: 0xff,
        }
    }

    fn kind(&mut self) -> AccessKind {
        [Read, Write][self.random.below(2) as usize]
    }

    fn access(&mut self, cursor: &mut Cursor) {
        let touch = self.touch();
        self.engine.touch(&mut self.cache, cursor, touch, 1);
    }

    fn atomic(&mut self, cursor: &mut Cursor) {
        let touch = self.touch();
        self.engine
            .touch_atomically(&mut self.cache, cursor, touch, 2);
    }

    fn locked(&mut self, cursor: &mut Cursor) {
        let lock = LockId::new(self.random.below(3) as u32);
        if self.engine.holds(cursor, lock) {
            return;
        }
        let is_reader = lock == READERS && self.random.below(2) == 0;
        let mode = if is_reader {
            LockMode::Shared
        } else {
            LockMode::Exclusive
        };
        self.engine.acquire(cursor, lock, mode);
        for _ in 0..self.random.below(3) {
            let touch = self.touch();
            self.engine.touch(&mut self.cache, cursor, touch, 3);
        }
        self.engine.release(cursor, lock);
    }

    fn edge(&mut self, cursor: &mut Cursor) {
        let is_hand_over = self.random.below(2) == 0;
        let from = if is_hand_over {
            &self.offers
        } else {
            &self.signals
        };
        let Some(&from) = from.get(self.random.below(4) as usize) else {
            return;
        };
        match is_hand_over {
            true => self.engine.hand_over(cursor, from),
            false => self.engine.wait(cursor, &[from]),
        }
    }

    /// Something else is where something was before.
    fn fresh(&mut self, cursor: &mut Cursor) {
        match self.random.below(2) {
            0 => self.engine.forget(self.random.below(LOCATIONS), 1),
            _ => {
                let touch = self.touch();
                self.engine.forget(touch.granule, 1);
                self.engine.touch(&mut self.cache, cursor, touch, 4);
            }
        }
    }

    fn spawn(&mut self, cursor: &mut Cursor, depth: u32) {
        let scope = match self.random.below(3) {
            0 => Some(self.scopes[self.random.below(self.scopes.len() as u64) as usize]),
            _ => None,
        };
        let child = self
            .engine
            .spawn(cursor, scope.as_ref(), TaskKind::Async, SITE, None);
        match self.random.below(2) {
            0 => self.execute(cursor, child, depth - 1),
            _ => self.waiting.push((child, depth - 1)),
        }
    }

    fn execute(&mut self, cursor: &mut Cursor, mut task: Cursor, depth: u32) {
        self.engine.suspend(cursor);
        // Finishes that its creator has begun since are not around it.
        let scopes = std::mem::replace(&mut self.scopes, vec![FinishScope::MAIN]);
        self.body(&mut task, depth);
        self.scopes = scopes;
        self.ends.push(self.engine.end(task));
    }

    fn finish(&mut self, cursor: &mut Cursor, depth: u32) {
        let scope = self.engine.finish_begin(cursor, FinishKind::Finish, SITE);
        self.scopes.push(scope);
        self.body(cursor, depth - 1);
        while !self.waiting.is_empty() {
            self.run_another(cursor);
        }
        self.scopes.pop();
        self.engine.finish_end(cursor, scope);
    }

    fn join(&mut self, cursor: &mut Cursor) {
        if let Some(&end) = self.ends.get(self.random.below(4) as usize) {
            self.engine.join(cursor, end);
        }
    }

    fn run_another(&mut self, cursor: &mut Cursor) {
        if let Some((task, depth)) = self.waiting.pop() {
            self.execute(cursor, task, depth);
        }
    }
}

#[test]
fn a_recording_has_the_races_of_the_run() {
    let mut racy = 0;
    for case in 1..=3000u64 {
        let (engine, tape) = recorded::engine();
        let mut main = engine.main_task();
        let mut program = Program {
            random: Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            engine,
            cache: ThreadCache::new(),
            scopes: vec![FinishScope::MAIN],
            ends: Vec::new(),
            signals: Vec::new(),
            offers: Vec::new(),
            waiting: Vec::new(),
        };
        for _ in 0..6 {
            program.operation(&mut main, 4);
        }
        while !program.waiting.is_empty() {
            program.run_another(&mut main);
        }
        let expected = recorded::live(&program.engine);
        let found = recorded::recorded(&program.engine, &tape);
        assert_eq!(found, Ok(expected.clone()), "case {case}");
        racy += usize::from(!expected.is_empty());
    }
    assert!(racy > 300, "{racy} programs have races");
}
