//! What the front end says about wrong programs: the exact place, message and advice.

use heddle_core::Site;
use heddle_lang::{Diagnostic, compile};

/// `line:column-line:column: message [label] (help)`
fn rendered(diagnostic: &Diagnostic) -> String {
    let Site {
        line,
        column,
        end_line,
        end_column,
        ..
    } = diagnostic.site;
    let Diagnostic { message, label, .. } = diagnostic;
    let help = diagnostic.help.as_ref();
    let help = help.map_or_else(String::new, |help| format!(" ({help})"));
    format!("{line}:{column}-{end_line}:{end_column}: {message} [{label}]{help}")
}

#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let errors = compile("test.task", source).err().unwrap_or_default();
    let found: Vec<String> = errors.iter().map(rendered).collect();
    assert_eq!(found, expected, "in {source:?}");
}

#[test]
fn characters_that_mean_nothing() {
    check(
        "skip; $",
        &["1:7-1:8: `$` means nothing in a program [unexpected here]"],
    );
    check(
        "// ünïcode is fine here\nlet größe = 1;",
        &[
            "2:7-2:9: `öß` means nothing in a program [unexpected here] (names are made of ASCII letters, digits and `_`; comments may hold any text)",
        ],
    );
    check(
        "if (1 & 2) { }",
        &["1:7-1:8: `&` means nothing in a program [unexpected here] (`and` is written `&&`)"],
    );
    check(
        "\u{1}",
        &["1:1-1:2: `\\u{1}` means nothing in a program [unexpected here]"],
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        "print 9223372036854775808;",
        &[
            "1:7-1:26: the number 9223372036854775808 is out of range [too large] (the largest integer is 9223372036854775807)",
        ],
    );
    check(
        "print -9223372036854775809;",
        &[
            "1:8-1:27: the number 9223372036854775809 is out of range [too large] (the largest integer is 9223372036854775807)",
        ],
    );
    check("print -9223372036854775808 + 9223372036854775807;", &[]);
    check(
        "print 3x;",
        &[
            "1:7-1:9: `3x` is neither a number nor a name [digits and letters mixed] (names begin with a letter or `_`)",
        ],
    );
}

#[test]
fn positions_count_characters_and_lines() {
    check(
        "// a\r\n\tx = 1;\r\n  y = 2;",
        &[
            "2:2-2:3: `x` is not declared [not declared]",
            "3:3-3:4: `y` is not declared [not declared]",
        ],
    );
    check(
        "skip; // §§§\n/* no */",
        &["2:1-2:2: expected a statement, found `/` [expected a statement]"],
    );
}

#[test]
fn a_missing_semicolon_is_reported_where_it_belongs() {
    check(
        "shared x;\nx = 1\nx = 2;\nasync { x = 3 }",
        &[
            "2:6-2:6: expected `;`, found `x` [expected `;`]",
            "4:14-4:14: expected `;`, found `}` [expected `;`]",
        ],
    );
    check(
        "skip",
        &["1:5-1:5: expected `;`, found the end of the file [expected `;`]"],
    );
    check(
        "skip skip;",
        &["1:6-1:10: expected `;`, found `skip` [expected `;`]"],
    );
}

#[test]
fn unbalanced_braces() {
    check(
        "finish {\n  async { skip;\n",
        &[
            "2:16-2:16: expected `}`, found the end of the file [expected `}`] (the `{` at 2:9 is never closed)",
        ],
    );
    check(
        "skip; } skip;",
        &["1:7-1:8: unmatched `}` [nothing is open here]"],
    );
}

#[test]
fn misspelt_keywords() {
    check(
        "asnyc { skip; }\nfinsh { skip; }",
        &[
            "1:7-1:8: expected `=`, `[` or `(`, found `{` [expected `=`, `[` or `(`] (did you mean `async`?)",
            "2:7-2:8: expected `=`, `[` or `(`, found `{` [expected `=`, `[` or `(`] (did you mean `finish`?)",
        ],
    );
    check(
        "async T { return1; }",
        &[
            "1:18-1:19: expected `=`, `[` or `(`, found `;` [expected `=`, `[` or `(`] (did you mean `return`?)",
        ],
    );
}

