//! Messages over sockets: their bytes, their parts, and the addresses that come with them.
//!
//! Taken over by name, like other system calls; what libraries send and receive is passed on.

use super::posix::{parts, sends, stored};
use super::variadic::export_variadic;
use super::{Bytes, BytesMut, fills, reads, writes};
use crate::caller;
use crate::descriptors::{got, paired, releases};
use crate::shim::{behind, export, keeping_errno};
use ::libc::{msghdr, socklen_t, ssize_t};
use std::ffi::c_int;

behind! {
    fn recv(socket: c_int, to: BytesMut, len: usize, flags: c_int) -> ssize_t, or -1;
    fn send(socket: c_int, from: Bytes, len: usize, flags: c_int) -> ssize_t, or -1;
    fn recvfrom(socket: c_int, to: BytesMut, len: usize, flags: c_int, sender: BytesMut, room: *mut socklen_t) -> ssize_t, or -1;
    fn sendto(socket: c_int, from: Bytes, len: usize, flags: c_int, receiver: Bytes, receiver_len: socklen_t) -> ssize_t, or -1;
    fn recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t, or -1;
    fn sendmsg(socket: c_int, message: *const msghdr, flags: c_int) -> ssize_t, or -1;
    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int, or -1;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.

/// With MSG_TRUNC a call may return more than there was room for.
fn received(to: BytesMut, len: usize, got: ssize_t, pc: usize) -> ssize_t {
    stored(to, got.min(ssize_t::try_from(len).unwrap_or(got)), pc);
    got
}

/// The address of a sender was stored where there is room for `room` bytes; `len` says how long it is.
unsafe fn sender_stored(sender: BytesMut, room: socklen_t, len: *mut socklen_t, pc: usize) {
    if sender.is_null() || len.is_null() || !caller::is_program(pc) {
        return;
    }
    keeping_errno(|| {
        fills(len, pc);
        // SAFETY: see above: the call has stored the length.
        writes(sender, unsafe { *len }.min(room) as usize, pc);
    });
}

/// The description of a message is read, and what it says of name and control data.
unsafe fn describes(message: *const msghdr, pc: usize) {
    if message.is_null() || !caller::is_program(pc) {
        return;
    }
    reads(message, size_of::<msghdr>(), pc);
    // SAFETY: see above.
    let message = unsafe { &*message };
    for (address, len) in [
        (message.msg_name, message.msg_namelen as usize),
        (message.msg_control, message.msg_controllen),
    ] {
        if !address.is_null() {
            reads(address, len, pc);
        }
    }
}

/// A message of `len` bytes was stored where its description says.
unsafe fn message_stored(message: *const msghdr, len: ssize_t, pc: usize) {
    if message.is_null() || len < 0 || !caller::is_program(pc) {
        return;
    }
    writes(message, size_of::<msghdr>(), pc);
    // SAFETY: see above.
    let message = unsafe { &*message };
    for (address, len) in [
        (message.msg_name, message.msg_namelen as usize),
        (message.msg_control, message.msg_controllen),
    ] {
        if !address.is_null() {
            writes(address, len, pc);
        }
    }
    let count = c_int::try_from(message.msg_iovlen).unwrap_or(0);
    // SAFETY: see above.
    unsafe { parts(message.msg_iov, count, len, pc, writes) };
}

export! {
    ["recv"] fn receive(socket: c_int, to: BytesMut, len: usize, flags: c_int) at pc -> ssize_t {
        // SAFETY: see above.
        received(to, len, got(socket, unsafe { recv(socket, to, len, flags) }, pc), pc)
    }

    ["send"] fn send_bytes(socket: c_int, from: Bytes, len: usize, flags: c_int) at pc -> ssize_t {
        sends(from, len, pc);
        releases(socket, pc);
        // SAFETY: see above.
        unsafe { send(socket, from, len, flags) }
    }

    ["recvmsg"] fn receive_message(socket: c_int, message: *mut msghdr, flags: c_int) at pc -> ssize_t {
        // SAFETY: see above.
        unsafe {
            let len = got(socket, recvmsg(socket, message, flags), pc);
            keeping_errno(|| message_stored(message, len, pc));
            len
        }
    }

    ["sendmsg"] fn send_message(socket: c_int, message: *const msghdr, flags: c_int) at pc -> ssize_t {
        // SAFETY: see above.
        unsafe {
            describes(message, pc);
            if let Some(described) = message.as_ref() {
                let count = c_int::try_from(described.msg_iovlen).unwrap_or(0);
                parts(described.msg_iov, count, ssize_t::MAX, pc, reads);
            }
            releases(socket, pc);
            sendmsg(socket, message, flags)
        }
    }

    ["socketpair"] fn make_sockets(domain: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) at pc -> c_int {
        // SAFETY: see above.
        let status = unsafe { socketpair(domain, kind, protocol, ends) };
        if status == 0 {
            stored(ends.cast(), size_of::<[c_int; 2]>() as ssize_t, pc);
            // SAFETY: the call has stored two descriptors.
            paired(unsafe { ends.cast::<[c_int; 2]>().read() }, pc);
        }
        status
    }
}

// The sixth argument of these leaves no register for the return address.
export_variadic! {
    ["recvfrom"] fn receive_from(socket: c_int, to: BytesMut, len: usize, flags: c_int, sender: BytesMut; call) fixed 40 -> ssize_t {
        // SAFETY: see above.
        unsafe {
            let sender_len = call.arguments.integer() as *mut socklen_t;
            let room = sender_len.as_ref().copied().unwrap_or(0);
            let received_len = recvfrom(socket, to, len, flags, sender, sender_len);
            if got(socket, received_len, call.pc) >= 0 {
                sender_stored(sender, room, sender_len, call.pc);
            }
            received(to, len, received_len, call.pc)
        }
    }

    ["sendto"] fn send_to(socket: c_int, from: Bytes, len: usize, flags: c_int, receiver: Bytes; call) fixed 40 -> ssize_t {
        // SAFETY: see above.
        unsafe {
            let receiver_len = call.arguments.integer() as socklen_t;
            sends(from, len, call.pc);
            if !receiver.is_null() {
                sends(receiver, receiver_len as usize, call.pc);
            }
            releases(socket, call.pc);
            sendto(socket, from, len, flags, receiver, receiver_len)
        }
    }
}
