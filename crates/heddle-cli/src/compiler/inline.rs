//! Puts the common path of the checker's hooks into the code that clang instruments.
//!
//! Instrumented code calls a function for every access, and around a call the compiler must save every
//! vector register it needs: that alone costs more than the check. So where clang would go from source to
//! object in one go, it is made to stop after instrumenting, gets the text of the hooks, and goes on from there,
//! optimising once more. What it does besides is its own affair: `clang -###` says which steps it would
//! take, and all others are taken as they are.
//!
//! Code for shared libraries gets no hooks: it cannot reach an executable's thread-local storage. If it is to be cut
//! by a rule, it is compiled in the same steps all the same.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use super::checks;
use super::cuts;
use super::menier::calls;
use super::menier::statements::{self, Dialect};
use super::not_started;
use super::request::Request;
use crate::arguments::CutRule;
use crate::console;
use crate::scratch::Scratch;

/// The hooks, as text that goes into any module.
const HOOKS: &str = include_str!("../../../heddle-native/hooks/hooks.ll");

/// Options that instrument the code a second time if it is compiled in two steps, or keep more than the object.
const IN_ONE_STEP: &[&str] = &[
    "-fprofile",
    "-fcoverage-mapping",
    "-fcs-profile",
    "-fmemory-profile",
    "-fsanitize-coverage",
    "-fxray",
    "-finstrument",
    "-pg",
    "-split-dwarf",
    "-load",
    "-fpass-plugin",
];

/// Options about source text, with a value and without.
const OF_SOURCES: [&[&str]; 2] = [
    &["-dependency-file", "-MT", "-MQ", "-include", "-include-pch"],
    &["-sys-header-deps", "-MP"],
];

/// The option that keeps variables in memory while a loop runs: of use until accesses are instrumented.
const EARLY_LOADS: &str = "-disable-licm-promotion";

/// The option that tells volatile accesses apart. Here they are checked in line like others.
pub const DISTINGUISH_VOLATILE: &str = "-tsan-distinguish-volatile=1";

const NOT_CUT: &str = "--cuts needs clang to go from source to object in one step of its own, on x86-64 Linux: not with \
                       -S, -emit-llvm, -flto, profiling, coverage or plugins";

/// Compiles with clang, step by step; none if it is not to be, cannot be, or nothing would be gained.
pub fn compile(
    clang: &Path,
    words: &[OsString],
    request: &Request,
    rule: CutRule,
) -> Result<Option<ExitStatus>, String> {
    if !request.makes_code() {
        return Ok(None);
    }
    let scratch = Scratch::new("heddle-ir").ok();
    let steps = scratch
        .as_ref()
        .and_then(|scratch| steps(clang, words, scratch.dir()));
    let (Some(scratch), Some(steps)) = (&scratch, steps) else {
        return refused_or_whole(rule != CutRule::None);
    };
    if !steps.iter().any(|step| step.is_split(rule)) {
        let makes_code = steps.iter().any(Step::makes_code);
        return refused_or_whole(rule != CutRule::None && makes_code);
    }
    let taken = take(&steps, rule, scratch.dir());
    taken.map(Some).map_err(|error| not_started(clang, &error))
}

/// What cannot be cut is refused; other code the compiler makes by itself.
fn refused_or_whole(is_refused: bool) -> Result<Option<ExitStatus>, String> {
    match is_refused {
        true => Err(NOT_CUT.into()),
        false => Ok(None),
    }
}

/// One program that the driver would start.
struct Step {
    words: Vec<String>,
}

/// The steps that the driver would take, with what lies between them in `scratch`; none if it does not say so
/// plainly.
fn steps(clang: &Path, words: &[OsString], scratch: &Path) -> Option<Vec<Step>> {
    let mut driver = Command::new(clang);
    driver.arg("-###").args(words).stdin(Stdio::null());
    driver.env("TMPDIR", scratch);
    let said = driver.output().ok().filter(|said| said.status.success())?;
    let said = String::from_utf8(said.stderr).ok()?;
    let steps = said.lines().filter(|line| line.starts_with(" \""));
    let steps: Option<Vec<Step>> = steps.map(Step::read).collect();
    steps.filter(|_| !said.contains("response file"))
}

fn take(steps: &[Step], rule: CutRule, scratch: &Path) -> io::Result<ExitStatus> {
    let mut last = ExitStatus::default();
    for step in steps {
        last = match step.is_split(rule) {
            true => step.split(rule, scratch)?,
            false => run(&step.words)?,
        };
        if !last.success() {
            break;
        }
    }
    Ok(last)
}

