// run: svarog instrument %s --spec termination
// run: svarog instrument %s --spec example
int main(void)
{
    unsigned x = 0;
    for (int i = 3; i > 0; i--)
        x += i;
    while (x < 127) x = x + 1;
    do ; while (x < 0);
    return 0;
}
