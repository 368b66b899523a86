//! The `.task` language: parser, checker, static check elimination, interpreter.

pub mod ir;
