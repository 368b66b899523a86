//! The command line a compiler gets: the user's words behind what checking needs.
//!
//! What is added stands in front, so that the user's own options win where they speak of the same
//! thing, and the checker is the first library of the link: its symbols pre-empt those of the
//! OpenMP runtime, the C++ library and libc. Only what hides accesses from the instrumentation is
//! overruled, behind the user's words.
//!
//! Clang instruments accesses of 1, 2, 4, 8 and 16 bytes, after the vectorisers. Wider ones would
//! go unseen, and so would masked and gathering ones. They appear already at `-O2` on the oldest
//! x86-64, where the vectoriser of loops joins interleaved accesses into one and that of straight
//! code stores of the same constant; so these are switched off, and with newer instruction sets
//! vectorising altogether. GCC instruments before it vectorises.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::choice::{Compiler, Family};
use super::inline::DISTINGUISH_VOLATILE;
use super::request::{Goal, Request, is_libgomp};
use super::wrapped::WRAPPED;

/// The folders an instrumented build refers to.
pub struct Folders<'a> {
    /// Holds the checker's library. Only links need it.
    pub library: Option<&'a Path>,
    /// Holds the headers of the C interface.
    pub include: Option<&'a Path>,
    /// Holds libraries that take the place of others. Only GCC needs them.
    pub substitutes: Option<&'a Path>,
    /// The source of the hooks that executables get.
    pub hooks: Option<PathBuf>,
    /// The source of `main` for programs of event-driven tasks.
    pub start: Option<PathBuf>,
    /// Whether the program is of event-driven tasks.
    pub has_ocr: bool,
}

/// The words for the compiler.
pub fn words(
    compiler: &Compiler,
    request: &Request,
    folders: &Folders<'_>,
    given: &[OsString],
) -> Vec<OsString> {
    let mut ours = Vec::new();
    if request.makes_code() {
        ours.extend(compile_words(compiler, folders));
    }
    if let Some(library) = folders.library
        && request.goal == Goal::Link
    {
        ours.extend(link_words(compiler.family, library, folders.substitutes));
        let sources = folders.hooks.iter().chain(&folders.start);
        for hooks in sources.filter(|_| !request.shared) {
            ours.extend(["-x", "assembler"].map(OsString::from));
            ours.push(hooks.into());
            ours.extend(["-x", "none"].map(OsString::from));
        }
    }
    let mut words = unused_is_fine(compiler.family, ours);
    let given: Vec<OsString> = given
        .iter()
        .map(|word| redirected(compiler.family, word))
        .collect();
    // With the hooks there is something to assemble, which macros and the like are of no use to.
    let is_only_linked = request.goal == Goal::Link && !request.has_sources;
    words.extend(match is_only_linked {
        true => unused_is_fine(compiler.family, given),
        false => given,
    });
    if request.makes_code() {
        words.extend(unused_is_fine(
            compiler.family,
            narrow_vectors(compiler, request),
        ));
    }
    words
}

fn compile_words(compiler: &Compiler, folders: &Folders<'_>) -> Vec<OsString> {
    let mut words: Vec<OsString> = [
        "-g",
        "-gcolumn-info",
        "-fsanitize=thread",
        "-fno-omit-frame-pointer",
        "-fno-plt",
    ]
    .map(OsString::from)
    .into();
    words.extend(particular(compiler.family).iter().map(OsString::from));
    words.extend(conditional_accesses_stay(compiler).map(OsString::from));
    words.extend(volatile_accesses_differ(compiler).map(OsString::from));
    if let Some(include) = folders.include {
        words.extend(["-isystem".into(), include.into()]);
        // What stands before headers of others.
        words.extend(["-isystem".into(), include.join("heddle").into()]);
        if folders.has_ocr {
            words.extend(event_driven_headers(include));
        }
    }
    if folders.has_ocr {
        words.extend(older_c_is_fine(compiler).iter().map(OsString::from));
    }
    words
}

/// Where `ocr.h` is found, and its extensions by their names alone.
pub fn event_driven_headers(include: &Path) -> [OsString; 4] {
    let include = include.join("ocr");
    let extensions = include.join("extensions");
    [
        "-isystem".into(),
        extensions.into(),
        "-isystem".into(),
        include.into(),
    ]
}

