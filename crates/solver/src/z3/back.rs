//! Terms of the library as our terms: predicates that Spacer found, functions of models. What has no counterpart
//! in the operator table gives nothing.

use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::term::{TermId, Terms};
use z3_sys::DeclKind;

use super::ffi::{self, Ast, Built, Context, Decl, Shape};
use super::translate::Translator;
use super::values::rational;

enum Step {
    Visit(Ast, usize),
    App { key: (u32, usize), kind: DeclKind, decl: Decl, args: Vec<(u32, usize)>, sort: ffi::Sort },
    Binder { key: (u32, usize), op: Op, vars: Vec<TermId>, body: (u32, usize) },
}

/// Reads a term in which the bound variable `i` stands for `params[i]`.
pub(super) fn term(
    context: &mut Context,
    translator: &Translator,
    terms: &mut Terms,
    root: Ast,
    params: &[TermId],
) -> Built<Option<TermId>> {
    let sorts = translator.sorts.known();
    let scope = params.iter().rev().copied().collect();
    let mut reader =
        Reader { context, translator, terms, sorts, scopes: vec![scope], done: FxHashMap::default() };
    reader.read(root)
}

struct Reader<'a> {
    context: &'a mut Context,
    translator: &'a Translator,
    terms: &'a mut Terms,
    sorts: FxHashMap<ffi::Sort, SortId>,
    /// The variables in scope, the innermost last; the first scope is the outermost.
    scopes: Vec<Vec<TermId>>,
    done: FxHashMap<(u32, usize), Option<TermId>>,
}

impl Reader<'_> {
    fn read(&mut self, root: Ast) -> Built<Option<TermId>> {
        let mut todo = vec![Step::Visit(root, 0)];
        while let Some(step) = todo.pop() {
            match step {
                Step::Visit(ast, scope) => self.visit(ast, scope, &mut todo)?,
                Step::App { key, kind, decl, args, sort } => {
                    let parts: Option<Vec<TermId>> =
                        args.iter().map(|part| self.done.get(part).copied().flatten()).collect();
                    let term = parts.and_then(|parts| self.app(kind, decl, &parts, sort));
                    self.done.insert(key, term);
                }
                Step::Binder { key, op, vars, body } => {
                    let body = self.done.get(&body).copied().flatten();
                    let term = body.and_then(|body| self.terms.bind(op, &vars, body).ok());
                    self.done.insert(key, term);
                }
            }
        }
        let key = (self.context.identity(root), 0);
        Ok(self.done.get(&key).copied().flatten())
    }

    fn visit(&mut self, ast: Ast, scope: usize, todo: &mut Vec<Step>) -> Built<()> {
        let key = (self.context.identity(ast), scope);
        if self.done.contains_key(&key) {
            return Ok(());
        }
        let sort = self.context.sort_of(ast)?;
        let leaf = match self.context.shape(ast)? {
            Shape::Number(text) => self.number(&text, sort),
            Shape::Var(index) => {
                let scope = &self.scopes[scope];
                scope.len().checked_sub(index as usize + 1).map(|at| scope[at])
            }
            Shape::App(kind, decl, args) => {
                let keys = args.iter().map(|&arg| (self.context.identity(arg), scope)).collect();
                todo.push(Step::App { key, kind, decl, args: keys, sort });
                todo.extend(args.into_iter().map(|arg| Step::Visit(arg, scope)));
                return Ok(());
            }
            Shape::Binder(op, sorts, body) => match self.bound(&sorts) {
                Some(vars) => {
                    let mut inner = self.scopes[scope].clone();
                    inner.extend(&vars);
                    self.scopes.push(inner);
                    let inner = self.scopes.len() - 1;
                    let body_key = (self.context.identity(body), inner);
                    todo.push(Step::Binder { key, op, vars, body: body_key });
                    todo.push(Step::Visit(body, inner));
                    return Ok(());
                }
                None => None,
            },
            Shape::Other => None,
        };
        self.done.insert(key, leaf);
        Ok(())
    }

    /// Variables with names that no scope here uses.
    fn bound(&mut self, sorts: &[ffi::Sort]) -> Option<Vec<TermId>> {
        let number = self.scopes.len();
        let mut vars = Vec::new();
        for (i, &sort) in sorts.iter().enumerate() {
            let sort = self.sort(sort)?;
            let name = self.terms.names.intern(&format!("y!{number}!{i}"));
            vars.push(self.terms.var(name, sort));
        }
        Some(vars)
    }

    fn sort(&mut self, sort: ffi::Sort) -> Option<SortId> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Some(known);
        }
        let width = self.context.sort_width(sort)?;
        Some(self.terms.sorts.bit_vec(width))
    }

    fn number(&mut self, text: &str, sort: ffi::Sort) -> Option<TermId> {
        let sort = self.sort(sort)?;
        match *self.terms.sorts.get(sort) {
            Sort::Int => Some(self.terms.int(text.parse::<dashu_int::IBig>().ok()?)),
            Sort::Real => Some(self.terms.real(&rational(text)?)),
            Sort::BitVec(width) => Some(self.terms.bits(width, text.parse().ok()?)),
            _ => None,
        }
    }

    fn app(&mut self, kind: DeclKind, decl: Decl, args: &[TermId], sort: ffi::Sort) -> Option<TermId> {
        let index = |i| self.context.decl_index(decl, i);
        match kind {
            DeclKind::Uninterpreted
            | DeclKind::Recursive
            | DeclKind::DtConstructor
            | DeclKind::DtAccessor
            | DeclKind::DtIs
            | DeclKind::DtRecogniser => {
                let fun = *self.translator.back.get(&decl)?;
                self.terms.call(fun, args).ok()
            }
            DeclKind::True => Some(TermId::TRUE),
            DeclKind::False => Some(TermId::FALSE),
            DeclKind::ConstArray => {
                let sort = self.sort(sort)?;
                self.terms.const_array(sort, *args.first()?).ok()
            }
            DeclKind::Extract => {
                let (high, low) = (index(0)?, index(1)?);
                self.terms.app_indexed(Op::Extract, &[high, low], args).ok()
            }
            DeclKind::Bit2bool => {
                let bit = index(0)?;
                let bit = self.terms.app_indexed(Op::Extract, &[bit, bit], args).ok()?;
                let one = self.terms.bits(1, 1u8.into());
                self.terms.app(Op::Eq, &[bit, one]).ok()
            }
            DeclKind::SignExt
            | DeclKind::ZeroExt
            | DeclKind::Repeat
            | DeclKind::RotateLeft
            | DeclKind::RotateRight
            | DeclKind::Int2bv => {
                let index = index(0)?;
                self.terms.app_indexed(op_of(kind)?, &[index], args).ok()
            }
            DeclKind::Bsub if args.len() > 2 => None,
            _ => self.terms.app(op_of(kind)?, args).ok(),
        }
    }
}

