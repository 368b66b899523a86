//! A module's file, as far as reports need it: debug information and symbols.
//!
//! Read once, when the first finding is explained, and kept to the end of the process.

use addr2line::Context;
use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// Bytes of the file.
pub type Bytes = EndianSlice<'static, LittleEndian>;

/// See the module's documentation.
pub struct Image {
    /// From code addresses to source positions.
    pub context: Context<Bytes>,
    /// The debug information itself.
    pub dwarf: Arc<Dwarf<Bytes>>,
    symbols: Vec<Symbol>,
    file: object::File<'static>,
    /// The first addresses of functions, sorted.
    functions: Vec<u64>,
}

/// What the symbol table says of a stretch of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The first address, as in the file.
    pub start: u64,
    /// How many bytes.
    pub size: u64,
    /// The name, not demangled.
    pub name: &'static str,
}

impl Image {
    /// The image in this file; none if it cannot be read.
    pub fn open(path: &str) -> Option<Self> {
        let bytes = map(path)?;
        let file = object::File::parse(bytes).ok()?;
        let sections = Dwarf::load(|id| Ok::<_, gimli::Error>(section(&file, id))).ok()?;
        let dwarf = Arc::new(sections);
        let text = file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text);
        let defined = text.filter(|symbol| symbol.is_definition());
        let mut functions: Vec<u64> = defined.map(|symbol| symbol.address()).collect();
        functions.sort_unstable();
        functions.dedup();
        Some(Self {
            context: Context::from_arc_dwarf(Arc::clone(&dwarf)).ok()?,
            dwarf,
            symbols: symbols(&file),
            file,
            functions,
        })
    }

    /// Whether there is any debug information.
    pub fn has_debug_information(&self) -> bool {
        matches!(self.dwarf.units().next(), Ok(Some(_)))
    }

    /// The function that covers this address of the file.
    pub fn function(&self, address: u64) -> Option<Symbol> {
        self.symbol(address)
            .filter(|symbol| self.is_function(symbol.start))
    }

    /// Whether a function starts at this address of the file.
    pub fn is_function(&self, address: u64) -> bool {
        let (Some(first), Some(last)) = (self.functions.first(), self.functions.last()) else {
            return false;
        };
        (*first..=*last).contains(&address) && self.functions.binary_search(&address).is_ok()
    }

    /// Whether the code lies where the file says, so that an instruction may hold a function's address itself.
    pub fn is_fixed(&self) -> bool {
        self.file.kind() == object::ObjectKind::Executable
    }

    /// The code, with its addresses in the file.
    pub fn code(&self) -> impl Iterator<Item = (u64, &'static [u8])> {
        let text = self
            .file
            .sections()
            .filter(|section| section.kind() == SectionKind::Text);
        text.filter_map(|section| Some((section.address(), section.data().ok()?)))
    }

    /// Addresses in the file's data: of functions, among others.
    pub fn kept_addresses(&self) -> Vec<u64> {
        let relocations = self.file.dynamic_relocations().into_iter().flatten();
        let mut kept: Vec<u64> = relocations.map(|(_, one)| one.addend() as u64).collect();
        let is_data = |kind| {
            matches!(
                kind,
                SectionKind::Data | SectionKind::ReadOnlyData | SectionKind::Elf(_)
            )
        };
        for section in self
            .file
            .sections()
            .filter(|section| is_data(section.kind()))
        {
            let words = section.data().unwrap_or_default().chunks_exact(8);
            kept.extend(words.map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())));
        }
        // What other modules may call by name.
        let exported = self
            .file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition());
        kept.extend(exported.map(|symbol| symbol.address()));
        kept
    }

    /// The symbol that covers this address of the file.
    pub fn symbol(&self, address: u64) -> Option<Symbol> {
        let end = self
            .symbols
            .partition_point(|symbol| symbol.start <= address);
        let before = self.symbols[..end].iter().rev().take(16);
        before
            .copied()
            .find(|symbol| address - symbol.start < symbol.size)
    }
}

/// The name of the program's own file.
pub(crate) const MAIN_PATH: &str = "/proc/self/exe";

/// Maps the program's own file while that is possible: later the program may have another root.
pub(crate) fn prepare() {
    map(MAIN_PATH);
}

/// The file, open. A program that has used up its descriptors is about to end: it may have more.
fn open(path: &str) -> Option<File> {
    let opened = File::open(path);
    match opened {
        Err(error) if error.raw_os_error() == Some(::libc::EMFILE) => {
            allow_more_descriptors();
            File::open(path).ok()
        }
        opened => opened.ok(),
    }
}

fn allow_more_descriptors() {
    // SAFETY: memory we own.
    unsafe {
        let mut limit: ::libc::rlimit = std::mem::zeroed();
        if ::libc::getrlimit(::libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max.min(limit.rlim_cur.saturating_add(64));
            ::libc::setrlimit(::libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// The file in memory, never unmapped.
pub(crate) fn map(path: &str) -> Option<&'static [u8]> {
    static MAIN_BYTES: OnceLock<Option<&'static [u8]>> = OnceLock::new();
    match path == MAIN_PATH {
        true => *MAIN_BYTES.get_or_init(|| map_anew(path)),
        false => map_anew(path),
    }
}

fn map_anew(path: &str) -> Option<&'static [u8]> {
    let file = open(path)?;
    let len = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let (protection, flags) = (::libc::PROT_READ, ::libc::MAP_PRIVATE);
    // SAFETY: a fresh mapping of a file that is open.
    let start =
        unsafe { ::libc::mmap(ptr::null_mut(), len, protection, flags, file.as_raw_fd(), 0) };
    match start == ::libc::MAP_FAILED {
        true => None,
        // SAFETY: `len` bytes are mapped there and stay so; programs are not changed in place while they run.
        false => Some(unsafe { std::slice::from_raw_parts(start.cast(), len) }),
    }
}

/// Empty if there is none.
fn section(file: &object::File<'static>, id: SectionId) -> Bytes {
    let section = file.section_by_name(id.name());
    let data = section.and_then(|section| section.uncompressed_data().ok());
    let data: &'static [u8] = match data {
        None => &[],
        Some(std::borrow::Cow::Borrowed(data)) => data,
        Some(std::borrow::Cow::Owned(data)) => data.leak(),
    };
    EndianSlice::new(data, LittleEndian)
}

fn symbols(file: &object::File<'static>) -> Vec<Symbol> {
    let all = file.symbols().chain(file.dynamic_symbols());
    let sized = all.filter(|symbol| {
        symbol.size() > 0 && matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data)
    });
    let mut symbols: Vec<_> = sized
        .filter_map(|symbol| {
            Some(Symbol {
                start: symbol.address(),
                size: symbol.size(),
                name: symbol.name().ok()?,
            })
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.start);
    symbols
}
