//! `heddle cc` and `heddle c++`: an ordinary compiler, with what checking needs added to its
//! command line. Everything else passes through, the exit status included.

mod checks;
mod choice;
mod cuts;
mod exclusive;
mod gcc;
mod inline;
mod line;
mod links;
mod menier;
mod request;
mod substitute;
/// The functions whose calls a program makes to the checker instead: a table of the checker.
#[path = "../../../heddle-native/src/libc/wrapped.rs"]
mod wrapped;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

pub use choice::Language;
pub use gcc::wrapped;
pub use links::spelt_out;

use crate::arguments::{CompilerOptions, CutRule};
use crate::console::{self, reason};
use crate::installation;
use crate::status::{Status, passed_on};
use choice::{Compiler, Family};
use gcc::Wrapper;
use line::Folders;
use request::{Goal, Request};
use substitute::{Substitutes, libomp};

const NO_LIBOMP: &str = "OpenMP programs are checked with LLVM's libomp, and there is none: \
                         install it (Debian: libomp-22-dev)";

/// The whole command.
pub fn run(language: Language, options: &CompilerOptions) -> ExitCode {
    let done = match &options.install_links {
        Some(dir) => links::install(dir).map(|line| {
            console::say(&line);
            ExitCode::SUCCESS
        }),
        None => compile(language, options),
    };
    done.unwrap_or_else(|message| {
        console::say(&format!("{}: error: {message}", language.command()));
        Status::Error.into()
    })
}

fn compile(language: Language, options: &CompilerOptions) -> Result<ExitCode, String> {
    let compiler = Compiler::choose(language, options.compiler.as_deref())?;
    let request = Request::new(&options.arguments);
    if let Some(option) = refused(&request) {
        return Err(format!(
            "{option} does not go together with checking: leave it out"
        ));
    }
    let links = request.goal == Goal::Link;
    let library = links.then(installation::library_dir).transpose()?;
    let substitutes = links
        .then(|| substitutes(&compiler, &request))
        .transpose()?;
    let include = installation::include_dir();
    let folders = Folders {
        library: library.as_deref(),
        include: include.as_deref(),
        substitutes: substitutes.as_ref().and_then(Substitutes::libraries),
        hooks: substitutes.as_ref().map(Substitutes::hooks),
        start: substitutes
            .as_ref()
            .filter(|_| options.ocr)
            .map(Substitutes::start),
        has_ocr: options.ocr,
    };
    let mut words = line::words(&compiler, &request, &folders, &options.arguments);
    if options.cuts == Some(CutRule::None) && request.has_sources {
        // What `heddle.h` looks at.
        words.push("-DHEDDLE_NO_CUTS".into());
    }
    if let Some(include) = include
        .as_deref()
        .filter(|_| options.ocr && request.makes_code())
    {
        words.extend(exclusive::words(&compiler, include, &options.arguments));
    }
    let rule = options.cuts.unwrap_or(CutRule::None);
    let status = execute(&compiler, words, &request, rule)?;
    if !status.success() {
        explain(language, &compiler, &request);
    }
    Ok(passed_on(status))
}

/// Starts the compiler, step by step where something is put in between.
fn execute(
    compiler: &Compiler,
    words: Vec<OsString>,
    request: &Request,
    rule: CutRule,
) -> Result<ExitStatus, String> {
    let failed = |error: &io::Error| not_started(&compiler.path, error);
    if compiler.family == Family::Clang
        && let Some(status) = inline::compile(&compiler.path, &words, request, rule)?
    {
        return Ok(status);
    }
    let is_cut = compiler.family == Family::Gcc && request.makes_code();
    let wrapper = is_cut.then(|| Wrapper::new(rule)).transpose();
    let wrapper = wrapper.map_err(|error| failed(&error))?.flatten();
    let words = match &wrapper {
        Some(wrapper) => wrapper.words(words),
        None => words,
    };
    let status = Command::new(&compiler.path).args(words).status();
    status.map_err(|error| failed(&error))
}

/// An answer needs nothing that could be in its way.
fn refused(request: &Request) -> Option<&str> {
    match request.goal {
        Goal::Answer => None,
        Goal::Objects | Goal::Link => request.refused.as_deref(),
    }
}

fn substitutes(compiler: &Compiler, request: &Request) -> Result<Substitutes, String> {
    let made = match compiler.family {
        Family::Clang => Substitutes::new(),
        Family::Gcc => {
            let needed = request.openmp.then(|| libomp(compiler).ok_or(NO_LIBOMP));
            let libomp = needed.transpose()?;
            Substitutes::new().and_then(|made| made.for_gcc(libomp.as_deref()))
        }
    };
    made.map_err(|error| format!("cannot write temporary files: {}", reason(&error)))
}

/// Says what the compiler's own messages leave out.
fn explain(language: Language, compiler: &Compiler, request: &Request) {
    let needs_libomp = request.openmp && compiler.family == Family::Clang;
    if needs_libomp && request.goal != Goal::Answer && libomp(compiler).is_none() {
        console::say(&format!("{}: note: {NO_LIBOMP}", language.command()));
    }
}

fn not_started(compiler: &Path, error: &std::io::Error) -> String {
    format!("cannot start {}: {}", compiler.display(), reason(error))
}
