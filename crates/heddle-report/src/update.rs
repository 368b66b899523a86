//! How the source writes an access of C: which variable, and whether it is an update such as `sum += i`.

/// An access as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// The variable: the last name of the expression without indices.
    pub variable: String,
    /// The whole expression, indices included.
    pub text: String,
    /// Whether it is an element of an array or the like.
    pub is_element: bool,
    /// OpenMP's name for the operation, if the access is a statement of its own that updates the value by one that can
    /// be done in any order: not a part of a larger expression, and not by a value that is made of the variable.
    pub operator: Option<&'static str>,
}

/// Operators as they are written, and what a reduction calls them.
const OPERATORS: [(&str, &str); 8] = [
    ("+=", "+"),
    ("-=", "+"),
    ("++", "+"),
    ("--", "+"),
    ("*=", "*"),
    ("|=", "|"),
    ("&=", "&"),
    ("^=", "^"),
];

/// What a bracket may follow that is no name.
const KEYWORDS: [&str; 6] = ["if", "while", "for", "switch", "return", "sizeof"];

impl Update {
    /// The access at this column, counted in characters from 1; none if the text does not tell.
    pub fn read(line: &str, column: u32) -> Option<Self> {
        let at = (column as usize).checked_sub(1)?;
        let line: Vec<char> = line.chars().collect();
        let rest = line.get(at..)?;
        let start = at - before_len(&line[..at]);
        let end = at
            + match rest.first() {
                Some(&c) if is_word(c) => expression_len(rest),
                // Where a compiler names the last step to what is accessed.
                Some('.' | '[') => steps_len(rest),
                Some('-') if rest.get(1) == Some(&'>') => steps_len(rest),
                _ => 0,
            };
        let text: String = line[start..end].iter().collect::<String>();
        let text = text.trim().to_owned();
        let operator = match is_statement_start(&line[..start]) {
            true => operator(&line[end..].iter().collect::<String>(), &text),
            false => None,
        };
        let name = text.split('[').next().unwrap_or_default();
        let name = name.rsplit(['.', '>']).next().unwrap_or_default();
        let variable = name.trim_start_matches('*').trim().to_owned();
        let starts = |c: char| c.is_alphabetic() || c == '_';
        // Gcc's place of a condition is the bracket behind the word.
        let is_name = variable.starts_with(starts) && !KEYWORDS.contains(&&*variable);
        is_name.then(|| Self {
            is_element: text.contains('['),
            operator,
            variable,
            text,
        })
    }

    /// Whether it is a variable by itself: no member, no element, nothing that a pointer leads to.
    pub fn is_variable(&self) -> bool {
        self.text == self.variable
    }
}

