"""Fetches a file: clients/fetch.py PORT PATH CLIENTS TIMES."""
import sys, threading, urllib.request

port, path, clients, times = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def fetch():
    for _ in range(times):
        with urllib.request.urlopen(f'http://127.0.0.1:{port}{path}', timeout=60) as answer:
            while answer.read(1 << 16):
                pass


threads = [threading.Thread(target=fetch) for _ in range(clients)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
