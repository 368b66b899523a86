//! Messages to the user.

use std::io::Write;

/// One line on standard error. If it cannot be written, there is nobody to tell.
pub(crate) fn line(text: &str) {
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// A line made like that of `format!`.
macro_rules! say {
    ($($part:tt)*) => {
        $crate::say::line(&format!($($part)*))
    };
}

pub(crate) use say;
