//! Builds the programs in every way, and the runtimes they are linked with.
//!
//! All ways share the compiler and its optimisation, so that they differ in checking alone. No option
//! asks for wide vectors: the instrumentation leaves 32-byte accesses out, and races with them.
//!
//! The stand-ins are linked into the program: a call into a shared library, gigabytes away, takes
//! twice as long on some processors, and the price of the instrumentation should be the least possible.

use crate::figures::Column;
use crate::kernel::{Kernel, folder};
use crate::way::{Variant, Way};
use std::path::PathBuf;
use std::process::Command;

/// A compiler and the folders it is used with.
#[derive(Debug)]
pub struct Toolchain {
    compiler: String,
    /// Where programs and runtimes are put.
    built: PathBuf,
    /// Where cargo puts libraries and programs of this profile.
    profile: PathBuf,
}

const OPTIMISED: [&str; 3] = ["-O2", "-g", "-fopenmp"];
const INSTRUMENTED: [&str; 3] = [
    "-fsanitize=thread",
    "-fno-sanitize-link-runtime",
    "-fno-plt",
];

/// Runtimes that stand in for a checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stub {
    /// Does nothing.
    Null,
    /// Counts what it is called for.
    Count,
}

impl Stub {
    fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Count => "count",
        }
    }
}

impl Toolchain {
    /// The compiler, with its products under cargo's target folder.
    pub fn new(compiler: &str) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|e| format!("where am I: {e}"))?;
        let profile = program.parent().ok_or("this program has no folder")?;
        let target = profile.parent().unwrap_or(profile);
        let built = target.join("bench/native");
        std::fs::create_dir_all(&built)
            .map_err(|e| format!("cannot make {}: {e}", built.display()))?;
        Ok(Self {
            compiler: compiler.to_owned(),
            built,
            profile: profile.to_path_buf(),
        })
    }

    /// Builds one of the stand-ins.
    pub fn build_stub(&self, stub: Stub) -> Result<(), String> {
        let source = folder().join("../null/null.c");
        let mut command = Command::new(&self.compiler);
        command.args(["-O2", "-fPIC", "-c"]);
        command.args((stub == Stub::Count).then_some("-DCOUNT"));
        succeed(command.arg(source).arg("-o").arg(self.object(stub)))
    }

    /// Builds Heddle's runtime and command with the cargo that started this program.
    pub fn build_heddle(&self) -> Result<(), String> {
        let mut command = cargo_build(self.is_release());
        succeed(command.args(["--package", "heddle-native", "--package", "heddle-cli"]))
    }

    /// Whether this program is built for speed: what it builds beside itself then is, too.
    fn is_release(&self) -> bool {
        self.profile.ends_with("release")
    }

    /// The program as its own sequential twin: without OpenMP.
    pub fn build_sequential(&self, kernel: &Kernel) -> Result<PathBuf, String> {
        let mut command = Command::new(&self.compiler);
        command.args(["-O2", "-g", "-Wno-source-uses-openmp"]);
        self.compile(command, kernel, "sequential")
    }

    /// The program with one of the stand-ins.
    pub fn build_with(&self, stub: Stub, kernel: &Kernel) -> Result<PathBuf, String> {
        self.compile(self.stubbed(stub), kernel, stub.name())
    }

    /// The program in one of the ways.
    pub fn build(&self, kernel: &Kernel, way: Way, variant: Variant) -> Result<PathBuf, String> {
        let mut command = self.command(way);
        command.args(variant.definition());
        self.compile(
            command,
            kernel,
            &format!("{}{}", way.name(), variant.suffix()),
        )
    }

    /// The program checked by Heddle, with cuts by this rule of the compiler's.
    pub fn build_cut(
        &self,
        kernel: &Kernel,
        variant: Variant,
        rule: &str,
    ) -> Result<PathBuf, String> {
        let mut command = self.checked_with(&[&format!("--cuts={rule}")]);
        command.args(variant.definition());
        let way = format!("cut-{rule}{}", variant.suffix());
        self.compile(command, kernel, &way)
    }

    /// Heddle's command.
    pub fn heddle(&self) -> PathBuf {
        self.profile.join("heddle")
    }

    /// Where [`build`](Self::build) puts it.
    pub fn built(&self, kernel: &Kernel, way: Way, variant: Variant) -> PathBuf {
        self.program(kernel, &format!("{}{}", way.name(), variant.suffix()))
    }

    fn program(&self, kernel: &Kernel, way: &str) -> PathBuf {
        self.built.join(format!("{}-{way}", kernel.stem))
    }

    fn command(&self, way: Way) -> Command {
        match way {
            Way::Plain => self.optimised(),
            Way::Null => self.stubbed(Stub::Null),
            Way::Heddle => self.checked(),
            Way::Archer => {
                let mut command = self.optimised();
                command.arg("-fsanitize=thread");
                command
            }
        }
    }

    fn optimised(&self) -> Command {
        let mut command = Command::new(&self.compiler);
        command.args(OPTIMISED);
        command
    }

    fn stubbed(&self, stub: Stub) -> Command {
        let mut command = self.optimised();
        command.args(INSTRUMENTED);
        // libomp looks for the counting tool among the exported symbols.
        command.arg("-rdynamic").arg(self.object(stub));
        command
    }

    fn object(&self, stub: Stub) -> PathBuf {
        self.built.join(format!("{}.o", stub.name()))
    }

    /// As a user would: with the wrapper, which knows what checking needs.
    fn checked(&self) -> Command {
        self.checked_with(&[])
    }

    /// The wrapper's own options come before the compiler's.
    fn checked_with(&self, options: &[&str]) -> Command {
        let mut command = Command::new(self.heddle());
        command.args(["cc", "--compiler", &self.compiler]);
        command.args(options).args(OPTIMISED);
        command
    }

    fn compile(&self, mut command: Command, kernel: &Kernel, way: &str) -> Result<PathBuf, String> {
        let program = self.program(kernel, way);
        command.arg(kernel.source()).arg("-o").arg(&program);
        succeed(command.arg("-lm"))?;
        Ok(program)
    }
}

fn cargo_build(is_release: bool) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet"]);
    command.args(is_release.then_some("--release"));
    command
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.output();
    let output = output.map_err(|e| format!("cannot start {:?}: {e}", command.get_program()))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{errors}", output.status))
}
