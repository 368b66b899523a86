//! Accesses to a task's record, which no two tasks can race on.
//!
//! Compilers keep what an OpenMP task has captured in a record that the runtime allocates: its creator fills it in
//! before anybody else knows of it, and the task reads it. The instrumentation sees accesses like any other, and a
//! task that does little makes more of these than of its own. Three kinds cannot race:
//!
//! 1. The list of captured addresses (*shareds*), and the record's own word that points to it: written by the creator
//!    before the task is known, never again. No source can name it.
//! 2. What is accessed through the record where no address in it goes anywhere else in the function, nor in those that
//!    create the task (a copy constructor may note where the copy is): private variables of the task that nobody but
//!    the task itself reaches.
//! 3. What the creator does between the allocation of the record and whatever it calls next.
//!
//! Where no address in the record goes anywhere else in the functions that create the task, the runtime library is told
//! so, by the name of the function that allocates: until the task tells others, what it keeps there is its own.
//!
//! What follows is after *escape analysis* (section 6.3 of Raman et al. 2010), for the one allocation that is always
//! there. What is not understood is checked.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::block::{Op, bare, defined, definition};
use super::hook;
use super::uses::{is_note, values};

/// Allocates a record; its last argument is the function that the task executes.
const ALLOCATES: &str = "@__kmpc_omp_task_alloc(";

/// The same, of a record that nobody but its task will know of unless the task tells.
const ALLOCATES_OWN: &str = "@heddle_omp_task_alloc(";

/// A function by which the runtime fills in copies of a record: it may run constructors, too.
const COPIES: &str = "omp_task_dup";

/// Calls that may be given a part of a record and keep nothing of it.
const HARMLESS: &[&str] = &[
    "@llvm.",
    "@__tsan_memcpy(",
    "@__tsan_memmove(",
    "@__tsan_memset(",
];

/// The functions that tasks execute: their last parameter is the record. With each, whether its record is known to
/// nobody else when the task starts.
pub struct Entries<'a>(HashMap<&'a str, bool>);

impl<'a> Entries<'a> {
    /// Of a module.
    pub fn of(code: &'a str) -> Self {
        let mut entries = HashMap::new();
        let mut lines = code.lines();
        while lines.any(|line| line.starts_with("define ")) {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            for (record, entry) in body.iter().filter_map(|line| allocated(line)) {
                let record = Record::of(record, &body);
                let is_kept = body.iter().all(|line| record.stays(line));
                *entries.entry(entry).or_insert(true) &= is_kept;
            }
        }
        Self(entries)
    }

    /// The line, with the function that allocates such a record called by the name that says so.
    pub fn told<'b>(&self, line: &'b str) -> Cow<'b, str> {
        match allocated(line) {
            Some((_, entry)) if self.0.get(entry) == Some(&true) => {
                Cow::Owned(line.replacen(ALLOCATES, ALLOCATES_OWN, 1))
            }
            _ => Cow::Borrowed(line),
        }
    }

    /// The declaration of what such lines call, if there can be any.
    pub fn declaration(&self) -> Option<String> {
        let parameters = "ptr, i32, i32, i64, i64, ptr";
        let is_called = self.0.values().any(|&is_kept| is_kept);
        is_called.then(|| format!("declare ptr {ALLOCATES_OWN}{parameters})"))
    }

    /// The lines of a function's hooks that check what cannot race.
    pub fn unraceable(&self, header: &'a str, body: &[&'a str]) -> HashSet<usize> {
        let own = self.parameter(header);
        let own = own.map(|(name, is_kept)| (name, is_kept, None));
        let made = body.iter().enumerate().filter_map(|(at, line)| {
            let (name, _) = allocated(line)?;
            Some((name, true, Some(at)))
        });
        let records = own.into_iter().chain(made);
        records
            .flat_map(|(name, is_kept, allocated)| {
                Record::of(name, body).unraceable(body, is_kept, allocated)
            })
            .collect()
    }

    /// The parameter that is a record, if tasks execute this function, and whether nobody else knows of it.
    fn parameter(&self, header: &'a str) -> Option<(&'a str, bool)> {
        let name = header[header.find('@')?..].split('(').next()?;
        let is_kept = *self.0.get(name)?;
        let parameter = last_word(argument_list(header)?)?;
        parameter.starts_with('%').then_some((parameter, is_kept))
    }
}

/// The record that a line allocates, and the function that its task executes.
fn allocated(line: &str) -> Option<(&str, &str)> {
    let record = defined(line).filter(|_| line.contains(ALLOCATES))?;
    Some((record, last_word(argument_list(line)?)?))
}

/// What is in the brackets behind the first name of a function.
fn argument_list(line: &str) -> Option<&str> {
    let (_, rest) = line[line.find('@')?..].split_once('(')?;
    let mut depth = 1;
    let end = rest.find(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some(&rest[..end])
}

fn last_word(text: &str) -> Option<&str> {
    text.rsplit(' ').next()
}

/// The values of a function that point into a record.
struct Record<'a> {
    /// The record itself, and its parts.
    parts: HashSet<&'a str>,
    name: &'a str,
    /// The list of captured addresses, and its parts.
    captured: HashSet<&'a str>,
}

