//! Ménier's rule, put into code that clang has not optimised yet.
//!
//! On the text of the code, before anything is inlined or merged, so that the cuts are those of the source: a
//! call of `heddle_cut_by_rule` before and after each call, at the end of each loop iteration, at labels and
//! cases, and before `goto`, `break` and `continue`. Blocks must have their names: those of cases begin with
//! `sw.`, and a branch to a block that stands further up ends an iteration. Of a branch that a jump statement
//! makes, its place in the source tells which statement it was.
//!
//! Not counted as calls: functions of the runtimes and of the C++ standard library, whose `[]` is an access
//! rather than a call. Not seen: jump statements that come out of a macro.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::cuts::{call_at, declared};

/// Functions that are no calls of the program's.
const SILENT: [&str; 14] = [
    "llvm.",
    "__tsan_",
    "heddle_",
    "__heddle",
    "__kmpc_",
    "omp_",
    ".omp",
    "_ZN6heddle",
    "_ZNK6heddle",
    "_ZSt",
    "_ZNSt",
    "_ZNKSt",
    "_ZN9__gnu_cxx",
    "_ZNK9__gnu_cxx",
];

/// Blocks that a case or `default` begins.
const CASES: [&str; 2] = ["sw.bb", "sw.default"];

/// Statements that leave their place.
const JUMPS: [&str; 3] = ["break", "continue", "goto"];

