//! Which of two places of the program comes first, by its source.
//!
//! Code addresses do not tell: optimised code has its checks out of line, in any sequence, and `heddle cc` moves checks.
//! What debug information says of a check is where the access stands. Of two places in one function that is its
//! source; where functions were inlined, the calls in the function around them. Places in two functions that were not
//! inlined into a third have no sequence.

use super::image::Image;
use super::modules::modules;
use heddle_core::SiteId;
use rustc_hash::FxHashMap;
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
}

static PLACES: Mutex<Option<Places>> = Mutex::new(None);

/// Whether the program has `later` below `earlier`, in one function. No if that is not known.
pub(crate) fn is_below(later: u32, earlier: u32) -> bool {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let places = places.get_or_insert_default();
    places.learn(later);
    places.learn(earlier);
    let frames = &places.frames;
    follows(&frames[&later], &frames[&earlier])
}

fn follows(later: &[Frame], earlier: &[Frame]) -> bool {
    for ((function, later), (other, earlier)) in later.iter().zip(earlier) {
        if function != other || later.file != earlier.file {
            return false;
        }
        if later != earlier {
            return (later.line, later.column) > (earlier.line, earlier.column);
        }
    }
    false
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
    fn a_place_follows_one_further_up_in_its_function() {
        let [above, below] = [[frame(1, 3, 5)], [frame(1, 3, 9)]];
        assert!(follows(&below, &above));
        assert!(!follows(&above, &below) && !follows(&above, &above));
    }

    #[test]
    fn calls_that_were_inlined_come_in_the_sequence_of_the_function_around_them() {
        let first = [frame(1, 10, 1), frame(2, 7, 1)];
        let second = [frame(1, 11, 1), frame(3, 4, 1)];
        assert!(follows(&second, &first) && !follows(&first, &second));
    }

    #[test]
    fn places_in_two_functions_have_no_sequence() {
        let [one, other] = [[frame(1, 3, 5)], [frame(2, 9, 5)]];
        assert!(!follows(&one, &other) && !follows(&other, &one));
        assert!(!follows(&one, &[]) && !follows(&[], &one));
    }
}
