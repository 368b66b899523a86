//! What `printf` does to memory where its arguments are taken by number (`%2$s`).
//!
//! All conversions then name their argument. Which argument has which type is known only at the end of the
//! format, and the arguments can be taken in sequence only: so the format is read first.

use super::format::{Format, Size, text, wide_text};
use super::variadic::Arguments;
use super::{Text, writes};
use std::ffi::c_int;

/// Arguments a format can name; glibc's own limit.
const MOST: usize = 4096;

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Integer,
    Double,
    LongDouble,
}

/// What a conversion does through a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Nothing,
    ReadsText,
    ReadsWideText,
    Stores(usize),
}

/// At most so many bytes of a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Limit {
    None,
    Bytes(usize),
    /// As many as this argument says.
    Argument(usize),
}

/// A conversion that reads or writes memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Use {
    argument: usize,
    limit: Limit,
    effect: Effect,
}

/// The arguments a format asks for, and what is done with them.
#[derive(Debug, Default)]
struct Plan {
    classes: Vec<Class>,
    uses: Vec<Use>,
}

/// Whether the first conversion takes its argument by number; then all do.
///
/// # Safety
/// The format ends.
pub(super) unsafe fn is_positional(format: Text) -> bool {
    // SAFETY: by the contract.
    let mut format = unsafe { Format::new(format) };
    format.find_conversion() && format.number().is_some() && format.peek() == b'$'
}

/// `printf` at `pc` reads the strings it prints and writes where `%n` says.
///
/// # Safety
/// The arguments are those the format asks for.
pub(super) unsafe fn printed(format: Text, mut arguments: Arguments, pc: usize) {
    // SAFETY: by the contract.
    let plan = Plan::of(&mut unsafe { Format::new(format) });
    let values: Vec<u64> = plan
        .classes
        .iter()
        // SAFETY: by the contract, the call has an argument of this class next.
        .map(|&class| unsafe { value(&mut arguments, class) })
        .collect();
    for one in &plan.uses {
        let Some(&pointer) = values.get(one.argument) else {
            continue;
        };
        let limit = match one.limit {
            Limit::None => None,
            Limit::Bytes(len) => Some(len),
            Limit::Argument(number) => values
                .get(number)
                .and_then(|&len| usize::try_from(len as c_int).ok()),
        };
        // SAFETY: by the contract: the pointer is what the conversion asks for.
        unsafe {
            match one.effect {
                Effect::Nothing => {}
                Effect::ReadsText => text(pointer as Text, limit, pc),
                Effect::ReadsWideText => wide_text(pointer, limit, pc),
                Effect::Stores(len) => writes(pointer as Text, len, pc),
            }
        }
    }
}

/// The next argument, if it is no floating-point number.
unsafe fn value(arguments: &mut Arguments, class: Class) -> u64 {
    // SAFETY: see `printed`.
    unsafe {
        match class {
            Class::Integer => arguments.integer(),
            Class::Double => {
                arguments.skip_double();
                0
            }
            Class::LongDouble => {
                arguments.skip_long_double();
                0
            }
        }
    }
}

impl Plan {
    /// What is not understood ends the plan.
    fn of(format: &mut Format) -> Self {
        let mut plan = Self::default();
        while format.find_conversion() && plan.add(format).is_some() {}
        plan
    }

    fn add(&mut self, format: &mut Format) -> Option<()> {
        let argument = numbered(format)?;
        format.skip(b"-+ #0'I");
        if format.peek() == b'*' {
            self.star(format)?;
        } else {
            format.number();
        }
        let limit = self.limit(format)?;
        let size = format.size();
        let (class, effect) = conversion(format.next(), size)?;
        self.note(argument, class);
        self.uses.push(Use {
            argument,
            limit,
            effect,
        });
        Some(())
    }

    fn limit(&mut self, format: &mut Format) -> Option<Limit> {
        if format.peek() != b'.' {
            return Some(Limit::None);
        }
        format.next();
        match format.peek() {
            b'*' => self.star(format).map(Limit::Argument),
            _ => Some(Limit::Bytes(format.number().unwrap_or(0))),
        }
    }

    /// A width or precision that is an argument.
    fn star(&mut self, format: &mut Format) -> Option<usize> {
        format.next();
        let argument = numbered(format)?;
        self.note(argument, Class::Integer);
        Some(argument)
    }

    /// Arguments that nothing names count as integers.
    fn note(&mut self, argument: usize, class: Class) {
        let len = self.classes.len().max(argument + 1);
        self.classes.resize(len, Class::Integer);
        self.classes[argument] = class;
    }
}

/// The row of the argument that `n$` names.
fn numbered(format: &mut Format) -> Option<usize> {
    let number = format.number().filter(|&number| number <= MOST)?;
    let row = number.checked_sub(1)?;
    (format.next() == b'$').then_some(row)
}

fn conversion(letter: u8, size: Size) -> Option<(Class, Effect)> {
    let wide = size == Size::Long;
    Some(match letter {
        b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => match size {
            Size::LongDouble => (Class::LongDouble, Effect::Nothing),
            _ => (Class::Double, Effect::Nothing),
        },
        b's' if wide => (Class::Integer, Effect::ReadsWideText),
        b'S' => (Class::Integer, Effect::ReadsWideText),
        b's' => (Class::Integer, Effect::ReadsText),
        b'n' => (Class::Integer, Effect::Stores(size.integer())),
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' | b'p' => {
            (Class::Integer, Effect::Nothing)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(format: &std::ffi::CStr) -> Plan {
        // SAFETY: a C string ends.
        Plan::of(&mut unsafe { Format::new(format.as_ptr()) })
    }

    #[test]
    fn arguments_have_the_class_of_the_conversion_that_names_them() {
        let plan = plan(c"%3$s %1$Lf %% %2$5.*4$f");
        use Class::{Double, Integer, LongDouble};
        assert_eq!(plan.classes, [LongDouble, Double, Integer, Integer]);
        assert_eq!(plan.uses[0].effect, Effect::ReadsText);
        assert_eq!(plan.uses[2].limit, Limit::Argument(3));
    }

    #[test]
    fn what_no_format_can_mean_ends_the_plan() {
        for format in [c"%0$s", c"%99999999999999$s", c"%1$s %s", c"%1$y", c"%1"] {
            assert!(plan(format).classes.len() <= 1, "{format:?}");
        }
    }

    #[test]
    fn the_first_conversion_says_how_arguments_are_taken() {
        // SAFETY: C strings end.
        let is = |format: &std::ffi::CStr| unsafe { is_positional(format.as_ptr()) };
        assert!(is(c"%% %1$s") && is(c"%12$*1$d"));
        assert!(!is(c"%5d") && !is(c"%s %1$s") && !is(c"none") && !is(c"%"));
    }
}
