//! How the tokens of a source belong together: brackets, and where statements end.

use std::collections::HashSet;

use super::tokens::{Kind, Token};

/// Tokens, and what of them belongs together.
pub struct Layout<'a> {
    pub tokens: Vec<Token<'a>>,
    /// For each bracket, its counterpart.
    pairs: Vec<Option<usize>>,
    /// For each token, the innermost bracket that is open there.
    around: Vec<Option<usize>>,
}

impl<'a> Layout<'a> {
    /// Of the branches of a conditional directive each continues what was open before; the last one decides what is open behind it.
    pub fn new(tokens: Vec<Token<'a>>) -> Self {
        let mut pairs = vec![None; tokens.len()];
        let mut around = vec![None; tokens.len()];
        let (mut open, mut branches) = (Vec::new(), Vec::new());
        for (at, token) in tokens.iter().enumerate() {
            around[at] = open.last().copied();
            match token.kind {
                Kind::Directive => conditional(token, &mut open, &mut branches),
                Kind::Sign if token.is_any(&["(", "[", "{"]) => open.push(at),
                Kind::Sign if token.is_any(&[")", "]", "}"]) => {
                    let other = match token.text {
                        b")" => "(",
                        b"]" => "[",
                        _ => "{",
                    };
                    if let Some(start) = open.pop_if(|start| tokens[*start].is(other)) {
                        pairs[start] = Some(at);
                        pairs[at] = Some(start);
                        around[at] = open.last().copied();
                    }
                }
                _ => {}
            }
        }
        Self {
            tokens,
            pairs,
            around,
        }
    }

