// run: svarog instrument %s --spec no-overflow --harness libfuzzer
// run: svarog instrument %s --spec no-overflow --harness afl
// run: svarog instrument %s --spec no-overflow --harness klee
// run: svarog instrument %s --spec no-overflow --harness other
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
static int table[2];
int main(int argc, char **argv) { table[1] = -__VERIFIER_nondet_int(); if (table[1] < 0) abort(); return 0; }