#[test]
fn keywords_are_no_names() {
    check(
        "shared read;",
        &[
            "1:8-1:12: expected a variable's name, found `read` [expected a variable's name] (`read` is a word of the language; choose another name)",
        ],
    );
}

#[test]
fn operators_of_other_languages() {
    check(
        "shared x; x += 1; x++; x = x - 1;",
        &[
            "1:13-1:14: expected `=`, `[` or `(`, found `+` [expected `=`, `[` or `(`] (write it out: `x = x + ...;`)",
            "1:20-1:21: expected `=`, `[` or `(`, found `+` [expected `=`, `[` or `(`] (write it out: `x = x + ...;`)",
        ],
    );
    check(
        "shared x; if (x = 1) { }",
        &["1:17-1:18: expected `)`, found `=` [expected `)`] (equality is written `==`)"],
    );
    check(
        "print 1 < 2 < 3;",
        &[
            "1:13-1:14: comparisons cannot be chained [a second comparison] (write `a < b && b < c`, or use parentheses)",
        ],
    );
    check("print (1 < 2) < 3 && 1 == 1 || 2 != 3;", &[]);
}

#[test]
fn malformed_statements() {
    check(
        "if 1 { skip; } else { skip; } print 1;",
        &["1:4-1:5: expected `(`, found `1` [expected `(`] (a condition stands in parentheses)"],
    );
    check(
        "while (1) skip;",
        &[
            "1:11-1:15: expected `{`, found `skip` [expected `{`] (a body stands in braces, also a single statement)",
        ],
    );
    check(
        "for i = 0 { }",
        &[
            "1:7-1:8: expected `in`, found `=` [expected `in`] (a loop is written `for i in 0..n { }`)",
        ],
    );
    check(
        "for i in 0 { }",
        &["1:12-1:13: expected `..`, found `{` [expected `..`]"],
    );
    check(
        "let v;",
        &[
            "1:6-1:7: expected `=`, found `;` [expected `=`] (a local is given a value at once: `let v = 0;`)",
        ],
    );
    check(
        "future { return 1; }",
        &["1:8-1:9: expected the future's name, found `{` [expected the future's name]"],
    );
    check(
        "async { };",
        &[
            "1:10-1:11: expected a statement, found `;` [expected a statement] (no `;` follows a block; `skip;` does nothing)",
        ],
    );
    check(
        "else { }",
        &[
            "1:1-1:5: expected a statement, found `else` [expected a statement] (`else` follows the `}` of an `if`)",
        ],
    );
    check(
        "spawn 3;",
        &[
            "1:7-1:8: expected `{` or a procedure's name, found `3` [expected `{` or a procedure's name]",
        ],
    );
    check(
        "print ;",
        &["1:7-1:8: expected an expression, found `;` [expected an expression]"],
    );
    check(
        "task T after { }",
        &["1:14-1:15: expected a task or an event, found `{` [expected a task or an event]"],
    );
}

#[test]
fn several_errors_come_in_one_go_and_in_source_order() {
    check(
        "shared x;\nproc p() { let = 1; return x }\n? foo\nlet z 3;\nfinish { x = ; x = 2; }\nprint x",
        &[
            "2:16-2:17: expected a local's name, found `=` [expected a local's name]",
            "2:29-2:29: expected `;`, found `}` [expected `;`]",
            "3:1-3:2: `?` means nothing in a program [unexpected here]",
            "4:7-4:8: expected `=`, found `3` [expected `=`] (a local is given a value at once: `let v = 0;`)",
            "5:14-5:15: expected an expression, found `;` [expected an expression]",
            "6:8-6:8: expected `;`, found the end of the file [expected `;`]",
        ],
    );
}

