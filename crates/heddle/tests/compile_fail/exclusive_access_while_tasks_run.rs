//! Unchecked access needs an exclusive reference, which there is none of while tasks have the data.

fn main() {
    let mut v = heddle::SharedVec::new(3, 0);
    heddle::finish(|s| {
        s.spawn(|_| v.set(0, 1));
        v.as_mut_slice()[0] = 2;
    });
}
