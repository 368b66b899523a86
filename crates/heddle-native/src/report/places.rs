//! What memory an address is, in the program's words.

use crate::heap::Block;
use crate::report::callers::Start;
use crate::report::declarations::Container;
use crate::report::frames::Frames;
use crate::report::functions::{self, Named};
use crate::report::source;
use crate::report::symbols::Known;
use crate::report::tables::{Accessed, Declared, Tables};
use crate::report::types::Part;
use heddle_core::{AccessKind, SiteId, TaskId};
use heddle_report::{ObjectInfo, ObjectKind, Unit};
use std::rc::Rc;
use std::sync::Arc;

/// What is raced on where a data block is destroyed while it may be acquired.
const LIFE: &str = "life of block";

/// A piece of memory.
#[derive(Clone, Debug)]
pub struct Located {
    /// What the report calls it: `sum`, `s[1].x`.
    pub name: String,
    /// The element, where it is one of many.
    pub index: Option<u64>,
    /// How far into the object it starts.
    pub offset: u64,
    /// The object.
    pub object: Arc<ObjectInfo>,
    /// The task that allocated it, by the runtime's number.
    pub allocated_by: Option<TaskId>,
}

/// What is known of a location beyond its address.
#[derive(Clone, Copy, Debug)]
pub struct Hints {
    /// The heap block it was in when the race was met.
    pub block: Option<Block>,
    /// The accesses to it.
    pub accesses: [Accessed; 2],
    /// The frames it may lie in.
    pub frames: Frames,
}

