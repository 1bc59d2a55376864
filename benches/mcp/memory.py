#!/usr/bin/env python3
"""100,000 clients that come and never say goodbye: the memory of our server after every tenth of them.

  python3 memory.py [--count 100000] [--target DIR]      # examples as in README.md, loadgen of this folder

Two rows: handshakes that each leave a session (the service keeps 10,000 and drops the least recently used), and new
connections with one request each. `kB per idle session` is what the first 10,000 sessions cost.
"""
import argparse, json, os, socket, subprocess, time
H = os.path.dirname(os.path.abspath(__file__))
a = argparse.ArgumentParser()
a.add_argument("--count", type=int, default=100_000)
a.add_argument("--target", default=H + "/target", help="where this folder was built")
a.add_argument("--ours", default=H + "/../../target/dist/examples"); a = a.parse_args()
PORT = 8112
def run(mode, wire, probe):
    server = subprocess.Popen([a.ours + "/echo", "--mode", mode, "--port", str(PORT)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try: socket.create_connection(("127.0.0.1", PORT), 0.2).close(); break
            except OSError: time.sleep(0.05)
        def rss():
            with open(f"/proc/{server.pid}/status") as f: return next(int(l.split()[1]) for l in f if l.startswith("VmRSS:"))
        said = [rss()]; begun = time.time()
        for _ in range(10):
            g = subprocess.run([a.target + "/release/loadgen", "--addr", f"127.0.0.1:{PORT}", "--wire", wire, "--probe", probe,
                                "--count", str(a.count // 10), "--pid", str(server.pid)], capture_output=True, text=True)
            assert g.returncode == 0, g.stderr
            json.loads(g.stdout.strip().splitlines()[-1]); said.append(rss())
        return said, time.time() - begun
    finally:
        server.kill(); server.wait()
for mode, wire, probe, what in [("stateful", "stateful", "sessions", "handshakes"), ("json", "modern", "connect", "connections")]:
    said, seconds = run(mode, wire, probe)
    print(f"{a.count} {what} in {seconds:.0f} s, resident kB: {' '.join(map(str, said))}")
    if probe == "sessions": print(f"kB per idle session: {(said[1] - said[0]) / (a.count // 10):.2f}")
