//! What the source says at a position: how far the token reaches, and which variable is meant.
//!
//! Debug information has the first column only. And a variable on the stack of another thread has no
//! name there at all, but the text at the access does.

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

/// The variable that the access at this column names: `sum`, or `a[...]` for an element.
pub fn variable(line: &str, column: u32) -> Option<String> {
    let at = (column as usize).checked_sub(1)?;
    let line: Vec<char> = line.chars().collect();
    let (before, rest) = (line.get(..at)?, line.get(at..)?);
    match rest {
        [c, ..] if is_word(*c) && !c.is_ascii_digit() => named_from(rest),
        ['+', '+', after @ ..] | ['-', '-', after @ ..] => {
            named_up_to(before).or_else(|| named_from(trim_start(after)))
        }
        [c, ..] if is_assignment(rest) || *c == '[' => named_up_to(before),
        _ => None,
    }
}

fn named_from(text: &[char]) -> Option<String> {
    let len = count(text, is_word);
    let name: String = text[..len].iter().collect();
    match trim_start(&text[len..]) {
        ['[', ..] => Some(format!("{name}[...]")),
        ['(' | '.', ..] | ['-', '>', ..] => None,
        _ if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) => None,
        _ => Some(name),
    }
}

/// The variable at the end of the text, if it stands by itself.
fn named_up_to(text: &[char]) -> Option<String> {
    let mut end = trimmed_len(text);
    let mut is_element = false;
    while end > 0 && text[end - 1] == ']' {
        end = trimmed_len(&text[..opening(&text[..end])?]);
        is_element = true;
    }
    let start = end
        - text[..end]
            .iter()
            .rev()
            .take_while(|&&c| is_word(c))
            .count();
    let name: String = text[start..end].iter().collect();
    let is_member = matches!(&text[..start], [.., '.'] | [.., '-', '>'] | [.., '*']);
    match is_member || name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        true => None,
        false if is_element => Some(format!("{name}[...]")),
        false => Some(name),
    }
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
    fn the_variable_is_found_from_the_name_or_the_operator() {
        let names = |line: &str, column| variable(line, column);
        assert_eq!(names("x = sum;", 5), Some("sum".into()));
        assert_eq!(names("sum += i;", 5), Some("sum".into()));
        assert_eq!(names("count++;", 6), Some("count".into()));
        assert_eq!(names("++count;", 1), Some("count".into()));
        assert_eq!(names("a[b[i]] = 1;", 9), Some("a[...]".into()));
        assert_eq!(names("y = a[i];", 5), Some("a[...]".into()));
        assert_eq!(names("a[i][j]++;", 8), Some("a[...]".into()));
    }

    #[test]
    fn what_stands_for_something_else_is_no_variable() {
        assert_eq!(variable("p->x = 1;", 6), None);
        assert_eq!(variable("*p = 1;", 4), None);
        assert_eq!(variable("f(x);", 1), None);
        assert_eq!(variable("a == b", 3), None);
        assert_eq!(variable("1 = 2", 3), None);
        assert_eq!(variable("x", 9), None);
        assert_eq!(variable("", 0), None);
    }
}
