//! Shared elements are plain data.

fn main() {
    let names = heddle::SharedVec::from(vec![String::from("warp")]);
    names.set(0, String::from("weft"));
}
