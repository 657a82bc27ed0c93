// run: svarog instrument %s --spec example
int main(void) { int y = 0; while (y < 9) y++; return 0; }