impl<'a> Record<'a> {
    fn of(name: &'a str, body: &[&'a str]) -> Self {
        let mut record = Self {
            parts: HashSet::from([name]),
            name,
            captured: HashSet::new(),
        };
        // Blocks need not stand in the sequence in which they are executed.
        while body
            .iter()
            .fold(false, |grew, line| record.add(line) | grew)
        {}
        record
    }

    /// Takes up what a line defines; whether that is new.
    fn add(&mut self, line: &'a str) -> bool {
        let load = loaded_from(line).filter(|&(_, address)| address == self.name);
        if let Some((value, _)) = load {
            return self.captured.insert(value);
        }
        match definition(line) {
            Some((value, Some(Op::Element { base, indices, .. })))
                if indices.iter().all(|(_, index)| is_constant(index)) =>
            {
                self.parts.contains(base) && self.parts.insert(value)
                    || self.captured.contains(base) && self.captured.insert(value)
            }
            _ => false,
        }
    }

    fn unraceable(&self, body: &[&'a str], is_kept: bool, allocated: Option<usize>) -> Vec<usize> {
        let is_private = is_kept && body.iter().all(|line| self.stays(line));
        let fresh = allocated.map_or(0..0, |at| at..until_called(body, at));
        let hooks = body
            .iter()
            .enumerate()
            .filter_map(|(at, line)| Some((at, checked(line)?)));
        let unraceable = hooks.filter(|(at, address)| {
            self.captured.contains(address)
                || *address == self.name
                || self.parts.contains(address) && (is_private || fresh.contains(at))
        });
        unraceable.map(|(at, _)| at).collect()
    }

    /// Whether a line gives no address in the record away.
    fn stays(&self, line: &str) -> bool {
        if is_note(line) || !values(bare(line)).any(|value| self.parts.contains(value)) {
            return true;
        }
        if let Some((_, callee)) = bare(line).split_once('@') {
            return self.may_be_given(&format!("@{callee}"), line);
        }
        match bare(line).strip_prefix("store ") {
            Some(stored) => stored
                .rsplit_once(", ptr ")
                .is_some_and(|(value, _)| values(value).all(|name| !self.parts.contains(name))),
            None => {
                loads(line).is_some()
                    || defined(line).is_some_and(|value| self.parts.contains(value))
            }
        }
    }

    /// Whether a function may be given what it is given in this line.
    fn may_be_given(&self, callee: &str, line: &str) -> bool {
        let runtime = callee.starts_with("@__kmpc_") && !line.contains(COPIES);
        let is_itself = values(bare(line)).all(|v| v == self.name || !self.parts.contains(v));
        let is_harmless = HARMLESS.iter().any(|start| callee.starts_with(start));
        checked(line).is_some() || is_harmless || runtime && is_itself
    }
}

/// Where the first line behind `at` is that calls something other than the checker or the compiler itself.
fn until_called(body: &[&str], at: usize) -> usize {
    let calls = |line: &&str| {
        let line = bare(line);
        (line.contains("call ") || line.contains("invoke "))
            && checked(line).is_none()
            && !line.contains("@llvm.")
    };
    let is_end = |line: &&str| calls(line) || bare(line).starts_with("br ");
    let behind = body[at + 1..].iter().position(is_end);
    behind.map_or(body.len(), |behind| at + 1 + behind)
}

/// The address that a hook checks.
fn checked(line: &str) -> Option<&str> {
    let (name, rest) = bare(line)
        .strip_prefix("call void @")?
        .split_once("(ptr ")?;
    hook::access(name)?;
    last_word(&rest[..rest.rfind(')')?])
}

/// What is loaded, and from where, if it is an address.
fn loaded_from(line: &str) -> Option<(&str, &str)> {
    let (value, from) = loads(line)?;
    Some((value, from.strip_prefix("ptr, ptr ")?.split(',').next()?))
}

fn loads(line: &str) -> Option<(&str, &str)> {
    bare(line).split_once(" = load ")
}

fn is_constant(index: &str) -> bool {
    index
        .strip_prefix('-')
        .unwrap_or(index)
        .bytes()
        .all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATOR: &str = "\
define i64 @f(i32 %0) {
  %2 = alloca i64, align 8
  %3 = tail call ptr @__kmpc_omp_task_alloc(ptr nonnull @1, i32 %0, i32 1, i64 48, i64 8, ptr nonnull @entry)
  call void @__tsan_read8(ptr %3)
  %4 = load ptr, ptr %3, align 8, !tbaa !11
  call void @__tsan_write8(ptr %4)
  store ptr %2, ptr %4, align 8
  %5 = getelementptr inbounds nuw i8, ptr %3, i64 40
  call void @__tsan_write4(ptr %5)
  store i32 %0, ptr %5, align 8
  call void @__tsan_read4(ptr @global)
  %6 = load i32, ptr @global, align 4
  %7 = call i32 @__kmpc_omp_task(ptr nonnull @1, i32 %0, ptr nonnull %3)
  call void @__tsan_read8(ptr %2)
  %8 = load i64, ptr %2, align 8
  ret i64 %8
}
";

    const TASK: &str = "\
define internal noundef range(i32 0, 1) i32 @entry(i32 %0, ptr noalias noundef readonly captures(none) %1) #3 {
  call void @__tsan_read8(ptr %1)
  %3 = load ptr, ptr %1, align 8
  %4 = getelementptr inbounds nuw i8, ptr %1, i64 40
  call void @__tsan_read4(ptr %4)
  %5 = load i32, ptr %4, align 8
  call void @__tsan_read8(ptr %3)
  %6 = load ptr, ptr %3, align 8
  call void @__tsan_write8(ptr %6)
  store i64 1, ptr %6, align 8
