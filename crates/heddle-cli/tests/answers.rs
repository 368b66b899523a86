//! `heddle accept` and `heddle.toml`: what was answered stays answered, and nothing else is hidden.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const LIST: &str = "\
shared head, next[2], data[2];
proc insert(k) {
  next[k] = head;
  cut;
  data[k] = k;
  cut;
  head = k + 1;
}
spawn insert(0);
spawn insert(1);
";

/// The positions the finding names: the read and the write of `head`.
const POSITIONS: [&str; 2] = ["3:13", "7:3"];

/// A folder of a test's own, with the list in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let folder = Self(folder);
        folder.write("list.task", LIST);
        folder
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), text).expect("a file");
    }

    fn answers(&self) -> String {
        fs::read_to_string(self.0.join("heddle.toml")).expect("answers")
    }

    fn heddle(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.env("NO_COLOR", "1").current_dir(&self.0);
        command.args(arguments).output().expect("heddle starts")
    }

    /// Status, results and errors of a check of the list.
    fn check(&self) -> (Option<i32>, String, String) {
        said(&self.heddle(&["check", "list.task"]))
    }

    fn accept(&self, answer: &str) -> (Option<i32>, String, String) {
        let [first, second] = POSITIONS;
        said(&self.heddle(&["accept", answer, "list.task", first, second]))
    }
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn the_finding_names_the_positions_that_accept_takes() {
    let (status, found, errors) = Folder::new("answers-positions").check();
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{found}");
    for position in POSITIONS {
        assert!(found.contains(position), "{found}");
    }
}

#[test]
fn a_finding_marked_harmless_is_not_reported_again() {
    let folder = Folder::new("answers-harmless");
    let (status, done, errors) = folder.accept("--harmless");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(done, "heddle.toml: marked harmless (1 entry)\n");
    let (status, found, errors) = folder.check();
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{found}");
    assert!(found.contains("suppressed"), "{found}");
}

#[test]
fn transactions_that_are_merged_are_checked_as_one() {
    let folder = Folder::new("answers-merge");
    assert_eq!(folder.accept("--merge").0, Some(0));
    let (status, found, errors) = folder.check();
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{found}");
    assert!(!found.contains("suppressed"), "{found}");
}

#[test]
fn what_merging_leaves_wrong_is_found() {
    let folder = Folder::new("answers-merge-some");
    folder.write(
        "list.task",
        LIST.replace(
            "  head = k + 1;\n",
            "  head = k + 1;\n  cut;\n  head = k + 2;\n",
        ),
    );
    assert_eq!(folder.accept("--merge").0, Some(0));
    let (status, found, errors) = folder.check();
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{found}");
    assert!(found.contains("9:3"), "{found}");
}

#[test]
fn answers_survive_edits_elsewhere() {
    for answer in ["--harmless", "--merge"] {
        let folder = Folder::new(&format!("answers-edited{answer}"));
        assert_eq!(folder.accept(answer).0, Some(0));
        let edited = LIST
            .replace("shared head", "// A list.\nshared count;\nshared head")
            .replace("  data[k] = k;\n", "  data[k] = k;\n  data[k] = 2 * k;\n")
            .replace("proc insert", "\n\nproc insert")
            .replace("\n  ", "\n      ");
        folder.write("list.task", edited);
        let (status, found, errors) = folder.check();
        assert_eq!((status, errors.as_str()), (Some(0), ""), "{found}");
    }
}

#[test]
fn an_answer_whose_code_changed_is_unused_and_hides_nothing() {
    for answer in ["--harmless", "--merge"] {
        let folder = Folder::new(&format!("answers-changed{answer}"));
        assert_eq!(folder.accept(answer).0, Some(0));
        folder.write("list.task", LIST.replace("head = k + 1", "head = k + 2"));
        let (status, found, errors) = folder.check();
        assert_eq!(status, Some(1), "{found}");
        let name = answer.trim_start_matches('-');
        let unused = format!("warning: unused {name}: `head = k + 1;` is no longer where it was");
        assert!(errors.contains(&unused), "{errors}");
        assert!(errors.contains("heddle.toml:1:1"), "{errors}");
    }
}

