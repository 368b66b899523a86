//! Ménier's rule for statements, put into the source text.
//!
//! A cut stands at the end of each loop iteration, at labels, cases and `default`, and before `goto`, `break` and
//! `continue`. The text is one whose `#include`s are resolved and whose macros are not expanded yet: so what the macros
//! of the program contain is cut in their definitions, and every token is in the column where it was written.
//!
//! - `for (a; b; c)` becomes `for (a; b; c, cut())`, `while (b)` becomes `for (; b; cut())`. Loops that stand behind a
//!   directive or a macro, which may be OpenMP's, keep their form: their body ends with the cut. So does that of a loop over a range.
//! - `do ... while (b);` is cut behind its condition: `while ((b || (cut(), 0)) && (cut(), 1))`. `while (0)` ends no iteration.
//! - `break;` becomes `{ cut(); break; }`.
//! - `case 1:` becomes `case 1: cut();`, where it stands among other statements; elsewhere `case 1: if (cut(), 0) ; else`.
//!
//! Not cut: system headers; what is given to a macro that makes text of it; a loop without braces whose
//! body is a macro; labels that a macro begins with.

use std::collections::HashSet;

use super::edits::{Edit, Side, edited};
use super::layout::{Layout, word_of};
use super::macros::{Macro, called, quoting};
use super::marker::Marker;
use super::tokens::{Kind, Token, tokens};

/// Which language a source is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Dialect {
    /// A cut, as an expression. In C++ it may stand where the compiler computes a constant.
    fn cut(self) -> &'static str {
        match self {
            Self::C => "heddle_cut_by_rule()",
            Self::Cxx => "(__builtin_is_constant_evaluated() ? (void)0 : ::heddle_cut_by_rule())",
        }
    }

    /// What declares it.
    fn declaration(self) -> &'static str {
        match self {
            Self::C => "void heddle_cut_by_rule(void) __attribute__((nothrow));",
            Self::Cxx => "extern \"C\" void heddle_cut_by_rule() __attribute__((nothrow));",
        }
    }
}

/// The text with cuts put in.
pub fn inserted(text: &[u8], dialect: Dialect) -> Vec<u8> {
    let all = tokens(text, 0..text.len());
    let macros: Vec<_> = all
        .iter()
        .filter_map(|token| Macro::read(text, token))
        .collect();
    let own: Vec<_> = {
        let mut is_system = false;
        let own = |token: &Token| {
            is_system = Marker::read(token.text).map_or(is_system, |marker| marker.is_system);
            !is_system
        };
        all.iter().map(own).collect()
    };
    let mut rule = Rule {
        dialect,
        called: called(&macros),
        quoting: quoting(text, &macros),
        as_written: HashSet::new(),
        edits: Vec::new(),
    };
    let layout = Layout::new(all);
    rule.cut(&layout, &|at| own[at], Where::Text);
    let definitions = layout.tokens.iter().zip(&own);
    for (token, _) in definitions.filter(|(_, own)| **own) {
        if let Some(one) = Macro::read(text, token)
            && !rule.as_written.contains(one.name)
        {
            let body = Layout::new(tokens(text, one.body));
            rule.cut(&body, &|_| true, Where::Definition);
        }
    }
    let written = edited(text, &layout.tokens, rule.edits);
    declared(written, dialect.declaration())
}

/// The text with a declaration put behind its first line, which tells the file's name, and else before it.
fn declared(mut text: Vec<u8>, declaration: &str) -> Vec<u8> {
    let end = text.iter().position(|letter| *letter == b'\n').unwrap_or(0);
    let (at, line) = match Marker::read(&text[..end]) {
        Some(_) => (end + 1, format!("{declaration}\n")),
        None => (0, format!("{declaration}\n#line 1\n")),
    };
    text.splice(at..at, line.into_bytes());
    text
}

/// What the tokens are part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Text,
    Definition,
}

