//! Holds a report against a simulation: what is found must be there, and what is there must be found.
//!
//! 1. Each racy element that is named is racy, and so are the lines: each touches that element, and one
//!    that is said to write does write.
//! 2. In each eight bytes that hold a racy byte, one is found. (What shares them shares a history, and a
//!    pair of positions is reported once.)
//!
//! Which of several lines is named is open: compilers merge accesses. A read can be named at the line of
//! the write that follows it. What compilers move (`Function::may_move`) loses its line, and is named at any
//! of its function.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::code::{Call, Element, Function, Kind};
use super::oracle::{self, Byte, Touched};
use super::program::{Owner, Program};

/// Bytes that share a history.
const GRANULE: i64 = 8;

/// What is wrong about a pair of calls; none if the pair is not known.
#[derive(PartialEq, Eq, Debug)]
pub struct Complaint {
    pub pair: Option<usize>,
    pub text: String,
}

/// One finding, read.
struct Found {
    element: Element,
    index: i64,
    accesses: Vec<(Owner, Kind)>,
}

/// How the report differs from what the program does.
pub fn complaints(program: &Program, report: &Value) -> Vec<Complaint> {
    let owners = program.owners();
    let mut by_pair: BTreeMap<usize, Vec<Found>> = BTreeMap::new();
    let mut complaints = Vec::new();
    for finding in report["findings"].as_array().into_iter().flatten() {
        let found = Found::read(finding, &owners);
        let pair = found.as_ref().and_then(|found| found.pair(program));
        match found.zip(pair) {
            Some((found, pair)) => by_pair.entry(pair).or_default().push(found),
            None => complaints.push(Complaint {
                pair: None,
                text: format!("found where nothing is: {}", finding["message"]),
            }),
        }
    }
    for pair in 0..program.pairs.len() {
        let found = by_pair.remove(&pair).unwrap_or_default();
        let texts = Simulated::new(program, pair).differences(&found);
        complaints.extend(texts.into_iter().map(|text| Complaint {
            pair: Some(pair),
            text,
        }));
    }
    complaints
}

/// The bytes on which the calls of a pair race.
pub fn racy(program: &Program, pair: usize) -> BTreeSet<Byte> {
    Simulated::new(program, pair).racy
}

/// What the calls of a pair do.
struct Simulated<'a> {
    calls: &'a [Call; 2],
    functions: [&'a Function; 2],
    touched: [Touched; 2],
    racy: BTreeSet<Byte>,
}

impl<'a> Simulated<'a> {
    fn new(program: &'a Program, pair: usize) -> Self {
        let calls = &program.pairs[pair];
        let functions = calls
            .each_ref()
            .map(|call| &program.functions[call.function]);
        let touched = [0, 1].map(|side| oracle::touched(functions[side], &calls[side]));
        let racy = oracle::racy((functions[0], &touched[0]), (functions[1], &touched[1]));
        Self {
            calls,
            functions,
            touched,
            racy,
        }
    }

    fn differences(&self, found: &[Found]) -> Vec<String> {
        let untrue = found.iter().filter(|found| !self.explains(found));
        let mut texts: Vec<_> = untrue
            .map(|found| {
                let (array, index) = (found.element.array(), found.index);
                format!("{array}[{index}] is no race of {:?}", found.accesses)
            })
            .collect();
        let granule = |(element, byte): &Byte| (*element, byte / GRANULE);
        let seen: BTreeSet<_> = found.iter().map(|found| granule(&found.first())).collect();
        let missed = self
            .racy
            .iter()
            .filter(|byte| !seen.contains(&granule(byte)));
        texts.extend(missed.map(|(element, byte)| {
            format!("{}[{}] is missed", element.array(), byte / element.size())
        }));
        texts.dedup();
        texts
    }

    /// Whether the finding is one of these calls: some byte of the element is racy, and touched as it says.
    fn explains(&self, found: &Found) -> bool {
        let [one, other] = found.accesses.as_slice() else {
            return false;
        };
        found.bytes().any(|byte| {
            let straight = self.does(0, one, byte) && self.does(1, other, byte);
            let crossed = self.does(1, one, byte) && self.does(0, other, byte);
            self.racy.contains(&byte) && (straight || crossed)
        })
    }

    fn does(&self, side: usize, (owner, kind): &(Owner, Kind), byte: Byte) -> bool {
        let (function, statement) = *owner;
        let Some(who) = self.touched[side].get(&byte) else {
            return false;
        };
        let fits = |(own, how): &(usize, Kind)| {
            let is_there = Some(*own) == statement || self.functions[side].may_move(*own);
            is_there && (*kind == Kind::Read || *how == Kind::Write)
        };
        self.calls[side].function == function && who.iter().any(fits)
    }
}

impl Found {
    fn read(finding: &Value, owners: &[Option<Owner>]) -> Option<Self> {
        let (array, rest) = finding["location"].as_str()?.split_once('[')?;
        let element = Element::ALL.into_iter().find(|one| one.array() == array)?;
        let is_race = finding["kind"] == "race" && finding["certainty"] == "certain";
        let accesses = finding["accesses"].as_array().filter(|_| is_race)?.iter();
        let accesses = accesses.map(|access| {
            let kind = match access["operation"].as_str()? {
                "write" => Kind::Write,
                _ => Kind::Read,
            };
            Some((owner(access, owners)?, kind))
        });
        Some(Self {
            element,
            index: rest.strip_suffix(']')?.parse().ok()?,
            accesses: accesses.collect::<Option<_>>()?,
        })
    }

    /// The pair of calls with these functions.
    fn pair(&self, program: &Program) -> Option<usize> {
        let mut own: Vec<_> = self
            .accesses
            .iter()
            .map(|((function, _), _)| *function)
            .collect();
        own.sort_unstable();
        program.pairs.iter().position(|pair| {
            let mut functions = pair.map(|call| call.function);
            functions.sort_unstable();
            functions.as_slice() == own
        })
    }

    fn first(&self) -> Byte {
        (self.element, self.index * self.element.size())
    }

    fn bytes(&self) -> impl Iterator<Item = Byte> {
        let (element, first) = self.first();
        (first..first + element.size()).map(move |byte| (element, byte))
    }
}

/// The function and statement of an access. What has lost its line has kept its function.
fn owner(access: &Value, owners: &[Option<Owner>]) -> Option<Owner> {
    let position = &access["position"];
    if position["file"].as_str()?.ends_with(".c") {
        return *owners.get(position["line"].as_u64()? as usize)?;
    }
    let number = access["function"].as_str()?.strip_prefix('f')?;
    Some((number.parse().ok()?, None))
}
