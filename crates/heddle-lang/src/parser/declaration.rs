//! The program as a whole and the declarations at its top.

use super::{Parse, Parser};
use crate::ast::{Declaration, Name, Proc, Program, SharedVariable, Statement};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Keyword, Symbol, TokenKind};

impl<'s> Parser<'_, 's, '_> {
    pub(super) fn program(mut self) -> Program<'s> {
        let mut program = Program {
            declarations: Vec::new(),
            statements: Vec::new(),
            end: self.tokens[self.tokens.len() - 1].site,
        };
        while !self.at_end() {
            self.top_level(&mut program);
        }
        program
    }

    fn top_level(&mut self, program: &mut Program<'s>) {
        if self.at(Symbol::CloseBrace) {
            let site = self.advance().site;
            let message = "unmatched `}`";
            self.report(Diagnostic::new(site, message, "nothing is open here"));
        } else if self.at_declaration() {
            self.check_place(&program.statements);
            match self.declaration() {
                Ok(declaration) => program.declarations.push(declaration),
                Err(_) => self.recover(),
            }
        } else {
            match self.statement() {
                Ok(statement) => program.statements.push(statement),
                Err(_) => self.recover(),
            }
        }
    }

    /// Reports a declaration behind a statement.
    fn check_place(&mut self, statements: &[Statement<'s>]) {
        let Some(first) = statements.first() else {
            return;
        };
        let token = self.peek();
        let message = format!("{token} declaration after the first statement");
        let help = format!(
            "declarations come first: move it above line {}",
            first.site.line
        );
        let diagnostic = Diagnostic::new(token.site, message, "too late");
        self.report(diagnostic.help(help));
    }

    pub(super) fn at_declaration(&self) -> bool {
        use Keyword::{Atomic, Event, Lock, Proc, Region, Shared};
        matches!(
            self.peek().kind,
            TokenKind::Keyword(Shared | Lock | Event | Region | Atomic | Proc)
        )
    }

    pub(super) fn declaration(&mut self) -> Parse<Declaration<'s>> {
        let declaration = match self.advance().kind {
            TokenKind::Keyword(Keyword::Proc) => return Ok(Declaration::Proc(self.proc()?)),
            TokenKind::Keyword(Keyword::Lock) => Declaration::Lock(self.names("a lock's name")?),
            TokenKind::Keyword(Keyword::Event) => {
                Declaration::Event(self.names("an event's name")?)
            }
            TokenKind::Keyword(Keyword::Region) => {
                Declaration::Region(self.names("a region's name")?)
            }
            TokenKind::Keyword(Keyword::Atomic) => Declaration::Atomic(self.groups()?),
            _ => Declaration::Shared(self.shared()?),
        };
        self.semicolon()?;
        Ok(declaration)
    }

    fn shared(&mut self) -> Parse<Vec<SharedVariable<'s>>> {
        let mut variables = vec![self.shared_variable()?];
        while self.take(Symbol::Comma) {
            variables.push(self.shared_variable()?);
        }
        Ok(variables)
    }

    fn shared_variable(&mut self) -> Parse<SharedVariable<'s>> {
        let name = self.name("a variable's name")?;
        let mut len = None;
        if self.take(Symbol::OpenBracket) {
            len = Some(self.expression()?);
            self.expect(Symbol::CloseBracket)?;
        }
        let mut initial = None;
        if self.take(Symbol::Equal) {
            initial = Some(self.expression()?);
        }
        Ok(SharedVariable { name, len, initial })
    }

    fn groups(&mut self) -> Parse<Vec<Vec<Name<'s>>>> {
        let mut groups = vec![self.group()?];
        while self.take(Symbol::Comma) {
            groups.push(self.group()?);
        }
        Ok(groups)
    }

    fn group(&mut self) -> Parse<Vec<Name<'s>>> {
        if !self.take(Symbol::OpenParen) {
            return Ok(vec![self.name("a shared variable's name or `(`")?]);
        }
        let names = self.names("a shared variable's name")?;
        self.expect(Symbol::CloseParen)?;
        Ok(names)
    }

    fn proc(&mut self) -> Parse<Proc<'s>> {
        let name = self.name("a procedure's name")?;
        self.expect(Symbol::OpenParen)?;
        let mut params = Vec::new();
        if !self.at(Symbol::CloseParen) {
            params = self.names("a parameter's name")?;
        }
        self.expect(Symbol::CloseParen)?;
        let body = self.block()?;
        Ok(Proc { name, params, body })
    }
}
