// The functions of a circuit, of which sl_settle chooses among doubles: wazero 1.12.0 compiles it wrongly.
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
#define EXPORT(name) __attribute__((export_name(#name)))
__attribute__((noinline)) static uint32_t h(uint32_t x){ __asm__ volatile("":"+r"(x)); return x*2654435761u>>3; }
__attribute__((noinline)) static double g(double a,double b){ __asm__ volatile("":"+r"(a)); return a*(double)0.5+b; }
static void mix(uint64_t*u,void*z,int n){ uint64_t w=0; __builtin_memcpy(&w,z,n); *u=*u*31+w; }
__attribute__((noinline)) static double f0(double a0,double a1,double a2,double a3,double a4,double a5,double a6,
  double a7, uint32_t x,const double*p){
 double t0=g(a0,a7); double t1=g(a0,a0); double t2=g(a0,a4); double t3=(x&8)?a5:a2;
 __asm__ volatile("":"+r"(t3)); double t4=g(a0,a7); double t5=p[4]; __asm__ volatile("":"+r"(t5));
 double t6=t0<t2?a2:t2; double t7=(x&16)?t1:t1; __asm__ volatile("":"+r"(t7));
 return (x&8)?a2:a3; }
__attribute__((noinline)) static double f1(double a0,double a1,double a2, uint32_t x,const double*p){
 double t0=(x&2)?a2:a2; __asm__ volatile("":"+r"(t0)); double t1=a2<t0?a1:t0; x=h(x); double t2=a0;
 return (x&16)?a2:t0; }
__attribute__((noinline)) static double f2(double a0,double a1,double a2,double a3,double a4,double a5,double a6,
  double a7,double a8, uint32_t x,const double*p){
 double t0=(x&2)?a0:a6; __asm__ volatile("":"+r"(t0));
 return a7*(double)1+a4*(double)2+a6*(double)3+t0*(double)4+a3*(double)5; }
__attribute__((noinline)) static double f3(double a0,double a1,double a2,double a3,double a4, uint32_t x,
  const double*p){
 double t0=p[13]; __asm__ volatile("":"+r"(t0)); double t1=(x&8)?a0:a0; __asm__ volatile("":"+r"(t1));
 double t2=t1<a4?a2:a4; double t3=g(a0,t0); double t4=(x&1)?t2:t0; __asm__ volatile("":"+r"(t4));
 double t5=a2<a2?t4:a2; x=h(x); double t6=a0; double t7=g(a0,t1);
 return a0*(double)1; }
__attribute__((noinline)) static double f4(double a0,double a1,double a2,double a3, uint32_t x,const double*p){
 double t0=p[45]; __asm__ volatile("":"+r"(t0)); double t1=p[41]; __asm__ volatile("":"+r"(t1)); x=h(x);
 double t2=a1; double t3=p[14]; __asm__ volatile("":"+r"(t3)); x=h(x); double t4=t1; double t5=(x&16)?t4:a2;
 __asm__ volatile("":"+r"(t5)); double t6=(x&4)?t1:t5; __asm__ volatile("":"+r"(t6)); double t7=(x&32)?t2:a1;
 __asm__ volatile("":"+r"(t7)); x=h(x); double t8=t6; double t9=(x&32)?t2:t2; __asm__ volatile("":"+r"(t9));
 double t10=(x&8)?a1:a0; __asm__ volatile("":"+r"(t10)); double t11=(x&16)?t3:a3;
 __asm__ volatile("":"+r"(t11));
 return t2*(double)1+a2*(double)2+a0*(double)3+t6*(double)4+t7*(double)5+t11*(double)6+t5*(double)7+t10*(double)8+
  t9*(double)9+a3*(double)10;
 }
__attribute__((noinline)) static double f5(double a0,double a1,double a2,double a3,double a4,double a5,double a6,
  uint32_t x,const double*p){
 double t0=a1<a6?a1:a6; double t1=g(a0,a6); double t2=g(a0,a3); double t3=(x&4)?t0:a2;
 __asm__ volatile("":"+r"(t3)); double t4=p[25]; __asm__ volatile("":"+r"(t4)); x=h(x); double t5=a5;
 double t6=g(a0,a1);
 return a4*(double)1+a3*(double)2+t4*(double)3+t6*(double)4+t5*(double)5+a6*(double)6+a1*(double)7+a5*(double)8+
  a2*(double)9+a0*(double)10+t1*(double)11;
 }
__attribute__((noinline)) static double f6(double a0,double a1, uint32_t x,const double*p){
 double t0=p[57]; __asm__ volatile("":"+r"(t0)); x=h(x); double t1=a0; double t2=g(a0,a1); double t3=t1<t2?a0:t2;
 return t1*(double)1+a1*(double)2+t0*(double)3; }
