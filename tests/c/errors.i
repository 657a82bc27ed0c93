// run: svarog lint %s
# 1 "program.c"
struct point { int x, y; };
int count(int n) {
  int total = 0;
  for (int i = 0; i < n; i++)
    totl += i;
  return total
}
int later(struct point *p) { return p->z; }
int ok(void) { return helper(3) + (1 ? 2 : 3); }
int bad = 08 @ 2;
