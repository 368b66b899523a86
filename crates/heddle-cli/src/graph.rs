//! `heddle graph`: the graph of a small program's run, to look at.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heddle_core::{Finding, Legend, OrderChoice, Run};
use heddle_report::Problem;
use heddle_report::graph::{Builder, Graph};

use crate::arguments::Color;
use crate::check::problems;
use crate::console::Console;
use crate::input::{self, Input};
use crate::program::Silent;
use crate::status::Status;

/// Strands that a drawing can hold and still be read.
const MOST: usize = 2000;

/// The flags of `heddle graph`.
#[derive(Args, Debug)]
pub struct GraphOptions {
    /// A .task program or a recorded run; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What to draw it for.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Drawing::Svg)]
    format: Drawing,

    /// Write the drawing to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// When to use colour in error messages.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

/// Forms of a drawing.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Drawing {
    /// Graphviz's language.
    Dot,
    /// A drawing for browsers.
    Svg,
}

/// The whole command.
pub fn run(options: &GraphOptions) -> Status {
    let mut console = match Console::with_output(options.color, options.output.as_deref()) {
        Ok(console) => console,
        Err(problem) => {
            Console::new(options.color).problems(&[problem]);
            return Status::Error;
        }
    };
    let graph = match drawn(options) {
        Ok(graph) => graph,
        Err(problems) => {
            console.problems(&problems);
            return Status::Error;
        }
    };
    console.print(&match options.format {
        Drawing::Dot => graph.dot(),
        Drawing::Svg => graph.svg(),
    });
    match console.failure() {
        Some(problem) => {
            console.problems(&[problem]);
            Status::Error
        }
        None => Status::Clean,
    }
}

fn drawn(options: &GraphOptions) -> Result<Graph, Vec<Problem>> {
    let name = input::shown(&options.file);
    match input::read(&options.file).map_err(|problem| vec![problem])? {
        Input::Program(text) => {
            let program = heddle_lang::compile(&name, &text)
                .map_err(|diagnostics| problems(&name, &text, &diagnostics))?;
            Ok(of_run(&mut Silent::new(&program), &program.legend, MOST))
        }
        Input::Recorded(mut trace, _) => {
            let legend = trace.legend.clone();
            Ok(of_run(&mut *trace, &legend, MOST))
        }
    }
}

/// The graph of a run, with what a check finds in it marked.
pub fn of_run<R: Run>(run: &mut R, legend: &Legend, most: usize) -> Graph {
    let checked = heddle_check::check(run, OrderChoice::Auto);
    let findings = checked.map_or(Vec::new(), |outcome| outcome.findings);
    traced(run, legend, &findings, most)
}

/// The graph of a run in which this was found.
pub fn traced<R: Run>(run: &mut R, legend: &Legend, findings: &[Finding], most: usize) -> Graph {
    let mut builder = Builder::new(legend, most);
    run.run_in_full(&mut builder);
    let mut graph = builder.graph();
    graph.describe(legend, findings);
    graph
}
