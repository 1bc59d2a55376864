#!/usr/bin/env python3
"""Run the MCP benchmark matrix. Server pinned to CPU 0, load generator to CPU 1, loopback only.

  python3 run.py [--reps 3] [--secs 8] [--warm 2] [--only substring] [--out results.jsonl]

To add our own server: append a row to HTTP / STDIO below.  A row is
  (label, server argv, loadgen wire, [connection or window counts], payload bytes)
"""
import argparse, json, os, socket, statistics, subprocess, sys, time
H = os.path.dirname(os.path.abspath(__file__))
a = argparse.ArgumentParser()
a.add_argument("--reps", type=int, default=3); a.add_argument("--secs", type=float, default=8)
a.add_argument("--warm", type=float, default=2); a.add_argument("--only", default="", help="labels or parts of labels, with commas between")
a.add_argument("--target", default=H + "/target", help="where this folder was built")
a.add_argument("--burst", action="store_true", help="real-time priority and pauses (needs root): for short runs on a busy machine, where other work waits meanwhile")
a.add_argument("--nice", type=int, default=0, help="niceness of server and generator; negative needs root (use on a busy machine)")
a.add_argument("--out", default=H + "/results.jsonl"); a = a.parse_args()
PORT = 8111; T = a.target + "/release"
PRE = ["chrt", "-f", "10"] if a.burst else ["nice", "-n", str(a.nice)]
R = [T + "/rmcp-echo"]; B = [T + "/bare"]
OURS = H + "/../../target/dist/examples"  # cargo build --profile dist --examples in the repository's root
O = [OURS + "/echo"]
HTTP = [
 ("bare-hyper-null",            B + "--front hyper --kind null".split(),  "bare",   [1, 32], 64),
 ("bare-hyper-typed",           B + "--front hyper --kind typed".split(), "modern", [1, 32], 64),
 ("bare-axum-typed",            B + "--front axum --kind typed".split(),  "modern", [1, 32], 64),
 ("bare-axum-value",            B + "--front axum --kind value".split(),  "modern", [1, 32], 64),
 ("rmcp-macro-json-modern",     R + "--mode stateless-json --impl macro".split(),  "modern", [1, 32], 64),
 ("rmcp-macro-json-legacy",     R + "--mode stateless-json --impl macro".split(),  "legacy", [1, 32], 64),
 ("rmcp-manual-json-modern",    R + "--mode stateless-json --impl manual".split(), "modern", [1, 32], 64),
 ("rmcp-manual-json-modern-hyper", R + "--mode stateless-json --impl manual --front hyper".split(), "modern", [1, 32], 64),
 ("rmcp-macro-sse-modern",      R + "--mode stateless-sse --impl macro".split(),   "modern", [1, 32], 64),
 ("rmcp-macro-session-sse-2025",R + "--mode stateful --impl macro".split(),        "stateful", [1, 32], 64),
 ("rmcp-manual-session-sse-2025",R + "--mode stateful --impl manual".split(),      "stateful", [1, 32], 64),
 ("rmcp-macro-session-sse-2025-nagle",R + "--mode stateful --impl macro --nodelay off".split(), "stateful", [1], 64),
 ("rmcp-macro-sse-modern-nagle",R + "--mode stateless-sse --impl macro --nodelay off".split(), "modern", [1], 64),
 ("rmcp-macro-json-modern-nagle",R + "--mode stateless-json --impl macro --nodelay off".split(), "modern", [1], 64),
 ("our-json-modern",            O + "--mode json".split(),     "modern",   [1, 32], 64),
 ("our-json-legacy",            O + "--mode json".split(),     "legacy",   [1, 32], 64),
 ("our-sse-modern",             O + "--mode sse".split(),      "modern",   [1, 32], 64),
 ("our-session-2025",           O + "--mode stateful".split(), "stateful", [1, 32], 64),
 ("bare-hyper-typed-16k",       B + "--front hyper --kind typed".split(), "modern", [32], 16384),
 ("our-json-modern-16k",        O + "--mode json".split(),     "modern",   [32], 16384),
 ("rmcp-macro-json-modern-16k", R + "--mode stateless-json --impl macro".split(),  "modern", [32], 16384),
 ("rmcp-manual-json-modern-16k",R + "--mode stateless-json --impl manual".split(), "modern", [32], 16384),
]
STDIO = [
 ("stdio-ours-legacy",  [OURS + "/echo-stdio"], "legacy", [1, 32], 64),
 ("stdio-ours-modern",  [OURS + "/echo-stdio"], "modern", [1, 32], 64),
 ("stdio-sync-bare-typed",   B + "--front stdio-sync --kind typed".split(), "modern", [1, 32], 64),
 ("stdio-bare-typed",   B + "--front stdio --kind typed".split(), "modern", [1, 32], 64),
 ("stdio-rmcp-macro-legacy",  R + "--mode stdio --impl macro".split(),  "legacy", [1, 32], 64),
 ("stdio-rmcp-manual-legacy", R + "--mode stdio --impl manual".split(), "legacy", [1, 32], 64),
 ("stdio-rmcp-manual-modern", R + "--mode stdio --impl manual".split(), "modern", [1, 32], 64),
]
LABELS = [row[0] for row in HTTP + STDIO]
def wanted(label): return any(label == part if part in LABELS else part in label for part in a.only.split(","))
def wait(port):
    for _ in range(100):
        try: socket.create_connection(("127.0.0.1", port), 0.2).close(); return
        except OSError: time.sleep(0.05)
    raise SystemExit("server did not start")
