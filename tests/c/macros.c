// run: svarog lint %s
// run: svarog lint --data-model ILP32 %s
#include <stddef.h>
#include <limits.h>
#define TWICE(x) ((x) + (x))
#define WRONG undeclared_by_macro
_Static_assert(sizeof(long) == 8, "only where long has 64 bits");
int main(void) {
  size_t size = TWICE(sizeof(int));
  return size + missing + TWICE(1) + missing + WRONG;
}
