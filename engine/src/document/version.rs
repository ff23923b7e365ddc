//! The version that a document declares, checked before anything else of it ([OAR-CONF-2]).

/// The major version that this engine implements.
const MAJOR: &str = "1";
/// The highest minor of that major that it implements.
const MINOR: &str = "0";

/// Why a version is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionError {
    /// Not two decimal integers without leading zeros ([OAR-DOC-3]).
    Malformed,
    /// Another major ([OAR-DOC-4]).
    Major,
    /// A greater minor ([OAR-DOC-5]).
    Minor,
}

impl VersionError {
    /// The clause that refuses it.
    pub(crate) fn clause(self) -> &'static str {
        match self {
            Self::Malformed => "OAR-DOC-3",
            Self::Major => "OAR-DOC-4",
            Self::Minor => "OAR-DOC-5",
        }
    }

    /// What is wrong with it.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "is no version: two integers without leading zeros, a dot between",
            Self::Major => "has a major version that this engine does not support",
            Self::Minor => "has a minor version above the highest that this engine supports",
        }
    }
}

/// Checks the version that a rule or a configuration declares. Parts are integers of any length.
pub(crate) fn check(text: &str) -> Result<(), VersionError> {
    let (major, minor) = text.split_once('.').ok_or(VersionError::Malformed)?;
    if !is_part(major) || !is_part(minor) {
        return Err(VersionError::Malformed);
    }
    if major != MAJOR {
        return Err(VersionError::Major);
    }
    // Without leading zeros the longer text is the greater integer; no minor is below 0.
    if minor != MINOR {
        return Err(VersionError::Minor);
    }
    Ok(())
}

fn is_part(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::{VersionError, check};

    #[test]
    fn a_version_is_two_integers_without_leading_zeros() {
        assert_eq!(check("1.0"), Ok(()));
        for text in
            ["", "1", "1.", ".0", "01.0", "1.00", "1.0.0", "+1.0", " 1.0", "1.0 ", "1.x", "１.0"]
        {
            assert_eq!(check(text), Err(VersionError::Malformed), "{text:?}");
        }
    }

    /// [OAR-VER-4], [OAR-DOC-5]: whoever writes for the lowest minor of a fleet is served by all of it.
    #[test]
    fn each_minor_up_to_ours_loads_and_none_above() {
        let highest: u32 = super::MINOR.parse().unwrap();
        for minor in 0..=highest {
            assert_eq!(check(&format!("1.{minor}")), Ok(()));
        }
        assert_eq!(check(&format!("1.{}", highest + 1)), Err(VersionError::Minor));
    }

    #[test]
    fn other_majors_and_greater_minors_are_refused_at_any_length() {
        for text in ["2.0", "0.9", "2.5", "18446744073709551617.0"] {
            assert_eq!(check(text), Err(VersionError::Major), "{text}");
        }
        for text in ["1.1", "1.10", "1.18446744073709551616"] {
            assert_eq!(check(text), Err(VersionError::Minor), "{text}");
        }
    }
}
