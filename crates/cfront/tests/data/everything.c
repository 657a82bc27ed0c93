# 1 "everything.c"
# 1 "<built-in>" 1
typedef unsigned long size_t;
typedef int word __attribute__((__mode__(__SI__)));
typedef __builtin_va_list va_list;
extern void abort(void) __attribute__((__nothrow__, __noreturn__));
extern void *malloc(size_t n) __asm__("malloc");
extern int printf(const char *__restrict format, ...) __attribute__((format(printf, 1, 2)));
# 10 "everything.c" 2
struct point { int x, y; };
struct bits { unsigned a : 3, : 0, b : 5; _Bool c : 1; long long d : 40; };
union both { float f; struct { int low; int high; }; char bytes[]; };
struct __attribute__((packed)) tight { char c; int i __attribute__((aligned(2))); };
#pragma pack(push, 1)
struct packed2 { char c; long l; };
#pragma pack(pop)
_Static_assert(sizeof(struct packed2) == sizeof(long) + 1, "packed");
enum color { RED, GREEN = 1 << 3, BLUE, } paint = BLUE;
typedef int (*operation)(int, int);
typedef struct list { struct list *next; int value; } list, *list_ptr;
static const char *const names[] = { [RED] = "red", [BLUE] = "bl" "ue\n\t\x41\101", [2 ... 3] = 0 };
static int matrix[2][3] = { { 1, 2, 3 }, 4, 5, 6 };
struct point points[] = { { .y = 1, .x = 2 }, 3, 4, [4] = { 5 } };
struct point points2[] = { { y: 1, x: 2 } };
char text[] = "abc", braced[] = { "abc" };
int wide[] = L"w\u00e9";
double numbers[] = { 1., .5, 1e10, 0x1.8p-3, 1.5f, 2e-3L };
unsigned long long big = 0xFFFFFFFFFFFFFFFFULL + 0b101 + 017u;
_Complex double z = 1.0 + 2.0i;
__int128 huge;
_Float128 quad;
int $dollar$ = 1;
int add(int a, int b) { return a + b; }
int old(a, p, c) char *p; int a; { return a + *p + c; }
implicit(void) { return 3; }
static inline __attribute__((always_inline)) int twice(int x) { return x * 2; }
int sum(int n, ...) {
  va_list ap; int s = 0;
  __builtin_va_start(ap, n);
  for (int i = 0; i < n; i++) s += __builtin_va_arg(ap, int);
  __builtin_va_end(ap);
  return s;
}
operation choose(int k) { return k ? add : 0; }
int (*pick(int k))(int, int) { return k ? &add : (operation)0; }
int vla(int n, int a[static 1], int b[n][n]) { int local[n + 1]; return sizeof local + sizeof(int[n]) + b[0][1] + a[0]; }
_Noreturn void stop(void) { abort(); }
int run(int n) {
  __label__ inner;
  static void *table[] = { &&inner, &&done };
  register int i = 0;
  struct point q = { 1 }, *p = &q;
  union both u = { .low = 3 };
  int later = ({ int t = n; if (t < 0) t = -t; t; });
  extern int outside;
  __auto_type copy = p->x;
  typeof(q.x) same = copy;
  goto *table[n & 1];
inner:
  i++;
  do { i += 2; if (i > 10) break; else continue; } while (i < 100);
  switch (n) {
  case 0: i = 1;
  case 1 ... 3: { i = 2; break; }
  case 'a': default: i = n ?: 5; __attribute__((fallthrough));
  case -1: ;
  }
  asm volatile("nop" : "=r"(i), [out] "=m"(q.x) : "0"(i), "r"(n) : "memory", "cc");
  p = &(struct point){ .x = i, .y = -i };
  (void)(i ? (void)0 : abort());
  i = _Generic(i, int: 1, long: 2, default: 3) + _Alignof(long) + __alignof__(q) + __builtin_offsetof(struct point, y);
  i <<= 2, i >>= 1, i ^= ~i, i |= !i, i &= 7, i %= 5, i /= 3, i *= -+i, i -= i--;
  while (n-- > 0 && i || p->x == q.y != (u.f < 1)) if (n) while (0); else i = sizeof(int) * sizeof p;
  for (;;) { int same; same = 1; if (same) goto done; }
  int nested(int k) { return k + 1; }
  i = nested(i) + __extension__ (i) + __builtin_expect(i, 0) + implicit() + outside + later + same;
done:
  return printf("%d %s\n", i, __func__) + 'x' + '\'' + '\\' + L'x' + names[0][0] + (int)__real__ z;
}
int main(int argc, char **argv) { /* a comment */ // and another
  return run(argc) + sum(2, 1, 2) + add(points[0].x, (*choose(1))(1, 2)) + old(1, *argv, 3) + twice(4) + vla(0, 0, 0);
}