/// The code with cuts put in.
pub fn inserted(code: &str) -> String {
    let mut writer = Writer {
        text: String::with_capacity(code.len() * 2),
        places: Places::new(code),
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
    places: Places<'a>,
    /// Blocks of the function so far.
    seen: HashSet<&'a str>,
    /// Blocks that a call returns to.
    returns: HashSet<&'a str>,
    /// The block that begins wants a cut.
    is_due: bool,
}

impl<'a> Writer<'a> {
    fn line(&mut self, line: &'a str, next: &'a str) {
        if line.starts_with("define ") {
            self.seen.clear();
            self.returns.clear();
            self.is_due = false;
        }
        if let Some(block) = block(line) {
            self.seen.insert(block);
            self.is_due =
                CASES.iter().any(|case| block.starts_with(case)) || self.returns.contains(block);
            return self.push(line);
        }
        if line.trim_start().starts_with("#dbg_label(") {
            self.push(line);
            let place = line.rsplit('!').next().and_then(number);
            self.is_due = false;
            return self.text.push_str(&call_at(place));
        }
        self.instruction(line, next);
    }

    fn instruction(&mut self, line: &'a str, next: &'a str) {
        let is_instruction = line.starts_with("  ") && !line.trim_start().starts_with('#');
        let place = place(line).or_else(|| place(next));
        let calls = is_instruction && is_call(line);
        let ends = is_instruction && (self.is_iteration_end(line) || self.is_jump(line));
        if (std::mem::take(&mut self.is_due) && is_instruction) || calls || ends {
            self.text += &call_at(place);
        }
        self.push(line);
        if calls && line.contains("invoke ") {
            self.returns.extend(targets(next).next());
        } else if calls && !line.contains("musttail ") {
            self.text += &call_at(place);
        }
    }

    fn push(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn is_iteration_end(&self, line: &str) -> bool {
        line.starts_with("  br ") && targets(line).any(|block| self.seen.contains(block))
    }

    fn is_jump(&mut self, line: &str) -> bool {
        let is_branch = line.starts_with("  br label ");
        let place = place(line).filter(|_| is_branch);
        place.is_some_and(|place| {
            let word = self.places.word(place);
            word.is_some_and(|word| JUMPS.contains(&word.as_str()))
        })
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
    if rest.contains(" asm ") {
        return false;
    }
    let callee = rest.split(' ').find_map(|word| {
        let name = word.strip_prefix(['@', '%'])?;
        name.split_once('(').map(|(name, _)| name.trim_matches('"'))
    });
    callee.is_some_and(|name| !SILENT.iter().any(|silent| name.starts_with(silent)))
}

/// What the code says of places in the source, and the words that stand there.
#[derive(Default)]
struct Places<'a> {
    /// Nodes by their number.
    nodes: HashMap<u32, &'a str>,
    files: HashMap<PathBuf, Vec<String>>,
}

impl<'a> Places<'a> {
    fn new(code: &'a str) -> Self {
        let nodes = code.lines().filter_map(|line| {
            let (name, node) = line.strip_prefix('!')?.split_once(" = ")?;
            Some((name.parse().ok()?, node))
        });
        Self {
            nodes: nodes.collect(),
            files: HashMap::new(),
        }
    }

    /// The word that begins at a place; none if the source cannot be read.
    fn word(&mut self, place: u32) -> Option<String> {
        let node = self.nodes.get(&place)?;
        let [line, column] = ["line: ", "column: "].map(|key| field(node, key));
        let path = self.path(number(field(node, "scope: !")?)?)?;
        let lines = self.files.entry(path).or_insert_with_key(|path| {
            let text = std::fs::read(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            text.lines().map(str::to_owned).collect()
        });
        let row = number(line?)?.checked_sub(1)?;
        let rest = lines.get(row as usize)?;
        let rest = rest.get(number(column?)?.checked_sub(1)? as usize..)?;
        let word = rest
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        word.map(str::to_owned)
    }

    /// The file of a scope.
    fn path(&self, scope: u32) -> Option<PathBuf> {
        let scope = self.nodes.get(&scope)?;
        let file = self.nodes.get(&number(field(scope, "file: !")?)?)?;
        let [name, folder] = ["filename: \"", "directory: \""].map(|key| {
            let text = field(file, key)?;
            text.split('"').next()
        });
        Some(Path::new(folder.unwrap_or("")).join(name?))
    }
}

/// What follows a key.
fn field<'a>(node: &'a str, key: &str) -> Option<&'a str> {
    node.split_once(key).map(|(_, rest)| rest)
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
        assert_eq!([before, after], ["cut 9", "cut 10"]);
    }

    #[test]
    fn iterations_end_where_a_branch_leads_back() {
        let body = "  br label %for.cond, !dbg !3\n\nfor.cond:       ; preds = %for.inc, %entry\n  \
                    br i1 %c, label %for.inc, label %for.end, !dbg !4\n\nfor.inc:\n  \
                    br label %for.cond, !dbg !5, !llvm.loop !6\n";
        let found = cuts(body);
        assert_eq!(found.iter().filter(|one| one.starts_with("cut")).count(), 1);
        assert_eq!(found[2], "cut 5");
    }

    #[test]
    fn cases_and_labels_begin_with_a_cut() {
        let body = "\nsw.bb:     ; preds = %entry\n  store i32 2, ptr @x, !dbg !3\n\n\
                    again:\n    #dbg_label(!25, !61)\n  store i32 3, ptr @x, !dbg !4\n";
        let found = cuts(body);
        assert_eq!(found[0], "cut 3");
        assert_eq!(found[3], "cut 61", "{found:?}");
    }

    #[test]
    fn a_jump_statement_is_told_by_the_word_in_the_source() {
        let dir = std::env::temp_dir().join(format!("heddle-menier-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::write(dir.join("a.c"), "while (1) {\n  if (x) break;\n}\n").expect("a file");
        let metadata = format!(
            "!1 = !DIFile(filename: \"a.c\", directory: \"{}\")\n\
             !2 = distinct !DISubprogram(name: \"f\", file: !1, line: 1)\n\
             !3 = !DILocation(line: 2, column: 10, scope: !2)\n\
             !4 = !DILocation(line: 3, column: 1, scope: !2)\n",
            dir.display()
        );
        let body =
            "define void @f() {\n  br label %while.end, !dbg !3\n  br label %a, !dbg !4\n}\n";
        let text = inserted(&format!("{body}{metadata}"));
        std::fs::remove_dir_all(&dir).expect("the folder is ours");
        assert!(text.contains("nomerge, !dbg !3"), "{text}");
        assert!(!text.contains("nomerge, !dbg !4"), "{text}");
    }
}
