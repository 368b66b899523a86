//! Cuts by a rule in what gcc compiles.
//!
//! There is no pass of ours in gcc; but it writes assembly text, which another program turns into objects.
//! Gcc starts each of its programs by way of a *wrapper* if told so: a link to this command under a name that
//! says the rule. It lets the compiler proper write its text, then puts the cuts in. Shared libraries and executables are
//! the same to it.
//!
//! Behind an access all registers that a call may change are free, since its check was a call. For Ménier's rule the compiler
//! proper runs twice: first it resolves the `#include`s of the source, whose statements are then cut
//! ([`statements`]); then it compiles that, without optimisation, so that each
//! call of the assembly text is one of the source. Cuts around those leave registers and flags as they are.

mod assembly;
mod calls;
mod pragmas;
mod ranges;

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::{env, fs, io};

use super::menier::NOT_CUT;
use super::menier::statements::{self, Dialect};
use crate::arguments::CutRule;
use crate::console::{self, reason};
use crate::scratch::Scratch;
use crate::status::{Status, passed_on};

/// The names of the wrapper, and their rules.
const NAMES: [(&str, CutRule); 2] = [
    ("heddle-cut-access", CutRule::Access),
    ("heddle-cut-menier", CutRule::Menier),
];

/// What is neither to be kept as anything else than text nor written in other words.
const FOR_ALL: [&str; 2] = ["-fno-lto", "-masm=att"];

/// What keeps the calls as the source has them, says in comments where functions are inlined, and keeps
/// the stack below a function's own free for calls.
const FOR_CALLS: [&str; 6] = [
    "-O0",
    "-fno-builtin",
    "-U_FORTIFY_SOURCE",
    "-gdwarf-5",
    "-dA",
    "-mno-red-zone",
];

/// What resolves `#include`s but expands no macros, and what tells the compiler that this was done.
const RESOLVE: [&str; 2] = ["-E", "-fdirectives-only"];
const RESOLVED: [&str; 2] = ["-fpreprocessed", "-fdirectives-only"];

/// Options about source text that is read already, with a value and without; and one that does not go together
/// with resolving `#include`s alone.
const OF_DEPENDENCIES: [&[&str]; 2] = [&["-MD", "-MMD", "-MF", "-MT", "-MQ"], &["-MP", "-MG"]];
const OF_SOURCES: [&str; 2] = ["-include", "-imacros"];
const UNRESOLVABLE: &str = "-Wunused-macros";

/// The wrapper, for as long as it exists.
pub struct Wrapper {
    rule: CutRule,
    scratch: Scratch,
}

impl Wrapper {
    /// Makes the link; none if nothing is to be cut.
    pub fn new(rule: CutRule) -> io::Result<Option<Self>> {
        let Some((name, _)) = NAMES.iter().find(|(_, named)| *named == rule) else {
            return Ok(None);
        };
        let scratch = Scratch::new("heddle-cut")?;
        symlink(env::current_exe()?, scratch.dir().join(name))?;
        Ok(Some(Self { rule, scratch }))
    }

    /// The command line of gcc with it.
    pub fn words(&self, given: Vec<OsString>) -> Vec<OsString> {
        let name = NAMES.iter().find(|(_, rule)| *rule == self.rule);
        let name = name.map_or("", |(name, _)| name);
        let mut words = vec!["-wrapper".into(), self.scratch.dir().join(name).into()];
        // A pipe would have no text to change.
        words.extend(given.into_iter().filter(|word| word != "-pipe"));
        words.extend(FOR_ALL.map(OsString::from));
        if self.rule == CutRule::Menier {
            words.extend(FOR_CALLS.map(OsString::from));
        }
        words
    }
}

/// Does what gcc wants done if this command was started as its wrapper.
pub fn wrapped(words: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = words.into_iter();
    let first = PathBuf::from(words.next()?);
    let (_, rule) = NAMES
        .iter()
        .find(|(name, _)| first.file_name() == Some(name.as_ref()))?;
    let words: Vec<OsString> = words.collect();
    let program = PathBuf::from(words.first()?);
    let done = match text(&words) {
        Some(text) => compile(*rule, &words, Path::new(text)),
        None => Err(Command::new(&program).args(&words[1..]).exec()),
    };
    Some(done.unwrap_or_else(|error| {
        let message = format!("{}: {}", program.display(), reason(&error));
        console::say(&format!("heddle cc: error: {message}"));
        Status::Error.into()
    }))
}

