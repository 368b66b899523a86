//! What the source says at a position: how far the token reaches, and which variable is meant.
//!
//! Debug information has the first column only. And a variable on the stack of another thread has no
//! name there at all, but the text at the access does.

use std::fmt;
use std::ops::Range;

/// The column just past the token that starts at this column; both count characters from 1.
pub fn token_end(line: &str, column: u32) -> u32 {
    let rest = line.chars().skip((column as usize).saturating_sub(1));
    let rest: Vec<char> = rest.take(80).collect();
    let len = match rest.first() {
        Some(&c) if is_word(c) => count(&rest, is_word),
        Some(&c) if is_operator(c) => count(&rest, is_operator).min(3),
        _ => 1,
    };
    column.saturating_add(len as u32)
}

/// The column at which a word stands first in a line.
pub fn word(line: &str, word: &str) -> Option<u32> {
    let mut found = line.match_indices(word);
    let (at, _) = found.find(|(at, _)| {
        let before = line[..*at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })?;
    Some(line[..at].chars().count() as u32 + 1)
}

/// The names in a line that an opening parenthesis follows, and their columns.
pub fn calls(line: &str) -> Vec<(String, u32)> {
    let line: Vec<char> = line.chars().collect();
    let mut calls = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let len = count(&line[at..], is_word);
        if len > 0 && matches!(trim_start(&line[at + len..]), ['(', ..]) {
            calls.push((line[at..at + len].iter().collect(), at as u32 + 1));
        }
        at += len.max(1);
    }
    calls
}

/// The lines of the function of this name, if it is defined here: to the brace that ends it at the start of a line, or in
/// its first one.
pub fn body(text: &str, name: &str) -> Option<Range<u32>> {
    let lines: Vec<&str> = text.lines().collect();
    let is_named = |row: &usize| calls(lines[*row]).iter().any(|(called, _)| called == name);
    let is_definition = |row: &usize| {
        let next = lines.get(row + 1).is_some_and(|line| line.starts_with('{'));
        !lines[*row].starts_with([' ', '\t']) && (next || lines[*row].contains('{'))
    };
    let start = (0..lines.len()).filter(is_named).find(is_definition)?;
    let is_end = |row: &usize| {
        lines[*row].starts_with('}') || *row == start && lines[*row].trim_end().ends_with('}')
    };
    let end = (start..lines.len()).find(is_end)?;
    Some(start as u32 + 1..end as u32 + 2)
}

/// What gives memory back.
const FREES: [&str; 6] = [
    "free",
    "cfree",
    "omp_free",
    "delete",
    "realloc",
    "reallocarray",
];

/// Whether the call at this column, or the operator, gives memory back.
pub fn frees(line: &str, column: u32) -> bool {
    let line: Vec<char> = line.chars().collect();
    let at = (column as usize).saturating_sub(1).min(line.len());
    let (before, rest) = line.split_at(at);
    let is_named = |c: &char| is_word(*c) || *c == ':';
    let name: String = match rest {
        // Gcc's place of a call.
        ['(', ..] => last_word(before),
        _ => rest.iter().take_while(|c| is_named(c)).collect(),
    };
    let before: String = before.iter().filter(|c| !c.is_whitespace()).collect();
    // Gcc's place of the operator is what it is applied to.
    let is_operand = ["delete", "delete[]"]
        .iter()
        .any(|word| before.ends_with(word));
    is_operand || FREES.contains(&name.rsplit(':').next().unwrap_or_default())
}

/// What an access reads or writes, as its line writes it: `sum`, `st->samples`, `m[...].re`, `*out`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lvalue {
    /// The variable it starts from.
    pub base: String,
    /// What leads from there to what is accessed.
    pub steps: Vec<Step>,
}

/// One step from an object to a part of it, or to what it points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// `.name`
    Member(String),
    /// `->name`
    Arrow(String),
    /// `[...]`
    Element,
    /// `*`, in front.
    Target,
    /// What a function of the object's class accesses.
    Inside,
}

impl Lvalue {
    /// What holds the memory that is accessed, where it is one of many or behind a pointer: `g.cells` of
    /// `g.cells[...]`, `j` of `j->result`.
    pub fn holder(&self) -> Self {
        let leads = |step: &Step| matches!(step, Step::Arrow(_) | Step::Element | Step::Target);
        let len = self
            .steps
            .iter()
            .rposition(leads)
            .unwrap_or(self.steps.len());
        Self {
            base: self.base.clone(),
            steps: self.steps[..len].to_vec(),
        }
    }

