//! The graph as a drawing, in light and in dark.

use std::fmt::Write;

use super::layout::Layout;
use super::{Edge, EdgeKind, Graph};
use crate::junit::escaped;

/// Sizes in pixels.
const COLUMN: usize = 168;
const ROW: usize = 92;
const BOX: usize = 140;
const LINE: usize = 15;
const MARGIN: usize = 24;
const HEAD: usize = 20;

const STYLE: &str = "\
svg{background:#fff;font:12px ui-monospace,monospace}text{fill:#222}.lane{font-weight:bold}\
rect{fill:#f3f5f8;stroke:#667}.found rect{fill:#fde8e8;stroke:#c22;stroke-width:2}\
path{fill:none;stroke:#667;stroke-width:1.5}.spawn{stroke:#1668c4}.join{stroke:#2a7d3f;stroke-dasharray:6 3}\
.extra{stroke:#a0581a;stroke-dasharray:2 3}\
@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#dde}rect{fill:#23262e;stroke:#99a}\
.found rect{fill:#4a1d1f;stroke:#f66}path{stroke:#99a}.spawn{stroke:#6db3ff}.join{stroke:#6fce8a}.extra{stroke:#f0a860}}";

impl Graph {
    /// A drawing that needs nothing else: lanes from left to right, time from top to bottom.
    pub fn svg(&self) -> String {
        let layout = Layout::new(self);
        let width = layout.width * COLUMN + 2 * MARGIN;
        let height = layout.height * ROW + 2 * MARGIN + HEAD + 2 * LINE;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<style>{STYLE}</style>\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8\" fill=\"none\" stroke=\"context-stroke\"/></marker></defs>\n"
        );
        for edge in &self.edges {
            svg.push_str(&self.path(&layout, edge));
        }
        for (number, strand) in self.strands.iter().enumerate() {
            let (x, y) = corner(&layout, self, number);
            let lines = strand.labels.len().max(1);
            let class = if strand.is_found {
                "strand found"
            } else {
                "strand"
            };
            let _ = writeln!(
                svg,
                "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{BOX}\" height=\"{}\" rx=\"6\"/>",
                lines * LINE + 8,
            );
            for (row, label) in strand.labels.iter().enumerate() {
                let y = y + LINE + row * LINE;
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{y}\">{}</text>",
                    x + 8,
                    escaped(label)
                );
            }
            svg.push_str("</g>\n");
        }
        self.names(&layout, &mut svg);
        self.legend(height, &mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// The name of each task above its first strand.
    fn names(&self, layout: &Layout, svg: &mut String) {
        let mut named = vec![false; self.lanes.len()];
        for (number, strand) in self.strands.iter().enumerate() {
            if std::mem::replace(&mut named[strand.lane], true) {
                continue;
            }
            let (x, y) = corner(layout, self, number);
            let name = escaped(&self.lanes[strand.lane].name);
            let _ = writeln!(
                svg,
                "<text class=\"lane\" x=\"{x}\" y=\"{}\">{name}</text>",
                y - 6
            );
        }
    }

    fn legend(&self, height: usize, svg: &mut String) {
        let kinds = [
            EdgeKind::Next,
            EdgeKind::Spawn,
            EdgeKind::Join,
            EdgeKind::Extra,
        ];
        let present = kinds
            .into_iter()
            .filter(|kind| self.edges.iter().any(|edge| edge.kind == *kind));
        let y = height - MARGIN / 2;
        for (row, kind) in present.enumerate() {
            let (x, name) = (MARGIN + row * 90, kind.name());
            let _ = writeln!(
                svg,
                "<path class=\"{name}\" d=\"M{x} {}h28\"/><text x=\"{}\" y=\"{y}\">{name}</text>",
                y - 4,
                x + 34,
            );
        }
        if self.left_out > 0 {
            let _ = writeln!(
                svg,
                "<text x=\"{MARGIN}\" y=\"{}\">{} more strands</text>",
                y - 18,
                self.left_out
            );
        }
    }

    fn path(&self, layout: &Layout, edge: &Edge) -> String {
        let ((x, y), (to_x, to_y)) = (
            corner(layout, self, edge.from),
            corner(layout, self, edge.to),
        );
        let bottom = y + self.strands[edge.from].labels.len().max(1) * LINE + 8;
        let (x, to_x) = (x + BOX / 2, to_x + BOX / 2);
        // Edges into a lane from elsewhere keep off its own line.
        let (x, to_x) = match to_x.cmp(&x) {
            std::cmp::Ordering::Equal => (x, to_x),
            std::cmp::Ordering::Greater => (x + 20, to_x),
            std::cmp::Ordering::Less => (x, to_x + 20),
        };
        let middle = (bottom + to_y) / 2;
        format!(
            "<path class=\"{}\" marker-end=\"url(#tip)\" d=\"M{x} {bottom}C{x} {middle} {to_x} {middle} {to_x} {to_y}\"/>\n",
            edge.kind.name()
        )
    }
}

/// The upper left corner of a strand.
fn corner(layout: &Layout, graph: &Graph, strand: usize) -> (usize, usize) {
    let column = layout.columns[graph.strands[strand].lane];
    (
        MARGIN + column * COLUMN,
        MARGIN + HEAD + layout.rows[strand] * ROW,
    )
}