struct Rule<'a> {
    dialect: Dialect,
    /// Macros with arguments.
    called: HashSet<&'a [u8]>,
    /// Those that make text of them.
    quoting: HashSet<&'a [u8]>,
    /// Macros whose loops must keep their form: they stand where OpenMP wants a loop, or end a `do`.
    as_written: HashSet<&'a [u8]>,
    edits: Vec<Edit>,
}

/// One pass over tokens.
struct Pass<'a, 'b> {
    layout: &'b Layout<'a>,
    place: Where,
    /// Words `while` that end a `do`.
    tails: HashSet<usize>,
    /// Loops that keep their form, though no directive stands before them.
    kept: HashSet<usize>,
    /// The colon of the last label, and whether its statement stands among others.
    label: Option<(usize, bool)>,
}

impl<'a> Rule<'a> {
    fn cut(&mut self, layout: &Layout<'a>, is_own: &dyn Fn(usize) -> bool, place: Where) {
        let mut pass = Pass {
            layout,
            place,
            tails: HashSet::new(),
            kept: HashSet::new(),
            label: None,
        };
        for at in (0..layout.tokens.len()).filter(|at| is_own(*at)) {
            let token = &layout.tokens[at];
            if token.kind == Kind::Directive {
                self.note_loop_macro(layout, at);
            } else if token.kind == Kind::Word && !self.is_quoted(layout, at) {
                self.cut_word(&mut pass, at);
            }
        }
    }

    fn cut_word(&mut self, pass: &mut Pass<'a, '_>, at: usize) {
        let layout = pass.layout;
        let before = layout.before(at).map(|before| &layout.tokens[before]);
        match layout.tokens[at].text {
            b"for" => self.cut_for(pass, at),
            b"while" => self.cut_while(pass, at),
            b"do" => self.cut_do(pass, at),
            b"break" | b"continue" | b"goto" => self.cut_jump(pass, at),
            b"case" => self.cut_label(pass, at, layout.colon(at)),
            b"default" if before.is_some_and(|before| before.is_any(&["(", ","])) => {}
            b"default" => {
                let colon = layout.behind(at);
                let colon = layout.is(colon, ":").then_some(colon);
                self.cut_label(pass, at, colon);
            }
            _ if layout.is_label(at) && Self::may_be_label(pass, at) => {
                self.cut_label(pass, at, Some(layout.behind(at)));
            }
            _ => {}
        }
    }

    /// Whether a token is in what is given to a macro that makes text of it.
    fn is_quoted(&self, layout: &Layout<'_>, at: usize) -> bool {
        self.is_given(layout, at, &self.quoting)
    }

    /// Whether a token is in what is given to one of these macros.
    fn is_given(&self, layout: &Layout<'_>, at: usize, macros: &HashSet<&[u8]>) -> bool {
        let arounds = std::iter::successors(layout.around(at), |open| layout.around(*open));
        let mut names = arounds.filter(|open| layout.is(*open, "("));
        names.any(|open| {
            let name = layout.before(open).map(|name| layout.tokens[name].text);
            name.is_some_and(|name| macros.contains(name))
        })
    }

    /// A macro behind `#pragma omp for` is a loop that must keep its form.
    fn note_loop_macro(&mut self, layout: &Layout<'a>, at: usize) {
        if word_of(&layout.tokens[at]) == b"pragma"
            && let Some(next) = layout.get(layout.behind(at))
            && self.called.contains(next.text)
        {
            self.as_written.insert(next.text);
        }
    }

    /// Puts a text before or behind a token, at the place of another one.
    fn add(&mut self, pass: &Pass<'a, '_>, at: usize, side: Side, text: String, place: usize) {
        let layout = pass.layout;
        let is_inline = pass.place == Where::Definition || self.is_given(layout, at, &self.called);
        self.edits.push(Edit {
            at: match side {
                Side::Begin => layout.tokens[at].start,
                Side::End => layout.tokens[at].end(),
            },
            removed: 0,
            side,
            text,
            place: (!is_inline).then(|| layout.tokens[place].start),
        });
    }

