extern int __VERIFIER_nondet_int(void);
extern void abort(void);
static int total;

/* The average of two prices, computed as most people would. */
static int average(int a, int b) { return (a + b) / 2; }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4)
        abort();
    for (int i = 0; i < n; i++) {
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        if (a < 0 || b < 0)
            abort();
        total = average(a, b);
    }
    return total > 100;
}