impl Step {
    /// A line of words in quotes.
    fn read(line: &str) -> Option<Self> {
        let mut words = Vec::new();
        let mut letters = line.trim().chars();
        while let Some(letter) = letters.next() {
            match letter {
                ' ' => continue,
                '"' => words.push(quoted(&mut letters)?),
                _ => return None,
            }
        }
        (!words.is_empty()).then_some(Self { words })
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    fn value_of(&self, option: &str) -> Option<&str> {
        let at = self.words.iter().position(|word| word == option)?;
        self.words.get(at + 1).map(String::as_str)
    }

    /// Whether it goes from source to an instrumented object. Unless cuts are to be put in, it is done in one step for a shared
    /// library, which has no hooks of its own, and without optimisation.
    fn is_split(&self, rule: CutRule) -> bool {
        let kept_whole = |word: &String| IN_ONE_STEP.iter().any(|start| word.starts_with(start));
        let optimises = |word: &String| word.starts_with("-O") && word != "-O0";
        let gains = self.is_of_executable() && self.words.iter().any(optimises);
        ["-cc1", "-emit-obj", "-fsanitize=thread", "-o"]
            .iter()
            .all(|word| self.has(word))
            && self.value_of("-triple").is_some_and(is_known)
            && (rule != CutRule::None || gains)
            && !self.words.iter().any(kept_whole)
    }

    fn is_of_executable(&self) -> bool {
        self.has("-pic-is-pie") || !self.has("-pic-level")
    }

    /// Whether it compiles, rather than to look at sources only.
    fn makes_code(&self) -> bool {
        let kinds = ["-emit-obj", "-S", "-emit-llvm", "-emit-llvm-bc"];
        self.has("-cc1") && kinds.iter().any(|kind| self.has(kind))
    }

    fn split(&self, rule: CutRule, scratch: &Path) -> io::Result<ExitStatus> {
        let [source, text, with_hooks] =
            ["source.ll", "code.ll", "hooked.ll"].map(|name| scratch.join(name));
        let first = match rule {
            CutRule::Menier => self.cut_source(&source, &text)?,
            CutRule::None | CutRule::Access => run(&self.first_half(&text))?,
        };
        if !first.success() {
            return Ok(first);
        }
        let mut code = fs::read_to_string(&text)?;
        if rule == CutRule::Access {
            code = cuts::behind_accesses(&code);
        }
        let code = match self.is_of_executable() {
            true => hooked(&checks::combined(&code)),
            false => code.lines().map(|line| kept_apart(line) + "\n").collect(),
        };
        fs::write(&with_hooks, code)?;
        match run(&self.second_half(&with_hooks))? {
            done if done.success() => Ok(done),
            failed if rule != CutRule::None => Ok(failed),
            // Whatever the reason, the compiler alone does it, too.
            _ => run(&self.words),
        }
    }

    /// The first half in parts: the source's statements get their cuts before it is compiled, its calls
    /// before anything is optimised.
    fn cut_source(&self, source: &Path, text: &Path) -> io::Result<ExitStatus> {
        let resolved = source.with_extension("i");
        let mut words = self.first_half(&resolved);
        words.iter_mut().for_each(|word| {
            if word == "-emit-llvm" {
                *word = "-E".into();
            }
        });
        words.insert(words.len() - 1, "-frewrite-includes".into());
        let first = run(&words)?;
        if !first.success() {
            return Ok(first);
        }
        let cut = statements::inserted(&fs::read(&resolved)?, self.dialect());
        fs::write(&resolved, cut)?;
        let mut words = without_sources(self.first_half(source));
        // Names tell what clang has made of tasks.
        words.retain(|word| word != "-discard-value-names");
        let at = words.len() - 1;
        words.splice(at..at, self.as_written(&resolved)?);
        if let Some(last) = words.last_mut() {
            *last = resolved.to_string_lossy().into_owned();
        }
        let compiled = run(&words)?;
        if !compiled.success() {
            if self.compiles()? {
                console::say(&format!("heddle cc: {}", super::menier::NOT_CUT));
            }
            return Ok(compiled);
        }
        fs::write(source, calls::inserted(&fs::read_to_string(source)?))?;
        let mut words = self.first_half(text);
        words.truncate(words.len() - 1);
        run(&from_text(words, source))
    }

    /// Whether the source compiles as it is. What there is to say of it was said.
    fn compiles(&self) -> io::Result<bool> {
        let mut words = self.words.clone();
        words.iter_mut().for_each(|word| {
            if word == "-emit-obj" {
                *word = "-fsyntax-only".into();
            }
        });
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stderr(Stdio::null());
        Ok(command.status()?.success())
    }

    /// What keeps every call as the source has it, and the source's own folder in debug information.
    fn as_written(&self, resolved: &Path) -> io::Result<[String; 3]> {
        let source = self.words.last().map_or("", String::as_str);
        let source = std::path::absolute(source)?;
        let [from, to] = [resolved, &source].map(|path| path.parent().unwrap_or(path).display());
        Ok([
            "-disable-llvm-passes".into(),
            "-fno-builtin".into(),
            format!("-fdebug-prefix-map={from}={to}"),
        ])
    }

    fn dialect(&self) -> Dialect {
        match self.value_of("-x") {
            Some("c" | "cpp-output") => Dialect::C,
            _ => Dialect::Cxx,
        }
    }

    /// The first half: up to instrumented code.
    fn first_half(&self, text: &Path) -> Vec<String> {
        let mut words = self.words.clone();
        if self.is_of_executable() {
            words = without(words, DISTINGUISH_VOLATILE);
        }
        for at in 0..words.len() {
            match words[at].as_str() {
                "-emit-obj" => words[at] = "-emit-llvm".into(),
                "-o" if at + 1 < words.len() => words[at + 1] = text.to_string_lossy().into_owned(),
                _ => {}
            }
        }
        words
    }

    /// The second half.
    fn second_half(&self, text: &Path) -> Vec<String> {
        let words = self.words[..self.words.len() - 1].to_vec();
        // What is loaded early from here on is not instrumented any more.
        let words = without(words, EARLY_LOADS);
        let mut words = without(words, DISTINGUISH_VOLATILE);
        words.retain(|word| word != "-fsanitize=thread");
        from_text(words, text)
    }
}

/// The words without an option of LLVM's.
fn without(mut words: Vec<String>, option: &str) -> Vec<String> {
    if let Some(at) = words.iter().position(|word| word == option)
        && at > 0
    {
        words.drain(at - 1..=at);
    }
    words
}

/// A step that starts from the text of code: the given words, without the source and what is said of it.
fn from_text(given: Vec<String>, text: &Path) -> Vec<String> {
    let mut words = without_sources(given);
    if let Some(at) = words.iter().position(|word| word == "-x") {
        words.drain(at..at + 2);
    }
    // What there is to warn of was said before.
    words.extend(["-w", "-x", "ir"].map(String::from));
    words.push(text.to_string_lossy().into_owned());
    words
}

/// The words without what is of use to read sources only.
fn without_sources(given: Vec<String>) -> Vec<String> {
    let [with_value, alone] = OF_SOURCES;
    let mut words = Vec::new();
    let mut given = given.into_iter();
    while let Some(word) = given.next() {
        if with_value.contains(&word.as_str()) {
            given.next();
        } else if !alone.contains(&word.as_str()) {
            words.push(word);
        }
    }
    words
}

fn run(words: &[String]) -> io::Result<ExitStatus> {
    Command::new(&words[0]).args(&words[1..]).status()
}

fn is_known(triple: &str) -> bool {
    triple.starts_with("x86_64-") && triple.contains("-linux")
}

/// What stands before the closing quote; none if there is none.
fn quoted(letters: &mut std::str::Chars<'_>) -> Option<String> {
    let mut word = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(word),
            '\\' => word.push(letters.next()?),
            letter => word.push(letter),
        }
    }
}

