// run: svarog instrument %s --spec no-overflow
// run: svarog instrument %s --spec no-overflow --map -
// run: svarog instrument %s --property %d/missing.prp
// run: svarog instrument %s --spec no-overflow --with remainder,no-strict_shifts
// run: svarog instrument %s --spec no-overflow --with speed
// run: svarog instrument %s --spec overflow
// run: svarog instrument --strip %s
// run: svarog verify %s
extern void reach_error(void);
unsigned u(unsigned x) { return x + 1; }
int f(int a, short *p)
{
    if (a > 0 && a * 2 < 9) p[a]++, *p += a;
    return a-- % 3;
}
