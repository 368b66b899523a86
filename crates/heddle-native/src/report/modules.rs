//! The loaded modules, and code addresses as 32-bit sites.
//!
//! Histories remember where an access was made in 32 bits, but a code address has 47. So the executable
//! parts of all modules are laid end to end: a site is a distance in that row. The executable comes
//! first, so that for it a site costs one subtraction and one comparison. Modules loaded later
//! (`dlopen`) are added when code of theirs is first met.
//!
//! Known miss: after `dlclose`, another module at the same addresses is taken for the old one.

use crate::report::image;
use heddle_core::SiteId;
use object::{Object, ObjectSymbol};
use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// One executable or shared library.
#[derive(Debug)]
pub struct Module {
    /// Its file.
    pub path: String,
    /// What the loader added to the addresses in the file.
    pub bias: usize,
    /// All its memory.
    pub memory: Range<usize>,
    /// Its code.
    code: Range<usize>,
    first_site: u32,
    /// The module noted before this one.
    older: *const Module,
}

/// The path of the executable.
use super::image::MAIN_PATH as MAIN;

/// What a module is to the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Its own code.
    Program,
    /// A library that is none of its author's concern.
    Library,
    /// A library that starts tasks: what called it is not what led to the task.
    Starter,
}

const LIBRARIES: [&str; 7] = [
    "libheddle_native",
    "libc.so",
    "libpthread",
    "libstdc++",
    "libc++",
    "libgcc_s",
    "ld-linux",
];

const STARTERS: [&str; 3] = ["libomp", "libgomp", "libiomp"];

/// Libraries whose own accesses are of no concern, or are told elsewhere, beside those above.
const KNOWN: [&str; 8] = [
    "libm.so",
    "libm-",
    "libdl",
    "librt",
    "libatomic",
    "libresolv",
    "libutil",
    "linux-vdso",
];

/// Libraries that run the program's tasks in ways that nothing tells us of: task runtimes and fibres.
const SCHEDULERS: [&str; 12] = [
    "libtbb",
    "libgomp",
    "libcilkrts",
    "libhpx",
    "libqthread",
    "libabt",
    "libboost_fiber",
    "libboost_context",
    "libboost_coroutine",
    "libpth.",
    "libcoro",
    "libdispatch",
];

/// All modules met so far. They are never forgotten.
#[derive(Debug)]
pub struct Modules {
    code: Range<usize>,
    newest: AtomicPtr<Module>,
    growing: Mutex<()>,
}

// SAFETY: the list is only ever added to, under `growing`; its nodes are immutable and never freed.
unsafe impl Sync for Modules {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Modules {}

/// What stands for no place in the program.
pub const NOWHERE: SiteId = SiteId::new(0);

static MODULES: OnceLock<Modules> = OnceLock::new();

/// The modules of this process.
#[inline]
pub fn modules() -> &'static Modules {
    MODULES.get_or_init(Modules::load)
}

/// The site of a code address of this process.
#[inline]
pub fn site(pc: usize) -> SiteId {
    modules().site(pc)
}

/// The same, if it is the executable's.
#[inline]
pub(crate) fn near_site(pc: usize) -> Option<SiteId> {
    modules().near_site(pc)
}

impl Modules {
    /// The modules that are loaded now.
    pub fn load() -> Self {
        let mut modules = Self {
            code: 0..0,
            newest: AtomicPtr::new(ptr::null_mut()),
            growing: Mutex::new(()),
        };
        modules.refresh();
        // The executable is the oldest.
        modules.code = modules.iter().last().map_or(0..0, |main| main.code.clone());
        modules
    }

    /// The site of a code address.
    #[inline]
    pub fn site(&self, pc: usize) -> SiteId {
        self.near_site(pc).unwrap_or_else(|| self.far_site(pc))
    }

    #[inline]
    fn near_site(&self, pc: usize) -> Option<SiteId> {
        let distance = pc.wrapping_sub(self.code.start);
        (distance < self.code.len()).then(|| SiteId::new(distance as u32 + 1))
    }

    /// The code address of a site.
    pub fn pc(&self, site: SiteId) -> Option<usize> {
        let module = self.iter().find(|module| module.has_site(site.raw()))?;
        Some(module.code.start + (site.raw() - module.first_site) as usize)
    }

