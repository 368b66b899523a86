//! Functions of the program's own under names that the C library has, too.
//!
//! The linker turns the program's references to functions of the C library away to ours (`--wrap`, see
//! [`crate::libc`]), also where the program has a function of that name in another file. Such a call is meant for
//! that function, whatever its parameters are: the shim passes it on before anything is made of it.
//!
//! # Known limit
//! A function that the executable does not export is not found. All are exported that this library refers to, and
//! it refers to the functions that it takes over.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the linker puts before the name.
const TURNED_AWAY: &[u8] = b"__wrap_";

/// Where the program's own function is; zero if it has none.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct OwnSymbol(AtomicUsize);

impl OwnSymbol {
    pub(crate) const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Looks for the function that calls of `symbol`, an entry point of this library, may be meant for.
    pub(crate) fn search(&self, symbol: &'static CStr) {
        if !symbol.to_bytes().starts_with(TURNED_AWAY) {
            return;
        }
        let name = &symbol.to_bytes_with_nul()[TURNED_AWAY.len()..];
        // SAFETY: the rest of a C string is one.
        let address =
            unsafe { ::libc::dlsym(::libc::RTLD_DEFAULT, name.as_ptr().cast::<c_char>()) };
        // SAFETY: asks the kernel.
        let entry = unsafe { ::libc::getauxval(::libc::AT_ENTRY) } as usize;
        let address = address as usize;
        if address != 0 && object_of(address).is_some_and(|object| object_of(entry) == Some(object))
        {
            self.0.store(address, Ordering::Relaxed);
        }
    }
}

/// Where the executable or library begins that an address is in.
fn object_of(address: usize) -> Option<usize> {
    let mut found = MaybeUninit::<::libc::Dl_info>::zeroed();
    // SAFETY: the place is the call's; all zeroes are a value of this type.
    let found = unsafe {
        match ::libc::dladdr(address as *const _, found.as_mut_ptr()) {
            0 => return None,
            _ => found.assume_init(),
        }
    };
    Some(found.dli_fbase as usize)
}

/// Defines `OWN` for an entry point, and has it searched when the library is loaded.
macro_rules! own_symbol {
    ($symbol:literal) => {
        static OWN: $crate::own_symbol::OwnSymbol = $crate::own_symbol::OwnSymbol::new();
        #[used]
        #[unsafe(link_section = ".init_array")]
        static SEARCH_OWN: extern "C" fn() = {
            extern "C" fn search() {
                let symbol = std::ffi::CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes());
                OWN.search(symbol.unwrap_or_default());
            }
            search
        };
    };
}

pub(crate) use own_symbol;
