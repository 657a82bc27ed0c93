//! The numbers and pointers that variables and blocks are made of, and how C copies and compares them.

use cfront::ast::Unit;
use cfront::types::{ArrayLen, IntKind, Ty, TypeKind};

/// Records with more members than this are not taken apart.
const MAX_LEAVES: usize = 256;

/// A number or pointer of a variable, or an array of them.
pub(crate) struct Leaf {
    /// How it is written, with index variables.
    pub(crate) path: String,
    pub(crate) ty: Ty,
    /// The lengths of the arrays that it is in.
    pub(crate) dims: Vec<u64>,
    /// A pointer that may lead nowhere; then there is nothing to be copied.
    pub(crate) guard: Option<String>,
    /// True when bytes between members may be read.
    pub(crate) is_raw: bool,
}

/// The numbers and pointers that something is made of.
pub(crate) fn leaves_of(unit: &Unit, root: Leaf) -> Result<Vec<Leaf>, &'static str> {
    let mut out = Vec::new();
    let mut todo = vec![root];
    while let Some(Leaf { path, ty, mut dims, guard, is_raw }) = todo.pop() {
        match unit.types.kind(ty) {
            TypeKind::Int(_) | TypeKind::Enum(_) | TypeKind::Float(_) | TypeKind::Pointer(_) => {
                out.push(Leaf { path, ty, dims, guard, is_raw });
            }
            TypeKind::Array(_, ArrayLen::Known(0)) => {}
            TypeKind::Array(of, ArrayLen::Known(len)) => {
                let path = format!("{path}[__svarog_i{}]", dims.len());
                dims.push(len);
                todo.push(Leaf { path, ty: of, dims, guard, is_raw });
            }
            TypeKind::Record(id) => {
                let record = &unit.types.records[id];
                if !record.is_complete {
                    return Err("its type is not complete");
                }
                if is_raw && has_gaps(unit, ty) {
                    let path = format!("((const unsigned char *)&{path})[__svarog_i{}]", dims.len());
                    dims.push(record.layout.size);
                    out.push(Leaf { path, ty: Ty::int(IntKind::UChar), dims, guard, is_raw });
                    continue;
                }
                for &field in record.fields.iter().rev() {
                    let field = &unit.types.fields[field];
                    let path = match field.name {
                        Some(name) => format!("{path}.{}", unit.name(name)),
                        None if field.width.is_some() => continue,
                        None => path.clone(),
                    };
                    // A member of unknown length at the end has no elements in a variable.
                    if !matches!(unit.types.kind(field.ty), TypeKind::Array(_, ArrayLen::Unknown)) {
                        let (dims, guard) = (dims.clone(), guard.clone());
                        todo.push(Leaf { path, ty: field.ty, dims, guard, is_raw });
                    }
                }
            }
            TypeKind::Array(..) => return Err("its length is not constant"),
            _ => return Err("its type is none of numbers, pointers, arrays and records"),
        }
        if out.len() + todo.len() > MAX_LEAVES {
            return Err("it has too many members");
        }
    }
    Ok(out)
}

/// True when a record has bits that are in no member of it.
fn has_gaps(unit: &Unit, ty: Ty) -> bool {
    let bits = |ty| unit.types.layout(ty).map_or(0, |layout| layout.size.saturating_mul(8));
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match unit.types.kind(ty) {
            TypeKind::Array(of, ArrayLen::Known(_)) => todo.push(of),
            TypeKind::Record(id) => {
                let record = &unit.types.records[id];
                let fields = record.fields.iter().map(|field| &unit.types.fields[*field]);
                let sizes = fields.clone().map(|field| field.width.map_or(bits(field.ty), u64::from));
                let covered = if record.is_union { sizes.max() } else { Some(sizes.sum()) };
                if covered.unwrap_or(0) < bits(ty) {
                    return true;
                }
                todo.extend(fields.map(|field| field.ty));
            }
            _ => {}
        }
    }
    false
}

pub(crate) fn indices(leaf: &Leaf) -> String {
    (0..leaf.dims.len()).map(|index| format!("[__svarog_i{index}]")).collect()
}

/// The heads of loops over all elements.
pub(crate) fn over(leaf: &Leaf) -> String {
    let head = |(index, len): (usize, &u64)| {
        format!("for (__svarog_i{index} = 0; __svarog_i{index} < {len}; __svarog_i{index}++) ")
    };
    leaf.dims.iter().enumerate().map(head).collect()
}

fn type_text(unit: &Unit, ty: Ty) -> &'static str {
    match (unit.types.kind(ty), unit.types.int_kind(ty)) {
        (TypeKind::Float(kind), _) => kind.text(),
        (_, Some(kind)) => kind.text(),
        _ => "const volatile void *",
    }
}

pub(crate) fn declaration(unit: &Unit, leaf: &Leaf, copy: &str) -> String {
    let dims: String = leaf.dims.iter().map(|len| format!("[{len}]")).collect();
    let init = if leaf.dims.is_empty() { "0" } else { "{ 0 }" };
    format!("{} {copy}{dims} = {init};", type_text(unit, leaf.ty))
}

pub(crate) fn value(unit: &Unit, leaf: &Leaf) -> String {
    let value = match unit.types.pointee(leaf.ty) {
        Some(_) => format!("(const volatile void *){}", leaf.path),
        None => leaf.path.clone(),
    };
    match &leaf.guard {
        Some(guard) => format!("({guard} ? {value} : 0)"),
        None => value,
    }
}

/// Equal values are those that a program cannot tell apart: zeros have signs, and no number equals itself if it is none.
pub(crate) fn equality(unit: &Unit, ty: Ty, value: &str, copy: &str) -> String {
    match unit.types.kind(ty) {
        TypeKind::Float(_) => format!(
            "(({value} == {copy} && ({value} != 0 || 1 / {value} == 1 / {copy})) || ({value} != {value} && {copy} != {copy}))"
        ),
        _ => format!("{value} == {copy}"),
    }
}
