//! What is asked of one fact, and whether any value can meet it.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::lint::domain::is_fingerprint;

/// A number of a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i128),
    Double(f64),
}

impl Number {
    /// Ints compare exactly; beside a double an int is one too ([OAR-EXPR-10]).
    pub(super) fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(one), Self::Int(other)) => one.cmp(&other),
            (one, other) => one.double().total_cmp(&other.double()),
        }
    }

    fn double(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            // Zero has one value, whatever its sign.
            Self::Double(0.0) => 0.0,
            Self::Double(value) => value,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub(super) fn of(operator: &str) -> Option<Self> {
        Some(match operator {
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterEqual,
            _ => return None,
        })
    }

    /// The one that holds exactly when this does not.
    pub(super) fn inverted(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The one for swapped operands.
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }

    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterEqual => order.is_ge(),
        }
    }

    pub(super) fn holds_for_equals(self) -> bool {
        self.holds(Ordering::Equal)
    }

    /// `==` or `<`, whether the operands swap, and whether it holds.
    pub(super) fn canonical(self) -> (&'static str, bool, bool) {
        match self {
            Self::Equal => ("==", false, true),
            Self::NotEqual => ("==", false, false),
            Self::Less => ("<", false, true),
            Self::GreaterEqual => ("<", false, false),
            Self::Greater => ("<", true, true),
            Self::LessEqual => ("<", true, false),
        }
    }
}

/// A test of a text by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
}

impl TextTest {
    pub(super) fn of(function: &str) -> Option<Self> {
        Some(match function {
            "starts_with" => Self::StartsWith,
            "ends_with" => Self::EndsWith,
            "contains" => Self::Contains,
            _ => return None,
        })
    }

    pub(super) fn holds(self, text: &str, needle: &str) -> bool {
        match self {
            Self::StartsWith => text.starts_with(needle),
            Self::EndsWith => text.ends_with(needle),
            Self::Contains => text.contains(needle),
        }
    }
}

/// An end of an interval, and whether it is left out.
type Bound = Option<(Number, bool)>;

/// What is asked of one fact.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraint {
    is_int: bool,
    least: Bound,
    greatest: Bound,
    no_number: Vec<Number>,
    /// The texts that it can be, where they are listed.
    texts: Option<BTreeSet<String>>,
    no_text: BTreeSet<String>,
    tests: Vec<(TextTest, String, bool)>,
    ordered: Vec<(Comparison, String)>,
    is: BTreeSet<bool>,
    fingerprint: bool,
}

impl Constraint {
    pub(super) fn new(is_int: bool) -> Self {
        Self { is_int, ..Self::default() }
    }

    pub(super) fn is(&mut self, value: bool) {
        self.is.insert(value);
    }

    pub(super) fn must_look_like_a_fingerprint(&mut self) {
        self.fingerprint = true;
    }

    pub(super) fn compare(&mut self, comparison: Comparison, value: Number) {
        match comparison {
            Comparison::NotEqual => self.no_number.push(value),
            Comparison::Equal => {
                self.raise(value, false);
                self.lower(value, false);
            }
            Comparison::Less => self.lower(value, true),
            Comparison::LessEqual => self.lower(value, false),
            Comparison::Greater => self.raise(value, true),
            Comparison::GreaterEqual => self.raise(value, false),
        }
    }

    fn raise(&mut self, value: Number, strict: bool) {
        let tighter = self.least.is_none_or(|(own, own_strict)| match value.order(own) {
            Ordering::Greater => true,
            Ordering::Equal => strict && !own_strict,
            Ordering::Less => false,
        });
        if tighter {
            self.least = Some((value, strict));
        }
    }

    fn lower(&mut self, value: Number, strict: bool) {
        let tighter = self.greatest.is_none_or(|(own, own_strict)| match value.order(own) {
            Ordering::Less => true,
            Ordering::Equal => strict && !own_strict,
            Ordering::Greater => false,
        });
        if tighter {
            self.greatest = Some((value, strict));
        }
    }

    pub(super) fn among_numbers(&mut self, values: &[Number], wanted: bool) {
        if !wanted {
            self.no_number.extend(values);
            return;
        }
        let least = values.iter().copied().min_by(|a, b| a.order(*b));
        let greatest = values.iter().copied().max_by(|a, b| a.order(*b));
        if let (Some(least), Some(greatest)) = (least, greatest) {
            self.raise(least, false);
            self.lower(greatest, false);
        }
    }

    pub(super) fn compare_text(&mut self, comparison: Comparison, text: String) {
        match comparison {
            Comparison::Equal => self.among(vec![text], true),
            Comparison::NotEqual => drop(self.no_text.insert(text)),
            _ => self.ordered.push((comparison, text)),
        }
    }

