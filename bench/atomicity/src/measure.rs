//! Measuring one program in its columns.

use crate::column::{COLUMNS, Column};
use crate::options::Options;
use bench_native::figures::Row;
use bench_native::kernel::Kernel;
use bench_native::measure::{sequential, take_turns};
use bench_native::toolchain::Toolchain;
use std::path::Path;

/// The medians of one program in all columns.
pub fn measure(
    tools: &Toolchain,
    kernel: &Kernel,
    options: &Options,
) -> Result<Row<Column>, String> {
    let size = options.size(kernel);
    let expected = sequential(tools, kernel, size)?;
    let build = |column: Column| Ok((column, column.build(tools, kernel)?));
    let programs: Result<Vec<_>, String> = COLUMNS.into_iter().map(build).collect();
    let start = |column: Column, program: &Path| column.run(program, size);
    take_turns(kernel, size, options.runs, &programs?, &expected, start)
}
