//! Programs of ours, built in three ways and timed.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs, and what they are given: of the shape of UTS, RSBench and XSBench, whose slowdown is to stay below
/// [`SLOWDOWN`], a stencil, and one that does nothing but read a table at random.
const PROGRAMS: [(&str, &[&str], bool); 5] = [
    ("treesearch", &["100000"], true),
    ("poles", &["20000"], true),
    ("gridsearch", &["40000"], true),
    ("stencil", &["64", "400"], false),
    ("lookups", &["20000"], false),
];

/// Checked, a program may take so many times as long as plain.
const SLOWDOWN: f64 = 10.0;

/// How often each is timed; the fastest counts.
const REPEAT: usize = 3;

/// Builds and times all of them.
pub fn run() -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let profile = program
        .parent()
        .ok_or("this program has no folder")?
        .to_path_buf();
    let built = profile.with_file_name("bench").join("ocr");
    std::fs::create_dir_all(&built).map_err(|error| error.to_string())?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let words = [
        "build",
        "--release",
        "--quiet",
        "-p",
        "heddle-native",
        "-p",
        "heddle-cli",
    ];
    succeed(Command::new(cargo).args(words))?;
    println!("programs, CPU seconds");
    println!(
        "{:<12} {:>8} {:>8} {:>8}  {:>8}",
        "program", "plain", "null", "heddle", "factor"
    );
    let mut rows = Vec::new();
    for (name, arguments, is_of_thesis) in PROGRAMS {
        let mut times = Vec::new();
        for way in ["plain", "null", "heddle"] {
            let executable = build(&profile, &built, name, way)?;
            times.push(timed(&executable, arguments)?);
        }
        let factor = times[2] / times[0];
        println!(
            "{name:<12} {:>8.3} {:>8.3} {:>8.3}  {factor:>7.1}x",
            times[0], times[1], times[2]
        );
        if is_of_thesis && factor >= SLOWDOWN {
            println!("  missed: it is to stay below {SLOWDOWN}");
        }
        rows.push(
            json!({"program": name, "plain": times[0], "null": times[1], "heddle": times[2]}),
        );
    }
    Ok(Value::Array(rows))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn build(profile: &Path, built: &Path, name: &str, way: &str) -> Result<PathBuf, String> {
    let source = folder().join("programs").join(format!("{name}.c"));
    let executable = built.join(format!("{name}-{way}"));
    let native = folder().join("../../crates/heddle-native");
    let mut command = match way {
        "heddle" => {
            let mut command = Command::new(profile.join("heddle"));
            command.args(["cc", "--ocr"]);
            command
        }
        _ => {
            let mut command = Command::new("clang-22");
            command.arg("-isystem").arg(native.join("include/ocr"));
            command.arg("-L").arg(profile).arg("-lheddle_native");
            command.arg(format!("-Wl,-rpath,{}", profile.display()));
            command.arg(native.join("hooks/ocr.s"));
            command
        }
    };
    if way == "null" {
        command.args(["-fsanitize=thread", "-fno-sanitize-link-runtime"]);
        command.arg(null_runtime(built)?);
    }
    command.arg("-O2").arg(source).arg("-o").arg(&executable);
    succeed(command.arg("-lm"))?;
    Ok(executable)
}

/// The instrumentation's functions, empty.
fn null_runtime(built: &Path) -> Result<PathBuf, String> {
    let object = built.join("null.o");
    let source = folder().join("../native/null/null.c");
    let mut command = Command::new("clang-22");
    succeed(
        command
            .args(["-O2", "-fPIC", "-c"])
            .arg(source)
            .arg("-o")
            .arg(&object),
    )?;
    Ok(object)
}

fn timed(program: &Path, arguments: &[&str]) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..REPEAT {
        let before = time_of_children();
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
        best = best.min(time_of_children() - before);
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || !text.contains("PASSED") {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} fails: {text}{errors}", program.display()));
        }
    }
    Ok(best)
}

/// What all programs that have ended have computed so far: other work on the machine does not count.
fn time_of_children() -> f64 {
    // In hundredths of a second. The name in front may have spaces.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u32 = ticks.filter_map(|field| field.parse::<u32>().ok()).sum();
    f64::from(ticks) / 100.0
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
