//! Statements and blocks.

use super::{DEEPEST, Parse, Parser};
use crate::ast::{Arm, Block, Create, Expr, Mention, Name, Statement, StatementKind as Kind};
use crate::diagnostic::{Diagnostic, join};
use crate::lexer::{Keyword, Symbol, TokenKind};
use crate::spelling::nearest;
use heddle_core::{Site, TaskKind};

const BRACES: &str = "a body stands in braces, also a single statement";

/// What declares a variable in other languages.
const TYPES: &[&str] = &[
    "int", "long", "short", "char", "bool", "float", "double", "auto", "unsigned", "size_t", "var",
    "val", "i32", "i64", "u32", "u64",
];

impl<'s> Parser<'_, 's, '_> {
    /// `{ ... }`
    pub(super) fn block(&mut self) -> Parse<Block<'s>> {
        let open = self.expect_with(Symbol::OpenBrace, Some(BRACES))?;
        self.nested(|parser| parser.rest_of_block(open))
    }

    fn rest_of_block(&mut self, open: Site) -> Parse<Block<'s>> {
        let mut statements = Vec::new();
        loop {
            if self.at(Symbol::CloseBrace) {
                let end = self.advance().site;
                return Ok(Block { statements, end });
            }
            if self.at_end() {
                let help = format!("the `{{` at {}:{} is never closed", open.line, open.column);
                return Err(self.unexpected("`}`", Some(&help)));
            }
            match self.inner_statement() {
                Ok(statement) => statements.extend(statement),
                Err(_) => self.recover(),
            }
        }
    }

    /// A statement inside a block, where no declaration may stand.
    fn inner_statement(&mut self) -> Parse<Option<Statement<'s>>> {
        if !self.at_declaration() {
            return self.statement().map(Some);
        }
        let token = self.peek();
        let message = format!("{token} declaration inside a block");
        let diagnostic = Diagnostic::new(token.site, message, "not at the top level");
        self.report(
            diagnostic.help("declarations stand at the top of the file; `let` makes a local"),
        );
        self.declaration().map(|_| None)
    }

    pub(super) fn statement(&mut self) -> Parse<Statement<'s>> {
        let first = self.peek();
        let TokenKind::Keyword(keyword) = first.kind else {
            return self.named_statement();
        };
        match keyword {
            Keyword::If => self.branch(),
            Keyword::Async | Keyword::Future | Keyword::Task | Keyword::Post | Keyword::Spawn => {
                self.create(keyword)
            }
            Keyword::Finish | Keyword::Isolated | Keyword::With => self.scope(keyword),
            Keyword::While | Keyword::For => self.repetition(keyword),
            _ => {
                let kind = self.simple(keyword)?;
                let site = join(first.site, self.previous());
                self.semicolon()?;
                Ok(Statement { kind, site })
            }
        }
    }

    /// A statement that begins with a keyword and ends with `;`.
    fn simple(&mut self, keyword: Keyword) -> Parse<Kind<'s>> {
        let start = self.position;
        let first = self.advance().site;
        Ok(match keyword {
            Keyword::Sync => Kind::Sync,
            Keyword::Cut => Kind::Cut,
            Keyword::Skip => Kind::Skip,
            Keyword::Satisfy => Kind::Satisfy(self.name("an event")?),
            Keyword::Await => Kind::Await(self.name("a region")?),
            Keyword::Ewait => Kind::AwaitAny(self.name("a region")?),
            Keyword::Acquire => Kind::Acquire(self.name("a lock")?),
            Keyword::Release => Kind::Release(self.name("a lock")?),
            Keyword::Get => Kind::Evaluate(self.rest_of_get(first)?),
            Keyword::Let => self.local()?,
            Keyword::Read => Kind::Read(self.mention()?),
            Keyword::Write => Kind::Write(self.mention()?),
            Keyword::Return if self.at(Symbol::Semicolon) => Kind::Return(None),
            Keyword::Return => Kind::Return(Some(self.expression()?)),
            Keyword::Assert => Kind::Assert(self.expression()?),
            Keyword::Print => Kind::Print(self.expression()?),
            _ => {
                self.position = start;
                return Err(self.no_statement());
            }
        })
    }

    fn no_statement(&mut self) -> super::Failed {
        let help = match self.peek().kind {
            TokenKind::Keyword(Keyword::Else) => Some("`else` follows the `}` of an `if`"),
            TokenKind::Keyword(Keyword::After) => Some("`after` follows `task` and its label"),
            TokenKind::Symbol(Symbol::Semicolon) => {
                Some("no `;` follows a block; `skip;` does nothing")
            }
            _ => None,
        };
        self.unexpected("a statement", help)
    }

    fn local(&mut self) -> Parse<Kind<'s>> {
        let name = self.name("a local's name")?;
        self.expect_with(
            Symbol::Equal,
            Some("a local is given a value at once: `let v = 0;`"),
        )?;
        Ok(Kind::Let(name, self.expression()?))
    }

    /// An assignment or a call.
    fn named_statement(&mut self) -> Parse<Statement<'s>> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.no_statement());
        }
        let first = self.peek().site;
        let kind = if self.peek_second().kind == TokenKind::Symbol(Symbol::OpenParen) {
            Kind::Evaluate(self.named()?)
        } else {
            self.assignment()?
        };
        let site = join(first, self.previous());
        self.semicolon()?;
        Ok(Statement { kind, site })
    }

    fn assignment(&mut self) -> Parse<Kind<'s>> {
        let place = self.mention()?;
        if !self.take(Symbol::Equal) {
            return Err(self.no_assignment(&place));
        }
        Ok(Kind::Assign(place, self.expression()?))
    }

    /// A name begins the statement and no `=` follows: perhaps a keyword was meant.
    fn no_assignment(&mut self, place: &Mention<'s>) -> super::Failed {
        let name = place.name.text;
        let keywords = Keyword::ALL.iter().map(|keyword| keyword.text());
        let help = match self.peek().text {
            operator @ ("+" | "-" | "*" | "/" | "%") => {
                Some(format!("write it out: `{name} = {name} {operator} ...;`"))
            }
            // What looks like a declaration in another language is no misspelt keyword.
            _ if TYPES.contains(&name) => Some(format!(
                "variables are declared with `shared` or `let`, not `{name}`"
            )),
            _ => nearest(name, keywords).map(|keyword| format!("did you mean `{keyword}`?")),
        };
        let expected = match place.index {
            Some(_) => "`=`",
            None => "`=`, `[` or `(`",
        };
        self.unexpected(expected, help.as_deref())
    }

    pub(super) fn mention(&mut self) -> Parse<Mention<'s>> {
        let name = self.name("a variable")?;
        let mut index = None;
        if self.take(Symbol::OpenBracket) {
            index = Some(Box::new(self.expression()?));
            self.expect(Symbol::CloseBracket)?;
        }
        let site = join(name.site, self.previous());
        Ok(Mention { name, index, site })
    }

    /// `async`, `future`, `task`, `post`, `spawn`
    fn create(&mut self, keyword: Keyword) -> Parse<Statement<'s>> {
        let first = self.advance().site;
        if keyword == Keyword::Spawn && !self.at(Symbol::OpenBrace) {
            return self.spawn_call(first);
        }
        let (mut label, mut after, mut region, mut passing) = (None, Vec::new(), None, None);
        let kind = match keyword {
            Keyword::Post => {
                region = Some(self.name("a region")?);
                passing = self.clause(Keyword::Passing, |parser| parser.name("a region"))?;
                TaskKind::Post
            }
            Keyword::Future => {
                label = Some(self.name("the future's name")?);
                TaskKind::Future
            }
            Keyword::Task => {
                label = self.label()?;
                after = self
                    .clause(Keyword::After, |parser| parser.names("a task or an event"))?
                    .unwrap_or_default();
                TaskKind::Dependent
            }
            Keyword::Async => {
                label = self.label()?;
                TaskKind::Async
            }
            _ => TaskKind::Spawn,
        };
        let site = join(first, self.previous());
        let body = self.block()?;
        let create = Create {
            kind,
            label,
            after,
            region,
            passing,
            body,
        };
        Ok(Statement {
            kind: Kind::Create(create),
            site,
        })
    }

    fn label(&mut self) -> Parse<Option<Name<'s>>> {
        match self.peek().kind {
            TokenKind::Symbol(Symbol::OpenBrace) | TokenKind::Keyword(Keyword::After) => Ok(None),
            _ => self.name("a label or `{`").map(Some),
        }
    }

    /// What follows `keyword`, if it stands here.
    fn clause<T>(
        &mut self,
        keyword: Keyword,
        rest: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<Option<T>> {
        if self.take_keyword(keyword) {
            rest(self).map(Some)
        } else {
            Ok(None)
        }
    }

    fn spawn_call(&mut self, first: Site) -> Parse<Statement<'s>> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.unexpected("`{` or a procedure's name", None));
        }
        let call = self.call()?;
        let site = join(first, call.site);
        self.semicolon()?;
        Ok(Statement {
            kind: Kind::SpawnCall(call),
            site,
        })
    }

    /// `finish`, `isolated`, `with`
    fn scope(&mut self, keyword: Keyword) -> Parse<Statement<'s>> {
        let first = self.advance().site;
        if keyword == Keyword::With {
            let lock = self.name("a lock")?;
            let site = join(first, lock.site);
            return Ok(Statement {
                kind: Kind::With(lock, self.block()?),
                site,
            });
        }
        let block = self.block()?;
        let kind = if keyword == Keyword::Finish {
            Kind::Finish(block)
        } else {
            Kind::Isolated(block)
        };
        Ok(Statement { kind, site: first })
    }

    fn repetition(&mut self, keyword: Keyword) -> Parse<Statement<'s>> {
        let first = self.advance().site;
        if keyword == Keyword::While {
            let condition = self.condition()?;
            let site = join(first, self.previous());
            return Ok(Statement {
                kind: Kind::While(condition, self.block()?),
                site,
            });
        }
        let variable = self.name("the loop's variable")?;
        if !self.take_keyword(Keyword::In) {
            return Err(self.unexpected("`in`", Some("a loop is written `for i in 0..n { }`")));
        }
        let from = self.expression()?;
        self.expect(Symbol::DotDot)?;
        let to = self.expression()?;
        let site = join(first, self.previous());
        let body = self.block()?;
        Ok(Statement {
            kind: Kind::For {
                variable,
                from,
                to,
                body,
            },
            site,
        })
    }

    /// `( e )`
    fn condition(&mut self) -> Parse<Expr<'s>> {
        self.expect_with(Symbol::OpenParen, Some("a condition stands in parentheses"))?;
        let condition = self.expression()?;
        self.expect_with(
            Symbol::CloseParen,
            self.at(Symbol::Equal).then_some("equality is written `==`"),
        )?;
        Ok(condition)
    }

    /// `if`, any number of `else if`, perhaps `else`. Each branch nests in the one before it.
    fn branch(&mut self) -> Parse<Statement<'s>> {
        let depth = self.depth;
        let result = self.branches();
        self.depth = depth;
        result
    }

    fn branches(&mut self) -> Parse<Statement<'s>> {
        let mut arms = vec![self.arm()?];
        let mut otherwise = None;
        while self.take_keyword(Keyword::Else) {
            if !self.at_keyword(Keyword::If) {
                otherwise = Some(self.block()?);
                break;
            }
            // A branch without room for its condition and block would not get far.
            if self.depth + 1 >= DEEPEST {
                return Err(self.too_deep("too many branches", DEEPEST));
            }
            self.depth += 1;
            arms.push(self.arm()?);
        }
        let site = arms[0].site;
        Ok(Statement {
            kind: Kind::If { arms, otherwise },
            site,
        })
    }

    fn arm(&mut self) -> Parse<Arm<'s>> {
        let first = self.advance().site;
        let condition = self.condition()?;
        let site = join(first, self.previous());
        let block = self.block()?;
        Ok(Arm {
            site,
            condition,
            block,
        })
    }
}
