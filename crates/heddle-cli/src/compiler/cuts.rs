//! Cuts by a rule, put into the code that clang has instrumented.
//!
//! On the text of the instrumented code, between the two halves of a compilation: a call of
//! `heddle_cut_by_rule` wherever the rule cuts. Ménier's rule cuts before and after calls and at the end of each
//! loop iteration, which is where a branch carries the loop's metadata; calls that were inlined are no calls any
//! more. The other rule cuts behind every check of an access.
//!
//! Not done: labels, `goto` and `case`, of which nothing is left in this code.

use crate::arguments::CutRule;

const CUT: &str = "heddle_cut_by_rule";

/// Functions that are no calls of the program's.
const SILENT: [&str; 6] = ["llvm.", "__tsan_", "heddle_", "__kmpc_", "__heddle", "omp_"];

/// The code with cuts put in.
pub fn inserted(code: &str, rule: CutRule) -> String {
    let mut text = String::with_capacity(code.len() * 2);
    for line in code.lines() {
        let (before, after) = match rule {
            CutRule::None => (false, false),
            CutRule::Menier => (
                is_call(line) || is_iteration_end(line),
                is_call(line) && !line.contains("musttail") && !line.contains("invoke "),
            ),
            CutRule::Access => (false, is_check(line)),
        };
        if before {
            text += &cut(line);
        }
        text += line;
        text.push('\n');
        if after {
            text += &cut(line);
        }
    }
    if text.contains(&format!("@{CUT}()")) {
        text += &format!("\ndeclare void @{CUT}()\n");
    }
    text
}

/// The call, at the place in the source that the neighbouring line has.
fn cut(beside: &str) -> String {
    let place = beside.split(", !dbg !").nth(1);
    let place = place.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    match place.flatten().filter(|number| !number.is_empty()) {
        Some(number) => format!("  notail call void @{CUT}() nomerge, !dbg !{number}\n"),
        None => format!("  notail call void @{CUT}() nomerge\n"),
    }
}

/// The function that a line calls by its name.
fn callee(line: &str) -> Option<&str> {
    let at = line.find("call ").or_else(|| line.find("invoke "))?;
    if line.starts_with("declare") || line.starts_with("define") || line.starts_with('!') {
        return None;
    }
    let (_, name) = line[at..].split_once('@')?;
    name.split(['(', ' ']).next()
}

fn is_call(line: &str) -> bool {
    callee(line).is_some_and(|name| !SILENT.iter().any(|silent| name.starts_with(silent)))
}

fn is_check(line: &str) -> bool {
    let accesses = ["read", "write", "unaligned", "volatile"];
    let name = callee(line).and_then(|name| name.strip_prefix("__tsan_"));
    name.is_some_and(|name| accesses.iter().any(|access| name.starts_with(access)))
}

fn is_iteration_end(line: &str) -> bool {
    line.trim_start().starts_with("br ") && line.contains("!llvm.loop")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
define void @f(ptr %p) {
  call void @__tsan_write4(ptr %p), !dbg !7
  store i32 1, ptr %p, align 4, !dbg !7
  %1 = call i32 @process(i32 3), !dbg !9
  br i1 %2, label %3, label %4, !dbg !11, !llvm.loop !12
  call void @llvm.dbg.value()
}
declare i32 @process(i32)";

    fn lines(rule: CutRule) -> Vec<String> {
        let text = inserted(CODE, rule);
        let cuts = text.lines().filter(|line| line.contains(CUT));
        cuts.map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn menier_cuts_around_calls_and_at_the_end_of_iterations() {
        let cut = |at: u32| format!("notail call void @{CUT}() nomerge, !dbg !{at}");
        let declared = format!("declare void @{CUT}()");
        assert_eq!(lines(CutRule::Menier), [cut(9), cut(9), cut(11), declared]);
    }

    #[test]
    fn the_other_rule_cuts_behind_accesses() {
        let text = inserted(CODE, CutRule::Access);
        let check = text.find("@__tsan_write4").expect("the check stays");
        let cut = text.find(CUT).expect("there is a cut");
        let store = text.find("store i32").expect("the store stays");
        assert!(check < cut && cut < store);
    }

    #[test]
    fn no_rule_changes_nothing() {
        assert_eq!(inserted(CODE, CutRule::None).trim_end(), CODE);
    }
}
