//! What a compiler's command line asks for, as far as instrumenting it depends on that.
//!
//! Nothing is understood beyond the need: whether there is anything to compile, whether it ends
//! in a link, and the few options that do not go together with checking. Options that take their
//! value as a word of its own are listed, so that a value is never taken for a file. Response
//! files are looked into, but passed on as they are.

use std::ffi::{OsStr, OsString};
use std::fs;

/// How deep response files may name each other.
const MAX_DEPTH: usize = 8;

/// How far the compiler is asked to go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Goal {
    /// To an executable or a shared library.
    Link,
    /// To object code, or less; also several objects merged into one.
    Objects,
    /// Only to an answer about itself.
    Answer,
}

/// A compiler's command line, looked through.
#[derive(Debug)]
pub struct Request {
    /// How far to go.
    pub goal: Goal,
    /// Whether there is source text to compile.
    pub has_sources: bool,
    /// Whether a link makes a shared library.
    pub shared: bool,
    /// Whether OpenMP is switched on.
    pub openmp: bool,
    /// Whether the code may use vectors of more than 16 bytes.
    pub wide_vectors: bool,
    /// What cannot be done in a checked program: the option.
    pub refused: Option<String>,
    has_inputs: bool,
    language_given: bool,
}

impl Request {
    /// Looks through the words of a command line.
    pub fn new(words: &[OsString]) -> Self {
        let mut request = Self {
            goal: Goal::Link,
            has_sources: false,
            shared: false,
            openmp: false,
            wide_vectors: false,
            refused: None,
            has_inputs: false,
            language_given: false,
        };
        request.read(&expand(words, 0));
        if !request.has_inputs {
            request.goal = Goal::Answer;
        }
        request.has_sources |= request.language_given && request.has_inputs;
        request
    }

    /// Whether source text is compiled.
    pub fn makes_code(&self) -> bool {
        self.has_sources && self.goal != Goal::Answer
    }

    fn read(&mut self, words: &[OsString]) {
        let mut words = words.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            self.word(&word);
            if takes_value(&word) {
                words.next();
            }
        }
    }

    fn word(&mut self, word: &str) {
        match word.strip_prefix('-') {
            None => self.input(word),
            Some("") => {
                self.has_inputs = true;
                self.has_sources = true;
            }
            Some(option) => self.option(option),
        }
    }

    fn input(&mut self, name: &str) {
        self.has_inputs = true;
        self.has_sources |= is_source(name);
        self.openmp |= is_libgomp(name);
    }

    fn option(&mut self, option: &str) {
        match option {
            "c" | "S" | "E" | "M" | "MM" | "fsyntax-only" | "r" | "emit-ast" => {
                self.go_no_further_than(Goal::Objects);
            }
            "-version" | "-help" | "dumpversion" | "dumpmachine" | "dumpfullversion" => {
                self.go_no_further_than(Goal::Answer);
            }
            "shared" => self.shared = true,
            "fopenmp" | "lgomp" => self.openmp = true,
            "fno-openmp" => self.openmp = false,
            "static" | "static-pie" => self.refuse(option),
            _ => self.option_with_value(option),
        }
    }

    fn option_with_value(&mut self, option: &str) {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| option.starts_with(prefix));
        if starts(&["print-", "-print-"]) {
            self.go_no_further_than(Goal::Answer);
        } else if starts(&["fopenmp="]) {
            self.openmp = true;
        } else if starts(&["march=", "mavx", "mprefer-vector-width="]) {
            self.wide_vectors = true;
        } else if starts(&["x"]) {
            self.language_given = true;
        } else if let Some(sanitizers) = option.strip_prefix("fsanitize=")
            && sanitizers.split(',').any(|name| name != "thread")
        {
            self.refuse(option);
        }
    }

    fn go_no_further_than(&mut self, goal: Goal) {
        self.goal = self.goal.max(goal);
    }

    fn refuse(&mut self, option: &str) {
        self.refused.get_or_insert_with(|| format!("-{option}"));
    }
}

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-B",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-include-pch",
    "-imacros",
    "-iquote",
    "-isystem",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xopenmp-target",
    "-mllvm",
    "-target",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-wrapper",
    "-rpath",
    "--param",
    "--sysroot",
    "--config",
];

fn takes_value(word: &str) -> bool {
    WITH_VALUE.contains(&word)
}

