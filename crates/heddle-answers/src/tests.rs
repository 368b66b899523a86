//! Answers, against findings that are made up: two positions of a program.

use heddle_core::{Event, Features, Listener, Run};
use heddle_lang::machine::Code;

use super::*;

const PROGRAM: &str = "\
shared head, next[2];
proc insert(k) {
  next[k] = head;
  cut;
  skip;
  cut;
  head = k + 1;
}
spawn insert(0);
spawn insert(1);
";

struct Ran {
    code: Code,
    features: Features,
}

impl Run for Ran {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }
}

fn compiled(text: &str) -> (Ran, Legend) {
    let program = heddle_lang::compile("list.task", text).expect("a valid program");
    let ran = Ran {
        code: Code::new(&program),
        features: program.features,
    };
    (ran, program.legend)
}

fn entry(answer: Answer, text: &str, places: [(u32, u32); 2]) -> String {
    let [first, second] = places.map(|(line, column)| {
        Anchor::new("list.task", text, line, column).expect("there is something")
    });
    file::print(answer, first, second, None)
}

/// The positions of the read and the write of `head`.
const PLACES: [(u32, u32); 2] = [(3, 13), (7, 3)];

fn site(legend: &Legend, (line, column): (u32, u32)) -> SiteId {
    let mut sites = (0..).zip(&legend.sites);
    let at = |(_, site): &(u32, &Site)| (site.line, site.column) == (line, column);
    SiteId::new(sites.find(at).expect("a site").0)
}

fn cuts(run: &mut impl Run) -> usize {
    let mut events = Vec::new();
    run.run(&mut events);
    let cuts = events.iter();
    cuts.filter(|event| matches!(event, Event::Cut { .. }))
        .count()
}

/// What is left of the cuts, in the run and in the code.
fn cuts_left(ran: &mut Ran, answers: &mut Answers) -> usize {
    let merged = answers.merged_cuts(ran);
    let left = cuts(&mut WithoutCuts::new(ran, merged.clone()));
    ran.code.leave_out_cuts(|site| merged.contains(&site));
    assert_eq!(cuts(ran), left);
    left
}

fn messages(answers: &Answers) -> Vec<String> {
    answers
        .unused()
        .into_iter()
        .map(|one| one.message)
        .collect()
}

#[test]
fn what_is_marked_harmless_is_harmless_and_nothing_else_is() {
    let (_, legend) = compiled(PROGRAM);
    let text = entry(Answer::Harmless, PROGRAM, PLACES);
    let mut answers = Answers::new("heddle.toml", &text, &legend).expect("a valid file");
    let [first, second] = PLACES.map(|place| site(&legend, place));
    assert!(!answers.is_harmless(second, first));
    assert!(!answers.is_harmless(first, first));
    assert_eq!(
        messages(&answers),
        ["unused harmless: there is no such finding"]
    );
    assert!(answers.is_harmless(first, second));
    assert_eq!(messages(&answers), [""; 0]);
}

#[test]
fn an_answer_survives_edits_elsewhere() {
    let text = entry(Answer::Harmless, PROGRAM, PLACES);
    let edited = PROGRAM
        .replace(
            "proc insert",
            "// Inserts.\nproc other() { skip; }\n\nproc insert",
        )
        .replace("  skip;\n", "  skip;\n  skip;\n");
    let (_, legend) = compiled(&edited);
    let mut answers = Answers::new("heddle.toml", &text, &legend).expect("a valid file");
    let [first, second] = [(6, 13), (11, 3)].map(|place| site(&legend, place));
    assert!(answers.is_harmless(first, second));
}

#[test]
fn an_answer_to_code_that_changed_is_unused() {
    let text = entry(Answer::Harmless, PROGRAM, PLACES);
    let (_, legend) = compiled(&PROGRAM.replace("head = k + 1", "head = k + 2"));
    let answers = Answers::new("heddle.toml", &text, &legend).expect("a valid file");
    assert_eq!(
        messages(&answers),
        ["unused harmless: `head = k + 1;` is no longer where it was in list.task"]
    );
}

#[test]
fn an_answer_for_another_program_is_left_alone() {
    let text = entry(Answer::Harmless, PROGRAM, PLACES).replace("list.task", "other.task");
    let (_, legend) = compiled(PROGRAM);
    let answers = Answers::new("heddle.toml", &text, &legend).expect("a valid file");
    assert_eq!(messages(&answers), [""; 0]);
}

