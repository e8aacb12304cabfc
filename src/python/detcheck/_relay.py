"""What the program starts in place of a worker where the function is one of a running process: hands its standard input
and output over to that process, and stays for as long as they are used. Other names get their worker."""

import os
import socket
import sys

name = sys.argv[1]
if name not in os.environ["DETCHECK_SERVED"].split():
    os.execv(sys.executable, [sys.executable, "-m", "detcheck.worker", name])
with socket.socket(socket.AF_UNIX) as peer:
    peer.connect(os.environ["DETCHECK_SOCKET"])
    socket.send_fds(peer, [name.encode()], [0, 1])
    os.close(0)
    os.close(1)
    peer.recv(1)
