//! Checking changes no value a program computes, however wide its vectors are.
//!
//! A program keeps values in all vector registers that the processor has while another thread makes its
//! accesses new to the checker; built plainly and built with `heddle cc`, it must print the same.

mod harness;

use std::path::Path;
use std::process::Command;

use harness::{all, compiled, finished, scratch, succeed, text};

/// `LANES` values of `TYPE` in each of `REGISTERS` vectors, alive across accesses that are new again and again:
/// other threads write what they touch. What goes in must come out.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#ifndef BYTES
#define BYTES 32
#endif
#ifndef ATTRIBUTE
#define ATTRIBUTE
#endif
typedef double vector __attribute__((vector_size(BYTES), aligned(8)));
enum { LANES = BYTES / 8, REGISTERS = 14, ROUNDS = 400 };
int go;
int x[ROUNDS * 64];
static char bytes[ROUNDS * 64];
double in[REGISTERS][LANES], out[REGISTERS][LANES];

ATTRIBUTE __attribute__((noinline)) void keep(int round)
{
    vector v[REGISTERS];
#pragma GCC unroll 16
    for (int r = 0; r < REGISTERS; r++)
        memcpy(&v[r], in[r], BYTES);
    x[round * 64]++;
    bytes[round * 64] = x[round * 64 + 16];
#pragma GCC unroll 16
    for (int r = 0; r < REGISTERS; r++)
        __asm__ volatile("" : "+x"(v[r]));
    x[round * 64 + 32] += bytes[round * 64 + 32];
#pragma GCC unroll 16
    for (int r = 0; r < REGISTERS; r++)
        memcpy(out[r], &v[r], BYTES);
}

ATTRIBUTE __attribute__((noinline)) double mixed(const double *a, int n, int round)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum = sum * 1.0000001 + a[i] * (double)(i + round);
        x[round * 64 + (i & 31)] += i;
    }
    return sum;
}

void *other(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS * 64; i++) {
        __atomic_fetch_add(&x[i], 1, __ATOMIC_RELAXED);
        bytes[i] = 1;
    }
    // Tells when, and orders nothing: every access of the main thread meets a race.
    __atomic_store_n(&go, 1, __ATOMIC_RELAXED);
    return 0;
}

int main(void)
{
    double total = 0;
    for (int r = 0; r < REGISTERS; r++)
        for (int l = 0; l < LANES; l++)
            in[r][l] = 1 + r * LANES + l;
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    while (!__atomic_load_n(&go, __ATOMIC_RELAXED))
        sched_yield();
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        memset(out, 0, sizeof out);
        keep(round);
        wrong += memcmp(in, out, sizeof in) != 0;
        total += mixed(&in[0][0], REGISTERS * LANES, round);
    }
    pthread_join(thread, 0);
    printf("wrong %d total %.6f first %g %g %g %g\n", wrong, total, out[0][0], out[0][1], out[0][LANES - 2], out[0][LANES - 1]);
    return 0;
}
"#;

/// What the processor has, by the names of `/proc/cpuinfo`.
fn has(feature: &str) -> bool {
    let flags =
        std::fs::read_to_string("/proc/cpuinfo").expect("the system describes its processors");
    flags.split_whitespace().any(|flag| flag == feature)
}

/// Builds with these flags, plainly and checked, runs both and compares what they print.
fn assert_same(dir: &Path, name: &str, compiler: &str, flags: &[&str]) {
    let plain = dir.join(format!("{name}-plain"));
    let source = dir.join(format!("{name}-plain.c"));
    std::fs::write(&source, PROGRAM).expect("the folder is writable");
    let mut build = Command::new(compiler);
    build
        .args(flags)
        .args(["-w", "-pthread"])
        .arg(&source)
        .arg("-o")
        .arg(&plain);
    succeed(&mut build);
    let expected = succeed(&mut Command::new(&plain));
    assert!(
        expected.starts_with("wrong 0 "),
        "{compiler} {flags:?}: {expected}"
    );
    let mut words = vec!["--compiler", compiler, "-w", "-pthread"];
    words.extend(flags);
    let checked = compiled(dir, name, &words, PROGRAM);
    let output = finished(
        Command::new("timeout")
            .args(["60"])
            .arg(&checked)
            .env("HEDDLE_OPTIONS", "exitcode=0"),
    );
    assert_eq!(
        text(&output.stdout),
        expected,
        "{compiler} {flags:?}: {}",
        all(&output)
    );
    assert!(text(&output.stderr).contains("race"), "{}", all(&output));
}

/// Widths, with what makes the compiler use them: a flag, or an attribute of the function alone.
fn widths() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut widths = vec![("sse", vec!["-DBYTES=16"])];
    let wider: [(&str, &str, &[&str]); 9] = [
        ("avx", "avx", &["-mavx"]),
        ("avx2", "avx2", &["-mavx2"]),
        ("fma", "fma", &["-mfma"]),
        ("f16c", "f16c", &["-mf16c"]),
        ("native", "march-native", &["-march=native"]),
        (
            "avx",
            "attribute-avx",
            &["-DATTRIBUTE=__attribute__((target(\"avx\")))"],
        ),
        (
            "avx2",
            "attribute-avx2",
            &["-DATTRIBUTE=__attribute__((target(\"avx2\")))"],
        ),
        ("avx512f", "avx512", &["-DBYTES=64", "-mavx512f"]),
        (
            "avx512f",
            "attribute-avx512",
            &[
                "-DBYTES=64",
                "-DATTRIBUTE=__attribute__((target(\"avx512f\")))",
            ],
        ),
    ];
    for (feature, name, flags) in wider {
        if feature == "native" || has(feature) {
            widths.push((name, flags.to_vec()));
        }
    }
    widths
}

#[test]
fn values_in_vector_registers_survive_every_check() {
    let dir = scratch("vectors");
    for (name, flags) in widths() {
        for level in ["-O1", "-O2", "-O3"] {
            let mut flags = flags.clone();
            flags.push(level);
            assert_same(&dir, &format!("{name}{level}"), "clang-22", &flags);
        }
    }
}

#[test]
fn the_same_holds_without_optimisation_and_with_another_compiler() {
    let dir = scratch("vectors-more");
    for (name, flags) in widths() {
        assert_same(
            &dir,
            &format!("{name}-O0"),
            "clang-22",
            &[&flags[..], &["-O0"]].concat(),
        );
        assert_same(
            &dir,
            &format!("{name}-gcc"),
            "gcc",
            &[&flags[..], &["-O2"]].concat(),
        );
    }
}
