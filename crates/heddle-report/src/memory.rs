//! The words of memory and stacks: what a race is on, and the calls that led to it.

use crate::details::ObjectKind;
use crate::model::{Access, Frame, Object};
use crate::position::Position;

/// Calls of one stack that text lists.
const CALLS_LISTED: usize = 12;

/// `sum is a global variable of 4 bytes, declared at sum.c:3:5`, and the calls that led to an allocation.
pub fn describe(object: &Object) -> Vec<String> {
    let mut text = format!("{} is {}", object.name, noun(object.kind));
    text.extend(object.size.map(|size| match size {
        1 => " of 1 byte".to_owned(),
        _ => format!(" of {size} bytes"),
    }));
    let position = object.position.as_ref();
    let made = match object.kind {
        ObjectKind::Heap => Some("allocated"),
        ObjectKind::DataBlock => Some("created"),
        _ => None,
    };
    if let Some(made) = made {
        text.extend(position.map(|at| format!(", {made} at {}", full(at))));
        let function = object.stack.first();
        text.extend(function.map(|frame| format!(" in {}", frame.function)));
        text.extend(object.allocated_by.iter().map(|task| format!(" by {task}")));
    } else {
        text.extend(position.map(|at| format!(", declared at {}", full(at))));
    }
    let mut lines = vec![text];
    lines.extend(object.stack.iter().skip(1).take(CALLS_LISTED).map(call));
    lines
}

fn noun(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Global => "a global variable",
        ObjectKind::Heap => "a heap block (indexed by bytes)",
        ObjectKind::DataBlock => "a data block (indexed by bytes)",
        ObjectKind::Stack => "a variable on a thread's stack",
        ObjectKind::ThreadLocal => "a thread-local variable",
        ObjectKind::Unknown => "memory of unknown origin",
    }
}

/// The stacks that say more than the access's own function.
pub fn stacks(accesses: &[Access]) -> Vec<Vec<String>> {
    let told = accesses.iter().filter(|access| access.stack.len() > 1);
    let stacks = told.map(|access| {
        let noun = access.operation.noun();
        let mut lines = vec![match &access.position {
            Some(at) => format!("the {noun} at {at}:"),
            None => format!("the {noun}:"),
        }];
        lines.extend(access.stack.iter().take(CALLS_LISTED).map(call));
        match access.stack.len().saturating_sub(CALLS_LISTED) {
            0 => {}
            more => lines.push(format!("  and {more} more")),
        }
        lines
    });
    let mut stacks: Vec<_> = stacks.collect();
    stacks.dedup();
    stacks
}

fn call(frame: &Frame) -> String {
    match &frame.position {
        Some(at) => format!("  in {} at {}", frame.function, full(at)),
        None => format!("  in {}", frame.function),
    }
}

fn full(at: &Position) -> String {
    format!("{}:{at}", at.file.path())
}
