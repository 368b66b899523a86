//! Prints calls of procedures, where they may stand.

use super::print::Printer;
use super::scope::REGIONS;
use super::tree::Sort;

impl Printer<'_> {
    pub(super) fn call_stmt(&mut self, proc: u8, choice: u8, before: &str) {
        let recursive = self
            .inside
            .is_some_and(|n| usize::from(proc) % (n + 1) == n);
        if recursive && self.spot.held.is_empty() && !self.spot.isolated {
            self.recursive_call(choice, before);
        } else if let Some(call) = self.call(proc, choice) {
            self.line(&format!("{before}{call};"));
        }
    }

    fn recursive_call(&mut self, choice: u8, before: &str) {
        let Some(n) = self.inside else { return };
        let program = self.program;
        let Some(proc) = program.procs.get(n) else {
            return;
        };
        self.enter("if (n > 0) {");
        self.scope.open();
        let arguments = self.arguments("n - 1", &proc.params, choice);
        self.line(&format!("{before}work{n}({arguments});"));
        self.scope.close();
        self.leave();
        self.spot.pending = [0; REGIONS];
    }

    fn arguments(&mut self, count: &str, params: &[Sort], choice: u8) -> String {
        let mut arguments = vec![count.to_string()];
        for &sort in params {
            let local = self.scope.pick(choice, |local| local.sort == sort);
            arguments.push(match local {
                Some(local) => local.name,
                None if sort == Sort::Array => self.new_array(),
                None => "0".to_string(),
            });
        }
        arguments.join(", ")
    }

    /// A call of an earlier procedure that may stand here.
    fn call(&mut self, proc: u8, choice: u8) -> Option<String> {
        let n = self.callable(proc)?;
        let program = self.program;
        let arguments = self.arguments(
            &(choice % 2).to_string(),
            &program.procs.get(n)?.params,
            choice,
        );
        self.spot.pending = [0; REGIONS];
        Some(format!("work{n}({arguments})"))
    }

    /// A call inside an expression: it must need nothing that is not there yet.
    pub(super) fn call_expr(&mut self, proc: u8, choice: u8) -> Option<String> {
        let n = self.callable(proc)?;
        let callee = self.program.procs.get(n)?;
        let is_there = |&sort: &Sort| {
            sort != Sort::Array || self.scope.pick(0, |local| local.sort == sort).is_some()
        };
        let fits = callee.result == Sort::Integer && callee.params.iter().all(is_there);
        if fits { self.call(proc, choice) } else { None }
    }

    fn callable(&mut self, proc: u8) -> Option<usize> {
        let n = usize::from(proc).checked_rem(self.procs.len())?;
        let callee = self.procs.get(n)?;
        let params = &self.program.procs.get(n)?.params;
        let handle_missing = params.contains(&Sort::Handle)
            && self
                .scope
                .pick(0, |local| local.sort == Sort::Handle)
                .is_none();
        let forbidden = handle_missing
            || (self.spot.isolated && callee.task_operations)
            || !self.spot.held.is_disjoint(&callee.locks);
        if forbidden {
            return None;
        }
        self.effects.include(callee);
        Some(n)
    }
}
