extern int printf(const char *, ...);
extern void *malloc(unsigned long);
extern void free(void *);
typedef struct { int a; short b; unsigned bits : 5; int more : 7; } Pair;
enum color { RED = 1 + 2, GREEN = RED << 2 };
static int table[4 + 4];
static const int constant = 3 * 7;
static int calls;

static int next(void) { return ++calls; }
static int *slot(void) { calls += 2; return &table[calls % 8]; }

int old_style(a, b)
    int a;
    short b;
{
    return a * b + a - b;
}

static int short_circuit(int x, int y)
{
    int n = 0;
    if (x > 0 && x + y > 3 || y - x == 2)
        n += 1;
    else if (x * 2 == y) n += 2; else
        n -= 1;
    return x ? n + 1 : y ? n - 1 : (n++, n * 3);
}

static int loops(int n)
{
    int sum = 0, i;
    for (i = 0; i < n + 1; i++)
        if (i % 2) continue; else sum += i;
    while (i-- > 0)
        if (i == 3) break;
        else sum += i * 2;
    do sum -= 1; while (sum > 40 && sum % 7);
    for (int j = n; j > 0; j -= 2, sum++) { sum += j; }
    switch (n) {
    case 1 + 1: sum += 5;
    case 4: sum -= 3; break;
    default: sum = -sum;
    }
again:
    sum += 3;
    if (sum < 20) goto again;
    return sum;
}

static int places(void)
{
    Pair p = { 1, 2, 3, 4 }, *q = &p;
    volatile int v = 5;
    register int r = 6;
    char c = 127;
    signed char d = -128;
    unsigned short us = 60000;
    _Bool flag = 0;
    long long big = 1LL << 40;
    q->bits += 30;
    p.more++;
    q->more -= 2;
    v++; v += 2;
    r++; int old = r++ + next() * 2 - calls;
    *slot() += 3;
    (*slot())++;
    --*slot();
    table[next() & 7] -= 9;
    int got = table[next() & 7]++ + table[2]--;
    c++; d--; us += 10000; flag++;
    big *= 3; big <<= 2; big /= 7; big %= 1000003;
    { typedef struct { int z; } Local; Local l = { 1 }; l.z += 4; got += l.z++; got += l.z; }
    return p.bits + p.more + v + r + old + got + c + d + us + flag + (int)(big & 0xffff) + p.b--
        + (p.a /* a comment, with + */ + -p.a) + (sizeof(got++) == 4) + GREEN;
}

struct node { int value; struct node *next; };

static int heap(int n)
{
    struct node *list = 0;
    int sum = 0;
    for (; n > 0; n--) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->value = n * n; fresh->next = list; list = fresh;
    }
    while (list) { struct node *rest = list->next; sum += list->value; free(list); list = rest; }
    return sum;
}

int main(void)
{
    int (*function)(int) = heap;
    for (int x = -2; x < 4; x++)
        for (int y = -2; y < 4; y++)
            printf("%d ", short_circuit(x, y));
    for (int n = 0; n < 9; n++) printf("%d/%d\n", loops(n), old_style(n, n - 2));
    printf("%d %d %d\n", places(), function(5), (*function)(2));
    printf("%s %d\n", "a string with \"+\" and // no comment", 'a' + 1); // a comment with a - b
    printf("%d\n", ({ int s = calls; s *= 2; s + 1; }));
    return calls - constant > 100 ? 1 : 0;
}
