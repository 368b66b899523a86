//! What the source calls a value, read from the line that makes it.
//!
//! Values need no name of their own: `let change = Shared::new(0.0)` says what the report is to call it. Where the
//! source cannot be found, or its line does not tell, they are called by where they were made.

use crate::sites::{Caller, read_source};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::{Arc, Mutex, PoisonError};

type Known = FxHashMap<(&'static str, u32, u32), Option<Arc<str>>>;

/// The answers so far: a report asks for the same value many times.
static KNOWN: Mutex<Known> = Mutex::new(FxHashMap::with_hasher(FxBuildHasher));

/// Pointers that a value is put into at once.
const POINTERS: [&str; 3] = ["Arc::new(", "Rc::new(", "Box::new("];

/// The variable or field that the value made here is kept in.
pub(crate) fn keeper(made_at: Caller) -> Option<Arc<str>> {
    let place = (made_at.file(), made_at.line(), made_at.column());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(place).or_insert_with(|| find(place)).clone()
}

fn find((file, line, column): (&str, u32, u32)) -> Option<Arc<str>> {
    let text = read_source(file)?;
    let line = text.lines().nth((line as usize).checked_sub(1)?)?;
    let before: String = line
        .chars()
        .take((column as usize).checked_sub(1)?)
        .collect();
    kept_in(&before).map(Arc::from)
}

/// The name that what follows this text is bound to.
fn kept_in(before: &str) -> Option<&str> {
    let mut before = before.trim_end().trim_end_matches('&');
    while let Some(rest) = POINTERS.iter().find_map(|new| before.strip_suffix(new)) {
        before = rest.trim_end();
    }
    if let Some(bound) = before.strip_suffix('=') {
        let statement = bound.rsplit([';', '{', '}']).next()?.trim();
        let words = ["let ", "static ", "pub static ", "mut "];
        let start = words.iter().fold(statement, |text, word| {
            text.strip_prefix(word).unwrap_or(text)
        });
        return name(start.split_once(':').map_or(start, |(name, _)| name));
    }
    let field = before.strip_suffix(':')?;
    let start = field.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    name(&field[start..])
}

fn name(text: &str) -> Option<&str> {
    let name = text.trim();
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (starts && name.chars().all(is_word)).then_some(name)
}

/// Whether a name may have this in it.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_called_by_what_it_is_kept_in() {
        assert_eq!(kept_in("    let change = "), Some("change"));
        assert_eq!(kept_in("let mut a: Shared<i32> = "), Some("a"));
        assert_eq!(kept_in("f(); let seen = Arc::new("), Some("seen"));
        assert_eq!(kept_in("static TOTAL: Shared<u64> = "), Some("TOTAL"));
        assert_eq!(kept_in("    Account { balance: "), Some("balance"));
        assert_eq!(kept_in("    owner, balance: "), Some("balance"));
    }

    #[test]
    fn what_does_not_say_it_names_nothing() {
        assert_eq!(kept_in(""), None);
        assert_eq!(kept_in("    work(&"), None);
        assert_eq!(kept_in("let (a, b) = ("), None);
        assert_eq!(kept_in("let (a, b) = "), None);
        assert_eq!(kept_in("heddle::"), None);
        assert_eq!(kept_in("if a == "), None);
        assert_eq!(kept_in("let a = f("), None);
    }
}