/// The assembly text that a program writes; none if it writes none.
fn text(words: &[OsString]) -> Option<&OsStr> {
    let program = Path::new(words.first()?).file_name()?.to_str()?;
    let compiles = program.starts_with("cc1") && !words.iter().any(|word| word == "-E");
    let at = words.iter().position(|word| word == "-o")?;
    let text = words.get(at + 1).filter(|_| compiles)?;
    Some(text)
}

fn compile(rule: CutRule, words: &[OsString], text: &Path) -> io::Result<ExitCode> {
    let status = match rule {
        CutRule::Menier => compile_cut(words)?,
        CutRule::None | CutRule::Access => run(words)?,
    };
    if status.success() {
        let code = fs::read(text)?;
        let code = String::from_utf8_lossy(&code);
        let cut = match rule {
            CutRule::None => code.into_owned(),
            CutRule::Access => assembly::behind_accesses(&code),
            CutRule::Menier => calls::inserted(&code),
        };
        fs::write(text, cut)?;
    }
    Ok(passed_on(status))
}

/// Compiles the source with its statements cut.
fn compile_cut(words: &[OsString]) -> io::Result<ExitStatus> {
    let Some(source) = source(words) else {
        return Err(io::Error::other("cannot tell the source from the options"));
    };
    let scratch = Scratch::new("heddle-source")?;
    let [resolved, cut] = ["resolved.i", "cut.i"].map(|name| scratch.dir().join(name));
    let is_resolved = words.iter().any(|word| word == "-fpreprocessed");
    let resolved = match is_resolved {
        true => PathBuf::from(&words[source]),
        false => {
            let status = run(&resolving(words, &resolved))?;
            if !status.success() {
                return Ok(status);
            }
            let text = pragmas::restored(&fs::read(&resolved)?, &env::current_dir()?);
            fs::write(&resolved, text)?;
            resolved
        }
    };
    let program = Path::new(&words[0]).file_name().unwrap_or_default();
    let dialect = match program == "cc1" {
        true => Dialect::C,
        false => Dialect::Cxx,
    };
    fs::write(&cut, statements::inserted(&fs::read(&resolved)?, dialect))?;
    let is_whole = is_resolved && !words.iter().any(|word| word == RESOLVED[1]);
    let status = run(&compiling(words, source, &cut, !is_whole))?;
    if !status.success() && compiles(words)? {
        console::say(&format!("heddle cc: {NOT_CUT}"));
    }
    Ok(status)
}

