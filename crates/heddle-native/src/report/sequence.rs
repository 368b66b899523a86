//! Which of two places of the program comes first, by its source.
//!
//! Code addresses do not tell: optimised code has its checks out of line, in any sequence, and `heddle cc` moves checks.
//! What debug information says of a check is where the access stands. Of two places in one function that is its
//! source; where functions were inlined, the calls in the function around them. Places in two functions that were not
//! inlined into a third have no sequence, nor have those in one statement: `p = make()` writes `p` last. A statement
//! ends where the source has a semicolon.
//!
//! Known misses: a loop can come back to what stands above, and statements within an expression are taken for later.

use super::image::Image;
use super::modules::modules;
use heddle_core::SiteId;
use rustc_hash::FxHashMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

/// A function around a place, and the position in it: of the call that leads there, or of the place itself.
type Frame = (usize, Position);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Position {
    file: String,
    line: u32,
    column: u32,
}

/// The frames of each site that was asked for, outermost first; empty if they are not known.
#[derive(Default)]
struct Places {
    /// By the address of the module's record.
    images: FxHashMap<usize, Option<Image>>,
    frames: FxHashMap<u32, Vec<Frame>>,
    /// By path; empty if it cannot be read.
    sources: FxHashMap<String, String>,
}

static PLACES: Mutex<Option<Places>> = Mutex::new(None);

/// Whether the program has `later` below `earlier`, in one function. No if that is not known.
pub(crate) fn is_below(later: u32, earlier: u32) -> bool {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let places = places.get_or_insert_default();
    places.learn(later);
    places.learn(earlier);
    let Places {
        frames, sources, ..
    } = places;
    let Some((later, earlier)) = parting(&frames[&later], &frames[&earlier]) else {
        return false;
    };
    let source = sources.entry(later.file.clone());
    let source = source.or_insert_with(|| fs::read_to_string(&later.file).unwrap_or_default());
    is_in_later_statement(source, later, earlier)
}

/// Where the ways to two places part, in one function; none if they do not, or in no such function.
fn parting<'a>(one: &'a [Frame], other: &'a [Frame]) -> Option<(&'a Position, &'a Position)> {
    let mut frames = one.iter().zip(other);
    let ((function, at), (other_function, other_at)) =
        frames.find(|((function, at), (other, other_at))| function != other || at != other_at)?;
    (function == other_function && at.file == other_at.file).then_some((at, other_at))
}

/// Whether a statement ends between the two.
fn is_in_later_statement(source: &str, later: &Position, earlier: &Position) -> bool {
    let offset = |at: &Position| {
        let before = source.split_inclusive('\n').take(at.line as usize - 1);
        before.map(str::len).sum::<usize>() + (at.column as usize).saturating_sub(1)
    };
    let between = source.get(offset(earlier)..offset(later));
    between.is_some_and(|text| text.contains(';'))
}

impl Places {
    fn learn(&mut self, site: u32) {
        if !self.frames.contains_key(&site) {
            let frames = self.look_up(site).unwrap_or_default();
            self.frames.insert(site, frames);
        }
    }

    fn look_up(&mut self, site: u32) -> Option<Vec<Frame>> {
        // The call is before the address it returns to.
        let pc = modules().pc(SiteId::new(site))?.checked_sub(1)?;
        let module = modules().find(pc)?;
        let key = std::ptr::from_ref(module).addr();
        let image = self.images.entry(key);
        let image = image
            .or_insert_with(|| Image::open(&module.path))
            .as_ref()?;
        let frames = image.context.find_frames(module.in_file(pc));
        let mut frames = frames.skip_all_loads().ok()?;
        let mut found = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let at = frame.location?;
            found.push((
                frame.dw_die_offset?.0,
                Position {
                    file: at.file?.to_owned(),
                    line: at.line.filter(|&line| line > 0)?,
                    column: at.column?,
                },
            ));
        }
        found.reverse();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: usize, line: u32, column: u32) -> Frame {
        let file = "a.c".into();
        let at = Position { file, line, column };
        (function, at)
    }

    #[test]
    fn ways_part_in_the_function_that_both_places_are_in() {
        let [above, below] = [[frame(1, 3, 5)], [frame(1, 3, 9)]];
        assert_eq!(parting(&below, &above), Some((&below[0].1, &above[0].1)));
        assert_eq!(parting(&above, &above), None);
        let first = [frame(1, 10, 1), frame(2, 7, 1)];
        let second = [frame(1, 11, 1), frame(3, 4, 1)];
        assert_eq!(parting(&second, &first), Some((&second[0].1, &first[0].1)));
        let elsewhere = [frame(2, 9, 5)];
        assert_eq!(parting(&above, &elsewhere), None);
        assert_eq!(parting(&above, &[]), None);
    }

    #[test]
    fn what_stands_in_a_later_statement_is_later() {
        let source = "a = 1; b = 2;\np =\n  make();\nq = 3;\n";
        let at = |line, column| frame(1, line, column).1;
        let is_later = |one, other| is_in_later_statement(source, &one, &other);
        assert!(is_later(at(1, 10), at(1, 3)) && is_later(at(4, 3), at(3, 3)));
        assert!(!is_later(at(1, 3), at(1, 10)));
        // The value is there before it is assigned.
        assert!(!is_later(at(3, 3), at(2, 3)));
        assert!(!is_later(at(9, 1), at(8, 1)));
        assert!(!is_in_later_statement("", &at(4, 3), &at(1, 1)));
    }
}
