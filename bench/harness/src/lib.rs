//! What the benchmarks have in common: how they start and end, the values of their options, averages, and where
//! their figures go.

use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs a benchmark with the command line it was given. Status 0: done; 1: it failed; 2: the command
/// line is wrong.
pub fn run<O>(
    parse: impl FnOnce(&[String]) -> Result<O, String>,
    usage: &str,
    bench: impl FnOnce(&O) -> Result<(), String>,
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match parse(&arguments) {
        Ok(options) => finish(bench(&options)),
        Err(message) => {
            eprintln!("{message}\n{usage}");
            ExitCode::from(2)
        }
    }
}

/// The exit status of a result; what went wrong is printed.
pub fn finish(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The value of an option that says how often.
pub fn count(value: &str) -> Result<usize, String> {
    let number = value.parse().ok().filter(|&runs| runs > 0);
    number.ok_or_else(|| format!("`{value}` is no number of runs"))
}

/// The value of an option that is one of these names, whatever its case.
pub fn one_of<'n>(names: &[&'n str], value: &str) -> Result<&'n str, String> {
    let known = names.iter().find(|name| name.eq_ignore_ascii_case(value));
    known
        .copied()
        .ok_or_else(|| format!("`{value}` is none of {}", names.join(", ")))
}

/// The middle one; of two, the larger. Not a number if there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The geometric mean; none of nothing.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

/// A column of a table.
pub fn cell(value: Option<f64>, width: usize, decimals: usize, unit: &str) -> String {
    let text = value.map_or("-".to_owned(), |value| format!("{value:.decimals$}{unit}"));
    format!("{text:>width$}")
}

/// Prints lines under a title.
pub fn print_all(title: &str, lines: &[String]) {
    println!("{title}");
    lines.iter().for_each(|line| println!("{line}"));
    println!();
}

/// Writes the figures of a benchmark into cargo's target folder, `bench/`.
pub fn write_json(name: &str, figures: &Value) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let file = target.join(format!("bench/{name}.json"));
    let written = std::fs::create_dir_all(target.join("bench"))
        .and_then(|()| std::fs::write(&file, format!("{figures:#}\n")));
    written.map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    println!("written to {}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_runs_and_names_are_checked() {
        assert_eq!(count("3"), Ok(3));
        assert!(count("0").is_err() && count("x").is_err());
        assert_eq!(one_of(&["SOR", "Fib"], "sor"), Ok("SOR"));
        assert!(one_of(&["SOR"], "bubble").is_err());
    }

    #[test]
    fn averages_are_the_middle_one_and_the_root_of_the_product() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
        assert!((geometric_mean(&[2.0, 8.0]).expect("a mean") - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
