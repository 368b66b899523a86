//! The HTML page in a real browser: clicked through, typed into, and without a complaint of its own.
//!
//! Chromium runs the page with a script behind it that does what a user does and writes down what it sees; `--dump-dom` hands
//! that back.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

const WATCH: &str = "<head><script>window.errors=[];addEventListener('error',(e)=>errors.push(e.message));\
                     console.error=(...a)=>errors.push(a.join(' '));</script>";

/// Prints a page for these words, plays `script` in it, and gives back what it returns.
fn played(name: &str, words: &[&str], script: &str) -> Value {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let page = dir.join(format!("{name}.html"));
    let mut heddle = Command::new(env!("CARGO_BIN_EXE_heddle"));
    heddle.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    heddle
        .args(words)
        .args(["--format", "html", "-o"])
        .arg(&page);
    let output = heddle.output().expect("heddle can be started");
    assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
    let text = std::fs::read_to_string(&page).expect("the page was written");
    assert!(
        !text.contains("src=\"http") && !text.contains("url(http"),
        "it loads nothing"
    );
    let text = text.replacen("<head>", WATCH, 1);
    let play = format!(
        "<script>const press=(key,on)=>(on||document.body).dispatchEvent(new KeyboardEvent('keydown',{{key,bubbles:true}}));\
         let told;try{{told=(()=>{{{script}}})()}}catch(e){{errors.push(String(e))}}\
         document.body.innerHTML='';document.body.textContent='RESULT'+JSON.stringify({{told,errors}})+'END'</script></body>"
    );
    let played = dir.join(format!("{name}-played.html"));
    std::fs::write(&played, text.replacen("</body>", &play, 1)).expect("the folder is writable");
    let profile = dir.join(format!("{name}-profile"));
    let mut chromium = Command::new("chromium");
    chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]);
    chromium.arg(format!("--user-data-dir={}", profile.display()));
    chromium.arg(format!("file://{}", played.display()));
    let output = chromium
        .output()
        .expect("chromium is missing: cargo xtask setup installs it");
    let dom = String::from_utf8_lossy(&output.stdout);
    let result = dom
        .split("RESULT")
        .nth(1)
        .and_then(|rest| rest.split("END").next());
    let result = result.unwrap_or_else(|| panic!("the page says nothing: {dom} {output:?}"));
    let result = result
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let value: Value = serde_json::from_str(&result).expect("it is JSON");
    assert_eq!(
        value["errors"],
        serde_json::json!([]),
        "no error in the console"
    );
    value["told"].clone()
}

