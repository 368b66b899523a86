//! Whose code made a call: the program's, or a library's that minds its own business.
//!
//! The functions taken over for the program are also called by libraries around it. The OpenMP
//! runtime's threads, locks and memory are described by its own front end, the C library's by what it
//! is documented to do, and ours by nothing; only the rest is the program.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whose code it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    /// The program's, or a library's that acts for it (such as the C++ library).
    Program,
    /// The OpenMP runtime's.
    OpenMp,
    /// The C library's, or the loader's.
    System,
    /// Ours.
    Checker,
}

/// Whose code `pc` belongs to.
#[inline]
pub fn of(pc: usize) -> Caller {
    let inside = |part: &&Part| {
        pc.wrapping_sub(part.start.load(Ordering::Relaxed)) < part.len.load(Ordering::Relaxed)
    };
    PARTS
        .iter()
        .find(inside)
        .map_or(Caller::Program, |part| part.owner)
}

/// Whether `pc` belongs to the program.
#[inline]
pub fn is_program(pc: usize) -> bool {
    of(pc) == Caller::Program
}

/// Addresses of one library that is not the program.
struct Part {
    owner: Caller,
    names: &'static [&'static str],
    start: AtomicUsize,
    len: AtomicUsize,
}

impl Part {
    const fn new(owner: Caller, names: &'static [&'static str]) -> Self {
        Self {
            owner,
            names,
            start: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
        }
    }

    fn is(&self, name: &str, start: usize, len: usize) -> bool {
        match self.owner {
            Caller::Checker => (start..start + len).contains(&(learn as *const () as usize)),
            _ => self.names.iter().any(|prefix| name.starts_with(prefix)),
        }
    }
}

static PARTS: [Part; 4] = [
    Part::new(Caller::Checker, &[]),
    Part::new(Caller::OpenMp, &["libomp", "libiomp", "libgomp"]),
    Part::new(Caller::System, &["libc.so", "libc-"]),
    Part::new(Caller::System, &["ld-linux", "ld-"]),
];

/// Notes where the libraries are. Needs no lock: whoever does it again finds the same.
pub extern "C" fn learn() {
    // SAFETY: the callback keeps to the contract of `dl_iterate_phdr` and ignores its data.
    unsafe { ::libc::dl_iterate_phdr(Some(visit), std::ptr::null_mut()) };
}

/// Runs as soon as this library is loaded; all others the program starts with are mapped by then.
#[used]
#[unsafe(link_section = ".init_array")]
static LEARN: extern "C" fn() = learn;

unsafe extern "C" fn visit(
    info: *mut ::libc::dl_phdr_info,
    _size: usize,
    _data: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes a valid description, whose name is a C string or null.
    let (info, name) = unsafe {
        let name = (*info).dlpi_name;
        let name = (!name.is_null()).then(|| CStr::from_ptr(name).to_bytes());
        (&*info, name.unwrap_or_default())
    };
    let name = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let name = std::str::from_utf8(name).unwrap_or_default();
    let (start, len) = extent(info);
    if let Some(part) = PARTS.iter().find(|part| part.is(name, start, len)) {
        part.len.store(0, Ordering::Relaxed);
        part.start.store(start, Ordering::Relaxed);
        part.len.store(len, Ordering::Relaxed);
    }
    0
}

/// The addresses a library spans.
fn extent(info: &::libc::dl_phdr_info) -> (usize, usize) {
    // SAFETY: the loader's table has `dlpi_phnum` headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let loaded = headers
        .iter()
        .filter(|header| header.p_type == ::libc::PT_LOAD);
    let (first, last) = loaded.fold((u64::MAX, 0), |(first, last), header| {
        (
            first.min(header.p_vaddr),
            last.max(header.p_vaddr + header.p_memsz),
        )
    });
    let start = info.dlpi_addr.wrapping_add(first) as usize;
    (start, last.saturating_sub(first) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_c_library_are_told_from_ours() {
        learn();
        assert_eq!(of(::libc::getpid as *const () as usize + 1), Caller::System);
        assert_eq!(of(learn as *const () as usize + 1), Caller::Checker);
        assert_eq!(of(8), Caller::Program);
    }
}