    fn before(&mut self, pass: &Pass<'a, '_>, at: usize, text: String, place: usize) {
        self.add(pass, at, Side::Begin, text, place);
    }

    fn after(&mut self, pass: &Pass<'a, '_>, at: usize, text: String, place: usize) {
        self.add(pass, at, Side::End, text, place);
    }

    fn cut_for(&mut self, pass: &mut Pass<'a, '_>, at: usize) {
        let (layout, cut) = (pass.layout, self.dialect.cut());
        let open = layout.behind(at);
        let Some(close) = layout.pair(open).filter(|_| layout.is(open, "(")) else {
            return;
        };
        let semicolons = (open + 1..close)
            .filter(|inner| layout.around(*inner) == Some(open) && layout.is(*inner, ";"));
        if semicolons.count() != 2 || self.keeps_form(pass, at) {
            return self.cut_body(pass, at, close);
        }
        let last = layout.before(close);
        let is_empty = last.is_some_and(|last| layout.is(last, ";"));
        let comma = if is_empty { " " } else { ", " };
        self.before(pass, close, format!("{comma}{cut}"), at);
    }

    /// Whether a directive or a macro stands before a loop, or before one that it is the body of.
    fn keeps_form(&self, pass: &Pass<'a, '_>, at: usize) -> bool {
        let is_told = |before: usize| {
            let token = &pass.layout.tokens[before];
            match token.kind {
                Kind::Directive => word_of(token) == b"pragma",
                Kind::Word => !token.is_any(&["else", "do"]),
                _ => token.is(")") && self.closes_macro(pass.layout, before),
            }
        };
        at.checked_sub(1).is_some_and(is_told) || pass.kept.contains(&at)
    }

    /// Whether a loop may be one with the loops in it (`collapse`).
    fn may_be_many(&self, pass: &Pass<'a, '_>, at: usize) -> bool {
        let words: [&[u8]; 4] = [b"collapse", b"ordered", b"sizes", b"interchange"];
        let before = at.checked_sub(1).map(|before| &pass.layout.tokens[before]);
        let directive = before.filter(|token| token.kind == Kind::Directive);
        let says = |text: &[u8]| words.iter().any(|word| find(text, word).is_some());
        self.keeps_form(pass, at) && directive.is_none_or(|token| says(token.text))
    }

    /// Whether a bracket closes what a macro or `_Pragma` is given.
    fn closes_macro(&self, layout: &Layout<'_>, close: usize) -> bool {
        let open = layout.pair(close);
        let name = open.and_then(|open| layout.before(open));
        name.is_some_and(|name| {
            let name = &layout.tokens[name];
            name.is("_Pragma") || self.called.contains(name.text)
        })
    }

    /// Cuts at the end of a loop's body.
    fn cut_body(&mut self, pass: &mut Pass<'a, '_>, head: usize, close: usize) {
        let (layout, cut) = (pass.layout, self.dialect.cut());
        let body = close + 1;
        let has_braces = layout.is(body, "{");
        let nested = if has_braces { body + 1 } else { body };
        if layout.is(nested, "for") && self.may_be_many(pass, head) {
            pass.kept.insert(nested);
            let end = layout.end_of_statement(nested, &self.called);
            if !has_braces || end.is_some_and(|end| layout.is(end, "}")) {
                return;
            }
        }
        if has_braces {
            if let Some(end) = layout.pair(body) {
                self.before(pass, end, format!("{cut}; "), head);
            }
        } else if let Some(end) = layout.end_of_statement(body, &self.called) {
            self.after(pass, close, " {".into(), head);
            self.after(pass, end - 1, format!(" {cut}; }}"), head);
        }
    }

    fn cut_while(&mut self, pass: &mut Pass<'a, '_>, at: usize) {
        let layout = pass.layout;
        let open = layout.behind(at);
        let is_tail = pass.tails.contains(&at) || ends_other(layout, at);
        let close = layout.pair(open).filter(|_| layout.is(open, "("));
        let Some(close) = close.filter(|_| !is_tail) else {
            return;
        };
        // As many letters as before.
        self.edits.push(Edit {
            at: layout.tokens[at].start,
            removed: "while".len(),
            side: Side::Begin,
            text: "for ".into(),
            place: None,
        });
        self.edits.push(Edit {
            at: layout.tokens[open].end(),
            removed: 0,
            side: Side::End,
            text: ";".into(),
            place: None,
        });
        self.before(pass, close, format!("; {}", self.dialect.cut()), at);
    }

