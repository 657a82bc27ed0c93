// run: svarog instrument %s --spec division-by-zero
#define HALF(x) ((x) / y)
int f(int x, int y) { return HALF(x); }
