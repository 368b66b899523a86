//! What of the program was not seen, so that a report does not claim it.
//!
//! Two things: code that was compiled without instrumentation, and what threads and tasks would have done that
//! were not over when the program ended.
//!
//! Instrumented code has a constructor that calls the runtime, one in each object, whichever compiler made it. The symbol
//! table of an executable tells objects apart by the names of their source files; one without the
//! constructor was compiled otherwise. Where symbols were stripped, that cannot be told, which is said.

use super::image;
use super::modules::{Module, Modules, Role};
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Names shown before the rest is counted.
const SHOWN: usize = 3;

/// What is not over yet: how many have begun less how many are over, counted on several places so that
/// threads do not wait for each other.
#[derive(Debug)]
pub(crate) struct Unfinished {
    counts: [Count; PLACES],
    one: &'static str,
    many: &'static str,
}

const PLACES: usize = 32;

#[derive(Debug)]
#[repr(align(64))]
struct Count(AtomicIsize);

/// Threads that the program has created.
pub(crate) static THREADS: Unfinished = Unfinished::new("thread", "threads");
/// Tasks, of OpenMP and of our own interface.
pub(crate) static TASKS: Unfinished = Unfinished::new("task", "tasks");
/// Parallel regions of OpenMP.
pub(crate) static REGIONS: Unfinished = Unfinished::new("parallel region", "parallel regions");

impl Unfinished {
    const fn new(one: &'static str, many: &'static str) -> Self {
        Self {
            counts: [const { Count(AtomicIsize::new(0)) }; PLACES],
            one,
            many,
        }
    }

    /// One more begins, by the thread of this number.
    pub(crate) fn begin(&self, thread: u32) {
        self.place(thread).fetch_add(1, Ordering::Relaxed);
    }

    /// One is over.
    pub(crate) fn end(&self, thread: u32) {
        self.place(thread).fetch_sub(1, Ordering::Relaxed);
    }

    fn place(&self, thread: u32) -> &AtomicIsize {
        &self.counts[thread as usize % PLACES].0
    }

    fn gap(&self) -> Option<String> {
        let counts = self
            .counts
            .iter()
            .map(|count| count.0.load(Ordering::Relaxed));
        match counts.sum() {
            ..=0isize => None,
            1 => Some(format!("the rest of 1 {} that was not over", self.one)),
            count => Some(format!(
                "the rest of {count} {} that were not over",
                self.many
            )),
        }
    }

    fn reset(&self) {
        self.counts
            .iter()
            .for_each(|count| count.0.store(0, Ordering::Relaxed));
    }
}

/// This process was just forked: its parent's other threads are not its own.
pub(crate) fn forked() {
    [&THREADS, &TASKS, &REGIONS]
        .into_iter()
        .for_each(Unfinished::reset);
}

/// What was not seen, in words.
pub(crate) fn gaps(modules: &Modules) -> Vec<String> {
    let unfinished = [&THREADS, &TASKS, &REGIONS].map(Unfinished::gap);
    let mut gaps: Vec<String> = unfinished.into_iter().flatten().collect();
    let files: BTreeSet<String> = modules.all().flat_map(uninstrumented).collect();
    gaps.extend(named(&files));
    gaps.extend(modules.all().filter_map(stripped));
    gaps
}

fn named(files: &BTreeSet<String>) -> Option<String> {
    let shown: Vec<&str> = files.iter().take(SHOWN).map(String::as_str).collect();
    let names = shown.join(" and ");
    match files.len() {
        0 => None,
        1..=SHOWN => Some(format!("{names}, built without heddle cc")),
        len => Some(format!(
            "{names} and {} more files, built without heddle cc",
            len - SHOWN
        )),
    }
}

/// Parts of objects that compilers and the C library bring themselves.
const THEIRS: [&str; 10] = [
    "tsan_preinit.cpp",
    "crtstuff.c",
    "offloadstuff.c",
    "atexit.c",
    "at_quick_exit.c",
    "pthread_atfork.c",
    "stack_chk_fail_local.c",
    "libgcc2.c",
    "cpuinfo.c",
    "elf-init.c",
];

