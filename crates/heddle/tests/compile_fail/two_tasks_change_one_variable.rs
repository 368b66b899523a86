//! Plain variables are lent to one writer at a time; what tasks share is `Shared` data.

fn main() {
    let mut count = 0;
    heddle::finish(|s| {
        s.spawn(|_| count += 1);
        s.spawn(|_| count += 1);
    });
}
