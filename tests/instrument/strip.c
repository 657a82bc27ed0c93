/*@0 instrumented by svarog*/
// run: svarog instrument --strip %s
int f(int a) { return  /*@0{*/__svarog_neg_int(/*@0}*/ /*@0{-*//*@0}*/a /*@0{*/)/*@0}*/; }
