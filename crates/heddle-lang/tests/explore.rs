use std::sync::atomic::AtomicBool;

use heddle_explore::{Reduction, Settings, explore};
use heddle_lang::TaskProgram;

#[test]
fn try_examples() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "task"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        if !text.contains("explore:") {
            continue;
        }
        let program = heddle_lang::compile("x", &text).unwrap();
        let tp = TaskProgram::new(&program);
        for reduction in [Reduction::None, Reduction::Dpor, Reduction::States] {
            if reduction != Reduction::States && file.to_str().unwrap().contains("counter") {
                continue;
            }
            let settings = Settings {
                reduction,
                ..Settings::default()
            };
            let t = std::time::Instant::now();
            let s = explore(&tp, &settings, &AtomicBool::new(false), &mut ());
            println!(
                "{:?} {reduction:?} {:?} {:?}",
                file.file_name().unwrap(),
                t.elapsed(),
                s
            );
        }
        println!(
            "{}",
            text.lines()
                .filter(|l| l.contains("explore:"))
                .collect::<Vec<_>>()
                .join("; ")
        );
    }
}
