//! What a format string makes `printf` and `scanf` do to memory.

use super::variadic::Arguments;
use super::{Text, positional, reads, reads_text, writes};
use std::ffi::{c_char, c_int};

/// The size letters of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    Char,
    Short,
    Plain,
    Long,
    LongDouble,
}

impl Size {
    /// Bytes of an integer of this size.
    pub(super) fn integer(self) -> usize {
        match self {
            Self::Char => 1,
            Self::Short => 2,
            Self::Plain => 4,
            Self::Long | Self::LongDouble => 8,
        }
    }

    /// Bytes of a floating-point number that `scanf` stores.
    pub(super) fn float(self) -> usize {
        match self {
            Self::Long => 8,
            Self::LongDouble => 16,
            _ => 4,
        }
    }
}

/// A walk over a format string, character by character.
pub(super) struct Format(Text);

impl Format {
    /// # Safety
    /// `text` is a string that ends.
    pub(super) unsafe fn new(text: Text) -> Self {
        Self(text)
    }

    pub(super) fn peek(&self) -> u8 {
        // SAFETY: never past the end: `next` stays there.
        unsafe { *self.0 as u8 }
    }

    pub(super) fn next(&mut self) -> u8 {
        let byte = self.peek();
        if byte != 0 {
            // SAFETY: not at the end.
            self.0 = unsafe { self.0.add(1) };
        }
        byte
    }

    pub(super) fn skip(&mut self, set: &[u8]) {
        while self.peek() != 0 && set.contains(&self.peek()) {
            self.next();
        }
    }

    /// Goes behind the next `%` that begins a conversion; whether there is one.
    pub(super) fn find_conversion(&mut self) -> bool {
        loop {
            match self.next() {
                0 => return false,
                b'%' if self.peek() == b'%' => _ = self.next(),
                b'%' => return true,
                _ => {}
            }
        }
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let mut value = None;
        while self.peek().is_ascii_digit() {
            let digit = usize::from(self.next() - b'0');
            value = Some(
                value
                    .unwrap_or(0usize)
                    .saturating_mul(10)
                    .saturating_add(digit),
            );
        }
        value
    }

    pub(super) fn size(&mut self) -> Size {
        let mut size = Size::Plain;
        loop {
            size = match (self.peek(), size) {
                (b'h', Size::Plain) => Size::Short,
                (b'h', _) => Size::Char,
                (b'l' | b'j' | b'z' | b't', _) => Size::Long,
                (b'L' | b'q', _) => Size::LongDouble,
                _ => return size,
            };
            self.next();
        }
    }
}

/// `printf` at `pc` reads the strings it prints and writes where `%n` says.
///
/// # Safety
/// The arguments are those the format asks for.
pub(super) unsafe fn printed(format: Text, mut arguments: Arguments, pc: usize) {
    // SAFETY: by the contract, here and below: the format ends, and each conversion has its argument.
    let mut format = unsafe {
        reads_text(format, pc);
        if positional::is_positional(format) {
            return positional::printed(format, arguments, pc);
        }
        Format::new(format)
    };
    while format.find_conversion() {
        // SAFETY: see above.
        if unsafe { conversion(&mut format, &mut arguments, pc) }.is_none() {
            return;
        }
    }
}

unsafe fn conversion(format: &mut Format, arguments: &mut Arguments, pc: usize) -> Option<()> {
    format.skip(b"-+ #0'I");
    // SAFETY: see `printed`.
    unsafe {
        star_or_number(format, arguments);
        let mut limit = None;
        if format.peek() == b'.' {
            format.next();
            limit = Some(star_or_number(format, arguments).unwrap_or(0));
        }
        let size = format.size();
        match format.next() {
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => float(arguments, size),
            b's' if size == Size::Long => wide_text(arguments.integer(), limit, pc),
            b's' => text(arguments.integer() as Text, limit, pc),
            b'S' => wide_text(arguments.integer(), limit, pc),
            b'n' => writes(arguments.integer() as *const u8, size.integer(), pc),
            b'm' => {}
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' | b'p' => {
                arguments.integer();
            }
            _ => return None,
        }
    }
    Some(())
}

/// A width or precision; none if it is missing or negative.
unsafe fn star_or_number(format: &mut Format, arguments: &mut Arguments) -> Option<usize> {
    if format.peek() != b'*' {
        return format.number();
    }
    format.next();
    // SAFETY: see `printed`.
    usize::try_from(unsafe { arguments.integer() } as c_int).ok()
}