    /// Whether it lies in the variable it starts from, and not behind a pointer.
    pub fn is_in_variable(&self) -> bool {
        let is_part = |step: &Step| matches!(step, Step::Member(_) | Step::Element | Step::Inside);
        self.steps.iter().all(is_part)
    }
}

impl fmt::Display for Lvalue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_target = |step: &&Step| **step == Step::Target;
        for _ in self.steps.iter().filter(is_target) {
            f.write_str("*")?;
        }
        f.write_str(&self.base)?;
        for step in &self.steps {
            match step {
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Arrow(name) => write!(f, "->{name}")?,
                Step::Element => f.write_str("[...]")?,
                Step::Target | Step::Inside => {}
            }
        }
        Ok(())
    }
}

/// What the access at this column is to, if the text says so.
pub fn lvalue(line: &str, column: u32) -> Option<Lvalue> {
    let at = (column as usize).checked_sub(1)?;
    let line: Vec<char> = line.chars().collect();
    let (before, rest) = (line.get(..at)?, line.get(at..)?);
    match rest {
        [c, ..] if is_word(*c) && !c.is_ascii_digit() => {
            let end = qualified_end(&line, at + count(rest, is_word));
            let end = elements_end(&line, end);
            match trim_start(&line[end..]) {
                ['(', ..] => called_on(before),
                _ => up_to(&line[..end]),
            }
        }
        ['+', '+', after @ ..] | ['-', '-', after @ ..] => up_to(before).or_else(|| from(after)),
        ['*', after @ ..] if !ends_operand(before) => from(after).map(target),
        // Gcc's place of a call.
        ['(', ..] => called_on(&before[..before.len() - last_word(before).chars().count()]),
        // Gcc's place of a call of `operator[]`.
        [']', ..] => ending(&line[..=at], Stars::MayMultiply),
        [c, ..] if is_assignment(rest) || *c == '[' => {
            let element = |mut found: Lvalue| {
                found.steps.extend((*c == '[').then_some(Step::Element));
                found
            };
            let stars = match *c {
                '[' => Stars::MayMultiply,
                _ => Stars::Dereference,
            };
            ending(before, stars).map(element)
        }
        _ => None,
    }
}

/// Where the name ends whose first part ends here: that of `stats::count` behind `count`.
fn qualified_end(line: &[char], end: usize) -> usize {
    match &line[end..] {
        [':', ':', rest @ ..] if rest.first().is_some_and(|c| is_word(*c)) => {
            qualified_end(line, end + 2 + count(rest, is_word))
        }
        _ => end,
    }
}

/// What the statement around this column assigns to: `x` of `x = f(1)`. Gcc's place of that write is the call's.
pub fn assigned(line: &str, column: u32) -> Option<Lvalue> {
    let at = (column as usize).checked_sub(1)?;
    let line: Vec<char> = line.chars().collect();
    let before = line.get(..at)?;
    let statement = statement_start(before);
    let end = statement + assignment(&line[statement..at])?;
    ending(&line[statement..end], Stars::Dereference)
        .map(|found| declared(&line[statement..], found))
}

/// Where the first assignment's operator stands in this text.
fn assignment(text: &[char]) -> Option<usize> {
    let starts = |at: &usize| *at == 0 || !is_operator(text[at - 1]);
    (0..text.len()).find(|at| starts(at) && is_assignment(&text[*at..]))
}

/// Where the statement starts that this text ends in.
fn statement_start(text: &[char]) -> usize {
    let end = text.iter().rposition(|c| ";{}".contains(*c));
    end.map_or(0, |end| end + 1)
}

/// Where the last of several declarators starts that this text ends in: `*b = malloc(n)` of `int *a, *b = malloc(n)`.
fn declarator_start(text: &[char], statement: usize) -> usize {
    let (mut start, mut depth) = (statement, 0i32);
    for (at, c) in text.iter().enumerate().skip(statement) {
        depth += i32::from("([{".contains(*c)) - i32::from(")]}".contains(*c));
        if *c == ',' && depth == 0 {
            start = at + 1;
        }
    }
    start
}

/// Whether the declaration of the name at this column says that it refers to another object: `&x`, `& [x, y]`.
pub fn is_reference(line: &str, column: u32) -> bool {
    let before: Vec<char> = line
        .chars()
        .take(column.saturating_sub(1) as usize)
        .collect();
    let names = |c: &char| is_word(*c) || c.is_whitespace() || *c == ',';
    let start = match before.iter().rposition(|c| !names(c)) {
        Some(at) if before[at] == '[' => at,
        _ => before.len(),
    };
    matches!(before[..trimmed_len(&before[..start])], [.., '&'])
}

