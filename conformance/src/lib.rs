//! Fixtures and a runner that tell whether an engine conforms to Open Agent Rules 1.0.
#![forbid(unsafe_code)]
