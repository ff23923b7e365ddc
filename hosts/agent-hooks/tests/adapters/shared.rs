//! The samples that lie beside the repository, where they do: each goes through its adapter, and
//! what Codex is answered fits the schemas that it publishes.

use std::path::{Path, PathBuf};

use oar_agent_hooks::{Agent, Stage, Verdict};
use serde_json::Value as Json;

/// The directory of the samples, or a line that says that it is not there.
fn samples() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../");
    let places = [root.join("shared/hosts/samples"), root.join("../shared/hosts/samples")];
    let found = places.into_iter().find(|place| place.is_dir());
    if found.is_none() {
        eprintln!("not run: shared/hosts/samples is not beside this checkout");
    }
    found
}

fn json(path: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The agent, the event, and the samples of each file.
fn files(directory: &Path) -> Vec<(Agent, String, Vec<Json>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let file = json(&path);
            let agent = file["agent"].as_str().unwrap().parse().unwrap();
            let event = file["event"].as_str().unwrap().to_owned();
            files.push((agent, event, file["samples"].as_array().unwrap().clone()));
        }
    }
    assert!(files.len() >= 50, "{} files", files.len());
    files
}

#[test]
fn every_sample_is_read() {
    let Some(directory) = samples() else { return };
    let mut inputs = 0;
    for (agent, name, samples) in files(&directory) {
        for sample in samples {
            let event = agent.adapter().read(sample.to_string().as_bytes());
            let event = event.unwrap_or_else(|fault| panic!("{agent} {name}: {fault}: {sample}"));
            let stage = agent.adapter().stage(&name);
            assert_eq!(event.stage, stage, "{agent} {name}: read as {}", event.name);
            assert!(!event.session.is_empty(), "{agent} {name}");
            let of_call = matches!(stage, Stage::BeforeTool | Stage::AfterTool | Stage::Permission);
            assert_eq!(
                event.call.is_some(),
                of_call || stage == Stage::AfterToolSeen,
                "{agent} {name}"
            );
            // A truncated one is none, wherever it is cut.
            let text = sample.to_string();
            for cut in [0, 1, text.len() / 2, text.len() - 1] {
                let mut cut = cut;
                while !text.is_char_boundary(cut) {
                    cut -= 1;
                }
                assert!(agent.adapter().read(&text.as_bytes()[..cut]).is_err(), "{agent} {name}");
            }
            inputs += 1;
        }
    }
    println!("{inputs} samples were read");
    assert!(inputs >= 100);
}

#[test]
fn what_codex_is_answered_fits_its_schemas() {
    let Some(directory) = samples() else { return };
    let verdicts = [
        Verdict::refused("x"),
        Verdict { nudges: vec!["n".to_owned()], ..Verdict::default() },
        Verdict { warnings: vec!["w".to_owned()], ..Verdict::default() },
        Verdict {
            nudges: vec!["n".to_owned()],
            warnings: vec!["w".to_owned()],
            ..Verdict::default()
        },
    ];
    let mut answers = 0;
    for (agent, name, samples) in files(&directory) {
        if agent != Agent::Codex {
            continue;
        }
        let kebab: String = name
            .chars()
            .enumerate()
            .flat_map(|(at, c)| {
                let dash = (c.is_ascii_uppercase() && at > 0).then_some('-');
                dash.into_iter().chain(c.to_lowercase())
            })
            .collect();
        let schemas = directory.join("codex-schema");
        let input = jsonschema::validator_for(&json(
            &schemas.join(format!("{kebab}.command.input.schema.json")),
        ))
        .unwrap();
        let output = schemas.join(format!("{kebab}.command.output.schema.json"));
        let output = output.is_file().then(|| jsonschema::validator_for(&json(&output)).unwrap());
        for sample in samples {
            assert!(input.is_valid(&sample), "{name}: {sample}");
            let event = agent.adapter().read(sample.to_string().as_bytes()).unwrap();
            let parts =
                event.content.as_ref().map(|content| vec!["t".to_owned(); content.lengths().len()]);
            let changed = Verdict { content: parts, ..Verdict::default() };
            let changes = matches!(event.stage, Stage::BeforeTool | Stage::AfterTool);
            for verdict in verdicts.iter().chain(changes.then_some(&changed)) {
                let answer = agent.adapter().answer(&event, verdict);
                if answer.stdout.is_empty() {
                    continue;
                }
                let answer: Json = serde_json::from_str(&answer.stdout).unwrap();
                let Some(output) = &output else { panic!("{name} takes no answer: {answer}") };
                if let Err(error) = output.validate(&answer) {
                    panic!("{name}: {error}: {answer}");
                }
                answers += 1;
            }
        }
    }
    assert!(answers > 30, "{answers}");
}