/// Lines between a construct's pragma and the first statement of its body that are looked at.
const PRAGMA_LINES: usize = 16;

/// Line and column of the last pragma up to a line that makes tasks or a team.
pub fn construct(text: &str, line: u32) -> Option<(u32, u32)> {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let near = lines.iter().enumerate().rev().take(PRAGMA_LINES);
    let mut makes = near.filter(|(_, line)| {
        let omp = line.trim_start().strip_prefix('#');
        let omp = omp.and_then(|rest| rest.trim_start().strip_prefix("pragma"));
        let omp = omp.and_then(|rest| rest.trim_start().strip_prefix("omp "));
        let mut words = omp
            .unwrap_or_default()
            .split(|c: char| !c.is_alphanumeric());
        words.any(|word| matches!(word, "parallel" | "task" | "taskloop"))
    });
    let (row, line) = makes.next()?;
    let indent = line.len() - line.trim_start().len();
    Some((row as u32 + 1, indent as u32 + 1))
}

/// What the memory allocated by the call at this column is first kept in: `a` of `double *a = malloc(n)`, `log` of
/// `log.push_back(1)`.
pub fn keeper(line: &str, column: u32) -> Option<Lvalue> {
    let at = (column as usize).checked_sub(1)?;
    let line: Vec<char> = line.chars().collect();
    let (before, rest) = (line.get(..at)?, line.get(at..)?);
    let statement = statement_start(before);
    let declarator = declarator_start(before, statement);
    if let Some(assigned) = assignment(&line[declarator..at]).filter(|&len| len > 0) {
        let keeper = &line[declarator..declarator + assigned];
        let keeper = pointer_to_array(keeper).unwrap_or(keeper);
        return up_to(keeper).map(|found| declared(&line[statement..], found));
    }
    let name = count(rest, is_word);
    let before = match rest {
        // Gcc's place of a call.
        ['(', ..] => &before[..before.len() - last_word(before).chars().count()],
        _ => before,
    };
    match before {
        [object @ .., '.'] => up_to(object),
        [object @ .., '-', '>'] => up_to(object),
        // A declaration: what stands before the name is its type.
        [.., c] if c.is_whitespace() && name > 0 => {
            let kind = &before[..trimmed_len(before)];
            let is_type = kind
                .last()
                .is_some_and(|&c| is_word(c) || "*&>".contains(c));
            let is_type = is_type && !matches!(&*last_word(kind), "return" | "new" | "else");
            is_type.then(|| up_to(&line[..at + name])).flatten()
        }
        _ => None,
    }
}

/// `float (*grid` of the declaration `float (*grid)[n]`.
fn pointer_to_array(declaration: &[char]) -> Option<&[char]> {
    let opening = declaration.windows(2).position(|two| two == ['(', '*'])?;
    let name = opening + 2 + count(&declaration[opening + 2..], is_word);
    let is_one = name > opening + 2 && matches!(declaration[name..], [')', '[', ..]);
    is_one.then(|| &declaration[..name])
}

/// The object that a function is called on.
fn called_on(before: &[char]) -> Option<Lvalue> {
    let object = match before {
        [object @ .., '.'] => up_to(object),
        [object @ .., '-', '>'] => up_to(object).map(target),
        _ => None,
    };
    let inside = |mut object: Lvalue| {
        object.steps.push(Step::Inside);
        object
    };
    object.map(inside)
}

/// In a declaration a star in front belongs to the type.
fn declared(statement: &[char], mut found: Lvalue) -> Lvalue {
    if !matches!(trim_start(statement), ['*', ..]) {
        found.steps.retain(|step| *step != Step::Target);
    }
    found
}

fn target(mut found: Lvalue) -> Lvalue {
    found.steps.push(Step::Target);
    found
}

/// Whether a `*` after this text is a product.
fn ends_operand(text: &[char]) -> bool {
    let text = &text[..trimmed_len(text)];
    match text.last() {
        Some(&c) if is_word(c) => !is_reserved(&last_word(text)),
        Some(')') => !is_condition(text),
        Some(&c) => c == ']',
        None => false,
    }
}

