//! How a function of the C world is taken over: entry points that know who called, and the way to the
//! function that would have been called without us.
//!
//! An access is reported with the place in the program that made it. For a call that is its return
//! address, which Rust cannot name; so every entry point is a short shim that passes `[rsp]`
//! in the next free argument register and jumps to a Rust function with one more parameter. Where the program has
//! a function of its own for such a call, the shim jumps there instead ([`crate::own_symbol`]).

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The register of the argument after those given.
macro_rules! next_register {
    () => {
        "rdi"
    };
    ($a:ident) => {
        "rsi"
    };
    ($a:ident $b:ident) => {
        "rdx"
    };
    ($a:ident $b:ident $c:ident) => {
        "rcx"
    };
    ($a:ident $b:ident $c:ident $d:ident) => {
        "r8"
    };
    ($a:ident $b:ident $c:ident $d:ident $e:ident) => {
        "r9"
    };
}

/// Defines functions under the symbols given, with the caller's return address as last parameter.
///
/// A parameter after `;` in the list travels in a vector register and comes first. Takes at most five
/// others.
macro_rules! export {
    ($(
        $(#[$meta:meta])*
        [$($symbol:literal),+] fn $name:ident $parameters:tt at $pc:ident $(-> $ret:ty)? $body:block
    )*) => {$(
        $($crate::shim::entry!($symbol $name $parameters);)+
        $crate::shim::function!({$(#[$meta])*} $name $parameters $pc {$(-> $ret)?} $body);
    )*};
}

/// The shim itself.
macro_rules! entry {
    ($symbol:literal $name:ident ($($arg:ident: $ty:ty),* $(; $float:ident: $float_ty:ty)?)) => {
        const _: () = {
            $crate::own_symbol::own_symbol!($symbol);
            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn shim() {
                std::arch::naked_asm!(
                    "cmp qword ptr [rip + {own}], 0",
                    "jne 2f",
                    concat!("mov ", $crate::shim::next_register!($($arg)*), ", [rsp]"),
                    "jmp {function}",
                    "2:",
                    "jmp qword ptr [rip + {own}]",
                    function = sym $name,
                    own = sym OWN,
                )
            }
        };
    };
}

/// The function that a shim jumps to.
macro_rules! function {
    ({$(#[$meta:meta])*} $name:ident ($($arg:ident: $ty:ty),* $(; $float:ident: $float_ty:ty)?) $pc:ident {$(-> $ret:ty)?} $body:block) => {
        $(#[$meta])*
        unsafe extern "C-unwind" fn $name($($float: $float_ty,)? $($arg: $ty,)* $pc: usize) $(-> $ret)? $body
    };
}

/// Declares functions that stand behind ours in the search for symbols.
///
/// Searching takes the loader's lock and is not for signal handlers, so it is done as soon as this
/// library is loaded, or at the first use if that comes earlier. After `if present;` come functions that
/// need not be there; they are searched at their first use.
macro_rules! behind {
    (if present; $($rest:tt)*) => {
        $crate::shim::behind!(@all late $($rest)*);
    };
    (@all $when:ident $(
        $(($version:literal))? fn $name:ident $parameters:tt $(-> $ret:ty)? $(, or $missing:expr)?;
    )*) => {$(
        $crate::shim::behind!(@one $when {$crate::shim::version!($($version)?)} $name $parameters {$(-> $ret)?} {$crate::shim::missing!($($missing)?)});
    )*};
    (@one $when:ident {$version:expr} $name:ident ($($arg:ident: $ty:ty),*) {$(-> $ret:ty)?} {$missing:expr}) => {
        #[allow(non_snake_case)]
        pub(crate) unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
            static NEXT: $crate::shim::Next = $crate::shim::Next::new($crate::shim::c_name!($name), $version);
            $crate::shim::search!($when);
            match NEXT.address() {
                // SAFETY: this is the function of that name in the C library, whose signature the
                // declaration repeats; the caller keeps its contract.
                Some(address) => unsafe {
                    std::mem::transmute::<usize, unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?>(address)($($arg),*)
                },
                // SAFETY: what stands in for it has the same contract.
                #[allow(unused_unsafe)]
                None => unsafe { $missing },
            }
        }
    };
    ($($rest:tt)*) => {
        $crate::shim::behind!(@all early $($rest)*);
    };
}

/// Has `NEXT` searched when the library is loaded.
macro_rules! search {
    (late) => {};
    (early) => {
        #[used]
        #[unsafe(link_section = ".init_array")]
        static SEARCH: extern "C" fn() = {
            extern "C" fn search() {
                NEXT.address();
            }
            search
        };
    };
}

/// The name as a C string.
macro_rules! c_name {
    ($name:ident) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => c"",
        }
    };
}

/// The version wanted, if one is.
macro_rules! version {
    () => {
        None
    };
    ($version:literal) => {
        Some($version)
    };
}

/// What a function that is not there returns: that it is not there.
macro_rules! missing {
    () => {
        ::libc::ENOSYS
    };
    ($missing:expr) => {
        $missing
    };
}

pub(crate) use {behind, c_name, entry, export, function, missing, next_register, search, version};

/// A function found behind ours.
#[derive(Debug)]
pub(crate) struct Next {
    name: &'static CStr,
    version: Option<&'static CStr>,
    address: AtomicUsize,
}

impl Next {
    pub(crate) const fn new(name: &'static CStr, version: Option<&'static CStr>) -> Self {
        Self {
            name,
            version,
            address: AtomicUsize::new(0),
        }
    }

    /// Where it is; none if no library has it.
    #[inline]
    pub(crate) fn address(&self) -> Option<usize> {
        match self.address.load(Ordering::Relaxed) {
            0 => self.find(),
            address => Some(address),
        }
    }

    /// Threads may find it at the same time; all find the same.
    #[cold]
    fn find(&self) -> Option<usize> {
        // SAFETY: the names are C strings; RTLD_NEXT is meant for a caller in a library that others
        // stand behind.
        let address = unsafe {
            match self.version {
                Some(version) => {
                    ::libc::dlvsym(::libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr())
                }
                None => ::libc::dlsym(::libc::RTLD_NEXT, self.name.as_ptr()),
            }
        } as usize;
        self.address.store(address, Ordering::Relaxed);
        (address != 0).then_some(address)
    }
}

/// Runs `f` and leaves `errno` as it was: what the program asked for has already set it.
pub(crate) fn keeping_errno<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: the location is this thread's own and always valid.
    let errno = unsafe { &mut *::libc::__errno_location() };
    let before = *errno;
    let result = f();
    *errno = before;
    result
}
