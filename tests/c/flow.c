// run: svarog convert %s --to dot
void exit(int);
void abort(void);
int nondet(void);
int f(int n, int *a) {
  int s = 0;
  for (int i = 0; i < n && a[i] > 0; i++) {
    if (a[i] == 7) continue;
    s += a[i] * 2;
  }
  switch (s) {
  case 0: return nondet() ? 1 : -1;
  case 1 ... 3: s++;
  default: break;
  }
  do s--; while (s > 10 || !n);
again:
  if (s < 0) { s = s + 1; goto again; }
  return s;
}
int main(int argc, char **argv) {
  if (argc > 3) exit(1);
  if (argc > 2) abort();
  while (1) { if (f(argc, 0)) break; }
}