    pub(super) fn among(&mut self, texts: Vec<String>, wanted: bool) {
        if !wanted {
            self.no_text.extend(texts);
            return;
        }
        let texts: BTreeSet<String> = texts.into_iter().collect();
        self.texts = Some(match &self.texts {
            Some(own) => own.intersection(&texts).cloned().collect(),
            None => texts,
        });
    }

    pub(super) fn test(&mut self, test: TextTest, needle: String, wanted: bool) {
        self.tests.push((test, needle, wanted));
    }

    /// Whether any value can meet all of it.
    pub(super) fn is_possible(&self) -> bool {
        self.is.len() < 2 && self.numbers_possible() && self.texts_possible()
    }

    fn numbers_possible(&self) -> bool {
        let (Some(least), Some(greatest)) = (self.least, self.greatest) else { return true };
        if self.is_int {
            // The ints within: as many as are left out can be told one by one.
            let (first, last) = (first_int(least), last_int(greatest));
            let (Some(first), Some(last)) = (first, last) else { return true };
            let many = i128::try_from(self.no_number.len()).unwrap_or(i128::MAX);
            if last.saturating_sub(first) > many {
                return true;
            }
            let left_out = |value: i128| {
                self.no_number.iter().any(|own| own.order(Number::Int(value)).is_eq())
            };
            return (first..=last).any(|value| !left_out(value));
        }
        match least.0.order(greatest.0) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => {
                let left_out = |own: &Number| own.order(least.0).is_eq();
                !least.1 && !greatest.1 && !self.no_number.iter().any(left_out)
            }
        }
    }

    fn texts_possible(&self) -> bool {
        let fits = |text: &str| {
            !self.no_text.contains(text)
                && self.tests.iter().all(|(test, own, wanted)| test.holds(text, own) == *wanted)
                && self.ordered.iter().all(|(order, own)| order.holds(text.cmp(own)))
                && (!self.fingerprint || is_fingerprint(text))
        };
        if let Some(texts) = &self.texts {
            return texts.iter().any(|text| fits(text));
        }
        let wanted = |wanted: bool| self.tests.iter().filter(move |test| test.2 == wanted);
        let clash = |(one, text, _): &(TextTest, String, bool),
                     (other, again, _): &(TextTest, String, bool)| {
            match (one, other) {
                (TextTest::StartsWith, TextTest::StartsWith) => {
                    !text.starts_with(again.as_str()) && !again.starts_with(text.as_str())
                }
                (TextTest::EndsWith, TextTest::EndsWith) => {
                    !text.ends_with(again.as_str()) && !again.ends_with(text.as_str())
                }
                _ => false,
            }
        };
        // What must be there has what must not be there in it.
        let implied = |(one, text, _): &(TextTest, String, bool),
                       (other, again, _): &(TextTest, String, bool)| {
            again.is_empty()
                || match (one, other) {
                    (TextTest::StartsWith, TextTest::StartsWith) => {
                        text.starts_with(again.as_str())
                    }
                    (TextTest::EndsWith, TextTest::EndsWith) => text.ends_with(again.as_str()),
                    (_, TextTest::Contains) => text.contains(again.as_str()),
                    _ => false,
                }
        };
        let never = |test: &(TextTest, String, bool)| test.1.is_empty();
        !wanted(false).any(never)
            && !wanted(true).any(|one| wanted(true).any(|other| clash(one, other)))
            && !wanted(true).any(|one| wanted(false).any(|other| implied(one, other)))
    }
}

fn first_int((value, strict): (Number, bool)) -> Option<i128> {
    match value {
        Number::Int(value) => Some(if strict { value + 1 } else { value }),
        Number::Double(value) => whole(value).map(|(whole, exact)| match (exact, strict) {
            (true, false) => whole,
            (true, true) | (false, _) => whole + 1,
        }),
    }
}

fn last_int((value, strict): (Number, bool)) -> Option<i128> {
    match value {
        Number::Int(value) => Some(if strict { value - 1 } else { value }),
        Number::Double(value) => whole(value).map(|(whole, exact)| match (exact, strict) {
            (true, true) => whole - 1,
            (true, false) | (false, _) => whole,
        }),
    }
}

/// The greatest int that is not above, and whether it is the same.
fn whole(value: f64) -> Option<(i128, bool)> {
    // Beyond that, an int and its double may differ.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let floor = value.floor();
    if floor.abs() > EXACT {
        return None;
    }
    let whole = floor as i128;
    Some((whole, floor.total_cmp(&value).is_eq()))
}
