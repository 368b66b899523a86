//! Stacks: which addresses belong to which thread's, and since when what lies there is alive.
//!
//! Tasks that run one after another on a thread reuse its stack, and they are parallel: what an
//! earlier one did there is no part of a later one's history. Below the first frame of a task nothing
//! was alive when it started; and below the frame at which a task was interrupted, nothing that ran
//! meanwhile is alive when it goes on. So each stack keeps a list of *levels*: below this address,
//! strands older than that are void. Other threads read it, too: a task writes a variable on its
//! creator's stack that the creator itself has never touched.
//!
//! # Invariant
//! Levels stand in descending sequence of address and ascending sequence of age, and are changed by
//! the stack's own thread. For an address in a live frame, the levels above it do not change while
//! others look.

use heddle_rt::Region;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Levels a stack can have. Tasks nested deeper share their creator's: then what is void may be taken
/// for alive.
const LEVELS: usize = 1 << 16;
/// Stacks at a time.
const STACKS: usize = 1 << 12;

static TABLE: [AtomicPtr<Stack>; STACKS] = [const { AtomicPtr::new(null_mut()) }; STACKS];
static USED: AtomicUsize = AtomicUsize::new(0);
/// Changes whenever a stack comes or goes.
static VERSION: AtomicU32 = AtomicU32::new(0);

/// Addresses among which there is no stack and no thread-local storage of the thread that looks.
#[derive(Debug, Default)]
pub(crate) struct Gap {
    addresses: Range<usize>,
    version: u32,
}

impl Gap {
    /// The same for the common path.
    pub(crate) fn region(&self) -> Region {
        Region {
            start: self.addresses.start,
            len: self.addresses.len(),
            version: &VERSION,
            as_of: self.version,
        }
    }

    /// Whether the address lies in it.
    #[inline]
    pub(crate) fn contains(&self, address: usize) -> bool {
        self.addresses.contains(&address) && self.version == VERSION.load(Ordering::Acquire)
    }

    /// The largest gap around `address`; none if it lies on a stack or in `storage`.
    #[cold]
    pub(crate) fn around(address: usize, storage: &Range<usize>) -> Option<Self> {
        let version = VERSION.load(Ordering::Acquire);
        let used = USED.load(Ordering::Acquire).min(STACKS);
        let stacks = TABLE[..used].iter().filter_map(|slot| {
            // SAFETY: rows are null or leaked records.
            let stack = unsafe { slot.load(Ordering::Acquire).as_ref() }?;
            Some(stack.low.load(Ordering::Relaxed)..stack.top())
        });
        let mut addresses = 0..usize::MAX;
        for taken in stacks.chain([storage.clone()]) {
            if taken.contains(&address) {
                return None;
            }
            if taken.end <= address {
                addresses.start = addresses.start.max(taken.end);
            } else {
                addresses.end = addresses.end.min(taken.start);
            }
        }
        Some(Self { addresses, version })
    }
}

/// A thread's stack.
#[derive(Debug)]
pub struct Stack {
    low: AtomicUsize,
    high: AtomicUsize,
    len: AtomicU32,
    /// Distance from the top, shifted left by 32, and age.
    levels: Box<[AtomicU64]>,
    /// Its row in the table; none if the table was full.
    row: AtomicUsize,
    member_base: AtomicUsize,
    member_since: AtomicU32,
}

/// The member of a team that executes on a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemberSpace {
    /// Below this, what lies on the stack is the member's; 0 if none executes there.
    pub(crate) base: usize,
    /// Tasks from this number on were made since its team was.
    pub(crate) first_task: u32,
}

impl MemberSpace {
    /// None executes there.
    const NONE: Self = Self {
        base: 0,
        first_task: u32::MAX,
    };
}

/// Records of stacks whose threads have ended.
static SPARE: Mutex<Vec<&'static Stack>> = Mutex::new(Vec::new());

/// Notes the calling thread's stack. To be called inside the runtime.
pub(crate) fn register() -> &'static Stack {
    let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let stack = spare.unwrap_or_else(|| Box::leak(Box::new(Stack::new())));
    let Range { start, end } = own_bounds();
    stack.low.store(start, Ordering::Relaxed);
    stack.high.store(end, Ordering::Relaxed);
    let record = std::ptr::from_ref(stack).cast_mut();
    let row = TABLE.iter().position(|slot| {
        slot.load(Ordering::Relaxed).is_null()
            && slot
                .compare_exchange(null_mut(), record, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
    });
    stack.row.store(row.unwrap_or(STACKS), Ordering::Relaxed);
    if let Some(row) = row {
        USED.fetch_max(row + 1, Ordering::AcqRel);
    }
    VERSION.fetch_add(1, Ordering::AcqRel);
    stack
}

fn zeroed_levels() -> Box<[AtomicU64]> {
    // Large enough to be a mapping of its own, so untouched levels cost no memory.
    // SAFETY: zero is a valid value of an atomic.
    unsafe { Box::<[AtomicU64]>::new_zeroed_slice(LEVELS).assume_init() }
}

