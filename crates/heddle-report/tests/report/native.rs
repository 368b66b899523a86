//! What people read of native programs: OpenMP's words, functions, stacks and memory.

use crate::scene::{Scene, access, element, scalar};
use heddle_core::{
    AccessKind::{Read, Write},
    FinishId, FinishKind, SiteId, TaskId, TaskKind, Why,
};
use heddle_report::json::{Layout, write};
use heddle_report::{
    Details, FrameInfo, ObjectInfo, ObjectKind, Report, Settings, Subject, Unchecked, sarif, text,
};
use std::sync::Arc;

const TASKS: &str = "\
int sum;
int main() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    sum += 1;
    sum = 2;
  }
}
";

/// A single creates a task and goes on without waiting for it.
fn task() -> (Scene, Details) {
    let mut scene = Scene::at_path("sum.c", TASKS);
    let sum = scene.name("sum");
    let (region, single, created) = (
        scene.site("#pragma omp parallel", 1),
        scene.site("#pragma omp single", 1),
        scene.site("#pragma omp task", 1),
    );
    let phase = scene.finish(FinishKind::Phase, TaskId::MAIN, region);
    let member = scene.task(TaskKind::Member, None, TaskId::MAIN, phase, region);
    let single = scene.task(TaskKind::Single, None, member, phase, single);
    let task = scene.task(TaskKind::Task, None, single, phase, created);
    let (inner, outer) = (scene.site("+= 1", 2), scene.site("= 2", 1));
    let why = Why {
        ancestor: single,
        spawned: task,
        finish: phase,
        side: 0,
    };
    let accesses = [
        access(Write, inner, task, &[]),
        access(Write, outer, single, &[]),
    ];
    scene.race(scalar(sum), accesses, why);
    (scene, details(&[inner, outer, created]))
}

/// All in `main`.
fn details(sites: &[SiteId]) -> Details {
    let frame = |&site| {
        let info = FrameInfo {
            function: "main".into(),
            caller: None,
        };
        (site, info)
    };
    Details {
        frames: sites.iter().map(frame).collect(),
        ..Details::default()
    }
}

/// Two members of a team at one place.
fn team(kind: TaskKind) -> Scene {
    let mut scene = Scene::at_path("sum.c", "#pragma omp parallel for\nfor (;;) A[i/2]++;\n");
    let name = scene.name("A");
    let (region, at) = (scene.site("#pragma", 1), scene.site("A[i/2]", 1));
    let phase = scene.finish(FinishKind::Phase, TaskId::MAIN, region);
    let mut branch = || {
        let member = scene.task(TaskKind::Member, None, TaskId::MAIN, phase, region);
        match kind {
            TaskKind::Member => member,
            _ => scene.task(kind, None, member, phase, region),
        }
    };
    let (one, two) = (branch(), branch());
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: TaskId::new(1),
        finish: phase,
        side: 0,
    };
    let accesses = [access(Read, at, one, &[]), access(Write, at, two, &[])];
    scene.race(element(name, 3), accesses, why);
    scene
}

fn report(scene: &Scene, details: &Details) -> Report {
    let subject = Subject {
        program: "./sum",
        outcome: &scene.outcome,
        legend: &scene.legend,
        features: scene.features,
        unchecked: Unchecked::Nothing,
    };
    Report::detailed(subject, details, Settings::default())
}

fn shown(scene: &Scene, details: &Details) -> String {
    text::render(&report(scene, details), text::Colour::Plain)
}