/// Whether a function uses the value that a variable has after a loop; `text` begins with the loop. If the next thing it does
/// with the variable is to set it, it does not.
pub fn is_used_behind(text: &str, variable: &str) -> bool {
    let rest = behind_statement(text);
    let rest = rest.split("\n}").next().unwrap_or_default();
    let mut words = rest.match_indices(variable);
    let is_whole = |&(at, _): &(usize, &str)| {
        let before = rest[..at].chars().next_back();
        let after = rest[at + variable.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    words.find(is_whole).is_some_and(|(at, _)| {
        let after = rest[at + variable.len()..].trim_start();
        !after.starts_with('=') || after.starts_with("==")
    })
}

/// What a statement such as `if (x > best) best = x;` makes of a variable, in OpenMP's words: the maximum or the minimum.
/// The statement is all of the text, in braces or not.
pub fn extreme(text: &str, variable: &str) -> Option<&'static str> {
    let text: String = text.split_whitespace().collect();
    let (condition, then) = text
        .strip_prefix("if(")?
        .split_once(&format!("{variable}="))?;
    let (condition, is_block) = match condition.strip_suffix("){") {
        Some(condition) => (condition, true),
        None => (condition.strip_suffix(')')?, false),
    };
    let value = then.strip_suffix(if is_block { ";}" } else { ";" })?;
    let at = condition.find(['<', '>'])?;
    let (left, right) = (
        &condition[..at],
        condition[at + 1..].trim_start_matches('='),
    );
    let is_more = condition[at..].starts_with('>');
    let is_maximum = match (
        left == value && right == variable,
        left == variable && right == value,
    ) {
        (true, _) => is_more,
        (_, true) => !is_more,
        _ => return None,
    };
    Some(if is_maximum { "max" } else { "min" })
}

/// Whether the clauses of a directive order what a task does to a variable, as one that reads or writes it.
pub fn is_ordered_by(directive: &str, variable: &str, writes: bool) -> bool {
    let clauses = directive.split("depend").skip(1);
    clauses
        .filter_map(|rest| rest.trim_start().strip_prefix('(')?.split(')').next())
        .any(|clause| {
            let (kind, names) = clause.split_once(':').unwrap_or_default();
            let is_kind = matches!(kind.trim(), "out" | "inout") || !writes && kind.trim() == "in";
            is_kind && names.split(',').any(|name| name.trim() == variable)
        })
}

/// What follows the first statement: it ends with a semicolon or a closing brace outside of all brackets.
pub fn behind_statement(text: &str) -> &str {
    let mut depth = 0i32;
    let end = text.char_indices().find(|&(_, c)| {
        depth += i32::from("({[".contains(c)) - i32::from(")}]".contains(c));
        depth <= 0 && (c == ';' || c == '}')
    });
    end.map_or("", |(at, _)| &text[at + 1..])
}

/// The operation by which a statement that starts with `text` and goes on with `rest` updates what it starts with.
fn operator(rest: &str, text: &str) -> Option<&'static str> {
    let rest = rest.trim_start();
    let (sign, name) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
    let by = &rest[sign.len()..];
    let is_whole = match sign.ends_with('=') {
        true => !by.split(';').next().unwrap_or_default().contains(text),
        false => by.trim_start().starts_with(';'),
    };
    is_whole.then_some(*name)
}

/// Whether a statement may start after this text.
fn is_statement_start(before: &[char]) -> bool {
    let before: String = before.iter().collect();
    let before = before.trim_end();
    let ends = [";", "{", "}", ")", "else", "do"];
    before.is_empty() || ends.iter().any(|word| before.ends_with(word))
}

/// Members, and the indices behind each.
fn steps_len(text: &[char]) -> usize {
    let mut len = 0;
    loop {
        let sign = match &text[len..] {
            ['.', c, ..] if is_word(*c) => 1,
            ['-', '>', c, ..] if is_word(*c) => 2,
            ['[', ..] => 0,
            _ => return len,
        };
        len += sign + expression_len(&text[len + sign..]);
    }
}

/// A name and the indices behind it.
fn expression_len(text: &[char]) -> usize {
    let mut len = text.iter().take_while(|&&c| is_word(c)).count();
    while text.get(len) == Some(&'[') {
        let mut depth = 0i32;
        let inside = text[len..].iter().take_while(|&&c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            depth > 0
        });
        len = (len + inside.count() + 1).min(text.len());
    }
    len
}

