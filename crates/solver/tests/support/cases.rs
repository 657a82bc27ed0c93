//! Scripts with known answers, over all theories that a solver should have.
#![allow(unreachable_pub, reason = "a module of test binaries")]

/// A script: its name, the theories it needs, its text, whether it is satisfiable.
pub struct Case {
    pub name: &'static str,
    pub needs: &'static [&'static str],
    pub text: &'static str,
    pub sat: bool,
}

const fn case(name: &'static str, needs: &'static [&'static str], text: &'static str, sat: bool) -> Case {
    Case { name, needs, text, sat }
}

/// The cases. `needs` are words that a profile may lack.
pub static CASES: &[Case] = &[
    case("empty", &[], "(assert true)", true),
    case("false", &[], "(assert false)", false),
    case("core", &[], "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)
        (assert (=> a b c))(assert (xor a b c))(assert (distinct a b))(assert (ite a b (not c)))", true),
    case("chain", &["int"], "(declare-const x Int)(declare-const y Int)(declare-const z Int)
        (assert (< x y z (+ x 3)))(assert (= z 7))", true),
    case("chain-unsat", &["int"], "(declare-const x Int)(declare-const y Int)(declare-const z Int)
        (assert (< x y z (+ x 2)))", false),
    case("division", &["int"], "(declare-const x Int)(assert (= (div x 3) (- 2)))(assert (= (mod x 3) 1))
        (assert (= (abs x) 5))(assert (not ((_ divisible 2) x)))", true),
    case("nonlinear", &["nia"], "(declare-const x Int)(declare-const y Int)(assert (= (* x y) 91))
        (assert (> x y 1))", true),
    case("reals", &["real"], "(declare-const x Real)(assert (< 0.3 x (/ 1 3)))(assert (not (is_int x)))
        (assert (= (to_int (* x 100.0)) 31))", true),
    case("big", &["int"], "(declare-const x Int)
        (assert (= x (- 123456789012345678901234567890 1)))(assert (< x (- 1)))", false),
    case("bv", &["bv"], "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))
        (assert (= (bvadd x y) #x01))(assert (bvugt x y))(assert (= ((_ extract 3 0) x) #xf))
        (assert (bvslt (bvmul x y) (bvnot y)))(assert (= (concat x y) (concat x y)))", true),
    case("bv-more", &["bv"], "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 4))
        (assert (= ((_ zero_extend 4) y) (bvlshr x #x04)))(assert (= ((_ rotate_left 3) x) ((_ rotate_right 5) x)))
        (assert (= (bvcomp x ((_ repeat 2) y)) #b1))(assert (= (bvredor x) #b1))(assert (= (bvredand x) #b0))
        (assert (distinct ((_ sign_extend 4) y) ((_ zero_extend 4) y)))
        (assert (not (= (bvnand x x) (bvnor x #x01))))(assert (= (bvxnor x x) #xff))", true),
    case("bv-overflow", &["overflow"], "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))
        (assert (bvsaddo x y))(assert (not (bvuaddo x y)))(assert (bvssubo x (bvneg y)))
        (assert (bvusubo x (bvadd x #x01)))(assert (bvsmulo x y))(assert (bvumulo x #x02))", false),
    case("bv-overflow-sat", &["overflow"], "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))
        (assert (bvsaddo x y))(assert (not (bvuaddo x y)))(assert (bvsmulo x y))
        (assert (not (bvnego x)))(assert (not (bvsdivo x y)))(assert (bvumulo x y))(assert (bvusubo y (bvadd y #x01)))", true),
    case("bv-int", &["bv", "bvint"], "(declare-const x (_ BitVec 8))(declare-const n Int)
        (assert (= n (ubv_to_int x)))(assert (= (sbv_to_int x) (- n 256)))(assert (= ((_ int_to_bv 8) (+ n 1)) #x81))", true),
    case("arrays", &["int", "array"], "(declare-const a (Array Int Int))(declare-const b (Array Int Int))(declare-const i Int)
        (assert (= b (store a i 5)))(assert (= (select a i) 4))(assert (= (select b (+ i 1)) 7))(assert (not (= a b)))", true),
    case("arrays-unsat", &["int", "array"], "(declare-const a (Array Int Int))(declare-const i Int)(declare-const j Int)
        (assert (= i j))(assert (not (= (select (store a i 1) j) 1)))", false),
    case("const-array", &["int", "constarray"], "(declare-const a (Array Int Int))(declare-const i Int)
        (assert (= a (store ((as const (Array Int Int)) 3) 1 4)))(assert (= (select a i) 4))", true),
    case("nested-arrays", &["bv", "array"], "(declare-const a (Array (_ BitVec 2) (Array (_ BitVec 2) Bool)))(declare-const b (Array (_ BitVec 2) Bool))
        (assert (= (select a #b01) b))(assert (select b #b10))(assert (not (select (select a #b11) #b10)))", true),
    case("functions", &["int", "uf"], "(declare-fun f (Int) Int)(declare-fun p (Int Int) Bool)(declare-const x Int)
        (assert (= (f (f x)) x))(assert (distinct (f x) x))(assert (p x (f x)))(assert (not (p (f x) x)))", true),
    case("functions-unsat", &["int", "uf"], "(declare-fun f (Int) Int)(declare-const x Int)(declare-const y Int)
        (assert (= x y))(assert (distinct (f x) (f y)))", false),
    case("sorts", &["uf"], "(declare-sort S 0)(declare-sort P 1)(declare-fun f (S) S)(declare-const a S)(declare-const b S)(declare-const c (P S))
        (assert (distinct a b (f a)))(assert (= (f (f a)) a))(assert (= c c))", true),
    case("definitions", &["int"], "(define-fun twice ((x Int)) Int (+ x x))(define-fun odd ((x Int)) Bool (exists ((y Int)) (= x (+ 1 (twice y)))))
        (declare-const y Int)(assert (= (twice (twice y)) 12))(assert (odd y))", true),
    case("capture", &["int"], "(define-fun less ((x Int)) Bool (forall ((y Int)) (=> (> y 10) (< x y))))
        (assert (forall ((y Int)) (=> (< y 5) (less y))))(declare-const z Int)(assert (not (less z)))(assert (< z 12))", true),
    case("quantifiers", &["int", "uf", "quant"], "(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f x) x)))
        (assert (exists ((y Int)) (< (f y) y)))", false),
    case("recursion", &["int", "rec"], "(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
        (declare-const n Int)(assert (= (sum n) 10))(assert (< 0 n 6))", true),
    case("mutual-recursion", &["int", "rec"], "(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool))
        ((ite (= n 0) true (odd (- n 1))) (ite (= n 0) false (even (- n 1)))))
        (declare-const n Int)(assert (<= 3 n 4))(assert (odd n))", true),
    case("lists", &["int", "data"], "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)
        (assert ((_ is cons) l))(assert (= (head l) 3))(assert ((_ is cons) (tail l)))(assert (= (tail (tail l)) nil))
        (assert (> (head (tail l)) (head l)))", true),
    case("lists-unsat", &["int", "data"], "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)
        (assert (= l (cons 1 l)))", false),
    case("enumeration", &["data"], "(declare-datatype C ((red) (green) (blue)))(declare-const a C)(declare-const b C)(declare-const c C)(declare-const d C)
        (assert (distinct a b c d))", false),
    case("parametric", &["int", "data"], "(declare-datatypes ((Pair 2) (List 1)) ((par (X Y) ((pair (left X) (right Y)))) (par (X) ((empty) (insert (first X) (rest (List X)))))))
        (declare-const l (List (Pair Int Bool)))(declare-const m (List Int))(assert ((_ is insert) l))(assert (right (first l)))
        (assert (= (left (first l)) 7))(assert (= (rest l) (as empty (List (Pair Int Bool)))))(assert (= m (insert 1 (as empty (List Int)))))", true),
    case("trees", &["int", "data"], "(declare-datatypes ((T 0) (F 0)) (((node (value Int) (children F))) ((none) (some (tree T) (others F)))))
        (declare-const t T)(assert (= (value t) 1))(assert ((_ is some) (children t)))(assert (= (value (tree (children t))) 2))", true),
    case("data-array", &["int", "dataarray"], "(declare-datatype T ((leaf) (node (kids (Array Int T)))))(declare-const t T)
        (assert ((_ is node) t))(assert ((_ is leaf) (select (kids t) 3)))", true),
    case("floats", &["fp"], "(declare-const x Float32)(declare-const y (_ FloatingPoint 5 11))(declare-const r RoundingMode)
        (assert (fp.lt (fp.add r x x) ((_ to_fp 8 24) RNE 3.5)))(assert (fp.gt x ((_ to_fp 8 24) RNE 1.5)))
        (assert (fp.isNaN (fp.div RNE y y)))(assert (fp.isZero y))(assert (fp.isNegative y))(assert (distinct r RTP RNE))", true),
    case("floats-unsat", &["fp"], "(declare-const x Float16)(assert (not (fp.isNaN x)))(assert (not (fp.eq x x)))", false),
    case("float-bits", &["fp"], "(declare-const x Float32)(assert (= x ((_ to_fp 8 24) #x3f800000)))
        (assert (= ((_ fp.to_sbv 8) RTZ x) #x01))(assert (= (fp.to_real x) 1.0))(assert (= x (fp #b0 #x7f #b00000000000000000000000)))
        (assert (= ((_ to_fp_unsigned 8 24) RNE #x01) x))(assert (= ((_ to_fp 8 24) RNE #x01) x))", true),
    case("lambda", &["int", "lambda"], "(declare-const i Int)(assert (= (select (lambda ((x Int)) (* 2 x)) i) 14))", true),
    case("same-name", &["int"], "(declare-const x Int)(assert (exists ((y Int)) (and (> y x) (< y (+ x 2)))))(assert (= x 4))", true),
];