#[test]
fn an_answer_to_nothing_is_unused() {
    let folder = Folder::new("answers-nothing");
    let harmless = ["accept", "--harmless", "list.task", "5:3", "7:3"];
    let merge = ["accept", "--merge", "list.task", "3:3", "3:13"];
    for accept in [harmless, merge] {
        assert_eq!(folder.heddle(&accept).status.code(), Some(0));
    }
    let (status, _, errors) = folder.check();
    assert_eq!(status, Some(1));
    assert!(
        errors.contains("unused harmless: there is no such finding"),
        "{errors}"
    );
    assert!(
        errors.contains("unused merge: no cut lies between"),
        "{errors}"
    );
    let found = folder.heddle(&["check", "--format", "json", "list.task"]);
    let report: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let unused = report["unused_answers"].as_array().expect("a list");
    let messages: Vec<_> = unused.iter().map(|one| &one["message"]).collect();
    assert_eq!(unused.len(), 2, "{messages:?}");
    for one in unused {
        assert_eq!(one["position"]["file"], "heddle.toml", "{messages:?}");
    }
}

#[test]
fn the_answers_of_a_program_hold_for_its_recorded_run() {
    let folder = Folder::new("answers-recorded");
    for answer in ["--harmless", "--merge"] {
        folder.heddle(&["check", "--record", "run.hdl", "list.task"]);
        let recorded = || folder.heddle(&["check", "run.hdl"]).status.code();
        assert_eq!(recorded(), Some(1));
        assert_eq!(folder.accept(answer).0, Some(0));
        assert_eq!(recorded(), Some(0), "{answer}");
        fs::remove_file(folder.0.join("heddle.toml")).expect("answers");
    }
}

#[test]
fn accept_takes_the_recorded_run_for_the_program() {
    let folder = Folder::new("answers-by-recording");
    folder.heddle(&["check", "--record", "run.hdl", "list.task"]);
    let [first, second] = POSITIONS;
    for (answer, word) in [("--harmless", "harmless"), ("--merge", "merge")] {
        let (status, done, errors) =
            said(&folder.heddle(&["accept", answer, "run.hdl", first, second]));
        assert_eq!((status, errors.as_str()), (Some(0), ""));
        assert_eq!(done, format!("heddle.toml: marked {word} (1 entry)\n"));
        assert_eq!(folder.heddle(&["check", "run.hdl"]).status.code(), Some(0));
        assert_eq!(folder.check().0, Some(0));
        fs::remove_file(folder.0.join("heddle.toml")).expect("answers");
    }
    let wrong = folder.heddle(&["accept", "--merge", "run.hdl", "3:14", second]);
    let (status, _, errors) = said(&wrong);
    assert_eq!(status, Some(2));
    assert!(errors.contains("name the source file instead"), "{errors}");
}

#[test]
fn accept_says_of_an_executable_what_to_name_instead() {
    let folder = Folder::new("answers-executable");
    let executable = env!("CARGO_BIN_EXE_heddle");
    let output = folder.heddle(&["accept", "--merge", executable, "3:13", "7:3"]);
    let (status, _, errors) = said(&output);
    assert_eq!(status, Some(2));
    assert!(
        errors.contains("is an executable, not a source file"),
        "{errors}"
    );
}

#[test]
fn accept_adds_to_what_is_there_and_says_the_same_only_once() {
    let folder = Folder::new("answers-twice");
    folder.write("heddle.toml", "# Ours.\n");
    assert_eq!(folder.accept("--harmless").0, Some(0));
    let once = folder.answers();
    assert!(once.starts_with("# Ours.\n\n[[harmless]]\n"), "{once}");
    let (status, done, _) = folder.accept("--harmless");
    assert_eq!((status, folder.answers()), (Some(0), once.clone()));
    assert_eq!(done, "heddle.toml:3: is already marked harmless\n");
    let (status, _, errors) = folder.accept("--merge");
    assert_eq!((status, folder.answers()), (Some(2), once));
    assert!(errors.contains("remove that entry first"), "{errors}");
}