#[test]
fn a_task_is_called_by_where_it_was_created_and_told_apart_by_nothing_else() {
    let (scene, details) = task();
    assert_eq!(
        shown(&scene, &details),
        "\
race: sum is written by the task created at 6:1 and by the single at 4:1 in parallel
 --> sum.c:7:9
  |
7 |     sum += 1;
  |         ^^ written by the task created at 6:1 in main
8 |     sum = 2;
  |         ^ written by the single at 4:1 in main
  |
  = the task created at 6:1: created in main by the single at 4:1
  = common ancestor: the single at 4:1, created by a thread of the parallel region at 3:1, created by the main task
  = parallel: nothing waits for the task created at 6:1 before the write at 8:9: no taskwait, taskgroup, depend clause or barrier in between
  = witness: the single at 4:1 to 6:1, the task created at 6:1 to 7:9, the single at 4:1 to 8:9
             or the single at 4:1 to 8:9, the task created at 6:1 to 7:9
  = help: add `#pragma omp taskwait` before the write at 8:9

./sum: 1 race
guarantee: all schedules of this input
"
    );
}

#[test]
fn threads_of_one_region_are_two_of_a_kind() {
    let text = shown(&team(TaskKind::Member), &Details::default());
    assert!(
        text.starts_with(
            "race: A[3] is read and written by two threads of the parallel region at 1:1 in parallel\n"
        ),
        "{text}"
    );
    assert!(text.contains("^ read and written by two threads of the parallel region at 1:1\n"));
    assert!(text.contains("both are in the parallel region at 1:1, on different threads"));
    assert!(
        text.contains("help: put `#pragma omp atomic` before the update at 2:10\n"),
        "{text}"
    );
}

#[test]
fn other_formats_tell_tasks_of_one_place_apart_as_text_does() {
    let report = report(&team(TaskKind::Member), &Details::default());
    let mut written = Vec::new();
    write(&report, Layout::Line, &mut written).expect("it is written to memory");
    let json: serde_json::Value = serde_json::from_slice(&written).expect("it is JSON");
    let finding = &json["findings"][0];
    for access in finding["accesses"].as_array().expect("two accesses") {
        assert_eq!(
            access["task"]["phrase"],
            "a thread of the parallel region at 1:1"
        );
    }
    for order in finding["witness"].as_array().expect("two orders") {
        let who = |stop: &serde_json::Value| stop["phrase"].clone();
        let mut who: Vec<_> = order
            .as_array()
            .expect("its steps")
            .iter()
            .map(who)
            .collect();
        who.dedup();
        assert_eq!(who.len(), 3, "{order}");
    }
    let saved = serde_json::from_value(json).expect("it is a report");
    let log = sarif::log(&[saved]).to_string();
    assert!(
        log.contains("read by a thread of the parallel region at 1:1"),
        "{log}"
    );
    assert!(
        log.contains("written by another thread of the parallel region at 1:1"),
        "{log}"
    );
}

#[test]
fn iterations_that_any_thread_may_get_are_called_so() {
    let text = shown(&team(TaskKind::Chunk), &Details::default());
    assert!(text.contains("by two iterations of the loop at 1:1 in parallel"));
    assert!(
        text.contains("iterations of the loop at 1:1, which may run on different threads"),
        "{text}"
    );
}

#[test]
fn the_stack_and_the_memory_are_told_where_they_are_known() {
    let (mut scene, mut details) = task();
    let (call, alloc) = (scene.raw_site(9, 3, 9, 4), scene.raw_site(2, 1, 2, 2));
    let inner = SiteId::new(3);
    details.frames.insert(call, frame("caller", None));
    details.frames.insert(inner, frame("work", Some(call)));
    details.frames.insert(alloc, frame("make", Some(call)));
    let object = ObjectInfo {
        name: "heap@sum.c:2:1".into(),
        kind: ObjectKind::Heap,
        size: Some(40),
        unit: heddle_report::Unit::Bytes,
        site: Some(alloc),
        allocated_by: Some(TaskId::MAIN),
    };
    details
        .objects
        .insert(heddle_core::NameId::new(0), Arc::new(object));
    let text = shown(&scene, &details);
    let expected = "\
  = heap@sum.c:2:1 is a heap block (indexed by bytes) of 40 bytes, allocated at sum.c:2:1 in make by the main task
      in caller at sum.c:9:3
  = the write at 7:9:
      in work at sum.c:7:9
      in caller at sum.c:9:3
";
    assert!(text.contains(expected), "{text}");
}