__attribute__((noinline)) static double f7(double a0,double a1, uint32_t x,const double*p){
 double t0=p[24]; __asm__ volatile("":"+r"(t0)); x=h(x); double t1=a0; double t2=(x&8)?a1:a1;
 __asm__ volatile("":"+r"(t2)); double t3=a1<a1?t1:a1; x=h(x); double t4=t0; double t5=(x&8)?t2:t1;
 __asm__ volatile("":"+r"(t5)); double t6=g(a0,t4);
 return (x&2)?t4:t2; }
__attribute__((noinline)) static double f8(double a0,double a1,double a2,double a3, uint32_t x,const double*p){
 x=h(x); double t0=a2; double t1=(x&4)?a0:a0; __asm__ volatile("":"+r"(t1)); x=h(x); double t2=a3;
 double t3=p[37]; __asm__ volatile("":"+r"(t3)); x=h(x); double t4=a1; x=h(x); double t5=t1;
 return (x&32)?t1:a0; }
__attribute__((noinline)) static double f9(double a0,double a1,double a2,double a3, uint32_t x,const double*p){
 double t0=a1<a0?a1:a0; x=h(x); double t1=a3; double t2=t1<t1?t1:t1; x=h(x); double t3=t0; double t4=p[3];
 __asm__ volatile("":"+r"(t4)); double t5=a3<a0?a1:a0; double t6=(x&4)?t0:a2; __asm__ volatile("":"+r"(t6));
 return (x&2)?t0:a0; }
__attribute__((noinline)) static double f10(double a0,double a1,double a2, uint32_t x,const double*p){
 double t0=p[46]; __asm__ volatile("":"+r"(t0)); x=h(x); double t1=t0; double t2=p[47];
 __asm__ volatile("":"+r"(t2)); double t3=a2<a0?a2:a0; double t4=g(a0,a2); double t5=p[26];
 __asm__ volatile("":"+r"(t5)); double t6=a1<t5?t3:t5; double t7=g(a0,t0); double t8=(x&1)?a2:t6;
 __asm__ volatile("":"+r"(t8));
 return t4*(double)1+a1*(double)2+t0*(double)3; }
__attribute__((noinline)) static double f11(double a0,double a1,double a2,double a3,double a4,double a5, uint32_t x,
  const double*p){
 x=h(x); double t0=a3; double t1=(x&8)?a0:a2; __asm__ volatile("":"+r"(t1)); double t2=g(a0,a2);
 double t3=(x&2)?t2:a3; __asm__ volatile("":"+r"(t3)); double t4=g(a0,t2);
 return a4*(double)1+a3*(double)2+a2*(double)3+a0*(double)4+t2*(double)5+a5*(double)6+t0*(double)7+t3*(double)8+
  t4*(double)9+t1*(double)10+a1*(double)11;
 }

static double values[64];
EXPORT(sl_open) int sl_open(uint64_t a, uint64_t b) { return 0; }
EXPORT(sl_start) int sl_start(int a) { return 0; }
EXPORT(sl_edge) int sl_edge(int a, uint64_t b) { return 0; }
EXPORT(sl_step) int sl_step(int a, uint64_t b, int c) { return 0; }
EXPORT(sl_part) int sl_part(int a, int b) { return 0; }
EXPORT(sl_settle) int sl_settle(int start) {
 uint32_t x=start; uint64_t u=0; const double*p=values; double z;
 for(int i=0;i<64;i++) values[i]=(double)(i+1)*(double)1.25;
 z=f0(p[49],p[55],p[44],p[33],p[32],p[34],p[33],p[17],x = h(x),p); mix(&u,&z,sizeof z);
 z=f1(p[35],p[27],p[34],x = h(x),p); mix(&u,&z,sizeof z);
 z=f2(p[11],p[56],p[34],p[32],p[50],p[62],p[33],p[30],p[38],x = h(x),p); mix(&u,&z,sizeof z);
 z=f3(p[51],p[10],p[37],p[18],p[10],x = h(x),p); mix(&u,&z,sizeof z);
 z=f4(p[17],p[51],p[39],p[63],x = h(x),p); mix(&u,&z,sizeof z);
 z=f5(p[49],p[13],p[55],p[26],p[36],p[16],p[40],x = h(x),p); mix(&u,&z,sizeof z);
 z=f6(p[35],p[29],x = h(x),p); mix(&u,&z,sizeof z);
 z=f7(p[40],p[63],x = h(x),p); mix(&u,&z,sizeof z);
 z=f8(p[56],p[63],p[39],p[40],x = h(x),p); mix(&u,&z,sizeof z);
 z=f9(p[36],p[60],p[50],p[32],x = h(x),p); mix(&u,&z,sizeof z);
 z=f10(p[52],p[39],p[29],x = h(x),p); mix(&u,&z,sizeof z);
 z=f11(p[7],p[30],p[2],p[53],p[49],p[61],x = h(x),p); mix(&u,&z,sizeof z);
 return (int)(u^u>>32); }
