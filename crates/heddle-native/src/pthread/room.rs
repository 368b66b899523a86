//! Room on the stacks of threads that ask for little.
//!
//! Part of a thread's stack is its thread-local storage, which checking makes larger by what the common path
//! knows, and instrumented frames are larger than plain ones. A stack of the smallest size a program may ask
//! for would be used up before the thread begins. So what is asked for is enlarged by what checking needs; and
//! a stack that the program provides itself, if it is smaller than that, is not used.

use ::libc::pthread_attr_t;
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// What checking needs of a thread's stack: storage of the hooks, the runtime's first frames, and twice the
/// frames of a small stack.
const NEEDED: usize = 128 << 10;
/// Stacks from this size on have it to spare.
const PLENTY: usize = 1 << 20;

unsafe extern "C" {
    fn pthread_attr_getstack(
        attributes: *const pthread_attr_t,
        start: *mut *mut c_void,
        size: *mut usize,
    ) -> i32;
}

/// The attributes of a thread with enough room.
pub(super) struct Roomy(Option<MaybeUninit<pthread_attr_t>>);

impl Roomy {
    /// For a thread that is to have `attributes`, which may be null.
    pub(super) fn new(attributes: *const pthread_attr_t) -> Self {
        // SAFETY: the program's attributes, which it has initialised.
        Self(
            (!attributes.is_null())
                .then(|| unsafe { enlarged(attributes) })
                .flatten(),
        )
    }

    /// Its attributes.
    pub(super) fn attributes(&self, given: *const pthread_attr_t) -> *const pthread_attr_t {
        self.0.as_ref().map_or(given, MaybeUninit::as_ptr)
    }
}

impl Drop for Roomy {
    fn drop(&mut self) {
        if let Some(attributes) = &mut self.0 {
            // SAFETY: `enlarged` has initialised them.
            unsafe { ::libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
        }
    }
}

/// Attributes like those given, with a larger stack; none if theirs is large enough.
unsafe fn enlarged(given: *const pthread_attr_t) -> Option<MaybeUninit<pthread_attr_t>> {
    let (mut start, mut size) = (std::ptr::null_mut(), 0);
    let mut made = MaybeUninit::<pthread_attr_t>::uninit();
    // SAFETY: queries of initialised attributes, and changes of our own.
    unsafe {
        pthread_attr_getstack(given, &mut start, &mut size);
        // Where none is provided, its end is null.
        let is_provided = (start as usize).wrapping_add(size) != 0;
        ::libc::pthread_attr_getstacksize(given, &mut size);
        let suffices = match is_provided {
            true => size >= NEEDED,
            false => size >= PLENTY,
        };
        if suffices || ::libc::pthread_attr_init(made.as_mut_ptr()) != 0 {
            return None;
        }
        copy(given, made.as_mut_ptr());
        ::libc::pthread_attr_setstacksize(made.as_mut_ptr(), size + NEEDED);
    }
    Some(made)
}

/// Copies what else a thread's attributes say.
unsafe fn copy(from: *const pthread_attr_t, to: *mut pthread_attr_t) {
    unsafe extern "C" {
        fn pthread_attr_getdetachstate(from: *const pthread_attr_t, to: *mut i32) -> i32;
        fn pthread_attr_getscope(from: *const pthread_attr_t, to: *mut i32) -> i32;
        fn pthread_attr_setscope(to: *mut pthread_attr_t, value: i32) -> i32;
        fn pthread_attr_getsigmask_np(
            from: *const pthread_attr_t,
            to: *mut ::libc::sigset_t,
        ) -> i32;
        fn pthread_attr_setsigmask_np(
            to: *mut pthread_attr_t,
            from: *const ::libc::sigset_t,
        ) -> i32;
    }
    let (mut value, mut size) = (0, 0);
    // SAFETY: both are initialised; what is passed besides is our own.
    unsafe {
        if pthread_attr_getdetachstate(from, &mut value) == 0 {
            ::libc::pthread_attr_setdetachstate(to, value);
        }
        if ::libc::pthread_attr_getguardsize(from, &mut size) == 0 {
            ::libc::pthread_attr_setguardsize(to, size);
        }
        if ::libc::pthread_attr_getschedpolicy(from, &mut value) == 0 {
            ::libc::pthread_attr_setschedpolicy(to, value);
        }
        let mut parameters = std::mem::zeroed();
        if ::libc::pthread_attr_getschedparam(from, &mut parameters) == 0 {
            ::libc::pthread_attr_setschedparam(to, &parameters);
        }
        if ::libc::pthread_attr_getinheritsched(from, &mut value) == 0 {
            ::libc::pthread_attr_setinheritsched(to, value);
        }
        if pthread_attr_getscope(from, &mut value) == 0 {
            pthread_attr_setscope(to, value);
        }
        let mut processors: ::libc::cpu_set_t = std::mem::zeroed();
        let len = size_of::<::libc::cpu_set_t>();
        if ::libc::pthread_attr_getaffinity_np(from, len, &mut processors) == 0
            // Where nothing was set, all are named.
            && (1..8 * len as i32).contains(&::libc::CPU_COUNT(&processors))
        {
            ::libc::pthread_attr_setaffinity_np(to, len, &processors);
        }
        let mut blocked = std::mem::zeroed();
        if pthread_attr_getsigmask_np(from, &mut blocked) == 0 {
            pthread_attr_setsigmask_np(to, &blocked);
        }
    }
}