fn frame(function: &str, caller: Option<SiteId>) -> FrameInfo {
    FrameInfo {
        function: function.into(),
        caller,
    }
}

#[test]
fn an_atomic_access_asks_the_other_to_be_atomic() {
    let mut scene = team(TaskKind::Member);
    let atomic = scene.lock("atomic");
    if let heddle_core::Finding::Race { accesses, .. } = &mut scene.outcome.findings[0] {
        accesses[0].locks = vec![atomic];
    }
    let text = shown(&scene, &Details::default());
    assert!(
        text.contains("region at 1:1, atomically and written by"),
        "{text}"
    );
    assert!(
        text.contains("help: make the write at 2:10 atomic too"),
        "{text}"
    );
}

#[test]
fn a_thread_is_to_be_joined() {
    let mut scene = Scene::at_path("t.c", "pthread_create(&t, 0, f, 0);\nx = 1;\ny = x;\n");
    let x = scene.name("x");
    let (created, one, two) = (
        scene.site("pthread", 1),
        scene.site("x = 1", 1),
        scene.site("x;", 1),
    );
    let thread = scene.task(
        TaskKind::Thread,
        None,
        TaskId::MAIN,
        FinishId::MAIN,
        created,
    );
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: thread,
        finish: FinishId::MAIN,
        side: 0,
    };
    let accesses = [
        access(Write, one, thread, &[]),
        access(Read, two, TaskId::MAIN, &[]),
    ];
    scene.race(scalar(x), accesses, why);
    let text = shown(&scene, &Details::default());
    assert!(text.contains("help: join the thread created at 1:1 before the read at 3:5\n"));
    assert!(text.contains("nothing waits for the thread created at 1:1 before the read at 3:5"));
    let late = scene.raw_site(4, 1, 4, 2);
    let details = Details {
        joins: [(thread, late)].into(),
        ..Details::default()
    };
    let text = shown(&scene, &details);
    assert!(text.contains("help: move the join at 4:1 before the read at 3:5\n"));
    assert!(text.contains("the thread created at 1:1 runs until it is joined at 4:1"));
}

#[test]
fn suppressed_findings_are_counted_in_the_summary() {
    let (mut scene, mut details) = task();
    details.suppressed = scene.outcome.findings.clone();
    assert!(shown(&scene, &details).contains("./sum: 1 race, 1 suppressed\n"));
    scene.outcome.findings.clear();
    assert!(shown(&scene, &details).contains("./sum: clean, 1 suppressed\n"));
}

#[test]
fn functions_stacks_and_memory_are_keys_of_their_own() {
    let (scene, mut details) = task();
    let object = ObjectInfo {
        name: "sum".into(),
        kind: ObjectKind::Global,
        size: Some(4),
        unit: heddle_report::Unit::Bytes,
        site: None,
        allocated_by: None,
    };
    details
        .objects
        .insert(heddle_core::NameId::new(0), Arc::new(object));
    let mut bytes = Vec::new();
    write(&report(&scene, &details), Layout::Line, &mut bytes).expect("a vector takes everything");
    let json: serde_json::Value = serde_json::from_slice(&bytes).expect("the output is JSON");
    let finding = &json["findings"][0];
    assert_eq!(finding["object"]["kind"], "global");
    assert_eq!(finding["object"]["size"], 4);
    assert_eq!(finding["accesses"][0]["function"], "main");
    assert_eq!(finding["accesses"][0]["stack"][0]["function"], "main");
    assert_eq!(finding["accesses"][0]["task"]["name"], "task@sum.c:6:1");
    assert_eq!(
        finding["accesses"][0]["task"]["spawned"][0]["construct"],
        "task"
    );
}
