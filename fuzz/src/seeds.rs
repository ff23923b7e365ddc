//! Where fuzzing starts from: the fixtures of the corpus, the examples, and generated fixtures.
//!
//! Nothing of it is committed; it is made anew each time.

use std::fs;
use std::path::{Path, PathBuf};

use oar_conformance::generate::{Family, generate};
use serde_json::Value;

const GENERATED: u64 = 60;

/// The seeds of a target, always in the same order.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let fixtures = fixtures();
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    match target {
        "condition" => seeds.extend(texts(&fixtures, "when").map(String::into_bytes)),
        "values" => {
            let choices = |index: usize| (0..32).map(move |i| (index * 7 + i * 13) as u8);
            let texts = texts(&fixtures, "when").enumerate();
            seeds.extend(texts.map(|(i, text)| choices(i).chain(text.into_bytes()).collect()));
            seeds.extend((0..200).map(|i| choices(i).collect()));
        }
        "copy" => {
            let choices = |index: usize| (0..16).map(move |i| (index * 5 + i * 11) as u8);
            let texts = texts(&fixtures, "copy").enumerate();
            seeds.extend(texts.map(|(i, text)| choices(i).chain(text.into_bytes()).collect()));
        }
        "json" | "yaml" => {
            for fixture in &fixtures {
                let with = |kind: u8, value: &Value| {
                    let mut seed = vec![kind];
                    seed.extend(value.to_string().into_bytes());
                    seed
                };
                seeds.extend(array(&fixture["rules"]).map(|rule| with(0, rule)));
                seeds.push(with(1, &fixture["rules"]));
                seeds.push(with(2, &fixture["input"]["capability"]));
                seeds.extend(array(&fixture["input"]["config"]).map(|config| with(3, config)));
            }
            for path in files(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")) {
                let is_yaml = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
                if is_yaml && target == "yaml" {
                    let text = fs::read(path).unwrap();
                    seeds.extend((0..4).map(|kind| [&[kind][..], &text].concat()));
                }
            }
        }
        "fixture" => seeds.extend(fixtures.iter().map(|f| f.to_string().into_bytes())),
        "adapter" => {
            let lines: Vec<String> = fixtures.iter().map(Value::to_string).collect();
            seeds.extend(lines.iter().step_by(5).map(|line| line.clone().into_bytes()));
            seeds.extend(lines.chunks(3).step_by(9).map(|lines| lines.join("\n").into_bytes()));
            let hello = oar_conformance::adapter::message::hello();
            seeds.push(format!("{hello}\n{}\n", lines[0]).into_bytes());
            seeds.push(br#"{"id":"a","report":{},"occurrences":[{}]}"#.to_vec());
            seeds.push(br#"{"id":"a","error":"x","phase":"rules"}"#.to_vec());
            seeds.push(br#"{"id":"a","skipped":"x"}"#.to_vec());
            seeds.push(br#"{"start":{"protocol":1,"engine":{"name":"x"}}}"#.to_vec());
        }
        "transforms" => {
            let mut state = 1_u64;
            for length in 0..300 {
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 56) as u8
                };
                seeds.push((0..length % 90).map(|_| next()).collect());
            }
        }
        "canonical" => {
            let doubles = [0.0, -0.0, 0.1, 1e-7, 5e-324, f64::MAX, 1e21, 123456789.0, 2.5e-300];
            seeds.extend(doubles.map(|double: f64| double.to_le_bytes().to_vec()));
            for fixture in &fixtures {
                let occurrences = array(&fixture["input"]["occurrences"]);
                for moment in occurrences.chain([&fixture["input"]]) {
                    let arguments = &moment["tool_call"]["arguments"];
                    if arguments.is_object() {
                        let bits = 1.5_f64.to_le_bytes();
                        seeds.push([&bits[..], arguments.to_string().as_bytes()].concat());
                    }
                }
            }
        }
        other => panic!("there is no target `{other}`"),
    }
    seeds.sort();
    seeds.dedup();
    seeds
}

/// The crashes of the past of a target: the files of `crashes/TARGET`.
pub fn crashes(target: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes").join(target);
    let is_input = |path: &PathBuf| path.extension().is_none_or(|extension| extension != "md");
    files(directory).into_iter().filter(is_input).collect()
}

fn files(directory: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The fixtures of the corpus, and some of every family of generated ones.
fn fixtures() -> Vec<Value> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/corpus");
    let mut fixtures: Vec<Value> = files(corpus)
        .iter()
        .filter_map(|path| serde_json::from_slice(&fs::read(path).unwrap()).ok())
        .filter(|fixture: &Value| fixture.get("rules").is_some())
        .collect();
    assert!(fixtures.len() > 1000, "the corpus is not there");
    for family in Family::ALL {
        fixtures.extend((0..GENERATED).map(|number| generate(family, 1, number).fixture));
    }
    fixtures
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// What the rules say under `member`: a text, or an object of texts.
fn texts<'a>(fixtures: &'a [Value], member: &'a str) -> impl Iterator<Item = String> + 'a {
    let rules = fixtures.iter().flat_map(|fixture| array(&fixture["rules"]));
    rules
        .filter_map(move |rule| rule.get(member))
        .flat_map(|value| match value {
            Value::Object(members) => members.values().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect::<Vec<_>>(),
        })
        .map(str::to_owned)
}
