//! Cuts by a rule, put into the text of the code between the steps of a compilation.
//!
//! This is clang's code; that of gcc is assembly text ([`gcc`](super::gcc)).
//!
//! A cut is a call of `heddle_cut_by_rule`. Ménier's rule ([`menier`](super::menier)) goes by the source and so into
//! its text and into code that is not optimised yet; the other rule cuts behind every check of an access, which only
//! instrumented code has.

/// The function that cuts.
pub const CUT: &str = "heddle_cut_by_rule";

/// How functions begin that are no calls of the program's: those of the runtimes, of the C++ standard library and
/// of the language itself (`operator new`, exceptions).
const SILENT: [&str; 22] = [
    "llvm.",
    "__tsan_",
    "heddle_",
    "__heddle",
    "__kmpc_",
    "GOMP_",
    "omp_",
    "_ZN6heddle",
    "_ZNK6heddle",
    "_ZS",
    "_ZNS",
    "_ZNKS",
    "_ZN9__gnu_cxx",
    "_ZNK9__gnu_cxx",
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
    "__cxa_",
    "__gxx_",
    "_Unwind_",
    "__clang_call_terminate",
];

/// What the names of functions contain that clang makes of OpenMP's constructs.
const OUTLINED: &str = ".omp_";

/// Functions by which compilers copy and fill values, too.
const COPIES: [&str; 3] = ["memcpy", "memmove", "memset"];

/// The instrumented code with a cut behind every access.
pub fn behind_accesses(code: &str) -> String {
    let mut text = String::with_capacity(code.len() * 2);
    for line in code.lines() {
        text += line;
        text.push('\n');
        if calls_check(line) {
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

/// The code with the function declared if it is called and the source has not declared it.
pub fn declared(mut text: String) -> String {
    let declares = |line: &str| line.starts_with("declare ") && line.contains(&format!("@{CUT}("));
    let is_known = text.lines().any(declares);
    if !is_known && text.contains(&format!("@{CUT}()")) {
        text += &format!("\ndeclare void @{CUT}()\n");
    }
    text
}

/// Whether a line of code calls the check of an access.
fn calls_check(line: &str) -> bool {
    let called = line.trim_start().split_once("call void @");
    let name = called.filter(|_| line.starts_with("  "));
    name.is_some_and(|(_, name)| is_check(name))
}

/// Whether a function of this name is the check of an access.
pub fn is_check(name: &str) -> bool {
    let accesses = ["read", "write", "unaligned", "volatile"];
    let kind = name.strip_prefix("__tsan_");
    kind.is_some_and(|kind| accesses.iter().any(|access| kind.starts_with(access)))
}

/// Whether a function of this name is no call of the program's.
pub fn is_silent(name: &str) -> bool {
    SILENT.iter().any(|silent| name.starts_with(silent))
        || COPIES.contains(&name)
        || name.contains(OUTLINED)
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
