//! The functions and variables of a module by name, from its debug information.

use crate::report::declarations::{Around, Declaration, frame_base};
use crate::report::functions::demangled;
use crate::report::image::{Bytes, Image};
use crate::report::types::{Part, Types, text, type_of};
use gimli::{AttributeValue, Dwarf, Operation, Unit, UnitOffset};
use std::path::Path;
use std::sync::Arc;

type Entry = gimli::DebuggingInformationEntry<Bytes>;

/// See the module's documentation.
pub struct Inventory {
    dwarf: Arc<Dwarf<Bytes>>,
    units: Vec<Unit<Bytes>>,
    /// By address.
    variables: Vec<Variable>,
    /// By file and line.
    functions: Vec<(String, u32, String)>,
    /// By name, and those of one name as the file has them.
    declarations: Vec<Declaration>,
}

/// A variable that lives as long as the program.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its first address, as in the file.
    pub start: u64,
    /// How many bytes.
    pub size: u64,
    /// Where in the variable they are: the optimiser may give its parts addresses of their own.
    pub offset: u64,
    /// How many bytes all of the variable has.
    pub whole: u64,
    /// Its name.
    pub name: String,
    /// Where it is declared: file, line, column.
    pub declared: Option<(String, u32, u32)>,
    unit: usize,
    of_type: Option<UnitOffset>,
}

/// A part of a variable at an address of its own.
struct Piece {
    start: u64,
    offset: u64,
    /// None if it is all that is left of the variable.
    size: Option<u64>,
}

