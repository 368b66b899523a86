//! Whole programs with known verdicts, each checked serially and on two threads.
//!
//! The programs of Tables 1 and 2 of Nakade et al., *Model-Checking Task Parallel Programs for
//! Data-Race*, written for this crate, with the verdicts printed there; and four classic algorithms
//! with a typical race each, which must be found at both of its lines, beside their fixed twins.

mod arrays;
mod bfs;
mod counting;
mod crypt;
mod futures;
mod guide;
mod matmul;
mod prefix_sum;
mod quicksort;
mod searching;
mod series;
mod strassen;
mod verdict;
