//! From the syntax tree to the intermediate form: names become indices, rules are checked.
//!
//! An error does not stop the pass: the offending piece is replaced by a harmless one and the rest
//! is checked too. The result is only used when nothing was reported.

mod constant;
mod creation;
mod declaration;
mod expression;
mod features;
mod scope;
mod statement;
mod tables;

use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{AccessInfo, Body, Proc, Program, Shared, SharedId, Stmt, StmtKind};
use crate::lexer::shortened;
use crate::spelling::nearest;
use features::Constructs;
use heddle_core::{Features, NameId, Site};
use scope::{Frame, FrameKind, Local};
use std::collections::{HashMap, HashSet};
use tables::Tables;

/// The checked program; meaningless if anything was reported.
pub(crate) fn resolve<'s>(
    path: &str,
    source: &str,
    program: &ast::Program<'s>,
    diagnostics: &mut Diagnostics,
) -> Program {
    let mut resolver = Resolver {
        tables: Tables::new(path, source),
        globals: HashMap::new(),
        shared: Vec::new(),
        locks: Vec::new(),
        events: Vec::new(),
        regions: Vec::new(),
        atomics: Vec::new(),
        signatures: Vec::new(),
        accesses: Vec::new(),
        constructs: Constructs::default(),
        frame: Frame::new(FrameKind::Main),
        outer: Vec::new(),
        undeclared: HashSet::new(),
        diagnostics,
    };
    resolver.declare_all(&program.declarations);
    let procs = resolver.procs(&program.declarations);
    let main = resolver.main(program);
    resolver.into_program(procs, main)
}

/// What a declared name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Scalar,
    Array,
    Lock,
    Event,
    Region,
    Procedure,
}

impl Sort {
    /// With its article, for messages.
    fn text(self) -> &'static str {
        match self {
            Self::Scalar => "a shared variable",
            Self::Array => "a shared array",
            Self::Lock => "a lock",
            Self::Event => "an event",
            Self::Region => "a region",
            Self::Procedure => "a procedure",
        }
    }
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
struct Global {
    sort: Sort,
    /// Row in the table of its sort.
    index: u32,
    site: Site,
}

/// What a mention refers to.
#[derive(Clone, Copy, Debug)]
enum Referent {
    Local(Local),
    Global(Global),
}

impl Referent {
    fn text(self) -> &'static str {
        match self {
            Self::Local(local) => local.sort.text(),
            Self::Global(global) => global.sort.text(),
        }
    }

    fn site(self) -> Site {
        match self {
            Self::Local(local) => local.site,
            Self::Global(global) => global.site,
        }
    }
}

/// What a call must know of a procedure.
#[derive(Debug)]
struct Signature {
    name: NameId,
    params: Vec<NameId>,
}

struct Resolver<'s, 'd> {
    tables: Tables<'s>,
    globals: HashMap<&'s str, Global>,
    shared: Vec<Shared>,
    locks: Vec<NameId>,
    events: Vec<NameId>,
    regions: Vec<NameId>,
    atomics: Vec<Vec<SharedId>>,
    signatures: Vec<Signature>,
    accesses: Vec<AccessInfo>,
    constructs: Constructs,
    /// The body being resolved.
    frame: Frame<'s>,
    /// The bodies around it, outermost first.
    outer: Vec<Frame<'s>>,
    /// Names reported as undeclared; once is enough.
    undeclared: HashSet<&'s str>,
    diagnostics: &'d mut Diagnostics,
}

impl<'s> Resolver<'s, '_> {
    fn report(&mut self, site: Site, message: impl Into<String>, label: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(site, message, label));
    }

    fn report_with_help(
        &mut self,
        site: Site,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::new(site, message, label);
        self.diagnostics.push(diagnostic.help(help));
    }

    /// What the name refers to here; reported if nothing. `candidates` are worth suggesting.
    fn find(&mut self, name: ast::Name<'s>, candidates: &[Sort]) -> Option<Referent> {
        let found = self.look_up(name.text);
        if found.is_none() && self.undeclared.insert(name.text) {
            let help = self.suggestion(name.text, candidates);
            let message = format!("`{}` is not declared", shortened(name.text));
            let diagnostic = Diagnostic::new(name.site, message, "not declared");
            self.diagnostics.push(diagnostic.help_if(help));
        }
        found
    }

    /// The declared name of this sort; reported if it is none.
    fn find_global(&mut self, name: ast::Name<'s>, sort: Sort) -> Option<u32> {
        match self.find(name, &[sort])? {
            Referent::Global(global) if global.sort == sort => Some(global.index),
            other => {
                self.wrong_sort(name, other, sort.text());
                None
            }
        }
    }

    fn wrong_sort(&mut self, name: ast::Name<'s>, found: Referent, expected: &str) {
        let message = format!(
            "`{}` is {}, not {expected}",
            shortened(name.text),
            found.text()
        );
        let Site { line, column, .. } = found.site();
        let help = format!("`{}` is declared at {line}:{column}", shortened(name.text));
        self.report_with_help(name.site, message, found.text(), help);
    }

    fn suggestion(&self, word: &str, sorts: &[Sort]) -> Option<String> {
        let globals = self.globals.iter();
        let fitting = globals
            .filter(|(_, global)| sorts.contains(&global.sort))
            .map(|(&name, _)| name);
        let locals = self
            .visible_locals()
            .filter(|_| sorts.contains(&Sort::Scalar));
        let meant = nearest(word, fitting.chain(locals))?;
        Some(format!("did you mean `{meant}`?"))
    }

    fn procs(&mut self, declarations: &[ast::Declaration<'s>]) -> Vec<Proc> {
        let mut procs = Vec::new();
        for declaration in declarations {
            if let ast::Declaration::Proc(proc) = declaration {
                procs.push(self.proc(proc));
            }
        }
        procs
    }

    fn proc(&mut self, proc: &ast::Proc<'s>) -> Proc {
        self.frame = Frame::new(FrameKind::Procedure);
        for &param in &proc.params {
            self.declare_local(param, scope::LocalSort::Parameter);
        }
        let block = self.statements(&proc.body.statements);
        Proc {
            name: self.tables.name(proc.name.text),
            params: u32::try_from(proc.params.len()).unwrap_or(u32::MAX),
            body: self.body(block, proc.body.end),
        }
    }

    fn main(&mut self, program: &ast::Program<'s>) -> Body {
        self.frame = Frame::new(FrameKind::Main);
        let block = self.statements(&program.statements);
        self.body(block, program.end)
    }

    fn body(&mut self, block: Vec<Stmt>, end: Site) -> Body {
        Body {
            locals: self.frame.locals,
            block,
            end: self.tables.site(end),
        }
    }

    fn stmt(&mut self, kind: StmtKind, site: Site) -> Stmt {
        let site = self.tables.site(site);
        Stmt { kind, site }
    }

    fn into_program(self, procs: Vec<Proc>, main: Body) -> Program {
        Program {
            legend: self.tables.legend,
            features: Features {
                atomics: !self.atomics.is_empty(),
                ..self.constructs.features()
            },
            shared: self.shared,
            locks: self.locks,
            events: self.events,
            regions: self.regions,
            atomics: self.atomics,
            procs,
            main,
            accesses: self.accesses,
        }
    }
}
