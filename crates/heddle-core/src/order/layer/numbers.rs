//! A number for each strand or task: most of what is asked for was noted lately.

use rustc_hash::FxHashMap;

/// Rows in between that are not worth their memory.
const GAP: usize = 1 << 12;

/// A table of numbers; what was never noted is 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// The rows from `base` on.
    recent: Vec<u32>,
    base: u32,
    /// Those before it that are still of interest.
    old: FxHashMap<u32, u32>,
}

impl Numbers {
    #[inline]
    pub(super) fn get(&self, row: u32) -> u32 {
        match row.checked_sub(self.base) {
            Some(at) => self.recent.get(at as usize).copied().unwrap_or(0),
            None => self.old.get(&row).copied().unwrap_or(0),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, row: u32, number: u32) {
        let Some(at) = row.checked_sub(self.base) else {
            self.old.insert(row, number);
            return;
        };
        let at = at as usize;
        if at >= self.recent.len() + GAP {
            *self = self.kept(|_| true, |number| number);
            self.base = row;
            self.recent.push(number);
            return;
        }
        if self.recent.len() <= at {
            self.recent.resize(at + 1, 0);
        }
        self.recent[at] = number;
    }

    /// All that were noted, by row.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let recent = (self.base..).zip(self.recent.iter().copied());
        let old = self.old.iter().map(|(&row, &number)| (row, number));
        old.chain(recent).filter(|&(_, number)| number != 0)
    }

    /// A table for rows from `base` on, most of the time.
    pub(super) fn starting_at(base: u32) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// One more than the last row that was noted lately.
    pub(super) fn end(&self) -> u32 {
        self.base + self.recent.len() as u32
    }

    /// These rows alone, with other numbers in them.
    pub(super) fn kept(
        &self,
        is_kept: impl Fn(u32) -> bool,
        renumber: impl Fn(u32) -> u32,
    ) -> Self {
        let kept = self.iter().filter(|&(row, _)| is_kept(row));
        let old = kept.map(|(row, number)| (row, renumber(number)));
        Self {
            old: old.collect(),
            ..Self::starting_at(self.end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_far_away_costs_no_rows_in_between() {
        let mut numbers = Numbers::default();
        numbers.set(3, 1);
        numbers.set(1 << 31, 2);
        numbers.set((1 << 31) + 1, 3);
        numbers.set(5, 4);
        let found = [0, 3, 5, 1 << 31, (1 << 31) + 1].map(|row| numbers.get(row));
        assert_eq!(found, [0, 1, 4, 2, 3]);
        assert_eq!(numbers.recent.len(), 2);
    }

    #[test]
    fn what_is_kept_has_its_new_number_and_the_rest_has_none() {
        let mut numbers = Numbers::default();
        (0..10).for_each(|row| numbers.set(row, row + 1));
        let mut numbers = numbers.kept(|row| row % 3 == 0, |number| number * 2);
        numbers.set(12, 5);
        numbers.set(4, 7);
        let found: Vec<u32> = (0..14).map(|row| numbers.get(row)).collect();
        assert_eq!(found, [2, 0, 0, 8, 7, 0, 14, 0, 0, 20, 0, 0, 5, 0]);
    }
}
