//! Cuts by a rule, put into the text of the code between the steps of a compilation.
//!
//! A cut is a call of `heddle_cut_by_rule`. Ménier's rule ([`menier`](super::menier)) goes by the source and so into
//! code that is not optimised yet; the other rule cuts behind every check of an access, which only
//! instrumented code has.

const CUT: &str = "heddle_cut_by_rule";

/// The instrumented code with a cut behind every access.
pub fn behind_accesses(code: &str) -> String {
    let mut text = String::with_capacity(code.len() * 2);
    for line in code.lines() {
        text += line;
        text.push('\n');
        if is_check(line) {
            let place = line.split(", !dbg !").nth(1);
            let place = place.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
            text += &call_at(place.and_then(|number| number.parse().ok()));
        }
    }
    declared(text)
}

/// The call, at a place in the source.
pub fn call_at(place: Option<u32>) -> String {
    match place {
        Some(number) => format!("  notail call void @{CUT}() nomerge, !dbg !{number}\n"),
        None => format!("  notail call void @{CUT}() nomerge\n"),
    }
}

/// The code with the function declared if it is called.
pub fn declared(mut text: String) -> String {
    if text.contains(&format!("@{CUT}()")) {
        text += &format!("\ndeclare void @{CUT}()\n");
    }
    text
}

/// Whether the line calls the check of an access.
fn is_check(line: &str) -> bool {
    let accesses = ["read", "write", "unaligned", "volatile"];
    let called = line.trim_start().split_once("call void @__tsan_");
    let name = called
        .filter(|_| line.starts_with("  "))
        .map(|(_, name)| name);
    name.is_some_and(|name| accesses.iter().any(|access| name.starts_with(access)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
define void @f(ptr %p) {
  call void @__tsan_write4(ptr %p), !dbg !7
  store i32 1, ptr %p, align 4, !dbg !7
  %1 = call i32 @process(i32 3), !dbg !9
}
declare i32 @process(i32)
declare void @__tsan_write4(ptr)";

    #[test]
    fn accesses_are_cut_behind_their_check() {
        let text = behind_accesses(CODE);
        let at = |what: &str| text.find(what).expect("it stays");
        assert!(at("@__tsan_write4") < at(CUT) && at(CUT) < at("store i32"));
        assert_eq!(
            text.matches(&format!("call void @{CUT}() nomerge, !dbg !7"))
                .count(),
            1
        );
        assert_eq!(text.matches(CUT).count(), 2, "one cut and the declaration");
    }

    #[test]
    fn code_without_accesses_stays_as_it_is() {
        let code = "define void @f() {\n  ret void\n}\n";
        assert_eq!(behind_accesses(code), code);
    }
}