    pub fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }

    pub fn is(&self, at: usize, text: &str) -> bool {
        self.get(at).is_some_and(|token| token.is(text))
    }

    /// The counterpart of a bracket.
    pub fn pair(&self, at: usize) -> Option<usize> {
        self.pairs.get(at).copied().flatten()
    }

    /// The innermost bracket that is open at a token.
    pub fn around(&self, at: usize) -> Option<usize> {
        self.around.get(at).copied().flatten()
    }

    /// The token before, past directives.
    pub fn before(&self, at: usize) -> Option<usize> {
        let is_code = |at: &usize| self.tokens[*at].kind != Kind::Directive;
        (0..at).rev().find(is_code)
    }

    /// The token behind, past directives.
    pub fn behind(&self, at: usize) -> usize {
        let is_code = |at: &usize| self.tokens[*at].kind != Kind::Directive;
        let mut rest = at + 1..self.tokens.len();
        rest.find(is_code).unwrap_or(self.tokens.len())
    }

    /// Whether a word and a colon stand here.
    pub fn is_label(&self, at: usize) -> bool {
        let not = ["public", "private", "protected", "default", "case"];
        let named = |token: &Token| token.is_name() && !token.is_any(&not);
        self.get(at).is_some_and(named) && self.is(self.behind(at), ":")
    }

    /// The colon that ends `case ...:`.
    pub fn colon(&self, case: usize) -> Option<usize> {
        let (mut at, mut choices) = (case + 1, 0);
        loop {
            let token = self.get(at)?;
            match token.text {
                b"?" => choices += 1,
                b":" if choices == 0 => return Some(at),
                b":" => choices -= 1,
                b";" | b"{" | b"}" => return None,
                b"(" | b"[" => at = self.pair(at)?,
                _ => {}
            }
            at += 1;
        }
    }

    /// The token behind a statement; none if it cannot be told. `macros` are the names of macros with arguments, which may
    /// be anything.
    pub fn end_of_statement(&self, at: usize, macros: &HashSet<&[u8]>) -> Option<usize> {
        let token = self.get(at)?;
        let after_brackets = |at: usize| Some(self.pair(at)? + 1);
        match token.text {
            _ if token.kind == Kind::Directive => self.end_of_statement(at + 1, macros),
            b"{" => after_brackets(at),
            b"[" if self.is(at + 1, "[") => self.end_of_statement(self.pair(at)? + 1, macros),
            b"for" | b"while" | b"switch" => {
                let open = self.behind(at);
                self.end_of_statement(self.pair(open)? + 1, macros)
            }
            b"if" => {
                let mut open = self.behind(at);
                if self.is(open, "constexpr") {
                    open = self.behind(open);
                }
                let end = self.end_of_statement(self.pair(open)? + 1, macros)?;
                let next = self.behind(end - 1);
                match self.is(next, "else") {
                    true => self.end_of_statement(next + 1, macros),
                    false => Some(end),
                }
            }
            b"do" => {
                let end = self.end_of_statement(at + 1, macros)?;
                let tail = self.behind(end - 1);
                let open = self.behind(tail);
                let end = self.pair(open).filter(|_| self.is(tail, "while"))? + 1;
                self.is(end, ";").then_some(end + 1)
            }
            b"try" => {
                let mut end = after_brackets(self.behind(at))?;
                while self.is(end, "catch") {
                    end = after_brackets(self.pair(end + 1)? + 1)?;
                }
                Some(end)
            }
            b"case" | b"default" => self.end_of_statement(self.colon(at)? + 1, macros),
            _ if self.is_label(at) => self.end_of_statement(self.behind(at) + 1, macros),
            _ => self.end_of_simple_statement(at, macros),
        }
    }

    /// The token behind the next semicolon.
    fn end_of_simple_statement(&self, start: usize, macros: &HashSet<&[u8]>) -> Option<usize> {
        let is_macro = macros.contains(self.get(start)?.text) && self.is(start + 1, "(");
        if is_macro && !self.is(self.pair(start + 1)? + 1, ";") {
            return None;
        }
        let mut at = start;
        loop {
            match self.get(at)?.text {
                b";" => return Some(at + 1),
                b"(" | b"[" | b"{" => at = self.pair(at)?,
                b")" | b"]" | b"}" => return None,
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether a bracket begins the type of a value, `(struct s) { ... }`.
    fn is_cast(&self, open: usize) -> bool {
        let before = self.before(open);
        let is_sign = before.is_some_and(|at| self.tokens[at].is_any(&["=", ",", "(", "return"]));
        let named = before.and_then(|at| self.before(at));
        is_sign && !named.is_some_and(|at| self.tokens[at].is("operator"))
    }

    /// Whether a brace holds statements, rather than members, enumerators or values.
    pub fn holds_statements(&self, brace: usize) -> bool {
        let Some(last) = self.before(brace) else {
            return true;
        };
        if self.tokens[last].is_any(&["=", ",", "(", "return"])
            || self.tokens[last].kind == Kind::Quoted
        {
            return false;
        }
        let mut at = Some(last);
        let mut has_members = false;
        while let Some(one) = at {
            let token = &self.tokens[one];
            if token.is_any(&[";", "{", "}", ":"]) && !token.is("::") {
                break;
            }
            let start = self.pair(one).unwrap_or(one);
            at = self.before(start);
            let attributes = ["__attribute__", "alignas", "__declspec"];
            let is_attribute = at.is_some_and(|at| self.tokens[at].is_any(&attributes));
            if token.is(")") && !is_attribute {
                return !self.is_cast(start);
            }
            let kinds = ["class", "struct", "union", "enum", "namespace"];
            has_members |= token.is_any(&kinds);
        }
        !has_members
    }
}

/// Opens and closes the branches of conditional directives.
fn conditional(directive: &Token<'_>, open: &mut Vec<usize>, branches: &mut Vec<Vec<usize>>) {
    match word_of(directive) {
        b"if" | b"ifdef" | b"ifndef" => branches.push(open.clone()),
        b"else" | b"elif" | b"elifdef" | b"elifndef" => {
            if let Some(before) = branches.last() {
                open.clone_from(before);
            }
        }
        b"endif" => drop(branches.pop()),
        _ => {}
    }
}

/// The word behind a directive's `#`.
pub fn word_of<'a>(directive: &Token<'a>) -> &'a [u8] {
    let rest = directive.text[1..].trim_ascii_start();
    let end = rest
        .iter()
        .position(|letter| !letter.is_ascii_alphanumeric());
    &rest[..end.unwrap_or(rest.len())]
}
