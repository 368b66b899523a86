//! From characters to tokens.
//!
//! Never fails: what belongs to no token becomes [`TokenKind::Unknown`] with a diagnostic, and
//! the parser treats it as already reported.

use crate::diagnostic::{Diagnostic, Diagnostics, FILE, after};
use heddle_core::Site;
use std::fmt;

macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name { $($variant,)* }

        impl $name {
            /// All of them.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// As written in a program.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

spelled! {
    /// A reserved word.
    Keyword {
        Shared = "shared", Lock = "lock", Event = "event", Region = "region", Atomic = "atomic",
        Proc = "proc", Async = "async", Finish = "finish", Spawn = "spawn", Sync = "sync",
        Future = "future", Task = "task", After = "after", Satisfy = "satisfy", Post = "post",
        Passing = "passing", Await = "await", Ewait = "ewait", Isolated = "isolated",
        Acquire = "acquire", Release = "release", With = "with", Cut = "cut", Let = "let",
        New = "new", Read = "read", Write = "write", If = "if", Else = "else", While = "while",
        For = "for", In = "in", Return = "return", Assert = "assert", Print = "print",
        Skip = "skip", Get = "get",
    }
}

spelled! {
    /// Punctuation. A symbol that begins like a longer one stands after it.
    Symbol {
        DotDot = "..", EqualEqual = "==", NotEqual = "!=", LessEqual = "<=", GreaterEqual = ">=",
        AndAnd = "&&", OrOr = "||", Equal = "=", Not = "!", Less = "<", Greater = ">",
        Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%",
        OpenParen = "(", CloseParen = ")", OpenBrace = "{", CloseBrace = "}",
        OpenBracket = "[", CloseBracket = "]", Comma = ",", Semicolon = ";",
    }
}

impl Keyword {
    /// Whether a statement or declaration can begin with it.
    pub(crate) fn begins_statement(self) -> bool {
        use Keyword::{After, Else, In, New, Passing};
        !matches!(self, After | Else | In | New | Passing)
    }
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Name,
    /// At most 2^63: one more than fits, so that the smallest integer can be written.
    Int(u64),
    Keyword(Keyword),
    Symbol(Symbol),
    /// Reported by the lexer.
    Unknown,
    /// The end of the file; the last token is always this one.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'s str,
    pub(crate) site: Site,
}

/// As quoted in messages.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TokenKind::End => f.write_str("the end of the file"),
            _ => write!(f, "`{}`", shortened(self.text)),
        }
    }
}

/// The text, or its beginning if it is too long to quote.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The tokens of `source`, with [`TokenKind::End`] last.
pub(crate) fn lex<'s>(source: &'s str, diagnostics: &mut Diagnostics) -> Vec<Token<'s>> {
    let mut lexer = Lexer {
        rest: source,
        line: 1,
        column: 1,
        diagnostics,
    };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token() {
        tokens.push(token);
    }
    tokens.push(end_token(tokens.last()));
    tokens
}

/// Stands directly after the last token, where a missing brace would go.
fn end_token<'s>(last: Option<&Token<'s>>) -> Token<'s> {
    let start = Site {
        file: FILE,
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 1,
    };
    Token {
        kind: TokenKind::End,
        text: "",
        site: last.map_or(start, |token| after(token.site)),
    }
}

struct Lexer<'s, 'd> {
    rest: &'s str,
    line: u32,
    column: u32,
    diagnostics: &'d mut Diagnostics,
}

