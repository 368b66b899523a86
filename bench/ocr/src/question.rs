//! The questions of order that a run raises: those of the thesis' detector (Algorithms 3.4 and 5.1), which asks at a
//! read whether the last write precedes it, and at a write whether that and all reads since do, location by location.
//! They do not depend on the answers, so everyone can be asked the same.

use crate::load::Load;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Questions {
    /// Earlier tasks, question by question.
    earlier: Vec<u32>,
    /// Where each question's begin, and its location.
    starts: Vec<(u32, u64)>,
    /// Where each task's questions begin.
    tasks: Vec<u32>,
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
            questions.tasks.push(questions.starts.len() as u32);
            for access in &edt.accesses {
                for location in access.start..access.start + access.len {
                    let cell = &mut cells[location as usize];
                    questions.ask(task, location, cell, access.is_write);
                }
            }
        }
        questions
    }

    fn ask(&mut self, task: u32, location: u64, cell: &mut Cell, is_write: bool) {
        let reads: &[u32] = if is_write { &cell.reads } else { &[] };
        let start = self.earlier.len();
        let earlier = cell.write.iter().chain(reads).copied();
        self.earlier.extend(earlier.filter(|&other| other != task));
        if self.earlier.len() > start {
            self.starts.push((start as u32, location));
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.earlier.len()
    }

    /// A task's questions: locations, and the tasks that must precede it.
    pub fn of(&self, task: u32) -> impl Iterator<Item = (u64, &[u32])> {
        let end_of = |at: usize| match self.starts.get(at + 1) {
            Some(&(next, _)) => next as usize,
            None => self.earlier.len(),
        };
        let start = self.tasks[task as usize] as usize;
        let end = match self.tasks.get(task as usize + 1) {
            Some(&next) => next as usize,
            None => self.starts.len(),
        };
        (start..end).map(move |at| {
            let (start, location) = self.starts[at];
            (location, &self.earlier[start as usize..end_of(at)])
        })
    }
}
