//! The pack that something new goes to, and whether it is valid there.

use std::path::{Path, PathBuf};

use oar_engine::Source;
use oar_engine::diagnostic::{Diagnostic, Severity};
use oar_engine::load::{Capability, Checked, Checker};

use crate::input::{self, Input, Pack, shown};
use crate::output::Trouble;

/// The pack that a directory belongs to: its own, or that of a directory above it.
pub(super) fn pack_of(directory: &Path) -> Result<Pack, Trouble> {
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    for (up, above) in absolute.ancestors().enumerate() {
        let names = ["capability.yaml", "capability.yml", "capability.json"];
        if !names.iter().any(|name| above.join(name).is_file()) {
            continue;
        }
        // As the user would write it, for messages.
        let path = match up {
            0 => directory.to_owned(),
            _ => above.to_owned(),
        };
        let mut packs = input::gather(std::slice::from_ref(&path))?;
        let own = packs.iter().position(|pack| pack.directory.as_deref() == Some(&path));
        return Ok(own.map(|own| packs.swap_remove(own)).unwrap_or_default());
    }
    Ok(Pack::default())
}

/// Checks `made` as a rule of the pack, in place of the file that it would replace.
///
/// # Errors
/// What is wrong with it, or with the capability document that it needs.
pub(super) fn check(pack: &Pack, made: &super::Made) -> Result<Checked, Trouble> {
    let name = shown(&made.path);
    let mut checker = Checker::new();
    let mut relevant = vec![name.clone()];
    for capability in &pack.capabilities {
        relevant.push(shown(&capability.path));
        checker = checker.capability(capability.source.clone());
    }
    for rules in pack.rules.iter().filter(|rules| !same(&rules.path, &made.path)) {
        checker = checker.rules(rules.source.clone());
    }
    let checked = checker.rules(Source::yaml(&name, &made.text)).check();
    refuse(checked.diagnostics(), &relevant)?;
    Ok(checked)
}

/// The host of a pack.
///
/// # Errors
/// What is wrong with its capability document.
pub(super) fn host(pack: &Pack) -> Result<Option<Checked>, Trouble> {
    let [Input { source, path, .. }] = pack.capabilities.as_slice() else { return Ok(None) };
    let checked = Checker::new().capability(source.clone()).check();
    refuse(checked.diagnostics(), &[shown(path)])?;
    Ok(Some(checked))
}

/// Whether a host has what some of a made document would use; one that is not described has all.
pub(super) fn provides(host: Option<&Capability>, profile: &str) -> bool {
    host.is_none_or(|host| host.profiles().any(|own| own == profile))
}

fn refuse(diagnostics: &[Diagnostic], files: &[String]) -> Result<(), Trouble> {
    let errors = diagnostics.iter().filter(|own| own.severity() == Severity::Error);
    let own = errors.filter(|own| {
        own.location().is_none_or(|place| files.iter().any(|name| name == place.file.name()))
    });
    let own: Vec<Diagnostic> = own.cloned().collect();
    if own.is_empty() { Ok(()) } else { Err(Trouble::Documents(own)) }
}

fn same(one: &Path, other: &Path) -> bool {
    let absolute =
        |path: &Path| -> PathBuf { std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) };
    absolute(one) == absolute(other)
}
