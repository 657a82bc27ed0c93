extern int __VERIFIER_nondet_int(void);

/* Steps until a number is 1: even numbers are halved, 3 is added to odd ones. Multiples of 3 never get there. */
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    while (n != 1) {
        if (n % 2)
            n = n + 3;
        else
            n = n / 2;
    }
    return 0;
}