/// Whether this names GCC's OpenMP runtime by its path, as CMake does.
pub fn is_libgomp(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    ["libgomp.so", "libgomp.a"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn is_source(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "i", "C", "cc", "cp", "cpp", "cxx", "c++", "CPP", "ii", "m", "mi", "mm", "M", "S",
        "sx", "h", "H", "hh", "hp", "hpp", "hxx", "h++", "HPP", "tcc", "cppm", "ixx",
    ];
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// The words, with those of response files in their place.
fn expand(words: &[OsString], depth: usize) -> Vec<OsString> {
    let one = |word: &OsString| match response(word, depth) {
        Some(words) => expand(&words, depth + 1),
        None => vec![word.clone()],
    };
    words.iter().flat_map(one).collect()
}

/// The words of the response file that `word` names, if it does.
fn response(word: &OsStr, depth: usize) -> Option<Vec<OsString>> {
    let path = word.to_str()?.strip_prefix('@')?;
    let text = (depth < MAX_DEPTH).then(|| fs::read(path).ok())??;
    Some(split(&String::from_utf8_lossy(&text)))
}

/// Words are separated by white space; quotes and backslashes are as both compilers take them.
fn split(text: &str) -> Vec<OsString> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => word.get_or_insert_default().extend(letters.next()),
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(letter),
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (space, None) if space.is_whitespace() => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Request {
        Request::new(&split(line))
    }

    #[test]
    fn files_are_linked_unless_told_otherwise() {
        for line in [
            "a.c",
            "a.o -o a",
            "-shared -fPIC a.cpp -o liba.so",
            "-x c -",
        ] {
            assert_eq!(request(line).goal, Goal::Link, "{line}");
        }
        for line in [
            "-c a.c",
            "a.c -S",
            "-E a.c",
            "-MM a.c",
            "-fsyntax-only a.c",
            "-r a.o b.o",
        ] {
            assert_eq!(request(line).goal, Goal::Objects, "{line}");
        }
    }

    #[test]
    fn a_question_is_no_compilation() {
        for line in [
            "",
            "-v",
            "--version",
            "-dumpversion",
            "-print-file-name=libc.so",
            "--print-search-dirs",
            "a.c --version",
        ] {
            assert_eq!(request(line).goal, Goal::Answer, "{line}");
        }
    }

    #[test]
    fn the_value_of_an_option_is_no_file() {
        let request = request("-o a.c -I b.c -include c.c -Xlinker d.c -MF e.c");
        assert_eq!(request.goal, Goal::Answer);
        assert!(!request.has_sources);
    }

    #[test]
    fn objects_and_libraries_are_not_compiled() {
        assert!(!request("a.o b.a c.so.1 d.s -lm -o prog").has_sources);
        assert!(request("a.o b.cc").has_sources);
        assert!(request("-x c++ weave").has_sources);
    }

    #[test]
    fn openmp_and_wide_vectors_are_noticed() {
        assert!(request("a.o /usr/lib/gcc/12/libgomp.so").openmp && request("a.o -lgomp").openmp);
        assert!(request("-fopenmp a.c").openmp && request("-fopenmp=libomp a.c").openmp);
        assert!(
            !request("-fopenmp-simd a.c").openmp && !request("-fopenmp -fno-openmp a.c").openmp
        );
        assert!(request("-march=native a.c").wide_vectors && request("-mavx2 a.c").wide_vectors);
        assert!(!request("-O3 a.c").wide_vectors);
    }

    #[test]
    fn what_excludes_checking_is_refused_by_name() {
        assert_eq!(request("-static a.c").refused.as_deref(), Some("-static"));
        let sanitizers = "-fsanitize=undefined,thread";
        assert_eq!(
            request(&format!("{sanitizers} a.c")).refused.as_deref(),
            Some(sanitizers)
        );
        assert_eq!(
            request("-fsanitize=thread -static-libgcc a.c").refused,
            None
        );
    }

    #[test]
    fn quoted_words_stay_together() {
        assert_eq!(
            split("-DA='b c' \"d e\".c f\\ g.c ''"),
            ["-DA=b c", "d e.c", "f g.c", ""]
        );
    }

    #[test]
    fn response_files_are_looked_into() {
        let path = std::env::temp_dir().join(format!("heddle-response-{}", std::process::id()));
        fs::write(&path, "-c 'a b.c'\n-fopenmp").expect("the folder is writable");
        let request = Request::new(&[format!("@{}", path.display()).into()]);
        fs::remove_file(&path).expect("it was just written");
        assert_eq!(request.goal, Goal::Objects);
        assert!(request.has_sources && request.openmp);
    }

    #[test]
    fn a_response_file_that_names_itself_comes_to_an_end() {
        let path = std::env::temp_dir().join(format!("heddle-circle-{}", std::process::id()));
        let word = format!("@{}", path.display());
        fs::write(&path, &word).expect("the folder is writable");
        let request = Request::new(&[word.into()]);
        fs::remove_file(&path).expect("it was just written");
        assert!(!request.has_sources);
    }
}
