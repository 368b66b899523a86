//! A schedule as a short string.
//!
//! At each choice point the choices are numbered: first what the task that ran last does next,
//! then those of the other tasks as a serial depth-first run would come to them. A schedule says
//! where a number other than 0 is taken: `3:1,7:2` takes choice 1 at the fourth choice point and
//! choice 2 at the eighth. The schedule that never does is written `-`.

use std::fmt;
use std::str::FromStr;

/// Which choice is taken at each choice point; 0 behind the end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Schedule(Vec<u32>);

impl Schedule {
    /// The schedule that takes these choices.
    pub fn new(mut numbers: Vec<u32>) -> Self {
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Self(numbers)
    }

    /// The number of the choice to take at this choice point.
    pub fn at(&self, point: usize) -> u32 {
        self.0.get(point).copied().unwrap_or(0)
    }

    /// How many choice points there are up to the last one that takes another number than 0.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it takes choice 0 everywhere.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        let taken = self.0.iter().enumerate().filter(|(_, number)| **number > 0);
        for (row, (point, number)) in taken.enumerate() {
            let comma = if row > 0 { "," } else { "" };
            write!(f, "{comma}{point}:{number}")?;
        }
        Ok(())
    }
}

/// What is wrong with the text of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSchedule(String);

impl fmt::Display for BadSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(part) = self;
        write!(
            f,
            "'{part}' is no step of a schedule: one looks like 3:1,7:2 (or - for the first)"
        )
    }
}

impl std::error::Error for BadSchedule {}

/// More choice points than any run has: keeps a mistyped number from filling the memory.
const MOST_POINTS: usize = 1 << 24;

impl FromStr for Schedule {
    type Err = BadSchedule;

    fn from_str(text: &str) -> Result<Self, BadSchedule> {
        let text = text.trim();
        let mut numbers: Vec<u32> = Vec::new();
        if text == "-" {
            return Ok(Self(numbers));
        }
        for part in text.split(',') {
            let bad = || BadSchedule(part.to_owned());
            let (point, number) = part.split_once(':').ok_or_else(bad)?;
            let point: usize = point.trim().parse().map_err(|_| bad())?;
            let number: u32 = number.trim().parse().map_err(|_| bad())?;
            if point < numbers.len() || point >= MOST_POINTS {
                return Err(bad());
            }
            numbers.resize(point, 0);
            numbers.push(number);
        }
        Ok(Self::new(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        for numbers in [vec![], vec![0, 0], vec![1], vec![0, 2, 0, 0, 11, 0]] {
            let schedule = Schedule::new(numbers);
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        assert_eq!(Schedule::new(vec![0, 2, 0, 1, 0]).to_string(), "1:2,3:1");
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        let far = format!("{}:1", usize::MAX);
        for text in [
            "", "1", "1:", ":1", "1:x", "3:1,2:1", "1:1,1:1", "1:1,", &far,
        ] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