/// A line of code; where it calls a hook, such that it stays a call of its own at its own place: a hook finds
/// its place in the program by where it returns to.
fn kept_apart(line: &str) -> Cow<'_, str> {
    let code = line.split_once(", !").map_or(line, |(code, _)| code);
    let (Some(call), Some(end)) = (code.find("call "), code.rfind(')')) else {
        return line.into();
    };
    if !code.contains("@__tsan_") || code.contains("notail") || code.contains("tail call") {
        return line.into();
    }
    let (before, rest) = line.split_at(call);
    let (within, after) = rest.split_at(end + 1 - call);
    format!("{before}notail {within} nomerge{after}").into()
}

/// The code with the hooks it declares defined.
fn hooked(code: &str) -> String {
    let is_declared_twice = |line: &&str| {
        let name = line.strip_prefix("declare ").and_then(|line| {
            let (_, from_name) = line.split_once('@')?;
            from_name.split_once('(').map(|(name, _)| name)
        });
        name.is_some_and(|name| HOOKS.contains(&format!("@{name}(ptr")))
    };
    let mut text = String::with_capacity(code.len() + HOOKS.len());
    let mut lines = code
        .lines()
        .filter(|line| !is_declared_twice(line))
        .peekable();
    while let Some(line) = lines.next() {
        if let Some(load) = lines.next_if(|next| is_volatile_load_behind(next, line)) {
            text.push_str(load);
            text.push('\n');
        }
        text.push_str(&kept_apart(line));
        text.push('\n');
    }
    text.push_str(HOOKS);
    text
}

