//! The questions of order that a run raises: those of the thesis' detector (Algorithms 3.4 and 5.1), which asks at a
//! read whether the last write precedes it, and at a write whether that and all reads since do, location by location.
//! They do not depend on the answers, so everyone can be asked the same. Where an access has several neighbours of
//! which the same is to be asked, everyone is asked once.

use crate::load::{Access, Load};
use std::ops::Range;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Questions {
    /// Earlier tasks, question by question.
    earlier: Vec<u32>,
    asked: Vec<Asked>,
    /// Where each task's questions begin.
    tasks: Vec<u32>,
    /// How many there would be if nothing was asked once for several locations.
    count: usize,
}

/// One question.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Where its tasks begin.
    start: u32,
    /// The first location, and how many.
    location: u64,
    len: u32,
}

/// What is known of a location.
#[derive(Clone, Debug, Default)]
struct Cell {
    write: Option<u32>,
    reads: Vec<u32>,
}

impl Questions {
    pub fn new(load: &Load) -> Self {
        let mut cells = vec![Cell::default(); load.locations as usize];
        let mut questions = Self::default();
        for (task, edt) in (0u32..).zip(&load.edts) {
            questions.tasks.push(questions.asked.len() as u32);
            for access in &edt.accesses {
                let first = questions.asked.len();
                for location in access.start..access.start + access.len {
                    let cell = &mut cells[location as usize];
                    questions.ask(task, location, cell, access, first);
                }
            }
        }
        questions
    }

    /// What a task asks at an access to a location, the questions of which begin with the number `first`.
    fn ask(&mut self, task: u32, location: u64, cell: &mut Cell, access: &Access, first: usize) {
        let is_write = access.is_write;
        let reads: &[u32] = if is_write { &cell.reads } else { &[] };
        let start = self.earlier.len();
        let earlier = cell.write.iter().chain(reads).copied();
        self.earlier.extend(earlier.filter(|&other| other != task));
        self.count += self.earlier.len() - start;
        if self.earlier.len() > start && !self.join(location, first, start) {
            self.asked.push(Asked {
                start: start as u32,
                location,
                len: 1,
            });
        }
        match is_write {
            true => {
                *cell = Cell {
                    write: Some(task),
                    reads: Vec::new(),
                }
            }
            false if cell.reads.last() != Some(&task) => cell.reads.push(task),
            false => {}
        }
    }

    /// Adds a location to the last question of the access, if the tasks from `start` on are those of that question.
    fn join(&mut self, location: u64, first: usize, start: usize) -> bool {
        let Some(last) = self.asked[first..].last_mut() else {
            return false;
        };
        let (before, now) =
            self.earlier[last.start as usize..].split_at(start - last.start as usize);
        if before != now || last.location + u64::from(last.len) != location {
            return false;
        }
        last.len += 1;
        self.earlier.truncate(start);
        true
    }

    /// How many there are, location by location.
    pub fn len(&self) -> usize {
        self.count
    }

    /// A task's questions: locations, and the tasks that must precede it.
    pub fn of(&self, task: u32) -> impl Iterator<Item = (Range<u64>, &[u32])> {
        let end_of = |at: usize| match self.asked.get(at + 1) {
            Some(next) => next.start as usize,
            None => self.earlier.len(),
        };
        let start = self.tasks[task as usize] as usize;
        let end = match self.tasks.get(task as usize + 1) {
            Some(&next) => next as usize,
            None => self.asked.len(),
        };
        (start..end).map(move |at| {
            let Asked {
                start,
                location,
                len,
            } = self.asked[at];
            let locations = location..location + u64::from(len);
            (locations, &self.earlier[start as usize..end_of(at)])
        })
    }
}
