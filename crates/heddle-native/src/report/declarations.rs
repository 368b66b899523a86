//! What names in the source stand for: declarations of variables, parameters and members.
//!
//! A block on the heap has no type of its own, and a variable on another thread's stack no address that debug
//! information knows. What the line of an access says (`m[i].re`) and the declaration of `m` together tell.

use crate::report::frames::Frames;
use crate::report::image::Bytes;
use crate::report::inventory::{Inventory, declared, file_name};
use crate::report::source::{Lvalue, Step};
use crate::report::types::{Part, Types, type_of};
use gimli::{Unit, UnitOffset};

type Entry = gimli::DebuggingInformationEntry<Bytes>;

/// A name and what it was declared as.
pub struct Declaration {
    name: Bytes,
    unit: usize,
    entry: UnitOffset,
    line: u32,
    of_type: UnitOffset,
    kind: Kind,
    /// How far its function's frame is from the record of that, if a local variable's place is counted from it.
    base: Option<i64>,
}

impl Declaration {
    /// As the source writes it.
    pub fn name(&self) -> &[u8] {
        self.name.slice()
    }
}

/// Where a name is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Outside of all functions.
    Global,
    /// In a function.
    Local,
    /// In this class.
    Member(UnitOffset),
}

/// What an access is to, by declaration.
#[derive(Clone)]
pub struct Meaning {
    /// Where the variable it starts from is declared: file, line, column.
    pub declared: Option<(String, u32, u32)>,
    /// How many bytes that variable has.
    pub size: Option<u64>,
    /// Whether the access is to a variable of its own, and neither to a member of `*this` nor to what a pointer leads to.
    pub is_variable: bool,
    /// The type of the object that a pointer, index or `this` led to.
    pub container: Option<Container>,
    /// Whether the types of the program are followed all the way.
    pub is_followed: bool,
    /// Where it lies, if it is a local variable that is always in memory.
    pub local: Option<Local>,
}

/// A local variable.
#[derive(Clone, Copy)]
pub struct Local {
    /// How far it lies from the record of its function's frame.
    from_record: i64,
    /// All of it.
    pub whole: Container,
}

impl Local {
    /// How far into the variable an address is, if it lies in one of these frames, and in no other: not everything that
    /// looks like a frame's record is one.
    pub fn offset_of(self, address: usize, frames: Frames) -> Option<u64> {
        let frames = frames.into_iter().filter(|&record| record != 0);
        let offsets = frames.map(|record| {
            let start = (record as u64).wrapping_add_signed(self.from_record);
            (address as u64).wrapping_sub(start)
        });
        let mut offsets = offsets.filter(|&offset| offset < self.whole.size);
        offsets.next().filter(|_| offsets.next().is_none())
    }
}

/// A type of which memory holds one or many.
#[derive(Clone, Copy)]
pub struct Container {
    unit: usize,
    of_type: UnitOffset,
    /// In bytes, not 0.
    pub size: u64,
}

/// The classes and functions around the entry that is looked at.
#[derive(Default)]
pub struct Around(Vec<(isize, Within)>);

/// A class, or a function with how far its frame is from the record of that.
#[derive(Clone, Copy)]
enum Within {
    Class(UnitOffset),
    Function(Option<i64>),
}

impl Around {
    /// Notes the next entry in depth-first sequence.
    pub fn enter(&mut self, entry: &Entry, base: impl Fn(&Entry) -> Option<i64>) {
        while self
            .0
            .last()
            .is_some_and(|(depth, _)| *depth >= entry.depth())
        {
            self.0.pop();
        }
        match entry.tag() {
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                self.0.push((entry.depth(), Within::Class(entry.offset())));
            }
            gimli::DW_TAG_subprogram => {
                self.0.push((entry.depth(), Within::Function(base(entry))));
            }
            _ => {}
        }
    }

    /// The declaration that the entry is.
    pub fn declaration(
        &self,
        unit: (usize, &Unit<Bytes>),
        entry: &Entry,
        inventory: &Inventory,
    ) -> Option<Declaration> {
        let around = self.0.last().map(|(_, within)| *within);
        let (kind, base) = match (entry.tag(), around) {
            (gimli::DW_TAG_member, Some(Within::Class(class))) => (Kind::Member(class), None),
            (gimli::DW_TAG_variable, None) => (Kind::Global, None),
            (
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter,
                Some(Within::Function(base)),
            ) => (Kind::Local, base),
            _ => return None,
        };
        let name = entry.attr_value(gimli::DW_AT_name)?;
        let line = entry.attr(gimli::DW_AT_decl_line)?.udata_value()?;
        Some(Declaration {
            name: inventory.dwarf().attr_string(unit.1, name).ok()?,
            unit: unit.0,
            entry: entry.offset(),
            line: u32::try_from(line).ok()?,
            of_type: type_of(entry)?,
            kind,
            base,
        })
    }
}