/// Whether text that ends with a parenthesis is the head of a statement: `for (...)`.
fn is_condition(text: &[char]) -> bool {
    let mut depth = 0usize;
    let opening = text.iter().rposition(|&c| {
        depth += usize::from(c == ')');
        depth = depth.saturating_sub(usize::from(c == '('));
        depth == 0
    });
    let before = opening.map(|at| &text[..at]).unwrap_or_default();
    let word = last_word(&before[..trimmed_len(before)]);
    matches!(&*word, "for" | "if" | "while" | "switch")
}

fn last_word(text: &[char]) -> String {
    let len = text.iter().rev().take_while(|c| is_word(**c)).count();
    text[text.len() - len..].iter().collect()
}

/// Past the indices that follow a name.
fn elements_end(line: &[char], mut end: usize) -> usize {
    while line.get(end) == Some(&'[') {
        match closing(&line[end..]) {
            Some(len) => end += len,
            None => break,
        }
    }
    end
}

/// How far the bracket that the text starts with reaches.
fn closing(text: &[char]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.iter().enumerate() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at + 1),
            ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// What the text starts with.
fn from(text: &[char]) -> Option<Lvalue> {
    let text = trim_start(text);
    if let ['*', pointer @ ..] = text {
        return from(pointer).map(target);
    }
    let mut end = count(text, is_word);
    loop {
        end = elements_end(text, end);
        let arrow = match text.get(end..)? {
            ['.', c, ..] if is_word(*c) => 1,
            ['-', '>', c, ..] if is_word(*c) => 2,
            ['(', ..] => return None,
            _ => return up_to(&text[..end]),
        };
        end += arrow + count(&text[end + arrow..], is_word);
    }
}

/// What stars before a name may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stars {
    /// Also a product: `a * b`.
    MayMultiply,
    /// What a pointer leads to: nothing is assigned to a product.
    Dereference,
}

/// What the text ends with.
fn up_to(text: &[char]) -> Option<Lvalue> {
    ending(text, Stars::MayMultiply)
}

fn ending(text: &[char], stars_mean: Stars) -> Option<Lvalue> {
    let mut end = trimmed_len(text);
    let mut steps = Vec::new();
    loop {
        while end > 0 && text[end - 1] == ']' {
            end = trimmed_len(&text[..opening(&text[..end])?]);
            steps.push(Step::Element);
        }
        let word = text[..end].iter().rev();
        let start = end - word.take_while(|&&c| is_word(c)).count();
        let name: String = text[start..end].iter().collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || is_reserved(&name) {
            return None;
        }
        match &text[..start] {
            [.., '.'] => (end, _) = (start - 1, steps.push(Step::Member(name))),
            [.., '-', '>'] => (end, _) = (start - 2, steps.push(Step::Arrow(name))),
            before => {
                let stars = before.iter().rev().take_while(|c| **c == '*').count();
                let is_product =
                    stars_mean == Stars::MayMultiply && ends_operand(&before[..start - stars]);
                steps.reverse();
                steps.extend((0..stars).filter(|_| !is_product).map(|_| Step::Target));
                return Some(Lvalue { base: name, steps });
            }
        }
    }
}

/// Words that name no variable.
fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 40] = [
        "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue", "default",
        "delete", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline",
        "int", "long", "new", "operator", "register", "return", "short", "signed", "sizeof",
        "static", "struct", "switch", "throw", "try", "typedef", "unsigned", "void", "volatile",
        "while",
    ];
    WORDS.contains(&word)
}

