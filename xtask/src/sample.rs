//! The sample report in the README is what Heddle really prints.
//!
//! The README shows a command behind a `$` and its output in one fenced block. The test runs the
//! command again and compares; blessing puts the new output in.

use crate::command::{heddle, root};
use crate::failure::Failure;

const PROMPT: &str = "```text\n$ heddle ";
const FENCE: &str = "\n```";

/// The README, cut where the sample's output begins and ends.
struct Readme<'a> {
    before: &'a str,
    arguments: &'a str,
    output: &'a str,
    after: &'a str,
}

/// Fails if the sample is not what is printed now.
pub fn check() -> Result<(), Failure> {
    let text = read()?;
    let readme = parse(&text)?;
    if readme.output == printed(readme.arguments)? {
        return Ok(());
    }
    let message = "the sample report in README.md is out of date; `cargo xtask bless` renews it";
    Err(Failure::Step(message.into()))
}

/// Puts in what is printed now.
pub fn bless() -> Result<(), Failure> {
    let text = read()?;
    let readme = parse(&text)?;
    let output = printed(readme.arguments)?;
    let renewed = format!("{}{output}{}", readme.before, readme.after);
    std::fs::write(root().join("README.md"), renewed)
        .map_err(|e| Failure::Step(format!("cannot write README.md: {e}")))
}

fn read() -> Result<String, Failure> {
    std::fs::read_to_string(root().join("README.md"))
        .map_err(|e| Failure::Step(format!("cannot read README.md: {e}")))
}

fn parse(text: &str) -> Result<Readme<'_>, Failure> {
    split(text).ok_or_else(|| Failure::Step("README.md has no sample report".into()))
}

fn split(text: &str) -> Option<Readme<'_>> {
    let arguments_at = text.find(PROMPT)? + PROMPT.len();
    let output_at = arguments_at + text[arguments_at..].find('\n')? + 1;
    let after_at = output_at + text[output_at..].find(FENCE)?;
    Some(Readme {
        before: &text[..output_at],
        arguments: text[arguments_at..output_at].trim(),
        output: &text[output_at..after_at],
        after: &text[after_at..],
    })
}

/// What `heddle` prints; its status says that there are findings, which is no failure here.
fn printed(arguments: &str) -> Result<String, Failure> {
    let output = heddle()
        .args(arguments.split_whitespace())
        .output()
        .map_err(|e| Failure::Step(format!("cannot start heddle: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned();
    if text.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Step(format!(
            "heddle {arguments}: {}\n{said}",
            output.status
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_cut_out_between_its_command_and_its_fence() {
        let text = "intro\n```text\n$ heddle check a.task\nrace: x\n\n1 race\n```\nrest";
        let readme = split(text).expect("there is a sample");
        assert_eq!(readme.arguments, "check a.task");
        assert_eq!(readme.output, "race: x\n\n1 race");
        assert_eq!([readme.before, readme.output, readme.after].concat(), text);
    }

    #[test]
    fn the_readme_has_a_sample() {
        assert!(split(&read().expect("the README is readable")).is_some());
        assert!(split("no sample\n```text\n$ other\n```").is_none());
    }
}
