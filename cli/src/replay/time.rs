//! Times as records have them, to the millisecond.

const DAY: i64 = 86_400_000;

/// Reads a time of RFC 3339, such as `2026-05-04T12:30:00Z`; milliseconds since 1970.
pub(crate) fn read(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..)?;
    let digits = rest
        .strip_prefix('.')
        .map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let fraction = match digits {
        0 => 0,
        _ => format!("{:0<3}", rest.get(1..=digits)?).get(..3)?.parse::<i64>().ok()?,
    };
    let zone = rest.get(if digits == 0 { 0 } else { digits + 1 }..)?;
    let offset = match zone.as_bytes() {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), ..] => {
            let part = |from: usize, to: usize| zone.get(from..to)?.parse::<i64>().ok();
            let minutes = part(1, 3)? * 60 + part(4, 6)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let seconds = (hour * 60 + minute - offset) * 60 + second;
    Some(days(year, month, day) * DAY + seconds * 1000 + fraction)
}

/// The days from 1970 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the day in leap years comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Writes a time of RFC 3339 to the second, in UTC.
pub(crate) fn written(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let of_year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let rest = of_era - (365 * of_year + of_year / 4 - of_year / 100);
    let month = (5 * rest + 2) / 153;
    let date = rest - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = of_year + era * 400 + carry;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, time, again) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
            ("2000-02-29T12:30:01.5Z", 951_827_401_500, "2000-02-29T12:30:01Z"),
            ("2026-12-01T03:00:00+02:00", 1_796_086_800_000, "2026-12-01T01:00:00Z"),
            ("2100-03-01T00:00:00.123456-00:30", 4_107_544_200_123, "2100-03-01T00:30:00Z"),
        ] {
            assert_eq!(read(text), Some(time), "{text}");
            assert_eq!(written(time), again);
        }
        for text in ["", "2026-12-01", "2026-12-01T03:00:00", "yesterday", "2026-12-01T03:00:00é"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
