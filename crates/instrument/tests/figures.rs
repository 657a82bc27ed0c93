//! The example of the paper: figure 1 with the automaton of figure 3a gives figures 3b and 4.

use cfront::DataModel;
use cfront::ast::Unit;
use cfront::cfa::{Op, automata};
use instrument::ia;
use instrument::ia::ast::TextPiece;
use instrument::plan::{At, Piece, When};
use instrument::program::Program;
use instrument::sequence::{NewOp, sequentialize};
use instrument::specs;
use instrument::weave::{strip, weave};

const FIGURE_1: &str = "\
void assert(int);
int main(void) {
  unsigned int x = 0;
  assert(x >= 0);
  int y = 1;

  while (x < 127) {
    x = x + y;
    y = y + 1;
  }
}
";

/// The program of figure 4, without the declaration of the error function and without what marks inserted text.
const FIGURE_4: &str = "\
void assert(int);
int main(void) { int looped = 0;
  unsigned int x = 0;
  assert(x >= 0);
  int y = 1;

  while (x < 127) { looped = 1;
    x = x + y;
    y = y + 1;
  } if (!(x <= 136 || looped == 0)) reach_error();
}
";

fn op_text(unit: &Unit, op: Op) -> String {
    let text = |span: diag::Span| FIGURE_1[span.start as usize..span.end as usize].to_owned();
    match op {
        Op::Eval(expr) | Op::Call(expr) => text(unit.exprs[expr].span),
        Op::Assume(expr, true) => format!("[{}]", text(unit.exprs[expr].span)),
        Op::Assume(expr, false) => format!("[!({})]", text(unit.exprs[expr].span)),
        Op::Declare(entity) => unit.name(unit.entities[entity].name).to_owned(),
        Op::Init(decl, _) => text(unit.decls[decl].span),
        Op::FallOff => "end".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn figure_3b() {
    let spec = ia::parse(specs::named("example").expect("the example ships").text, 0).spec;
    let mut unit = cfront::parse(FIGURE_1.as_bytes(), 0, DataModel::Lp64);
    let cfas = automata(&unit);
    let mut program = Program::new(&mut unit, &cfas);
    let sequenced = sequentialize(&mut program, &spec);
    let edges = sequenced.automaton(&program, 0);
    let lines: Vec<String> = edges
        .iter()
        .map(|(from, op, to)| {
            let op = match op {
                NewOp::Original(edge) => op_text(program.unit, cfas[0].edges[*edge].op),
                NewOp::Inserted(index) => {
                    let transition = sequenced.placed[*index].transition;
                    let text =
                        spec.automata[0].transitions[transition].text.iter().map(|piece| match piece {
                            TextPiece::Text(text) | TextPiece::Name(text) => text.as_str(),
                            _ => "?",
                        });
                    format!("+ {}", text.collect::<String>())
                }
            };
            format!("{from:?} {op} {to:?}").replace("LocId", "")
        })
        .collect();
    // What is on (0), (7) and (8) is what the paper draws with dashed lines; the rest is figure 1, one operation on an edge.
    assert_eq!(
        lines,
        [
            "(0) + int looped = 0; (13)",
            "(13) x (2)",
            "(2) x = 0 (3)",
            "(3) x >= 0 (4)",
            "(4) assert(x >= 0) (5)",
            "(5) y (6)",
            "(6) y = 1 (7)",
            "(7) [x < 127] (14)",
            "(14) + looped = 1; (8)",
            "(7) [!(x < 127)] (15)",
            "(15) + if (!(x <= 136 || looped == 0)) reach_error(); (9)",
            "(8) x + y (10)",
            "(10) x = x + y (11)",
            "(11) y + 1 (12)",
            "(12) y = y + 1 (7)",
            "(9) end (1)",
        ]
    );
}

#[test]
fn figure_4() {
    let spec = ia::parse(specs::named("example").expect("the example ships").text, 0).spec;
    let mut unit = cfront::parse(FIGURE_1.as_bytes(), 0, DataModel::Lp64);
    let cfas = automata(&unit);
    let plan = instrument::plan(&mut unit, &cfas, &spec);
    let text = |pieces: &[Piece]| {
        pieces
            .iter()
            .map(|piece| if let Piece::Text(text) = piece { &**text } else { "?" })
            .collect::<String>()
    };
    let places: Vec<(String, String)> = plan
        .insertions
        .iter()
        .map(|insertion| {
            let at = match insertion.at {
                At::Entry => "entry".to_owned(),
                At::Head(_) => "head".to_owned(),
                At::Edge(edge, When::Before) => format!("before {}", op_text(&unit, cfas[0].edges[edge].op)),
                At::Edge(edge, When::After) => format!("after {}", op_text(&unit, cfas[0].edges[edge].op)),
            };
            (at, text(&insertion.text))
        })
        .collect();
    let expected = [
        ("entry", "int looped = 0;"),
        ("after [x < 127]", "looped = 1;"),
        ("after [!(x < 127)]", "if (!(x <= 136 || looped == 0)) reach_error();"),
    ];
    assert_eq!(places, expected.map(|(at, text)| (at.to_owned(), text.to_owned())));
    let program = instrument::weave::Program {
        unit: &mut unit,
        text: FIGURE_1.as_bytes(),
        base: 0,
        original: None,
        cfas: &cfas,
    };
    let woven = weave(program, &plan).expect("all operations have a place");
    assert_eq!(strip(&woven.text).as_deref(), Ok(FIGURE_1.as_bytes()));
    assert_eq!(words(&without_marks(&woven.text)), words(FIGURE_4));
}

/// The text without comments and without the declaration that the program lacks.
fn without_marks(text: &[u8]) -> String {
    let mut rest = String::from_utf8_lossy(text).replace("extern void reach_error(void);", "");
    while let Some(start) = rest.find("/*") {
        let end = rest[start..].find("*/").map_or(rest.len(), |end| start + end + 2);
        rest.replace_range(start..end, "");
    }
    rest
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}
