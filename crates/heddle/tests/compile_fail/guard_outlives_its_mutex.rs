//! A guard borrows its mutex.

fn main() {
    let guard = {
        let m = heddle::Mutex::new(1);
        m.lock().unwrap()
    };
    assert_eq!(*guard, 1);
}
