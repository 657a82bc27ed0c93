/* Runs a program many times in forked copies, each with random values of its own, and prints for each run how it ended:
   `SEED CHOICE STATUS HASH FLAGS`. The hash is of what the run printed, the flags are kinds of reports of sanitizers.
   Values that inserted text chooses come from a stream of their own, or are 1 exactly the CHOICEth time; choices that are not
   made are not tried. A program that asks for no value is run once. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REACHED = 200, ASSUMED = 201, OWN_ERROR = 202 };

static uint64_t state, choices;
static long choice_at = -1, choices_made, chosen_of = 4;
static int goes_on;
static long calls;

/* What the parent is told about a run. */
struct told {
  /* The error function was called; a program may return any status. */
  int is_reached;
  /* A random value was asked for. */
  int is_random;
  /* The choice that was to be made was made. */
  int is_chosen;
};
static struct told *told;

static uint64_t step(uint64_t *at) {
  uint64_t z = (*at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Small numbers, extremes of all types and their neighbours, and anything. */
static int64_t value(int bits) {
  uint64_t kind = step(&state) % 16, more = step(&state);
  told->is_random = 1;
  if (++calls > 100000) _exit(ASSUMED);
  if (kind < 6) return (int64_t)(more % 8) - 2;
  if (kind < 9) return (int64_t)(more % 256) - 64;
  if (kind < 13) {
    int64_t max = bits >= 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
    return more & 1 ? max - (int64_t)(more / 2 % 3) : -max - 1 + (int64_t)(more / 2 % 3);
  }
  return (int64_t)more;
}

#define WEAK __attribute__((weak))
#define NONDET(name, type, bits) WEAK type __VERIFIER_nondet_##name(void) { return (type)value(bits); }
NONDET(int, int, 32)
NONDET(uint, unsigned, 33)
NONDET(unsigned, unsigned, 33)
NONDET(unsigned_int, unsigned, 33)
NONDET(u32, unsigned, 33)
NONDET(S32, int, 32)
NONDET(U32, unsigned, 33)
NONDET(long, long, 8 * sizeof(long))
NONDET(ulong, unsigned long, 8 * sizeof(long) + 1)
NONDET(longlong, long long, 64)
NONDET(ulonglong, unsigned long long, 64)
NONDET(size_t, size_t, 8)
NONDET(short, short, 16)
NONDET(ushort, unsigned short, 17)
NONDET(u16, unsigned short, 17)
NONDET(char, char, 8)
NONDET(uchar, unsigned char, 9)
NONDET(u8, unsigned char, 9)
NONDET(float, float, 32)
NONDET(double, double, 32)
WEAK void *__VERIFIER_nondet_pointer(void) { return 0; }
WEAK char *__VERIFIER_nondet_string(void) { return ""; }
WEAK _Bool __VERIFIER_nondet_bool(void) {
  if (choice_at >= 0) {
    int is_now = choices_made++ == choice_at;
    told->is_chosen |= is_now;
    return is_now;
  }
  told->is_random = 1;
  return step(&choices) % chosen_of == 0;
}
/* Looks for leaks where a program ends otherwise than by `exit`, too. */
WEAK void __lsan_do_leak_check(void);
__attribute__((noreturn)) static void leave(int status) {
  fflush(stdout);
  if (__lsan_do_leak_check) __lsan_do_leak_check();
  _exit(status);
}
WEAK void abort(void) { leave(134); }
WEAK void __assert_fail(const char *what, const char *file, unsigned line, const char *function) {
  (void)what, (void)file, (void)line, (void)function;
  leave(134);
}
WEAK void __VERIFIER_assume(int holds) { if (!holds) _exit(ASSUMED); }
WEAK void __VERIFIER_atomic_begin(void) {}
WEAK void __VERIFIER_atomic_end(void) {}
WEAK void reach_error(void) { if (!goes_on) { told->is_reached = 1; leave(REACHED); } }
/* Called at the beginning of functions, if the compiler is told to: the program may define the error function itself. */
void __cyg_profile_func_enter(void *function, void *site) {
  (void)site;
  if (function == (void *)reach_error && told && !goes_on) { told->is_reached = 1; _exit(REACHED); }
}
void __cyg_profile_func_exit(void *function, void *site) { (void)function, (void)site; }
/* It ends like `abort`, which is what an instrumented program does in its place. */
WEAK void __VERIFIER_error(void) { leave(134); }
WEAK void __VERIFIER_assert(int holds) { if (!holds) leave(OWN_ERROR); }
/* The names that errors of the program have in an instrumented one. */
WEAK void __svarog_program_reach_error(void) { leave(OWN_ERROR); }
WEAK void __svarog_program_VERIFIER_assert(int holds) { if (!holds) leave(OWN_ERROR); }

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

static char buffer[1 << 16];

static long contents(int file) {
  long size = pread(file, buffer, sizeof buffer - 1, 0);
  buffer[size < 0 ? 0 : size] = 0;
  return size < 0 ? 0 : size;
}

static const char *flags(int file) {
  static char out[16];
  char *at = out;
  contents(file);
  if (told->is_reached) *at++ = 'R';
  if (strstr(buffer, "signed integer overflow") || strstr(buffer, "negation of")) *at++ = 'o';
  if (strstr(buffer, "division of")) *at++ = 'm';
  if (strstr(buffer, "cannot be represented in type") && strstr(buffer, "left shift of")) *at++ = 's';
  if (strstr(buffer, "left shift of negative value")) *at++ = 'n';
  if (strstr(buffer, "division by zero")) *at++ = 'z';
  if (strstr(buffer, "out of bounds for type")) *at++ = 'b';
  if (strstr(buffer, "detected memory leaks")) *at++ = 'l';
  if (strstr(buffer, "attempting double-free") || strstr(buffer, "which was not malloc()-ed")) *at++ = 'f';
  else if (strstr(buffer, "ERROR: AddressSanitizer")) *at++ = 'a';
  else if (strstr(buffer, "MemorySanitizer: use-of-uninit")) *at++ = 'u';
  else if (strstr(buffer, "runtime error:") && at == out) *at++ = 'u';
  if (strstr(buffer, "LeakSanitizer has encountered a fatal error")) *at++ = '!';
  if (at == out) *at++ = '-';
  *at = 0;
  return out;
}

/* Memory that nobody has written has these bytes, so that a program that reads it can be told. */
static void fill(int byte) {
  volatile char stack[1 << 18];
  for (unsigned i = 0; i < sizeof stack; i++) stack[i] = (char)byte;
  mallopt(M_PERTURB, byte);
}

/* Memory that the library allocates for itself is no leak of the program: it does so before anybody looks. */
WEAK void __lsan_disable(void);
WEAK void __lsan_enable(void);
static void prepare_library(void) {
  time_t now = 0;
  if (__lsan_disable) __lsan_disable();
  localtime(&now);
  if (__lsan_enable) __lsan_enable();
}

/* The part of a run before the program's own: in the forked copy. */
static void begin(long seed, long choice, int out, int err) {
  long ms = number("RUN_MS", 100);
  struct itimerval limit = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};
  struct rlimit size = {1 << 20, 1 << 20}, none = {0, 0};
  state = choices = (uint64_t)seed * 0x2545f4914f6cdd1du;
  choice_at = choice;
  /* Some runs choose early, others late. */
  chosen_of = 4L << seed % 4 * 4;
  dup2(out, 1);
  dup2(err, 2);
  lseek(1, 0, SEEK_SET);
  lseek(2, 0, SEEK_SET);
  close(0);
  setrlimit(RLIMIT_FSIZE, &size);
  setrlimit(RLIMIT_CORE, &none);
  setitimer(ITIMER_PROF, &limit, 0);
  /* A program that sleeps uses no processor time. */
  alarm((unsigned)(3 + ms / 250));
  fill((int)number("RUN_FILL", 0));
}

__attribute__((constructor(65535))) static void runs(void) {
  long from = number("RUN_SEED", 1), count = number("RUN_COUNT", 1), most = number("RUN_CHOICES", 0);
  int out = open(getenv("RUN_OUT"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  int err = open(getenv("RUN_ERR"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  static char input[4096], output[1 << 16];
  long slow = 0, done = 0;
  /* Buffers that the library would allocate are no leaks. */
  setvbuf(stdout, output, _IOFBF, sizeof output);
  setvbuf(stdin, input, _IOFBF, sizeof input);
  prepare_library();
  goes_on = number("RUN_ON", 0);
  told = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (out < 0 || err < 0 || told == MAP_FAILED) _exit(9);
  for (long seed = from; seed < from + count; seed++) {
    for (long choice = most ? 0 : -1; choice < most; choice++) {
      if (ftruncate(out, 0) || ftruncate(err, 0)) _exit(9);
      told->is_reached = told->is_chosen = 0;
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        begin(seed, choice, out, err);
        return;
      }
      int status = 0;
      waitpid(child, &status, 0);
      int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      uint64_t hash = 0xcbf29ce484222325u;
      long size = contents(out);
      for (long i = 0; i < size; i++) hash = (hash ^ (unsigned char)buffer[i]) * 0x100000001b3u;
      /* Choices that nobody has tried may be left. */
      int is_open = most && choice == most - 1 && told->is_chosen && !told->is_reached;
      printf("%ld %ld %d %llx %s%s\n", seed, choice, code, (unsigned long long)hash, flags(err), is_open ? "C" : "");
      done++;
      /* A program that never ends is not asked a hundred times. */
      int is_slow = code == -SIGPROF || code == -SIGALRM;
      slow += is_slow;
      long most_slow = number("RUN_SLOW", 20);
      int is_enough = is_slow && (slow > most_slow || (slow == done && slow > 4 && slow > most_slow / 4));
      if (is_enough || (told->is_reached && number("RUN_ONCE", 0))) {
        fflush(stdout);
        _exit(0);
      }
      if (most && (told->is_reached || !told->is_chosen)) break;
    }
    if (!told->is_random) break;
  }
  fflush(stdout);
  _exit(0);
}
