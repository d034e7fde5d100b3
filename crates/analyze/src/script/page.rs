//! Splits the Markdown page of an analysis into sections and blocks.

/// A section of a page that contains a packet script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Case<'a> {
    /// The heading, with its `#` marks.
    pub(super) heading: &'a str,
    /// The text of the script.
    pub(super) flow: String,
    /// The expected rows: for each block, the words after its fence, and its lines.
    pub(super) expected: Vec<(&'a str, Vec<&'a str>)>,
}

/// The sections that every page has, in this order.
pub(super) const HEADINGS: [&str; 6] =
    ["What it measures", "Why it matters", "How", "Worked cases", "Limits", "References"];

/// The cases of a page, in order.
pub(super) fn cases(page: &str) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    let mut case = Case::default();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            cases.extend(Some(std::mem::take(&mut case)).filter(Case::is_case));
            case.heading = line;
        } else if let Some(info) = line.strip_prefix("```") {
            let block: Vec<&str> =
                lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            match info.split_whitespace().next() {
                Some("flow") => case.flow.push_str(&(block.join("\n") + "\n")),
                Some("row" | "rows") => case.expected.push((info.trim(), block)),
                _ => {}
            }
        }
    }
    cases.extend(Some(case).filter(Case::is_case));
    cases
}

/// The faults in the structure of a page: missing headings, headings out of order, no case.
pub(super) fn faults(page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut rest = page.lines();
    for heading in HEADINGS {
        if !rest.any(|line| line.strip_prefix("## ") == Some(heading)) {
            faults.push(format!("no heading `## {heading}` (after those before it)"));
            break;
        }
    }
    if cases(page).is_empty() {
        faults.push("no case: a section with a ```flow block and a ```row or ```rows block".into());
    }
    faults
}

impl Case<'_> {
    fn is_case(&self) -> bool {
        !self.flow.is_empty() || !self.expected.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_a_section_with_blocks() {
        let page = "# a\n## What\nx\n### One\n```flow\n+0 > . ack 1\n```\n```rows dns\na\n1\n```\n## Limits\n";
        let cases = cases(page);
        assert_eq!(cases.len(), 1);
        assert_eq!(cases[0].heading, "### One");
        assert_eq!(cases[0].flow, "+0 > . ack 1\n");
        assert_eq!(cases[0].expected, [("rows dns", vec!["a", "1"])]);
    }
}
