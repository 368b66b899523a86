//! Order through file descriptors: whoever gets bytes out of a pipe, a socket, an event counter or a file comes after
//! whoever put them in.
//!
//! Which of the bytes were read is not followed: a read comes after all writes before it. In another schedule it might
//! have seen others, so this is a hand-off. The two sides need not use the same descriptor, so what counts is the
//! *channel* behind it:
//!
//! - a pipe, a FIFO or a file: its device and inode;
//! - a connected internet socket: the addresses of both ends; two sockets made as a pair: the pair;
//! - any other socket: one channel for all of them, which orders more than there is and never less;
//! - an event counter and the like: the number of the descriptor (a duplicate is not recognised).
//!
//! Standard output and standard error are written to by everybody and read by nobody: they order nothing.

use crate::shim::{behind, export, keeping_errno};
use crate::{caller, hand_off, thread};
use ::libc::{epoll_event, nfds_t, pollfd, sockaddr, sockaddr_storage, socklen_t, timespec};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

behind! {
    fn close(file: c_int) -> c_int, or -1;
    fn shutdown(socket: c_int, how: c_int) -> c_int, or -1;
    fn listen(socket: c_int, waiting: c_int) -> c_int, or -1;
    fn connect(socket: c_int, address: *const sockaddr, len: socklen_t) -> c_int, or -1;
    fn accept(socket: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int, or -1;
    fn accept4(socket: c_int, address: *mut sockaddr, len: *mut socklen_t, flags: c_int) -> c_int, or -1;
    fn poll(files: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int, or -1;
    fn ppoll(files: *mut pollfd, count: nfds_t, timeout: *const timespec, mask: *const c_void) -> c_int, or -1;
    fn epoll_ctl(set: c_int, what: c_int, file: c_int, event: *mut epoll_event) -> c_int, or -1;
    fn epoll_wait(set: c_int, events: *mut epoll_event, room: c_int, timeout: c_int) -> c_int, or -1;
    fn epoll_pwait(set: c_int, events: *mut epoll_event, room: c_int, timeout: c_int, mask: *const c_void) -> c_int, or -1;
    fn eventfd_read(file: c_int, value: *mut u64) -> c_int, or -1;
    fn eventfd_write(file: c_int, value: u64) -> c_int, or -1;
}

/// What is behind a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Channel {
    /// A pipe, a FIFO or a file.
    Inode { device: u64, inode: u64 },
    /// The two ends of a connection, in either sequence: a hash of both.
    Connection(u64),
    /// Two sockets that were made as a pair.
    Pair(u64),
    /// Sockets of which nothing more is known.
    Sockets,
    /// What has no inode of its own.
    Number(c_int),
}

/// What is known of channels.
#[derive(Default)]
struct Table {
    /// For each an address that is nobody else's, under which its releases are kept.
    places: FxHashMap<Channel, Box<u64>>,
    /// The pair that a socket's inode is part of.
    pairs: FxHashMap<u64, u64>,
    /// The descriptors in each set that is waited for as a whole.
    sets: FxHashMap<c_int, Vec<c_int>>,
}

static TABLE: Mutex<Option<Box<Table>>> = Mutex::new(None);

/// Only for threads that have entered the runtime: a signal handler that came in between could not get the lock.
fn table<R>(f: impl FnOnce(&mut Table) -> R) -> R {
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    f(table.get_or_insert_with(Box::default))
}

/// A call at `pc` is about to put bytes into `file`, or to end what others read from it.
pub(crate) fn releases(file: c_int, pc: usize) {
    if !matches!(file, 1 | 2) && caller::is_program(pc) {
        keeping_errno(|| release(channel(file)));
    }
}

/// A call at `pc` has got something out of `file`, or has seen that there is something.
pub(crate) fn acquires(file: c_int, pc: usize) {
    if hand_off::any() && caller::is_program(pc) {
        keeping_errno(|| acquire(channel(file)));
    }
}

/// The same for a call that has returned how much it got (negative: nothing); passes it on.
pub(crate) fn got(file: c_int, len: isize, pc: usize) -> isize {
    if len >= 0 {
        acquires(file, pc);
    }
    len
}

/// The program is about to print to a stream, or to have it written out: as [`releases`].
pub(crate) unsafe fn prints(stream: *mut ::libc::FILE, pc: usize) {
    if !stream.is_null() {
        // SAFETY: the program's own stream, which it is about to use.
        releases(unsafe { ::libc::fileno(stream) }, pc);
    }
}

/// The program has read from a stream: as [`acquires`].
pub(crate) unsafe fn scanned(stream: *mut ::libc::FILE, pc: usize) {
    // SAFETY: the program's own stream, which it has just used.
    keeping_errno(|| acquires(unsafe { ::libc::fileno(stream) }, pc));
}

/// A call at `pc` has made two sockets that are connected to each other.
pub(crate) fn paired(ends: [c_int; 2], pc: usize) {
    if !caller::is_program(pc) {
        return;
    }
    keeping_errno(|| {
        let inodes = ends.map(|end| state(end).map_or(0, |state| state.st_ino));
        thread::enter(|_, _| {
            table(|table| table.pairs.extend(inodes.map(|inode| (inode, inodes[0]))))
        });
    });
}

fn release(channel: Option<Channel>) {
    thread::enter(|runtime, thread| {
        if let Some(place) = channel.map(place) {
            hand_off::lock(place).entry().add(runtime, thread);
        }
    });
}

fn acquire(channel: Option<Channel>) {
    thread::enter(|runtime, thread| {
        if let Some(place) = channel.map(place)
            && let Some(releases) = hand_off::lock(place).get()
        {
            releases.acquire(runtime, thread);
        }
    });
}

fn place(channel: Channel) -> usize {
    table(|table| {
        let place = table.places.entry(channel).or_default();
        std::ptr::from_ref::<u64>(place) as usize
    })
}

fn channel(file: c_int) -> Option<Channel> {
    let state = state(file)?;
    match state.st_mode & ::libc::S_IFMT {
        ::libc::S_IFIFO | ::libc::S_IFREG => Some(Channel::Inode {
            device: state.st_dev,
            inode: state.st_ino,
        }),
        ::libc::S_IFSOCK => Some(socket(file, state.st_ino)),
        0 => Some(Channel::Number(file)),
        _ => None,
    }
}

fn state(file: c_int) -> Option<::libc::stat> {
    // SAFETY: a `stat` may be all zeros, and is filled by the call.
    unsafe {
        let mut state = std::mem::zeroed();
        (::libc::fstat(file, &mut state) == 0).then_some(state)
    }
}

fn socket(file: c_int, inode: u64) -> Channel {
    let pair = thread::enter(|_, _| table(|table| table.pairs.get(&inode).copied()));
    if let Some(Some(pair)) = pair {
        return Channel::Pair(pair);
    }
    match (
        end(file, ::libc::getsockname),
        end(file, ::libc::getpeername),
    ) {
        (Some(own), Some(other)) => Channel::Connection(own.wrapping_add(other)),
        _ => Channel::Sockets,
    }
}

/// The address of one end, as a hash; none if it has none, or if that does not tell it from others.
fn end(
    file: c_int,
    ask: unsafe extern "C" fn(c_int, *mut sockaddr, *mut socklen_t) -> c_int,
) -> Option<u64> {
    // SAFETY: an address may be all zeros, and is filled by the call, which is told how much room there is.
    let (address, status) = unsafe {
        let mut address: sockaddr_storage = std::mem::zeroed();
        let mut len = size_of::<sockaddr_storage>() as socklen_t;
        let status = ask(file, std::ptr::from_mut(&mut address).cast(), &mut len);
        (address, status)
    };
    let is_of_internet = matches!(
        c_int::from(address.ss_family),
        ::libc::AF_INET | ::libc::AF_INET6
    );
    // Family, port and address come first in both kinds, and nothing else that differs does.
    let start: [u8; 24] =
        // SAFETY: plain bytes, all of them initialised.
        unsafe { std::ptr::from_ref(&address).cast::<[u8; 24]>().read() };
    let mut hasher = DefaultHasher::new();
    start.hash(&mut hasher);
    (status == 0 && is_of_internet).then(|| hasher.finish())
}

/// Descriptors that a wait at `pc` found ready.
unsafe fn found_ready(files: *const pollfd, count: nfds_t, status: c_int, pc: usize) -> c_int {
    if status > 0 && !files.is_null() {
        // SAFETY: the program's own list, which the call has just gone through.
        let files = unsafe { std::slice::from_raw_parts(files, count as usize) };
        for ready in files.iter().filter(|file| file.revents != 0) {
            acquires(ready.fd, pc);
        }
    }
    status
}

/// A wait for the set has found something.
fn found_in(set: c_int, status: c_int, pc: usize) -> c_int {
    if status > 0 && caller::is_program(pc) {
        let files = thread::enter(|_, _| table(|table| table.sets.get(&set).cloned()));
        acquires(set, pc);
        for file in files.flatten().unwrap_or_default() {
            acquires(file, pc);
        }
    }
    status
}

/// Connections are made through one channel: the one who accepts comes after the one who connects, who comes after
/// the one who listens.
fn connects(pc: usize) {
    if caller::is_program(pc) {
        keeping_errno(|| release(Some(Channel::Sockets)));
    }
}

fn connected(status: c_int, pc: usize) -> c_int {
    if status >= 0 && hand_off::any() && caller::is_program(pc) {
        keeping_errno(|| acquire(Some(Channel::Sockets)));
    }
    status
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.
export! {
    ["close"] fn close_file(file: c_int) at pc -> c_int {
        releases(file, pc);
        // SAFETY: see above.
        unsafe { close(file) }
    }

    ["shutdown"] fn shut_down(socket: c_int, how: c_int) at pc -> c_int {
        releases(socket, pc);
        // SAFETY: see above.
        unsafe { shutdown(socket, how) }
    }

    ["listen"] fn start_listening(socket: c_int, waiting: c_int) at pc -> c_int {
        connects(pc);
        // SAFETY: see above.
        unsafe { listen(socket, waiting) }
    }

    ["connect"] fn connect_to(socket: c_int, address: *const sockaddr, len: socklen_t) at pc -> c_int {
        connects(pc);
        // SAFETY: see above.
        connected(unsafe { connect(socket, address, len) }, pc)
    }

    ["accept"] fn accept_one(socket: c_int, address: *mut sockaddr, len: *mut socklen_t) at pc -> c_int {
        // SAFETY: see above.
        connected(unsafe { accept(socket, address, len) }, pc)
    }

    ["accept4"] fn accept_one_with(socket: c_int, address: *mut sockaddr, len: *mut socklen_t, flags: c_int) at pc -> c_int {
        // SAFETY: see above.
        connected(unsafe { accept4(socket, address, len, flags) }, pc)
    }

    ["poll"] fn wait_for_files(files: *mut pollfd, count: nfds_t, timeout: c_int) at pc -> c_int {
        // SAFETY: see above.
        unsafe { found_ready(files, count, poll(files, count, timeout), pc) }
    }

    ["ppoll"] fn wait_for_files_masked(files: *mut pollfd, count: nfds_t, timeout: *const timespec, mask: *const c_void) at pc -> c_int {
        // SAFETY: see above.
        unsafe { found_ready(files, count, ppoll(files, count, timeout, mask), pc) }
    }

    ["epoll_ctl"] fn change_set(set: c_int, what: c_int, file: c_int, event: *mut epoll_event) at pc -> c_int {
        if caller::is_program(pc) {
            releases(set, pc);
            thread::enter(|_, _| table(|table| {
                let files = table.sets.entry(set).or_default();
                files.retain(|&other| other != file);
                if what != ::libc::EPOLL_CTL_DEL {
                    files.push(file);
                }
            }));
        }
        // SAFETY: see above.
        unsafe { epoll_ctl(set, what, file, event) }
    }

    ["epoll_wait"] fn wait_for_set(set: c_int, events: *mut epoll_event, room: c_int, timeout: c_int) at pc -> c_int {
        // SAFETY: see above.
        found_in(set, unsafe { epoll_wait(set, events, room, timeout) }, pc)
    }

    ["epoll_pwait"] fn wait_for_set_masked(set: c_int, events: *mut epoll_event, room: c_int, timeout: c_int, mask: *const c_void) at pc -> c_int {
        // SAFETY: see above.
        found_in(set, unsafe { epoll_pwait(set, events, room, timeout, mask) }, pc)
    }

    ["eventfd_read"] fn read_counter(file: c_int, value: *mut u64) at pc -> c_int {
        // SAFETY: see above.
        let status = unsafe { eventfd_read(file, value) };
        if status == 0 && caller::is_program(pc) {
            acquires(file, pc);
            keeping_errno(|| crate::access::write(value as usize, size_of::<u64>(), pc));
        }
        status
    }

    ["eventfd_write"] fn write_counter(file: c_int, value: u64) at pc -> c_int {
        releases(file, pc);
        // SAFETY: see above.
        unsafe { eventfd_write(file, value) }
    }
}
