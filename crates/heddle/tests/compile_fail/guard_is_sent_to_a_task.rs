//! A guard stays with the task that took the lock.

fn main() {
    let m = heddle::Mutex::new(1);
    let guard = m.lock().unwrap();
    heddle::finish(|s| s.spawn(move |_| drop(guard)));
}