/// The operator of a kind that is written in the same way here and there.
fn op_of(kind: DeclKind) -> Option<Op> {
    use DeclKind as K;
    Some(match kind {
        K::Eq | K::Iff | K::Oeq => Op::Eq,
        K::Distinct => Op::Distinct,
        K::Ite => Op::Ite,
        K::And => Op::And,
        K::Or => Op::Or,
        K::Xor => Op::Xor,
        K::Not => Op::Not,
        K::Implies => Op::Implies,
        K::Le => Op::Le,
        K::Ge => Op::Ge,
        K::Lt => Op::Lt,
        K::Gt => Op::Gt,
        K::Add => Op::Add,
        K::Sub => Op::Sub,
        K::Uminus => Op::Neg,
        K::Mul => Op::Mul,
        K::Div => Op::Div,
        K::Idiv => Op::IntDiv,
        K::Mod => Op::Mod,
        K::ToReal => Op::ToReal,
        K::ToInt => Op::ToInt,
        K::IsInt => Op::IsInt,
        K::Abs => Op::Abs,
        K::Store => Op::Store,
        K::Select => Op::Select,
        K::Bneg => Op::BvNeg,
        K::Badd => Op::BvAdd,
        K::Bsub => Op::BvSub,
        K::Bmul => Op::BvMul,
        K::Bsdiv | K::BsdivI => Op::BvSdiv,
        K::Budiv | K::BudivI => Op::BvUdiv,
        K::Bsrem | K::BsremI => Op::BvSrem,
        K::Burem | K::BuremI => Op::BvUrem,
        K::Bsmod | K::BsmodI => Op::BvSmod,
        K::Uleq => Op::BvUle,
        K::Sleq => Op::BvSle,
        K::Ugeq => Op::BvUge,
        K::Sgeq => Op::BvSge,
        K::Ult => Op::BvUlt,
        K::Slt => Op::BvSlt,
        K::Ugt => Op::BvUgt,
        K::Sgt => Op::BvSgt,
        K::Band => Op::BvAnd,
        K::Bor => Op::BvOr,
        K::Bnot => Op::BvNot,
        K::Bxor => Op::BvXor,
        K::Bnand => Op::BvNand,
        K::Bnor => Op::BvNor,
        K::Bxnor => Op::BvXnor,
        K::Concat => Op::Concat,
        K::SignExt => Op::SignExtend,
        K::ZeroExt => Op::ZeroExtend,
        K::Repeat => Op::Repeat,
        K::Bredor => Op::BvRedOr,
        K::Bredand => Op::BvRedAnd,
        K::Bcomp => Op::BvComp,
        K::Bshl => Op::BvShl,
        K::Blshr => Op::BvLshr,
        K::Bashr => Op::BvAshr,
        K::RotateLeft => Op::RotateLeft,
        K::RotateRight => Op::RotateRight,
        K::Int2bv => Op::IntToBv,
        K::Bv2int => Op::UbvToInt,
        K::Sbv2int => Op::SbvToInt,
        _ => return None,
    })
}
