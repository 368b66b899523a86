//! Declarations: names get their sort, shared variables their locations.

use super::{Global, Resolver, Signature, Sort, tables::row};
use crate::ast::{Declaration, Name, Proc, SharedVariable};
use crate::ir::{Shared, SharedId};
use heddle_core::{Location, NameId, Shape, Site};
use std::collections::HashMap;

/// How many shared elements a program may declare: two gigabytes of values.
const MOST_ELEMENTS: u64 = 1 << 28;

impl<'s> Resolver<'s, '_> {
    /// Declares everything; the groups last, since they may stand before what they name.
    pub(super) fn declare_all(&mut self, declarations: &[Declaration<'s>]) {
        for declaration in declarations {
            self.declare(declaration);
        }
        let mut grouped = HashMap::new();
        for declaration in declarations {
            if let Declaration::Atomic(groups) = declaration {
                for group in groups {
                    self.group(group, &mut grouped);
                }
            }
        }
    }

    fn declare(&mut self, declaration: &Declaration<'s>) {
        match declaration {
            Declaration::Shared(variables) => {
                for variable in variables {
                    self.shared(variable);
                }
            }
            Declaration::Lock(names) => self.plain(names, Sort::Lock),
            Declaration::Event(names) => self.plain(names, Sort::Event),
            Declaration::Region(names) => self.plain(names, Sort::Region),
            Declaration::Proc(proc) => self.signature(proc),
            Declaration::Atomic(_) => {}
        }
    }

    fn plain(&mut self, names: &[Name<'s>], sort: Sort) {
        for &name in names {
            let id = self.tables.name(name.text);
            let table = self.table(sort);
            table.push(id);
            let index = row(table.len());
            self.global(name, sort, index);
        }
    }

    fn table(&mut self, sort: Sort) -> &mut Vec<NameId> {
        match sort {
            Sort::Lock => &mut self.locks,
            Sort::Event => &mut self.events,
            _ => &mut self.regions,
        }
    }

    fn global(&mut self, name: Name<'s>, sort: Sort, index: u32) {
        let site = name.site;
        if let Some(before) = self.globals.get(name.text) {
            let before = before.site;
            return self.declared_twice(name, before);
        }
        self.globals.insert(name.text, Global { sort, index, site });
    }

    fn shared(&mut self, variable: &SharedVariable<'s>) {
        let start = self.shared.last().map_or(0, |last| last.start.0 + last.len);
        let len = match &variable.len {
            Some(len) => self.array_len(variable, len.site, start),
            None => 1,
        };
        let (shape, sort) = match variable.len {
            Some(_) => (Shape::Array, Sort::Array),
            None => (Shape::Scalar, Sort::Scalar),
        };
        let shared = Shared {
            name: self.tables.name(variable.name.text),
            shape,
            start: Location(start),
            len,
            initial: self.initial(variable),
        };
        self.shared.push(shared);
        self.global(variable.name, sort, row(self.shared.len()));
    }

    /// The declared length; 0 if it was reported.
    fn array_len(&mut self, variable: &SharedVariable<'s>, site: Site, start: u64) -> u64 {
        let Some(value) = variable.len.as_ref().and_then(|len| self.constant(len)) else {
            return 0;
        };
        match u64::try_from(value) {
            Ok(len) if len <= MOST_ELEMENTS.saturating_sub(start) => len,
            Ok(_) => {
                let message = format!("more than {MOST_ELEMENTS} shared elements");
                self.report(site, message, "too long");
                0
            }
            Err(_) => {
                self.report(site, format!("an array of length {value}"), "negative");
                0
            }
        }
    }

    fn initial(&mut self, variable: &SharedVariable<'s>) -> i64 {
        let Some(initial) = &variable.initial else {
            return 0;
        };
        if variable.len.is_some() {
            let message = "an array cannot be given a value";
            let help = "arrays start with zeros; assign the elements in a statement";
            self.report_with_help(initial.site, message, "value of an array", help);
            return 0;
        }
        self.constant(initial).unwrap_or(0)
    }

    fn signature(&mut self, proc: &Proc<'s>) {
        let name = self.tables.name(proc.name.text);
        let params = proc.params.iter();
        let params = params.map(|param| self.tables.name(param.text)).collect();
        self.signatures.push(Signature { name, params });
        self.global(proc.name, Sort::Procedure, row(self.signatures.len()));
    }

    /// One group of `atomic`. `grouped` tells where a variable was grouped before.
    fn group(&mut self, names: &[Name<'s>], grouped: &mut HashMap<&'s str, Site>) {
        let mut members = Vec::new();
        for &name in names {
            if let Some(before) = grouped.insert(name.text, name.site) {
                self.grouped_twice(name, before);
            } else {
                members.extend(self.find_shared(name));
            }
        }
        self.atomics.push(members);
    }

    fn grouped_twice(&mut self, name: Name<'s>, before: Site) {
        let message = format!("`{}` is declared atomic twice", name.text);
        let help = format!(
            "a variable belongs to one group; `{}` is atomic since {}:{}",
            name.text, before.line, before.column
        );
        self.report_with_help(name.site, message, "declared again", help);
    }

    fn find_shared(&mut self, name: Name<'s>) -> Option<SharedId> {
        let found = self.find(name, &[Sort::Scalar, Sort::Array])?;
        match found {
            super::Referent::Global(Global {
                sort: Sort::Scalar | Sort::Array,
                index,
                ..
            }) => Some(SharedId(index)),
            _ => {
                self.wrong_sort(name, found, "a shared variable");
                None
            }
        }
    }
}
