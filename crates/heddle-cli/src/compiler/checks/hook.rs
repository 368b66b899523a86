//! Calls of the checker, each for one access.

use super::block::bare;
use super::linear::{Linear, Values};
use super::notes::{Notes, Place};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Read,
    Write,
    /// A read, and a write of the same bytes.
    Update,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Hook<'a> {
    pub line: usize,
    /// The line of the write, if it stands for a read and a write.
    write: Option<usize>,
    /// Whether what is read goes nowhere but back there; see [`uses`](super::uses).
    is_closed: bool,
    alignment: Alignment,
    pub kind: Kind,
    pub size: i64,
    pub address: Linear<'a>,
    pub stride: i64,
    /// The address as it is written.
    operand: &'a str,
    pub place: Option<Place<'a>>,
    /// What is attached to the call.
    pub attached: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Alignment {
    Natural,
    Any,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Update => "read_write",
        }
    }

    /// The check of many such accesses, one after the other.
    pub fn of_runs(self) -> &'static str {
        match self {
            Self::Read => "heddle_run_read",
            Self::Write => "heddle_run_write",
            Self::Update => "heddle_run_update",
        }
    }
}

impl<'a> Hook<'a> {
    /// The hook in a line; none if there is none, or if it is not known what it touches.
    pub fn read(
        line: usize,
        text: &'a str,
        values: &Values<'a>,
        notes: &Notes<'a>,
    ) -> Option<Self> {
        let (name, rest) = bare(text)
            .strip_prefix("call void @")?
            .split_once("(ptr ")?;
        let (kind, size) = access(name)?;
        let operand = &rest[..rest.rfind(')')?];
        let address = values.address(operand)?;
        Some(Self {
            line,
            write: None,
            is_closed: true,
            alignment: match name.contains("unaligned") {
                true => Alignment::Any,
                false => Alignment::Natural,
            },
            kind,
            size,
            stride: values.stride(&address)?,
            address,
            operand,
            place: notes.place(text),
            attached: text.find(", !").map_or("", |at| &text[at..]),
        })
    }

    /// The lines it stands for.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.line).chain(self.write)
    }

    /// Whether it stands for a read and a write that are better told as one.
    pub fn is_paired(&self) -> bool {
        self.write.is_some() && self.is_closed
    }

    /// The call, with its own address.
    pub fn call(&self) -> String {
        self.at(self.operand)
    }

    /// The call with another address; two, if what is read is also used elsewhere.
    pub fn at(&self, address: &str) -> String {
        match self.is_closed {
            true => self.as_kind(self.kind, address),
            false => [Kind::Read, Kind::Write]
                .map(|kind| self.as_kind(kind, address))
                .join("\n"),
        }
    }

    fn as_kind(&self, kind: Kind, address: &str) -> String {
        let Self { size, attached, .. } = self;
        let unaligned = match self.alignment {
            Alignment::Natural => "",
            Alignment::Any => "unaligned_",
        };
        let name = kind.name();
        format!("  call void @__tsan_{unaligned}{name}{size}(ptr {address}){attached}")
    }

    /// Whether this reads what `write` writes, in the same line of the source.
    fn precedes(&self, write: &Self) -> bool {
        let source = |hook: &Self| hook.place.map(|[line, _, inlined]| [line, inlined]);
        let shape = |hook: &Self| (hook.size, hook.alignment, source(hook));
        self.kind == Kind::Read && shape(self) == shape(write) && self.address.is(&write.address)
    }
}

/// As many hooks before a write are looked at for its read.
const NEAR: usize = 64;

/// The same hooks, but one for a read and a write of the same bytes: to the checker, a write says more than a
/// read. The compiler does so where it sees no call in between; what it computes itself are calls to it, too.
pub fn in_pairs<'a>(
    hooks: Vec<Hook<'a>>,
    is_closed: impl Fn(usize, usize) -> bool,
) -> Vec<Hook<'a>> {
    let mut paired: Vec<Hook> = Vec::with_capacity(hooks.len());
    for hook in hooks {
        let mut before = paired.iter_mut().rev().take(NEAR);
        let read = match hook.kind {
            Kind::Write => before.find(|read| read.precedes(&hook)),
            Kind::Read | Kind::Update => None,
        };
        match read {
            Some(read) => {
                *read = Hook {
                    line: read.line,
                    write: Some(hook.line),
                    is_closed: is_closed(read.line, hook.line),
                    kind: Kind::Update,
                    ..hook
                }
            }
            None => paired.push(hook),
        }
    }
    paired
}

/// What a hook of this name checks, and of how many bytes.
pub fn access(name: &str) -> Option<(Kind, i64)> {
    let name = name.strip_prefix("__tsan_")?;
    let name = name.strip_prefix("unaligned_").unwrap_or(name);
    let at = name.find(|letter: char| letter.is_ascii_digit())?;
    let kind = match &name[..at] {
        "read" => Kind::Read,
        "write" => Kind::Write,
        "read_write" => Kind::Update,
        _ => return None,
    };
    Some((kind, name[at..].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_accesses_are_hooks() {
        assert_eq!(access("__tsan_read16"), Some((Kind::Read, 16)));
        assert_eq!(access("__tsan_unaligned_write2"), Some((Kind::Write, 2)));
        assert_eq!(access("__tsan_read_write8"), Some((Kind::Update, 8)));
        for other in [
            "__tsan_atomic32_load",
            "__tsan_volatile_read4",
            "__tsan_func_entry",
            "__tsan_read_range",
            "memcpy",
        ] {
            assert_eq!(access(other), None, "{other}");
        }
    }
}
