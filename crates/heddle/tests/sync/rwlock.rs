//! Readers and writers.

use super::*;

#[test]
fn readers_do_not_exclude_readers() {
    let (lock, x) = (RwLock::new(0), Shared::new(0));
    let touch = || {
        let _guard = lock.read().unwrap();
        x.set(1);
    };
    assert_eq!(certainties(|| both(touch, touch)), [Certainty::Certain]);
}

#[test]
fn readers_and_writers_exclude_each_other() {
    assert_clean(|| {
        let (lock, x) = (RwLock::new(0), Shared::new(0));
        let read = || {
            let _guard = lock.read().unwrap();
            x.get();
        };
        let write = || {
            *lock.write().unwrap() += 1;
            let _guard = lock.write().unwrap();
            x.set(1);
        };
        both(read, write);
        both(write, read);
        both(write, write);
    });
}

#[test]
fn what_a_writer_wrote_is_handed_over_to_readers() {
    let (lock, x) = (RwLock::new(false), Shared::new(0));
    let write = || {
        x.set(1);
        *lock.write().unwrap() = true;
    };
    let read = || lock.read().unwrap().then(|| x.get());
    assert_eq!(certainties(|| both(write, read)), [Certainty::Possible]);
}

#[test]
fn readers_hand_nothing_over() {
    let (lock, x) = (RwLock::new(false), Shared::new(0));
    let first = || {
        x.set(1);
        drop(lock.read());
    };
    let second = || {
        drop(lock.read());
        x.set(2);
    };
    assert_eq!(certainties(|| both(first, second)), [Certainty::Certain]);
}

#[test]
#[should_panic(expected = "deadlock: this RwLock is already held here, since")]
fn a_reader_that_wants_to_write_is_a_deadlock() {
    let lock = RwLock::new(0);
    let _reader = lock.read();
    drop(lock.write());
}

#[test]
fn a_task_may_read_what_its_spawner_reads() {
    assert_clean(|| {
        let lock = RwLock::new(7);
        let guard = lock.read().unwrap();
        finish(|s| s.spawn(|_| assert_eq!(*lock.read().unwrap(), 7)));
        drop(guard);
    });
}

#[test]
fn the_graph_judges_readers_as_the_engine_does() {
    let by_graph = |program: &(dyn Fn() + Sync)| {
        let checker = Checker::new().order(Order::Graph).parallel(0);
        checker.check(program).races().count()
    };
    let (lock, x) = (RwLock::new(0), Shared::new(0));
    let share = || {
        let (_outer, inner) = (lock.read().unwrap(), lock.read().unwrap());
        drop(inner);
        x.set(1);
    };
    let alone = || {
        let _guard = lock.write().unwrap();
        x.set(2);
    };
    assert_eq!(by_graph(&|| both(share, share)), 1);
    assert_eq!(by_graph(&|| both(share, alone)), 0);
}
