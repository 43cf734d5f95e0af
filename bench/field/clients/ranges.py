"""Serves one file, in the ranges that are asked for: clients/ranges.py PORT FILE."""
import http.server, re, sys

with open(sys.argv[2], 'rb') as source:
    DATA = source.read()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, body):
        asked = re.match(r'bytes=(\d+)-(\d*)', self.headers.get('Range', ''))
        low = int(asked[1]) if asked else 0
        high = int(asked[2]) + 1 if asked and asked[2] else len(DATA)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header('Content-Range', f'bytes {low}-{high - 1}/{len(DATA)}')
        self.send_header('Content-Length', str(high - low))
        self.end_headers()
        if body:
            self.wfile.write(DATA[low:high])

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
