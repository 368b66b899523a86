//! Every program of `examples/ocr` is built as it is and with RACY defined; the first must be clean, the second
//! yield what its first line says, serially and on four threads, and also if a task is slow to go on after it has
//! made others runnable. All failures are listed.

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{all, compiled, finished, heddle, report, run, scratch, succeed, text};

/// What must be found.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Expect {
    Nothing,
    /// Findings of this kind, and none of another.
    Only(String),
}

fn examples() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ocr");
    let entries = std::fs::read_dir(dir).expect("the examples are there");
    let mut found: Vec<_> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        .collect();
    found.sort();
    found
}

/// The kind that the first line names.
fn expected(source: &Path) -> Expect {
    let text = std::fs::read_to_string(source).expect("it can be read");
    let kind = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// with RACY: "));
    Expect::Only(kind.expect("the first line says what is found").to_owned())
}

fn build(source: &Path, program: &Path, flags: &[&str]) {
    let mut command = heddle();
    command.args(["cc", "--ocr", "-O1"]).args(flags).arg(source);
    succeed(command.arg("-o").arg(program));
}

/// Says how a run differs from what is expected, if it does.
fn failure(program: &Path, threads: &str, expect: &Expect) -> Option<String> {
    let json = program.with_extension("json");
    let _ = std::fs::remove_file(&json);
    let mut command = run(&["--format=json", "--threads", threads, "--output"]);
    let output = finished(command.arg(&json).arg("--").arg(program));
    let Ok(found) = report(&json) else {
        return Some(format!("no report: {}", all(&output)));
    };
    let findings = found["findings"].as_array().cloned().unwrap_or_default();
    let (is_right, status) = match expect {
        Expect::Nothing => (findings.is_empty(), 0),
        Expect::Only(kind) => (
            !findings.is_empty() && findings.iter().all(|one| one["kind"] == **kind),
            1,
        ),
    };
    let is_right = is_right && output.status.code() == Some(status);
    (!is_right).then(|| format!("{threads} threads, {expect:?}: {}", all(&output)))
}

/// What makes each call that others may wait for take long to come back: they are through by then.
const SLOW: &str = "
#include <ocr.h>
#include <unistd.h>
#define SLOWLY(call) ({ u8 result = call; usleep(2000); result; })
#define ocrEdtCreate(...) SLOWLY((ocrEdtCreate)(__VA_ARGS__))
#define ocrAddDependence(...) SLOWLY((ocrAddDependence)(__VA_ARGS__))
#define ocrEventSatisfy(...) SLOWLY((ocrEventSatisfy)(__VA_ARGS__))
#define ocrEventCollectiveSatisfySlot(...) SLOWLY((ocrEventCollectiveSatisfySlot)(__VA_ARGS__))
";

