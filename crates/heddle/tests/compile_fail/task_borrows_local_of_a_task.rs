//! A task may end before the tasks it spawned, so they cannot borrow its locals.

fn main() {
    heddle::finish(|s| {
        s.spawn(|s| {
            let local = heddle::Shared::new(1);
            s.spawn(|_| local.set(2));
        });
    });
}