    fn cut_do(&mut self, pass: &mut Pass<'a, '_>, at: usize) {
        let (layout, cut) = (pass.layout, self.dialect.cut());
        let Some(end) = layout.end_of_statement(at + 1, &self.called) else {
            let beside = |next: &usize| layout.around(*next) == layout.around(at);
            let mut rest = at + 1..layout.tokens.len();
            pass.tails
                .extend(rest.find(|next| beside(next) && layout.is(*next, "while")));
            return;
        };
        let tail = layout.behind(end - 1);
        let Some(token) = layout.get(tail).filter(|token| token.kind == Kind::Word) else {
            return;
        };
        if !token.is("while") {
            self.as_written.insert(token.text);
            return;
        }
        pass.tails.insert(tail);
        let open = layout.behind(tail);
        let Some(close) = layout.pair(open) else {
            return;
        };
        let ends_at_once = close == open + 2 && layout.tokens[open + 1].is_any(&["0", "false"]);
        if !ends_at_once {
            // (Of two branches that each cut and yield a constant, clang 22 executes both.)
            self.after(pass, open, "(((".into(), tail);
            let choice = format!(") ? 1 : 0) || ({cut}, 0)) && ({cut}, 1)");
            self.before(pass, close, choice, tail);
        }
    }

    fn cut_jump(&mut self, pass: &mut Pass<'a, '_>, at: usize) {
        let (layout, cut) = (pass.layout, self.dialect.cut());
        // `asm goto (...)` is none.
        if layout.is(at, "goto") && layout.is(layout.behind(at), "(") {
            return;
        }
        let mut rest = at + 1..layout.tokens.len();
        match rest.find(|next| layout.is(*next, ";")) {
            Some(end) => {
                self.before(pass, at, format!("{{ {cut}; "), at);
                self.after(pass, end, " }".into(), at);
            }
            None => self.before(pass, at, format!("if ({cut}, 0) ; else "), at),
        }
    }

    /// Whether a word with a colon stands where statements begin.
    fn may_be_label(pass: &Pass<'a, '_>, at: usize) -> bool {
        let layout = pass.layout;
        let Some(before) = layout.before(at) else {
            return false;
        };
        let among = match layout.around(at) {
            Some(open) => layout.is(open, "{") && layout.holds_statements(open),
            None => pass.place == Where::Definition,
        };
        let control = |word: usize| layout.tokens[word].is_any(&["if", "for", "while", "switch"]);
        match layout.tokens[before].text {
            b";" | b"{" | b"}" | b"else" | b"do" => among,
            b":" => pass.label.is_some_and(|(colon, _)| colon == before),
            b")" => {
                let open = layout.pair(before);
                open.and_then(|open| layout.before(open))
                    .is_some_and(control)
            }
            _ => false,
        }
    }

    fn cut_label(&mut self, pass: &mut Pass<'a, '_>, at: usize, colon: Option<usize>) {
        let (layout, cut) = (pass.layout, self.dialect.cut());
        let Some(colon) = colon else {
            return;
        };
        let before = layout.before(at);
        let is_among = match pass.label {
            Some((last, is_among)) if before == Some(last) => is_among,
            _ => before.is_none_or(|before| !layout.tokens[before].is_any(&[")", "else", "do"])),
        };
        pass.label = Some((colon, is_among));
        let next = layout.behind(colon);
        let is_default = layout.is(next, "default") && layout.is(layout.behind(next), ":");
        if layout.is(next, "case") || is_default || layout.is_label(next) {
            // The last of several labels is cut for all.
            return;
        }
        let mut last = colon;
        if layout.is(next, "__attribute__")
            && let Some(end) = layout.pair(next + 1)
            && !layout.tokens[next..end]
                .iter()
                .any(|token| find(token.text, b"fallthrough").is_some())
        {
            last = end;
        }
        let text = match is_among {
            true => format!(" {cut};"),
            false => format!(" if ({cut}, 0) ; else"),
        };
        self.after(pass, last, text, at);
    }
}