def gen(args):
    r = subprocess.run(PRE + ["taskset", "-c", "1", T + "/loadgen"] + args, capture_output=True, text=True, timeout=120)
    if r.returncode or not r.stdout.strip():
        return {"error": (r.stderr or "no output")[-300:]}
    return json.loads(r.stdout.strip().splitlines()[-1])
out = open(a.out, "a"); rows = {}
def keep(label, n, r):
    r["label"] = label; r["n"] = n; out.write(json.dumps(r) + "\n"); out.flush(); rows.setdefault((label, n), []).append(r)
    print("%-36s n=%-3d %s" % (label, n, r.get("error") or "%(rps)8d rps p50 %(p50_us)7.1f p99 %(p99_us)7.1f us  cpu/req %(srv_cpu_us_per_req)6.2f us  rss %(srv_rss_kb)d kB err %(errors)d gen %(gen_cpu_pct)d%%" % r), flush=True)
common = ["--secs", str(a.secs), "--warm", str(a.warm)]
for rep in range(a.reps):
    print("== rep", rep + 1, flush=True)
    for label, argv, wire, ns, pay in HTTP:
        if not wanted(label): continue
        for n in ns:
            if a.burst: time.sleep(2)
            p = subprocess.Popen(PRE + ["taskset", "-c", "0"] + argv + ["--port", str(PORT)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait(PORT)
                keep(label, n, gen(common + ["--addr", f"127.0.0.1:{PORT}", "--wire", wire, "--conns", str(n), "--payload", str(pay), "--pid", str(p.pid)]))
            finally:
                p.kill(); p.wait()
    for label, argv, wire, ns, pay in STDIO:
        if not wanted(label): continue
        for n in ns:
            if a.burst: time.sleep(2)
            keep(label, n, gen(common + ["--stdio", "taskset -c 0 " + " ".join(argv), "--wire", wire, "--window", str(n), "--payload", str(pay)]))
print("\n| server | n | req/s | p50 us | p99 us | p99.9 us | server CPU us/req | RSS kB | gen CPU % |\n|---|---|---|---|---|---|---|---|---|")
med = lambda rs, k: statistics.median(r[k] for r in rs)
for (label, n), rs in rows.items():
    rs = [r for r in rs if "error" not in r]
    if rs: print("| %s | %d | %d | %.1f | %.1f | %.1f | %.2f | %d | %d |" % (label, n, med(rs,"rps"), med(rs,"p50_us"), med(rs,"p99_us"), med(rs,"p999_us"), med(rs,"srv_cpu_us_per_req"), med(rs,"srv_rss_kb"), med(rs,"gen_cpu_pct")))