impl Inventory {
    /// What the text of an access at this line means.
    pub fn meaning(&self, lvalue: &Lvalue, file: &str, line: u32) -> Option<Meaning> {
        let found = self.declaration(&lvalue.base, file, line)?;
        let unit = self.unit(found.unit)?;
        let types = self.types(unit);
        let class = match found.kind {
            Kind::Member(class) => Some(class),
            _ => None,
        };
        let reached = reached(&types, found.of_type, &lvalue.steps);
        let is_behind_pointer = !lvalue.steps.contains(&Step::Inside)
            && match reached {
                Some(target) => target.is_some(),
                // An array of arrays is one type with several bounds.
                None => types.element_type(found.of_type).is_none(),
            };
        let container = reached.map_or(class, |reached| reached.or(class));
        let entry = unit.entry(found.entry).ok()?;
        let container_of = |of_type: UnitOffset| {
            Some(Container {
                unit: found.unit,
                of_type,
                size: types.size(of_type).filter(|&size| size > 0)?,
            })
        };
        let from_record = self.distance(found);
        Some(Meaning {
            declared: declared(self.dwarf(), unit, &entry),
            // That of an array whose bound is no constant is not known.
            size: types
                .size(types.referred(found.of_type))
                .filter(|&size| size > 0),
            is_variable: class.is_none() && !is_behind_pointer,
            container: container.and_then(container_of),
            is_followed: reached.is_some(),
            local: from_record.and_then(|from_record| {
                Some(Local {
                    from_record,
                    whole: container_of(found.of_type)?,
                })
            }),
        })
    }

    /// How far a local variable lies from the record of its function's frame, if it is always in memory.
    fn distance(&self, local: &Declaration) -> Option<i64> {
        let (unit, base) = (self.unit(local.unit)?, local.base?);
        let entry = unit.entry(local.entry).ok()?;
        if self.types(unit).referred(local.of_type) != local.of_type {
            return None;
        }
        let offset = |place: gimli::Expression<Bytes>| match only(unit, place)? {
            gimli::Operation::FrameOffset { offset } => offset.checked_add(base),
            gimli::Operation::RegisterOffset {
                register, offset, ..
            } if register == gimli::X86_64::RBP => Some(offset),
            _ => None,
        };
        match entry.attr_value(gimli::DW_AT_location)? {
            gimli::AttributeValue::Exprloc(place) => offset(place),
            list => {
                let mut places = self.dwarf().attr_locations(unit, list).ok()??;
                std::iter::from_fn(|| places.next().ok()?).find_map(|place| offset(place.data))
            }
        }
    }

    /// Which member of the container the text of an access names, and where that starts in it. None if the text goes
    /// on to an element, or names no member.
    pub fn member(&self, container: Container, lvalue: &Lvalue) -> Option<Part> {
        let types = self.types(self.unit(container.unit)?);
        let is_pointer =
            |step: &Step| matches!(step, Step::Arrow(_) | Step::Element | Step::Target);
        let from = lvalue.steps.iter().rposition(is_pointer).unwrap_or(0);
        let names = lvalue.steps[from..].iter().map(|step| match step {
            Step::Arrow(name) | Step::Member(name) => Some(name.as_str()),
            Step::Element | Step::Target | Step::Inside => None,
        });
        let names: Option<Vec<&str>> = match lvalue.steps.iter().any(is_pointer) {
            true => names.collect(),
            // A member of `*this`.
            false => std::iter::once(Some(lvalue.base.as_str()))
                .chain(names)
                .collect(),
        };
        let (mut at, mut part) = (container.of_type, Part::default());
        for name in names? {
            part.start += types.member_start(at, name)?;
            part.path.push_str(&format!(".{name}"));
            at = types.member_type(at, name)?;
        }
        (!part.path.is_empty()).then_some(part)
    }

