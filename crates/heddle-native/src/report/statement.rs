//! Which statement of the source a position belongs to, by the text alone.
//!
//! Compilers give the parts of `n -= 1` different columns: gcc the read that of `n` and the write that of `-=`, and
//! clang both that of `-=`, but not in `n = n - 1`. To a reader they are one operation. A condition is one of its own, and
//! so is each of its operands: `n > 0` and `n -= 1` in `if (n > 0) n -= 1;`.
//!
//! Known misses: comments and strings count as code.

/// Where the statement begins that this line and column are in, or the part of a condition or of its operands between
/// `&&`, `||` and `?`; the same place if the text does not reach there.
pub fn statement(text: &str, line: u32, column: u32) -> (u32, u32) {
    let before = text.split_inclusive('\n').take(line as usize - 1);
    let row = before.map(str::len).sum::<usize>();
    let Some(text) = text.get(..row + (column as usize).saturating_sub(1)) else {
        return (line, column);
    };
    let text = text.as_bytes();
    let start = operation_start(text);
    let spaces = text[start..].iter().take_while(|c| c.is_ascii_whitespace());
    let start = start + spaces.count();
    let rows = text[start..].iter().filter(|c| **c == b'\n').count();
    let row = text[..start].iter().rposition(|c| *c == b'\n');
    let column = start - row.map_or(0, |end| end + 1) + 1;
    (line - rows as u32, column as u32)
}

/// Where the operation starts that this text ends in.
fn operation_start(text: &[u8]) -> usize {
    let mut depth = 0usize;
    for at in (0..text.len()).rev() {
        let is_head = |opening: usize| {
            let before = text[..opening].trim_ascii_end();
            let word = before.iter().rev().take_while(|c| c.is_ascii_alphabetic());
            let word = &before[before.len() - word.count()..];
            matches!(word, b"for" | b"if" | b"while" | b"switch")
        };
        match text[at] {
            b';' | b'{' | b'}' => return at + 1,
            b'?' if depth == 0 => return at + 1,
            b'&' | b'|' if depth == 0 && at > 0 && text[at - 1] == text[at] => return at + 1,
            b')' => depth += 1,
            b'(' if depth == 0 && is_head(at) => return at + 1,
            // What the head of a statement is for begins behind it.
            b'(' if depth == 1 && is_head(at) => return at + closed(&text[at..]),
            b'(' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    0
}

/// How far the parenthesis reaches that the text starts with.
fn closed(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let end = text.iter().position(|c| {
        depth += usize::from(*c == b'(');
        depth = depth.saturating_sub(usize::from(*c == b')'));
        depth == 0
    });
    end.map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_one_statement_and_its_condition_another() {
        let start = |text: &str, mark: &str| {
            let before = &text[..text.find(mark).expect("it is there")];
            let line = before.matches('\n').count() as u32 + 1;
            let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
            statement(text, line, column as u32)
        };
        let text = "if (n > 0) n -= f(k);";
        assert_eq!(start(text, "n >"), (1, 5));
        assert_eq!(start(text, "n -="), (1, 12));
        assert_eq!(start(text, "k)"), (1, 12));
        let text = "{ a = b;\n  a =\n    a + g(a, b) ; }";
        assert_eq!(start(text, "b;"), (1, 3));
        assert_eq!(start(text, "a +"), (2, 3));
        assert_eq!(start(text, "b) ;"), (2, 3));
        let text = "while (q.empty() && !(closed || q.full())) wait();";
        assert_eq!(start(text, "q.empty"), (1, 8));
        assert_eq!(start(text, "closed"), (1, 21));
        assert_eq!(start(text, "q.full"), (1, 33));
        assert_eq!(start(text, "wait"), (1, 44));
        assert_eq!(start("x = empty ? 0 : n--;", "n--"), (1, 13));
        assert_eq!(statement("x;", 3, 5), (3, 5));
    }
}