#[test]
fn findings_are_filtered_selected_and_shown_in_source_and_graph() {
    let files = [
        "check",
        "examples/000-escaping-task.task",
        "examples/000-fig2.task",
        "examples/001-parallel-loop.task",
    ];
    let told = played(
        "check",
        &files,
        "const list=()=>[...document.querySelectorAll('#list li')];\
         const picked=()=>list().findIndex((li)=>li.getAttribute('aria-selected')==='true');\
         const out={all:list().length,first:picked()};\
         press('j');out.down=picked();press('k');out.up=picked();\
         out.hits=document.querySelectorAll('pre .hit').length;\
         out.one=document.querySelectorAll('#graph .one').length;out.two=document.querySelectorAll('#graph .two').length;\
         out.nca=document.querySelectorAll('#graph .nca').length;out.way=document.querySelectorAll('#graph path.way').length;\
         list()[1].click();out.clicked=picked();out.title=document.querySelector('#detail h2').textContent;\
         press('/');out.focus=document.activeElement.id;\
         const filter=document.getElementById('filter');filter.value='escaping';filter.dispatchEvent(new Event('input'));\
         out.filtered=list().length;filter.value='no such thing';filter.dispatchEvent(new Event('input'));out.none=list().length;\
         out.nothing=document.querySelector('#detail h2').textContent;\
         press('t');out.dark=document.documentElement.dataset.theme;press('t');out.light=document.documentElement.dataset.theme;\
         press('?');out.keys=!document.getElementById('keys').hidden;return out;",
    );
    let all = told["all"].as_u64().expect("a number");
    assert!(all >= 3, "{told}");
    assert_eq!(
        (&told["first"], &told["down"], &told["up"]),
        (&0.into(), &1.into(), &0.into())
    );
    assert_eq!(told["hits"], 2, "both accesses are marked: {told}");
    assert_eq!(
        (&told["one"], &told["two"], &told["nca"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert!(told["way"].as_u64() >= Some(2), "{told}");
    assert_eq!(
        (&told["clicked"], &told["focus"]),
        (&1.into(), &"filter".into())
    );
    assert_eq!(
        (&told["filtered"], &told["none"]),
        (&1.into(), &0.into()),
        "{told}"
    );
    assert_eq!(told["nothing"], "Nothing matches the filter.");
    assert_ne!(told["dark"], told["light"]);
    assert_eq!(told["keys"], true);
}

#[test]
fn many_findings_are_counted_by_variable_and_chosen_by_it() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let program = dir.join("by-variable.task");
    let body = "{ for i in 0..20 { a[i] = 1; } b = 1; ab = 1; d = 1; }";
    let source = format!(
        "shared a[20], b, ab, d;\nfinish {{\n  async {body}\n  async {body}\n  async {body}\n}}\n"
    );
    std::fs::write(&program, source).expect("the folder is writable");
    let told = played(
        "by-variable",
        &["check", program.to_str().expect("it is text")],
        "const list=()=>[...document.querySelectorAll('#list li')].length;\
         const rows=()=>[...document.querySelectorAll('#shares button')];\
         const row=(text)=>rows().find((row)=>row.textContent.endsWith(text));\
         const out={all:list(),rows:rows().map((row)=>row.textContent)};\
         row(' on b').click();out.b=list();row(' on d').click();out.d=list();\
         rows().find((row)=>row.textContent.includes(' on a,')).click();out.a=list();\
         row(' on d').click();row(' on d').click();out.again=list();return out;",
    );
    assert_eq!((&told["all"], &told["again"]), (&12.into(), &12.into()));
    let rows = serde_json::json!(["3 on a, 60 locations", "3 on ab", "3 on b", "3 on d"]);
    assert_eq!(told["rows"], rows);
    assert_eq!(
        [&told["a"], &told["b"], &told["d"]],
        [&Value::from(3), &3.into(), &3.into()]
    );
}

#[test]
fn a_schedule_is_stepped_through() {
    let told = played(
        "explore",
        &["explore", "examples/002-lost-update.task"],
        "const text=()=>document.getElementById('step').textContent;\
         const out={first:text()};press(']');out.second=text();press('[');out.back=text();return out;",
    );
    assert!(
        told["first"]
            .as_str()
            .is_some_and(|text| text.starts_with("1/")),
        "{told}"
    );
    assert!(
        told["second"]
            .as_str()
            .is_some_and(|text| text.starts_with("2/")),
        "{told}"
    );
    assert_eq!(told["first"], told["back"]);
}

#[test]
fn a_page_of_a_hundred_thousand_strands_is_small() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let program = dir.join("many.task");
    let source = "shared x, A[50000];\nfinish {\n  for i in 0..50000 { async { A[i] = i; } }\n  async { x = 1; }\n  x = 2;\n}\n";
    std::fs::write(&program, source).expect("the folder is writable");
    let told = played(
        "many",
        &["check", program.to_str().expect("it is text")],
        "return {strands:document.querySelectorAll('#graph .strand').length,\
         one:document.querySelectorAll('#graph .one').length,size:document.documentElement.outerHTML.length,\
         folded:document.querySelector('.legend').textContent};",
    );
    assert_eq!(told["one"], 1, "{told}");
    assert!(told["strands"].as_u64() < Some(700), "{told}");
    assert!(told["size"].as_u64() < Some(15 << 20), "{told}");
    assert!(
        told["folded"]
            .as_str()
            .is_some_and(|text| text.contains("folded")),
        "{told}"
    );
}

#[test]
fn both_accesses_are_in_the_graph_however_many_tasks_race() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let program = dir.join("racing.task");
    let source = "shared total, A[100];\nfinish {\n  for i in 0..50 {\n    async outer {\n      finish {\n        \
                  for j in 0..100 { async inner { A[j] = i; } }\n      }\n      total = total + 1;\n    }\n  }\n}\n";
    std::fs::write(&program, source).expect("the folder is writable");
    let told = played(
        "racing",
        &["check", program.to_str().expect("it is text")],
        "const all=[];for(let at=0;at<shown.length;at+=1){choose(at);\
         all.push(['.one','.two','.nca'].map((role)=>document.querySelectorAll('#graph '+role).length));}\
         return {all,lanes:[...document.querySelectorAll('#graph .lane')].map((lane)=>lane.textContent),heads:[...document.querySelectorAll('h3')].map((head)=>head.textContent)};",
    );
    let all = told["all"].as_array().expect("a list");
    assert!(all.len() > 1, "{told}");
    assert!(
        all.iter()
            .all(|counts| *counts == serde_json::json!([1, 1, 1])),
        "{told}"
    );
    let lanes = told["lanes"].as_array().expect("a list");
    assert!(lanes.contains(&"outer#1".into()), "{told}");
    let heads = told["heads"].as_array().expect("a list");
    assert!(heads.contains(&"Task graph".into()), "{told}");
}