const SUFFIXES: [&str; 8] = [".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".f90", ".F90"];

/// Folders of libraries that are none of the program's author's concern.
const SYSTEM: [&str; 3] = ["/lib", "/usr/lib", "/nix/store"];

/// The source files of a module that were compiled without instrumentation, while others were compiled with it.
fn uninstrumented(module: &Module) -> Vec<String> {
    let is_main = module.path == image::MAIN_PATH;
    let Some(file) = image_of(module) else {
        return Vec::new();
    };
    let mut imports = file
        .dynamic_symbols()
        .filter_map(|symbol| symbol.name().ok());
    if !is_main && !imports.any(|name| name == "__tsan_init") {
        // The whole library is told of elsewhere.
        return Vec::new();
    }
    let symbols = file.symbols().filter_map(|symbol| {
        let name = symbol.name().ok()?;
        let of = match symbol.kind() {
            SymbolKind::File => Of::File,
            _ if symbol.is_local() => Of::Object,
            _ => return None,
        };
        Some((of, name))
    });
    without_constructor(symbols)
}

/// The image of a module that is the program's own.
fn image_of(module: &Module) -> Option<object::File<'static>> {
    let is_main = module.path == image::MAIN_PATH;
    let is_system = SYSTEM.iter().any(|folder| module.path.starts_with(folder));
    if module.role() != Role::Program || is_system || !is_main && !module.path.contains('/') {
        return None;
    }
    object::File::parse(image::map(&module.path)?).ok()
}

/// What cannot be told of an executable without its symbols, in words.
fn stripped(module: &Module) -> Option<String> {
    let is_main = module.path == image::MAIN_PATH;
    let is_stripped = is_main && image_of(module)?.symbols().next().is_none();
    is_stripped
        .then(|| "files built without heddle cc, if any: the executable is stripped".to_owned())
}

/// What a symbol says of the object it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// The name of its source; the next ones belong to it.
    File,
    /// One of its own.
    Object,
}

fn without_constructor<'a>(symbols: impl Iterator<Item = (Of, &'a str)>) -> Vec<String> {
    let mut found: Vec<(&str, bool)> = Vec::new();
    for (of, name) in symbols {
        match of {
            Of::File => found.push((name, false)),
            Of::Object => {
                let is_constructor = name == "tsan.module_ctor" || name.starts_with("_sub_I_00099");
                if let Some(last) = found.last_mut() {
                    last.1 |= is_constructor;
                }
            }
        }
    }
    let is_source = |name: &str| {
        SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) && !THEIRS.contains(&name)
    };
    let plain = found.iter().filter(|(name, has)| !has && is_source(name));
    plain.map(|(name, _)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_without_the_constructor_are_named_by_their_source() {
        let symbols = [
            (Of::File, "Scrt1.o"),
            (Of::File, "crtstuff.c"),
            (Of::Object, "frame_dummy"),
            (Of::File, "main.c"),
            (Of::Object, "helper"),
            (Of::Object, "tsan.module_ctor"),
            (Of::File, "plain.cc"),
            (Of::Object, "helper"),
            (Of::File, "gcc.c"),
            (Of::Object, "_sub_I_00099_0"),
            (Of::File, ""),
        ];
        assert_eq!(without_constructor(symbols.into_iter()), ["plain.cc"]);
    }

    #[test]
    fn few_files_are_named_and_many_are_counted() {
        let files = |count: usize| {
            (0..count)
                .map(|n| format!("{n}.c"))
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(named(&files(0)), None);
        assert_eq!(
            named(&files(1)).as_deref(),
            Some("0.c, built without heddle cc")
        );
        let many = named(&files(5)).expect("there are some");
        assert_eq!(
            many,
            "0.c and 1.c and 2.c and 2 more files, built without heddle cc"
        );
    }
}
