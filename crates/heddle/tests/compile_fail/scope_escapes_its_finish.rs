//! A scope cannot be kept: nothing would wait for tasks spawned into it later.

fn main() {
    let mut kept = None;
    heddle::finish(|s| kept = Some(s));
    kept.unwrap().spawn(|_| ());
}
