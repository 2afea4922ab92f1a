// Topology, routing, packets of the yardstick.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <string>
#include <vector>
#include <map>
#include <fstream>
#include <sstream>
#include <iostream>
#include <algorithm>
using namespace std;
struct Conf {
  string topo = "mesh", va = "islip", sa = "islip", net;
  int k = 4, n = 2, V = 2, depth = 4, rd = 1, cd = 0, wait = 0, mut = 0, lat = 0, order = 0, srcmax = 0;
};
static bool setconf(Conf &c, const string &a) {
  size_t e = a.find('=');
  string x = a.substr(0, e), y = a.substr(e + 1);
  auto I = [&] { return atoi(y.c_str()); };
  if (x == "topology")
    c.topo = y;
  else if (x == "vc_allocator")
    c.va = y;
  else if (x == "sw_allocator")
    c.sa = y;
  else if (x == "network_file")
    c.net = y;
  else if (x == "k")
    c.k = I();
  else if (x == "n")
    c.n = I();
  else if (x == "num_vcs")
    c.V = I();
  else if (x == "vc_buf_size")
    c.depth = I();
  else if (x == "routing_delay")
    c.rd = I();
  else if (x == "credit_delay")
    c.cd = I();
  else if (x == "wait_for_tail_credit")
    c.wait = I();
  else if (x == "mut")
    c.mut = I();
  else if (x == "lat")
    c.lat = I();
  else if (x == "order")
    c.order = I();
  else
    return false;
  return true;
}
struct Pkt {
  int ctime, src, dest, size, itime = -1, atime = -1, hops = 0, wi, wa, wh;
  uint8_t ph = 0;
};
static vector<Pkt> readpk(const string &f) {
  vector<Pkt> v;
  ifstream in(f);
  string l;
  getline(in, l);
  while (getline(in, l)) {
    int a[9];
    sscanf(l.c_str(), "%d,%d,%d,%d,%d,%d,%d,%d,%d", a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8);
    Pkt p;
    p.src = a[1];
    p.dest = a[2];
    p.size = a[3];
    p.ctime = a[4];
    p.wi = a[5];
    p.wa = a[6];
    p.wh = a[7];
    v.push_back(p);
  }
  return v;
}
// channel: from (router ra, output oa) or source node; to (router rb, input ib) or sink node
struct Chan {
  int ra, oa, rb, ib, L;
}; // ra=-1: oa=source node; rb=-1: ib=sink node
struct Topo {
  Conf c;
  int N, R;
  vector<int> P;
  vector<Chan> ch;
  vector<vector<int>> table; // table[r][dest] = port
  void build() {
    int k = c.k, n = c.n;
    if (c.topo == "fly") {
      N = k;
      R = 1;
      P = {k};
      for (int j = 0; j < k; j++) {
        ch.push_back({-1, j, 0, j, 1});
        ch.push_back({0, j, -1, j, 1});
      }
      table.assign(1, vector<int>(N));
      for (int j = 0; j < k; j++)
        table[0][j] = j;
    } else if (c.topo == "mesh" || c.topo == "torus") {
      bool tor = c.topo == "torus";
      N = 1;
      for (int d = 0; d < n; d++)
        N *= k;
      R = N;
      P.assign(R, 2 * n + 1);
      int L = tor ? 2 : 1;
      if (c.lat)
        L = c.lat;
      for (int r = 0; r < R; r++) {
        int kd = 1;
        for (int d = 0; d < n; d++, kd *= k) {
          int x = r / kd % k;
          if (tor || x < k - 1) {
            int q = x == k - 1 ? r - (k - 1) * kd : r + kd;
            ch.push_back({r, 2 * d, q, 2 * d + 1, L});
          }
          if (tor || x > 0) {
            int q = x == 0 ? r + (k - 1) * kd : r - kd;
            ch.push_back({r, 2 * d + 1, q, 2 * d, L});
          }
        }
        ch.push_back({-1, r, r, 2 * n, 1});
        ch.push_back({r, 2 * n, -1, r, 1});
      }
      table.assign(R, vector<int>(N));
      for (int r = 0; r < R; r++)
        for (int D = 0; D < N; D++) {
          int o = 2 * n, kd = 1;
          for (int d = 0; d < n; d++, kd *= k) {
            int a = r / kd % k, b = D / kd % k;
            if (a != b) {
              o = a < b ? 2 * d : 2 * d + 1;
              break;
            }
          }
          table[r][D] = o;
        }
    } else {
      map<int, map<int, int>> nod;
      map<int, map<int, int>> adj;
      map<int, map<int, bool>> decl;
      ifstream in(c.net);
      string l;
      N = 0;
      while (getline(in, l)) {
        istringstream s(l);
        vector<string> w;
        string x;
        while (s >> x)
          w.push_back(x);
        if (w.empty())
          continue;
        if (w[0] != "router")
          abort();
        int r = stoi(w[1]);
        nod[r];
        adj[r];
        for (size_t i = 2; i < w.size();) {
          string kind = w[i];
          int num = stoi(w[i + 1]);
          i += 2;
          int lat = 1;
          if (i < w.size() && isdigit(w[i][0]))
            lat = stoi(w[i++]);
          if (kind == "node") {
            nod[r][num] = lat;
            N++;
          } else {
            adj[r][num] = lat;
            nod[num];
            if (!adj[num].count(r))
              adj[num][r] = 1;
          }
        }
      }
      R = adj.size();
      P.resize(R);
      vector<map<int, int>> port(R);
      vector<vector<int>> at(R);
      for (int r = 0; r < R; r++) {
        P[r] = nod[r].size() + adj[r].size();
        int j = 0;
        for (auto &x : nod[r]) {
          ch.push_back({-1, x.first, r, j, x.second});
          ch.push_back({r, j, -1, x.first, x.second});
          j++;
        }
        for (auto &x : adj[r])
          port[r][x.first] = j++;
      }
      for (int r = 0; r < R; r++)
        for (auto &x : adj[r])
          ch.push_back({r, port[r][x.first], x.first, port[x.first][r], x.second});
      table.assign(R, vector<int>(N, -1));
      for (int r = 0; r < R; r++) {
        vector<long> dist(R, 1L << 40);
        vector<int> pre(R, -1), fin(R, 0);
        dist[r] = 0;
        for (int it = 0; it < R; it++) {
          int m = -1;
          for (int x = 0; x < R; x++)
            if (!fin[x] && (m < 0 || dist[x] < dist[m]))
              m = x;
          fin[m] = 1;
          for (auto &x : adj[m])
            if (dist[m] + x.second < dist[x.first]) {
              dist[x.first] = dist[m] + x.second;
              pre[x.first] = m;
            }
        }
        for (int x = 0; x < R; x++) {
          int y = x;
          while (x != r && pre[y] != r)
            y = pre[y];
          int j = 0;
          for (auto &q : nod[x]) {
            table[r][q.first] = x == r ? j : port[r][y];
            j++;
          }
        }
      }
    }
  }
  // route of the head of packet p at router r, input port ip -> port, lo, hi; updates the phase bit
  inline int route(int r, int ip, Pkt &p, int &lo, int &hi) const {
    int V = c.V;
    lo = 0;
    hi = V - 1;
    if (c.topo[0] != 't')
      return table[r][p.dest];
    int n = c.n, k = c.k;
    if (r == p.dest)
      return 2 * n;
    int a = r, b = p.dest, d = 0;
    while (a % k == b % k) {
      a /= k;
      b /= k;
      d++;
    }
    int x = a % k, e = b % k, o;
    if (ip / 2 == d)
      o = ip ^ 1;
    else {
      int m = ((e - x) % k + k) % k;
      if (k - 2 * m > 0) {
        o = 2 * d;
        p.ph = x > e;
      } else {
        o = 2 * d + 1;
        p.ph = c.mut == 12 ? e > x : e < x;
      }
    }
    int h = V / 2;
    if (p.ph)
      lo = h;
    else
      hi = V - 1 - h;
    return o;
  }
};
