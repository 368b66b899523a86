//! The macros that a source text defines.

use std::collections::HashSet;
use std::ops::Range;

use super::layout::word_of;
use super::tokens::{Kind, Token, tokens};

/// A definition.
pub struct Macro<'a> {
    pub name: &'a [u8],
    /// Whether it takes arguments.
    pub is_called: bool,
    /// Where its tokens are in the text.
    pub body: Range<usize>,
}

impl<'a> Macro<'a> {
    /// The definition that a directive makes.
    pub fn read(text: &'a [u8], directive: &Token<'a>) -> Option<Self> {
        if directive.kind != Kind::Directive || word_of(directive) != b"define" {
            return None;
        }
        let end = directive.end();
        let word = text[directive.start..end]
            .windows(6)
            .position(|word| word == b"define")?;
        let words = tokens(text, directive.start + word + 6..end);
        let name = words.first()?;
        let open = words
            .get(1)
            .filter(|open| open.is("(") && open.start == name.end());
        let body = match open {
            Some(_) => words.iter().find(|token| token.is(")"))?.end(),
            None => name.end(),
        };
        Some(Self {
            name: name.text,
            is_called: open.is_some(),
            body: body..end,
        })
    }

    /// Whether it makes text of an argument.
    fn quotes(&self, text: &[u8]) -> bool {
        let body = &text[self.body.clone()];
        let is_hash = |at: usize| body.get(at) == Some(&b'#');
        let single = |at: usize| is_hash(at) && !is_hash(at + 1) && (at == 0 || !is_hash(at - 1));
        self.is_called && (0..body.len()).any(single)
    }
}

/// The names of macros that take arguments.
pub fn called<'a>(macros: &[Macro<'a>]) -> HashSet<&'a [u8]> {
    let called = macros.iter().filter(|one| one.is_called);
    called.map(|one| one.name).collect()
}

/// The names of macros that make text of what they are given, by themselves or through others.
pub fn quoting<'a>(text: &'a [u8], macros: &[Macro<'a>]) -> HashSet<&'a [u8]> {
    let direct = macros.iter().filter(|one| one.quotes(text));
    let mut names: HashSet<&[u8]> = direct.map(|one| one.name).collect();
    loop {
        let before = names.len();
        for one in macros.iter().filter(|one| one.is_called) {
            let words = tokens(text, one.body.clone());
            if words.iter().any(|token| names.contains(token.text)) {
                names.insert(one.name);
            }
        }
        if names.len() == before {
            return names;
        }
    }
}
