//! Names of functions as the program's author would write them.
//!
//! Compilers move the bodies of OpenMP constructs into functions of their own: `main.omp_outlined` and
//! `.omp_task_entry.` (clang), `main._omp_fn.0` (gcc). A reader knows only the function around them.

use cpp_demangle::{DemangleOptions, Symbol};

/// What a symbol's name says of the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Named {
    /// A function of the program.
    Plain(String),
    /// The body of a construct inside this function.
    Outlined(String),
    /// The body of a construct; the name does not say inside what.
    Nameless,
}

/// Reads the name of a symbol.
pub fn read(symbol: &str) -> Named {
    if symbol.is_empty() || symbol.starts_with(".omp") {
        return Named::Nameless;
    }
    // Mangled names and those of C have no dots; what follows one was added by the compiler.
    let (base, suffix) = match symbol.find('.') {
        Some(at) if at > 0 => symbol.split_at(at),
        _ => (symbol, ""),
    };
    let name = demangled(base);
    match suffix.contains("omp_outlined") || suffix.contains("_omp_fn") {
        true => Named::Outlined(name),
        false => Named::Plain(name),
    }
}

/// The name without what its mangling adds: `N::f` of `_ZN1N1fEi`. The position tells overloads apart.
pub fn demangled(symbol: &str) -> String {
    // The demangler also reads names of types, and would take C's `f` for `float`.
    if !symbol.starts_with("_Z") {
        return symbol.to_owned();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let parsed = Symbol::new(symbol).ok();
    let name = parsed.and_then(|parsed| parsed.demangle_with_options(&options).ok());
    name.map_or_else(|| symbol.to_owned(), |name| as_written(&name))
}

/// How lambdas are called, before the name of the function they stand in.
pub const LAMBDA: &str = "a lambda in ";

/// Arguments of the standard library's templates that nobody writes.
const DEFAULTS: [&str; 6] = [
    "allocator",
    "char_traits",
    "default_delete",
    "equal_to",
    "hash",
    "less",
];

/// A name as it is written in C++: `std::vector<std::string>`, without tags of the ABI and defaults of templates.
fn as_written(name: &str) -> String {
    let mut name = name
        .replace("[abi:cxx11]", "")
        .replace("std::__cxx11::", "std::");
    for default in DEFAULTS {
        let start = format!(", std::{default}<");
        while let Some(at) = name.find(&start) {
            let end = at + start.len();
            match closing(&name[end..]) {
                Some(len) => name.replace_range(at..end + len, ""),
                None => return name,
            }
        }
    }
    let name = name.replace(" >", ">");
    lambda(&name.replace("std::basic_string<char>", "std::string"))
}

/// `a lambda in main` of `main::$_0::operator() const` (clang) and `main::{lambda()#1}::operator() const` (gcc).
fn lambda(name: &str) -> String {
    let body = name.strip_suffix(" const").unwrap_or(name);
    let class = body.strip_suffix("::operator()");
    let class = class.and_then(|class| class.rsplit_once("::"));
    match class {
        Some((around, class)) if class.starts_with("$_") || class.starts_with("{lambda(") => {
            format!("{LAMBDA}{around}")
        }
        _ => name.to_owned(),
    }
}

/// How far it is to the end of the bracket that was opened before the text, with the bracket.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let end = text.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    end.map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_constructs_belong_to_the_function_around_them() {
        let outlined = |name: &str| Named::Outlined(name.into());
        assert_eq!(read("main.omp_outlined"), outlined("main"));
        assert_eq!(read("main.omp_outlined_debug__.3"), outlined("main"));
        assert_eq!(read("main._omp_fn.0"), outlined("main"));
        assert_eq!(read("_Z1fi.omp_outlined"), outlined("f"));
        assert_eq!(read(".omp_task_entry."), Named::Nameless);
        assert_eq!(read(".omp_outlined.17"), Named::Nameless);
    }

    #[test]
    fn short_names_of_c_are_not_taken_for_types() {
        for name in ["f", "i", "d", "Dv", "St"] {
            assert_eq!(read(name), Named::Plain(name.into()));
        }
    }

    #[test]
    fn names_of_the_standard_library_are_as_a_program_writes_them() {
        let string =
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
        assert_eq!(as_written(&format!("{string}::size")), "std::string::size");
        let vector = format!("std::vector<{string}, std::allocator<{string} > >::push_back");
        assert_eq!(as_written(&vector), "std::vector<std::string>::push_back");
        let pair = "std::allocator<std::pair<int const, int> >";
        let map = format!("std::map<int, int, std::less<int>, {pair} >::find");
        assert_eq!(as_written(&map), "std::map<int, int>::find");
        assert_eq!(as_written("lines[abi:cxx11]"), "lines");
        assert_eq!(as_written("operator<"), "operator<");
        let lambda = "a lambda in main";
        assert_eq!(as_written("main::$_0::operator() const"), lambda);
        assert_eq!(as_written("main::{lambda()#1}::operator() const"), lambda);
        assert_eq!(
            as_written("Less::operator() const"),
            "Less::operator() const"
        );
        assert_eq!(as_written("f<std::less<int> >"), "f<std::less<int>>");
    }

    #[test]
    fn names_are_demangled_and_rid_of_what_compilers_add() {
        assert_eq!(read("_ZN1N1gEv.isra.0"), Named::Plain("N::g".into()));
        assert_eq!(read("work.constprop.1"), Named::Plain("work".into()));
        assert_eq!(read("_Znot_mangled"), Named::Plain("_Znot_mangled".into()));
    }
}