#[test]
fn declarations_come_first() {
    check(
        "shared x;\nx = 1;\nshared y;\ny = 1;",
        &[
            "3:1-3:7: `shared` declaration after the first statement [too late] (declarations come first: move it above line 2)",
        ],
    );
    check(
        "finish { lock L; skip; }",
        &[
            "1:10-1:14: `lock` declaration inside a block [not at the top level] (declarations stand at the top of the file; `let` makes a local)",
        ],
    );
}

#[test]
fn undeclared_names_are_reported_once_with_the_nearest_known_one() {
    check(
        "shared count; conut = 1; conut = 2; print zzz;",
        &[
            "1:15-1:20: `conut` is not declared [not declared] (did you mean `count`?)",
            "1:43-1:46: `zzz` is not declared [not declared]",
        ],
    );
    check(
        "let total = 1; async { print totel; }",
        &["1:30-1:35: `totel` is not declared [not declared] (did you mean `total`?)"],
    );
    check(
        "lock guard; shared gaurd1; acquire gaurd;",
        &["1:36-1:41: `gaurd` is not declared [not declared] (did you mean `guard`?)"],
    );
    check(
        "proc insert(a) { } isnert(1);",
        &["1:20-1:26: `isnert` is not declared [not declared] (did you mean `insert`?)"],
    );
    check(
        "event ready; task T after raedy { }",
        &["1:27-1:32: `raedy` is not declared [not declared] (did you mean `ready`?)"],
    );
    check(
        "satisfy e;",
        &["1:9-1:10: `e` is not declared [not declared]"],
    );
    check(
        "post r { }",
        &["1:6-1:7: `r` is not declared [not declared]"],
    );
    check(
        "region r; post r passing s { }",
        &["1:26-1:27: `s` is not declared [not declared]"],
    );
}

#[test]
fn names_end_with_their_block() {
    check(
        "finish { let v = 1; async T { } } print v; print get(T);",
        &[
            "1:41-1:42: `v` is not declared [not declared]",
            "1:54-1:55: `T` is not declared [not declared]",
        ],
    );
    check(
        "for i in 0..2 { } print i;",
        &["1:25-1:26: `i` is not declared [not declared]"],
    );
    check(
        "let v = 1; proc p() { return v; }",
        &[
            "1:12-1:16: `proc` declaration after the first statement [too late] (declarations come first: move it above line 1)",
        ],
    );
    check(
        "proc p(a) { } print a;",
        &["1:21-1:22: `a` is not declared [not declared]"],
    );
    check(
        "let v = v + 1;",
        &["1:9-1:10: `v` is not declared [not declared]"],
    );
    check(
        "task T after T { }",
        &["1:14-1:15: `T` is not declared [not declared]"],
    );
}

#[test]
fn names_are_declared_once_per_block() {
    check(
        "shared x, x;",
        &["1:11-1:12: `x` is declared twice [declared again] (`x` is first declared at 1:8)"],
    );
    check(
        "shared x;\nlock x;",
        &["2:6-2:7: `x` is declared twice [declared again] (`x` is first declared at 1:8)"],
    );
    check(
        "proc p() { } proc p() { }",
        &["1:19-1:20: `p` is declared twice [declared again] (`p` is first declared at 1:6)"],
    );
    check(
        "proc p(a, a) { let a = 1; }",
        &[
            "1:11-1:12: `a` is declared twice [declared again] (`a` is first declared at 1:8)",
            "1:20-1:21: `a` is declared twice [declared again] (`a` is first declared at 1:11)",
        ],
    );
    check(
        "let v = 1; let v = 2;",
        &["1:16-1:17: `v` is declared twice [declared again] (`v` is first declared at 1:5)"],
    );
    check(
        "async T { } async T { }",
        &["1:19-1:20: `T` is declared twice [declared again] (`T` is first declared at 1:7)"],
    );
    check(
        "shared x; let x = 1;",
        &["1:15-1:16: `x` is declared twice [declared again] (`x` is first declared at 1:8)"],
    );
    check(
        "shared x; proc p(x) { } finish { let x = 1; finish { let x = 2; } }",
        &[],
    );
    check("proc f() { } future f { return f(); } print get(f);", &[]);
}