impl Inventory {
    /// What this image has.
    pub fn new(image: &Image) -> Self {
        let mut inventory = Self {
            dwarf: Arc::clone(&image.dwarf),
            units: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            declarations: Vec::new(),
        };
        let mut headers = image.dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            if let Ok(unit) = image.dwarf.unit(header) {
                inventory.add_unit(&unit);
                inventory.units.push(unit);
            }
        }
        inventory.variables.sort_by_key(|variable| variable.start);
        let declarations = &mut inventory.declarations;
        declarations.sort_by(|a, b| a.name().cmp(b.name()));
        inventory.functions.sort();
        inventory.functions.dedup();
        inventory
    }

    /// The function of the program whose declaration is the last before this line.
    pub fn function_at(&self, file: &str, line: u32) -> Option<&str> {
        let file = file_name(file);
        let end = self
            .functions
            .partition_point(|(name, at, _)| (name.as_str(), *at) <= (file, line));
        let (name, _, function) = self.functions[..end].last()?;
        (name == file).then_some(function.as_str())
    }

    /// The variable that covers this address of the file.
    pub fn variable(&self, address: u64) -> Option<&Variable> {
        let end = self
            .variables
            .partition_point(|variable| variable.start <= address);
        let mut before = self.variables[..end].iter().rev().take(16);
        before.find(|variable| address - variable.start < variable.size)
    }

    /// The part of the variable at this offset.
    pub fn part(&self, variable: &Variable, offset: u64) -> Part {
        match (self.units.get(variable.unit), variable.of_type) {
            (Some(unit), Some(of_type)) => self.types(unit).part(of_type, variable.offset + offset),
            _ => Part::default(),
        }
    }

    /// What names were declared as, by name.
    pub(super) fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// All debug information of the file.
    pub(super) fn dwarf(&self) -> &Dwarf<Bytes> {
        &self.dwarf
    }

    /// A compilation unit by number.
    pub(super) fn unit(&self, unit: usize) -> Option<&Unit<Bytes>> {
        self.units.get(unit)
    }

    /// The types of a unit.
    pub(super) fn types<'a>(&'a self, unit: &'a Unit<Bytes>) -> Types<'a> {
        let dwarf = &self.dwarf;
        Types { dwarf, unit }
    }

    fn add_unit(&mut self, unit: &Unit<Bytes>) {
        let mut entries = unit.entries();
        let mut around = Around::default();
        while let Ok(Some(entry)) = entries.next_dfs() {
            around.enter(entry, |function| frame_base(unit, function));
            let declaration = around.declaration((self.units.len(), unit), entry, self);
            self.declarations.extend(declaration);
            match entry.tag() {
                gimli::DW_TAG_variable => {
                    let variables = self.variables_of(unit, entry);
                    self.variables.extend(variables.into_iter().flatten());
                }
                gimli::DW_TAG_subprogram => {
                    let function = self.function_of(unit, entry);
                    self.functions.extend(function);
                }
                _ => {}
            }
        }
    }

    /// The variable an entry is, once for each part that has an address of its own.
    fn variables_of(&self, unit: &Unit<Bytes>, entry: &Entry) -> Option<Vec<Variable>> {
        let pieces = self.pieces(unit, entry)?;
        // What a class or header declares, its definition only refers to.
        let declaration = match entry.attr_value(gimli::DW_AT_specification) {
            Some(AttributeValue::UnitRef(offset)) => Some(unit.entry(offset).ok()?),
            _ => None,
        };
        let named = declaration.as_ref().unwrap_or(entry);
        let full = [Some(entry), declaration.as_ref()].into_iter().flatten();
        let mut full = full.filter_map(|entry| entry.attr_value(gimli::DW_AT_linkage_name));
        let name = match full.next_back() {
            Some(name) => demangled(&text(&self.dwarf, unit, name)?),
            None => text(&self.dwarf, unit, named.attr_value(gimli::DW_AT_name)?)?,
        };
        let of_type = type_of(entry).or_else(|| type_of(declaration.as_ref()?));
        let whole = of_type.and_then(|of_type| self.types(unit).size(of_type));
        let whole = whole.unwrap_or(1);
        let variable = |piece: &Piece| Variable {
            start: piece.start,
            size: piece.size.unwrap_or(whole),
            offset: piece.offset,
            whole,
            name: name.clone(),
            declared: declared(&self.dwarf, unit, named),
            unit: self.units.len(),
            of_type,
        };
        Some(pieces.iter().map(variable).collect())
    }

    /// The fixed addresses of a variable; none if it has no memory or each thread has its own.
    fn pieces(&self, unit: &Unit<Bytes>, entry: &Entry) -> Option<Vec<Piece>> {
        let location = entry.attr(gimli::DW_AT_location)?.exprloc_value()?;
        let is_computed = is_computed(location.operations(unit.encoding()));
        let mut operations = location.operations(unit.encoding());
        let (mut pieces, mut offset, mut start) = (Vec::new(), 0, None);
        while let Some(operation) = operations.next().ok()? {
            match operation {
                Operation::Address { address } => start = Some(address),
                Operation::AddressIndex { index } => {
                    start = Some(self.dwarf.address(unit, index).ok()?);
                }
                Operation::Piece { size_in_bits, .. } => {
                    let size = Some(size_in_bits / 8);
                    let piece = |start| Piece {
                        start,
                        offset,
                        size,
                    };
                    pieces.extend(start.take().map(piece));
                    offset += size_in_bits / 8;
                }
                Operation::PlusConstant { value } => start = start.map(|start| start + value),
                // A variable that is only ever one of two values may be kept in a byte, from which they are computed.
                Operation::Deref { size, .. } if is_computed => {
                    let size = Some(u64::from(size));
                    let piece = |start| Piece {
                        start,
                        offset,
                        size,
                    };
                    pieces.extend(start.take().map(piece));
                }
                // A part that the optimiser left out, or one that each thread has for itself.
                _ => start = None,
            }
        }
        let size = None;
        pieces.extend(start.map(|start| Piece {
            start,
            offset,
            size,
        }));
        Some(pieces)
    }

    fn function_of(&self, unit: &Unit<Bytes>, entry: &Entry) -> Option<(String, u32, String)> {
        if entry.has_attr(gimli::DW_AT_artificial) || entry.has_attr(gimli::DW_AT_declaration) {
            return None;
        }
        let declaration = match entry.attr_value(gimli::DW_AT_specification) {
            Some(AttributeValue::UnitRef(offset)) => Some(unit.entry(offset).ok()?),
            _ => None,
        };
        let attribute = |name| {
            let own = entry.attr_value(name);
            own.or_else(|| declaration.as_ref()?.attr_value(name))
        };
        let name = attribute(gimli::DW_AT_linkage_name).or_else(|| attribute(gimli::DW_AT_name))?;
        let name = text(&self.dwarf, unit, name)?;
        // Gcc's lambdas have no name of their own: they belong to the function around them.
        if name == "operator()" {
            return None;
        }
        let (file, line, _) = declared(&self.dwarf, unit, entry)?;
        Some((file_name(&file).to_owned(), line, demangled(&name)))
    }
}