    /// The module this address lies in, code or data.
    pub fn find(&self, address: usize) -> Option<&Module> {
        self.iter().find(|module| module.memory.contains(&address))
    }

    /// Whether there is code at this address.
    pub(super) fn is_code(&self, address: usize) -> bool {
        self.iter().any(|module| module.code.contains(&address))
    }

    /// What the module with this code is to the program; no module is a library.
    pub fn role(&self, pc: usize) -> Role {
        self.find(pc).map_or(Role::Library, Module::role)
    }

    /// The executable.
    pub fn main(&self) -> Option<&Module> {
        self.iter().last()
    }

    /// All that were met so far.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Module> {
        self.iter()
    }

    /// An address in each module of the program itself.
    pub(super) fn programs(&self) -> impl Iterator<Item = usize> {
        let own = self.iter().filter(|module| module.role() == Role::Program);
        let own = own.filter(|module| module.path == MAIN || !module.is_known());
        own.map(|module| module.memory.start)
    }

    /// The files of libraries that ran without being checked, each once.
    pub fn unchecked(&self) -> Vec<&str> {
        self.refresh();
        let libraries = self.iter().filter(|module| module.path != MAIN);
        let unchecked = libraries.filter(|module| !module.is_known() && !module.is_instrumented());
        let mut names: Vec<&str> = unchecked.map(Module::file).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Those of libraries that run tasks we do not know of.
    pub fn schedulers(&self) -> Vec<&str> {
        let is_one = |name: &&str| SCHEDULERS.iter().any(|known| name.starts_with(known));
        self.unchecked().into_iter().filter(is_one).collect()
    }

    /// The latest first.
    fn iter(&self) -> impl Iterator<Item = &Module> {
        let newest: *const Module = self.newest.load(Ordering::Acquire);
        // SAFETY: nodes are leaked boxes, published with release.
        let get = |node: *const Module| unsafe { node.as_ref() };
        std::iter::successors(get(newest), move |module| get(module.older))
    }

    #[cold]
    fn far_site(&self, pc: usize) -> SiteId {
        let known = |modules: &Self| modules.iter().find_map(|module| module.site(pc));
        known(self)
            .or_else(|| {
                self.refresh();
                known(self)
            })
            .unwrap_or(NOWHERE)
    }

    /// Adds what is loaded and not known yet.
    pub(crate) fn refresh(&self) {
        let _growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        for found in loaded() {
            let is_known = |module: &Module| {
                module.bias == found.bias
                    && module.memory == found.memory
                    && module.path == found.path
            };
            if !self.iter().any(is_known) {
                self.add(found);
            }
        }
    }

    fn add(&self, mut module: Module) {
        let newest = self.newest.load(Ordering::Acquire);
        let next_site = self.iter().next().map_or(Some(1), Module::end_site);
        // Once the numbers are used up, further code is nowhere.
        let fits = next_site.filter(|site| site.checked_add(module.code.len() as u32).is_some());
        if fits.is_none() {
            module.code = 0..0;
        }
        module.first_site = fits.unwrap_or(u32::MAX);
        module.older = newest;
        self.newest
            .store(Box::into_raw(Box::new(module)), Ordering::Release);
    }
}

impl Module {
    /// The address in the module's file.
    pub fn in_file(&self, address: usize) -> u64 {
        address.wrapping_sub(self.bias) as u64
    }

    /// The address in memory of an address in the module's file.
    pub fn in_memory(&self, address: u64) -> usize {
        self.bias.wrapping_add(address as usize)
    }

