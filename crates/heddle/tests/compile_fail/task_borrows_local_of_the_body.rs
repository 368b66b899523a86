//! The body of a finish is over before its tasks are, so they cannot borrow its locals.

fn main() {
    heddle::finish(|s| {
        let local = heddle::Shared::new(1);
        s.spawn(|_| local.set(2));
    });
}
