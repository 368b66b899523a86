//! Which part of a variable an offset lies in: `[3]`, `.x`, `[1].y[2]`.

use crate::report::image::Bytes;
use gimli::{AttributeValue, Dwarf, Unit, UnitOffset};

type Entry = gimli::DebuggingInformationEntry<Bytes>;

/// Types nested deeper than this are not looked into: debug information may be wrong.
const DEPTH: usize = 32;

/// Containers whose elements do not follow each other.
const SCATTERED: [&str; 11] = [
    "map",
    "multimap",
    "set",
    "multiset",
    "unordered_map",
    "unordered_multimap",
    "unordered_set",
    "unordered_multiset",
    "list",
    "forward_list",
    "deque",
];

/// The types of one compilation unit.
#[derive(Clone, Copy)]
pub struct Types<'a> {
    /// All debug information of the file.
    pub dwarf: &'a Dwarf<Bytes>,
    /// The unit.
    pub unit: &'a Unit<Bytes>,
}

/// A part of a variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// What to write after the variable's name.
    pub path: String,
    /// Where in the variable it starts.
    pub start: u64,
}

impl Types<'_> {
    /// The smallest part with a name of its own that `offset` lies in.
    pub fn part(&self, variable_type: UnitOffset, offset: u64) -> Part {
        let mut part = Part::default();
        let mut at = (variable_type, offset);
        for _ in 0..DEPTH {
            match self.step(at.0, at.1, &mut part) {
                Some(next) => at = next,
                None => break,
            }
        }
        part
    }

    /// How many bytes a value of the type has.
    pub fn size(&self, of: UnitOffset) -> Option<u64> {
        self.size_within(of, DEPTH)
    }

    fn size_within(&self, of: UnitOffset, depth: usize) -> Option<u64> {
        let entry = self.plain(of)?;
        let size = entry
            .attr(gimli::DW_AT_byte_size)
            .and_then(|size| size.udata_value());
        match entry.tag() {
            _ if size.is_some() => size,
            gimli::DW_TAG_pointer_type => Some(u64::from(self.unit.encoding().address_size)),
            gimli::DW_TAG_array_type => {
                let count = self
                    .counts(&entry)
                    .into_iter()
                    .try_fold(1, u64::checked_mul)?;
                let element = self.size_within(type_of(&entry)?, depth.checked_sub(1)?)?;
                count.checked_mul(element)
            }
            _ => None,
        }
    }

    /// The type without a reference around it.
    pub fn referred(&self, of: UnitOffset) -> UnitOffset {
        let entry = self.plain(of);
        let is_reference = |entry: &Entry| {
            let tag = entry.tag();
            tag == gimli::DW_TAG_reference_type || tag == gimli::DW_TAG_rvalue_reference_type
        };
        entry
            .filter(is_reference)
            .and_then(|entry| type_of(&entry))
            .unwrap_or(of)
    }

    /// What a pointer of this type points to; of a class, what its first parameter says it holds: `int` of
    /// `std::vector<int>` and `std::unique_ptr<int>`. Containers whose elements do not follow each other have no such
    /// type.
    pub fn target(&self, of: UnitOffset) -> Option<UnitOffset> {
        let entry = self.plain(self.referred(of))?;
        match entry.tag() {
            gimli::DW_TAG_pointer_type => type_of(&entry),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type
                if !self.is_scattered(&entry) =>
            {
                let is_parameter = |tag| tag == gimli::DW_TAG_template_type_parameter;
                let found = |child: &Entry| is_parameter(child.tag()).then(|| type_of(child))?;
                self.child(&entry, found)
            }
            _ => None,
        }
    }

    /// Whether a class is a container of the standard library whose elements do not follow each other.
    fn is_scattered(&self, class: &Entry) -> bool {
        let name = class.attr_value(gimli::DW_AT_name);
        let name = name.and_then(|name| text(self.dwarf, self.unit, name));
        let kind = name.as_deref().and_then(|name| name.split('<').next());
        kind.is_some_and(|kind| SCATTERED.contains(&kind))
    }

    /// The type of an array's elements.
    pub fn element_type(&self, of: UnitOffset) -> Option<UnitOffset> {
        let entry = self.plain(self.referred(of))?;
        let is_array = entry.tag() == gimli::DW_TAG_array_type;
        is_array.then(|| type_of(&entry))?
    }

    /// The type of a member by name.
    pub fn member_type(&self, of: UnitOffset, name: &str) -> Option<UnitOffset> {
        self.named(of, name, type_of)
    }

    /// How far into the type a member by name starts.
    pub fn member_start(&self, of: UnitOffset, name: &str) -> Option<u64> {
        self.named(of, name, |member| {
            let start = member.attr(gimli::DW_AT_data_member_location);
            start.map_or(Some(0), |start| start.udata_value())
        })
    }

    /// What the member by this name yields.
    fn named<T>(
        &self,
        of: UnitOffset,
        name: &str,
        look: impl Fn(&Entry) -> Option<T>,
    ) -> Option<T> {
        let whole = self.plain(self.referred(of))?;
        self.child(&whole, |child| {
            let own = child.attr_value(gimli::DW_AT_name);
            let own = own.and_then(|own| text(self.dwarf, self.unit, own));
            let is_it = child.tag() == gimli::DW_TAG_member && own.as_deref() == Some(name);
            is_it.then(|| look(child))?
        })
    }

    /// What the first of an entry's children yields that yields anything.
    fn child<T>(&self, whole: &Entry, mut look: impl FnMut(&Entry) -> Option<T>) -> Option<T> {
        let mut entries = self.unit.entries_at_offset(whole.offset()).ok()?;
        entries.next_dfs().ok()?;
        let mut next = match entries.next_entry() {
            Ok(true) => entries.current().cloned(),
            _ => None,
        };
        while let Some(entry) = next {
            if let Some(found) = look(&entry) {
                return Some(found);
            }
            next = entries.next_sibling().ok()?.cloned();
        }
        None
    }

    /// One level down: an element or a member.
    fn step(&self, of: UnitOffset, offset: u64, part: &mut Part) -> Option<(UnitOffset, u64)> {
        let entry = self.plain(of)?;
        match entry.tag() {
            gimli::DW_TAG_array_type => self.element(&entry, offset, part),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                self.member(&entry, offset, part)
            }
            _ => None,
        }
    }

    fn element(&self, array: &Entry, offset: u64, part: &mut Part) -> Option<(UnitOffset, u64)> {
        let of = type_of(array)?;
        let size = self.size(of).filter(|&size| size > 0)?;
        let (mut index, counts) = (offset / size, self.counts(array));
        let mut path = String::new();
        for &count in counts.iter().skip(1).rev() {
            path = format!("[{}]{path}", index % count.max(1));
            index /= count.max(1);
        }
        part.path.push_str(&format!("[{index}]{path}"));
        part.start += offset - offset % size;
        Some((of, offset % size))
    }

    fn member(&self, whole: &Entry, offset: u64, part: &mut Part) -> Option<(UnitOffset, u64)> {
        self.child(whole, |entry| self.try_member(entry, offset, part))
    }

    fn try_member(&self, entry: &Entry, offset: u64, part: &mut Part) -> Option<(UnitOffset, u64)> {
        if !matches!(
            entry.tag(),
            gimli::DW_TAG_member | gimli::DW_TAG_inheritance
        ) {
            return None;
        }
        let of = type_of(entry)?;
        let location = entry.attr(gimli::DW_AT_data_member_location);
        let start = location.map_or(Some(0), |location| location.udata_value())?;
        let inside = offset.checked_sub(start)?;
        if inside >= self.size(of)? {
            return None;
        }
        let name = entry.attr_value(gimli::DW_AT_name);
        if let Some(name) = name.and_then(|name| text(self.dwarf, self.unit, name)) {
            // What the standard library is made of tells a reader nothing.
            if name.starts_with("_M_") || name.starts_with("__") {
                return None;
            }
            part.path.push_str(&format!(".{name}"));
        }
        part.start += start;
        Some((of, inside))
    }

    /// The lengths of the array's dimensions.
    fn counts(&self, array: &Entry) -> Vec<u64> {
        let mut counts = Vec::new();
        let Ok(mut tree) = self.unit.entries_tree(Some(array.offset())) else {
            return counts;
        };
        let Ok(root) = tree.root() else {
            return counts;
        };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let number = |name| entry.attr(name).and_then(|value| value.udata_value());
                let last = number(gimli::DW_AT_upper_bound).and_then(|last| last.checked_add(1));
                counts.push(number(gimli::DW_AT_count).or(last).unwrap_or(0));
            }
        }
        counts
    }

    /// The type without `const`, `typedef` and the like.
    fn plain(&self, of: UnitOffset) -> Option<Entry> {
        let mut entry = self.unit.entry(of).ok()?;
        for _ in 0..DEPTH {
            match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => entry = self.unit.entry(type_of(&entry)?).ok()?,
                _ => return Some(entry),
            }
        }
        None
    }
}

/// The type of a variable or member, or the element type of an array. One in another unit is not followed.
pub fn type_of(entry: &Entry) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// An attribute's text.
pub fn text(
    dwarf: &Dwarf<Bytes>,
    unit: &Unit<Bytes>,
    value: AttributeValue<Bytes>,
) -> Option<String> {
    let bytes = dwarf.attr_string(unit, value).ok()?;
    Some(bytes.to_string_lossy().into_owned())
}
