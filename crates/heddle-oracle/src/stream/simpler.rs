//! How scripts shrink: steps go, blocks leave their steps behind, numbers become 0.

use super::script::{Block, Layout, Schedule, Script, Span, Step, Stop};
use crate::draw::{Simpler, simpler_list};

impl Simpler for Script {
    fn simpler(&self) -> Vec<Self> {
        let mains = simpler_steps(&self.main).into_iter();
        let mains = mains.map(|main| Self {
            main,
            ..self.clone()
        });
        let schedules = self.schedule.simpler().into_iter();
        let schedules = schedules.map(|schedule| Self {
            schedule,
            ..self.clone()
        });
        let whole = Self {
            stop: Stop::Never,
            ..self.clone()
        };
        let spread = Self {
            sites: 1000,
            ..self.clone()
        };
        let low = Self {
            layout: Layout::Low,
            ..self.clone()
        };
        let atomics = (0..self.atomics.len()).map(|n| {
            let mut fewer = self.clone();
            fewer.atomics.remove(n);
            fewer
        });
        let others = [whole, spread, low]
            .into_iter()
            .filter(|other| other != self);
        mains
            .chain(others)
            .chain(schedules)
            .chain(atomics)
            .collect()
    }
}

impl Simpler for Schedule {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Serial => Vec::new(),
            Self::Interleaved(choices) => {
                let simpler = simpler_list(choices, |_| Vec::new()).into_iter();
                simpler.map(Self::Interleaved).collect()
            }
        }
    }
}

impl Simpler for Step {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Read(span) => map(span, Self::Read),
            Self::Write(span) => map(span, Self::Write),
            Self::Alloc(span) => map(span, Self::Alloc),
            Self::Free(span) => [vec![Self::Write(*span)], map(span, Self::Free)].concat(),
            Self::Join(task) => map(task, Self::Join),
            Self::Signal(token) => map(token, Self::Signal),
            Self::Wait(token) => map(token, Self::Wait),
            Self::Acquire(lock) => map(lock, Self::Acquire),
            Self::Share(lock) => [vec![Self::Acquire(*lock)], map(lock, Self::Share)].concat(),
            Self::Release(lock) => map(lock, Self::Release),
            Self::Block(block, steps) => {
                let blocks = map(block, |block| Self::Block(block, steps.clone()));
                let steps = simpler_steps(steps).into_iter();
                let steps = steps.map(|steps| Self::Block(*block, steps));
                steps.chain(blocks).collect()
            }
        }
    }
}

impl Simpler for Block {
    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Plain | Self::Finish | Self::Async | Self::Isolated | Self::Atomic => Vec::new(),
            Self::Escaping(finish) => [vec![Self::Async], map(finish, Self::Escaping)].concat(),
            Self::After(token) => [vec![Self::Async], map(token, Self::After)].concat(),
            Self::With(lock) => map(lock, Self::With),
            Self::Sharing(lock) => [vec![Self::With(*lock)], map(lock, Self::Sharing)].concat(),
        }
    }
}

impl Simpler for Span {
    fn simpler(&self) -> Vec<Self> {
        let Self { start, len } = *self;
        let mut simpler = vec![
            Self { start, len: 1 },
            Self {
                start: start + 1,
                len: len.max(1) - 1,
            },
        ];
        simpler.push(Self {
            start,
            len: len.max(1) - 1,
        });
        simpler.retain(|span| span.len > 0 && span.len < len);
        simpler.extend(start.simpler().into_iter().map(|start| Self { start, len }));
        simpler
    }
}

fn simpler_steps(steps: &[Step]) -> Vec<Vec<Step>> {
    simpler_list(steps, |step| match step {
        Step::Block(_, steps) => steps.clone(),
        _ => Vec::new(),
    })
}

fn map<T: Simpler, U>(value: &T, wrap: impl Fn(T) -> U) -> Vec<U> {
    value.simpler().into_iter().map(wrap).collect()
}