/// Whether a `while` ends a `do` that another macro began.
fn ends_other(layout: &Layout<'_>, at: usize) -> bool {
    let before = layout.before(at);
    before.is_some_and(|before| layout.is(before, "}") && layout.pair(before).is_none())
}

/// Where a word is in a text.
fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|letters| letters == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text with its cuts, each as `cut()`. Without line markers, they stay on their line.
    fn cut(text: &str) -> String {
        let text = inserted(text.as_bytes(), Dialect::C);
        let text = String::from_utf8(text).expect("it was ASCII");
        let (_, text) = text
            .split_once("#line 1\n")
            .expect("a declaration comes first");
        text.replace("heddle_cut_by_rule", "cut")
    }

    fn check(body: &str, expected: &str) {
        let function = |body| format!("void f(void) {{ {body} }}");
        assert_eq!(cut(&function(body)), function(expected));
    }

    #[test]
    fn iterations_end_with_a_cut() {
        check("for (;;) a();", "for (;; cut()) a();");
        check(
            "for (i = 0; i < g(1, 2); i++) ;",
            "for (i = 0; i < g(1, 2); i++, cut()) ;",
        );
        check("while (a) b();", "for  (;a; cut()) b();");
        check("{ a(); } while (b);", "{ a(); } for  (;b; cut());");
        check(
            "do { a(); } while (b);",
            "do { a(); } while ((((b) ? 1 : 0) || (cut(), 0)) && (cut(), 1));",
        );
        check(
            "do if (a) b(); else c(); while (d);",
            "do if (a) b(); else c(); while ((((d) ? 1 : 0) || (cut(), 0)) && (cut(), 1));",
        );
        check("do { a(); } while (0);", "do { a(); } while (0);");
        check("for (x : v) { a(); }", "for (x : v) { a(); cut(); }");
        check(
            "for (x : v) if (x) a(); else b();",
            "for (x : v) { if (x) a(); else b(); cut(); }",
        );
    }

    #[test]
    fn loops_of_openmp_keep_their_form() {
        for (text, expected) in [
            (
                "for (x : v)\n#pragma omp for\nfor (a; b; c) { g(); }",
                "for (x : v) {\n#pragma omp for\nfor (a; b; c) { g(); cut(); } cut(); }",
            ),
            (
                "#pragma omp for\nfor (i = 0; i < n; i++) a();",
                "for (i = 0; i < n; i++) { a(); cut(); }",
            ),
            (
                "#pragma omp for collapse(2)\nfor (a; b; c) { for (d; e; f) { g(); } }",
                "for (a; b; c) { for (d; e; f) { g(); cut(); } }",
            ),
            (
                "#pragma omp for\nfor (a; b; c) { for (d; e; f) { g(); } }",
                "for (a; b; c) { for (d; e; f, cut()) { g(); } cut(); }",
            ),
            (
                "_Pragma(\"omp for\") for (a; b; c) { g(); }",
                "_Pragma(\"omp for\") for (a; b; c) { g(); cut(); }",
            ),
        ] {
            let text = cut(&format!("void f(void) {{\n{text}\n}}"));
            assert!(text.contains(expected), "{text}");
        }
        let text = cut(
            "#define EACH(i) for (i = 0; i < 9; i++)\nvoid f(void) {\n#pragma omp for\nEACH(i) a();\n}",
        );
        assert!(text.contains("i++)\n"), "{text}");
    }

    #[test]
    fn jumps_come_behind_a_cut() {
        check(
            "if (a) break; else goto b;",
            "if (a) { cut(); break; } else { cut(); goto b; }",
        );
        check("goto *p;", "{ cut(); goto *p; }");
        check("asm goto (\"\" : : : : a);", "asm goto (\"\" : : : : a);");
        check(
            "for (x : v) break;",
            "for (x : v) { { cut(); break; } cut(); }",
        );
        let text = cut("#define OUT break\n#define QUIT(a) do { if (a) goto out; } while (0)\n");
        let expected = "#define OUT if (cut(), 0) ; else break\n\
                        #define QUIT(a) do { if (a) { cut(); goto out; } } while (0)\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn labels_and_cases_begin_with_a_cut() {
        check("again: a();", "again: cut(); a();");
        assert_eq!(
            cut("A &A::operator=(int a) { again: a(); }"),
            "A &A::operator=(int a) { again: cut(); a(); }"
        );
        check("case 1: int y = 2;", "case 1: cut(); int y = 2;");
        check(
            "case 1: case B ? 2 : 3: default: a();",
            "case 1: case B ? 2 : 3: default: cut(); a();",
        );
        check("case ns::B: a();", "case ns::B: cut(); a();");
        check(
            "if (a) b: c(); else d();",
            "if (a) b: if (cut(), 0) ; else c(); else d();",
        );
        check(
            "switch (a) case 1: b();",
            "switch (a) case 1: if (cut(), 0) ; else b();",
        );
        check(
            "out: __attribute__((unused)); case 1: __attribute__((fallthrough)); case 2: a();",
            "out: __attribute__((unused)) cut();; case 1: cut(); __attribute__((fallthrough)); case 2: cut(); a();",
        );
        assert_eq!(
            cut("#define CASE(x) case x:\n"),
            "#define CASE(x) case x: cut();\n"
        );
    }

    #[test]
    fn what_looks_like_a_label_is_none() {
        for text in [
            "struct s { u32 : 3; u32 a : 4; };",
            "class A : public B { public: A() : a(1) {} };",
            "enum class E : int { X };",
            "int f(int a) { return a ? (int) a : b; }",
            "int f(int a) { return _Generic(a, int: 1, default: 2); }",
            "struct s x = { a: 1, b: 2 };",
            "void f(void) { g((struct s) { a: 1 }); }",
            "S::S() = default;",
        ] {
            assert_eq!(cut(text), text);
        }
    }

    #[test]
    fn macros_that_make_text_of_it_get_the_source_as_it_is() {
        let text = "#define STR(x) #x\n#define TEXT(x) STR(x)\nchar *a = TEXT(for (;;) break;);\n";
        assert_eq!(cut(text), text);
        let text = "#define DO(x) x\nvoid f(void) { DO(for (;;) break;) }";
        assert!(cut(text).contains("DO(for (;; cut()) { cut(); break; })"));
    }

    #[test]
    fn a_macro_that_ends_a_do_keeps_its_while() {
        let text = "#define UNTIL(c) while (!(c))\n#define END } while (0)\nvoid f(void) { do { a(); } UNTIL(b); }";
        assert_eq!(cut(text), text);
    }

    #[test]
    fn all_that_was_written_stays_at_its_place() {
        let text = "# 0 \"a.c\"\n# 1 \"a.c\"\nvoid f(void) {\n\tif (a) break; b();\n}\n";
        let text = String::from_utf8(inserted(text.as_bytes(), Dialect::C)).expect("ASCII");
        let expected = "\tif (a) { \n# 2 \"a.c\"\n\t       heddle_cut_by_rule(); \n# 2 \"a.c\"\n\t       break;\
                        \n# 2 \"a.c\"\n\t        }\n# 2 \"a.c\"\n\t              b();\n}\n";
        assert!(text.ends_with(expected), "{text}");
        let system = "# 1 \"a.h\" 1 3\nvoid f(void) { for (;;) break; }\n";
        let same = String::from_utf8(inserted(system.as_bytes(), Dialect::C)).expect("ASCII");
        assert!(
            same.ends_with("void f(void) { for (;;) break; }\n"),
            "{same}"
        );
    }
}
