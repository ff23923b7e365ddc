//! Interleaved rounds: every contender runs a batch in every round, so that a disturbance hits
//! all of them, and medians are taken over the rounds.
//!
//! Nothing is measured that was not proved: a [`Contender`] is made with a [`Proof`], and a proof
//! comes from [`prove`] alone.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// That a contender gave the right answers.
#[derive(Clone, Copy)]
pub struct Proof(());

/// Asks for every input and holds the answers against the truth.
///
/// # Errors
/// Says which answer was wrong.
pub fn prove<I: fmt::Debug, A: fmt::Debug + PartialEq>(
    inputs: &[I],
    mut truth: impl FnMut(&I) -> A,
    mut answer: impl FnMut(&I) -> A,
) -> Result<Proof, String> {
    if inputs.is_empty() {
        return Err("not proved: there was no input".to_owned());
    }
    for input in inputs {
        let (wanted, got) = (truth(input), answer(input));
        if wanted != got {
            return Err(format!("disagrees: {got:?} instead of {wanted:?} for {input:?}"));
        }
    }
    Ok(Proof(()))
}

/// One column of a workload: a name and what it runs.
pub struct Contender<'a> {
    pub name: &'static str,
    /// The row, where it is not that of the workload.
    pub row: Option<String>,
    /// One call with the input of this number.
    pub run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Contender<'a> {
    pub fn new(name: &'static str, _: Proof, run: impl FnMut(usize) + 'a) -> Self {
        Self { name, row: None, run: Box::new(run) }
    }

    /// The same in a row of its own.
    pub fn row(mut self, row: String) -> Self {
        self.row = Some(row);
        self
    }
}

/// A contender that is given one input after the other.
pub fn of_inputs<'a, I>(
    name: &'static str,
    proof: Proof,
    inputs: &'a [I],
    mut decide: impl FnMut(&I) + 'a,
) -> Contender<'a> {
    Contender::new(name, proof, move |call| decide(black_box(&inputs[call % inputs.len()])))
}

/// One cell of the table.
#[derive(Clone, Debug)]
pub struct Cell {
    pub workload: String,
    pub contender: &'static str,
    pub figure: Result<Figure, String>,
}

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The median.
    pub value: f64,
    pub unit: &'static str,
    /// To the first contender of the workload: the median of the ratios of the rounds.
    pub ratio: Option<f64>,
}

impl Cell {
    pub fn new(workload: &str, contender: &'static str, figure: Figure) -> Self {
        Self { workload: workload.to_owned(), contender, figure: Ok(figure) }
    }

    pub fn without(workload: &str, contender: &'static str, reason: impl Into<String>) -> Self {
        Self { workload: workload.to_owned(), contender, figure: Err(reason.into()) }
    }

    pub fn json(&self) -> Json {
        let Self { workload, contender, figure } = self;
        match figure {
            Ok(Figure { value, unit, ratio }) => json!({"workload": workload,
                "contender": contender, "median": value, "unit": unit, "ratio": ratio}),
            Err(reason) => json!({"workload": workload, "contender": contender, "none": reason}),
        }
    }
}

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: usize,
    pub batch: Duration,
}

/// The median of what is not empty.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn nanos(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// How long one contender may take over all rounds before it sits some of them out.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the contenders, the first of which is the base of the ratios.
pub fn rounds(workload: &str, effort: Effort, contenders: &mut [Contender<'_>]) -> Vec<Cell> {
    let batches: Vec<Batch> =
        contenders.iter_mut().map(|own| Batch::calibrated(own, effort)).collect();
    let mut times: Vec<Vec<(usize, f64)>> = vec![Vec::new(); contenders.len()];
    let mut next = vec![0; contenders.len()];
    for round in 0..effort.rounds {
        for step in 0..contenders.len() {
            // Each round begins with another contender.
            let which = (round + step) % contenders.len();
            let (contender, batch) = (&mut contenders[which], &batches[which]);
            if !round.is_multiple_of(batch.every) {
                continue;
            }
            let start = Instant::now();
            for call in 0..batch.calls {
                (contender.run)(next[which] + call);
            }
            times[which].push((round, nanos(start.elapsed()) / batch.calls as f64));
            next[which] += batch.calls;
        }
    }
    let base = times[0].clone();
    let cell = |(contender, times): (&Contender<'_>, &Vec<(usize, f64)>)| {
        let ratios = times.iter().map(|(round, own)| own / base[*round].1).collect();
        let values = times.iter().map(|(_, own)| *own).collect();
        let figure = Figure { value: median(values), unit: "ns", ratio: Some(median(ratios)) };
        Cell::new(contender.row.as_deref().unwrap_or(workload), contender.name, figure)
    };
    contenders.iter().zip(&times).map(cell).collect()
}

/// How many calls a contender makes in a round, and in which rounds it takes part.
struct Batch {
    calls: usize,
    every: usize,
}

impl Batch {
    fn calibrated(contender: &mut Contender<'_>, effort: Effort) -> Self {
        let mut calls = 1;
        loop {
            let start = Instant::now();
            for call in 0..calls {
                (contender.run)(call);
            }
            let taken = start.elapsed();
            if taken * 2 >= effort.batch || calls >= 1 << 24 {
                let all = taken.as_secs_f64() * effort.rounds as f64;
                // A slow one takes part in some rounds, in three at least.
                let most = (effort.rounds / 3).max(1);
                let every = (all / PATIENCE.as_secs_f64()).ceil().max(1.0) as usize;
                return Self { calls, every: every.min(most) };
            }
            calls *= 2;
        }
    }
}