#[test]
fn names_of_the_wrong_sort() {
    let declared = "shared x, A[2]; lock L; event e; region r; proc p() { }\n";
    let cases = [
        (
            "L = 1;",
            "2:1-2:2: `L` is a lock, not a variable [a lock] (`L` is declared at 1:22)",
        ),
        (
            "print r;",
            "2:7-2:8: `r` is a region, not a variable [a region] (`r` is declared at 1:41)",
        ),
        (
            "print p;",
            "2:7-2:8: `p` is a procedure, not a variable [a procedure] (`p` is declared at 1:49)",
        ),
        (
            "acquire x;",
            "2:9-2:10: `x` is a shared variable, not a lock [a shared variable] (`x` is declared at 1:8)",
        ),
        (
            "with e { }",
            "2:6-2:7: `e` is an event, not a lock [an event] (`e` is declared at 1:31)",
        ),
        (
            "satisfy r;",
            "2:9-2:10: `r` is a region, not an event [a region] (`r` is declared at 1:41)",
        ),
        (
            "await e;",
            "2:7-2:8: `e` is an event, not a region [an event] (`e` is declared at 1:31)",
        ),
        (
            "post A { }",
            "2:6-2:7: `A` is a shared array, not a region [a shared array] (`A` is declared at 1:11)",
        ),
        (
            "x();",
            "2:1-2:2: `x` is a shared variable, not a procedure [a shared variable] (`x` is declared at 1:8)",
        ),
        (
            "task T after x { }",
            "2:14-2:15: `x` is a shared variable, not a task or an event [a shared variable] (`x` is declared at 1:8)",
        ),
        (
            "let v = 1; v();",
            "2:12-2:13: `v` is a local, not a procedure [a local] (`v` is declared at 2:5)",
        ),
    ];
    for (statement, expected) in cases {
        check(&format!("{declared}{statement}"), &[expected]);
    }
}

#[test]
fn arrays_are_indexed_and_scalars_are_not() {
    check(
        "shared A[2]; A = 1; print A;",
        &[
            "1:14-1:15: the array `A` stands without an index [which element?] (write `A[i]` for one element)",
            "1:27-1:28: the array `A` stands without an index [which element?] (write `A[i]` for one element)",
        ],
    );
    check(
        "shared x; x[0] = 1;",
        &[
            "1:11-1:12: `x` is a shared variable, not an array [a shared variable] (`x` is declared at 1:8)",
        ],
    );
    check(
        "async T { } T[0] = 1;",
        &[
            "1:13-1:14: `T` is a task's label, not an array [a task's label] (`T` is declared at 1:7)",
        ],
    );
}

#[test]
fn labels_are_not_assigned() {
    check(
        "future f { return 1; } f = 2;",
        &[
            "1:24-1:25: the label `f` cannot be assigned [a task's label] (a label names the task made with it; use `let` for a variable)",
        ],
    );
}

#[test]
fn bare_accesses_touch_shared_memory() {
    check(
        "let v = 1; read v;",
        &[
            "1:17-1:18: `v` is a local, not shared memory [a local] (`read` and `write` touch a shared variable or an array's element)",
        ],
    );
    check("let q = new[2]; read q[0]; write q[1];", &[]);
}

