//! A file of ours in a process that is not: opened early, and checked before every write.
//!
//! The program may have lowered its limits, changed its root or used up its descriptors by the time there is
//! something to write; so the file is open from the start. And it may close descriptors that it did not open: all of them, as daemons
//! do, and open files of its own, which then have those numbers. So ours has a number that programs do not reach by
//! opening files, and is used only while it still leads to the file that was opened; otherwise the file is
//! opened again by its name.

use crate::say::without_signals;
use std::ffi::CString;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where numbers begin that are tried for our descriptors, if the limit allows. Higher ones would make the
/// system's table of descriptors large.
const FIRST: u64 = 4000;

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// What is there goes.
    Replace,
    /// What is written comes behind what is there, whoever wrote it.
    Append,
}

/// A file that is open for writing.
#[derive(Debug)]
pub(crate) struct File {
    descriptor: RawFd,
    /// Which file it is: device and number.
    identity: (u64, u64),
    path: PathBuf,
}

impl File {
    /// Opens or makes the file.
    pub(crate) fn open(path: &Path, mode: Mode) -> io::Result<Self> {
        let how = match mode {
            Mode::Replace => ::libc::O_TRUNC,
            Mode::Append => ::libc::O_APPEND,
        };
        let descriptor = open(path, how | ::libc::O_CREAT)?;
        let identity = identity(descriptor).ok_or_else(io::Error::last_os_error)?;
        Ok(Self {
            descriptor,
            identity,
            path: path.into(),
        })
    }

    /// Notes that this process is alive, for whoever waits for its report.
    pub(crate) fn lock(&self) {
        // SAFETY: a descriptor that is ours.
        unsafe {
            ::libc::syscall(
                ::libc::SYS_flock,
                self.descriptor,
                ::libc::LOCK_SH | ::libc::LOCK_NB,
            )
        };
    }

    /// Makes the file executable for its owner: a sign that needs neither a name nor another descriptor.
    pub(crate) fn mark(&self) {
        if identity(self.descriptor) == Some(self.identity) {
            // SAFETY: a descriptor that is ours.
            unsafe { ::libc::syscall(::libc::SYS_fchmod, self.descriptor, 0o700) };
        }
    }

    /// Writes all of it.
    pub(crate) fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = io::Write::write(self, bytes)?;
            bytes = &bytes[written..];
        }
        Ok(())
    }

    /// Writes over what is at the start of the file.
    pub(crate) fn write_at_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.make_sure()?;
        let (from, len) = (bytes.as_ptr(), bytes.len());
        without_signals(|| {
            // SAFETY: a descriptor that is ours, and bytes that are there.
            let written =
                unsafe { ::libc::syscall(::libc::SYS_pwrite64, self.descriptor, from, len, 0) };
            match written == len as i64 {
                true => Ok(()),
                false => Err(io::Error::last_os_error()),
            }
        })
    }

    /// The descriptor leads to our file afterwards.
    fn make_sure(&mut self) -> io::Result<()> {
        if identity(self.descriptor) == Some(self.identity) {
            return Ok(());
        }
        let again = open(&self.path, 0)?;
        if identity(again) != Some(self.identity) {
            close(again);
            return Err(io::Error::other(
                "the program has closed it, and another file has its name",
            ));
        }
        // SAFETY: a descriptor that is ours.
        unsafe { ::libc::syscall(::libc::SYS_lseek, again, 0, ::libc::SEEK_END) };
        self.descriptor = again;
        Ok(())
    }

    /// Gives the descriptor up, unless it is no longer ours.
    pub(crate) fn close(self) {
        if identity(self.descriptor) == Some(self.identity) {
            close(self.descriptor);
        }
    }
}

/// Written by system calls alone: the library's own `write` is taken over.
impl io::Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.make_sure()?;
        let (from, len) = (bytes.as_ptr(), bytes.len());
        without_signals(|| {
            // SAFETY: a descriptor that is ours, and bytes that are there.
            let written = unsafe { ::libc::syscall(::libc::SYS_write, self.descriptor, from, len) };
            usize::try_from(written).map_err(|_| io::Error::last_os_error())
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path, how: i32) -> io::Result<RawFd> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    let flags = ::libc::O_WRONLY | ::libc::O_CLOEXEC | ::libc::O_NOCTTY | how;
    // SAFETY: a C string.
    let opened = unsafe {
        ::libc::syscall(
            ::libc::SYS_openat,
            ::libc::AT_FDCWD,
            name.as_ptr(),
            flags,
            0o666,
        )
    };
    match RawFd::try_from(opened) {
        Ok(descriptor @ 0..) => Ok(out_of_reach(descriptor)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The same file under a number that programs do not reach, if there is one.
fn out_of_reach(descriptor: RawFd) -> RawFd {
    // SAFETY: a query with memory we own; descriptors that are ours.
    unsafe {
        let mut limit: ::libc::rlimit = std::mem::zeroed();
        ::libc::getrlimit(::libc::RLIMIT_NOFILE, &mut limit);
        let first = FIRST.min(limit.rlim_cur.saturating_sub(8));
        let high = ::libc::syscall(
            ::libc::SYS_fcntl,
            descriptor,
            ::libc::F_DUPFD_CLOEXEC,
            first,
        );
        if high < 0 {
            return descriptor;
        }
        close(descriptor);
        high as RawFd
    }
}

fn close(descriptor: RawFd) {
    // SAFETY: a descriptor that is ours.
    unsafe { ::libc::syscall(::libc::SYS_close, descriptor) };
}

/// The file that a descriptor leads to.
fn identity(descriptor: RawFd) -> Option<(u64, u64)> {
    // SAFETY: fills memory we own.
    unsafe {
        let mut found: ::libc::stat = std::mem::zeroed();
        let status = ::libc::syscall(::libc::SYS_fstat, descriptor, &raw mut found);
        (status == 0).then_some((found.st_dev, found.st_ino))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("heddle-file-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_closed_descriptor_is_opened_again_and_a_strangers_is_left_alone() {
        let (own, other) = (path("own"), path("other"));
        let mut file = File::open(&own, Mode::Replace).expect("the folder is writable");
        file.write_all(b"one ").expect("it is open");
        let stranger = fs::File::create(&other).expect("the folder is writable");
        // SAFETY: the program closes what it did not open, and its own file gets the number.
        unsafe { ::libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&stranger), file.descriptor) };
        file.write_all(b"two").expect("it is opened again");
        assert_eq!(fs::read(&own).expect("it was written"), b"one two");
        assert_eq!(fs::read(&other).expect("it was made"), b"");
        fs::remove_file(&own).expect("it was just written");
        file.close();
        let gone = File::open(&own, Mode::Append).expect("the folder is writable");
        gone.close();
        fs::remove_file(own).expect("it was just made");
        fs::remove_file(other).expect("it was just made");
    }

    #[test]
    fn another_file_under_the_name_is_not_written_to() {
        let own = path("renamed");
        let mut file = File::open(&own, Mode::Replace).expect("the folder is writable");
        close(file.descriptor);
        fs::remove_file(&own).expect("it was just made");
        fs::write(&own, "mine").expect("the folder is writable");
        // The number of a removed file may be used again at once.
        if file.write_all(b"x").is_err() {
            assert_eq!(fs::read(&own).expect("it was written"), b"mine");
        }
        fs::remove_file(&own).expect("it was just written");
    }
}
