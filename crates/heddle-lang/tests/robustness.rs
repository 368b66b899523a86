//! Whatever the input, the front end answers: a program, or errors with positions inside the text.

use heddle_lang::{compile, expectations};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const TOKENS: &[&str] = &[
    "shared",
    "lock",
    "event",
    "region",
    "atomic",
    "proc",
    "async",
    "finish",
    "spawn",
    "sync",
    "future",
    "task",
    "after",
    "satisfy",
    "post",
    "passing",
    "await",
    "ewait",
    "isolated",
    "acquire",
    "release",
    "with",
    "cut",
    "let",
    "new",
    "read",
    "write",
    "if",
    "else",
    "while",
    "for",
    "in",
    "return",
    "assert",
    "print",
    "skip",
    "get",
    "x",
    "A",
    "L",
    "e",
    "r",
    "p",
    "T",
    "0",
    "1",
    "7",
    "9223372036854775808",
    "..",
    "==",
    "!=",
    "<=",
    ">=",
    "&&",
    "||",
    "=",
    "!",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "// expect: race x\n",
    "\n",
    "$",
    "é",
    "\r\n",
    "\t",
];

const PROGRAM: &str = "shared x = 1 , A [ 3 ] ; lock L ; event e ; region r ; atomic ( x , A ) ; \
    proc p ( a , b ) { if ( a < b ) { return a ; } else if ( x ) { sync ; } else { return ; } } \
    finish { async T { x = x + A [ 0 ] ; } task U after T , e { isolated { cut ; } } } \
    future f { return new [ 2 ] ; } let q = get ( f ) ; q [ 1 ] = - 3 ; \
    post r passing r { satisfy e ; } await r ; ewait r ; spawn p ( 1 , x ) ; spawn { skip ; } \
    for i in 0 .. 3 { with L { read A [ i ] ; write x ; } acquire L ; release L ; } \
    while ( ! ( x == 3 ) && 1 || 0 ) { p ( 1 , 2 ) ; } assert x >= 2 ; print x % 3 ;";

/// Compiles; every error must lie inside the text, in order, and few of them be given.
fn answer(source: &str) {
    let lines: Vec<usize> = source
        .split('\n')
        .map(|line| line.chars().count())
        .collect();
    if let Err(errors) = compile("test.task", source) {
        assert!((1..=20).contains(&errors.len()));
        assert!(errors.is_sorted_by_key(|error| error.site));
        for error in errors {
            let (line, column) = (error.site.line as usize, error.site.column as usize);
            assert!(line >= 1 && line <= lines.len(), "{error}");
            assert!(column >= 1 && column <= lines[line - 1] + 1, "{error}");
            let end = (error.site.end_line, error.site.end_column);
            assert!(end >= (error.site.line, error.site.column), "{error}");
        }
    }
    let _ = expectations(source);
}

#[test]
fn the_program_that_is_mutated_compiles() {
    let errors = compile("test.task", PROGRAM).err();
    assert_eq!(errors, None);
}

#[test]
fn every_prefix_of_a_program_is_answered() {
    for end in 0..PROGRAM.len() {
        answer(&PROGRAM[..end]);
    }
}

proptest! {
    #[test]
    fn arbitrary_text_is_answered(source in any::<String>()) {
        answer(&source);
    }

    #[test]
    fn soups_of_tokens_are_answered(tokens in prop::collection::vec(select(TOKENS), 0..200)) {
        answer(&tokens.join(" "));
        answer(&tokens.concat());
    }

    #[test]
    fn mutated_programs_are_answered(
        edits in prop::collection::vec((any::<Index>(), select(TOKENS), 0..3_u8), 1..8)
    ) {
        let mut tokens: Vec<&str> = PROGRAM.split_whitespace().collect();
        for (place, token, edit) in edits {
            let place = place.index(tokens.len());
            match edit {
                0 => tokens[place] = token,
                1 => tokens.insert(place, token),
                _ => { tokens.remove(place); }
            }
        }
        answer(&tokens.join(" "));
    }

    #[test]
    fn arbitrary_leading_comments_are_answered(lines in prop::collection::vec("// ?(expect|explore): ?.{0,20}", 0..5)) {
        answer(&lines.join("\n"));
    }
}