/// Whether the source compiles as it is. What there is to say of it was said.
fn compiles(words: &[OsString]) -> io::Result<bool> {
    let [with_value, alone] = OF_DEPENDENCIES;
    let words = without(words, [with_value, alone]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("-fsyntax-only");
    command.stderr(Stdio::null());
    Ok(command.status()?.success())
}

/// The number of the word that names the source: the last one before the options about it.
fn source(words: &[OsString]) -> Option<usize> {
    let starts = ["-dumpdir", "-dumpbase", "-auxbase"];
    let end = words
        .iter()
        .position(|word| starts.iter().any(|start| word == start))?;
    let is_file = |word: &OsString| word == "-" || !word.as_encoded_bytes().starts_with(b"-");
    words[1..end].iter().rposition(is_file).map(|at| at + 1)
}

/// The words that resolve the `#include`s of a source.
fn resolving(words: &[OsString], resolved: &Path) -> Vec<OsString> {
    let mut words = without(words, [&["-o"], &[UNRESOLVABLE]]);
    let is_parallel = |word: &OsString| word.as_encoded_bytes().starts_with(b"-fopen");
    let parallel: Vec<_> = words.extract_if(.., |word| is_parallel(word)).collect();
    words.splice(1..1, RESOLVE.map(OsString::from));
    words.extend(versions(&words[0], &parallel));
    words.extend(["-o".into(), resolved.into()]);
    words
}

/// What defines the macros that tell the versions of OpenMP and OpenACC, as these options would.
fn versions(program: &OsStr, options: &[OsString]) -> Vec<OsString> {
    if options.is_empty() {
        return Vec::new();
    }
    let mut command = Command::new(program);
    command.args(["-E", "-dM", "-quiet"]).args(options);
    let output = command.args(["/dev/null", "-o", "-"]).output();
    let defined = output.map_or_else(|_| Vec::new(), |output| output.stdout);
    let defined = String::from_utf8_lossy(&defined);
    let version = |line: &str| {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        ["_OPENMP", "_OPENACC"]
            .contains(&name)
            .then(|| format!("-D{name}={value}").into())
    };
    defined.lines().filter_map(version).collect()
}

/// The words that compile what was resolved and cut.
fn compiling(words: &[OsString], source: usize, cut: &Path, has_macros: bool) -> Vec<OsString> {
    let mut words = words.to_vec();
    words[source] = cut.into();
    let [with_value, alone] = OF_DEPENDENCIES;
    let with_value = [with_value, &OF_SOURCES].concat();
    let mut words = without(&words, [&with_value, &[alone, &[UNRESOLVABLE]].concat()]);
    let told = if has_macros { &RESOLVED[..] } else { &[] };
    words.extend(told.iter().map(OsString::from));
    words
}

/// The words without options that have a value, and without some that have none.
fn without(words: &[OsString], [with_value, alone]: [&[&str]; 2]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let is_any = |options: &[&str]| options.iter().any(|option| word == option);
        if is_any(with_value) {
            words.next();
        } else if !is_any(alone) {
            kept.push(word.clone());
        }
    }
    kept
}

fn run(words: &[OsString]) -> io::Result<ExitStatus> {
    Command::new(&words[0]).args(&words[1..]).status()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn only_the_compiler_proper_writes_text() {
        let compiles = words("/usr/lib/gcc/cc1plus -quiet a.cc -o /tmp/a.s");
        assert_eq!(text(&compiles), Some(OsStr::new("/tmp/a.s")));
        for other in [
            "as -o a.o /tmp/a.s",
            "cc1 -E -quiet a.c -o a.i",
            "cc1 -quiet a.c",
        ] {
            assert_eq!(text(&words(other)), None, "{other}");
        }
    }

    #[test]
    fn the_wrapper_comes_first_and_its_options_last() {
        let wrapper = Wrapper::new(CutRule::Menier).expect("a link can be made");
        let wrapper = wrapper.expect("there is something to cut");
        let line = wrapper.words(words("-O2 -pipe -c a.c"));
        let line: Vec<_> = line.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(line[0], "-wrapper");
        assert!(line[1].ends_with("/heddle-cut-menier"), "{line:?}");
        let rest = line[2..].join(" ");
        assert!(rest.starts_with("-O2 -c a.c -fno-lto -masm=att -O0 "));
        let none = Wrapper::new(CutRule::None).expect("there is nothing to make");
        assert!(none.is_none());
    }

    #[test]
    fn the_source_stands_before_the_options_about_it() {
        let line = words(
            "cc1 -quiet -imultiarch x86 -MD a.d -MQ a.o -D X a.c -quiet -dumpbase a.c -O0 -o a.s",
        );
        let at = source(&line).expect("there is one");
        assert_eq!(line[at], "a.c");
        assert_eq!(
            resolving(&line, Path::new("r.i")).join(OsStr::new(" ")),
            "cc1 -E -fdirectives-only -quiet -imultiarch x86 -MD a.d -MQ a.o -D X a.c -quiet \
             -dumpbase a.c -O0 -o r.i"
        );
        assert_eq!(
            compiling(&line, at, Path::new("c.i"), true).join(OsStr::new(" ")),
            "cc1 -quiet -imultiarch x86 -D X c.i -quiet -dumpbase a.c -O0 -o a.s -fpreprocessed \
             -fdirectives-only"
        );
    }

    #[test]
    fn other_names_are_no_wrapper() {
        assert!(wrapped(words("heddle cc a.c")).is_none());
    }
}
