//! From tokens to the syntax tree, by recursive descent.
//!
//! An error is reported where it is noticed; parsing then goes on behind the next `;` or block, so
//! that one run shows several. The depth of nesting is bounded: recursion never overflows the
//! stack, neither here nor in whatever walks the tree later.

mod declaration;
mod expression;
mod statement;

use crate::ast::{Name, Program};
use crate::diagnostic::{Diagnostic, Diagnostics, after};
use crate::lexer::{Keyword, Symbol, Token, TokenKind};
use heddle_core::Site;

/// How deep statements and parentheses may nest.
const DEEPEST: u32 = 200;

/// The program made of these tokens; not complete if anything was reported.
pub(crate) fn parse<'s>(tokens: &[Token<'s>], diagnostics: &mut Diagnostics) -> Program<'s> {
    let parser = Parser {
        tokens,
        position: 0,
        depth: 0,
        outlook: Outlook::Open,
        diagnostics,
    };
    parser.program()
}

/// The error has been reported.
struct Failed;

type Parse<T> = Result<T, Failed>;

/// Whether further errors would say anything new.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outlook {
    Open,
    /// The rest of the file was given up, or its end has been reported as missing something.
    Exhausted,
}

struct Parser<'t, 's, 'd> {
    /// Never empty; the last one is the end of the file.
    tokens: &'t [Token<'s>],
    position: usize,
    depth: u32,
    outlook: Outlook,
    diagnostics: &'d mut Diagnostics,
}

impl<'s> Parser<'_, 's, '_> {
    fn peek(&self) -> Token<'s> {
        self.tokens[self.position]
    }

    fn peek_second(&self) -> Token<'s> {
        self.tokens[(self.position + 1).min(self.tokens.len() - 1)]
    }

    fn at(&self, symbol: Symbol) -> bool {
        self.peek().kind == TokenKind::Symbol(symbol)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek().kind == TokenKind::Keyword(keyword)
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Takes the next token; the end of the file stays.
    fn advance(&mut self) -> Token<'s> {
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the token before this one stands.
    fn previous(&self) -> Site {
        self.tokens[self.position.saturating_sub(1)].site
    }

    fn take(&mut self, symbol: Symbol) -> bool {
        let found = self.at(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn take_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: Symbol) -> Parse<Site> {
        self.expect_with(symbol, None)
    }

    fn expect_with(&mut self, symbol: Symbol, help: Option<&str>) -> Parse<Site> {
        if self.at(symbol) {
            return Ok(self.advance().site);
        }
        Err(self.unexpected(&format!("`{}`", symbol.text()), help))
    }

    fn name(&mut self, what: &str) -> Parse<Name<'s>> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name => {
                self.advance();
                let Token { text, site, .. } = token;
                Ok(Name { text, site })
            }
            TokenKind::Keyword(_) => {
                let help = format!("{token} is a word of the language; choose another name");
                Err(self.unexpected(what, Some(&help)))
            }
            _ => Err(self.unexpected(what, None)),
        }
    }

    /// One or more names, separated by commas.
    fn names(&mut self, what: &str) -> Parse<Vec<Name<'s>>> {
        let mut names = vec![self.name(what)?];
        while self.take(Symbol::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Reports that the next token is not what must stand there.
    fn unexpected(&mut self, expected: &str, help: Option<&str>) -> Failed {
        let token = self.peek();
        // The lexer has said what is wrong with an unknown token.
        if token.kind != TokenKind::Unknown {
            let message = format!("expected {expected}, found {token}");
            let diagnostic = Diagnostic::new(token.site, message, format!("expected {expected}"));
            self.report(diagnostic.help_if(help.map(str::to_owned)));
        }
        Failed
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.outlook == Outlook::Open {
            self.diagnostics.push(diagnostic);
        }
        if self.at_end() || self.diagnostics.is_full() {
            self.give_up();
        }
    }

    /// Says no more and goes to the end of the file.
    fn give_up(&mut self) {
        self.outlook = Outlook::Exhausted;
        self.position = self.tokens.len() - 1;
    }

    /// Ends a statement or declaration. A missing `;` at a line's end is reported there, and
    /// parsing goes on as if it stood there.
    fn semicolon(&mut self) -> Parse<()> {
        if self.take(Symbol::Semicolon) {
            return Ok(());
        }
        let (previous, next) = (self.previous(), self.peek());
        let ends_line = next.site.line > previous.end_line
            || matches!(
                next.kind,
                TokenKind::End | TokenKind::Symbol(Symbol::CloseBrace)
            );
        if !ends_line {
            return Err(self.unexpected("`;`", None));
        }
        let message = format!("expected `;`, found {next}");
        self.report(Diagnostic::new(after(previous), message, "expected `;`"));
        Ok(())
    }

    /// Runs `inner` one level deeper, if there is a level left.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep("nested too deeply", DEEPEST));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Reports the next token as one level too many and gives up on the rest of the file: what
    /// follows would be reported level by level.
    fn too_deep(&mut self, message: &str, limit: u32) -> Failed {
        let site = self.peek().site;
        let label = format!("more than {limit} levels");
        self.report(Diagnostic::new(site, message, label));
        self.give_up();
        Failed
    }

    /// Goes to where the next statement may begin: behind a `;` or a block, before a `}`, or before
    /// a line that begins with a statement's keyword.
    fn recover(&mut self) {
        let failed = self.peek().site.line;
        let mut open = 0_usize;
        while !self.at_end() {
            let token = self.peek();
            let ends = match token.kind {
                TokenKind::Symbol(Symbol::OpenBrace) => {
                    open += 1;
                    false
                }
                TokenKind::Symbol(Symbol::CloseBrace) if open == 0 => return,
                TokenKind::Symbol(Symbol::CloseBrace) => {
                    open -= 1;
                    true
                }
                TokenKind::Symbol(Symbol::Semicolon) => true,
                TokenKind::Keyword(keyword) if open == 0 && token.site.line > failed => {
                    if keyword.begins_statement() {
                        return;
                    }
                    false
                }
                _ => false,
            };
            self.advance();
            // What follows `else` belongs to the same statement.
            if ends && open == 0 && !self.at_keyword(Keyword::Else) {
                return;
            }
        }
    }
}