unsafe fn float(arguments: &mut Arguments, size: Size) {
    // SAFETY: see `printed`.
    unsafe {
        match size {
            Size::LongDouble => arguments.skip_long_double(),
            _ => arguments.skip_double(),
        }
    }
}

/// A string, of which no more than `limit` bytes are read. A null pointer is printed as `(null)`.
pub(super) unsafe fn text(text: Text, limit: Option<usize>, pc: usize) {
    if text.is_null() {
        return;
    }
    let limit = limit.unwrap_or(usize::MAX);
    // SAFETY: see `printed`: the string ends, or has that many bytes.
    let len = unsafe { ::libc::strnlen(text, limit) };
    reads(text, limit.min(len.saturating_add(1)), pc);
}

/// A string of wide characters. With a limit in bytes of output, as many are read as it takes; only
/// the first is certain.
pub(super) unsafe fn wide_text(address: u64, limit: Option<usize>, pc: usize) {
    let text = address as *const i32;
    match limit {
        _ if text.is_null() => {}
        Some(0) => {}
        Some(_) => reads(text, size_of::<i32>(), pc),
        // SAFETY: see `printed`: the string ends.
        None => reads(text, unsafe { wide_length(text) } * size_of::<i32>(), pc),
    }
}

/// The number of characters of a wide string, its end included.
pub(super) unsafe fn wide_length(text: *const i32) -> usize {
    // SAFETY: by the contract, it ends.
    (0..)
        .take_while(|&index| unsafe { *text.add(index) } != 0)
        .count()
        + 1
}

/// What a conversion of `scanf` stores through its pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stored {
    Value(usize),
    Bytes(usize),
    Text,
    WideText,
    /// A pointer to a string that the library allocated.
    Allocated,
}

/// `scanf` at `pc` has stored `assigned` values.
///
/// # Safety
/// The arguments are those the format asks for, and `assigned` is what the call returned.
pub(super) unsafe fn scanned(format: Text, mut arguments: Arguments, assigned: c_int, pc: usize) {
    // SAFETY: by the contract.
    let mut format = unsafe {
        reads_text(format, pc);
        Format::new(format)
    };
    let mut left = assigned.max(0);
    while format.find_conversion() {
        let Some((stored, counts)) = input_conversion(&mut format) else {
            return;
        };
        let Some(stored) = stored else { continue };
        if left == 0 {
            return;
        }
        left -= c_int::from(counts);
        // SAFETY: by the contract, the conversion has its argument, and it was stored.
        unsafe { store(arguments.integer() as *const c_char, stored, pc) };
    }
}

/// What the conversion stores, if it does, and whether it is counted. None if it is not understood.
fn input_conversion(format: &mut Format) -> Option<(Option<Stored>, bool)> {
    let skipped = format.peek() == b'*';
    format.skip(b"*'I");
    let width = format.number();
    let allocates = format.peek() == b'm';
    format.skip(b"m");
    let size = format.size();
    let wide = size == Size::Long;
    let conversion = format.next();
    let stored = match conversion {
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n' => Stored::Value(size.integer()),
        b'p' => Stored::Value(8),
        b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Stored::Value(size.float()),
        b'c' if wide => Stored::Bytes(4 * width.unwrap_or(1)),
        b'c' => Stored::Bytes(width.unwrap_or(1)),
        b's' if wide => Stored::WideText,
        b's' => Stored::Text,
        b'[' => {
            skip_set(format);
            if wide { Stored::WideText } else { Stored::Text }
        }
        _ => return None,
    };
    let stored = if allocates { Stored::Allocated } else { stored };
    Some(((!skipped).then_some(stored), conversion != b'n'))
}

/// Goes behind the `]` of a set; one that comes first is a member of it.
fn skip_set(format: &mut Format) {
    if format.peek() == b'^' {
        format.next();
    }
    if format.peek() == b']' {
        format.next();
    }
    while !matches!(format.next(), 0 | b']') {}
}

unsafe fn store(to: *const c_char, stored: Stored, pc: usize) {
    let len = match stored {
        Stored::Value(len) | Stored::Bytes(len) => len,
        // SAFETY: the call has stored a string that ends.
        Stored::Text => unsafe { super::length(to) + 1 },
        // SAFETY: likewise.
        Stored::WideText => 4 * unsafe { wide_length(to.cast()) },
        Stored::Allocated => size_of::<Text>(),
    };
    writes(to, len, pc);
}
