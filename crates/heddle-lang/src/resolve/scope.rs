//! Locals: which slot a name means, in which body, and what a task must capture for it.
//!
//! A body is a stack of scopes, one per open block. A name found in a body further out is captured
//! into every body in between: each gets a slot of its own and remembers it in its outermost
//! scope, which nothing else writes to while the bodies inside are resolved.

use super::{Referent, Resolver, Sort};
use crate::ast;
use crate::ir::{Capture, LocalId};
use crate::lexer::shortened;
use heddle_core::Site;
use std::collections::HashMap;

/// How a local came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LocalSort {
    /// `let`, `for`
    Value,
    Parameter,
    /// After `async`, `future`, `task`.
    Label,
}

impl LocalSort {
    /// With its article, for messages.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Value => "a local",
            Self::Parameter => "a parameter",
            Self::Label => "a task's label",
        }
    }
}

/// A local in the body being resolved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub(super) slot: LocalId,
    pub(super) sort: LocalSort,
    pub(super) site: Site,
}

/// Whose body it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    Main,
    Procedure,
    Task,
}

/// A body under resolution.
#[derive(Debug)]
pub(super) struct Frame<'s> {
    pub(super) kind: FrameKind,
    /// Slots handed out.
    pub(super) locals: u32,
    pub(super) captures: Vec<Capture>,
    /// Open `finish` statements of this body.
    pub(super) finishes: u32,
    /// Open `isolated` statements of this body.
    pub(super) isolated: u32,
    /// Never empty: first the captures (or parameters), last the innermost open block.
    scopes: Vec<HashMap<&'s str, Local>>,
}

impl<'s> Frame<'s> {
    pub(super) fn new(kind: FrameKind) -> Self {
        Self {
            kind,
            locals: 0,
            captures: Vec::new(),
            finishes: 0,
            isolated: 0,
            scopes: vec![HashMap::new()],
        }
    }

    /// A fresh slot.
    pub(super) fn slot(&mut self) -> LocalId {
        self.locals += 1;
        LocalId(self.locals - 1)
    }

    fn find(&self, name: &str) -> Option<Local> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.get(name)).copied()
    }

    fn capture(&mut self, name: &'s str, outer: Local) -> Local {
        let slot = self.slot();
        self.captures.push(Capture {
            from: outer.slot,
            to: slot,
        });
        let local = Local { slot, ..outer };
        self.scopes[0].insert(name, local);
        local
    }
}

impl<'s> Resolver<'s, '_> {
    /// What `name` means here, capturing it if a body further out has it.
    pub(super) fn look_up(&mut self, name: &'s str) -> Option<Referent> {
        if let Some(local) = self.frame.find(name) {
            return Some(Referent::Local(local));
        }
        let mut outer = self.outer.iter().enumerate().rev();
        let found = outer.find_map(|(depth, frame)| Some((depth, frame.find(name)?)));
        match found {
            Some((depth, local)) => Some(Referent::Local(self.capture(name, depth, local))),
            None => self.globals.get(name).copied().map(Referent::Global),
        }
    }

    /// Hands the local of the body at `depth` down to the innermost one.
    fn capture(&mut self, name: &'s str, depth: usize, local: Local) -> Local {
        let between = &mut self.outer[depth + 1..];
        let handed = between
            .iter_mut()
            .fold(local, |local, frame| frame.capture(name, local));
        self.frame.capture(name, handed)
    }

    /// Gives `name` a slot in the innermost block.
    pub(super) fn declare_local(&mut self, name: ast::Name<'s>, sort: LocalSort) -> LocalId {
        let local = Local {
            slot: self.frame.slot(),
            sort,
            site: name.site,
        };
        if let Some(before) = self.declared_in_this_block(name.text) {
            self.declared_twice(name, before);
        }
        let scopes = &mut self.frame.scopes;
        let innermost = scopes.len() - 1;
        scopes[innermost].insert(name.text, local);
        local.slot
    }

    /// Where the same block already declares the name. The main task's outermost block is the one
    /// of the declarations; only a procedure, which is told apart by its parentheses, may share
    /// its name with a local there.
    fn declared_in_this_block(&self, name: &str) -> Option<Site> {
        let scopes = &self.frame.scopes;
        if let Some(local) = scopes[scopes.len() - 1].get(name) {
            return Some(local.site);
        }
        let global = self.globals.get(name)?;
        let top_level = self.frame.kind == FrameKind::Main && scopes.len() == 1;
        (top_level && global.sort != Sort::Procedure).then_some(global.site)
    }

    pub(super) fn declared_twice(&mut self, name: ast::Name<'s>, before: Site) {
        let text = shortened(name.text);
        let message = format!("`{text}` is declared twice");
        let help = format!(
            "`{text}` is first declared at {}:{}",
            before.line, before.column
        );
        self.report_with_help(name.site, message, "declared again", help);
    }

    /// Runs `inner` in a scope of its own.
    pub(super) fn scoped<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.frame.scopes.push(HashMap::new());
        let result = inner(self);
        self.frame.scopes.pop();
        result
    }

    /// Runs `inner` in the body of a new task and returns that body's frame with the result.
    pub(super) fn in_task<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> (T, Frame<'s>) {
        let creator = std::mem::replace(&mut self.frame, Frame::new(FrameKind::Task));
        self.outer.push(creator);
        let result = self.scoped(inner);
        let creator = self.outer.pop().expect("pushed above");
        (result, std::mem::replace(&mut self.frame, creator))
    }

    /// Names of all locals that can be mentioned here.
    pub(super) fn visible_locals(&self) -> impl Iterator<Item = &'s str> {
        let frames = self.outer.iter().chain([&self.frame]);
        frames.flat_map(|frame| frame.scopes.iter().flat_map(|scope| scope.keys().copied()))
    }
}
