//! Words for the locks that are held at an access.

/// Whether a lock is called by its kind alone: where it lies has no name.
pub fn is_nameless(lock: &str) -> bool {
    matches!(lock, "mutex" | "rwlock" | "lock")
}

/// The locks in a sentence: `mutex m`, `a mutex and lock l`.
pub fn held(locks: &[String]) -> String {
    let words = locks.iter().map(|lock| match is_nameless(lock) {
        true => format!("a {lock}"),
        false => lock.clone(),
    });
    words.collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_without_a_name_is_called_by_its_kind() {
        let held =
            |locks: &[&str]| held(&locks.iter().map(|&lock| lock.into()).collect::<Vec<_>>());
        assert_eq!(held(&["mutex"]), "a mutex");
        assert_eq!(held(&["mutex m", "rwlock"]), "mutex m and a rwlock");
        assert_eq!(held(&["critical(first)"]), "critical(first)");
    }
}
