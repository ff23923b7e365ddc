//! `oar hooks matrix`: what each agent can and cannot enforce.

use oar_agent_hooks::{Agent, Reach, rows};
use serde_json::json;

use crate::output::{ASIDE, BAD, DOUBT, GOOD, HEAD, Output, Verdict, styled};

/// How it is shown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// One agent alone.
    agent: Option<Agent>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Verdict {
    let agents: Vec<Agent> = args.agent.map_or_else(|| Agent::ALL.to_vec(), |agent| vec![agent]);
    if args.json {
        let table: Vec<_> = rows()
            .iter()
            .map(|row| {
                let reach = |agent: &Agent| {
                    let (word, note) = told(row.of(*agent));
                    (agent.name().to_owned(), json!({"reach": word, "note": note}))
                };
                json!({"what": row.what,
                    "agents": agents.iter().map(reach).collect::<serde_json::Map<_, _>>()})
            })
            .collect();
        output.line(&serde_json::Value::from(table).to_string());
        return Verdict::Fine;
    }
    for (position, agent) in agents.iter().enumerate() {
        if position > 0 {
            output.line("");
        }
        output.line(&styled(HEAD, agent.title()));
        for row in rows() {
            let (word, note) = told(row.of(*agent));
            let style = match word {
                "yes" => GOOD,
                "yes, but" => DOUBT,
                _ => BAD,
            };
            let word = styled(style, &format!("{word:<8}"));
            let line = format!("  {:<38} {word} {}", row.what, styled(ASIDE, note));
            output.line(line.trim_end());
        }
    }
    Verdict::Fine
}

fn told(reach: Reach) -> (&'static str, &'static str) {
    match reach {
        Reach::Yes => ("yes", ""),
        Reach::As(note) => ("yes, but", note),
        Reach::No(note) => ("no", note),
    }
}