#[test]
fn a_wrong_file_is_an_error_with_its_position() {
    let folder = Folder::new("answers-wrong");
    let wrong: [(&[u8], &str); 4] = [
        (b"[[harmless]]\nwhy = 3\n", "heddle.toml:2:7"),
        (b"merge = [\n", "heddle.toml:"),
        (b"[colour]\n", "heddle.toml:1:2"),
        (b"# \xff\n", "heddle.toml:1:3"),
    ];
    for (bytes, position) in wrong {
        folder.write("heddle.toml", bytes);
        for (status, found, errors) in [folder.check(), folder.accept("--merge")] {
            assert_eq!((status, found.as_str()), (Some(2), ""));
            assert!(errors.contains(position), "{errors}");
        }
    }
}

#[test]
fn accept_refuses_positions_where_nothing_stands() {
    let folder = Folder::new("answers-nowhere");
    for position in ["99:1", "3:99", "3:1", "0:0"] {
        let output = folder.heddle(&["accept", "--merge", "list.task", position, "7:3"]);
        let (status, _, errors) = said(&output);
        assert_eq!(status, Some(2));
        let nothing = format!("list.task: there is nothing at {position}");
        assert!(errors.contains(&nothing), "{errors}");
    }
    for arguments in [
        &["accept", "list.task", "3:13", "7:3"][..],
        &[
            "accept",
            "--merge",
            "--harmless",
            "list.task",
            "3:13",
            "7:3",
        ],
        &["accept", "--merge", "list.task", "3", "7:3"],
        &["accept", "--merge", "list.task", ":3:13", "7:3"],
        &["accept", "--merge", "list.task", "absent.task:3:13", "7:3"],
        &["accept", "--merge", "absent.task", "3:13", "7:3"],
        &["accept", "--merge", "-", "3:13", "7:3"],
    ] {
        assert_eq!(
            folder.heddle(arguments).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
    assert!(!folder.0.join("heddle.toml").exists());
}

/// A call between the two accesses to `x`, where Ménier's rule cuts.
const CALL: &str = "\
shared x;
proc work() { skip; }
finish {
  async { let a = x; work(); x = a + 1; }
  async { x = 5; }
}
";

#[test]
fn what_a_rule_cut_is_merged_by_the_command_that_the_finding_names() {
    let folder = Folder::new("answers-rule");
    folder.write("call.task", CALL);
    let check = || said(&folder.heddle(&["check", "--cuts=menier", "call.task"]));
    let (status, found, _) = check();
    assert_eq!(status, Some(1), "{found}");
    assert!(!found.contains("take away"), "{found}");
    let merge = "heddle accept --merge call.task 4:19 4:30";
    let advice = format!("which a rule cuts apart at 4:22: {merge}; if not: heddle accept");
    assert!(found.contains(&advice), "{found}");
    let command: Vec<&str> = merge.split(' ').skip(1).collect();
    assert_eq!(said(&folder.heddle(&command)).0, Some(0));
    let (status, found, errors) = check();
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{found}");
}

#[test]
fn a_recording_keeps_who_made_a_cut() {
    let folder = Folder::new("answers-rule-recorded");
    folder.write("call.task", CALL.replace("work();", "work(); cut;"));
    for (rule, advice) in [
        ("menier", "which a rule cuts apart"),
        ("", "take away the cut"),
    ] {
        let rule = format!("--cuts={rule}");
        let mut record = vec!["check", "--record", "run.trace", "call.task"];
        if rule != "--cuts=" {
            record.insert(1, &rule);
        }
        folder.heddle(&record);
        let (status, found, errors) = said(&folder.heddle(&["check", "run.trace"]));
        assert_eq!(status, Some(1), "{found}{errors}");
        assert!(found.contains(advice), "{found}");
    }
}
