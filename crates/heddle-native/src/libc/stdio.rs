//! Unformatted input and output.

use super::{Bytes, BytesMut, Text, TextMut, reads, reads_text, writes};
use crate::descriptors::{prints, scanned};
use crate::shim::{export, keeping_errno};
use std::ffi::c_int;

type File = *mut ::libc::FILE;

unsafe extern "C" {
    fn fread(to: BytesMut, size: usize, count: usize, file: File) -> usize;
    fn fwrite(from: Bytes, size: usize, count: usize, file: File) -> usize;
    fn fgets(to: TextMut, room: c_int, file: File) -> TextMut;
    fn __fgets_chk(to: TextMut, room: usize, len: c_int, file: File) -> TextMut;
}

// SAFETY of all blocks below: each repeats the program's own call, so its contract is the program's.

/// A line was read into `to`, unless there was none.
unsafe fn line_read(to: TextMut, line: TextMut, pc: usize) -> TextMut {
    if !line.is_null() {
        // SAFETY: the call has stored a string that ends.
        keeping_errno(|| writes(to, unsafe { super::length(line) } + 1, pc));
    }
    line
}

export! {
    ["__wrap_puts"] fn puts(text: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(text, pc);
            ::libc::puts(text)
        }
    }

    ["__wrap_fputs"] fn fputs(text: Text, file: File) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(text, pc);
            prints(file, pc);
            ::libc::fputs(text, file)
        }
    }

    ["__wrap_perror"] fn perror(text: Text) at pc {
        // SAFETY: see above.
        unsafe {
            if !text.is_null() {
                keeping_errno(|| reads_text(text, pc));
            }
            ::libc::perror(text);
        }
    }

    ["__wrap_fwrite"] fn write_items(from: Bytes, size: usize, count: usize, file: File) at pc -> usize {
        reads(from, size.saturating_mul(count), pc);
        // SAFETY: see above.
        unsafe {
            prints(file, pc);
            fwrite(from, size, count, file)
        }
    }

    // What an incomplete last item leaves behind is not known, so it is not counted.
    ["__wrap_fread"] fn read_items(to: BytesMut, size: usize, count: usize, file: File) at pc -> usize {
        // SAFETY: see above.
        let got = unsafe {
            let got = fread(to, size, count, file);
            scanned(file, pc);
            got
        };
        keeping_errno(|| writes(to, size.saturating_mul(got), pc));
        got
    }

    ["__wrap_fgets"] fn read_line(to: TextMut, room: c_int, file: File) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let line = fgets(to, room, file);
            scanned(file, pc);
            line_read(to, line, pc)
        }
    }

    ["__wrap___fgets_chk"] fn read_line_checked(to: TextMut, room: usize, len: c_int, file: File) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            let line = __fgets_chk(to, room, len, file);
            scanned(file, pc);
            line_read(to, line, pc)
        }
    }

    ["__wrap_fgetc", "__wrap_getc"] fn read_character(file: File) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            let character = ::libc::fgetc(file);
            scanned(file, pc);
            character
        }
    }

    ["__wrap_fflush"] fn write_out(file: File) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            prints(file, pc);
            ::libc::fflush(file)
        }
    }

    ["__wrap_fclose"] fn close_stream(file: File) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            prints(file, pc);
            ::libc::fclose(file)
        }
    }

    ["__wrap_fopen", "__wrap_fopen64"] fn fopen(path: Text, mode: Text) at pc -> File {
        // SAFETY: see above.
        unsafe {
            reads_text(path, pc);
            reads_text(mode, pc);
            ::libc::fopen(path, mode)
        }
    }

    ["__wrap_remove"] fn remove(path: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            reads_text(path, pc);
            ::libc::remove(path)
        }
    }

    ["__wrap_getenv"] fn getenv(name: Text) at pc -> TextMut {
        // SAFETY: see above.
        unsafe {
            reads_text(name, pc);
            ::libc::getenv(name)
        }
    }

    ["__wrap_system"] fn system(command: Text) at pc -> c_int {
        // SAFETY: see above.
        unsafe {
            if !command.is_null() {
                reads_text(command, pc);
            }
            ::libc::system(command)
        }
    }
}
