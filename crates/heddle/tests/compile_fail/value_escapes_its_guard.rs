//! What a mutex protects is only reachable while the guard lives.

fn main() {
    let m = heddle::Mutex::new(vec![1]);
    let first = {
        let mut guard = m.lock().unwrap();
        &mut guard[0]
    };
    *first = 2;
}
