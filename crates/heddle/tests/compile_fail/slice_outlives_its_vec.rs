//! A part cannot outlive the whole.

fn main() {
    let part = {
        let v = heddle::SharedVec::new(3, 0);
        v.slice(1..)
    };
    part.set(0, 1);
}
