//! What must not compile, and what the compiler says about it.
//!
//! After a change of messages: `TRYBUILD=overwrite cargo test -p heddle --test compile_fail`.

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
