//! Nor does a guard of a reader go anywhere.

fn main() {
    let lock = heddle::RwLock::new(1);
    let guard = lock.read().unwrap();
    heddle::finish(|s| s.spawn(move |_| drop(guard)));
}