/// How much of what stands before belongs to the expression.
fn before_len(text: &[char]) -> usize {
    let mut depth = 0i32;
    let spaces = text.iter().rev().take_while(|c| c.is_whitespace()).count();
    let rest = text[..text.len() - spaces].iter().rev();
    let belongs = rest.take_while(|&&c| {
        depth += i32::from(c == ']') - i32::from(c == '[');
        // An index is an expression of its own.
        depth >= 0 && (depth > 0 || c == '[' || is_word(c) || ".->*".contains(c))
    });
    match belongs.count() {
        0 => 0,
        len => len + spaces,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, column: u32) -> (String, String, Option<&'static str>) {
        let found = Update::read(line, column).expect("an access");
        (found.variable, found.text, found.operator)
    }

    #[test]
    fn extremes_are_statements_that_do_nothing_else() {
        let of = |text| extreme(text, "best");
        assert_eq!(of("if (a[i].x > best)\n    best = a[i].x;"), Some("max"));
        assert_eq!(of("if (best >= v) {\n    best = v;\n}"), Some("min"));
        assert_eq!(of("if (v < best) best = v;"), Some("min"));
        assert_eq!(of("if (best < v) best = v;"), Some("max"));
        assert_eq!(of("if (v > best) { best = v; at = i; }"), None);
        assert_eq!(of("if (v > best) best = v + 1;"), None);
        assert_eq!(of("if (v > limit) best = v;"), None);
        assert_eq!(of("if (v == best) best = v;"), None);
    }

    #[test]
    fn clauses_that_are_there_are_known() {
        let directive = "#pragma omp task shared(x) depend(out: x, y) depend(in : z)";
        assert!(is_ordered_by(directive, "x", true) && is_ordered_by(directive, "y", false));
        assert!(is_ordered_by(directive, "z", false) && !is_ordered_by(directive, "z", true));
        assert!(!is_ordered_by("#pragma omp task shared(x)", "x", false));
    }

    #[test]
    fn a_condition_is_no_variable() {
        assert_eq!(Update::read("    if (v > best)", 8), None);
        assert_eq!(Update::read("    while (!flag)", 11), None);
    }

    #[test]
    fn updates_are_told_from_other_accesses() {
        assert_eq!(
            read("    sum += i;", 9),
            ("sum".into(), "sum".into(), Some("+"))
        );
        assert_eq!(
            read("    last = i;", 10),
            ("last".into(), "last".into(), None)
        );
        assert_eq!(
            read("count++;", 6),
            ("count".into(), "count".into(), Some("+"))
        );
        assert_eq!(
            read("s->mean += v;", 9),
            ("mean".into(), "s->mean".into(), Some("+"))
        );
    }

    #[test]
    fn only_a_statement_of_its_own_is_an_update() {
        let is_update = |line: &str, at: &str| {
            let column = line.find(at).expect("the access") as u32 + 1;
            Update::read(line, column).is_some_and(|found| found.operator.is_some())
        };
        assert!(is_update("if (p) s->hits += n;", "+="));
        assert!(is_update("if (p) s->hits += n;", "->"));
        assert!(is_update("m[i / 2].weight += i;", ".weight"));
        assert!(!is_update("buf[len++] = *s++;", "++]"));
        assert!(!is_update("return count++;", "++"));
        assert!(!is_update("s->mean += (x - s->mean) / n;", "+="));
        assert!(!is_update("for (i = 0; i < n; i++)", "++"));
    }

    #[test]
    fn elements_keep_their_index() {
        let line = "    a[i] = a[i - 1] * 0.5 + a[i];";
        assert_eq!(read(line, 10), ("a".into(), "a[i]".into(), None));
        assert_eq!(read(line, 12), ("a".into(), "a[i - 1]".into(), None));
        assert!(Update::read(line, 12).is_some_and(|found| found.is_element));
        assert_eq!(
            read("buf[len++] = c;", 8),
            ("len".into(), "len".into(), None)
        );
    }

    #[test]
    fn what_is_used_after_a_loop_is_told_from_what_is_not() {
        let used = |rest: &str| {
            let text =
                format!("for (int i = 0; i < n; i++) {{\n tmp = i;\n b[i] = tmp;\n}}\n{rest}");
            is_used_behind(&text, "tmp")
        };
        assert!(used("printf(\"%d\", tmp);"));
        assert!(used("if (tmp == 3) f();"));
        assert!(!used("tmp = 0; g(tmp);"));
        assert!(!used("return tmp_size;"));
        assert!(!used("}\nint other(int tmp) { return tmp; }"));
        assert!(!is_used_behind("for (;;) tmp = 1;\nf();", "tmp"));
        assert!(is_used_behind("for (;;) tmp = 1;\nf(tmp);", "tmp"));
    }

    #[test]
    fn what_is_no_name_is_no_access() {
        assert_eq!(Update::read("", 1), None);
        assert_eq!(Update::read("3 = 4", 3), None);
        assert_eq!(Update::read("x", 9), None);
    }
}