    /// The part of the container at this offset: `.re`.
    pub fn part_of(&self, container: Container, offset: u64) -> Part {
        let unit = self.unit(container.unit);
        let part = unit.map(|unit| self.types(unit).part(container.of_type, offset));
        part.unwrap_or_default()
    }

    /// The declaration that the name refers to there: in the function, in a class, else outside.
    fn declaration(&self, name: &str, file: &str, line: u32) -> Option<&Declaration> {
        let function = self.function_at(file, line);
        let rank = |one: &Declaration| match one.kind {
            Kind::Local if one.line <= line && self.function_at(file, one.line) == function => 3,
            Kind::Member(_) => 2,
            Kind::Global => 1,
            Kind::Local => 0,
        };
        let all = self.declarations();
        let start = all.partition_point(|one| one.name() < name.as_bytes());
        let named = all[start..].iter();
        let named = named.take_while(|one| one.name() == name.as_bytes());
        let here = named.filter(|one| self.is_in(one, file));
        // A function that was made of a parallel region repeats the declarations it refers to.
        let is_original = |one: &Declaration| (self.distance(one).is_some(), self.is_array(one));
        here.max_by_key(|one| (rank(one), one.line <= line, one.line, is_original(one)))
    }

    /// Whether it is an array. An array of variable length is a pointer in functions made of parallel regions.
    fn is_array(&self, one: &Declaration) -> bool {
        let unit = self.unit(one.unit);
        let element = unit.and_then(|unit| self.types(unit).element_type(one.of_type));
        element.is_some()
    }

    fn is_in(&self, one: &Declaration, file: &str) -> bool {
        let entry = self
            .unit(one.unit)
            .and_then(|unit| unit.entry(one.entry).ok().map(|entry| (unit, entry)));
        let declared = entry.and_then(|(unit, entry)| declared(self.dwarf(), unit, &entry));
        declared.is_some_and(|(path, ..)| file_name(&path) == file_name(file))
    }
}

/// How far a function's frame, as its variables' places are counted, is from the record of it.
pub(super) fn frame_base(unit: &Unit<Bytes>, function: &Entry) -> Option<i64> {
    let gimli::AttributeValue::Exprloc(base) = function.attr_value(gimli::DW_AT_frame_base)? else {
        return None;
    };
    match only(unit, base)? {
        gimli::Operation::Register { register } if register == gimli::X86_64::RBP => Some(0),
        // Just past the return address.
        gimli::Operation::CallFrameCFA => Some(16),
        _ => None,
    }
}

/// The operation, if it is the only one.
fn only(unit: &Unit<Bytes>, place: gimli::Expression<Bytes>) -> Option<gimli::Operation<Bytes>> {
    let mut operations = place.operations(unit.encoding());
    let first = operations.next().ok()??;
    operations.next().ok()?.is_none().then_some(first)
}

/// The type of the object that the last pointer or index of the steps leads to; none within if there is no
/// such step, and none at all if the types do not fit.
fn reached(types: &Types, start: UnitOffset, steps: &[Step]) -> Option<Option<UnitOffset>> {
    let mut at = start;
    let mut container = None;
    for step in steps {
        match step {
            Step::Member(name) => at = types.member_type(at, name)?,
            Step::Arrow(name) => {
                let target = types.target(at)?;
                container = Some(target);
                at = types.member_type(target, name)?;
            }
            Step::Element => match types.element_type(at) {
                Some(element) => at = element,
                None => (at, container) = (types.target(at)?, Some(types.target(at)?)),
            },
            Step::Inside => container = types.target(at).or(container),
            Step::Target => (at, container) = (types.target(at)?, Some(types.target(at)?)),
        }
    }
    Some(container)
}