    fn file(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether what it does needs no instrumentation to be known.
    fn is_known(&self) -> bool {
        let is_omp = self.file().starts_with("libomp") || self.file().starts_with("libiomp");
        let is_one = |name: &&str| self.file().starts_with(name);
        is_omp || self.file().is_empty() || LIBRARIES.iter().any(is_one) || KNOWN.iter().any(is_one)
    }

    /// Whether it was built with instrumentation: it then refers to the checker.
    fn is_instrumented(&self) -> bool {
        let file = image::map(&self.path).and_then(|bytes| object::File::parse(bytes).ok());
        file.is_some_and(|file| {
            let mut symbols = file
                .dynamic_symbols()
                .filter(|symbol| symbol.is_undefined());
            symbols.any(|symbol| symbol.name().is_ok_and(|name| name.starts_with("__tsan_")))
        })
    }

    /// What it is to the program.
    pub fn role(&self) -> Role {
        let file = self.file();
        let is_one_of = |names: &[&str]| names.iter().any(|name| file.starts_with(name));
        match (is_one_of(&STARTERS), is_one_of(&LIBRARIES)) {
            (true, _) => Role::Starter,
            (false, true) => Role::Library,
            (false, false) => Role::Program,
        }
    }

    fn site(&self, pc: usize) -> Option<SiteId> {
        let distance = pc.wrapping_sub(self.code.start);
        (distance < self.code.len()).then(|| SiteId::new(self.first_site + distance as u32))
    }

    fn has_site(&self, site: u32) -> bool {
        site.checked_sub(self.first_site)
            .is_some_and(|distance| (distance as usize) < self.code.len())
    }

    fn end_site(&self) -> Option<u32> {
        self.first_site
            .checked_add(u32::try_from(self.code.len()).ok()?)
    }
}

/// The executable, then the libraries in the sequence in which they were loaded.
fn loaded() -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    // SAFETY: the callback gets the pointer passed here and is called only during this call.
    unsafe { ::libc::dl_iterate_phdr(Some(note), (&raw mut modules).cast()) };
    modules
}

/// # Safety
/// To be called by `dl_iterate_phdr` with a pointer to the vector.
unsafe extern "C" fn note(
    info: *mut ::libc::dl_phdr_info,
    _size: usize,
    modules: *mut c_void,
) -> c_int {
    // SAFETY: see above; the loader passes a valid description.
    let (info, modules) = unsafe { (&*info, &mut *modules.cast::<Vec<Module>>()) };
    // SAFETY: the loader says where the program headers are and how many.
    let headers = unsafe { headers(info) };
    let bias = info.dlpi_addr as usize;
    let parts = headers.iter().filter(|part| part.p_type == ::libc::PT_LOAD);
    let range = |part: &::libc::Elf64_Phdr| {
        let start = bias.wrapping_add(part.p_vaddr as usize);
        start..start.saturating_add(part.p_memsz as usize)
    };
    let code = parts
        .clone()
        .filter(|part| part.p_flags & ::libc::PF_X != 0);
    modules.push(Module {
        // SAFETY: a name is a C string or null.
        path: unsafe { path(info.dlpi_name, modules.is_empty()) },
        bias,
        memory: hull(parts.map(range)),
        code: hull(code.map(range)),
        first_site: 0,
        older: ptr::null(),
    });
    0
}

/// # Safety
/// `info` comes from the loader.
unsafe fn headers(info: &::libc::dl_phdr_info) -> &[::libc::Elf64_Phdr] {
    match info.dlpi_phdr.is_null() {
        true => &[],
        // SAFETY: as promised by the caller.
        false => unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) },
    }
}

/// # Safety
/// `name` is null or a C string.
unsafe fn path(name: *const std::ffi::c_char, is_main: bool) -> String {
    match is_main || name.is_null() {
        true => MAIN.into(),
        // SAFETY: as promised by the caller.
        false => unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned(),
    }
}

fn hull(ranges: impl Iterator<Item = Range<usize>>) -> Range<usize> {
    ranges
        .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
        .unwrap_or(0..0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> usize {
        here as fn() -> usize as usize
    }

    #[test]
    fn a_site_of_the_executable_leads_back_to_its_address() {
        let modules = Modules::load();
        let site = modules.site(here());
        assert_ne!(site, NOWHERE);
        assert_eq!(modules.pc(site), Some(here()));
        assert!(
            modules
                .main()
                .is_some_and(|main| main.memory.contains(&here()))
        );
    }

    #[test]
    fn a_site_of_a_library_leads_back_to_its_address() {
        let modules = Modules::load();
        let pc = ::libc::getpid as *const () as usize;
        let site = modules.site(pc);
        assert_ne!(site, NOWHERE);
        assert_eq!(modules.pc(site), Some(pc));
        let module = modules.find(pc).expect("the library is loaded");
        assert!(module.path.contains("libc"), "{}", module.path);
    }

    #[test]
    fn an_address_outside_all_code_is_nowhere() {
        let modules = Modules::load();
        let local = 0u8;
        assert_eq!(modules.site(ptr::from_ref(&local).addr()), NOWHERE);
        assert_eq!(modules.site(0), NOWHERE);
        assert_eq!(modules.pc(NOWHERE), None);
    }
}
