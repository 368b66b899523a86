//! What a task borrows must outlive the whole finish.

fn main() {
    heddle::finish(|outer| {
        heddle::finish(|_inner| {
            let local = heddle::SharedVec::new(4, 0);
            let part = local.slice(..2);
            outer.spawn(move |_| part.fill(.., 1));
        });
    });
}