/// Programs of event-driven tasks are older than compilers that take an undeclared function and the like for errors:
/// what was a warning then is one here. Headers of theirs define variables, which several objects then share.
fn older_c_is_fine(compiler: &Compiler) -> &'static [&'static str] {
    match compiler.family {
        Family::Clang => &[
            "-fcommon",
            "-Wno-unknown-warning-option",
            "-Wno-error=implicit-function-declaration",
            "-Wno-error=implicit-int",
            "-Wno-error=incompatible-pointer-types",
            "-Wno-error=int-conversion",
            "-Wno-error=return-mismatch",
        ],
        Family::Gcc if compiler.major_version() >= Some(14) => &["-fcommon", "-fpermissive"],
        Family::Gcc => &["-fcommon"],
    }
}

/// Entries and exits of functions are of no use to the checker, which reads stacks from frames. GCC copies
/// and fills small blocks in line and uninstrumented, unless told that these functions are like any other. Clang
/// leaves out a read that a write follows, unless told to keep it: a read-modify-write reads, and what it reads may
/// decide what comes next. It also makes one access of what the branches of a condition do alike, and no line
/// of the source is that one's own, so it is told to leave them where they are.
fn particular(family: Family) -> &'static [&'static str] {
    match family {
        Family::Clang => &[
            "-mllvm",
            "-tsan-instrument-func-entry-exit=0",
            "-mllvm",
            "-tsan-instrument-read-before-write=1",
            "-mllvm",
            "-sink-common-insts=false",
            "-mllvm",
            "-hoist-common-insts=false",
        ],
        Family::Gcc => &[
            "--param=tsan-instrument-func-entry-exit=0",
            "-fno-builtin-memcpy",
            "-fno-builtin-memmove",
            "-fno-builtin-memset",
        ],
    }
}

/// Both optimisers keep a variable in a register while a loop runs. Where the loop accesses it only under a
/// condition, they load it before the loop all the same: an access that the source does not make. Neither may. GCC does
/// so to variables that the loop only reads, too, and has no switch for that but the one for all invariant code.
fn conditional_accesses_stay(compiler: &Compiler) -> impl Iterator<Item = &'static str> {
    let words: &[_] = match compiler.family {
        Family::Clang => &["-mllvm", "-disable-licm-promotion"],
        Family::Gcc => &["-fno-tree-loop-im"],
    };
    words.iter().copied()
}

/// A thread may wait for a volatile variable in a loop without pause: reads of those are told apart.
fn volatile_accesses_differ(compiler: &Compiler) -> impl Iterator<Item = &'static str> {
    let words: &[_] = match compiler.family {
        Family::Clang => &["-mllvm", DISTINGUISH_VOLATILE],
        Family::Gcc if compiler.major_version() >= Some(11) => {
            &["--param=tsan-distinguish-volatile=1"]
        }
        Family::Gcc => &[],
    };
    words.iter().copied()
}

fn link_words(family: Family, library: &Path, substitutes: Option<&Path>) -> Vec<OsString> {
    let mut words = Vec::new();
    if family == Family::Clang {
        words.extend(["-fsanitize=thread", "-fno-sanitize-link-runtime"].map(OsString::from));
    }
    words.extend(substitutes.map(|dir| joined("-L", dir)));
    words.push(joined("-L", library));
    // Before the first object file nothing needs the library yet; it must be kept all the same.
    words.push("-Wl,--push-state,--no-as-needed,-lheddle_native,--pop-state".into());
    words.extend(["-Xlinker".into(), "-rpath".into(), "-Xlinker".into()]);
    words.push(library.into());
    words.extend(
        WRAPPED
            .iter()
            .map(|name| format!("-Wl,--wrap={name}").into()),
    );
    words
}

/// GCC's OpenMP runtime named by its path is looked for like any other library, and so found among the
/// substitutes.
fn redirected(family: Family, word: &OsString) -> OsString {
    match family == Family::Gcc && is_libgomp(&word.to_string_lossy()) {
        true => "-lgomp".into(),
        false => word.clone(),
    }
}

/// Clang's warnings about options of no use are for the user's own.
fn unused_is_fine(family: Family, words: Vec<OsString>) -> Vec<OsString> {
    if family == Family::Gcc || words.is_empty() {
        return words;
    }
    let mut fenced = vec!["--start-no-unused-arguments".into()];
    fenced.extend(words);
    fenced.push("--end-no-unused-arguments".into());
    fenced
}

