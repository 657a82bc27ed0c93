// run: svarog instrument %s --spec termination
// What is not looked at is said: the list may change, and nobody copies it.
void *malloc(unsigned long);
struct node {
  struct node *next;
} *list;

int main(void) {
  int n = 3;
  while (n > 0)
    n--;
  while (list)
    list = list->next = malloc(sizeof(struct node));
}
