//! A call of the checker for one access of a loop.

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
    name: &'a str,
    pub kind: Kind,
    pub size: i64,
    pub address: Linear<'a>,
    pub stride: i64,
    pub place: Option<Place<'a>>,
    /// What is attached to the call.
    pub attached: &'a str,
}

impl Kind {
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
        let address = values.address(&rest[..rest.rfind(')')?])?;
        Some(Self {
            line,
            name,
            kind,
            size,
            stride: values.stride(&address)?,
            address,
            place: notes.place(text),
            attached: text.find(", !").map_or("", |at| &text[at..]),
        })
    }

    /// The same call with another address.
    pub fn at(&self, address: &str) -> String {
        let Self { name, attached, .. } = self;
        format!("  call void @{name}(ptr {address}){attached}")
    }
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
