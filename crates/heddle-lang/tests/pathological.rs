//! Inputs made to exhaust the stack or the patience of the front end. Each runs in a thread with a
//! quarter of the usual stack.

use heddle_lang::compile;
use std::time::{Duration, Instant};

const STACK: usize = 512 * 1024;

/// The messages for `source`, empty if it compiles.
fn messages(source: String) -> Vec<String> {
    let worker = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let started = Instant::now();
            let result = compile("test.task", &source);
            assert!(started.elapsed() < Duration::from_secs(20));
            let errors = result.err().unwrap_or_default();
            errors.iter().map(ToString::to_string).collect()
        });
    worker.expect("a thread").join().expect("no panic")
}

fn single(source: String) -> String {
    let mut messages = messages(source);
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

const MANY: usize = 100_000;

#[test]
fn deeply_nested_blocks_are_one_error() {
    let source = "finish {".repeat(MANY);
    assert_eq!(single(source), "1:1609: nested too deeply");
    let source = "finish {".repeat(MANY) + &"}".repeat(MANY);
    assert_eq!(single(source), "1:1609: nested too deeply");
}

#[test]
fn nesting_up_to_the_limit_compiles() {
    let source = "async {".repeat(199) + "print 1;" + &"}".repeat(199);
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn nested_tasks_may_all_capture_the_same_local() {
    let source = format!(
        "let v = 1; {} print v; {}",
        "async {".repeat(199),
        "}".repeat(199)
    );
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn deeply_nested_parentheses_are_one_error() {
    let source = format!("print {}1;", "(".repeat(MANY));
    assert_eq!(single(source), "1:207: nested too deeply");
}

#[test]
fn long_chains_of_prefix_operators_are_one_error() {
    assert!(single(format!("print {}1;", "-".repeat(MANY))).contains("nested too deeply"));
    assert!(single(format!("print {}1;", "!".repeat(MANY))).contains("nested too deeply"));
}

#[test]
fn every_kind_of_nested_expression_is_bounded() {
    for open in ["p(", "get(", "new[", "A[", "1 || 1 && 1 == 1 + 1 * ("] {
        let source = format!("print {}", open.repeat(MANY));
        assert!(single(source).contains("nested too deeply"), "{open}");
    }
}

#[test]
fn a_tall_mixed_expression_within_the_limits_compiles() {
    let open = "1 || 1 && 1 == 1 + 1 * (";
    let source = format!("print {}1{};", open.repeat(33), ")".repeat(33));
    assert_eq!(messages(source), [""; 0]);
}

#[test]
fn long_sums_are_one_error() {
    let source = format!("print 1{};", "+1".repeat(MANY));
    assert_eq!(
        single(source),
        "1:1008: expression too long: split it with `let`"
    );
}

#[test]
fn a_sum_up_to_the_limit_compiles() {
    assert_eq!(messages(format!("print 1{};", "+1".repeat(499))), [""; 0]);
    assert_eq!(
        messages(format!("shared x = 1{};", "+1".repeat(499))),
        [""; 0]
    );
}

#[test]
fn long_chains_of_branches_are_one_error() {
    let source = "if (1) { } ".to_owned() + &"else if (1) { } ".repeat(MANY);
    assert!(single(source).contains("too many branches"));
}

#[test]
fn long_flat_programs_compile() {
    let lets: String = (0..MANY).map(|n| format!("let v{n} = {n};\n")).collect();
    assert_eq!(messages(lets), [""; 0]);
    let tasks: String = (0..MANY).map(|n| format!("async T{n} {{ }}\n")).collect();
    assert_eq!(messages(tasks), [""; 0]);
}

#[test]
fn many_errors_are_cut_off() {
    assert_eq!(messages("$ ".repeat(MANY)).len(), 20);
    assert_eq!(messages("} ".repeat(MANY)).len(), 20);
    assert_eq!(messages("x = 1;".repeat(MANY)).len(), 1);
    let undeclared: String = (0..MANY).map(|n| format!("v{n} = {n};\n")).collect();
    assert_eq!(messages(undeclared).len(), 20);
}

#[test]
fn an_endless_word_is_quoted_shortened() {
    let name = "n".repeat(MANY);
    assert!(single(format!("{name} = 1;")).len() < 200);
    assert!(single("9".repeat(MANY)).len() < 200);
}

#[test]
fn an_endless_list_of_names_compiles() {
    let names: Vec<String> = (0..MANY).map(|n| format!("v{n}")).collect();
    assert_eq!(messages(format!("shared {};", names.join(","))), [""; 0]);
}