#[test]
fn task_operations_do_not_stand_inside_isolated() {
    let declared = "event e; region r; proc p() { }\n";
    let operations = [
        ("async { }", "async", 6),
        ("task { }", "task", 5),
        ("future f { }", "future", 9),
        ("post r { }", "post", 7),
        ("spawn { }", "spawn", 6),
        ("spawn p();", "spawn", 10),
        ("finish { }", "finish", 7),
        ("sync;", "sync", 5),
        ("satisfy e;", "satisfy", 10),
        ("await r;", "await", 8),
        ("ewait r;", "ewait", 8),
    ];
    for (operation, keyword, end) in operations {
        let source = format!("{declared}isolated {{ if (1) {{\n{operation}\n}} }}");
        let expected = format!(
            "3:1-3:{end}: `{keyword}` inside `isolated` [task operation] (an isolated body must not create or wait for tasks; move it outside)"
        );
        check(&source, &[&expected]);
    }
    check(
        "future f { } isolated { print get(f); }",
        &[
            "1:31-1:37: `get` inside `isolated` [task operation] (an isolated body must not create or wait for tasks; move it outside)",
        ],
    );
    check("lock L; isolated { isolated { with L { cut; } } }", &[]);
}

#[test]
fn procedures_take_as_many_values_as_declared() {
    check(
        "proc p(a) { } p(); spawn p(1, 2);",
        &[
            "1:15-1:18: `p` takes 1 value, not 0 [1 value expected]",
            "1:26-1:33: `p` takes 1 value, not 2 [1 value expected]",
        ],
    );
    check(
        "proc p() { } print p(1);",
        &["1:20-1:24: `p` takes 0 values, not 1 [0 values expected]"],
    );
}

#[test]
fn the_main_task_does_not_return() {
    check(
        "finish { return; }",
        &[
            "1:10-1:16: `return` outside a procedure or task [nothing to return from] (the main task ends at the end of the file)",
        ],
    );
    check(
        "proc p() { return; } async { return; } spawn { return 1; }",
        &[],
    );
}

#[test]
fn atomic_names_shared_variables_once() {
    check(
        "atomic x;",
        &["1:8-1:9: `x` is not declared [not declared]"],
    );
    check(
        "lock L; atomic L;",
        &["1:16-1:17: `L` is a lock, not a shared variable [a lock] (`L` is declared at 1:6)"],
    );
    check(
        "shared x, y; atomic (x, y); atomic x;",
        &[
            "1:36-1:37: `x` is declared atomic twice [declared again] (a variable belongs to one group; `x` is atomic since 1:22)",
        ],
    );
    check(
        "atomic ();",
        &[
            "1:9-1:10: expected a shared variable's name, found `)` [expected a shared variable's name]",
        ],
    );
}

#[test]
fn initial_values_and_lengths_are_constants() {
    let advice = "(use integers and operators only; assign the rest in a statement)";
    let constant = "the value must be known before the program runs [not a constant]";
    check(
        "shared x, y = x + 1;",
        &[&format!("1:15-1:16: {constant} {advice}")],
    );
    check(
        "shared A[new[1]];",
        &[&format!("1:10-1:16: {constant} {advice}")],
    );
    check(
        "shared x = 1 / 0;",
        &["1:12-1:17: division by zero [has no value]"],
    );
    check(
        "shared A[-1];",
        &["1:10-1:12: an array of length -1 [negative]"],
    );
    check(
        "shared A[3] = 1;",
        &[
            "1:15-1:16: an array cannot be given a value [value of an array] (arrays start with zeros; assign the elements in a statement)",
        ],
    );
}

#[test]
fn shared_memory_is_bounded() {
    check("shared A[268435456];", &[]);
    check(
        "shared x, A[268435456];",
        &["1:13-1:22: more than 268435456 shared elements [too long]"],
    );
    check(
        "shared A[200000000], B[200000000];",
        &["1:24-1:33: more than 268435456 shared elements [too long]"],
    );
}

#[test]
fn a_diagnostic_displays_as_position_and_message() {
    let errors = compile("test.task", "\n  x = 1;").expect_err("undeclared");
    assert_eq!(errors[0].to_string(), "2:3: `x` is not declared");
}