impl Tables<'_> {
    /// What the byte at this address is.
    pub fn locate(&mut self, address: usize, hints: Hints) -> Located {
        // What OpenMP's runtime has allocated are records of many tasks: their private variables are no heap blocks.
        let is_of_runtime = |block: &Block| self.is_of_starter(block.origin.site);
        if let Some(block) = hints.block.filter(|block| !is_of_runtime(block)) {
            return self.on_heap(address, &block, hints.accesses);
        }
        let global = self.global(address);
        global.unwrap_or_else(|| self.elsewhere(address, hints))
    }

    /// What a variable that lives as long as the program is called, or the part of one at this address.
    pub fn name_of_global(&mut self, address: usize) -> Option<String> {
        self.global(address).map(|located| located.name)
    }

    /// A name for the lock at this address.
    pub fn lock(&mut self, address: usize, block: Option<Block>) -> String {
        let accesses = [(super::tables::UNKNOWN, AccessKind::Read); 2];
        // The OpenMP library's own memory says nothing.
        let block = block.filter(|block| self.is_of_program(block.origin.site));
        let located = self.locate(
            address,
            Hints {
                block,
                accesses,
                frames: Frames::default(),
            },
        );
        // The members of a library's lock are none of the reader's business.
        let name = located.name.split_once("._");
        let name = name.or_else(|| located.name.split_once(".raw."));
        let (name, index) = match name {
            Some((lock, _)) => (lock, None),
            None => (located.name.as_str(), located.index),
        };
        match (located.object.kind, index) {
            (ObjectKind::Unknown | ObjectKind::Stack, _) => {
                self.member_lock(address).unwrap_or_default()
            }
            (_, None) => name.to_owned(),
            (_, Some(index)) => format!("{name}[{index}]"),
        }
    }

    fn on_heap(&mut self, address: usize, block: &Block, accesses: [Accessed; 2]) -> Located {
        let start = Start::of(block.origin.task, None);
        let allocation = self.called_by_the_program(block.origin.site, start);
        let (noun, header) = match crate::ocr::is_block(block.start) {
            true if address < block.start + crate::ocr::HEADER => (LIFE, 0),
            true => ("block", crate::ocr::HEADER),
            false => ("heap", 0),
        };
        let offset = address.wrapping_sub(block.start + header) as u64;
        let size = (block.size - header) as u64;
        let (kind, keeper) = match noun {
            "heap" => (ObjectKind::Heap, self.keeper(allocation)),
            _ => (ObjectKind::DataBlock, None),
        };
        // The standard library's own lines say nothing of the program.
        let is_of_library = kind == ObjectKind::Heap
            && (self.is_of_system(allocation)
                || keeper.is_none() && self.is_made_in_system(block.origin.site));
        let written = accesses
            .into_iter()
            .filter(|_| is_of_library && keeper.is_none());
        let written = written.filter_map(|access| self.lvalue(access)).next();
        let element = match kind {
            ObjectKind::Heap => self.element((address, offset), size, accesses, is_of_library),
            _ => None,
        };
        let is_typed = element.is_some();
        let whole = match (&keeper, &written) {
            (Some(keeper), _) => keeper.to_string(),
            (None, Some(written)) if is_typed => written.holder().to_string(),
            (None, Some(written)) => written.to_string(),
            (None, None) => format!("{noun}@{}", self.place(allocation)),
        };
        let keeper = keeper.or(written);
        let (name, index, start) = match element {
            _ if noun == LIFE => (whole.clone(), None, offset),
            None if is_of_library => (whole.clone(), None, 0),
            None => (whole.clone(), Some(offset), offset),
            Some(element) => {
                let (path, index) = last_index(&element.path);
                let is_member = path.starts_with('.') && keeper.is_some();
                let name = match path.strip_prefix('.').filter(|_| is_member) {
                    Some(member) => format!("{whole}->{member}"),
                    None => format!("{whole}{path}"),
                };
                (name, index, element.start)
            }
        };
        Located {
            name,
            index,
            offset: start,
            object: Arc::new(ObjectInfo {
                name: whole,
                // A node of a container is no object that the program knows.
                kind: match is_of_library && !is_typed {
                    true => ObjectKind::Unknown,
                    false => kind,
                },
                size: (is_typed || !is_of_library).then_some(size),
                unit: match is_typed || is_of_library {
                    true => Unit::Elements,
                    false => Unit::Bytes,
                },
                site: (!is_of_library).then_some(allocation),
                allocated_by: None,
            }),
            allocated_by: Some(block.origin.task),
        }
    }

    /// The path, line and column of a row.
    fn place(&self, row: SiteId) -> String {
        let site = self.legend.site(row);
        let file = site.and_then(|site| self.legend.file(site.file));
        match (site, file) {
            (Some(site), Some(file)) => format!("{}:{}:{}", file.path, site.line, site.column),
            _ => "?".into(),
        }
    }

    /// The element of a heap block at this offset, if one of the accesses tells what the block has elements of.
    fn element(
        &mut self,
        (address, offset): (usize, u64),
        size: u64,
        accesses: [Accessed; 2],
        is_of_library: bool,
    ) -> Option<Element> {
        accesses.into_iter().find_map(|access| {
            let (lvalue, meaning, known) = self.meaning(access)?;
            // What the library allocates need not be an object of the program.
            if is_of_library && !meaning.is_followed {
                return None;
            }
            let container = meaning.container.filter(|of| of.size <= size)?;
            let member = known.inventory.member(container, &lvalue);
            self.note_object(address, container, &known, member.as_ref());
            // The standard library may have put something before the object, as `make_shared` does.
            let (row, within) = (offset / container.size, offset % container.size);
            let is_shifted =
                |member: &Part| !size.is_multiple_of(container.size) && member.start != within;
            if let Some(member) = member.filter(is_shifted) {
                let (path, start) = (member.path, offset);
                return Some(Element { path, start });
            }
            let part = known.inventory.part_of(container, within);
            let path = match size < 2 * container.size {
                true => part.path,
                false => format!("[{row}]{}", part.path),
            };
            let start = row * container.size + part.start;
            Some(Element { path, start })
        })
    }

    /// Whether the program declares this name as a reference.
    fn is_reference(&mut self, declared: &Option<Declared>, name: &str) -> bool {
        let row = declared
            .clone()
            .map(|declared| self.declared(declared, name));
        let at = row.and_then(|row| self.line_of(row));
        at.is_some_and(|(line, column)| source::is_reference(line, column))
    }

    /// Remembers the object around a member: a lock in it can be called by its name there.
    fn note_object(
        &mut self,
        address: usize,
        container: Container,
        known: &Rc<Known>,
        member: Option<&Part>,
    ) {
        let start = member.and_then(|member| (address as u64).checked_sub(member.start));
        let object = start.map(|start| (start, container, Rc::clone(known)));
        self.objects.extend(object);
    }

    /// What a lock is called in an object whose members were raced on.
    fn member_lock(&self, address: usize) -> Option<String> {
        self.objects.iter().find_map(|(start, container, known)| {
            let offset = (address as u64).checked_sub(*start)?;
            let is_inside = offset < container.size;
            let part = is_inside.then(|| known.inventory.part_of(*container, offset))?;
            let name = part.path.strip_prefix('.')?;
            Some(name.to_owned())
        })
    }

    fn global(&mut self, address: usize) -> Option<Located> {
        let (module, known) = self.symbols.module(address)?;
        let (known, address) = (known?, module.in_file(address));
        let Some(variable) = known.inventory.variable(address) else {
            let symbol = known.image.symbol(address)?;
            let name = match functions::read(symbol.name) {
                Named::Plain(name) => name,
                _ => symbol.name.to_owned(),
            };
            return Some(whole(
                name,
                ObjectKind::Global,
                Some(symbol.size),
                address - symbol.start,
            ));
        };
        let part = known.inventory.part(variable, address - variable.start);
        let declared = variable.declared.clone();
        let site = declared.map(|declared| self.declared(declared, &variable.name));
        let (path, index) = last_index(&part.path);
        Some(Located {
            name: format!("{}{path}", variable.name),
            index,
            offset: part.start,
            object: Arc::new(ObjectInfo {
                name: variable.name.clone(),
                kind: ObjectKind::Global,
                size: Some(variable.whole),
                unit: Unit::default(),
                site,
                allocated_by: None,
            }),
            allocated_by: None,
        })
    }

    fn elsewhere(&mut self, address: usize, hints: Hints) -> Located {
        let (kind, unnamed) = match crate::stack::stack_of(address) {
            Some(_) => (ObjectKind::Stack, "memory on a stack"),
            None => (ObjectKind::Unknown, "unnamed memory"),
        };
        // A variable's own name says more than that of a pointer to it.
        let mut written: Vec<_> = hints
            .accesses
            .into_iter()
            .filter_map(|access| Some((access, self.lvalue(access)?)))
            .collect();
        written.sort_by_key(|(_, lvalue)| !lvalue.is_in_variable());
        let Some((access, written)) = written.into_iter().next() else {
            return whole(unnamed.into(), kind, None, 0);
        };
        let mut located = whole(written.to_string(), kind, None, 0);
        let meaning = self.meaning(access);
        if let Some((lvalue, meaning, known)) = &meaning
            && let Some(container) = meaning.container
        {
            let member = known.inventory.member(container, lvalue);
            self.note_object(address, container, known, member.as_ref());
        }
        let meaning = meaning.filter(|_| written.is_in_variable());
        let meaning = meaning.filter(|(_, meaning, _)| meaning.is_variable);
        // Of a reference it is not known to what it refers.
        let meaning =
            meaning.filter(|(_, meaning, _)| !self.is_reference(&meaning.declared, &written.base));
        if let Some((_, meaning, known)) = meaning {
            let part = meaning.local.and_then(|local| {
                let offset = local.offset_of(address, hints.frames)?;
                Some(known.inventory.part_of(local.whole, offset))
            });
            if let Some(part) = part {
                let (path, index) = last_index(&part.path);
                located.name = format!("{}{path}", written.base);
                (located.index, located.offset) = (index, part.start);
            }
            let declared = meaning.declared;
            let site = declared.map(|declared| self.declared(declared, &written.base));
            located.object = Arc::new(ObjectInfo {
                name: written.base,
                size: meaning.size,
                site,
                ..(*located.object).clone()
            });
        }
        located
    }
}

/// A part of a heap block.
struct Element {
    /// What to write after the block's name.
    path: String,
    /// Where in the block it starts.
    start: u64,
}

fn whole(name: String, kind: ObjectKind, size: Option<u64>, offset: u64) -> Located {
    let object = ObjectInfo {
        name: name.clone(),
        kind,
        size,
        unit: Unit::default(),
        site: None,
        allocated_by: None,
    };
    Located {
        name,
        index: None,
        offset,
        object: Arc::new(object),
        allocated_by: None,
    }
}

/// `[3]` apart from what stands before it, so that elements sort by number.
fn last_index(path: &str) -> (&str, Option<u64>) {
    let split = path
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
        .and_then(|(before, index)| Some((before, index.parse().ok()?)));
    match split {
        Some((before, index)) => (before, Some(index)),
        None => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_index_at_the_end_counts_as_one() {
        assert_eq!(last_index("[3]"), ("", Some(3)));
        assert_eq!(last_index("[1].y[2]"), ("[1].y", Some(2)));
        assert_eq!(last_index(".x"), (".x", None));
        assert_eq!(last_index(""), ("", None));
    }
}