/// The thread of this stack has ended. To be called inside the runtime.
pub(crate) fn unregister(stack: &'static Stack) {
    let row = stack.row.load(Ordering::Relaxed);
    if let Some(slot) = TABLE.get(row) {
        slot.store(null_mut(), Ordering::Release);
    }
    stack.len.store(0, Ordering::Release);
    stack.set_member(MemberSpace::NONE);
    VERSION.fetch_add(1, Ordering::AcqRel);
    // Another thread may still be looking at the record: at worst it sees the next thread's stack, where it
    // was going to see that of a thread that is over.
    SPARE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(stack);
}

/// The stack that `address` lies on, if it is a known thread's.
pub fn stack_of(address: usize) -> Option<&'static Stack> {
    let used = USED.load(Ordering::Acquire).min(STACKS);
    TABLE[..used].iter().find_map(|slot| {
        let stack = slot.load(Ordering::Acquire);
        // SAFETY: rows are null or leaked records.
        let stack = unsafe { stack.as_ref() }?;
        stack.contains(address).then_some(stack)
    })
}

impl Stack {
    fn new() -> Self {
        Self {
            low: AtomicUsize::new(0),
            high: AtomicUsize::new(0),
            len: AtomicU32::new(0),
            levels: zeroed_levels(),
            row: AtomicUsize::new(STACKS),
            member_base: AtomicUsize::new(MemberSpace::NONE.base),
            member_since: AtomicU32::new(MemberSpace::NONE.first_task),
        }
    }

    /// Whether the address lies on this stack.
    #[inline]
    pub fn contains(&self, address: usize) -> bool {
        self.low.load(Ordering::Relaxed) <= address && address < self.top()
    }

    /// The address above all of it.
    #[inline]
    pub(crate) fn top(&self) -> usize {
        self.high.load(Ordering::Relaxed)
    }

    /// The member that executes here.
    pub(crate) fn member(&self) -> MemberSpace {
        MemberSpace {
            base: self.member_base.load(Ordering::Acquire),
            first_task: self.member_since.load(Ordering::Acquire),
        }
    }

    /// Another member executes here from now on.
    pub(crate) fn set_member(&self, member: MemberSpace) {
        self.member_base.store(member.base, Ordering::Release);
        self.member_since
            .store(member.first_task, Ordering::Release);
    }

    /// Below `base`, whatever is older than `age` is void.
    pub(crate) fn starts(&self, base: usize, age: u32) {
        let distance = self.top().saturating_sub(base) as u64;
        let mut len = self.len.load(Ordering::Relaxed) as usize;
        while len > 0 && self.levels[len - 1].load(Ordering::Relaxed) >> 32 >= distance {
            len -= 1;
        }
        if len < LEVELS {
            self.levels[len].store(distance << 32 | u64::from(age), Ordering::Release);
            len += 1;
        }
        self.len.store(len as u32, Ordering::Release);
    }

    /// Strands older than this have no part in what is at `address` now.
    #[inline]
    pub fn since(&self, address: usize) -> u32 {
        self.level(address) as u32
    }

    /// The address up to which the same holds.
    #[inline]
    pub(crate) fn same_until(&self, address: usize) -> usize {
        self.top() - (self.level(address) >> 32) as usize
    }

    /// The level that `address` lies below; 0 if none.
    #[inline]
    fn level(&self, address: usize) -> u64 {
        let distance = self.top().saturating_sub(address) as u64;
        let len = (self.len.load(Ordering::Acquire) as usize).min(LEVELS);
        let level = |at: usize| self.levels[at].load(Ordering::Relaxed);
        // Most accesses are to the frames of the task that runs.
        match len.checked_sub(1).map(level) {
            None => return 0,
            Some(last) if last >> 32 < distance => return last,
            Some(_) => {}
        }
        let above = self.levels[..len]
            .partition_point(|level| level.load(Ordering::Relaxed) >> 32 < distance);
        above.checked_sub(1).map_or(0, level)
    }
}

fn own_bounds() -> Range<usize> {
    // SAFETY: all are plain queries about the calling thread, with attributes we own.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if ::libc::pthread_getattr_np(::libc::pthread_self(), &mut attributes) != 0 {
            return 0..0;
        }
        let (mut low, mut size) = (null_mut(), 0);
        ::libc::pthread_attr_getstack(&attributes, &mut low, &mut size);
        ::libc::pthread_attr_destroy(&mut attributes);
        low as usize..low as usize + size
    }
}

/// The calling thread's static thread-local storage.
pub(crate) fn thread_local_storage() -> Range<usize> {
    let mut found = Range {
        start: usize::MAX,
        end: 0,
    };
    // SAFETY: the callback runs before this returns and gets the range it is told of.
    unsafe { ::libc::dl_iterate_phdr(Some(note_storage), (&raw mut found).cast()) };
    if found.is_empty() { 0..0 } else { found }
}

unsafe extern "C" fn note_storage(
    info: *mut ::libc::dl_phdr_info,
    _size: usize,
    found: *mut ::libc::c_void,
) -> i32 {
    // SAFETY: the loader gives a valid description, and `found` is the caller's range.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Range<usize>>()) };
    let data = info.dlpi_tls_data as usize;
    if data == 0 {
        return 0;
    }
    // SAFETY: the description says how many headers there are.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    for header in headers
        .iter()
        .filter(|header| header.p_type == ::libc::PT_TLS)
    {
        found.start = found.start.min(data);
        found.end = found.end.max(data + header.p_memsz as usize);
    }
    0
}
