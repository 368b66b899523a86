//! What the command prints, as sessions under `tests/cmd`. Make them again with
//! `cargo xtask bless`.

use std::path::Path;

#[test]
fn sessions_print_what_they_printed_before() {
    // The sessions speak of `examples/...` as a user at the top of the repository would.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(root).expect("the repository's top folder exists");
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("crates/heddle-cli/tests/cmd/*.trycmd");
}
