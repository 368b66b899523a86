//! What very many tasks read is checked in the quick way, however it is laid out.
#![cfg(not(feature = "shuttle"))]

use heddle_core::AccessKind::{self, Read, Write};
use heddle_core::{FinishKind, SiteId, TaskKind};
use heddle_rt::{Cursor, Engine, ThreadCache, Touch};

const SITE: SiteId = SiteId::new(1);

/// Two numbers of four bytes, side by side, each with places of its own where it is written and read.
const HALVES: [(u8, u32); 2] = [(0x0f, 10), (0xf0, 20)];

struct Run {
    engine: Engine,
    cache: ThreadCache,
}

impl Run {
    /// Whether the access was made in the quick way.
    fn access(&mut self, cursor: &mut Cursor, kind: AccessKind, mask: u8, site: u32) -> bool {
        let touch = Touch {
            kind,
            granule: 3,
            mask,
        };
        self.cache.follow(cursor.strand());
        let quick = (self.engine).touch_quickly(&mut self.cache, cursor, touch, site);
        if quick.is_none() {
            self.engine.touch(&mut self.cache, cursor, touch, site);
        }
        quick.is_some()
    }

    /// How many of these tasks do not read both numbers in the quick way, first thing.
    fn slow_readers(&mut self, main: &mut Cursor, tasks: u32) -> usize {
        let slow = (0..tasks).filter(|_| {
            let mut task = (self.engine).spawn(main, None, TaskKind::Async, SITE, None);
            let is_quick = HALVES.map(|(mask, site)| self.access(&mut task, Read, mask, site + 1));
            self.engine.end(task);
            is_quick != [true; 2]
        });
        slow.count()
    }
}

#[test]
fn two_numbers_in_one_granule_that_all_tasks_read_need_no_list_of_readers() {
    let engine = Engine::new().expect("address space");
    let mut main = engine.main_task();
    let mut run = Run {
        engine,
        cache: ThreadCache::new(),
    };
    for (mask, site) in HALVES {
        run.access(&mut main, Write, mask, site);
    }
    let scope = run.engine.finish_begin(&mut main, FinishKind::Finish, SITE);
    assert_eq!(run.slow_readers(&mut main, 100), 0);
    // One task hands something over to another: from then on there are edges, but none to the readers.
    let mut giver = (run.engine).spawn(&mut main, None, TaskKind::Async, SITE, None);
    run.access(&mut giver, Read, 0x0f, 11);
    let given = run.engine.offer(&mut giver);
    run.engine.end(giver);
    let mut taker = (run.engine).spawn(&mut main, None, TaskKind::Async, SITE, None);
    run.engine.hand_over(&mut taker, given);
    run.engine.end(taker);
    assert!(run.slow_readers(&mut main, 100) <= 2);
    run.engine.finish_end(&mut main, scope);
    run.access(&mut main, Write, 0xff, 30);
    assert!(
        run.engine
            .races(&heddle_core::roster::Roster::new().ancestry())
            .is_empty()
    );
}
