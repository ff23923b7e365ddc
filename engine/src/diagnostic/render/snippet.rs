//! The lines of a file that a span touches, with marks under what is meant.

use oar_expr::Span;
use unicode_segmentation::UnicodeSegmentation;

use super::visible::{Cell, cell};
use crate::document::source::SourceFile;

/// A line to show; without a number it stands for lines left out.
pub(super) struct Row {
    pub(super) number: Option<u32>,
    pub(super) text: String,
    /// Blanks up to the first mark, and how many marks.
    pub(super) indent: usize,
    pub(super) marks: usize,
}

/// How wide a line may be before only a part of it is shown.
const WIDEST: usize = 100;
/// How much of a longer line is shown before what is meant.
const BEFORE: usize = 30;
/// How many bytes of a line are looked at on each side of what is meant.
const NEAR: usize = 2000;
/// A span over more lines than this is shown by its first two and its last.
const WHOLE: u32 = 4;
const CUT: &str = "...";

pub(super) fn rows(file: &SourceFile, span: Span) -> Vec<Row> {
    let span = without_trailing_blanks(file, span);
    let first = file.line_column(span.start).line;
    let last = file.line_column(span.end).line.max(first);
    let shown = |line: u32| last - first < WHOLE || line < first + 2 || line == last;
    let mut rows: Vec<Row> = Vec::new();
    let mut line = first;
    while line <= last {
        if shown(line) {
            rows.push(row(file, line, span));
            line += 1;
        } else {
            rows.push(Row { number: None, text: CUT.to_owned(), indent: 0, marks: 0 });
            line = last;
        }
    }
    rows
}

/// The blanks and line breaks that end a block of text are not meant.
fn without_trailing_blanks(file: &SourceFile, span: Span) -> Span {
    let text = file.slice(span);
    let trimmed = match text.trim_end_matches([' ', '\t', '\n', '\r']) {
        "" => text.trim_end_matches(['\n', '\r']),
        trimmed => trimmed,
    };
    let dropped = u32::try_from(text.len() - trimmed.len()).unwrap_or(0);
    Span::new(span.start, span.end - dropped)
}

/// The line `number`, with marks under what lies in `span`: at least one where it starts.
fn row(file: &SourceFile, number: u32, span: Span) -> Row {
    let line = file.line_span(number);
    let text = file.slice(line);
    let starts_here = line.start <= span.start;
    let clamp = |offset: u32| (offset.clamp(line.start, line.end) - line.start) as usize;
    // The indentation of a further line is not meant.
    let blanks = text.len() - text.trim_start().len();
    let start = if starts_here { clamp(span.start) } else { blanks };
    let end = clamp(span.end).max(start);

    let from = boundary(text, start.saturating_sub(NEAR));
    let to = boundary(text, end.min(start + NEAR) + NEAR);
    let mut cells: Vec<Cell> = Vec::new();
    let (mut indent, mut marks) = (0, 0);
    for (at, grapheme) in text.get(from..to).unwrap_or_default().grapheme_indices(true) {
        let cell = cell(grapheme);
        if from + at + grapheme.len() <= start {
            indent += cell.width;
        } else if from + at < end {
            marks += cell.width;
        }
        cells.push(cell);
    }
    if starts_here && marks == 0 {
        marks = 1;
    }
    window(number, &cells, indent, marks, from > 0, to < text.len())
}

fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The part of a line that is shown.
fn window(
    number: u32,
    cells: &[Cell],
    indent: usize,
    marks: usize,
    cut_before: bool,
    cut_behind: bool,
) -> Row {
    let width: usize = cells.iter().map(|cell| cell.width).sum();
    let fits = width <= WIDEST && !cut_before && !cut_behind;
    let start = match !cut_before && (fits || indent + marks.min(WIDEST - BEFORE) <= WIDEST) {
        true => 0,
        false => indent.saturating_sub(BEFORE),
    };
    let end = if fits { width } else { start + WIDEST };
    let mut text = String::new();
    let mut at = 0;
    // Where the shown part truly starts and ends: a wide character is shown whole or not at all.
    let (mut shown_from, mut shown_to) = (None, start);
    for cell in cells {
        if at >= start && at + cell.width <= end {
            shown_from = shown_from.or(Some(at));
            shown_to = at + cell.width;
            text.push_str(&cell.shown);
        }
        at += cell.width;
    }
    let shown_from = shown_from.unwrap_or(start);
    let mut lead = 0;
    if shown_from > 0 || cut_before {
        text.insert_str(0, CUT);
        lead = CUT.len();
    }
    let behind = shown_to < width || cut_behind;
    let most = shown_to.saturating_sub(indent);
    if behind {
        text.push_str(CUT);
    }
    let marks = if behind { marks.min(most) } else { marks };
    let text = text.trim_end().to_owned();
    Row { number: Some(number), text, indent: lead + indent.saturating_sub(shown_from), marks }
}
