//! Who uses what a function computes.
//!
//! An update (`n += k`) whose value goes nowhere but back to where it came from decides nothing: what the program does
//! next is the same whoever updated before. One whose value is also tested, passed on or stored elsewhere reads like any
//! other. The checker tells the two apart where critical sections hand over.

use std::collections::HashMap;

use super::block::{bare, defined};

/// For each value, how often it is used, and the last line that does.
pub struct Uses<'a> {
    of: HashMap<&'a str, (u32, usize)>,
}

/// Instructions that compute a value from values, and do nothing else.
const PLAIN: &[&str] = &[
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "shl",
    "lshr",
    "ashr",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "fneg",
    "zext",
    "sext",
    "trunc",
    "fpext",
    "fptrunc",
    "freeze",
    "getelementptr",
];

/// As many instructions are followed from a load to its store.
const FAR: usize = 16;

impl<'a> Uses<'a> {
    /// Of the values in a function's lines.
    pub fn of(body: &[&'a str]) -> Self {
        let mut of = HashMap::new();
        for (at, line) in body.iter().enumerate().filter(|(_, line)| !is_note(line)) {
            let own = defined(line);
            let mut skips_own = own.is_some();
            for name in values(bare(line)) {
                if skips_own && Some(name) == own {
                    skips_own = false;
                    continue;
                }
                let (count, last) = of.entry(name).or_insert((0, at));
                *count += 1;
                *last = at;
            }
        }
        Self { of }
    }

    /// Whether the value that a line defines is used by none.
    pub fn is_unused(&self, line: &str) -> bool {
        defined(line).is_some_and(|value| !self.of.contains_key(value))
    }

    /// Whether what is loaded behind the hook in line `read` is used for nothing but what is stored behind the
    /// one in line `write`.
    pub fn is_closed(&self, body: &[&'a str], read: usize, write: usize) -> bool {
        let (Some(load), Some(store)) = (next(body, read), next(body, write)) else {
            return false;
        };
        let is_load = bare(body[load]).contains(" = load ");
        let mut value = match defined(body[load]) {
            Some(value) if is_load => value,
            _ => return false,
        };
        for _ in 0..FAR {
            let Some(&(1, at)) = self.of.get(value) else {
                return false;
            };
            if at == store {
                return stores(body[at], value);
            }
            match defined(body[at]) {
                Some(next) if is_plain(body[at]) => value = next,
                _ => return false,
            }
        }
        false
    }
}

/// The instruction behind a hook.
fn next(body: &[&str], hook: usize) -> Option<usize> {
    (hook + 1..body.len()).find(|&at| !is_note(body[at]) && !body[at].trim().is_empty())
}

/// Whether a line only tells a debugger something.
pub fn is_note(line: &str) -> bool {
    line.trim_start().starts_with("#dbg_") || line.contains("@llvm.dbg.")
}

fn is_plain(line: &str) -> bool {
    let op = bare(line).split_once(" = ").map_or("", |(_, op)| op);
    PLAIN.contains(&op.split(' ').next().unwrap_or(""))
}

/// Whether the line stores the value, and not something where it points to.
fn stores(line: &str, value: &str) -> bool {
    let stored = bare(line)
        .strip_prefix("store ")
        .and_then(|rest| rest.split_once(", ptr "));
    stored.is_some_and(|(stored, _)| values(stored).any(|name| name == value))
}

/// The names of values in a line.
pub fn values(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('%').map(|(at, _)| {
        let rest = &line[at + 1..];
        let end = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(rest.len(), |end| end + 2),
            None => {
                let is_end = |letter: char| !letter.is_alphanumeric() && !"._$-".contains(letter);
                rest.find(is_end).unwrap_or(rest.len())
            }
        };
        &line[at..at + 1 + end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_closed(more: &str) -> bool {
        let text = format!(
            "  call void @__tsan_read4(ptr @n), !dbg !1\n  %1 = load i32, ptr @n, align 4, !dbg !1\n\
             \x20   #dbg_value(i32 %1, !2, !DIExpression(), !3)\n  %2 = add nsw i32 %1, 1, !dbg !1\n\
             \x20 call void @__tsan_write4(ptr @n), !dbg !1\n  store i32 %2, ptr @n, align 4, !dbg !1\n{more}"
        );
        let body: Vec<&str> = text.lines().collect();
        Uses::of(&body).is_closed(&body, 0, 4)
    }

    #[test]
    fn an_update_whose_value_goes_nowhere_else_is_closed() {
        assert!(is_closed("  ret void"));
        for use_ in [
            "  %3 = icmp eq i32 %2, 4",
            "  ret i32 %1",
            "  store i32 %2, ptr %last",
            "  call void @f(i32 %2)",
        ] {
            assert!(!is_closed(use_), "{use_}");
        }
    }

    #[test]
    fn a_pointer_that_is_followed_is_used() {
        let text = "  call void @__tsan_read8(ptr @head)\n  %1 = load ptr, ptr @head, align 8\n\
                    \x20 %2 = load ptr, ptr %1, align 8\n  call void @__tsan_write8(ptr @head)\n\
                    \x20 store ptr %2, ptr @head, align 8";
        let body: Vec<&str> = text.lines().collect();
        assert!(!Uses::of(&body).is_closed(&body, 0, 3));
    }
}
