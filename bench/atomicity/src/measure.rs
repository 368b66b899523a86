//! Measuring one program in its columns, and making sure that each run was worth measuring.

use crate::column::{COLUMNS, Column};
use crate::figures::Row;
use crate::options::Options;
use bench_native::figures::Sample;
use bench_native::kernel::Kernel;
use bench_native::measure::{check, sequential};
use bench_native::toolchain::Toolchain;

/// Median times over the repetitions, after one that is not counted. The columns take turns, so that a
/// slow spell of the machine hits all of them.
pub fn measure(tools: &Toolchain, kernel: &Kernel, options: &Options) -> Result<Row, String> {
    let size = options.size(kernel);
    let expected = sequential(tools, kernel, size)?;
    let build = |column: Column| column.build(tools, kernel);
    let programs = COLUMNS
        .into_iter()
        .map(build)
        .collect::<Result<Vec<_>, _>>()?;
    let mut samples = vec![Vec::new(); COLUMNS.len()];
    for run in 0..=options.runs {
        for (n, column) in COLUMNS.into_iter().enumerate() {
            let done = column.run(&programs[n], size)?;
            check(&done, &expected).map_err(|e| format!("{}, {column:?}: {e}", kernel.name))?;
            if run > 0 {
                samples[n].push(Sample::of(&done));
            }
        }
    }
    let medians = samples.into_iter().map(Sample::median);
    Ok(Row {
        kernel: kernel.name,
        size,
        runs: options.runs,
        columns: COLUMNS.into_iter().zip(medians).collect(),
    })
}