/// Where the bracket that the text ends with was opened.
fn opening(text: &[char]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.iter().enumerate().rev() {
        match c {
            ']' => depth += 1,
            '[' if depth == 1 => return Some(at),
            '[' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// `=`, `+=`, `<<=`, but no comparison.
fn is_assignment(text: &[char]) -> bool {
    let len = count(text, is_operator);
    let operator: String = text[..len.min(3)].iter().collect();
    operator.ends_with('=') && !matches!(&*operator, "==" | "!=" | "<=" | ">=" | "===")
}

fn trim_start(text: &[char]) -> &[char] {
    &text[count(text, |c| c == ' ' || c == '\t')..]
}

fn trimmed_len(text: &[char]) -> usize {
    let spaces = text.iter().rev().take_while(|c| c.is_whitespace()).count();
    text.len() - spaces
}

fn count(text: &[char], is: impl Fn(char) -> bool) -> usize {
    text.iter().take_while(|&&c| is(c)).count()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_operator(c: char) -> bool {
    "+-*/%&|^<>=!".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_reach_to_their_last_character() {
        let line = "  sum_1 += b;";
        assert_eq!(token_end(line, 3), 8);
        assert_eq!(token_end(line, 9), 11);
        assert_eq!(token_end(line, 13), 14);
        assert_eq!(token_end("", 7), 8);
    }

    #[test]
    fn what_gives_memory_back_is_known_at_each_compilers_place() {
        let line = "    std::free(body); delete one; delete[] many; x = realloc(x, 9);";
        for column in [5, 14, 22, 29, 34, 43, 53, 60] {
            assert!(frees(line, column), "{column}");
        }
        assert!(!frees(line, 15) && !frees(line, 49) && !frees("set_free(x);", 1));
    }

    #[test]
    fn calls_and_the_functions_they_are_of_are_found() {
        let text = "static int f(int n)\n{\n    return n;\n}\nint g(void) { return f (1) + 2; }\n";
        assert_eq!(
            calls("    return f (1) + g(2);"),
            [("f".into(), 12), ("g".into(), 20)]
        );
        assert_eq!(body(text, "f"), Some(1..5));
        assert_eq!(body(text, "g"), Some(5..6));
        assert_eq!(body(text, "n"), None);
    }

    #[test]
    fn a_word_is_found_where_it_stands_alone() {
        assert_eq!(word("int counter, count;", "count"), Some(14));
        assert_eq!(word("int counter;", "count"), None);
    }

    fn named(line: &str, column: u32) -> Option<String> {
        lvalue(line, column).map(|found| found.to_string())
    }

    #[test]
    fn the_variable_is_found_from_the_name_or_the_operator() {
        assert_eq!(named("x = sum;", 5), Some("sum".into()));
        assert_eq!(named("sum += i;", 5), Some("sum".into()));
        assert_eq!(named("count++;", 6), Some("count".into()));
        assert_eq!(named("++count;", 1), Some("count".into()));
        assert_eq!(named("a[b[i]] = 1;", 9), Some("a[...]".into()));
        assert_eq!(named("y = a[i];", 5), Some("a[...]".into()));
        assert_eq!(named("a[i][j]++;", 8), Some("a[...][...]".into()));
        assert_eq!(named("hits[i] += t;", 5), Some("hits[...]".into()));
    }

    #[test]
    fn what_stands_before_two_colons_is_no_variable() {
        assert_eq!(named("x = stats::count;", 5), Some("count".into()));
        assert_eq!(named("y = a::b::list[i];", 5), Some("list[...]".into()));
        assert_eq!(named("auto last = std::prev(all.end());", 13), None);
    }

    #[test]
    fn members_and_what_pointers_point_to_are_named_as_written() {
        assert_eq!(named("p->x = 1;", 6), Some("p->x".into()));
        assert_eq!(named("y = s->samples;", 8), Some("s->samples".into()));
        assert_eq!(named("m[i * n].re = i;", 13), Some("m[...].re".into()));
        assert_eq!(named("j->buf[i] ^= 1;", 11), Some("j->buf[...]".into()));
        assert_eq!(named("*p = 1;", 4), Some("*p".into()));
        assert_eq!(named("y = *p;", 5), Some("*p".into()));
        assert_eq!(named("y = 2 * *p;", 9), Some("*p".into()));
        assert_eq!(named("for (;;) *p += 1;", 13), Some("*p".into()));
        assert_eq!(named("if (f(x)) *p += 1;", 14), Some("*p".into()));
        assert_eq!(named("while (a) y = *p;", 15), Some("*p".into()));
        assert_eq!(named("if (a) ++*p;", 8), Some("*p".into()));
        assert_eq!(named("y = (a) *p++;", 11), Some("p".into()));
        assert_eq!(named("p->x = 1;", 1), Some("p".into()));
        assert_eq!(named("++p->x;", 1), Some("p->x".into()));
        assert_eq!(
            named("if (log.entries.size() < 9)", 17),
            Some("log.entries".into())
        );
    }

    #[test]
    fn a_body_belongs_to_the_last_pragma_before_it_that_makes_tasks_or_a_team() {
        let text = "f()\n{\n  #pragma omp parallel\n  #pragma omp single\n  {\n    # pragma omp task shared(a)\n    g();\n    #pragma omp taskwait\n    h();\n";
        assert_eq!(construct(text, 4), Some((3, 3)));
        assert_eq!(construct(text, 7), Some((6, 5)));
        assert_eq!(construct(text, 6), Some((6, 5)));
        assert_eq!(construct(text, 9), Some((6, 5)));
        assert_eq!(construct(text, 2), None);
    }

    #[test]
    fn a_pointer_to_an_array_keeps_what_is_allocated() {
        let line = "    float (*grid)[n] = malloc(sizeof(float[n][n]));";
        let column = line.find("malloc").expect("the call") as u32 + 1;
        let keeper = keeper(line, column).map(|keeper| keeper.to_string());
        assert_eq!(keeper.as_deref(), Some("grid"));
    }

    #[test]
    fn gcc_names_the_call_of_what_is_called_or_assigned() {
        assert_eq!(named("lines.push_back(s);", 16), Some("lines".into()));
        assert_eq!(named("f(s);", 2), None);
        let assigned = |line: &str, column| assigned(line, column).map(|found| found.to_string());
        assert_eq!(assigned("    x = fib(n - 1);", 9), Some("x".into()));
        assert_eq!(assigned("y = 1; s->x += f(2);", 16), Some("s->x".into()));
        assert_eq!(assigned("int *p = f(2);", 10), Some("p".into()));
        assert_eq!(assigned("if (a == f(2))", 10), None);
        assert_eq!(assigned("f(2);", 1), None);
    }

    #[test]
    fn what_stands_for_something_else_is_no_variable() {
        assert_eq!(named("f(x);", 1), None);
        assert_eq!(named("f(x) = 1;", 6), None);
        assert_eq!(named("a == b", 3), None);
        assert_eq!(named("1 = 2", 3), None);
        assert_eq!(named("y = a * b;", 7), None);
        assert_eq!(named("int y = 3;", 1), None);
        assert_eq!(named("return f(x);", 1), None);
        assert_eq!(named("x", 9), None);
        assert_eq!(named("", 0), None);
    }

    #[test]
    fn references_are_told_from_what_they_refer_to() {
        let is = |line: &str, name: &str| {
            let column = super::word(line, name).expect("the name");
            is_reference(line, column)
        };
        assert!(is("for (auto& job : jobs) run(job);", "job"));
        assert!(is("for (auto &[name, amount] : all)", "amount"));
        assert!(is("static void fill(Grid & grid, int n)", "grid"));
        assert!(!is("static void fill(Grid & grid, int n)", "n"));
        assert!(!is("int a[8], b;", "b"));
        assert!(!is("Grid grid;", "grid"));
    }

    #[test]
    fn what_holds_an_element_is_told_from_it() {
        let holder = |line: &str, at: &str| {
            let column = line.find(at).expect("the access") as u32 + 1;
            lvalue(line, column).map(|found| found.holder().to_string())
        };
        assert_eq!(holder("g.cells[i] = 3;", "= 3"), Some("g.cells".into()));
        assert_eq!(holder("j->result = 3;", "= 3"), Some("j".into()));
        assert_eq!(holder("g.label = s;", "= s"), Some("g.label".into()));
    }

    #[test]
    fn allocated_memory_is_called_by_what_it_is_kept_in() {
        let kept = |line: &str, call: &str| {
            let column = line.find(call).expect("the call") as u32 + 1;
            keeper(line, column).map(|found| found.to_string())
        };
        assert_eq!(kept("  double *a = malloc(8);", "malloc"), Some("a".into()));
        assert_eq!(
            kept("j->buf = calloc(1, 64);", "calloc"),
            Some("j->buf".into())
        );
        assert_eq!(
            kept("x = 1; j->buf = calloc(1, 64);", "calloc"),
            Some("j->buf".into())
        );
        assert_eq!(
            kept("auto *cache = new Cache;", "new"),
            Some("cache".into())
        );
        assert_eq!(kept("*out = malloc(1);", "malloc"), Some("*out".into()));
        assert_eq!(
            kept("  std::vector<int> hits(8);", "hits"),
            Some("hits".into())
        );
        assert_eq!(
            kept("  log.entries.push_back(v);", "push_back"),
            Some("log.entries".into())
        );
        let two = "int n = 64, *a = malloc(n), *b = calloc(f(n, 1), n);";
        assert_eq!(kept(two, "malloc"), Some("a".into()));
        assert_eq!(kept(two, "calloc"), Some("b".into()));
        assert_eq!(kept("a = f(1, malloc(8));", "malloc"), Some("a".into()));
        assert_eq!(kept("g.cells.resize(60);", "(60"), Some("g.cells".into()));
        assert_eq!(kept("return malloc(8);", "malloc"), None);
        assert_eq!(kept("f(malloc(8));", "malloc"), None);
    }
}