/// Whether these operations compute a value, and do not lead to where it is kept.
fn is_computed(mut operations: gimli::OperationIter<Bytes>) -> bool {
    std::iter::from_fn(|| operations.next().ok()?).any(|one| one == Operation::StackValue)
}

/// Where an entry was declared: file, line, column.
pub(super) fn declared(
    dwarf: &Dwarf<Bytes>,
    unit: &Unit<Bytes>,
    entry: &Entry,
) -> Option<(String, u32, u32)> {
    let number = |name| entry.attr(name).and_then(|value| value.udata_value());
    let line = u32::try_from(number(gimli::DW_AT_decl_line)?).ok()?;
    let column = number(gimli::DW_AT_decl_column).and_then(|column| u32::try_from(column).ok());
    let file = match entry.attr_value(gimli::DW_AT_decl_file)? {
        AttributeValue::FileIndex(index) => path(dwarf, unit, index)?,
        _ => return None,
    };
    Some((file, line.max(1), column.unwrap_or(1).max(1)))
}

/// The path of a file in the unit's table, as the compiler knew it.
fn path(dwarf: &Dwarf<Bytes>, unit: &Unit<Bytes>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let directory = file.directory(header);
    let directory = directory.and_then(|directory| text(dwarf, unit, directory));
    let name = text(dwarf, unit, file.path_name())?;
    let start = unit
        .comp_dir
        .map(|start| start.to_string_lossy().into_owned());
    let path = Path::new(start.as_deref().unwrap_or(""))
        .join(directory.as_deref().unwrap_or(""))
        .join(name);
    Some(path.to_string_lossy().into_owned())
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::report::modules::Modules;
    use crate::report::symbols::Symbols;

    #[repr(C)]
    struct Pair {
        left: u8,
        right: [u32; 3],
    }

    static PAIRS: [Pair; 2] = [
        Pair {
            left: 1,
            right: [2, 3, 4],
        },
        Pair {
            left: 5,
            right: [6, 7, 8],
        },
    ];

    fn described(address: usize) -> Option<(String, u64)> {
        let modules = Modules::load();
        let (module, known) = Symbols::new(&modules).module(address)?;
        let known = known?;
        let address = module.in_file(address);
        let variable = known.inventory.variable(address)?;
        let part = known.inventory.part(variable, address - variable.start);
        Some((format!("{}{}", variable.name, part.path), part.start))
    }

    #[test]
    fn elements_and_members_of_variables_are_named() {
        let right = &std::hint::black_box(&PAIRS)[1].right;
        let address = std::ptr::from_ref(&right[2]).addr();
        let named = described(address + 1).expect("tests have debug information");
        let (name, start) = named;
        // Rust adds a hash to the variable's name.
        assert!(
            name.contains("PAIRS") && name.ends_with("[1].right[2]"),
            "{name}"
        );
        assert_eq!(start, 16 + 4 + 8);
        assert_eq!(PAIRS[0].left + PAIRS[1].left, 6);
    }

    #[test]
    fn memory_of_no_variable_has_no_name() {
        assert_eq!(described(described as *const () as usize), None);
        assert_eq!(described(0), None);
    }
}
