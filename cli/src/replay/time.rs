//! Times as records have them.

use jiff::Timestamp;

/// Reads a time of RFC 3339, such as `2026-05-04T12:30:00Z`; milliseconds since 1970.
pub(super) fn read(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// Writes a time of RFC 3339 to the second, in UTC.
pub(super) fn written(milliseconds: i64) -> String {
    // What was read is within the calendar.
    let second = Timestamp::from_second(milliseconds.div_euclid(1000));
    second.map(|second| second.to_string()).unwrap_or_default()
}
