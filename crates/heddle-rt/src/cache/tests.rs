//! What a thread remembers, and until when.

use super::*;

#[cfg(not(feature = "shuttle"))]
#[test]
fn what_is_not_shared_is_passed_over_as_long_as_it_has_no_history() {
    let engine = crate::Engine::new().expect("address space");
    let (mut cache, view) = (ThreadCache::new(), engine.view());
    cache.set_unshared(0, 10..20);
    let has_made = |cache: &ThreadCache, granule| {
        // SAFETY: the engine is still there.
        unsafe { cache.has_made(view, AccessKind::Write, granule, 0xff) }
    };
    assert!(
        [10, 19]
            .into_iter()
            .all(|granule| has_made(&cache, granule))
    );
    assert!(![9, 20].into_iter().any(|granule| has_made(&cache, granule)));
    let (mut writer, mut main) = (ThreadCache::new(), engine.main_task());
    for granule in 10..40 {
        // So that the block has memory.
        engine.write(&mut writer, &mut main, granule, 1, || 7);
    }
    engine.forget(10, 30);
    engine.write(&mut writer, &mut main, 15, 1, || 7);
    assert!(!has_made(&cache, 15) && has_made(&cache, 16));
    // SAFETY: as above.
    let until = |start| unsafe { cache.known_until(view, AccessKind::Read, start..30) };
    assert_eq!([until(10), until(16), until(25)], [15, 20, 25]);
    cache.set_unshared(1, 24..27);
    assert!(
        [16, 26]
            .into_iter()
            .all(|granule| has_made(&cache, granule))
    );
    cache.set_unshared(0, 0..0);
    assert!(!has_made(&cache, 16) && has_made(&cache, 24) && !has_made(&cache, 27));
    // SAFETY: as above.
    let until = |start| unsafe { cache.known_until(view, AccessKind::Read, start..30) };
    assert_eq!([until(16), until(24)], [16, 27]);
}

#[test]
fn tables_start_afresh_on_the_long_way_only() {
    let mut cache = ThreadCache::new();
    cache.learn(AccessKind::Write, StateId(5), 0xff);
    let followed = (1..=EPOCHS).find(|&strand| !cache.follow_at_once(strand));
    let refused = followed.expect("epochs come to an end");
    assert_eq!(refused, EPOCHS - 1);
    assert!(!cache.knows(AccessKind::Write, StateId(5), 0xff));
    cache.follow(refused);
    assert!(cache.follow_at_once(refused) && cache.follow_at_once(refused + 1));
}
