//! A random program together with the eliminations to try on it.

use heddle_lang::eliminate::Eliminations;
use heddle_lang::ir::Elimination;

use super::tree::Program;
use crate::draw::Simpler;

/// One case for the properties of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// What to switch on.
    pub eliminations: Subset,
}

/// Which sets of eliminations a program is tried with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subset {
    /// The one whose members are the bits of this number.
    One(u8),
    /// All 32, one after the other.
    Every,
}

impl Subset {
    /// The sets.
    pub fn sets(self) -> impl Iterator<Item = Eliminations> {
        let numbers = match self {
            Self::One(number) => number..number + 1,
            Self::Every => 0..32,
        };
        numbers.map(|number| {
            let members = Elimination::ALL.into_iter().enumerate();
            let chosen = members.filter(|(bit, _)| number >> bit & 1 == 1);
            chosen.fold(Eliminations::none(), |set, (_, member)| set.with(member))
        })
    }
}

impl Simpler for Case {
    fn simpler(&self) -> Vec<Self> {
        let sets = self.eliminations.simpler().into_iter();
        let sets = sets.map(|eliminations| Self {
            eliminations,
            ..self.clone()
        });
        let programs = self.program.simpler().into_iter();
        let programs = programs.map(|program| Self {
            program,
            ..self.clone()
        });
        sets.chain(programs).collect()
    }
}

impl Simpler for Subset {
    fn simpler(&self) -> Vec<Self> {
        match *self {
            Self::Every => (0..32).map(Self::One).collect(),
            Self::One(number) => {
                let without = (0..5).map(|bit| number & !(1 << bit));
                without
                    .filter(|&fewer| fewer != number)
                    .map(Self::One)
                    .collect()
            }
        }
    }
}
