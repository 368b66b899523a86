//! Ménier's rule for calls, put into code that clang has not optimised yet.
//!
//! On the text of the code, before anything is inlined or merged, so that the calls are those of the source.
//! Not counted: functions of the runtimes and of the C++ standard library, whose `[]` is an access rather than a call.

use std::collections::HashMap;

use super::super::cuts::{CUT, call_at, declared, is_silent};

/// The code with cuts put in.
pub fn inserted(code: &str) -> String {
    let mut writer = Writer {
        text: String::with_capacity(code.len() * 2),
        cut: format!("call void @{CUT}()"),
        ..Writer::default()
    };
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        writer.line(line, lines.peek().copied().unwrap_or(""));
    }
    declared(writer.text)
}

#[derive(Default)]
struct Writer<'a> {
    text: String,
    /// How the source calls the function that cuts.
    cut: String,
    /// Blocks of the function that a call returns to, with its place.
    returns: HashMap<&'a str, Option<u32>>,
    /// The place of the cut that the block that begins wants.
    due: Option<Option<u32>>,
}

impl<'a> Writer<'a> {
    fn line(&mut self, line: &'a str, next: &'a str) {
        if line.starts_with("define ") {
            self.returns.clear();
            self.due = None;
        }
        if let Some(block) = block(line) {
            self.due = self.returns.get(block).copied();
            return self.push(line);
        }
        self.instruction(line, next);
    }

    fn instruction(&mut self, line: &'a str, next: &'a str) {
        let is_instruction = line.starts_with("  ") && !line.trim_start().starts_with('#');
        let place = place(line).or_else(|| place(next));
        let calls = is_instruction && is_call(line);
        // Variables may be declared before the first instruction.
        if is_instruction && let Some(place) = self.due.take() {
            self.text += &call_at(place);
        }
        if calls {
            self.text += &call_at(place);
        }
        if is_instruction && line.contains(&self.cut) {
            // A statement's cut is to stay where it is, too.
            return self.text.push_str(&call_at(place));
        }
        self.push(line);
        if calls && line.contains("invoke ") {
            let block = targets(next).next();
            self.returns.extend(block.map(|block| (block, place)));
        } else if calls && !line.contains("musttail ") {
            self.text += &call_at(place);
        }
    }

    fn push(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }
}

/// The name of the block that a line begins.
fn block(line: &str) -> Option<&str> {
    let is_label = !line.starts_with([' ', '!', '@', '%', '}', ';']);
    let (name, rest) = line.split_once(':').filter(|_| is_label)?;
    let is_whole = rest.is_empty() || rest.trim_start().starts_with(';');
    (is_whole && !name.contains(' ')).then_some(name)
}

/// The blocks that an instruction leads to.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let names = line.split("label %").skip(1);
    names.filter_map(|rest| rest.split([',', ' ', ']']).next())
}

/// The number of the place that a line says it has.
fn place(line: &str) -> Option<u32> {
    line.split(", !dbg !").nth(1).and_then(number)
}

fn number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Whether the line calls a function of the program, by name or through a pointer.
fn is_call(line: &str) -> bool {
    let at = line.find("call ").or_else(|| line.find("invoke "));
    let Some(rest) = at.map(|at| &line[at..]) else {
        return false;
    };
    // A task's captured variables are found by a function that clang makes.
    let finds_captured = |word: &str| word.starts_with("%.") && word.contains(".ptr.addr");
    if rest.contains(" asm ") || rest.split(' ').any(finds_captured) {
        return false;
    }
    let callee = rest.split(' ').find_map(|word| {
        let name = word.strip_prefix(['@', '%'])?;
        name.split_once('(').map(|(name, _)| name.trim_matches('"'))
    });
    callee.is_some_and(|name| !is_silent(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of `f`, as clang writes it, with the rule's cuts, each as `cut` and its place.
    fn cuts(body: &str) -> Vec<String> {
        let code = format!("define void @f() {{\nentry:\n{body}}}\n");
        let text = inserted(&code);
        let lines = text.lines().filter(|line| line.starts_with("  "));
        let short = lines.map(|line| match place(line) {
            Some(place) if line.contains("heddle_cut_by_rule") => format!("cut {place}"),
            _ => line.trim().to_owned(),
        });
        short.collect()
    }

    #[test]
    fn calls_are_cut_before_and_after_by_name_and_through_pointers() {
        let named = "%1 = call i32 @process(i32 3), !dbg !9";
        assert_eq!(cuts(&format!("  {named}\n")), ["cut 9", named, "cut 9"]);
        let pointed = "call void %0(ptr @x), !dbg !9";
        assert_eq!(cuts(&format!("  {pointed}\n")), ["cut 9", pointed, "cut 9"]);
        for silent in [
            "call void @llvm.lifetime.start.p0(ptr %i), !dbg !9",
            "call void @__kmpc_barrier(ptr @1, i32 %0), !dbg !9",
            "call void %1(ptr %2, ptr %.firstpriv.ptr.addr), !dbg !9",
            "call void @main.omp_outlined_debug__(ptr %0), !dbg !9",
            "%2 = call ptr @_Znwm(i64 4), !dbg !9",
            "call void @_ZNSaIcED1Ev(ptr %a), !dbg !9",
            "%2 = call ptr @_ZNSt6vectorIiSaIiEEixEm(ptr %v), !dbg !9",
            "call void asm sideeffect \"call foo(%rax)\", \"\"(), !dbg !9",
        ] {
            assert_eq!(cuts(&format!("  {silent}\n")), [silent]);
        }
    }

    #[test]
    fn a_call_that_may_throw_is_cut_where_it_returns_to() {
        let body = "  invoke void @g()\n          to label %invoke.cont unwind label %lpad, !dbg !9\n\n\
                    invoke.cont:                ; preds = %entry\n  store i32 1, ptr @x, !dbg !10\n";
        let [before, _, _, after, _] = &cuts(body)[..] else {
            panic!("{:?}", cuts(body));
        };
        assert_eq!([before, after], ["cut 9", "cut 9"]);
    }
}
