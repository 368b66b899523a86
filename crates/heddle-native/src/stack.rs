//! Stacks: which addresses belong to which thread's, and what of what lies there is alive.
//!
//! Tasks that run one after another on a thread reuse its stack, and they are parallel: what an
//! earlier one did there is no part of a later one's history. Below the first frame of a task nothing
//! was alive when it started; and below the frame at which a task was interrupted, nothing that ran
//! meanwhile is alive when it goes on. So each stack keeps a *mark*, the lowest address that may have a
//! history, and from there up to that frame histories are forgotten at such a moment. Other threads lower the
//! mark, too: a task writes a variable on its creator's stack that the creator itself has never touched.
//!
//! # Invariant
//! Below the mark no granule of the stack has a history. Only the stack's own thread raises it, to a frame below
//! which nothing is alive.
//!
//! # Cost
//! What is forgotten was touched before, or lies between two places that were.

use heddle_rt::{Region, STRETCHES};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The mark is lowered to a multiple of so many bytes, so that it is seldom lowered.
const STEP: usize = 256;
/// Stacks at a time.
const STACKS: usize = 1 << 12;

static TABLE: [AtomicPtr<Stack>; STACKS] = [const { AtomicPtr::new(null_mut()) }; STACKS];
static USED: AtomicUsize = AtomicUsize::new(0);
/// Changes whenever a stack comes or goes.
static VERSION: AtomicU32 = AtomicU32::new(0);

/// Where a thread has found neither a stack nor thread-local storage of its own: the last few gaps between them. A
/// program's arrays lie on both sides of its threads' stacks.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// The last one first.
    gaps: [Range<usize>; STRETCHES],
    version: u32,
}

impl Gaps {
    /// The same for the common path, with what of the thread's own stack may have a history. A thread's storage may
    /// lie at the top of its stack.
    pub(crate) fn region(&self, stack: &'static Stack, storage: &Range<usize>) -> Region {
        let high = match stack.contains(storage.start) {
            true => storage.start,
            false => stack.top(),
        };
        Region {
            stretches: self.gaps.each_ref().map(|gap| (gap.start, gap.len())),
            version: &VERSION,
            as_of: self.version,
            low: &stack.mark,
            high,
        }
    }

    /// Whether the address lies in one of them.
    #[inline]
    pub(crate) fn contains(&self, address: usize) -> bool {
        self.gaps.iter().any(|gap| gap.contains(&address)) && self.is_valid()
    }

    /// Whether all these addresses, at least one, lie in one of them.
    pub(crate) fn contains_all(&self, addresses: &Range<usize>) -> bool {
        let has_all = |gap: &Range<usize>| gap.start <= addresses.start && addresses.end <= gap.end;
        self.gaps.iter().any(has_all) && self.is_valid()
    }

    #[inline]
    fn is_valid(&self) -> bool {
        self.version == VERSION.load(Ordering::Acquire)
    }

    /// Notes the gap around `address`; says no if that lies on a stack or in `storage`.
    #[cold]
    pub(crate) fn find(&mut self, address: usize, storage: &Range<usize>) -> bool {
        let version = VERSION.load(Ordering::Acquire);
        let Some(gap) = Self::around(address, storage) else {
            return false;
        };
        if self.version != version {
            *self = Self {
                version,
                ..Self::default()
            };
        }
        self.gaps.rotate_right(1);
        self.gaps[0] = gap;
        true
    }

    /// The largest gap around `address`; none if it lies on a stack or in `storage`.
    fn around(address: usize, storage: &Range<usize>) -> Option<Range<usize>> {
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
        Some(addresses)
    }
}

/// A thread's stack.
#[derive(Debug)]
pub struct Stack {
    low: AtomicUsize,
    high: AtomicUsize,
    /// No granule below this address has a history.
    mark: AtomicUsize,
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
    // Another thread, now over, may have had its stack at the same place.
    stack.mark.store(start, Ordering::Relaxed);
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

/// The thread of this stack has ended. To be called inside the runtime.
pub(crate) fn unregister(stack: &'static Stack) {
    let row = stack.row.load(Ordering::Relaxed);
    if let Some(slot) = TABLE.get(row) {
        slot.store(null_mut(), Ordering::Release);
    }
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

/// The history of what is at `address` is about to change, which may lie on any thread's stack.
pub(crate) fn touched(address: usize) {
    if let Some(stack) = stack_of(address) {
        stack.touched(address);
    }
}

impl Stack {
    fn new() -> Self {
        Self {
            low: AtomicUsize::new(0),
            high: AtomicUsize::new(0),
            mark: AtomicUsize::new(0),
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

    /// The lowest address of it.
    #[inline]
    pub(crate) fn low(&self) -> usize {
        self.low.load(Ordering::Relaxed)
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

    /// The history of what is at `address`, which lies on this stack, is about to change.
    #[inline]
    pub(crate) fn touched(&self, address: usize) {
        if address < self.mark.load(Ordering::Relaxed) {
            self.lower(address);
        }
    }

    fn lower(&self, address: usize) {
        let low = self.low.load(Ordering::Relaxed);
        self.mark
            .fetch_min((address / STEP * STEP).max(low), Ordering::Relaxed);
    }

    /// Below `base` nothing is alive from now on. Gives the addresses there that may have a history, which is to be
    /// forgotten.
    pub(crate) fn starts(&self, base: usize) -> Range<usize> {
        let base = base.min(self.top());
        let mark = self.mark.load(Ordering::Relaxed);
        if mark < base {
            self.mark.store(base, Ordering::Relaxed);
        }
        mark..base
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_on_both_sides_of_a_stack_are_found_once() {
        let stack = register();
        let (below, above) = (own_bounds().start - 64, own_bounds().end + 64);
        let mut gaps = Gaps::default();
        assert!(!gaps.contains(below) && !gaps.find(own_bounds().start, &(0..0)));
        assert!(gaps.find(below, &(0..0)) && gaps.find(above, &(0..0)));
        assert!(gaps.contains(below) && gaps.contains(above));
        assert!(gaps.contains_all(&(above..above + 8)));
        assert!(
            !gaps.contains_all(&(below..above)),
            "the stack is in between"
        );
        assert!(!gaps.contains(own_bounds().start));
        unregister(stack);
        assert!(!gaps.contains(below), "a stack has gone");
    }

    #[test]
    fn the_common_path_takes_no_steps_in_thread_local_storage() {
        let stack = register();
        let storage = stack.top() - 4096..stack.top();
        let region = Gaps::default().region(stack, &storage);
        assert_eq!(region.high, storage.start);
        assert_eq!(Gaps::default().region(stack, &(0..0)).high, stack.top());
        unregister(stack);
    }
}
