"""A proxy that holds requests back, so that a test decides when the service has them."""

import contextlib
import socket
import threading

from browser import LossyProxy
from service import until


class Holding(dict):
    """The fates of a proxy. A request of an operation that is held waits before the service has it, until it is let go."""

    def __init__(self):
        super().__init__()
        self.held, self.arrived = {}, []

    def get(self, operation, default=None):
        if operation in self.held:
            self.arrived.append(operation)
            self.held[operation].wait(100)
        return super().get(operation, default)


class HoldingProxy(LossyProxy):
    def __init__(self, port):
        super().__init__(port)
        self.fates = Holding()
        self.ends = 0    # parts of answers that the service has given, and connections that are over

    def serve(self, client):
        super().serve(client)
        self.ends += 1

    def answer(self, server, client, lost):
        with contextlib.suppress(OSError):
            while (data := server.recv(65536)) and not lost.is_set():
                self.ends += 1
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def holding(self, *operations):
        """Until the end of the block the service is slow. Gives the gates, by operation, to open one earlier."""
        gates = {operation: threading.Event() for operation in operations}
        self.fates.held, self.fates.arrived = gates, []
        yield gates
        self.fates.held = {}
        for gate in gates.values():
            gate.set()

    def has(self, *operations):
        until(lambda: set(operations) <= set(self.fates.arrived), f"{operations} are on their way")
