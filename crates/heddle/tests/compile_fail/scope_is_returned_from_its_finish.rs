//! A scope cannot be returned from its finish either.

fn main() {
    let kept = heddle::finish(|s| s);
    kept.spawn(|_| ());
}