impl<'s> Lexer<'s, '_> {
    fn token(&mut self) -> Option<Token<'s>> {
        self.skip_blank();
        let first = self.rest.chars().next()?;
        if first.is_ascii_alphabetic() || first == '_' {
            Some(self.word())
        } else if first.is_ascii_digit() {
            Some(self.number())
        } else if let Some(symbol) = self.symbol() {
            Some(self.take(symbol.text().len(), TokenKind::Symbol(symbol)))
        } else {
            Some(self.unknown())
        }
    }

    fn skip_blank(&mut self) {
        loop {
            let mut chars = self.rest.chars();
            match chars.next() {
                Some('\n') => {
                    self.line = self.line.saturating_add(1);
                    self.column = 1;
                    self.rest = chars.as_str();
                }
                // A byte order mark is no text.
                Some(' ' | '\t' | '\r' | '\u{feff}') => {
                    self.column = self.column.saturating_add(1);
                    self.rest = chars.as_str();
                }
                Some('/') if self.rest.starts_with("//") => {
                    // The next line starts at column 1 whatever this one held.
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
                _ => return,
            }
        }
    }

    /// Takes `len` bytes, none of them a line end, as one token.
    fn take(&mut self, len: usize, kind: TokenKind) -> Token<'s> {
        let (text, rest) = self.rest.split_at(len);
        let width = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let site = Site {
            file: FILE,
            line: self.line,
            column: self.column,
            end_line: self.line,
            end_column: self.column.saturating_add(width),
        };
        self.rest = rest;
        self.column = site.end_column;
        Token { kind, text, site }
    }

    /// How many bytes from here satisfy `belongs`.
    fn run(&self, belongs: impl Fn(char) -> bool) -> usize {
        self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len())
    }

    fn word(&mut self) -> Token<'s> {
        let len = self.run(is_word);
        let text = &self.rest[..len];
        let keyword = Keyword::ALL.iter().find(|keyword| keyword.text() == text);
        let kind = keyword.map_or(TokenKind::Name, |&keyword| TokenKind::Keyword(keyword));
        self.take(len, kind)
    }

    fn number(&mut self) -> Token<'s> {
        let mut token = self.take(self.run(is_word), TokenKind::Unknown);
        if token.text.bytes().all(|byte| byte.is_ascii_digit()) {
            token.kind = match token.text.parse() {
                Ok(value) if value <= i64::MIN.unsigned_abs() => TokenKind::Int(value),
                _ => self.report(out_of_range(&token)),
            };
        } else {
            let diagnostic = Diagnostic::new(
                token.site,
                format!("{token} is neither a number nor a name"),
                "digits and letters mixed",
            );
            self.report(diagnostic.help("names begin with a letter or `_`"));
        }
        token
    }

    fn symbol(&self) -> Option<Symbol> {
        let mut all = Symbol::ALL.iter();
        all.find(|symbol| self.rest.starts_with(symbol.text()))
            .copied()
    }

    /// A run of characters that begin nothing: one diagnostic for all of it.
    fn unknown(&mut self) -> Token<'s> {
        let strange = |c: char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace());
        let len = match self.run(strange) {
            0 => self.rest.chars().next().map_or(0, char::len_utf8),
            len => len,
        };
        let token = self.take(len, TokenKind::Unknown);
        let quoted = shortened(token.text).escape_debug().to_string();
        let message = format!("`{quoted}` means nothing in a program");
        let diagnostic = Diagnostic::new(token.site, message, "unexpected here");
        let help = advice(token.text).map(str::to_owned);
        self.report(diagnostic.help_if(help));
        token
    }

    fn report(&mut self, diagnostic: Diagnostic) -> TokenKind {
        self.diagnostics.push(diagnostic);
        TokenKind::Unknown
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The error of a number that no value can hold.
pub(crate) fn out_of_range(token: &Token<'_>) -> Diagnostic {
    let message = format!("the number {} is out of range", shortened(token.text));
    Diagnostic::new(token.site, message, "too large")
        .help(format!("the largest integer is {}", i64::MAX))
}

fn advice(text: &str) -> Option<&'static str> {
    match text {
        "&" => Some("`and` is written `&&`"),
        "|" => Some("`or` is written `||`"),
        "." => Some("a range is written `a..b`"),
        "#" => Some("a comment begins with `//`"),
        _ if !text.is_ascii() => {
            Some("names are made of ASCII letters, digits and `_`; comments may hold any text")
        }
        _ => None,
    }
}