#[test]
fn merging_drops_the_cuts_between_in_every_strand() {
    let (mut ran, legend) = compiled(PROGRAM);
    assert_eq!(cuts(&mut ran), 4);
    let text = entry(Answer::Merge, PROGRAM, PLACES);
    let mut answers = Answers::new("heddle.toml", &text, &legend).expect("a valid file");
    assert_eq!(
        messages(&answers),
        ["unused merge: no cut lies between the two positions"]
    );
    assert_eq!(cuts_left(&mut ran, &mut answers), 0);
    assert_eq!(messages(&answers), [""; 0]);
}

#[test]
fn merging_inside_a_loop_body_keeps_the_cut_at_its_end() {
    let text = "shared x, y;\nasync {\n  for i in 0..3 {\n    read x;\n    cut;\n    write y;\n    cut;\n  }\n}\n";
    let (mut ran, legend) = compiled(text);
    let merge = entry(Answer::Merge, text, [(4, 10), (6, 11)]);
    let mut answers = Answers::new("heddle.toml", &merge, &legend).expect("a valid file");
    assert_eq!(cuts_left(&mut ran, &mut answers), 3);
}

#[test]
fn merging_does_not_reach_across_strands() {
    let text = "shared x, y;\nread x;\ncut;\nasync { skip; }\ncut;\nwrite y;\n";
    let (mut ran, legend) = compiled(text);
    let merge = entry(Answer::Merge, text, [(2, 1), (6, 1)]);
    let mut answers = Answers::new("heddle.toml", &merge, &legend).expect("a valid file");
    assert_eq!(cuts_left(&mut ran, &mut answers), 2);
    assert_eq!(
        messages(&answers),
        ["unused merge: no cut lies between the two positions"]
    );
}

#[test]
fn a_wrong_file_is_an_error_with_its_position() {
    let (_, legend) = compiled(PROGRAM);
    let good = entry(Answer::Harmless, PROGRAM, PLACES);
    let wrong = [
        ("[[harmless]]\nwhy = 3\n", (2, 7)),
        ("[[harmless\n", (1, 11)),
        ("merge = 1\n", (1, 9)),
        ("[other]\n", (1, 2)),
        ("[[harmless]]\nwhy = \"\"\n", (1, 1)),
        (&good.replace("column = 11", "column = 0"), (1, 1)),
        (&good.replace("list.task", ""), (1, 1)),
        (&good.replace("\"next[k]", "\" next[k]"), (1, 1)),
    ];
    for (text, place) in wrong {
        let problem = Answers::new("heddle.toml", text, &legend).expect_err("wrong");
        let position = problem.position.expect("a position");
        assert_eq!(
            (position.line, position.column),
            place,
            "{}: {text}",
            problem.message
        );
    }
}

/// Of two files with one name an entry means the one in the folder of its file of answers.
#[test]
fn an_entry_means_the_file_beside_it() {
    let (_, list) = compiled(PROGRAM);
    let file = |path: &str| SourceFile {
        path: path.into(),
        text: Some(PROGRAM.into()),
    };
    let mut legend = Legend {
        files: vec![file("one/list.task"), file("two/list.task")],
        ..Legend::default()
    };
    for id in 0..2 {
        let sites = list.sites.iter().map(|&site| Site {
            file: FileId::new(id),
            ..site
        });
        legend.sites.extend(sites);
    }
    let text = entry(Answer::Harmless, PROGRAM, PLACES);
    let half = list.sites.len() as u32;
    for (path, offset) in [
        ("one/heddle.toml", 0),
        ("two/heddle.toml", half),
        ("/home/me/two/heddle.toml", half),
    ] {
        let mut answers = Answers::new(path, &text, &legend).expect("a valid file");
        let moved = |place| SiteId::new(site(&list, place).index() as u32 + offset);
        let [first, second] = PLACES.map(moved);
        assert!(answers.is_harmless(first, second), "{path}");
    }
}

#[test]
fn nothing_is_said_of_what_did_not_run_if_the_run_is_a_part() {
    let text = entry(Answer::Harmless, PROGRAM, [(3, 13), (5, 4)]);
    let (_, legend) = compiled(PROGRAM);
    let mut answers = Answers::new("heddle.toml", &text, &legend).expect("a valid file");
    assert_eq!(messages(&answers).len(), 1);
    answers.leave_alone_what_did_not_run();
    assert_eq!(messages(&answers), [""; 0]);
}
