//! A mutex makes `Send` values shareable, not others.

fn main() {
    let m = heddle::Mutex::new(std::rc::Rc::new(1));
    heddle::finish(|s| s.spawn(|_| drop(m.lock())));
}
