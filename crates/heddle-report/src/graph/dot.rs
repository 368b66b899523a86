//! The graph for Graphviz.

use std::fmt::Write;

use super::{EdgeKind, Graph};

impl Graph {
    /// A `digraph` with a cluster per task.
    pub fn dot(&self) -> String {
        let mut text = String::from(
            "digraph run {\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n",
        );
        for (number, lane) in self.lanes.iter().enumerate() {
            let strands = self.strands.iter().enumerate();
            let strands: Vec<_> = strands
                .filter(|(_, strand)| strand.lane == number)
                .collect();
            if strands.is_empty() {
                continue;
            }
            let _ = writeln!(
                text,
                "  subgraph cluster_{number} {{\n    label={};",
                quoted(&lane.name)
            );
            for (row, strand) in strands {
                let label = match strand.labels.is_empty() {
                    true => format!("s{row}"),
                    false => strand.labels.join("\n"),
                };
                let mark = if strand.is_found { ", color=red" } else { "" };
                let _ = writeln!(text, "    s{row} [label={}{mark}];", quoted(&label));
            }
            text.push_str("  }\n");
        }
        for edge in &self.edges {
            let style = match edge.kind {
                EdgeKind::Next => "solid",
                EdgeKind::Spawn => "bold",
                EdgeKind::Join => "dashed",
                EdgeKind::Extra => "dotted",
            };
            let (from, to, kind) = (edge.from, edge.to, edge.kind.name());
            let _ = writeln!(text, "  s{from} -> s{to} [style={style}, class={kind}];");
        }
        text.push_str("}\n");
        text
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}
