// run: svarog instrument %s --spec %d/uncovered.ia
// Findings are shown in this file, not in what a preprocessor makes of it.
#define NULL ((void *)0)
#define FOREVER for (;;)
void *malloc(unsigned long);

struct node {
  struct node *next;
} *list;

int main(int argc, char **argv) {
  while (list != NULL)
    list = list->next = malloc(sizeof(struct node));
  FOREVER list->next = list;
  switch (argc) {
  case 2:
    return 1;
  }
}
