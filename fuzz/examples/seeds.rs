//! Writes the seeds of every target, and its past crashes, to `corpus/TARGET` beside this crate.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    for (target, _) in oar_fuzz::TARGETS {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        fs::create_dir_all(&directory)?;
        let mut seeds = oar_fuzz::seeds::of(target);
        for crash in oar_fuzz::seeds::crashes(target) {
            seeds.push(fs::read(crash)?);
        }
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(directory.join(format!("seed-{index:05}")), seed)?;
        }
        println!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}
