//! Linear relations between columns of numbers, exactly: the null space of a matrix of rationals.

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// So many rows are looked at beyond what the number of columns demands.
const SPARE_ROWS: usize = 24;
/// The factors of a relation are not larger than this: larger ones come from chance.
const MOST: u32 = 20_000;

/// All relations `sum of factor * column = 0` between columns, each column that depends on those before it written by
/// them. Nothing when there are too few rows to tell a relation from chance. The first column may have any factor.
pub(crate) fn relations(columns: &[Vec<IBig>]) -> Vec<Vec<IBig>> {
    let (width, height) = (columns.len(), columns.first().map_or(0, Vec::len));
    if width == 0 || height < width + 2 {
        return Vec::new();
    }
    // Rows from everywhere.
    let wanted = (2 * width + SPARE_ROWS).min(height);
    let rows = (0..wanted).map(|i| i * height / wanted);
    let mut basis: Vec<(usize, Vec<RBig>)> = Vec::new();
    for row in rows {
        let row = columns.iter().map(|column| RBig::from(column[row].clone())).collect();
        add(&mut basis, row);
        if basis.len() == width {
            return Vec::new();
        }
    }
    let mut found = Vec::new();
    for column in (0..width).filter(|&column| basis.iter().all(|row| row.0 != column)) {
        let mut relation = vec![RBig::ZERO; width];
        relation[column] = RBig::ONE;
        for (pivot, row) in &basis {
            relation[*pivot] = -row[column].clone();
        }
        found.extend(whole(&relation));
    }
    // A relation from some of the rows has to hold in all of them.
    found.retain(|relation| (0..height).all(|row| sum(columns, relation, row) == IBig::ZERO));
    found
}

fn sum(columns: &[Vec<IBig>], factors: &[IBig], row: usize) -> IBig {
    let products = factors.iter().zip(columns).filter(|(factor, _)| **factor != IBig::ZERO);
    products.map(|(factor, column)| factor * &column[row]).fold(IBig::ZERO, |sum, product| sum + product)
}

/// Adds a row to a reduced basis, each row of which has a column that no other row has.
fn add(basis: &mut Vec<(usize, Vec<RBig>)>, mut row: Vec<RBig>) {
    for (pivot, other) in basis.iter() {
        subtract(&mut row, other, *pivot);
    }
    let Some(pivot) = row.iter().position(|value| *value != RBig::ZERO) else { return };
    let head = row[pivot].clone();
    for value in &mut row {
        *value /= &head;
    }
    for (_, other) in basis.iter_mut() {
        subtract(other, &row, pivot);
    }
    basis.push((pivot, row));
}

/// Makes an entry zero by a row whose entry there is one.
fn subtract(row: &mut [RBig], other: &[RBig], pivot: usize) {
    let factor = row[pivot].clone();
    if factor == RBig::ZERO {
        return;
    }
    for (value, other) in row.iter_mut().zip(other) {
        if *other != RBig::ZERO {
            *value -= &factor * other;
        }
    }
}

/// A relation with whole factors; none when they are too large.
fn whole(relation: &[RBig]) -> Option<Vec<IBig>> {
    let mut common = UBig::ONE;
    for value in relation {
        let denominator = value.denominator();
        let shared = (&common).gcd(denominator);
        common = common / shared * denominator;
        if common > UBig::from(MOST) {
            return None;
        }
    }
    let factors: Vec<IBig> =
        relation.iter().map(|value| value.numerator() * IBig::from(&common / value.denominator())).collect();
    let most = IBig::from(MOST);
    let small = |value: &IBig| *value <= most && *value >= -most.clone();
    factors[1..].iter().all(small).then_some(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: impl Iterator<Item = i64>) -> Vec<IBig> {
        values.map(IBig::from).collect()
    }

    #[test]
    fn finds_sums_and_squares() {
        let one = column((0..20).map(|_| 1));
        let x = column(0..20);
        let y = column((0..20).map(|x| 3 * x + 7));
        let square = column((0..20).map(|x| x * x));
        let found = relations(&[one.clone(), x.clone(), y]);
        assert_eq!(found, vec![vec![IBig::from(-7), IBig::from(-3), IBig::ONE]]);
        assert!(relations(&[one, x, square]).is_empty());
    }

    #[test]
    fn needs_rows() {
        let few = column(0..3);
        assert!(relations(&[column((0..3).map(|_| 1)), few.clone(), few]).is_empty());
    }
}
