// Yardstick: the routers of hw/router.go as a column model in C++17, one thread, written from the
// same specification beside it, and nothing else in common. It prints how many packets differ from
// the file and flit-hops per second.
//
//   g++ -O2 -std=c++17 -o vc_routers vc_routers.cpp
//   [OUT=F.csv] [CYCLES=N] vc_routers F.csv [topology=mesh|torus|fly|anynet k= n=
//     network_file= num_vcs= vc_buf_size= routing_delay= credit_delay= wait_for_tail_credit=
//     vc_allocator= sw_allocator=]
//
// OUT gets what was found of every packet; CYCLES is where it ends at the latest. Ports x VCs <= 64.
#include "vc_topology.h"
#include <chrono>
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;
static Topo T;
static inline int rot(u64 m, int p) {
  u64 h = m >> p << p;
  return __builtin_ctzll(h ? h : m);
} // smallest (x-p) mod size of the set m, p < 64
struct Out {
  u32 fp;
  u32 cp;
  u8 L;
  u8 sink;
}; // far port index (or node)
int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++)
    if (!setconf(T.c, argv[i])) {
      fprintf(stderr, "? %s\n", argv[i]);
      return 2;
    }
  T.build();
  auto pk = readpk(argv[1]);
  const int V = T.c.V, D = T.c.depth, R = T.R, N = T.N, rd = T.c.rd, cd = T.c.cd, wait = T.c.wait;
  const bool vsep = T.c.va != "islip", ssep = T.c.sa != "islip", tor = T.c.topo == "torus";
  vector<u32> pb(R + 1, 0);
  for (int r = 0; r < R; r++) {
    pb[r + 1] = pb[r] + T.P[r];
    if (T.P[r] * V > 64) {
      fprintf(stderr, "P*V>64\n");
      return 3;
    }
  }
  int NP = pb[R], NV = NP * V, maxL = 1;
  for (auto &h : T.ch)
    maxL = max(maxL, h.L);
  int S = 1;
  while (S < maxL + 3 + cd)
    S *= 2;
  int SM = S - 1;
  int QD = 1;
  while (QD < D)
    QD *= 2;
  int QM = QD - 1;
  // rings: flits and credits per receiving port; masks per router
  vector<u32> rf((size_t)S * NP, 0);
  vector<u8> rc((size_t)S * NP, 0);
  vector<u64> rfm((size_t)S * R, 0), rcm((size_t)S * R, 0);
  vector<u32> sf((size_t)S * N, 0);
  vector<u8> sc((size_t)S * N, 0);
  vector<Out> out(NP), in(NP);
  vector<u32> srcport(N), sinkport(N);
  vector<u8> srcL(N), sinkL(N);
  vector<u32> prt(NP);
  vector<u8> plo(NP);
  for (int r = 0; r < R; r++)
    for (int p = 0; p < T.P[r]; p++) {
      prt[pb[r] + p] = r;
      plo[pb[r] + p] = p;
    }
  for (auto &h : T.ch) {
    if (h.ra < 0) {
      srcport[h.oa] = pb[h.rb] + h.ib;
      srcL[h.oa] = h.L;
      in[pb[h.rb] + h.ib] = {(u32)h.oa, 0, (u8)h.L, 1};
    } else if (h.rb < 0) {
      sinkport[h.ib] = pb[h.ra] + h.oa;
      sinkL[h.ib] = h.L;
      out[pb[h.ra] + h.oa] = {(u32)h.ib, 0, (u8)h.L, 1};
    } else {
      out[pb[h.ra] + h.oa] = {pb[h.rb] + h.ib, 0, (u8)h.L, 0};
      in[pb[h.rb] + h.ib] = {pb[h.ra] + h.oa, 0, (u8)h.L, 0};
    }
  }
  vector<u32> Q((size_t)NV * QD);
  vector<u8> qh(NV, 0), qn(NV, 0), rp(NV, 0), oow(NV, 0), occ(NV, 0), vag(NV, 0), vaa(NV, 0), sag(NP, 0), saa(NP, 0), rr(NP, 0);
  vector<u64> rmask(NV, 0);
  vector<u64> NE(R, 0), WT(R, 0), AC(R, 0), FR(R, ~0ull), CR(R, ~0ull), TS(R, 0);
  vector<u32> dest(pk.size());
  for (size_t i = 0; i < pk.size(); i++)
    dest[i] = pk[i].dest;
  vector<u8> hops(pk.size(), 0);
  vector<u8> tab((size_t)R * N);
  for (int r = 0; r < R; r++)
    for (int d = 0; d < N; d++)
      tab[(size_t)r * N + d] = T.table[r][d];
  vector<int> atime(pk.size(), -1), itime(pk.size(), -1);
  vector<u32> fo(N + 1, 0), fifo(pk.size());
  {
    vector<u32> o(pk.size());
    for (size_t i = 0; i < o.size(); i++)
      o[i] = i;
    stable_sort(o.begin(), o.end(), [&](u32 a, u32 b) { return pk[a].src != pk[b].src ? pk[a].src < pk[b].src : pk[a].ctime < pk[b].ctime; });
    for (auto &p : pk)
      fo[p.src + 1]++;
    for (int n = 0; n < N; n++)
      fo[n + 1] += fo[n];
    fifo = o;
  }
  vector<u32> nx(fo.begin(), fo.end() - 1);
  vector<int> nct(N, 1 << 30);
  auto ld = [&](int n) { nct[n] = nx[n] < fo[n + 1] ? pk[fifo[nx[n]]].ctime : 1 << 30; };
  for (int n = 0; n < N; n++)
    ld(n);
  vector<u8> socc(N * V, 0), sused(N * V, 0), stail(N * V, 0), slast(N, V - 1), svc(N, 0);
  vector<int> spos(N, 0);
  const u64 VM = V == 64 ? ~0ull : (1ull << V) - 1;
  size_t left = pk.size();
  long moves = 0;
  int t = 0;
  u64 col[64];
  u64 req[64], gm[64];
  u8 cand[64][64];
  for (int i = 0; i < 64; i++)
    col[i] = 0, gm[i] = 0;
  const int cycles = getenv("CYCLES") ? atoi(getenv("CYCLES")) : 1 << 22;
  auto T0 = chrono::steady_clock::now();
  for (; left && t < cycles; t++) {
    const int sl = t & SM;
    u32 *RF = &rf[(size_t)sl * NP];
    u8 *RC = &rc[(size_t)sl * NP];
    for (int r = 0; r < R; r++) {
      u64 am = rfm[(size_t)sl * R + r], cm = rcm[(size_t)sl * R + r];
      if (!(am | cm | NE[r]))
        continue;
      const u32 p0 = pb[r], v0 = p0 * V;
      const int P = pb[r + 1] - p0, M = P * V;
      if (am) {
        rfm[(size_t)sl * R + r] = 0;
        do {
          int i = __builtin_ctzll(am);
          am &= am - 1;
          u32 f = RF[p0 + i];
          int iv = i * V + ((f >> 2) & 63);
          u32 g = v0 + iv;
          Q[(size_t)g * QD + ((qh[g] + qn[g]++) & QM)] = f;
          NE[r] |= 1ull << iv;
        } while (am);
      }
      if (cm) {
        rcm[(size_t)sl * R + r] = 0;
        do {
          int o = __builtin_ctzll(cm);
          cm &= cm - 1;
          int ow = o * V + RC[p0 + o];
          u64 b = 1ull << ow;
          occ[v0 + ow]--;
          CR[r] |= b;
          if (wait && !occ[v0 + ow] && (TS[r] & b))
            FR[r] |= b;
        } while (cm);
      }
      const u64 ne = NE[r];
      if (!ne)
        continue;
      u64 ac = AC[r];
      // sets (settle); SA set is fixed before anything is latched
      u64 sas = 0;
      {
        u64 m = ac & ne, cr = CR[r];
        while (m) {
          int iv = __builtin_ctzll(m);
          m &= m - 1;
          sas |= ((cr >> oow[v0 + iv]) & 1) << iv;
        }
      }
      u64 vas = WT[r], idl = ne & ~ac & ~vas;
      u64 newr = idl;
      while (idl) {
        int iv = __builtin_ctzll(idl);
        idl &= idl - 1;
        u32 g = v0 + iv;
        u32 pid = Q[(size_t)g * QD + (qh[g] & QM)] >> 8;
        int lo = 0, hi = V - 1, o;
        if (!tor)
          o = tab[(size_t)r * N + dest[pid]];
        else
          o = T.route(r, iv / V, pk[pid], lo, hi);
        rp[g] = o;
        rmask[g] = (((hi - lo == 63) ? ~0ull : (1ull << (hi - lo + 1)) - 1) << lo) << (o * V);
      }
      if (!rd)
        vas |= newr;
      u64 acn = 0; // newly active
      if (vas) {
        const u64 fr = FR[r];
        u64 oset = 0, rset = 0;
        for (u64 m = vas; m; m &= m - 1) {
          int iv = __builtin_ctzll(m);
          u64 q = rmask[v0 + iv] & fr;
          req[iv] = q;
          if (q) {
            rset |= 1ull << iv;
            oset |= q;
          }
        }
        if (rset) {
          if (!vsep) {
            if (!(rset & (rset - 1))) {
              int iv = __builtin_ctzll(rset);
              gm[iv] = req[iv];
            } else {
              for (u64 m = rset; m; m &= m - 1) {
                int iv = __builtin_ctzll(m);
                for (u64 q = req[iv]; q; q &= q - 1)
                  col[__builtin_ctzll(q)] |= 1ull << iv;
              }
              for (u64 m = oset; m; m &= m - 1) {
                int ow = __builtin_ctzll(m);
                gm[rot(col[ow], vag[v0 + ow])] |= 1ull << ow;
                col[ow] = 0;
              }
            }
            for (u64 m = rset; m; m &= m - 1) {
              int iv = __builtin_ctzll(m);
              if (!gm[iv])
                continue;
              u32 g = v0 + iv;
              int ow = rot(gm[iv], vaa[g]);
              gm[iv] = 0;
              vag[v0 + ow] = iv + 1 == M ? 0 : iv + 1;
              vaa[g] = ow + 1 == M ? 0 : ow + 1;
              acn |= 1ull << iv;
              oow[g] = ow;
              FR[r] &= ~(1ull << ow);
              TS[r] &= ~(1ull << ow);
            }
          } else {
            u64 picked = 0;
            for (u64 m = rset; m; m &= m - 1) {
              int iv = __builtin_ctzll(m);
              int ow = rot(req[iv], vaa[v0 + iv]);
              col[ow] |= 1ull << iv;
              picked |= 1ull << ow;
            }
            for (u64 m = picked; m; m &= m - 1) {
              int ow = __builtin_ctzll(m);
              int iv = rot(col[ow], vag[v0 + ow]);
              col[ow] = 0;
              u32 g = v0 + iv;
              vag[v0 + ow] = iv + 1 == M ? 0 : iv + 1;
              vaa[g] = ow + 1 == M ? 0 : ow + 1;
              acn |= 1ull << iv;
              oow[g] = ow;
              FR[r] &= ~(1ull << ow);
              TS[r] &= ~(1ull << ow);
            }
          }
        }
      }
      WT[r] = (vas | newr) & ~acn;
      AC[r] = ac | acn;
      if (sas) {
        u64 oset = 0;
        u64 iset = 0;
        u64 rq[64];
        for (int i = 0; i < P; i++) {
          u64 s = (sas >> (i * V)) & VM;
          if (!s)
            continue;
          iset |= 1ull << i;
          u64 q = 0;
          int p = rr[p0 + i];
          u64 hi = s >> p << p;
          for (int ph = 0; ph < 2; ph++) {
            for (u64 m = ph ? s ^ hi : hi; m; m &= m - 1) {
              int v = __builtin_ctzll(m);
              int o = oow[v0 + i * V + v] / V;
              u64 b = 1ull << o;
              if (!(q & b)) {
                q |= b;
                cand[i][o] = v;
              }
            }
          }
          rq[i] = q;
          oset |= q;
        }
        u8 mo[64];
        u64 mset = 0;
        if (!ssep) {
          if (!(iset & (iset - 1))) {
            int i = __builtin_ctzll(iset);
            gm[i] = rq[i];
          } else {
            for (u64 m = iset; m; m &= m - 1) {
              int i = __builtin_ctzll(m);
              for (u64 q = rq[i]; q; q &= q - 1)
                col[__builtin_ctzll(q)] |= 1ull << i;
            }
            for (u64 m = oset; m; m &= m - 1) {
              int o = __builtin_ctzll(m);
              gm[rot(col[o], sag[p0 + o])] |= 1ull << o;
              col[o] = 0;
            }
          }
          for (u64 m = iset; m; m &= m - 1) {
            int i = __builtin_ctzll(m);
            if (gm[i]) {
              mo[i] = rot(gm[i], saa[p0 + i]);
              gm[i] = 0;
              mset |= 1ull << i;
            }
          }
        } else {
          u64 pk2 = 0;
          for (u64 m = iset; m; m &= m - 1) {
            int i = __builtin_ctzll(m);
            int o = rot(rq[i], saa[p0 + i]);
            col[o] |= 1ull << i;
            pk2 |= 1ull << o;
          }
          for (u64 m = pk2; m; m &= m - 1) {
            int o = __builtin_ctzll(m);
            int i = rot(col[o], sag[p0 + o]);
            col[o] = 0;
            mo[i] = o;
            mset |= 1ull << i;
          }
        }
        for (u64 m = mset; m; m &= m - 1) {
          int i = __builtin_ctzll(m), o = mo[i], v = cand[i][o], iv = i * V + v;
          u32 g = v0 + iv;
          int ow = oow[g];
          u64 b = 1ull << iv, ob = 1ull << ow;
          sag[p0 + o] = i + 1 == P ? 0 : i + 1;
          saa[p0 + i] = o + 1 == P ? 0 : o + 1;
          rr[p0 + i] = v + 1 == V ? 0 : v + 1;
          moves++;
          u32 f = Q[(size_t)g * QD + (qh[g] & QM)];
          qh[g]++;
          if (!--qn[g])
            NE[r] &= ~b;
          if (++occ[v0 + ow] == D)
            CR[r] &= ~ob;
          hops[f >> 8] += f & 1;
          if (f & 2) {
            AC[r] &= ~b;
            TS[r] |= ob;
            if (!wait)
              FR[r] |= ob;
          }
          f = (f & ~0xFCu) | (ow - o * V) << 2;
          const Out &h = out[p0 + o];
          int s2 = (t + 2 + h.L) & SM;
          if (h.sink)
            sf[(size_t)s2 * N + h.fp] = f | 0x80000000u;
          else {
            rf[(size_t)s2 * NP + h.fp] = f;
            rfm[(size_t)s2 * R + prt[h.fp]] |= 1ull << plo[h.fp];
          }
          const Out &k = in[p0 + i];
          if (k.sink)
            sc[(size_t)((t + 1 + k.L) & SM) * N + k.fp] = v + 1;
          else {
            int s3 = (t + 1 + k.L + cd) & SM;
            rc[(size_t)s3 * NP + k.fp] = v;
            rcm[(size_t)s3 * R + prt[k.fp]] |= 1ull << plo[k.fp];
          }
        }
      }
    }
    for (int n = 0; n < N; n++) {
      u8 &cr = sc[(size_t)sl * N + n];
      u8 *oc = &socc[n * V];
      if (cr) {
        int w = cr - 1;
        cr = 0;
        if (!--oc[w] && wait && stail[n * V + w])
          sused[n * V + w] = 0;
      }
      u32 &sk = sf[(size_t)sl * N + n];
      if (sk) {
        u32 f = sk & 0x7fffffffu;
        sk = 0;
        if (f & 2) {
          atime[f >> 8] = t;
          left--;
        }
        u32 p = sinkport[n];
        int s3 = (t + 1 + sinkL[n] + cd) & SM;
        rc[(size_t)s3 * NP + p] = (f >> 2) & 63;
        rcm[(size_t)s3 * R + prt[p]] |= 1ull << plo[p];
      }
      if (nct[n] <= t) {
        u32 pid = fifo[nx[n]];
        int v = -1;
        bool head = !spos[n];
        if (head) {
          int w = slast[n];
          for (int j = 0; j < V; j++) {
            if (++w >= V)
              w = 0;
            if (!sused[n * V + w] && oc[w] < D) {
              v = w;
              break;
            }
          }
          if (v >= 0) {
            sused[n * V + v] = 1;
            stail[n * V + v] = 0;
            slast[n] = svc[n] = v;
            itime[pid] = t;
          }
        } else if (oc[svc[n]] < D)
          v = svc[n];
        if (v >= 0) {
          bool tail = ++spos[n] == pk[pid].size;
          oc[v]++;
          u32 p = srcport[n];
          int s2 = (t + 1 + srcL[n]) & SM;
          rf[(size_t)s2 * NP + p] = pid << 8 | v << 2 | tail << 1 | head;
          rfm[(size_t)s2 * R + prt[p]] |= 1ull << plo[p];
          if (tail) {
            stail[n * V + v] = 1;
            if (!wait)
              sused[n * V + v] = 0;
            spos[n] = 0;
            nx[n]++;
            ld(n);
          }
        }
      }
    }
  }
  double sec = chrono::duration<double>(chrono::steady_clock::now() - T0).count();
  int bad = 0;
  for (size_t i = 0; i < pk.size(); i++)
    bad += itime[i] != pk[i].wi || atime[i] != pk[i].wa || hops[i] != pk[i].wh;
  printf("%s: %zu packets, %d differ, undelivered %zu; %d cycles, %ld flit-hops, %.4f s, %.2f M flit-hops/s\n", argv[1], pk.size(), bad, left, t,
         moves, sec, moves / sec / 1e6);
  if (getenv("OUT")) {
    FILE *o = fopen(getenv("OUT"), "w");
    fprintf(o, "pid,src,dest,size,ctime,itime,atime,hops,measured\n");
    for (size_t i = 0; i < pk.size(); i++)
      fprintf(o, "%zu,%d,%d,%d,%d,%d,%d,%d,0\n", i, pk[i].src, pk[i].dest, pk[i].size, pk[i].ctime, itime[i], atime[i], hops[i]);
    fclose(o);
  }
  return bad || left;
}