/// Whether a line loads what the line before it checks, and is volatile: a thread may wait for the value in a loop without
/// pause. The check then comes behind the load. Writes are checked before they are made, so whoever has seen a value
/// finds the write of it in the history.
fn is_volatile_load_behind(line: &str, check: &str) -> bool {
    let checked = check.split_once("call void @__tsan_read");
    let address =
        checked.and_then(|(_, call)| Some(call.split_once("(ptr ")?.1.split_once(')')?.0));
    address.is_some_and(|address| {
        line.contains(" = load volatile ") && line.contains(&format!(", ptr {address}, "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(line: &str) -> Step {
        Step::read(line).expect("it is well formed")
    }

    const PLAIN: &str = r#" "clang" "-cc1" "-triple" "x86_64-pc-linux-gnu" "-emit-obj" "-pic-level" "2" "-pic-is-pie" "-O2" "-dependency-file" "a.d" "-MT" "a.o" "-fsanitize=thread" "-o" "a.o" "-x" "c" "a b.c""#;

    #[test]
    fn words_of_a_step_are_read_with_their_quotes() {
        let words = step(r#" "cl\"ang" "-D" "A=\\b c""#).words;
        assert_eq!(words, [r#"cl"ang"#, "-D", r"A=\b c"]);
        assert!(Step::read(r#" "open"#).is_none() && Step::read(" bare").is_none());
    }

    #[test]
    fn instrumented_objects_of_executables_are_compiled_in_two_halves() {
        assert!(step(PLAIN).is_split(CutRule::None));
        for (from, to) in [
            (r#" "-pic-is-pie""#, ""),
            ("-O2", "-O0"),
            ("-fsanitize=thread", "-g"),
            ("-emit-obj", "-S"),
            ("x86_64", "aarch64"),
            ("\"-O2\"", "\"-O2\" \"-fprofile-instrument=clang\""),
        ] {
            assert!(
                !step(&PLAIN.replace(from, to)).is_split(CutRule::None),
                "{to}"
            );
        }
    }

    #[test]
    fn the_second_half_starts_from_text_and_knows_no_sources() {
        let words = step(PLAIN).second_half(Path::new("t.ll")).join(" ");
        assert_eq!(
            words,
            "clang -cc1 -triple x86_64-pc-linux-gnu -emit-obj -pic-level 2 -pic-is-pie -O2 -o a.o -w -x ir t.ll"
        );
        let words = step(PLAIN).first_half(Path::new("t.ll")).join(" ");
        assert!(words.contains("-emit-llvm") && words.contains("-o t.ll -x c a b.c"));
    }

    #[test]
    fn calls_of_hooks_stay_where_they_are() {
        let line = "  %3 = call i32 @__tsan_atomic32_fetch_add(ptr @x, i32 1) #4, !dbg !9";
        let apart =
            "  %3 = notail call i32 @__tsan_atomic32_fetch_add(ptr @x, i32 1) nomerge #4, !dbg !9";
        assert_eq!(kept_apart(line), apart);
        for other in ["  call void @f(i32 1)", "declare void @__tsan_init()", "}"] {
            assert_eq!(kept_apart(other), other);
        }
    }

    #[test]
    fn volatile_reads_are_checked_behind_the_load() {
        let check = "  call void @__tsan_read4(ptr @f), !dbg !31";
        let load = "  %4 = load volatile i32, ptr @f, align 4, !dbg !31";
        assert!(is_volatile_load_behind(load, check));
        let text = hooked(&format!("{check}\n{load}\n"));
        assert!(text.starts_with(&format!("{load}\n  notail call void @__tsan_read4(ptr @f)")));
        for other in [
            "  %4 = load i32, ptr @f, align 4",
            "  %4 = load volatile i32, ptr @g, align 4",
            "  store volatile i32 1, ptr @f, align 4",
        ] {
            assert!(!is_volatile_load_behind(other, check), "{other}");
        }
    }

    #[test]
    fn hooks_are_defined_once_and_other_declarations_stay() {
        let code = "declare void @__tsan_read8(ptr) #1\ndeclare void @__tsan_init() #1\n\
                    declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #2\n";
        let text = hooked(code);
        assert!(!text.contains("declare void @__tsan_read8("));
        assert_eq!(
            text.matches("declare nonnull ptr @llvm.threadlocal")
                .count(),
            1
        );
        assert!(text.contains("declare void @__tsan_init()"));
        assert_eq!(text.matches("@__tsan_read8(").count(), 1);
    }

    #[test]
    fn every_update_that_two_accesses_may_become_is_known() {
        for name in ["read_write", "unaligned_read_write"] {
            for size in [2, 4, 8, 16] {
                let function = format!("@__tsan_{name}{size}(ptr");
                assert!(HOOKS.contains(&function), "{function}");
            }
        }
    }
}