#[test]
fn every_example_yields_what_it_says() {
    let dir = scratch("ocr");
    let slow = dir.join("slow.h");
    std::fs::write(&slow, SLOW).expect("the folder is writable");
    let slow = slow.to_string_lossy();
    let mut failures = Vec::new();
    let examples = examples();
    assert!(examples.len() > 15, "where are the examples?");
    for source in &examples {
        let name = source.file_stem().unwrap_or_default().to_string_lossy();
        let variants: [(&[&str], _, _, &[&str]); 3] = [
            (&[], Expect::Nothing, "clean", &["1", "4"]),
            (&["-DRACY"], expected(source), "racy", &["1", "4"]),
            (
                &["-DRACY", "-include", &slow],
                expected(source),
                "slow",
                &["4"],
            ),
        ];
        for (flags, expect, variant, runs) in variants {
            let program = dir.join(format!("{name}-{variant}"));
            build(source, &program, flags);
            let runs = runs.iter();
            let failed = runs.filter_map(|threads| failure(&program, threads, &expect));
            failures.extend(failed.map(|text| format!("{name}, {variant}: {text}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn example(dir: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let source = examples()
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == name))
        .expect("it is there");
    let program = dir.join(name);
    build(&source, &program, flags);
    program
}

fn shown(command: &mut Command) -> String {
    text(&finished(command).stdout)
}

#[test]
fn a_race_names_the_tasks_by_their_functions_and_the_block_by_its_creation() {
    let dir = scratch("ocr-words");
    let program = example(&dir, "shared-block", &["-DRACY"]);
    let text = shown(run(&["--"]).arg(program));
    for part in [
        "the EDT writer created",
        "the EDT reader created",
        "block@",
        "is a data block",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_task_that_never_runs_is_named_with_its_missing_slot() {
    let dir = scratch("ocr-stuck");
    let program = example(&dir, "misuse-never-runs", &["-DRACY"]);
    let text = shown(run(&["--"]).arg(program));
    for part in ["misuse", "never runs", "slot 1", "sticky event"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn statistics_count_tasks_events_and_edges() {
    let dir = scratch("ocr-stats");
    let program = example(&dir, "array-sum", &[]);
    let text = shown(run(&["--stats", "--"]).arg(program));
    let row = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().last())
            .map(str::to_owned)
    };
    // The first task and three more; two output events; three spawns, two satisfactions, two sinks.
    assert_eq!(row("EDTs").as_deref(), Some("4"), "{text}");
    assert_eq!(row("events").as_deref(), Some("2"), "{text}");
    assert_eq!(row("edges").as_deref(), Some("7"), "{text}");
}

/// Tasks acquire blocks that were destroyed before they started; later blocks are asked where they lie.
const TOO_LATE: &str = r#"
#include <ocr.h>
#define LATE 100
#define BLOCKS 200
static u64 places[BLOCKS];
static ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) { return NULL_GUID; }
static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    int same = 0;
    for (int i = 0; i < BLOCKS; i++) {
        ocrGuid_t block;
        void *place;
        ocrDbCreate(&block, &place, 16, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        places[i] = (u64)place;
        for (int j = 0; j < i; j++)
            same += places[i] == places[j];
    }
    ocrPrintf("%d at the same place\n", same);
    ocrShutdown();
    return NULL_GUID;
}
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t template, edt, end, done, blocks[LATE];
    ocrEdtTemplateCreate(&template, last, 0, LATE);
    ocrEdtCreate(&end, template, 0, NULL, LATE, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtTemplateCreate(&template, late, 0, 2);
    for (int i = 0; i < LATE; i++) {
        void *place;
        ocrDbCreate(&blocks[i], &place, 16, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        ocrEdtCreate(&edt, template, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, &done);
        ocrAddDependence(done, end, i, DB_MODE_NULL);
        ocrAddDependence(blocks[i], edt, 0, DB_MODE_RW);
        ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_NULL);
        ocrDbDestroy(blocks[i]);
    }
    return NULL_GUID;
}
"#;

#[test]
fn a_block_acquired_too_late_is_not_given_back_twice() {
    let dir = scratch("ocr-too-late");
    let program = compiled(&dir, "too-late", &["--ocr"], TOO_LATE);
    let text = shown(run(&["--"]).arg(program));
    assert!(
        text.contains("\n0 at the same place") || text.starts_with("0 at"),
        "{text}"
    );
}

/// The kinds of a program's findings, and all that was said, serially and on four threads.
fn kinds(program: &Path) -> Vec<(Vec<String>, String)> {
    let kinds = |threads: &str| {
        let json = program.with_extension("json");
        let _ = std::fs::remove_file(&json);
        let mut command = run(&["--format=json", "--threads", threads, "--output"]);
        let output = finished(command.arg(&json).arg("--").arg(program));
        let found = report(&json).expect("there is a report");
        let findings = found["findings"].as_array().cloned().unwrap_or_default();
        let kinds = findings
            .iter()
            .map(|one| one["kind"].as_str().unwrap_or_default().to_owned());
        (kinds.collect(), format!("{} {found}", all(&output)))
    };
    ["1", "4"].map(kinds).into()
}

/// What the short programs below begin with.
const BEGINNING: &str = r#"
#include <ocr.h>
#define EDT(name) static ocrGuid_t name(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
#define MAIN ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
static ocrGuid_t create(ocrEdt_t function, u32 paramc, u64 *params, u32 depc, ocrGuid_t *output)
{
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, function, paramc, depc);
    ocrEdtCreate(&edt, template, paramc, params, depc, NULL, EDT_PROP_NONE, NULL_HINT, output);
    ocrEdtTemplateDestroy(template);
    return edt;
}
EDT(stop) { ocrShutdown(); return NULL_GUID; }
"#;

fn short(dir: &Path, name: &str, flags: &[&str], text: &str) -> PathBuf {
    let flags: Vec<_> = ["--ocr"].iter().chain(flags).copied().collect();
    compiled(dir, name, &flags, &format!("{BEGINNING}{text}"))
}

/// A task with read-write access starts before another adds the first dependence for exclusive writing.
const LATE_EXCLUSION: &str = r#"
#ifdef RACY
#define MODE DB_MODE_RW
#else
#define MODE DB_MODE_EW
#endif
EDT(writer) { *(int *)depv[0].ptr += 1; return NULL_GUID; }
EDT(later)
{
    ocrGuid_t end = {.guid = (intptr_t)paramv[0]}, done;
    ocrGuid_t edt = create(writer, 0, NULL, 1, &done);
    ocrAddDependence(done, end, 1, DB_MODE_NULL);
    ocrAddDependence(depv[0].guid, edt, 0, MODE);
    return NULL_GUID;
}
MAIN
{
    ocrGuid_t block, done, end = create(stop, 0, NULL, 2, NULL);
    int *place;
    ocrDbCreate(&block, (void **)&place, sizeof(int), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *place = 0;
    ocrDbRelease(block);
    u64 param = (u64)end.guid;
    ocrAddDependence(block, create(later, 1, &param, 1, NULL), 0, DB_MODE_RO);
    ocrGuid_t edt = create(writer, 0, NULL, 1, &done);
    ocrAddDependence(done, end, 0, DB_MODE_NULL);
    ocrAddDependence(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}
"#;

#[test]
fn exclusive_writing_excludes_tasks_that_started_before_it_was_asked_for() {
    let dir = scratch("ocr-late-exclusion");
    let clean = short(&dir, "late-exclusion", &[], LATE_EXCLUSION);
    for (found, text) in kinds(&clean) {
        assert!(found.is_empty(), "{text}");
    }
    let racy = short(&dir, "late-exclusion-racy", &["-DRACY"], LATE_EXCLUSION);
    for (found, text) in kinds(&racy) {
        assert_eq!(found, ["race"], "{text}");
    }
}

/// Each misuse, and what is said of it. With `FIXED` it is none.
const MISUSES: [(&str, &str, &str); 6] = [
    (
        "no-function",
        "a template is created without a function",
        "MAIN { ocrGuid_t template, edt;
        #ifdef FIXED
        ocrEdtTemplateCreate(&template, stop, 0, 0);
        #else
        ocrEdtTemplateCreate(&template, NULL, 0, 0);
        #endif
        ocrEdtCreate(&edt, template, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        create(stop, 0, NULL, 0, NULL); return NULL_GUID; }",
    ),
    (
        "parameters",
        "created with 1 parameters, and its template has 2",
        "#ifdef FIXED
        #define COUNT EDT_PARAM_DEF
        #else
        #define COUNT 1
        #endif
        MAIN { ocrGuid_t template, edt; u64 params[2] = {1, 2};
        ocrEdtTemplateCreate(&template, stop, 2, 0);
        ocrEdtCreate(&edt, template, COUNT, params, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        return NULL_GUID; }",
    ),
    (
        "dependences",
        "neither the task nor its template says how many dependences",
        "#ifdef FIXED
        #define COUNT 0
        #else
        #define COUNT EDT_PARAM_DEF
        #endif
        MAIN { ocrGuid_t template, edt;
        ocrEdtTemplateCreate(&template, stop, 0, EDT_PARAM_UNK);
        ocrEdtCreate(&edt, template, 0, NULL, COUNT, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        create(stop, 0, NULL, 0, NULL); return NULL_GUID; }",
    ),
    (
        "no-parameters",
        "created with 1 parameters and no array of them",
        "#ifdef FIXED
        #define PARAMS &value
        #else
        #define PARAMS NULL
        #endif
        MAIN { u64 value = 1; (void)value;
        create(stop, 1, PARAMS, 0, NULL);
        create(stop, 0, NULL, 0, NULL); return NULL_GUID; }",
    ),
    (
        "waits-for-ever",
        "the task waits for ever: nobody satisfies the sticky event",
        "MAIN { ocrGuid_t event; ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
        #ifdef FIXED
        ocrEventSatisfy(event, NULL_GUID);
        #endif
        ocrWait(event); ocrShutdown(); return NULL_GUID; }",
    ),
    (
        // Places of destroyed blocks are used again.
        "behind",
        "memory outside of all data blocks is accessed, behind one of 16 bytes",
        "#ifdef FIXED
        #define LAST 1
        #else
        #define LAST 2
        #endif
        EDT(worker) { ocrGuid_t block; u64 *place;
        ocrDbCreate(&block, (void **)&place, 16, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        place[LAST] = 1; ocrDbDestroy(block); return NULL_GUID; }
        MAIN { for (int i = 0; i < 200; i++) create(worker, 0, NULL, 0, NULL);
        create(stop, 0, NULL, 0, NULL); return NULL_GUID; }",
    ),
];

#[test]
fn misuse_is_a_finding_and_nothing_else() {
    let dir = scratch("ocr-misuses");
    for (name, words, text) in MISUSES {
        for (found, said) in kinds(&short(&dir, name, &[], text)) {
            assert!(!found.is_empty(), "{name}: {said}");
            assert!(found.iter().all(|kind| kind == "misuse"), "{name}: {said}");
            assert!(said.contains(words), "{name}: {said}");
        }
        let fixed = short(&dir, &format!("{name}-fixed"), &["-DFIXED"], text);
        for (found, said) in kinds(&fixed) {
            assert!(found.is_empty(), "{name}, fixed: {said}");
        }
    }
}

/// What compilers of its time took: extensions by their names alone, an undeclared function, a missing value.
const OLDER: &str = "
#include <ocr.h>
#include <ocr-legacy.h>
#include <extensions/ocr-profiler.h>
int shared;
void second(void *block);
static int nothing(void) { return; }
ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    ocrGuid_t block;
    void *place;
    ocrDbCreate(&block, &place, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    nothing();
    *(int *)place = atoi(\"1\") + DB_MODE_EW;
    second(depv[0].ptr);
    ocrPrintf(\"%d\", shared);
    ocrShutdown();
    return NULL_GUID;
}
";

/// A part of it that was compiled with another `ocr.h`, where what is a macro here is a function. A hint has the same
/// size in all. Both parts define one variable.
const PART: &str = "
int shared;
unsigned PRINTF(const char *, ...), ocrPrintf(const char *, ...);
unsigned SNPRINTF(char *, unsigned, const char *, ...), ocrSnprintf(char *, unsigned, const char *, ...);
unsigned long getArgc(void *);
char *getArgv(void *, unsigned long);
unsigned char ocrHintInit(void *, int);
void second(void *block)
{
    char text[8], same[8];
    struct { int type; unsigned long mask, values[12], behind; } hint = {.behind = 3};
    ocrHintInit(&hint, 1);
    shared = (int)getArgc(block);
    SNPRINTF(text, 8, \"%d%.1f\", 1, 2.5);
    ocrSnprintf(same, 8, \"%s\", text);
    PRINTF(\"%s:\", getArgv(block, 0) == 0 ? 0 : same);
    ocrPrintf(\"%lu:\", hint.behind);
}
";

#[test]
fn sources_of_older_compilers_are_compiled() {
    let dir = scratch("ocr-older");
    let part = dir.join("part.c");
    std::fs::write(&part, PART).expect("the folder is writable");
    let part = part.to_string_lossy();
    let program = compiled(&dir, "older", &["--ocr", &part], OLDER);
    for (found, said) in kinds(&program) {
        assert!(found.is_empty(), "{said}");
        assert!(said.contains("12.5:3:1"), "{said}");
    }
}

/// A task waits for an event that another creates under its label, and then reads what that wrote before.
const LATE_LABEL: &str = r#"
static int value;
EDT(sender)
{
    ocrGuid_t range = {.guid = (intptr_t)paramv[0]}, event;
    value = 5;
    ocrGuidFromIndex(&event, range, 2);
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED | EVT_PROP_TAKES_ARG);
    ocrEventSatisfy(event, NULL_GUID);
    return NULL_GUID;
}
MAIN
{
    ocrGuid_t range, event, block;
    void *place;
    u64 size;
    ocrGuidRangeCreate(&range, 4, GUID_USER_EVENT_STICKY);
    u64 params[1] = {(u64)range.guid};
    create(sender, 1, params, 0, NULL);
    ocrGuidFromIndex(&event, range, 2);
    u8 result = ocrLegacyBlockProgress(event, &block, &place, &size, LEGACY_PROP_WAIT_FOR_CREATE);
    ocrPrintf("result %d, value %d\n", result, value);
    ocrShutdown();
    return NULL_GUID;
}
"#;

#[test]
fn a_wait_may_be_for_the_creation_of_an_event() {
    let dir = scratch("ocr-late-label");
    for (found, said) in kinds(&short(&dir, "late-label", &[], LATE_LABEL)) {
        assert!(found.is_empty(), "{said}");
        assert!(said.contains("result 0, value 5"), "{said}");
    }
}
