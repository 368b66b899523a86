//! Atomic read-modify-writes whose value is not used.
//!
//! What the program does next is the same whatever such an operation finds, so it receives nothing from those before it.
//! The checker cannot see that from the call; a bit of the memory order says so.

use super::uses::Uses;

/// The bit, as the checker knows it.
const UNUSED: u32 = 1 << 30;

/// The line, if it is such an operation, with the bit in its last argument.
pub fn marked(line: &str, uses: &Uses<'_>) -> Option<String> {
    if !is_change(line) || !uses.is_unused(line) {
        return None;
    }
    let end = line.find(')')?;
    let start = line[..end].rfind(", i32 ")? + ", i32 ".len();
    let order: u32 = line[start..end].parse().ok()?;
    let (before, after) = (&line[..start], &line[end..]);
    Some(format!("{before}{}{after}", order | UNUSED))
}

/// Whether a line asks for an atomic read-modify-write. A comparison has other arguments, and its result is looked at.
fn is_change(line: &str) -> bool {
    let operation = line
        .split_once("@__tsan_atomic")
        .and_then(|(_, name)| name.split_once('_'))
        .map_or("", |(_, operation)| operation);
    ["fetch_", "exchange("]
        .iter()
        .any(|start| operation.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked_before(line: &str, more: &str) -> Option<String> {
        marked(line, &Uses::of(&[line, more]))
    }

    #[test]
    fn an_update_whose_value_is_not_used_is_marked() {
        let line = "  %1 = call i32 @__tsan_atomic32_fetch_add(ptr @n, i32 1, i32 4), !dbg !7";
        let expected =
            "  %1 = call i32 @__tsan_atomic32_fetch_add(ptr @n, i32 1, i32 1073741828), !dbg !7";
        assert_eq!(marked_before(line, "  ret void").as_deref(), Some(expected));
        assert_eq!(marked_before(line, "  ret i32 %1"), None);
    }

    #[test]
    fn other_operations_are_left_as_they_are() {
        for line in [
            "  %1 = call i32 @__tsan_atomic32_load(ptr @n, i32 2)",
            "  %1 = call i32 @__tsan_atomic32_compare_exchange_val(ptr @n, i32 0, i32 1, i32 4, i32 2)",
            "  call void @__tsan_atomic32_store(ptr @n, i32 1, i32 3)",
            "  %1 = call i32 @__tsan_atomic32_fetch_add(ptr @n, i32 1, i32 %order)",
        ] {
            assert_eq!(marked_before(line, "  ret void"), None, "{line}");
        }
    }
}