fn narrow_vectors(compiler: &Compiler, request: &Request) -> Vec<OsString> {
    if compiler.family == Family::Gcc {
        return Vec::new();
    }
    let words: &[&str] = match request.wide_vectors {
        false => &[
            "-mllvm",
            "-enable-interleaved-mem-accesses=false",
            "-fno-slp-vectorize",
        ],
        // `#pragma omp simd` overrules -fno-vectorize, but not this; it is new in LLVM 22.
        true if compiler.major_version() >= Some(22) => &[
            "-mllvm",
            "-opt-disable=loop-vectorize,slp-vectorizer",
            "-Wno-pass-failed",
        ],
        true => &["-fno-vectorize", "-fno-slp-vectorize"],
    };
    let narrow = std::iter::once("-mprefer-vector-width=128");
    narrow
        .chain(words.iter().copied())
        .map(OsString::from)
        .collect()
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(family: Family, given: &str) -> String {
        let given: Vec<OsString> = given.split(' ').map(OsString::from).collect();
        let compiler = Compiler {
            path: "compiler".into(),
            family,
        };
        let folders = Folders {
            library: Some(Path::new("/lib dir")),
            include: Some(Path::new("/include")),
            substitutes: (family == Family::Gcc).then_some(Path::new("/cache")),
            hooks: Some("/scratch/hooks.s".into()),
            start: None,
            has_ocr: false,
        };
        let words = words(&compiler, &Request::new(&given), &folders, &given);
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn a_question_is_passed_on_as_it_is() {
        for question in ["--version", "-v", "-print-prog-name=ld"] {
            assert_eq!(line(Family::Clang, question), question);
            assert_eq!(line(Family::Gcc, question), question);
        }
    }

    #[test]
    fn sources_are_instrumented_and_objects_are_not() {
        let compiled = line(Family::Gcc, "-O2 -c a.c");
        assert_eq!(
            compiled,
            "-g -gcolumn-info -fsanitize=thread -fno-omit-frame-pointer -fno-plt \
             --param=tsan-instrument-func-entry-exit=0 -fno-builtin-memcpy -fno-builtin-memmove \
             -fno-builtin-memset -fno-tree-loop-im -isystem /include -isystem /include/heddle \
             -O2 -c a.c"
        );
        assert!(!line(Family::Gcc, "a.o -o a").contains("-fsanitize"));
    }

    #[test]
    fn the_checker_is_the_first_library_of_a_link() {
        for family in [Family::Clang, Family::Gcc] {
            let linked = line(family, "a.o -lm -o a");
            let at = |word| linked.find(word).expect("it is there");
            assert!(at("-lheddle_native") < at("a.o"), "{linked}");
            assert!(linked.contains("-Xlinker -rpath -Xlinker /lib dir"));
        }
        assert!(!line(Family::Clang, "-c a.c").contains("heddle_native"));
    }

    #[test]
    fn executables_get_hooks_of_their_own_and_shared_libraries_do_not() {
        for family in [Family::Clang, Family::Gcc] {
            let hooks = "-x assembler /scratch/hooks.s -x none";
            assert!(line(family, "a.o -o a").contains(hooks));
            assert!(!line(family, "-shared a.o -o a.so").contains("hooks.s"));
            assert!(!line(family, "-c a.c").contains("hooks.s"));
        }
    }

    #[test]
    fn substitutes_come_before_every_other_folder() {
        let linked = line(Family::Gcc, "-L/opt a.o -o a");
        assert!(linked.starts_with("-L/cache -L/lib dir "), "{linked}");
    }

    #[test]
    fn what_a_link_has_no_use_for_is_no_reason_to_warn() {
        let linked = line(Family::Clang, "-O3 -DNDEBUG -Werror a.o -o a");
        let fenced = "--start-no-unused-arguments -O3 -DNDEBUG -Werror a.o -o a --end-no-unused";
        assert!(linked.contains(fenced), "{linked}");
        let compiled = line(Family::Clang, "-DNDEBUG -Werror a.c -o a");
        assert!(
            compiled.contains("--end-no-unused-arguments -DNDEBUG -Werror a.c"),
            "{compiled}"
        );
    }

    #[test]
    fn no_compiler_searches_a_folder_that_soon_is_gone() {
        for family in [Family::Clang, Family::Gcc] {
            let linked = line(family, "a.o -o a");
            assert!(!linked.contains("-L/scratch"), "{linked}");
        }
    }

    #[test]
    fn an_openmp_runtime_named_by_its_path_is_redirected() {
        let linked = line(Family::Gcc, "a.o /usr/lib/libgomp.so -o a");
        assert!(linked.ends_with("a.o -lgomp -o a"), "{linked}");
    }

    #[test]
    fn wide_vectors_are_kept_out_whatever_the_user_says() {
        let compiled = line(Family::Clang, "-O3 -mprefer-vector-width=512 -c a.c");
        let ends = "-c a.c --start-no-unused-arguments -mprefer-vector-width=128";
        assert!(compiled.contains(ends), "{compiled}");
        assert!(compiled.contains("-fno-vectorize"), "{compiled}");
    }
}
