//! `cargo xtask setup`: what the tests need beyond the sources.
//!
//! Rust components come from rustup, everything else from Debian's packages. Two tables say what is
//! needed and how its presence shows; nothing is installed, and no package list fetched, while
//! everything is there.

use crate::command::{program, quietly, succeeds};
use crate::failure::Failure;
use crate::options;
use std::path::Path;

/// A part of the Rust toolchain and the command that shows its presence.
struct Component {
    name: &'static str,
    shown_by: [&'static str; 2],
}

const COMPONENTS: &[Component] = &[
    Component {
        name: "rustfmt",
        shown_by: ["fmt", "--version"],
    },
    Component {
        name: "clippy",
        shown_by: ["clippy", "--version"],
    },
];

/// A Debian package and what shows its presence.
struct Package {
    name: &'static str,
    brings: Brings,
}

/// What a package brings.
enum Brings {
    /// A program somewhere in `PATH`.
    Program(&'static str),
    /// A file.
    File(&'static str),
}

const fn package(name: &'static str, brings: Brings) -> Package {
    Package { name, brings }
}

/// Compilers, OpenMP's runtime with its headers, ThreadSanitizer to compare with, the build
/// tools that projects use, the batch engines that spread parts of an exploration, and what reads reports.
const PACKAGES: &[Package] = &[
    package("gcc", Brings::Program("cc")),
    package("g++", Brings::Program("g++")),
    package("clang-22", Brings::Program("clang-22")),
    package(
        "libomp-22-dev",
        Brings::File("/usr/lib/llvm-22/lib/libomp.so"),
    ),
    package(
        "libclang-rt-22-dev",
        Brings::File("/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.tsan-x86_64.a"),
    ),
    package("make", Brings::Program("make")),
    package("cmake", Brings::Program("cmake")),
    package("slurmctld", Brings::File("/usr/sbin/slurmctld")),
    package("slurmd", Brings::File("/usr/sbin/slurmd")),
    package("slurm-client", Brings::Program("sbatch")),
    package("parallel", Brings::Program("parallel")),
    package("jq", Brings::Program("jq")),
    package("chromium", Brings::Program("chromium")),
    package("python3", Brings::File("/usr/bin/python3")),
    package(
        "python3-jsonschema",
        Brings::File("/usr/lib/python3/dist-packages/jsonschema/__init__.py"),
    ),
];

/// The task.
pub fn run(rest: &[String]) -> Result<(), Failure> {
    options::none("setup", rest)?;
    ensure()?;
    eprintln!("setup: rustfmt, clippy and every package the tests need are installed");
    Ok(())
}

/// Installs what is missing; says nothing if nothing is.
pub fn ensure() -> Result<(), Failure> {
    for component in COMPONENTS.iter().filter(|c| !c.present()) {
        component.install()?;
    }
    let missing = missing(PACKAGES, std::env::var("PATH").unwrap_or_default().as_str());
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing)
}

impl Component {
    fn present(&self) -> bool {
        succeeds(&mut crate::command::cargo(self.shown_by))
    }

    fn install(&self) -> Result<(), Failure> {
        eprintln!("setup: installing {} with rustup", self.name);
        let mut rustup = program("rustup");
        rustup.args(["component", "add", self.name]);
        quietly("rustup", &mut rustup).map(drop)
    }
}

/// The names of the packages that are not there, programs being looked for in the folders of `path`.
fn missing(packages: &[Package], path: &str) -> Vec<&'static str> {
    let absent = packages.iter().filter(|p| !p.brings.present(path));
    absent.map(|p| p.name).collect()
}

impl Brings {
    fn present(&self, path: &str) -> bool {
        match self {
            Self::Program(name) => path
                .split(':')
                .any(|dir| Path::new(dir).join(name).exists()),
            Self::File(file) => Path::new(file).exists(),
        }
    }
}

fn install(missing: &[&str]) -> Result<(), Failure> {
    let by_hand = format!(
        "apt-get install --no-install-recommends {}",
        missing.join(" ")
    );
    if !succeeds(program("apt-get").arg("--version")) {
        let list = missing.join(", ");
        return Err(Failure::Step(format!(
            "the tests need {list} (Debian's names), and there is no apt-get here to install them"
        )));
    }
    if quietly("id", program("id").arg("-u"))?.trim() != "0" {
        return Err(Failure::Step(format!(
            "run this as root, then try again:\n  {by_hand}"
        )));
    }
    eprintln!("setup: {by_hand}");
    // One list among many that cannot be fetched need not matter; if it does, the installation fails, too.
    let updated = apt(&["update", "-qq"]);
    let command = ["install", "-y", "-qq", "--no-install-recommends"];
    let installed = apt(&[&command, missing].concat());
    installed.map_err(|failure| match updated {
        Err(earlier) => Failure::Step(format!("{earlier}\n{failure}")),
        Ok(()) => failure,
    })
}

fn apt(arguments: &[&str]) -> Result<(), Failure> {
    let mut command = program("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(arguments);
    quietly("apt-get", &mut command).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Package] = &[
        package("dash", Brings::Program("sh")),
        package("weaver", Brings::Program("no-such-program-here")),
        package("base-files", Brings::File("/etc")),
        package("thread", Brings::File("/no/such/file")),
    ];

    #[test]
    fn only_packages_without_what_they_bring_are_missing() {
        let missing = missing(TABLE, "/nowhere:/bin:/usr/bin");
        assert_eq!(missing, ["weaver", "thread"]);
    }

    #[test]
    fn with_an_empty_path_every_program_is_missing() {
        assert_eq!(missing(TABLE, "/nowhere"), ["dash", "weaver", "thread"]);
    }
}
