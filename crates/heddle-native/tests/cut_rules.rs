//! Clang and gcc cut at the same places: random programs show the same cuts with both.
//!
//! `HEDDLE_CUT_PROGRAMS` says how many are tried.

mod harness;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Pairs of tasks in a program; the tasks of a pair share three variables.
const PAIRS: usize = 5;

/// Writes the body of a function, statement by statement. Every access has a line of its own, and no line reads what
/// it writes: then both compilers make the same accesses without optimisation.
struct Writer {
    state: u64,
    text: String,
    names: usize,
}

impl Writer {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        // Knuth's MMIX generator; its upper bits are the good ones.
        let step = self.state.wrapping_mul(6_364_136_223_846_793_005);
        self.state = step.wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % end
    }

    fn variable(&mut self) -> String {
        format!("v[{}]", self.below(3))
    }

    fn fresh(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    /// A condition that always holds, with up to two accesses.
    fn holds(&mut self) -> String {
        let [one, other] = [self.variable(), self.variable()];
        match self.below(3) {
            0 => "k < 9".into(),
            1 => format!("{one} > -99"),
            _ => format!("({one} < -99 || {other} > -99)"),
        }
    }

    fn block(&mut self, depth: u32, in_loop: bool) {
        self.line("{");
        for _ in 0..1 + self.below(3) {
            self.statement(depth, in_loop);
        }
        self.line("}");
    }

    fn statement(&mut self, depth: u32, in_loop: bool) {
        let variable = self.variable();
        match self.below(if depth == 0 { 5 } else { 15 }) {
            0 | 1 => self.line(&format!("{variable} = k;")),
            2 => self.line(&format!("t += {variable};")),
            3 => self.line(&format!("t = called(t, {variable});")),
            13 => self.line(&format!("t = inlined(t, {variable});")),
            14 => self.line(&format!("SETS({variable}, 5);")),
            4 if depth == 0 => self.line("t = own(t);"),
            4 | 5 => self.branch(depth),
            6..=8 => self.repetition(depth),
            9 => self.switch(depth, in_loop),
            10 => self.jump_ahead(),
            11 => self.jump_back(),
            _ if in_loop => {
                let word = ["break;", "continue;", "LEAVE"][self.below(3) as usize];
                let number = self.below(4);
                self.line(&format!("if (k < {number})\n{word}"));
                // Else it leads where the program goes without it.
                if self.below(2) == 0 {
                    self.line(&format!("t += {variable};"));
                }
            }
            _ => self.line("t = own(t);"),
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = match self.below(2) {
            0 => format!("k < {}", self.below(4)),
            _ => self.holds(),
        };
        self.line(&format!("if ({condition})"));
        self.block(depth - 1, false);
        if self.below(2) == 0 {
            self.line("else");
            self.block(depth - 1, false);
        }
    }

    fn repetition(&mut self, depth: u32) {
        let (count, condition) = (self.fresh('i'), self.holds());
        match self.below(3) {
            0 => {
                let step = match self.below(2) {
                    0 => String::new(),
                    _ => format!(", t += {}", self.variable()),
                };
                self.line(&format!(
                    "for (int {count} = 0; {count} < 2 && {condition}; {count}++{step})"
                ));
                self.block(depth - 1, true);
            }
            1 => {
                self.line(&format!(
                    "int {count} = 0;\nwhile ({count}++ < 2 && {condition})"
                ));
                self.block(depth - 1, true);
            }
            _ => {
                self.line(&format!("int {count} = 0;\ndo"));
                self.block(depth - 1, true);
                self.line(&format!("while ({count}++ < 1 && {condition});"));
            }
        }
    }

    fn switch(&mut self, depth: u32, in_loop: bool) {
        let first = self.below(3);
        self.line(&format!("switch (k + {first}) {{"));
        for case in 0..1 + self.below(6) {
            let (name, variable) = (self.fresh('d'), self.variable());
            match self.below(4) {
                // (C has statements alone behind a label, so the declaration comes behind an empty one.)
                0 => self.line(&format!(
                    "case {case}:;\nint {name} = {variable};\nt += {name};"
                )),
                1 => self.line(&format!("CASE({case})\n{variable} = 4;")),
                _ => {
                    self.line(&format!("case {case}:"));
                    self.block(depth - 1, in_loop);
                }
            }
            if self.below(2) == 0 {
                self.line("break;");
            }
        }
        if self.below(2) == 0 {
            self.line("default:");
            self.block(depth - 1, in_loop);
        }
        self.line("}");
    }

    fn jump_ahead(&mut self) {
        let (label, number) = (self.fresh('l'), self.below(3));
        let [skipped, next] = [self.variable(), self.variable()];
        self.line(&format!(
            "if (k < {number})\ngoto {label};\n{skipped} = 1;\n{label}:\n{next} = 2;"
        ));
    }

    fn jump_back(&mut self) {
        let (label, variable) = (self.fresh('l'), self.variable());
        self.line(&format!(
            "{label}:\n{variable} = 3;\nif (g++ < 2)\ngoto {label};"
        ));
    }
}

fn program(seed: u64) -> String {
    let text = "static int v0[PAIRS][3];\n\
                static int own(int k) { return k + 1; }\n\
                __attribute__((noinline)) int called(int a, int b) { return a + b; }\n\
                static inline __attribute__((always_inline)) int inlined(int a, int b) { return a + b; }\n\
                #define CASE(x) case x:\n\
                #define LEAVE { break; }\n\
                #define SETS(to, value) do { (to) = (value); } while (0)\n";
    let mut writer = Writer {
        state: seed,
        text: text.replace("PAIRS", &PAIRS.to_string()),
        names: 0,
    };
    let mut main = String::from("int main(void) {\n");
    for task in 0..2 * PAIRS {
        writer.line(&format!(
            "static void f{task}(int k, int *v) {{\nint t = 0, g = 0;"
        ));
        for _ in 0..4 {
            writer.statement(2, false);
        }
        writer.line("(void)t; (void)g;\n}");
        let start = "#pragma omp parallel num_threads(2)\n#pragma omp single\n{\n";
        let [before, after] = if task % 2 == 0 {
            [start, ""]
        } else {
            ["", "}\n"]
        };
        main += &format!(
            "{before}#pragma omp task\nf{task}({}, v0[{}]);\n{after}",
            1 + task % 2,
            task / 2
        );
    }
    writer.text + &main + "return 0;\n}\n"
}

/// How many cuts can be seen at each location.
fn visible(dir: &Path, compiler: &str, rule: &str) -> BTreeMap<String, usize> {
    let mut command = harness::heddle();
    command.current_dir(dir).args(["cc", compiler, rule]);
    harness::succeed(command.args(["-w", "-O0", "-fopenmp", "random.c", "-o", "random"]));
    let output = dir.join("report.json");
    let mut command = harness::run(&["--analysis", "transactions", "--format", "json"]);
    command.arg("--output").arg(&output).arg("--");
    let finished = harness::finished(command.arg(dir.join("random")));
    let text = std::fs::read_to_string(&output).expect("there is a report");
    let report: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {}", harness::all(&finished)));
    let mut found = BTreeMap::new();
    for finding in report["findings"].as_array().expect("there are findings") {
        let location = finding["location"].as_str().expect("it is somewhere");
        *found.entry(location.to_owned()).or_default() += 1;
    }
    found
}

#[test]
fn both_compilers_show_the_same_cuts() {
    let dir = harness::scratch("cut-rules");
    let programs = std::env::var("HEDDLE_CUT_PROGRAMS");
    let programs = programs.map_or(4, |count| count.parse().expect("a number"));
    let mut all = 0;
    for seed in 0..programs {
        let source = program(seed);
        std::fs::write(dir.join("random.c"), &source).expect("the folder is writable");
        for rule in ["--cuts=access", "--cuts=menier"] {
            let [clang, gcc] = ["--compiler=clang-22", "--compiler=gcc"]
                .map(|compiler| visible(&dir, compiler, rule));
            assert_eq!(clang, gcc, "{seed}: {rule} {source}");
            all += clang.values().sum::<usize>();
        }
    }
    assert!(all > 0, "nothing was to be seen");
}

#[test]
fn macros_that_the_cuts_do_not_fit_are_told_apart_from_errors_of_the_source() {
    let dir = harness::scratch("cut-rules-macros");
    let sources = [
        (
            "#define BEGIN do {\nint main(void) { int i = 0; BEGIN i++; } while (i < 3); return 0; }\n",
            true,
        ),
        ("int main(void) { return missing; }\n", false),
    ];
    for (source, compiles) in sources {
        std::fs::write(dir.join("macros.c"), source).expect("the folder is writable");
        for compiler in ["--compiler=clang-22", "--compiler=gcc"] {
            let mut command = harness::heddle();
            command
                .current_dir(&dir)
                .args(["cc", compiler, "--cuts=menier"]);
            let finished = harness::finished(command.args(["-c", "macros.c"]));
            let said = harness::all(&finished);
            assert!(!finished.status.success(), "{said}");
            let is_told = said.contains("without the cuts of the rule this compiles");
            assert_eq!(is_told, compiles, "{compiler}: {said}");
        }
    }
}
