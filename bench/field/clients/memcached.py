"""A fixed load for memcached: eight connections, each sets, gets, increments and deletes; then it is stopped."""
import socket, sys, threading

port = int(sys.argv[1])


def talk(number):
    with socket.create_connection(('127.0.0.1', port)) as connection:
        stream = connection.makefile('rwb')

        def ask(line, end):
            stream.write(line)
            stream.flush()
            while True:
                answer = stream.readline()
                if not answer or answer.startswith(end):
                    return

        for i in range(150):
            key = b'k%d' % (i % 20)
            ask(b'set %s 0 0 8\r\n%08d\r\n' % (key, i), (b'STORED', b'SERVER_ERROR'))
            ask(b'get %s k1 k2\r\n' % key, b'END')
            ask(b'incr %s 1\r\n' % key, tuple(b'0123456789N'[j:j + 1] for j in range(11)))
            if i % 10 == number:
                ask(b'delete %s\r\n' % key, (b'DELETED', b'NOT_FOUND'))
        ask(b'stats\r\n', b'END')


threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with socket.create_connection(('127.0.0.1', port)) as last:
    last.sendall(b'shutdown\r\n')
    last.recv(1)
