//! What is suggested, applied: on random programs and on every form of statement.

use heddle_lang::cuts::Cuts;
use heddle_lang::machine;
use heddle_oracle::property::Holds;
use heddle_oracle::property::transactions::MOST_SCHEDULES;
use heddle_oracle::transactions::{cut_program, of_events, verdict};
use heddle_oracle::{cases, try_cases};
use heddle_transactions::Exact;

use super::{Own, Suggestion, edit, suggest};

const RULES: [Cuts; 2] = [Cuts::Menier, Cuts::Access];

/// One of each: arguments with and without accesses, one line and many, nested blocks, locks, waits.
const FORMS: [&str; 8] = [
    "shared x, y;\nproc p(a, b) {\n  x = a;\n  y = b;\n}\nfor i in 0..3 { spawn p(i, y); spawn p(1, 2); }\nsync;\n",
    "shared x, y;\nproc p(a) { x = a; return a; }\nspawn p(p(1));\nx = p(2) + y;\nspawn p(3);\nsync;",
    "shared x, y; finish { async { x = 1; y = 2; if (x == 1) { y = x; x = 3; } } async { read y; read x; } }",
    "shared x, y;\nregion r;\npost r {\n  x = 1;\n  read y;\n}\ny = 2;\nread y;\nawait r;\nread x;\n",
    "shared x, y; event e;\nfinish {\n\ttask A {\n\t\tx = 1;\n\t\ty = 1;\n\t\tsatisfy e;\n\t\ty = 2;\n\t}\n\ttask B after e { read x; read y; }\n}\n",
    "shared x, y; lock L;\nfinish {\n  async { acquire L; x = 1; y = 1; release L; x = 2; isolated { y = 3; x = 3; } y = 4; }\n  async { with L { read x; read y; } }\n}\n",
    "shared x, y;\r\nfinish {\r\n  async { x = 1;\r\n    y = 2; }\r\n  async { y = 3; }\r\n}\r\n",
    "shared n = 3, s;\nfuture f { let k = 2; while (n > 0) { n = n - 1; s = s + k; } return s; }\nread n;\nlet v = get(f);\ns = v;\nread s;\n",
];

/// The text after the edit; an error if the edit does not fit.
fn applied(text: &str, edit: &str) -> Result<String, String> {
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut new, mut row) = (String::new(), 0);
    let mut lines = edit.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        let (kind, mut content) = line.split_at(1);
        if lines.next_if(|next| next.starts_with('\\')).is_some() {
            content = content.trim_end_matches('\n');
        }
        if kind == "@" {
            let first = content
                .split(['-', ','])
                .nth(1)
                .and_then(|n| n.parse().ok());
            let first: usize = first.ok_or(format!("no line number: {line}"))?;
            new.extend(old[row..first - 1].iter().copied());
            row = first - 1;
            continue;
        }
        if kind != "+" {
            let found = old.get(row).copied().unwrap_or("nothing");
            if found != content {
                return Err(format!("expected {content:?}, found {found:?}"));
            }
            row += 1;
        }
        if kind != "-" {
            new.push_str(content);
        }
    }
    new.extend(old[row..].iter().copied());
    Ok(new)
}

fn suggestion(source: &str, rule: Cuts) -> Result<Suggestion, String> {
    let program = heddle_lang::compile("a.task", source);
    let program = program.map_err(|wrong| format!("{}\n{source}", wrong[0].message))?;
    Ok(suggest(&program, rule, Exact::Always))
}

/// Whether all schedules, tried one by one, are serializable; also if there are too many.
fn is_right(source: &str) -> bool {
    let program = heddle_lang::compile("a.task", source).expect("it was compiled before");
    let mut events = Vec::new();
    machine::run(&program, &mut events, &mut |_| {});
    let model = of_events(&events).ok().map(|(model, _)| model);
    let verdict = model.and_then(|model| verdict(&model, MOST_SCHEDULES));
    verdict.is_none_or(|verdict| !verdict.is_race())
}

/// After the edit the program compiles, no schedule shows a cut, and nothing can be added.
fn is_right_and_maximal(source: &str) -> Holds {
    for rule in RULES {
        let found = suggestion(source, rule)?;
        if found.own != Own::Right {
            continue;
        }
        let told = |wrong: String| format!("{rule:?}: {wrong}\n{source}");
        let edit = edit("a.task", source, &found.cuts);
        let edited = applied(source, &edit).map_err(told)?;
        let again = suggestion(&edited, rule).map_err(told)?;
        let count = |text: &str| text.matches("cut;").count();
        let wrong = match count(&edited) - count(source) {
            _ if !is_right(&edited) => "a cut can be seen",
            _ if again.own != Own::Right => "a cut is thought to be seen",
            _ if !again.cuts.is_empty() => "a cut could be added",
            added if added != found.cuts.len() => "the edit has another number of cuts",
            _ => continue,
        };
        return Err(told(format!("{wrong}\n{edit}")));
    }
    Ok(())
}

#[test]
fn the_edit_of_every_form_of_statement_is_right_and_maximal() {
    for source in FORMS {
        is_right_and_maximal(source).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

#[test]
fn the_edit_of_random_programs_is_right_and_maximal() {
    let uncut = |source: &str| source.replace("cut;", "skip;");
    let holds = try_cases(&cut_program(), cases(300), 11, |program| {
        let source = program.to_string();
        is_right_and_maximal(&source)?;
        is_right_and_maximal(&uncut(&source))?;
        // On one line, so that the edit is inside of it.
        is_right_and_maximal(&uncut(&source).replace('\n', " "))
    });
    holds.unwrap_or_else(|wrong| panic!("{wrong}"));
}