MORE
  ret i32 0
}
";

    /// The addresses that are still checked.
    fn checked_in(code: &str, function: &str) -> Vec<String> {
        checked_of(CREATOR, code, function)
    }

    fn checked_of(creator: &str, code: &str, function: &str) -> Vec<String> {
        let code = format!("{creator}{code}");
        let entries = Entries::of(&code);
        let mut lines = code.lines().skip_while(|line| !line.contains(function));
        let header = lines.next().expect("the function is there");
        let body: Vec<&str> = lines.take_while(|line| *line != "}").collect();
        let dropped = entries.unraceable(header, &body);
        let left = (0..body.len()).filter(|at| !dropped.contains(at));
        left.filter_map(|at| checked(body[at]))
            .map(String::from)
            .collect()
    }

    fn in_task(more: &str) -> Vec<String> {
        checked_in(&TASK.replace("MORE", more), "@entry(i32")
    }

    #[test]
    fn the_creator_of_a_task_checks_what_others_reach() {
        assert_eq!(checked_in("", "@f("), ["@global", "%2"]);
    }

    #[test]
    fn a_task_checks_what_it_captured_by_reference() {
        assert_eq!(in_task(""), ["%6"]);
        assert_eq!(
            in_task("  call void @llvm.lifetime.start.p0(ptr %4)"),
            ["%6"]
        );
    }

    #[test]
    fn a_private_variable_whose_address_goes_elsewhere_in_a_creator_is_checked() {
        for more in [
            "  call void @g(ptr %5)\n",
            "  store ptr %5, ptr @place, align 8\n",
            "  call void @__kmpc_taskloop(ptr @1, i32 %0, ptr %3, i32 1, ptr @.omp_task_dup.)\n",
        ] {
            let creator = CREATOR.replacen("  %7 = ", &format!("{more}  %7 = "), 1);
            assert_eq!(
                checked_of(&creator, TASK, "@entry(i32"),
                ["%4", "%6"],
                "{more}"
            );
            let entries = Entries::of(&creator);
            assert_eq!(entries.declaration(), None);
            assert!(creator.lines().all(|line| entries.told(line) == line));
        }
    }

    #[test]
    fn the_library_is_told_where_a_record_is_its_tasks_own() {
        let entries = Entries::of(CREATOR);
        let told: Vec<_> = CREATOR.lines().map(|line| entries.told(line)).collect();
        let named = told.iter().filter(|line| line.contains(ALLOCATES_OWN));
        assert_eq!(named.count(), 1);
        assert!(told.iter().all(|line| !line.contains(ALLOCATES)));
        assert!(entries.declaration().is_some());
    }

    #[test]
    fn a_private_variable_whose_address_goes_elsewhere_is_checked() {
        for more in [
            "  call void @g(ptr %4)",
            "  store ptr %4, ptr @place, align 8",
            "  %9 = select i1 %8, ptr %4, ptr @other",
            "  %9 = getelementptr i8, ptr %4, i64 %7",
            "  %9 = ptrtoint ptr %4 to i64",
            "  call void @g(ptr %1)",
            "  %9 = call i32 @__kmpc_omp_task(ptr @1, i32 %0, ptr %4)",
        ] {
            assert_eq!(in_task(more), ["%4", "%6"], "{more}");
        }
    }

    #[test]
    fn what_a_creator_does_with_a_private_variable_after_a_call_is_checked() {
        let call = "  call void @g(ptr %5)\n  call void @__tsan_read4(ptr %5)\n  %6 = load";
        let code = CREATOR.replacen("  %6 = load", call, 1);
        let entries = Entries::of(&code);
        let body: Vec<&str> = code.lines().skip(1).collect();
        let dropped = entries.unraceable("define i64 @f(i32 %0) {", &body);
        let of_private = (0..body.len()).filter(|&at| checked(body[at]) == Some("%5"));
        let kept: Vec<bool> = of_private.map(|at| !dropped.contains(&at)).collect();
        assert_eq!(kept, [false, true]);
    }

    #[test]
    fn a_function_that_no_task_executes_has_no_record() {
        let entries = Entries::of("");
        let body: Vec<&str> = TASK.lines().skip(1).collect();
        let header = TASK.lines().next().expect("a header");
        assert!(entries.unraceable(header, &body).is_empty());
    }
}
