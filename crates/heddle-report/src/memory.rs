//! The words of memory and stacks: what a race is on, and the calls that led to it.

use crate::details::{ObjectKind, Unit};
use crate::model::{Access, Frame, Object};
use crate::position::Position;

/// Calls of one stack that text lists.
const CALLS_LISTED: usize = 12;

/// `sum is a global variable of 4 bytes, declared at sum.c:3:5`, and the calls that led to an allocation.
pub fn describe(object: &Object) -> Option<Vec<String>> {
    let is_known = object.position.is_some() || object.size.is_some();
    let is_nameless = matches!(object.kind, ObjectKind::Stack | ObjectKind::Unknown);
    if is_nameless && !is_known {
        return None;
    }
    let mut text = format!("{} is {}", object.name, noun(object.kind));
    let is_counted = matches!(object.kind, ObjectKind::Heap | ObjectKind::DataBlock);
    let is_in_bytes = is_counted && object.unit == Unit::Bytes;
    text.extend(is_in_bytes.then_some(" (indexed by bytes)"));
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
        let by = match position {
            Some(_) => String::from(" by"),
            None => format!(", {made} by"),
        };
        text.extend(
            object
                .allocated_by
                .iter()
                .map(|task| format!("{by} {task}")),
        );
    } else {
        text.extend(position.map(|at| format!(", declared at {}", full(at))));
    }
    let mut lines = vec![text];
    lines.extend(object.stack.iter().skip(1).take(CALLS_LISTED).map(call));
    Some(lines)
}

fn noun(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Global => "a global variable",
        ObjectKind::Heap => "a heap block",
        ObjectKind::DataBlock => "a data block",
        ObjectKind::Stack => "a local variable",
        ObjectKind::ThreadLocal => "a thread-local variable",
        ObjectKind::Unknown => "memory of unknown origin",
    }
}

/// The stacks that say more than the access's own function; one for both where they are the same.
pub fn stacks(accesses: &[Access]) -> Vec<Vec<String>> {
    if let [first, second] = accesses
        && first.position == second.position
        && first.operation == second.operation
        && first.stack != second.stack
    {
        return stacks_of_one_place([first, second]);
    }
    let mut stacks: Vec<(String, &[Frame])> = Vec::new();
    for access in accesses.iter().filter(|access| access.stack.len() > 1) {
        let noun = access.operation.noun();
        match stacks.iter_mut().find(|(_, known)| *known == access.stack) {
            Some((nouns, _)) if nouns.ends_with(noun) => {}
            Some((nouns, _)) => nouns.push_str(&format!(" and the {noun}")),
            None => stacks.push((format!("the {noun}"), &access.stack)),
        }
    }
    stacks
        .iter()
        .map(|(nouns, stack)| told(nouns, stack, ""))
        .collect()
}

/// The stacks of two accesses that only their tasks and callers tell apart.
fn stacks_of_one_place(accesses: [&Access; 2]) -> Vec<Vec<String>> {
    let [first, second] = accesses;
    let noun = first.operation.noun();
    let is_first_known = first.stack.len() > 1;
    let titles = match first.task.phrase == second.task.phrase {
        true => ["one", if is_first_known { "the other" } else { "one" }]
            .map(|which| (format!("{which} {noun}"), String::new())),
        false => accesses.map(|access| {
            let by = format!(" by {}", access.task.phrase);
            (format!("the {noun}"), by)
        }),
    };
    let titled = titles.iter().zip(accesses);
    let known = titled.filter(|(_, access)| access.stack.len() > 1);
    known
        .map(|((nouns, by), access)| told(nouns, &access.stack, by))
        .collect()
}

fn told(nouns: &str, stack: &[Frame], by: &str) -> Vec<String> {
    let at = stack.first().and_then(|frame| frame.position.as_ref());
    let mut lines = vec![match at {
        Some(at) => format!("{nouns} at {at}{by}:"),
        None => format!("{nouns}{by}:"),
    }];
    lines.extend(stack.iter().take(CALLS_LISTED).map(call));
    match stack.len().saturating_sub(CALLS_LISTED) {
        0 => {}
        more => lines.push(format!("  and {more} more")),
    }
    lines
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
